// SPDX-License-Identifier: MIT
// Makes www/dist, the page as it is installed: of index.html and demo-form.html the style
// sheets become one file and the modules few, cut where one is loaded when it is first
// needed. Run by www/local.mk in the source directory, after vendor.mjs.
//
// What is in dist/page has a hash of its content in its name, so that browsers keep it for
// good, and stands there compressed, too. Pages of other sites, and what is written in
// docs/page-tools.md, use the names of STABLE, which lead there and do not change.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { dialogs } from '../js/strings-dialogs.js';
import { LANGUAGES } from '../vendor/lang/index.js';

const www = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(www, 'dist');
/** The oldest browsers that the page is written for (docs/page.md). */
const target = ['chrome100', 'firefox100', 'safari15.4'];
const PAGES = ['index.html', 'demo-form.html'];
const STABLE = ['js/main.js', 'js/tools.js'];
/** Classic scripts, which run before the first paint. */
const EARLY = ['js/theme.js'];
const common = { absWorkingDir: www, bundle: true, minify: true, target, write: false,
	legalComments: 'none', banner: { js: '/* Licences: vendor/LICENSES.txt */' }, logLevel: 'warning', metafile: true };

/** @type {Map<string, Uint8Array | string>} what dist will have, by name */
const made = new Map();

function hashed(name, contents)
{
	const hash = createHash('sha256').update(contents).digest('base64url').replace(/\W|_/g, '');
	const { name: stem, ext } = path.parse(name);

	return `page/${stem}-${hash.slice(0, 10)}${ext}`;
}

/** @returns the name of a file with that content */
function keep(name, contents)
{
	const full = hashed(name, contents);

	made.set(full, contents);
	return full;
}

/** A file that a module fetches (new URL('...', import.meta.url)) is hashed as well. */
const assets = {
	name: 'assets',
	setup({ onLoad })
	{
		onLoad({ filter: /\/www\/js\/.*\.js$/ }, async (args) => {
			let contents = await readFile(args.path, 'utf8');

			for (const [all, name] of contents.matchAll(
				/new URL\('([^']+)', import\.meta\.url\)/g)) {
				const file = path.resolve(path.dirname(args.path), name);
				const address = `./${path.basename(keep(name, await readFile(file)))}`;

				contents = contents.replace(all, all.replace(name, address));
			}
			return { contents, loader: 'js' };
		});
	},
};

const pages = Object.fromEntries(await Promise.all(PAGES.map(async (name) =>
	[name, await readFile(path.join(www, name), 'utf8')])));
const MODULE = /<script type="module" src="([^"]+)"><\/script>/g;
const SHEETS = /(?:<link rel="stylesheet" href="[^"]+">\n)+/;
const entries = [...new Set([...STABLE, ...Object.values(pages).flatMap((html) =>
	[...html.matchAll(MODULE)].map(([, src]) => src))])];

/** Entry and its chunks: where each is, and what it imports at once. */
const { outputFiles, metafile } = await build({ ...common, entryPoints: entries,
	splitting: true, format: 'esm', outdir: 'dist/page', entryNames: '[name]-[hash]',
	chunkNames: '[name]-[hash]', plugins: [assets] });
/** @type {Map<string, {file: string, chunks: Set<string>}>} */
const scripts = new Map();

function chunksOf(file, found = new Set())
{
	for (const { path: next, kind } of metafile.outputs[file].imports)
		if (kind === 'import-statement' && !found.has(next)) {
			found.add(next);
			chunksOf(next, found);
		}
	return found;
}

const pathOf = (file) => path.relative('dist', file);

for (const { path: file, contents } of outputFiles)
	made.set(path.relative(out, file), contents);
for (const [file, { entryPoint }] of Object.entries(metafile.outputs))
	if (entryPoint)
		scripts.set(entryPoint, { file: pathOf(file),
			chunks: new Set([...chunksOf(file)].map(pathOf)) });
for (const name of STABLE)
	made.set(name, `export * from '../${scripts.get(name).file}';\n`);
for (const name of EARLY) {
	const { outputFiles: [{ contents }] } = await build({ ...common, entryPoints: [name],
		outfile: 'dist/early.js' });

	made.set(name, contents);
	keep(name, contents);
}

/** What index.html says if the page does not begin, in each language: js/theme.js chooses. */
async function lateLines()
{
	const key = 'before.late';
	const lines = [{ tag: 'en', text: dialogs[key], rtl: false }];

	for (const [tag, { load, rtl }] of Object.entries(LANGUAGES))
		lines.push({ tag, rtl, text: (await load()).texts[key] });
	return lines.filter(({ text }) => text).map(({ tag, text, rtl }, i) => `<p class="before-late" lang="${tag}" dir="${
		rtl ? 'rtl' : 'ltr'}"${i === 0 ? '' : ' hidden'}>${text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
		.replace(/\[(.*)\]/, '<a href="plain/">$1</a>')}</p>`).join('\n');
}

const late = await lateLines();

/** One file of several style sheets. */
async function joined(name, sheets)
{
	const { outputFiles: [{ contents }] } = await build({ ...common, outfile: 'dist/page.css',
		stdin: { contents: sheets.map((sheet) => `@import './${sheet}';`).join('\n'),
			resolveDir: www, loader: 'css' } });

	return keep(name, contents);
}

for (const [name, html] of Object.entries(pages)) {
	const sheets = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)]
		.map(([, href]) => href);
	const css = await joined(name === 'index.html' ? 'page.css' : name.replace('html', 'css'),
		sheets);
	const own = [...html.matchAll(MODULE)].map(([, src]) => src);
	const chunks = new Set(own.flatMap((src) => [...scripts.get(src).chunks]));
	let text = html.replace(SHEETS, `<link rel="stylesheet" href="${css}">\n`)
		.replace(/<link rel="modulepreload"[^>]*>\n/g, '')
		.replace(/<!--[^]*?-->\n/g, '');

	text = text.replace('<p class="before-late"></p>', () => late);
	for (const early of EARLY)
		text = text.replace(`src="${early}"`,
			`src="${hashed(early, made.get(early))}"`);
	text = text.replace(MODULE, (_, src) =>
		`<script type="module" src="${scripts.get(src).file}"></script>`);
	// what the first module imports is asked for together with it
	text = text.replace('<script type="module"', [...chunks].map((file) =>
		`<link rel="modulepreload" href="${file}">\n`).join('') + '<script type="module"');
	if (SHEETS.test(text.replace(css, '')) && sheets.some((sheet) => text.includes(`"${sheet}"`)))
		throw new Error(`${name}: its style sheets are not one list`);
	made.set(name, text);
	if (name === 'index.html')
		made.set('css/page.css', `@import '../${css}';\n`);
}

/** Written beside and renamed: an interrupted build leaves no half file. */
async function put(name, contents)
{
	const file = path.join(out, name);

	await mkdir(path.dirname(file), { recursive: true });
	await writeFile(`${file}.tmp`, contents);
	await rename(`${file}.tmp`, file);
}

const there = new Set(await readdir(path.join(out, 'page')).catch(() => []));
const wanted = new Set();

await Promise.all([...made].map(async ([name, contents]) => {
	if (!name.startsWith('page/')) {
		await put(name, contents);
		return;
	}
	for (const [ending, pack] of Object.entries({
		'.gz': (data) => promisify(gzip)(data, { level: 9 }),
		'.br': (data) => promisify(brotliCompress)(data, { params: {
			[constants.BROTLI_PARAM_SIZE_HINT]: data.length } }),
		'': (data) => data,
	})) {
		const full = `${name}${ending}`;

		wanted.add(path.basename(full));
		// the same name is the same content
		if (!there.has(path.basename(full)))
			await put(full, await pack(Buffer.from(contents)));
	}
}));
for (const name of there)
	if (!wanted.has(name))
		await rm(path.join(out, 'page', name));
