// SPDX-License-Identifier: MIT
// Turns outlive the page's connection: reload, lost network, dead connections,
// a second tab. What counts is each character: every text that is shown on the
// way is a prefix of what the model says, and none gets shorter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, conversation, ended, open, openChat, reading, say, script, send,
	shownId, shows, unique, withoutNotices } from './browser.mjs';
import { startProxy } from './proxy.mjs';

/** Words that differ, so that a lost or doubled one shows. */
function words(n)
{
	return Array.from({ length: n }, (_, i) => `w${i.toString(36)}`).join(' ');
}

/** Notes in the page, for its whole life, what the answer's text was. */
function watchAnswer(page)
{
	return page.addInitScript(() => {
		window.seen = [];
		new MutationObserver(() => {
			const answers = document.querySelectorAll('.answer');
			const text = answers[answers.length - 1]?.textContent ?? '';

			if (text !== window.seen.at(-1))
				window.seen.push(text);
		}).observe(document, { childList: true, subtree: true, characterData: true });
	});
}

/** Nothing that was shown was wrong, and nothing went away again. */
async function assertSteady(page, text)
{
	const seen = await page.evaluate(() => window.seen);
	let before = 0;

	for (const shown of seen.filter((one) => one !== '')) {
		assert.ok(text.startsWith(shown.trim()), `shown: …${shown.slice(-60)}`);
		assert.ok(shown.length >= before, `shorter: ${before} to ${shown.length}`);
		before = shown.length;
	}
}

const answerText = (page) => page.locator('.answer').last().textContent();

test('reload in mid-stream, again and again: no character is lost', async (t) => {
	const page = await openChat(t, { init: watchAnswer });
	const text = words(400);

	await send(page, script({ text, rate: 30 }));
	for (const count of [10, 60, 130, 131, 200]) {
		await shows(page, count);
		await assertSteady(page, text);
		await page.reload();
	}
	await shows(page, 220);
	await page.waitForSelector('.stop-button');
	await ended(page);
	await assertSteady(page, text);
	assert.equal((await answerText(page)).trim(), text);
	const [answer] = (await api('GET', `conversations/${shownId(page)}/messages`)).items;

	assert.equal(answer.content, text);
});

test('reload after tools: their results stay where they are', async (t) => {
	const page = await openChat(t, { init: (p) => p.addInitScript(() => {
		window.tools = [];
		new MutationObserver(() => {
			const now = document.querySelectorAll('lamp-tool').length;

			if (now !== window.tools.at(-1))
				window.tools.push(now);
		}).observe(document, { childList: true, subtree: true });
	}) });
	const text = words(120);
	const rooms = { name: 'query_data', args: { dataset: 'rooms', limit: 2 } };

	await send(page, script({ reasoning: 'First think.', narration: 'Let me look.',
		tool_calls: [rooms, { ...rooms, args: { dataset: 'rooms', limit: 3 } }],
		then: { text, rate: 40 } }));
	await shows(page, 20);
	await page.reload();
	await shows(page, 40);
	// never fewer than the rows that were there at once
	assert.deepEqual(await page.evaluate(() => window.tools), [0, 2]);
	await ended(page);
	const shown = await reading(page);

	assert.equal((await answerText(page)).trim(), text);
	assert.match(shown, /Let me look/);
	await page.reload();
	await ended(page);
	assert.equal(await reading(page), shown);
});

test('the network is cut in mid-stream and comes back', async (t) => {
	const proxy = await startProxy(t);
	const page = await openChat(t, { url: proxy.url, init: watchAnswer });
	const text = words(200);

	await send(page, script({ text, rate: 50 }));
	await shows(page, 20);
	await page.context().setOffline(true);
	// the emulation is for new requests only
	proxy.cut();
	await page.waitForSelector('.status-reconnecting');
	assert.match(await page.locator('.status-reconnecting').innerText(), /^Reconnecting/);
	const before = await answerText(page);

	await page.context().setOffline(false);
	await page.waitForSelector('.status-reconnecting', { state: 'detached' });
	await page.waitForFunction((n) =>
		document.querySelector('.answer').textContent.length > n, before.length);
	await ended(page);
	await assertSteady(page, text);
	assert.equal((await answerText(page)).trim(), text);
});

test('requests fail for a while', async (t) => {
	const page = await openChat(t, { init: watchAnswer });
	const text = words(120);
	let refused = 0;

	await page.route('**/events*', (route) => ++refused <= 3 ? route.fulfill(
		{ status: 503, headers: { 'Retry-After': '1' }, body: '' }) : route.continue());
	// the first bytes only, then the end of the connection
	await page.route('**/stream', async (route) => {
		const response = await route.fetch();
		const body = await response.text();

		await route.fulfill({ response, body: body.slice(0, body.lastIndexOf('w3')) });
	});
	await send(page, script({ text }));
	await ended(page);
	assert.ok(refused > 3);
	await assertSteady(page, text);
	assert.equal((await answerText(page)).trim(), text);
});

test('a connection that has died without a word', async (t) => {
	const proxy = await startProxy(t);
	const page = await openChat(t, { url: proxy.url, init: watchAnswer });
	const text = words(200);

	await send(page, script({ text, rate: 30 }));
	await shows(page, 20);
	proxy.freeze();
	const silent = Date.now();

	await ended(page);
	// the answer takes six seconds, the page four to see that nothing comes
	assert.ok(Date.now() - silent < 12000);
	await assertSteady(page, text);
	assert.equal((await answerText(page)).trim(), text);
});

test('a second tab is refused, and shows the running answer', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'first' }));
	// one that is not told what happens in the first
	const second = await open(t, { hash: `#/c/${shownId(page)}`, init: withoutNotices });

	await second.waitForSelector('.answer');
	await send(page, script({ tokens: 100000, rate: 50 }));
	await shows(page, 10);
	await send(second, 'meanwhile');
	await second.waitForSelector('.banner-wait');
	assert.match(await second.locator('.banner').innerText(), /still being written/);
	assert.equal(await second.inputValue('.composer-field'), 'meanwhile');
	await second.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	await shows(second, 60);
	await second.click('.stop-button');
	await Promise.all([ended(page), ended(second)]);
	const [{ content }] = (await api('GET', `conversations/${shownId(page)}/messages`)).items;

	assert.equal((await answerText(page)).trim(), content.trim());
	assert.equal(await reading(second), await reading(page));
	// what stood in the way is over
	await second.waitForSelector('.banner', { state: 'detached' });
	await second.press('.composer-field', 'Enter');
	await second.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 3);
	await ended(second);
});

test('an answer that was stopped is continued', async (t) => {
	const page = await openChat(t);

	await send(page, script({ tokens: 5000, rate: 100 }));
	await shows(page, 30);
	await page.click('.stop-button');
	await ended(page);
	const first = await answerText(page);

	await page.getByRole('button', { name: 'Continue' }).click();
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	// the question is not shown a second time, also not after a reload
	assert.equal(await page.locator('.bubble').count(), 1);
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await page.reload();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	assert.equal(await page.locator('.bubble').count(), 1);
	await ended(page);
	assert.equal(await page.locator('.answer').first().textContent(), first);
	const { items } = await api('GET', `conversations/${shownId(page)}/messages`);
	const stopped = items.find(({ metadata }) => metadata.finish_reason === 'cancelled');

	assert.equal(items.filter(({ role }) => role === 'user').length, 1);
	assert.equal(items[0].metadata.continues, stopped.messageId);
	await page.reload();
	await ended(page);
	assert.equal(await page.locator('.bubble').count(), 1);
	assert.equal(await page.locator('.answer').count(), 2);
});

test('a message whose answer never began goes back into the field', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'first' }));
	await page.route('**/stream', (route) => route.abort('connectionreset'));
	await send(page, 'not arrived');
	await page.waitForSelector('.banner');
	assert.equal(await page.inputValue('.composer-field'), 'not arrived');
	assert.equal(await page.locator('lamp-turn').count(), 1);
	await page.unroute('**/stream');
});

test('a message that arrived, though nothing came back, is not sent twice', async (t) => {
	const page = await openChat(t);
	const text = words(60);
	const mark = unique('once');
	const lose = async (route) => {
		route.fetch().catch(() => {});
		// the server has it, then the connection is gone
		for (let running = false; !running;) {
			const { items } = await api('GET', `conversations?q=${encodeURIComponent(mark)}`);

			running = Boolean(items[0]?.runningTurnId);
		}
		await route.abort('connectionreset');
	};

	await page.route('**/stream', lose);
	for (const n of [1, 2]) {
		await send(page, script({ id: `${mark} ${n}`, text, rate: 15 }));
		await page.waitForFunction((count) =>
			document.querySelectorAll('.answer').length === count, n);
		await ended(page);
		assert.equal((await answerText(page)).trim(), text);
		assert.equal(await page.locator('.bubble').count(), n);
		assert.equal(await page.inputValue('.composer-field'), '');
		const { items } = await api('GET', `conversations/${shownId(page)}/messages`);

		assert.equal(items.length, 2 * n);
	}
});

test('a followed answer is shown with its question, and stopped', async (t) => {
	const id = await conversation(unique('followed'));
	const answer = say(id, script({ tokens: 100000, rate: 20 }));
	const page = await open(t, { hash: `#/c/${id}` });

	await page.waitForSelector('.answer');
	assert.equal(await page.locator('.bubble').count(), 1);
	await page.click('.stop-button');
	await page.waitForSelector('.note');
	const { assistant } = await answer;

	assert.equal((await answerText(page)).trim(), assistant.content.trim());
});
