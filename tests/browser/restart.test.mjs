// The servers are restarted in mid-stream; an instance of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ended, openChat, script, send, shows } from './browser.mjs';
import { startInstance } from './instance.mjs';

let instance = null;

before(async () => {
	instance = await startInstance('--base', '/restart');
});

after(() => instance.end());

test('the web server is away for a while: nothing is lost', async (t) => {
	const page = await openChat(t, { url: instance.url });
	const text = Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ');

	await send(page, script({ text, rate: 25 }));
	await shows(page, 20);
	await instance.kill('lighttpd');
	await page.waitForSelector('.status-reconnecting');
	assert.equal(await instance.up(), instance.url);
	await page.waitForSelector('.status-reconnecting', { state: 'detached' });
	await ended(page);
	assert.equal((await page.locator('.answer').textContent()).trim(), text);
	await page.reload();
	await ended(page);
	assert.equal((await page.locator('.answer').textContent()).trim(), text);
});

test('Lamplighter is restarted: what was said stays, and can be gone on with', async (t) => {
	const page = await openChat(t, { url: instance.url });

	page.setDefaultTimeout(40000);
	await send(page, script({ tokens: 100000, rate: 20 }));
	await shows(page, 20);
	const before = (await page.locator('.answer').textContent()).trim();

	await instance.kill('responder');
	await instance.up();
	await ended(page);
	const after = (await page.locator('.answer').textContent()).trim();

	assert.ok(after.startsWith(before));
	assert.match(await page.locator('.note').innerText(), /interrupted before its end/);
	await page.reload();
	await ended(page);
	assert.equal((await page.locator('.answer').textContent()).trim(), after);
	await page.getByRole('button', { name: 'Continue' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await ended(page);
	assert.equal(await page.locator('.bubble').count(), 1);
});
