// SPDX-License-Identifier: MIT
// The page below a path of its own, one with a blank in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, ended, openChat, reading } from './browser.mjs';
import { startInstance } from './instance.mjs';

let instance = null;

before(async () => {
	instance = await startInstance('--base', '/intranet/ai chat');
});

after(() => instance.end());

test('chat, reload and address under /intranet/ai chat/', async (t) => {
	const { url } = instance;

	assert.match(url, /\/intranet\/ai%20chat\/$/);
	const page = await openChat(t, { url });

	await ask(page, 'How many tickets are open?');
	const shown = await reading(page);

	assert.match(shown, /open tickets/);
	assert.match(page.url(), /\/intranet\/ai%20chat\/#\/c\/[0-9a-f-]{36}$/);
	await page.reload();
	await ended(page);
	assert.equal(await reading(page), shown);
	await page.getByRole('button', { name: 'Regenerate', exact: true }).click();
	await page.waitForSelector('.variants');
	await ended(page);
	await page.goto(url.slice(0, -1));
	await page.waitForSelector('.composer-field');
	assert.ok(page.url().startsWith(url));
});

test('the root of a host, and up again without saying so', async (t) => {
	const root = await startInstance('--base', '/');

	t.after(() => root.end());
	assert.match(root.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
	const page = await openChat(t, { url: root.url });

	await ask(page, 'How many tickets are open?');
	assert.match(await reading(page), /open tickets/);
	assert.equal(await root.again(), root.url);
	await page.reload();
	await ended(page);
	assert.match(await reading(page), /open tickets/);
});

/** Changes settings of the page's user. */
const settings = (page, values) => page.evaluate(async (body) => {
	const answer = await fetch('api/v1/settings', {
		method: 'PATCH', body, headers: { 'Content-Type': 'application/json' } });

	if (!answer.ok)
		throw new Error(await answer.text());
}, JSON.stringify(values));

test('colours follow the system or the choice, which is kept', async (t) => {
	const page = await openChat(t, { url: instance.url, colorScheme: 'dark' });
	const theme = () => page.evaluate(() => document.documentElement.dataset.theme);

	assert.equal(await theme(), 'dark');
	await page.getByLabel('Light').check({ force: true });
	assert.equal(await theme(), 'light');
	await page.reload();
	await page.waitForSelector('.composer-field');
	assert.equal(await theme(), 'light');
	await settings(page, { theme: null });
});

test('settings of the user count on every device', async (t) => {
	const page = await openChat(t, { url: instance.url, colorScheme: 'light' });
	const field = page.locator('.composer-field');

	await settings(page, { theme: 'dark', density: 'compact', send_key: 'ctrl-enter' });
	await page.reload();
	await page.waitForFunction(() =>
		document.documentElement.dataset.density === 'compact');
	assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
	await field.focus();
	await page.keyboard.type('one');
	await page.keyboard.press('Enter');
	await page.keyboard.type('two');
	assert.equal(await field.inputValue(), 'one\ntwo');
	assert.match(await page.locator('.composer-hint').innerText(), /^Ctrl/);
	await page.keyboard.press('Control+Enter');
	await ended(page);
	assert.equal(await page.locator('.bubble').last().innerText(), 'one\ntwo');
	await settings(page, { theme: null, density: null, send_key: null });
});
