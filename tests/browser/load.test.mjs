// SPDX-License-Identifier: MIT
// What the page loads: at first, and again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, base, openChat, shownId } from './browser.mjs';

const MOST_REQUESTS = 10;
const MOST_BYTES = 140000;

/** Watches what a page asks the server for. */
async function watch(page)
{
	const session = await page.context().newCDPSession(page);
	let asked = new Map();

	await session.send('Network.enable');
	session.on('Network.requestWillBeSent', ({ requestId, request }) =>
		asked.set(requestId, { path: request.url.replace(base, '').replace(/\?.*/, ''), bytes: 0 }));
	session.on('Network.requestServedFromCache', ({ requestId }) => asked.delete(requestId));
	session.on('Network.responseReceived', ({ requestId, response }) => {
		if (response.fromDiskCache)
			asked.delete(requestId);
	});
	session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
		const one = asked.get(requestId);

		if (one)
			one.bytes = encodedDataLength;
	});
	return {
		forget() { asked = new Map(); },
		/** After the notices, which are asked for last, and the list: all, and begins anew. */
		async all()
		{
			const done = () => [...asked.values()];

			while (!done().some(({ path }) => path === 'api/v1/notifications') ||
			       done().some(({ path, bytes }) => bytes === 0 &&
					path !== 'api/v1/notifications'))
				await page.evaluate(() => new Promise((resolve) => {
					globalThis.requestIdleCallback(resolve);
				}));
			const found = done();

			asked = new Map();
			return found;
		},
	};
}

test('few requests and bytes at first, and again only what may have changed', async (t) => {
	let watched = null;
	const page = await openChat(t, { init: async (one) => { watched = await watch(one); } });
	const first = await watched.all();
	// how many rows the list has is not the page's matter
	const bytes = first.filter(({ path }) => path !== 'api/v1/conversations')
		.reduce((sum, one) => sum + one.bytes, 0);

	assert.ok(first.length <= MOST_REQUESTS, first.map(({ path }) => path).join('\n'));
	assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
	await page.reload();
	const api = ['api/v1/conversations', 'api/v1/me', 'api/v1/notifications'];
	const again = (await watched.all()).map(({ path }) => path).sort();

	assert.deepEqual(again, ['', ...api]);
	await ask(page, 'How many tickets are open?');
	const thread = `api/v1/conversations/${shownId(page)}/messages`;

	watched.forget();
	await page.reload();
	assert.deepEqual((await watched.all()).map(({ path }) => path).sort(),
		['', ...api, thread].sort());
});
