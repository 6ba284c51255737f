// SPDX-License-Identifier: MIT
// What the page loads: at first, and again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, open, openChat, shownId, withoutNotices } from './browser.mjs';
import { startProxy } from './proxy.mjs';

const MOST_REQUESTS = 10;
const MOST_BYTES = 140000;

/**
 * After the notices, which are asked for last, and the list: all that the page has asked for
 * behind the proxy, which begins anew.
 */
async function all(page, proxy)
{
	const isNotices = ({ path }) => path === 'api/v1/notifications';

	while (!proxy.asked.some(isNotices) || proxy.asked.some((one) => !one.done && !isNotices(one)))
		await page.evaluate(() => new Promise((resolve) => {
			globalThis.requestIdleCallback(resolve);
		}));
	return proxy.asked.splice(0);
}

test('few requests and bytes at first, and again only what may have changed', async (t) => {
	const proxy = await startProxy(t);
	// not told of what other tests do, which leads to more
	const page = await openChat(t, { url: proxy.url, init: withoutNotices });
	const first = await all(page, proxy);
	// how many rows the list has is not the page's matter, notices go on, and only some
	// browsers ask for the icon
	const bytes = first.filter(({ path }) =>
		!['api/v1/conversations', 'api/v1/notifications', 'favicon.svg'].includes(path))
		.reduce((sum, one) => sum + one.bytes, 0);

	assert.ok(first.length <= MOST_REQUESTS, first.map(({ path }) => path).join('\n'));
	assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
	await page.reload();
	const api = ['api/v1/conversations', 'api/v1/me', 'api/v1/notifications'];
	const again = async () => (await all(page, proxy)).map(({ path }) => path).sort();

	assert.deepEqual(await again(), ['', ...api]);
	await ask(page, 'How many tickets are open?');
	const thread = `api/v1/conversations/${shownId(page)}/messages`;

	proxy.asked.length = 0;
	await page.reload();
	assert.deepEqual(await again(), ['', ...api, thread].sort());
});

test('without scripts, or when one fails, there is a way to the plain pages', async (t) => {
	const link = 'a[href="plain/"]';
	const none = await open(t, { javaScriptEnabled: false });

	// where the language is the reader's
	await none.waitForURL(/\/plain\//);
	for (const file of ['main', 'chunk']) {
		const page = await open(t, { init: (one) =>
			one.route(`**/page/${file}-*.js`, (route) => route.abort()) });

		await page.waitForSelector('.before-late', { state: 'attached' });
		assert.equal(await page.locator('.before-late[lang=en]').getAttribute('hidden'), null);
		assert.equal(await page.locator(link).first().isVisible(), false);
		await page.evaluate(() => {
			for (const animation of document.getAnimations())
				animation.finish();
		});
		await page.locator('.before-late[lang=en]').getByText('The page does not start.').waitFor();
		await page.locator(`.before-late[lang=en] ${link}`).click();
		await page.waitForURL(/\/plain\//);
	}
	// in the language that the browser asks for
	const other = await open(t, { locale: 'ar-XB', init: (one) =>
		one.route('**/page/main-*.js', (route) => route.abort()) });

	await other.waitForSelector('.before-late[lang=ar-XB]:not([hidden])', { state: 'attached' });
	assert.equal(await other.locator('.before-late:not([hidden])').count(), 1);
	assert.equal(await other.evaluate(() => document.documentElement.dir), 'rtl');
	await other.evaluate(() => {
		for (const animation of document.getAnimations())
			animation.finish();
	});
	await other.locator(`.before-late:not([hidden]) ${link}`).click();
	await other.waitForURL(/\/plain\//);
	const page = await openChat(t);

	assert.equal(await page.locator('.before').count(), 0);
});

test('colours need nothing that Chrome 100 lacks, and are those of the theme', async (t) => {
	const page = await openChat(t, { colorScheme: 'dark' });
	const colours = () => page.evaluate(() => ['--bg', '--accent', '--scrim'].map((name) => {
		const box = document.createElement('i');

		box.style.background = `var(${name})`;
		document.body.append(box);
		const { backgroundColor } = getComputedStyle(box);

		box.remove();
		return backgroundColor;
	}));
	const styles = await page.evaluate(async () => (await Promise.all(
		[...document.querySelectorAll('link[rel=stylesheet]')].map(async (link) =>
			(await fetch(link.href)).text()))).join('\n'));

	assert.doesNotMatch(styles, /light-dark\(|color-mix\(|:has\(/);
	assert.deepEqual(await colours(), ['rgb(21, 23, 28)', 'rgb(245, 181, 74)', 'rgba(0, 0, 0, 0.58)']);
	await page.evaluate(() => { document.documentElement.dataset.theme = 'light'; });
	assert.deepEqual(await colours(), ['rgb(251, 249, 245)', 'rgb(240, 163, 42)', 'rgba(40, 30, 15, 0.38)']);
	await page.evaluate(() => { delete document.documentElement.dataset.theme; });
	assert.equal((await colours())[0], 'rgb(21, 23, 28)');
});
