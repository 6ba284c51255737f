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

const bundles = {
	'chart.js': { entry: 'chart.js', packages: ['chart.js', '@kurkle/color'] },
	'diff.js': { entry: 'diff.js', packages: ['diff'] },
	'katex.js': { entry: 'katex.js', packages: ['katex'] },
	'lit.js': { entry: 'lit.js', packages: ['lit'] },
	'markdown.js': {
		entry: 'markdown.js',
		packages: ['marked', 'dompurify', 'highlight.js'],
	},
};

async function banner(packages)
{
	const rows = [];

	for (const name of packages) {
		const file = path.join(root, 'node_modules', name, 'package.json');
		const meta = JSON.parse(await readFile(file, 'utf8'));

		rows.push(` * ${meta.name} ${meta.version} (${meta.license})`);
	}
	return `/*!\n${rows.join('\n')}\n * Bundled from npm; see package-lock.json.\n */`;
}

/** The licence text of a package, under its name. */
async function licence(name)
{
	const dir = path.join(root, 'node_modules', name);
	const file = (await readdir(dir)).find((f) => /^licen[cs]e/i.test(f));
	const text = file ? await readFile(path.join(dir, file), 'utf8') : '';

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

const names = Object.values(bundles).flatMap((bundle) => bundle.packages);

await mkdir(out, { recursive: true });
await put('LICENSES.txt', (await Promise.all(names.map(licence))).join('\n\n'));
for (const file of types)
	await copyFile(path.join(here, 'types', file), path.join(out, file));
for (const [file, { entry, packages }] of Object.entries(bundles)) {
	const result = await build({
		entryPoints: [path.join(here, entry)],
		absWorkingDir: root,
		bundle: true,
		format: 'esm',
		target: 'es2021',
		minify: true,
		legalComments: 'eof',
		banner: { js: await banner(packages) },
		write: false,
		logLevel: 'warning',
	});
	await put(file, result.outputFiles[0].contents);
}
