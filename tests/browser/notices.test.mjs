// SPDX-License-Identifier: MIT
// What happens elsewhere is seen here: in other tabs, on other devices. And
// the page without notices, and with streams that do not come through.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, byPolls, conversation, ended, openChat, reading, say, script, send,
	shownId, unique, withoutNotices } from './browser.mjs';
import { startProxy } from './proxy.mjs';

const row = (page, title) => page.locator('.row', { hasText: title });

/** The page has its position, so that what follows is told to it. */
async function listening(t, options = {})
{
	const { init, ...rest } = options;
	let ready = null;
	const page = await openChat(t, { ...rest, init: async (made) => {
		ready = made.waitForResponse(/\/notifications/);
		await init?.(made);
	} });

	await ready;
	return page;
}

/** The tab goes out of sight, or comes back. */
function look(page, visible)
{
	return page.evaluate((hidden) => {
		Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	}, !visible);
}

/** The list follows what is done through the API. */
async function follows(page)
{
	const title = unique('noticed');
	const id = await conversation(title);

	await row(page, title).waitFor();
	await api('PATCH', `conversations/${id}`, { title: `${title} anew` });
	await row(page, `${title} anew`).waitFor();
	const answer = say(id, script({ tokens: 100000, rate: 20 }));

	await row(page, title).locator('.row-running').waitFor();
	const { runningTurnId } = await api('GET', `conversations/${id}`);

	await api('POST', `turns/${runningTurnId}/cancel`);
	await answer;
	await row(page, title).locator('.row-running').waitFor({ state: 'detached' });
	await api('DELETE', `conversations/${id}`);
	await row(page, title).waitFor({ state: 'detached' });
}

test('the list follows: new, renamed, running, over, deleted', async (t) => {
	await follows(await listening(t));
});

test('the same where streams are kept back', async (t) => {
	const proxy = await startProxy(t);

	proxy.mode = 'buffer';
	await follows(await listening(t, { url: proxy.url, init: byPolls }));
});

test('where a connection keeps a process, it is asked now and then', async (t) => {
	const asked = [];
	const page = await listening(t, { init: async (made) => {
		made.on('request', (request) => {
			if (/\/notifications/.test(request.url()))
				asked.push(new URL(request.url()).searchParams.get('wait'));
		});
		await made.route(/\/api\/v1\/me(\?|$)/, async (route) => {
			const response = await route.fetch();

			await route.fulfill({ response,
				json: { ...await response.json(), notifications: 'poll' } });
		});
	} });
	const title = unique('asked');
	const id = await conversation(title);

	// The next questions, 20 s early each: where nobody listens, a notice is
	// stored up to 250 ms after what it tells, which one question may miss.
	await page.waitForFunction((text) => {
		dispatchEvent(new Event('online'));
		return [...document.querySelectorAll('.row-title')]
			.some((shown) => shown.textContent === text);
	}, title, { polling: 500 });
	assert.ok(asked.length > 1, String(asked));
	assert.ok(asked.every((wait) => wait === '0'), String(asked));
	await api('DELETE', `conversations/${id}`);
});

test('an open conversation shows what another tab asks in it', async (t) => {
	const page = await listening(t);

	await ask(page, script({ text: 'first' }));
	const other = await listening(t, { hash: `#/c/${shownId(page)}` });

	await other.waitForSelector('.answer');
	await send(page, script({ tokens: 24, rate: 4 }));
	await other.waitForSelector('.stop-button');
	await other.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await Promise.all([ended(page), ended(other)]);
	assert.equal(await reading(other), await reading(page));
	// what replaces an answer, too
	await page.getByRole('button', { name: 'Regenerate', exact: true }).click();
	await other.waitForFunction(() => document.querySelector('.variants'));
	await Promise.all([ended(page), ended(other)]);
	assert.equal(await other.locator('lamp-turn').count(), 2);
});

test('the open conversation is deleted elsewhere', async (t) => {
	const id = await conversation(unique('going'));
	const page = await listening(t, { hash: `#/c/${id}` });

	await page.waitForSelector('.row.current');
	await api('DELETE', `conversations/${id}`);
	await page.locator('[role=alert] h2').getByText('does not exist').waitFor();
	await page.getByRole('button', { name: 'Start a new chat' }).click();
	await page.waitForSelector('.empty');
});

// P-F10: a browser has six connections to a host.
test('one connection, given back while nobody looks', async (t) => {
	const proxy = await startProxy(t);
	const page = await listening(t, { url: proxy.url });
	const asked = [];

	page.on('request', (request) => {
		if (/notifications/.test(request.url()))
			asked.push(request.url());
	});
	await ask(page, script({ text: 'x' }));
	assert.equal(asked.length, 0);
	// cut: it comes back to where it was, and what happened meanwhile is told
	const title = unique('meanwhile');

	proxy.cut();
	await conversation(title);
	await row(page, title).waitFor();
	assert.match(asked[0], /after=\d+/);
	const given = page.waitForEvent('requestfailed',
		(request) => /notifications/.test(request.url()));

	await look(page, false);
	await given;
	assert.equal(asked.length, 1);
	await Promise.all([page.waitForRequest(/notifications/), look(page, true)]);
});

/** Requests of a page for notices. */
function asks(page)
{
	const asked = [];

	page.on('request', (request) => {
		if (/\/notifications/.test(request.url()))
			asked.push(request.url());
	});
	return asked;
}

for (const [name, init] of [
	['by a lock', () => {}],
	['by an entry in the storage', () =>
		Object.defineProperty(navigator, 'locks', { value: undefined })]])
	test(`one stream for all tabs of a browser, ${name}`, async (t) => {
		const first = await listening(t, { init: (page) => page.addInitScript(init) });
		const second = await first.context().newPage();
		const asked = asks(second);
		const title = unique('both');

		await second.addInitScript(init);
		await second.goto(first.url());
		await second.waitForSelector('.composer-field');
		const id = await conversation(title);

		await row(first, title).waitFor();
		await row(second, title).waitFor();
		assert.deepEqual(asked, []);
		// the other one takes over, from where the first was
		const takes = second.waitForRequest(/\/notifications\?after=\d/);

		await first.close();
		await takes;
		await api('PATCH', `conversations/${id}`, { title: `${title} anew` });
		await row(second, `${title} anew`).waitFor();
		await api('DELETE', `conversations/${id}`);
	});

test('a server without a place for one more stream', async (t) => {
	const proxy = await startProxy(t);

	proxy.mode = 'brief';
	const asked = [];
	const page = await listening(t, { url: proxy.url, init: (made) => {
		made.on('request', (request) => {
			if (/\/events\?/.test(request.url()))
				asked.push(new URL(request.url()).searchParams.get('wait'));
		});
	} });
	const streams = proxy.streams;

	await ask(page, script({ text: 'word '.repeat(30).trim(), rate: 20 }));
	assert.match(await reading(page), /(word ){29}word/);
	assert.equal(proxy.streams, streams + 1);
	assert.ok(asked.length > 0 && asked.every((wait) => wait === '0'), String(asked));
});

test('a server without notices', async (t) => {
	const page = await openChat(t, { init: withoutNotices });
	let asked = 0;

	page.on('request', (request) => {
		asked += /notifications/.test(request.url());
	});
	await ask(page, script({ text: 'works' }));
	assert.equal(await page.locator('.row.current').count(), 1);
	// a tab that is looked at again loads what it shows
	await say(shownId(page), script({ text: 'from elsewhere' }));
	await look(page, false);
	await look(page, true);
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	assert.equal(asked, 0);
});
