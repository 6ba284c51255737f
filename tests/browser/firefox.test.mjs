// SPDX-License-Identifier: MIT
// The page in Firefox, driven over WebDriver BiDi: what people do with it all day, and that no
// error is said meanwhile. The other tests of this folder run in Chromium.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { violations } from './axe.mjs';
import { api, base, conversation, script, unique } from './browser.mjs';

const DEADLINE_MS = 60000;	// of patience, on a busy machine
const ENDED = 'lamp-turn[newest] .message-assistant[aria-busy=false]';

let firefox = null;

after(() => firefox?.close());

/** A page on the chat; what must never happen fails the test at its end. */
async function open(t, { hash = '', width = 1280, height = 800 } = {})
{
	firefox ??= await puppeteer.launch({ browser: 'firefox', headless: true,
		executablePath: process.env.FIREFOX || '/usr/bin/firefox-esr',
		extraPrefsFirefox: { 'intl.accept_languages': 'en-GB' } });
	const context = await firefox.createBrowserContext();
	const page = await context.newPage();
	const faults = [];

	page.setDefaultTimeout(DEADLINE_MS);
	await page.setViewport({ width, height });
	page.on('pageerror', (error) => faults.push(String(error.stack ?? error)));
	page.on('console', (message) => {
		if (message.type() === 'error')
			faults.push(message.text());
	});
	t.after(async () => {
		await context.close();
		assert.deepEqual(faults, []);
	});
	await page.goto(base + hash);
	return page;
}

async function send(page, text)
{
	await page.waitForSelector('.composer-field');
	await page.locator('.composer-field').fill(text);
	await page.locator('.send-button:not([disabled])').click();
}

async function ask(page, text)
{
	const before = (await page.$$('lamp-turn')).length;

	await send(page, text);
	await page.waitForFunction((n) => document.querySelectorAll('lamp-turn').length > n, {}, before);
	await page.waitForSelector(ENDED);
}

/** A button by its label, in the newest answer or anywhere. */
const button = (page, label, within = '') =>
	page.locator(`${within} button[aria-label="${label}"]`);

async function menu(page, within, text)
{
	await page.locator(`${within} .menu-button`).click();
	await page.locator(`::-p-xpath(//*[@role="menuitem"][contains(., "${text}")])`).click();
}

test('an answer streams, is stopped, and is the same after a reload', async (t) => {
	const page = await open(t);

	await send(page, script({ tokens: 3000, rate: 200 }));
	await page.waitForFunction(() =>
		document.querySelector('.answer')?.textContent.split(' ').length > 20);
	const early = (await page.$eval('.answer', (el) => el.textContent)).length;

	await page.waitForFunction((n) =>
		document.querySelector('.answer').textContent.length > n, {}, early);
	await button(page, 'Stop').click();
	await page.waitForSelector(ENDED);
	const shown = await page.$eval('.answer', (el) => el.innerText);

	await page.reload();
	await page.waitForSelector('.answer');
	assert.equal(await page.$eval('.answer', (el) => el.innerText), shown);
});

test('a reload in the middle of an answer loses nothing', async (t) => {
	const page = await open(t);

	await send(page, script({ tokens: 400, rate: 100 }));
	await page.waitForFunction(() =>
		document.querySelector('.answer')?.textContent.split(' ').length > 30);
	await page.reload();
	await page.waitForSelector(ENDED);
	const shown = await page.$eval('.answer', (el) => el.textContent.trim());
	const { items: [answer] } = await api('GET', `conversations/${page.url().split('/').pop()}/messages`);

	assert.equal(shown.replace(/\s+/g, ' '), answer.content.trim().replace(/\s+/g, ' '));
	assert.equal((await page.$$('lamp-turn')).length, 1);
});

test('keys, edited messages and versions', async (t) => {
	const page = await open(t);

	await page.waitForSelector('.composer-field');
	await page.focus('.composer-field');
	await page.keyboard.type('!script {"text": "one"}');
	await page.keyboard.press('Enter');
	await page.waitForSelector(ENDED);
	await button(page, 'Regenerate').click();
	await page.waitForFunction(() =>
		document.querySelector('.message-assistant .variants')?.innerText.includes('2/2'));
	await button(page, 'Compare versions').click();
	await page.waitForSelector('lamp-compare .compare-side lamp-markdown');
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => !document.querySelector('dialog[open]'));
	await page.focus('.composer-field');
	await page.keyboard.press('ArrowUp');
	await page.waitForSelector('lamp-edit textarea');
	await page.locator('lamp-edit textarea').fill('!script {"text": "two"}');
	await page.keyboard.press('Enter');
	await page.waitForFunction(() =>
		document.querySelector('.message-user .variants')?.innerText.includes('2/2'));
	await page.waitForSelector(ENDED);
	assert.match(await page.$eval('.answer', (el) => el.innerText), /two/);
	await page.keyboard.down('Alt');
	await page.keyboard.press('KeyN');
	await page.keyboard.up('Alt');
	await page.waitForFunction(() => !document.querySelector('lamp-turn'));
});

test('what models write is shown', async (t) => {
	const page = await open(t);

	await ask(page, script({ text: 'A formula $x^2$, a note[^1].\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n' +
		'```js\nlet a = 1;\n```\n\n```html\n<p id=x>hello</p>\n```\n\n```mermaid\ngraph TD; A-->B\n```\n\n' +
		'<details><summary>More</summary>\n\nhidden\n\n</details>\n\nשלום עולם\n\n[^1]: noted\n' }));
	await page.waitForSelector('.answer math');
	await page.waitForSelector('.answer table');
	await page.waitForSelector('.answer .hljs-keyword');
	await page.waitForSelector('.answer lamp-diagram img, .answer .diagram img');
	assert.equal(await page.evaluate(() => [...document.querySelectorAll('.answer [dir]')]
		.some((el) => el.textContent.startsWith('שלום') && el.getAttribute('dir') === 'rtl')), true);
	assert.deepEqual(await violations(page, 'answer'), []);
	await page.locator('::-p-xpath(//button[contains(., "Open")])').click();
	await page.waitForSelector('lamp-artifact iframe');
});

test('all places open, in both widths, without an error', async (t) => {
	for (const [width, height] of [[1280, 800], [390, 844]]) {
		const page = await open(t, { width, height });

		await page.waitForSelector('.composer-field');
		const hashes = await page.evaluate(() => [...document.querySelectorAll('lamp-app a')]
			.map((a) => a.getAttribute('href')).filter((href) => /^#\/[a-z]/.test(href || '') &&
				!href.startsWith('#/c/')));

		assert.ok(hashes.length >= 10, hashes.join(' '));
		for (const hash of hashes) {
			await page.evaluate((to) => { location.hash = to; }, hash);
			await page.waitForFunction((to) => location.hash === to &&
				document.querySelector('.main h1')?.textContent.trim(), {}, hash);
		}
		assert.deepEqual(await violations(page, `place of ${width}`), []);
	}
});

test('a prompt is made and used', async (t) => {
	const page = await open(t, { hash: '#/prompts/new' });
	const name = unique('Firefox');

	await page.waitForSelector('lamp-form');
	await page.locator('lamp-form input[name=title], lamp-form input[type=text]').fill(name);
	await page.locator('lamp-form textarea').fill('Say it in one sentence.');
	await page.locator('::-p-xpath(//lamp-place//button[contains(., "Save")])').click();
	await page.waitForFunction((text) => document.querySelector('.main')?.innerText.includes(text), {}, name);
	await page.goto(base);
	await page.waitForSelector('.composer-field');
	await page.focus('.composer-field');
	await page.keyboard.type(`/${name}`);
	await page.waitForFunction((text) => document.querySelector('[role=option][aria-selected=true]')
		?.textContent.includes(text), {}, name);
	await page.keyboard.press('Enter');
	await page.waitForFunction(() =>
		document.querySelector('.composer-field').value === 'Say it in one sentence.');
});

test('a second window hears of messages, titles and the end of a chat', async (t) => {
	const title = unique('both');
	const id = await conversation(title);
	const one = await open(t);
	const two = await open(t, { hash: `#/c/${id}` });

	await one.waitForFunction((text) => document.querySelector('lamp-list')
		?.innerText.includes(text), {}, title);
	await ask(two, script({ text: 'heard' }));
	await api('PATCH', `conversations/${id}`, { title: `${title} again` });
	await one.waitForFunction((text) => document.querySelector('lamp-list')
		?.innerText.includes(text), {}, `${title} again`);
	await menu(two, '.main-head', 'Delete');
	await two.locator('lamp-confirm .button-danger').click();
	await one.waitForFunction((text) => !document.querySelector('lamp-list')
		?.innerText.includes(text), {}, title);
});
