// SPDX-License-Identifier: MIT
// Texts of the page, and the catalogues of other languages: no browser.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse as entriesOf, pluralRule } from '../../po/tables.mjs';
import { excerpt, moment } from '../../www/js/format.js';
import { making } from '../../www/js/strings-making.js';
import { addTexts, has, language, pick, setCulture, t } from '../../www/js/strings.js';

addTexts(making);

test('strings: each one that is used exists, each one is used', async () => {
	const root = new URL('../../www/js/', import.meta.url);
	const files = ['', 'store/', 'ui/'];
	let source = '';

	for (const dir of files) {
		for (const name of await readdir(new URL(dir, root))) {
			if (name.endsWith('.js') && !name.startsWith('strings'))
				source += await readFile(new URL(dir + name, root), 'utf8');
		}
	}
	for (const [, key] of source.matchAll(/\bt\('([\w.]+)'/g))
		assert.ok(has(key), `t('${key}')`);
	const own = (await Promise.all(['strings-page.js', 'strings-dialogs.js'].map((name) =>
		readFile(new URL(name, root), 'utf8')))).join('');
	// families whose last part is computed, and what www/build/page.mjs puts into index.html
	const computed = /^(?:artifact|before|effect|error|gone|memory\.(?:fact|why)|mode|none|note|origin|rating|status|theme|tool|value)\./;
	for (const [, place] of own.matchAll(/^\t'(?:none|gone)\.(\w+)':/gm))
		assert.ok(source.includes(`'place.${place}'`), `no place ${place}`);

	for (const [, key] of own.matchAll(/^\t'([\w.]+)':/gm))
		assert.ok(computed.test(key) || source.includes(`'${key}'`), `unused ${key}`);
});

test('strings: each part of a prompt has a name for its preview', async () => {
	const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
	const preview = await read('www/js/ui/preview.js');
	const parts = [...(await read('lib/prompt/part.def')).matchAll(/^PART(?:_OF_TURN)?\(\w+, "([\w-]+)"/gm)]
		.map(([, name]) => name);

	assert.ok(parts.length > 20);
	for (const name of parts)
		assert.match(preview, new RegExp(`[\\s{](?:'${name}'|${name}): '[\\w.]+'`), name);
});

test('strings: numbers, plurals, placeholders, unknown cultures', async () => {
	assert.deepEqual(await setCulture(['xx-YY', 'en-GB']), { lang: 'en', dir: 'ltr' });
	assert.equal(t('tool.rows', { n: 1 }), '1 row');
	assert.equal(t('tool.rows', { n: 1200 }), '1,200 rows');
	assert.equal(t('list.renamed', { title: '$& {n}' }), 'Renamed to “$& {n}”');
});

test('strings: the language that is picked, its texts and its rule for plurals', async (context) => {
	context.after(() => setCulture(['en-GB']));
	for (const [wanted, tag] of [[[], 'en'], [['xx'], 'en'], [['en-XA'], 'en-XA'],
		[['AR-xb-x'], 'ar-XB'], [['ar'], 'en'], [['', 'ar-XB'], 'ar-XB'],
		[['en-US', 'ar-XB'], 'en'], [['xx-YY', 'en-US@posix', 'ar-XB'], 'en']])
		assert.equal(pick(wanted), tag);
	assert.deepEqual(await setCulture(['ar-XB', 'en']), { lang: 'ar-XB', dir: 'rtl' });
	assert.equal(language(), 'ar-XB');
	assert.doesNotMatch(t('list.new'), /[a-z]/i);
	assert.equal(t('no.text'), 'no.text');
	await setCulture(['en-XA']);
	assert.ok(t('list.new').length > 1.4 * 'New chat'.length);
	assert.notEqual(t('list.found', { n: 1 }), t('list.found', { n: 2 }).replace('2', '1'));
	assert.match(t('list.renamed', { title: '$& {n}' }), /\$& \{n\}/);
	await setCulture(['en']);
	assert.equal(t('list.found', { n: '1' }), '1 conversation found');
});

test('catalogues: continued, escaped, fuzzy and untranslated texts; plurals', () => {
	const entries = entriesOf('msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : n>4 ? 2 : 1);\\n"\n\n' +
		'#: a.js\n#, python-brace-format\nmsgctxt "a.b"\nmsgid "one\\n"\n"two \\"x\\""\nmsgstr "eins\\t"\n"zwei"\n\n' +
		'#, fuzzy\nmsgid "old"\nmsgstr "alt"\n\n#~ msgid "gone"\n#~ msgstr "weg"\n\n' +
		'msgid "{n} a"\nmsgid_plural "{n} b"\nmsgstr[0] "x"\nmsgstr[1] "y"\nmsgstr[2] "z"\n');

	assert.deepEqual(entries.map(({ context, id, texts }) => [context, id, ...texts]).slice(1), [
		['a.b', 'one\ntwo "x"', 'eins\tzwei'], [null, '{n} a', 'x', 'y', 'z']]);
	assert.equal(pluralRule(entries, 'de'), '(n%10==1 ? 0 : n>4 ? 2 : 1)');
	for (const rule of ['plural=alert(1);', 'plural=n=>n;', 'plural=n;', 'nothing', 'plural=;'])
		assert.throws(() => pluralRule([{ id: '', texts: [`Plural-Forms: nplurals=2; ${rule}\n`] }], 'de'),
			/Plural-Forms/);
});

test('the first words of an answer have none of its marks', () => {
	for (const [text, words] of [
		['# Head\n\nSome **bold** and `code`.', 'Head Some bold and code.'],
		['| kind | number |\n|------|-------:|\n| red | 12 |', 'kind, number red, 12'],
		['a | b\n--- | ---\nc | d', 'a, b c, d'],
		['- one\n- [x] two\n  * three\n1. four', 'one two three 1. four'],
		['See [the page](https://example.org/a_b) of query_data.', 'See the page of query_data.'],
		['_so_ and __so__, 2 * 3 - 1', 'so and so, 2 3 - 1'],
		['```js\nlet a = 1;\n```\n\n> said\n\n---\nend', 'let a = 1; said end'],
		['| '.repeat(20000), undefined], ['[a]('.repeat(5000), undefined], ['', '']]) {
		const found = excerpt(text);

		assert.ok(words === undefined ? found.length <= 161 : found === words, found);
	}
});

test('strings: dates and numbers are as in the first language of the browser', async () => {
	const at = new Date(2026, 10, 3, 15, 4).toISOString();

	for (const [languages, date, rows] of [
		[['en-GB', 'en-US'], /^3 Nov 2026,.15:04$/, '1,200 rows'],
		[['en-US', 'en-GB'], /^Nov 3, 2026,.3:04.PM$/, '1,200 rows'],
		[['en-US@posix', 'de-DE', 'en'], /^03\.11\.2026,.15:04$/, '1.200 rows'],
		[[], /^Nov 3, 2026,.3:04.PM$/, '1,200 rows']]) {
		assert.equal((await setCulture(languages)).lang, 'en');
		assert.match(moment(at), date);
		assert.equal(t('tool.rows', { n: 1200 }), rows);
	}
});
