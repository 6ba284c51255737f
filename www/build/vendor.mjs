// Bundles the npm dependencies of the page into www/vendor, one ES module
// each. Run by www/local.mk in the source directory; a release tarball has
// the result, so building from one needs neither node nor npm.
import { build } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const out = path.join(root, 'www/vendor');

/** format: a module, but for what runs in a sandbox as the text of a script. */
const bundles = {
	'chart.js': 'esm',
	'diff.js': 'esm',
	'highlight.js': 'esm',
	'katex.js': 'esm',
	'lit.js': 'esm',
	'markdown.js': 'esm',
	'mermaid.js': 'iife',
};

/** Where the packages are that a bundle has parts of. */
function packagesOf({ inputs })
{
	const found = Object.keys(inputs).map((file) =>
		/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);

	return [...new Set(found.filter(Boolean))].sort();
}

async function meta(dir)
{
	return JSON.parse(await readFile(path.join(root, dir, 'package.json'), 'utf8'));
}

async function banner(dirs)
{
	const rows = [];

	for (const dir of dirs) {
		const { name, version, license } = await meta(dir);

		rows.push(` * ${name} ${version} (${license || 'see LICENSES.txt'})`);
	}
	return `/*!\n${rows.join('\n')}\n * Bundled from npm; see package-lock.json.\n */\n`;
}

/** The licence text of a package, under its name. */
async function licence(dir)
{
	const { name, license } = await meta(dir);
	const file = (await readdir(path.join(root, dir))).find((f) => /^licen[cs]e/i.test(f));
	const text = file ? await readFile(path.join(root, dir, file), 'utf8') : `${license}\n`;

	return `${name}\n${'='.repeat(name.length)}\n\n${text.trim()}\n`;
}

async function put(name, contents)
{
	const target = path.join(out, name);

	// written beside and renamed: an interrupted build leaves no half file
	await writeFile(`${target}.tmp`, contents);
	await rename(`${target}.tmp`, target);
}

/** What the type checker reads instead of the bundles (www/jsconfig.json). */
const types = await readdir(path.join(here, 'types'));

await mkdir(out, { recursive: true });
for (const file of types)
	await copyFile(path.join(here, 'types', file), path.join(out, file));
const used = new Set();

for (const [file, format] of Object.entries(bundles)) {
	const { outputFiles: [{ text }], metafile } = await build({
		entryPoints: [path.join(here, file)],
		absWorkingDir: root,
		bundle: true,
		format,
		target: 'es2021',
		minify: true,
		legalComments: 'eof',
		metafile: true,
		write: false,
		logLevel: 'warning',
	});
	const dirs = packagesOf(metafile);

	for (const dir of dirs)
		used.add(dir);
	// in a <script>, this would begin a comment
	await put(file, await banner(dirs) +
		(format === 'iife' ? text.replaceAll('<!--', '\\x3c!--') : text));
}
await put('LICENSES.txt', (await Promise.all([...used].sort().map(licence))).join('\n\n'));
