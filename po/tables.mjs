// SPDX-License-Identifier: MIT
// Makes of the catalogues (LINGUAS, *.po) what the program and the page read: constant
// tables. lib/base/lang_made.def has the texts without a context, www/vendor/lang those of the
// page, which have their keys as contexts. Run by po/local.mk in the source directory;
// release tarballs have the result, so that building from one needs no node.
//
// Two pseudo-locales are made of the English texts and chosen only by their exact tags:
// en-XA has accents and is 40 % longer, ar-XB is written from the right. What shows in
// English in them does not come from a catalogue (docs/translating.md).
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..');
const RTL = ['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

// -- reading ------------------------------------------------------------------------------

const unquoted = (line) => JSON.parse(line.replace(/^[^"]*/, '').replace(/\\([^"\\nrt])/g, '\\\\$1'));

/**
 * The entries of a catalogue: {context, id, plural, texts, flags}. Fuzzy and obsolete ones
 * are left out, as msgfmt does, which tests/check/lang.py has judge the file.
 */
export function parse(text)
{
	const entries = [];

	for (const block of text.split(/\n\s*\n/)) {
		const one = { context: null, id: '', plural: null, texts: [], flags: '' };
		let add = () => {};

		for (const line of block.split('\n')) {
			const [, word] = /^(msg\w+(?:\[\d+\])?)\s/.exec(line) ?? [];
			const form = /\[(\d+)\]/.exec(word ?? '')?.[1] ?? '0';

			if (line.startsWith('#,'))
				one.flags += line;
			else if (word === 'msgctxt')
				add = (part) => { one.context = (one.context ?? '') + part; };
			else if (word === 'msgid')
				add = (part) => { one.id += part; };
			else if (word === 'msgid_plural')
				add = (part) => { one.plural = (one.plural ?? '') + part; };
			else if (word)
				add = (part) => { one.texts[form] = (one.texts[form] ?? '') + part; };
			if (!line.startsWith('#') && line.includes('"'))
				add(unquoted(line));
		}
		if (one.texts.length && !/\bfuzzy\b/.test(one.flags))
			entries.push(one);
	}
	return entries;
}

/** The rule of the header as an expression of JavaScript, which C's is as well. */
export function pluralRule(entries, tag)
{
	const header = entries.find(({ id }) => id === '')?.texts[0] ?? '';
	const [, forms, rule] = /^Plural-Forms:\s*nplurals=(\d+);\s*plural=([^;\n]+)/m.exec(header) ?? [];
	const isForm = (i) => Number.isInteger(i) && i >= 0 && i < Number(forms);

	if (!rule || !/^[n\d\s?:!=<>%&|()+*-]+$/.test(rule))
		throw new Error(`po/${tag}.po: its header has no Plural-Forms`);
	// eslint-disable-next-line no-new-func -- the letters above are no program
	const plural = new Function('n', `return Number(${rule});`);

	for (let n = 0; n < 1000; n++)
		if (!isForm(plural(n)))
			throw new Error(`po/${tag}.po: Plural-Forms has no form for ${n}`);
	return rule.trim();
}

// -- pseudo-locales ------------------------------------------------------------------------

const ACCENTED = Object.fromEntries([...'aáàâbƀcçdðeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqɋrŕsšt\u0163uûvṽwŵxẋyýzž']
	.reduce((pairs, c) => {
		if (/[a-z]/.test(c))
			pairs.push([c]);
		else
			pairs.at(-1)[1] ??= c;
		return pairs;
	}, []));
const ARABIC = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((c, i) =>
	[c, 'ابتثجحخدذرزسشصضطظعغفقكلمنه'[i]]));
/** What stays: placeholders, conversions of printf, the names of what is not ours. */
const KEPT = /\{\w+\}|%(?:\d+\$)?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j)?[a-zA-Z%]/g;

function mapped(text, letters)
{
	let out = '', at = 0;
	const change = (part) => part.replace(/[A-Za-z]/g, (c) => {
		const to = letters[c.toLowerCase()];

		return c === c.toLowerCase() ? to : to.toUpperCase();
	});

	for (const { 0: kept, index } of text.matchAll(KEPT)) {
		out += change(text.slice(at, index)) + kept;
		at = index + kept.length;
	}
	return out + change(text.slice(at));
}

const longer = (text) => mapped(text, ACCENTED) +
	(text.trim() ? ` ${'lörém îpšûɱ '.repeat(20).slice(0, Math.ceil(text.length * 0.4))}`.trimEnd() : '');

const PSEUDO = {
	'en-XA': longer,
	'ar-XB': (text) => mapped(text, ARABIC),
};

function pseudo(template, change)
{
	return template.filter(({ id }) => id).map((one) => ({ ...one,
		texts: one.plural === null ? [change(one.id)] : [change(one.id), change(one.plural)] }));
}

// -- writing -----------------------------------------------------------------------------------

/** A literal of C: octal escapes end after three digits, unlike those in hexadecimal. */
function literal(text)
{
	return `"${[...Buffer.from(text)].map((byte) =>
		byte === 34 || byte === 92 ? `\\${String.fromCharCode(byte)}`
			: byte === 63 || byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, '0')}`
				: String.fromCharCode(byte)).join('')}"`;
}

const isRtl = (tag) => RTL.includes(tag.split('-')[0]);
const nameOf = (tag) => tag.replace(/-/g, '_');
const translated = (entries) => entries.filter(({ id, texts }) => id && texts.every(Boolean));

function tableOf({ tag, entries })
{
	const rows = translated(entries).filter(({ context }) => context === null)
		.sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));

	return `static const struct lang_row rows_${nameOf(tag)}[] = {\n${rows.map(({ id, texts }) =>
		`\t{ ${literal(id)},\n\t  ${literal(texts[0])} },\n`).join('')}};\n`;
}

function header(languages)
{
	return `/* SPDX-License-Identifier: MIT */\n/* Made by po/tables.mjs. */\n` +
		`${languages.map(tableOf).join('\n')}\n/* The last ones of: */\n` +
		`#define PSEUDO_LOCALES ${Object.keys(PSEUDO).length}\n` +
		'static const struct lang languages[] = {\n' +
		languages.map(({ tag }) => `\t{ "${tag}", ${isRtl(tag)}, rows_${nameOf(tag)}, ` +
			`ARRAY_LEN(rows_${nameOf(tag)}) },\n`).join('') + '};\n';
}

function moduleOf({ entries, rule })
{
	const texts = Object.fromEntries(translated(entries)
		.filter(({ context }) => context !== null)
		.map(({ context, texts: [one, ...more] }) => [context, more.length ? [one, ...more] : one]));

	return `// SPDX-License-Identifier: MIT\n// Made by po/tables.mjs.\nexport const plural = (n) => Number(${rule});\n` +
		`export const texts = ${JSON.stringify(texts, null, '\t')};\n`;
}

function index(languages)
{
	return '// SPDX-License-Identifier: MIT\n// Made by po/tables.mjs: languages besides English, and where their texts are.\n' +
		`export const LANGUAGES = {\n${languages.map(({ tag }) =>
			`\t'${tag}': { rtl: ${isRtl(tag)}, load: () => import('./${tag}.js') },\n`).join('')}};\n`;
}

/** Written beside and renamed; what is the same stays, so that nothing is built again. */
async function put(name, contents)
{
	const file = path.join(root, name);

	if (await readFile(file, 'utf8').catch(() => null) === contents)
		return;
	await mkdir(path.dirname(file), { recursive: true });
	await writeFile(`${file}.tmp`, contents);
	await rename(`${file}.tmp`, file);
}

async function main()
{
	const template = parse(await readFile(path.join(here, 'lamplighter.pot'), 'utf8'));
	const tags = (await readFile(path.join(here, 'LINGUAS'), 'utf8')).split('\n')
		.map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);
	const languages = await Promise.all(tags.map(async (tag) => {
		const entries = parse(await readFile(path.join(here, `${tag}.po`), 'utf8'));

		return { tag, entries, rule: pluralRule(entries, tag) };
	}));

	for (const [tag, change] of Object.entries(PSEUDO))
		languages.push({ tag, entries: pseudo(template, change), rule: 'n != 1' });
	await put('lib/base/lang_made.def', header(languages));
	for (const one of languages)
		await put(`www/vendor/lang/${one.tag}.js`, moduleOf(one));
	await put('www/vendor/lang/index.js', index(languages));
	for (const name of await readdir(path.join(root, 'www/vendor/lang')))
		if (name !== 'index.js' && !languages.some(({ tag }) => name === `${tag}.js`))
			await rm(path.join(root, 'www/vendor/lang', name));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
	await main();
