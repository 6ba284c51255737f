// SPDX-License-Identifier: MIT
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

test('Lamplighter is restarted: what was said stays, and can be continued', async (t) => {
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
	assert.match(await page.locator('.note').innerText(), /interrupted before it was complete/);
	await page.reload();
	await ended(page);
	assert.equal((await page.locator('.answer').textContent()).trim(), after);
	await page.getByRole('button', { name: 'Continue' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await ended(page);
	assert.equal(await page.locator('.bubble').count(), 1);
});

test('the database is away when an answer ends: the page keeps it and stores it', async (t) => {
	const page = await openChat(t, { url: instance.url });
	const text = Array.from({ length: 60 }, (_, i) => `d${i}`).join(' ');
	const answer = () => page.locator('.answer').textContent();
	let through = false;

	page.setDefaultTimeout(60000);
	await page.route('**/store', (route) => through ? route.continue() : route.abort());
	await send(page, script({ text, rate: 25 }));
	await shows(page, 5);
	await instance.kill('db');
	await page.waitForSelector('.note:has-text("Not saved yet")');
	assert.equal((await answer()).trim(), text);
	await instance.up();
	// not even a reload loses it
	await page.reload();
	await page.waitForSelector('.bubble');
	through = true;
	await page.waitForFunction((all) =>
		document.querySelector('.answer')?.textContent.trim() === all, text);
	await page.waitForSelector('.failure, .note', { state: 'detached' });
	assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)
		.filter((key) => key.includes('unstored'))), []);
	await page.reload();
	await ended(page);
	assert.equal((await answer()).trim(), text);
	assert.equal(await page.locator('.failure, .note').count(), 0);
});

test('a proxy refuses an answer that is stored later: its text stays, with the reason', async (t) => {
	const page = await openChat(t, { url: instance.url });
	const text = Array.from({ length: 60 }, (_, i) => `p${i}`).join(' ');
	const note = '.note:has-text("too large for the web server")';

	page.setDefaultTimeout(60000);
	await page.route('**/store', (route) => route.fulfill({ status: 413,
		contentType: 'text/html', body: 'Request Entity Too Large' }));
	await send(page, script({ text, rate: 25 }));
	await shows(page, 5);
	await instance.kill('db');
	await page.waitForSelector(note);
	await instance.up();
	await page.reload();
	await page.waitForSelector(note);
	await page.evaluate(() => {
		window.copied = '';
		navigator.clipboard.writeText = async (copied) => { window.copied = copied; };
	});
	await page.getByRole('button', { name: 'Copy the unsaved answer' }).click();
	assert.equal((await page.evaluate(() => window.copied)).trim(), text);
});
