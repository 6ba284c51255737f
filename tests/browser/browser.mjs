// SPDX-License-Identifier: MIT
// What the browser tests share: the browser (Chromium, or Firefox), a page that
// watches itself, and the API as a test uses it. Nothing here sleeps; everything
// waits for a condition.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { launchFirefox } from './firefox.mjs';

/** The instance under test, with the final slash. */
export const base = process.env.LAMPLIGHTER_URL;
if (!base)
	throw new Error('LAMPLIGHTER_URL is not set: ./lamp test browser sets it');

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true,
	isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 800 }, locale: 'en-GB' };
const DEADLINE_MS = 60000;	// of patience, on a busy machine

/** Whether the tests run in Firefox. */
export const inFirefox = process.env.LAMPLIGHTER_BROWSER === 'firefox';

let browser = null;

after(async () => (await browser)?.close());

function launch()
{
	browser ??= inFirefox ? launchFirefox() : chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic',
			'--no-first-run', '--disable-background-networking',
			'--disable-component-update', '--disable-sync'],
	});
	return browser;
}

/**
 * A page on the chat. What must never happen fails the test at its end: an
 * uncaught error, a message of the content security policy, a dialog, a
 * request to another host.
 * @param t       the test's context
 * @param options url, hash, workspace (the id of the one that is shown), init
 *                (a function that gets the page before it goes anywhere), and
 *                those of a Playwright context
 */
export async function open(t, { url = base, hash = '', workspace, init, ...options } = {})
{
	const context = await (await launch()).newContext({ ...DESKTOP, ...options });
	const page = await context.newPage();
	const faults = [];
	const { host } = new URL(url);

	page.setDefaultTimeout(DEADLINE_MS);
	await page.addInitScript(() => addEventListener('securitypolicyviolation',
		(e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`)));
	page.on('pageerror', (error) => faults.push(String(error.stack)));
	page.on('dialog', (dialog) => {
		faults.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on('console', (message) => {
		// an error answer, which some tests are about
		if (message.type() === 'error' &&
		    !message.text().startsWith('Failed to load resource'))
			faults.push(message.text());
	});
	page.on('request', (request) => {
		const to = new URL(request.url());

		if (/^(https?|wss?):$/.test(to.protocol) && to.host !== host)
			faults.push(`request: ${to.href}`);
	});
	t.after(async () => {
		await context.close();
		assert.deepEqual(faults, []);
	});
	if (workspace)
		await page.addInitScript((id) =>
			localStorage.setItem('lamplighter.workspace', id), workspace);
	await init?.(page);
	await page.goto(url + hash);
	return page;
}

/** For open()'s init: what happens elsewhere comes by polls. */
export function byPolls(page)
{
	return page.addInitScript(() => sessionStorage.setItem('lamplighter.polls',
		String(Date.now() + 600000)));
}

/**
 * For open()'s init: the page is not told what happens elsewhere. It asks, but nothing
 * of the answer comes; a route would turn the browser's cache off.
 */
export function withoutNotices(page)
{
	return page.addInitScript(() => {
		const { fetch } = globalThis;

		globalThis.fetch = async (...asked) => {
			const response = await fetch(...asked);

			return /\/notifications(\?|$)/.test(response.url) && response.ok ?
				new Response(response.body.pipeThrough(new globalThis.TransformStream({ transform() {} })),
					{ headers: response.headers }) : response;
		};
	});
}

const WWW = new URL('../../www/', import.meta.url);

/** Modules as they are written, below ./sources/: the page has them in one file. */
export function withSources(page)
{
	return page.route('**/sources/**', (route) => route.fulfill({
		path: fileURLToPath(new URL(route.request().url().replace(/^.*\/sources\//, ''), WWW)) }));
}

/** A page that is ready to chat. */
export async function openChat(t, options)
{
	const page = await open(t, options);

	await page.waitForSelector('.composer-field');
	return page;
}

/** A message that makes the stand-in model do what the script says. */
export function script(fields)
{
	return `!script ${JSON.stringify(fields)}`;
}

/**
 * Drags one element onto another. A Firefox without a window begins to drag and tells no
 * more of it: there the page is given the events.
 */
export async function drag(from, to)
{
	if (!inFirefox) {
		await from.dragTo(to);
		return;
	}
	await to.scrollIntoViewIfNeeded();
	await from.evaluate((one, other) => {
		const dataTransfer = new DataTransfer();
		const middle = (el) => {
			const { left, top, width, height } = el.getBoundingClientRect();

			return { clientX: left + width / 2, clientY: top + height / 2 };
		};
		const at = middle(other);
		const under = document.elementFromPoint(at.clientX, at.clientY);
		const give = (el, type, point) => el.dispatchEvent(new DragEvent(type,
			{ bubbles: true, cancelable: true, dataTransfer, ...point }));

		give(one, 'dragstart', middle(one));
		for (const type of ['dragenter', 'dragover', 'drop'])
			give(under, type, at);
		give(one, 'dragend', at);
	}, await to.elementHandle());
}

/** Types a message and sends it. */
export async function send(page, text)
{
	await page.fill('.composer-field', text);
	await page.click('.send-button');
}

/** Waits until the newest answer has ended. */
export async function ended(page)
{
	await page.waitForSelector('lamp-turn[newest] .message-assistant[aria-busy=false]');
}

/** Waits until the newest answer has so many words. */
export function shows(page, count)
{
	return page.waitForFunction((n) => {
		const answers = document.querySelectorAll('.answer');

		return (answers[answers.length - 1]?.textContent.split(' ').length ?? 0) >= n;
	}, count);
}

/** Sends a message and waits for the end of its answer. */
export async function ask(page, text)
{
	const before = await page.locator('lamp-turn').count();

	await send(page, text);
	await page.waitForFunction((n) =>
		document.querySelectorAll('lamp-turn').length > n, before);
	await ended(page);
}

/** One request to the API. @returns its JSON, null for an empty answer */
export async function api(method, path, body, headers = {})
{
	const response = await fetch(`${base}api/v1/${path}`, {
		method,
		headers: { 'X-Requested-With': 'test', ...headers,
			...body && { 'Content-Type': 'application/json' } },
		body: body && JSON.stringify(body),
	});
	const text = await response.text();

	assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
	return text ? JSON.parse(text) : null;
}

/** A new conversation of the demo's workspace. @returns its id */
export async function conversation(title)
{
	const made = await api('POST', 'conversations',
		{ workspaceId: 'intranet', title });

	return made.conversationId;
}

/** Sends a message without the page and waits for its answer. */
export function say(id, content)
{
	return api('POST', `workspaces/intranet/agents/assistant/conversations/${id}/messages`,
		{ content });
}

/** The id of the conversation that the page shows. */
export function shownId(page)
{
	return new URL(page.url()).hash.replace('#/c/', '');
}

/** The button of the menu of places, at the side. */
export const placesButton = (page) => page.getByRole('navigation', { name: 'Sections' }).getByRole('button');

/** Goes to a place by the menu at the side. */
export async function choosePlace(page, name)
{
	await placesButton(page).click();
	await page.getByRole('menuitem', { name, exact: true }).click();
}

/** The addresses of all places that the menu at the side has. */
export async function placeHashes(page)
{
	const button = page.locator('.places .menu-button');

	await button.click();
	await page.locator('.places [role=menuitem]').first().waitFor();
	const hashes = await page.locator('.places [role=menuitem]').evaluateAll((all) =>
		all.map((one) => one.getAttribute('href')));

	await page.keyboard.press('Escape');
	await page.locator('.places [role=menuitem]').first().waitFor({ state: 'detached' });
	return hashes;
}

/** A word that no other test and no earlier run has used. */
export function unique(word)
{
	return `${word}${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
}

/** What a person reads in the thread. */
export function reading(page)
{
	return page.locator('.thread-column').innerText();
}
