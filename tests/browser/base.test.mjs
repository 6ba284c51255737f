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
