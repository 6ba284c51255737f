// SPDX-License-Identifier: MIT
// Where streaming does not work: a proxy keeps event streams back until their
// end. The page measures it, polls instead, remembers it, and streams again
// where that works again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, ended, openChat, reading, script, send } from './browser.mjs';
import { startProxy } from './proxy.mjs';

const text = (n) => Array.from({ length: n }, (_, i) => `w${i.toString(36)}`).join(' ');
const polls = (page) => page.evaluate(() =>
	Number(sessionStorage.getItem('lamplighter.polls')) > Date.now());

/** Waits until the newest answer has grown so often while it is written. */
async function grows(page, times)
{
	// of this answer, not of the one before
	await page.evaluate(() => { window.lengths = []; });
	await page.waitForFunction((n) => {
		const answers = document.querySelectorAll('.answer');
		const now = answers[answers.length - 1]?.textContent.length ?? 0;

		if (!document.querySelector('.stop-button'))
			window.lengths = [];
		else if (now > 0 && now !== window.lengths.at(-1))
			window.lengths.push(now);
		return window.lengths.length >= n;
	}, times);
}

/** All of them, also those out of sight, which are not laid out. */
function answers(page)
{
	return page.locator('.bubble, .answer').allTextContents();
}

test('a buffering proxy: the answer grows all the same, by long polls', async (t) => {
	const proxy = await startProxy(t);
	const page = await openChat(t, { url: proxy.url });

	proxy.mode = 'buffer';
	const began = Date.now();

	// a new conversation: the page does not even know its id
	await send(page, script({ narration: 'Looking.', tool_calls: [
		{ name: 'query_data', args: { dataset: 'rooms', limit: 2 } }],
	then: { text: text(240), rate: 30 } }));
	await grows(page, 6);
	const first = Date.now() - began;

	assert.equal(await polls(page), true);
	await ended(page);
	assert.equal((await page.locator('.answer').textContent()).trim(), text(240));
	assert.equal(await page.locator('lamp-tool').count(), 1);
	assert.equal(await page.locator('.row.current').count(), 1);
	const streams = proxy.streams;

	// known now: the second answer is there sooner, stopping works
	await send(page, script({ text: text(100000).slice(0, 90000), rate: 30 }));
	const sent = Date.now();

	await grows(page, 4);
	assert.ok(Date.now() - sent < first, `${Date.now() - sent} ms after ${first} ms`);
	await page.click('.stop-button');
	await ended(page);
	assert.match(await reading(page), /You stopped this answer/);
	// one stream for the turn, which is tried each time, and none to follow it
	assert.equal(proxy.streams, streams + 1);

	// a reload remembers: the running answer is polled from the beginning
	await send(page, script({ text: text(300), rate: 30 }));
	await grows(page, 2);
	const before = proxy.streams;

	await page.reload();
	await grows(page, 3);
	await ended(page);
	assert.equal((await page.locator('.answer').last().textContent()).trim(), text(300));
	assert.equal(proxy.streams, before);
	const shown = await answers(page);

	// the proxy is repaired
	proxy.mode = 'pass';
	await ask(page, script({ text: text(80), rate: 40 }));
	assert.equal(await polls(page), false);
	await page.reload();
	await ended(page);
	assert.deepEqual((await answers(page)).slice(0, shown.length), shown);
});

test('an answer that comes in one burst, too short to wait for', async (t) => {
	const proxy = await startProxy(t);
	const page = await openChat(t, { url: proxy.url });

	proxy.mode = 'buffer';
	await ask(page, script({ text: text(50), rate: 30 }));
	assert.equal(await polls(page), true);
});

test('a model that thinks for long is no buffering proxy', async (t) => {
	const proxy = await startProxy(t);
	const page = await openChat(t, { url: proxy.url });

	await ask(page, script({ first_byte_ms: 6000, text: text(100), rate: 50 }));
	assert.equal(await polls(page), false);
	assert.equal(proxy.streams, 1);
	// fast ones, whose events all come at once, say nothing about it
	await ask(page, script({ text: text(300) }));
	assert.equal(await polls(page), false);
});
