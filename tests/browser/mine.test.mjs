// SPDX-License-Identifier: MIT
// The menu of places at the side, and the page of what is kept of the user.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { findings, violations } from './axe.mjs';
import { api, base, choosePlace, open, openChat, PHONE, placesButton, unique } from './browser.mjs';

const HOSTILE = '<img src=x onerror="window.hit=1">"\'>{{x}}';

const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim());
const items = (page) => page.locator('.places [role=menuitem]');

test('all places are behind one menu, which the keyboard goes through', async (t) => {
	const page = await openChat(t);
	const button = placesButton(page);

	assert.equal(await page.locator('.side a[href^="#/"]:not([href="#/"]):not([href^="#/c/"])').count(), 0);
	assert.match(await button.innerText(), /^Agents, Projects, …$/);
	assert.equal(await button.getAttribute('aria-label'), 'Sections: Agents, Projects, …');
	await button.focus();
	for (const key of ['ArrowDown', 'Enter', ' ']) {
		await page.keyboard.press(key);
		await page.waitForSelector('.places .menu-item:focus');
		assert.equal(await focused(page), 'Agents');
		assert.equal(await button.getAttribute('aria-expanded'), 'true');
		await page.keyboard.press('Escape');
		await page.waitForSelector('.places .menu-button[aria-expanded=false]:focus');
		assert.equal(await items(page).count(), 0);
	}
	await page.keyboard.press('Enter');
	await page.waitForSelector('.places .menu-item:focus');
	const all = (await items(page).allInnerTexts()).map((text) => text.trim());

	assert.deepEqual(await page.locator('.places [role=group]').evaluateAll((groups) => groups
		.map((group) => group.getAttribute('aria-label'))), ['Make', 'Work', 'Yours', 'Manage']);
	for (const name of ['Prompts', 'Knowledge', 'Projects', 'Files', 'My data', 'Settings', 'Model keys'])
		assert.ok(all.includes(name), `${name} of ${all}`);
	await page.keyboard.press('End');
	assert.equal(await focused(page), all[all.length - 1]);
	await page.keyboard.press('ArrowDown');
	assert.equal(await focused(page), all[0]);
	await page.keyboard.press('ArrowUp');
	assert.equal(await focused(page), all[all.length - 1]);
	// letters that items begin with, one after the other
	await page.keyboard.press('p');
	assert.equal(await focused(page), 'Prompts');
	await page.keyboard.press('P');
	assert.equal(await focused(page), 'Projects');
	await page.keyboard.press('z');
	assert.equal(await focused(page), 'Projects');
	assert.equal(await page.locator('.places .menu-item[tabindex="0"]').count(), 0);
	await page.keyboard.press(' ');
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'Projects');
	assert.equal(await items(page).count(), 0);

	// it names where one is, and begins there
	assert.equal(await button.innerText(), 'Projects');
	await button.click();
	await page.waitForSelector('.places .menu-item[aria-current=page]:focus');
	assert.equal(await focused(page), 'Projects');
	await page.keyboard.press('Tab');
	await page.waitForFunction(() => !document.querySelector('.places .menu-item'));
	// elsewhere closes it
	await button.click();
	await items(page).first().waitFor();
	await page.mouse.click(1200, 700);
	await items(page).first().waitFor({ state: 'detached' });
});

test('a place opens in a tab of its own, as links do', async (t) => {
	const page = await openChat(t);

	await placesButton(page).click();
	const [other] = await Promise.all([page.context().waitForEvent('page'),
		page.getByRole('menuitem', { name: 'Agents' }).click({ modifiers: ['ControlOrMeta'] })]);

	await other.waitForFunction(() => document.querySelector('h1')?.textContent === 'Agents');
	assert.equal(new URL(page.url()).hash, '');
});

test('on a phone the menu is in the drawer: Escape closes one after the other', async (t) => {
	const page = await openChat(t, PHONE);

	await page.getByRole('button', { name: 'Show conversations' }).click();
	await placesButton(page).click();
	await page.waitForSelector('.places .menu-item:focus');
	assert.deepEqual(await findings(page, 'the menu on a phone'), []);
	assert.ok(await page.evaluate(() => {
		const { left, right, top, bottom } = document.querySelector('.places .menu').getBoundingClientRect();

		return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
	}));
	await page.keyboard.press('Escape');
	await items(page).first().waitFor({ state: 'detached' });
	assert.equal(await page.locator('.side.open').count(), 1);
	await page.keyboard.press('Escape');
	await page.locator('.side.open').waitFor({ state: 'detached' });
	await page.getByRole('button', { name: 'Show conversations' }).click();
	await choosePlace(page, 'Prompts');
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'Prompts');
	await page.locator('.side.open').waitFor({ state: 'detached' });
});

test('menus open in a browser that has no popovers', async (t) => {
	const page = await openChat(t, { init: (one) => one.addInitScript(() => {
		delete HTMLElement.prototype.popover;
		delete HTMLElement.prototype.showPopover;
		delete HTMLElement.prototype.hidePopover;
	}) });
	const menu = page.locator('.places .menu');

	assert.equal(await menu.isVisible(), false);
	await placesButton(page).click();
	await page.waitForSelector('.places .menu-item:focus');
	assert.equal(await menu.isVisible(), true);
	await page.keyboard.press('Escape');
	await menu.waitFor({ state: 'hidden' });
	assert.equal(await page.evaluate(() => document.activeElement.className), 'menu-button menu-face');
	await placesButton(page).click();
	await page.waitForSelector('.places .menu-item:focus');
	await page.locator('.composer-field').click();
	await menu.waitFor({ state: 'hidden' });
	await choosePlace(page, 'Prompts');
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'Prompts');
	await menu.waitFor({ state: 'hidden' });
});

/** Tokens and keys, which the demo's user has no permission for. */
async function withTokens(page, tokens)
{
	const json = (route, body) => route.fulfill({ json: body, headers: { ETag: '"1"' } });
	const list = (items) => ({ items, totalCount: items.length, nextCursor: null });
	const field = { help: '', mode: 'edit', required: false, nullable: true, min: null, max: null,
		multiline: false, choices: null, only: null, of: null };

	await page.route('**/api/v1/forms', async (route) => {
		const { items } = await (await route.fetch()).json();

		await json(route, { items: [...items.filter(({ name }) => name !== 'tokens'), { name: 'tokens',
			path: 'tokens', title: 'API tokens', what: 'API token', parent: null, order: 'newest', search: false,
			readOnly: false, most: 9, idKey: 'id', labelKey: 'name', canWrite: true,
			fields: [{ ...field, key: 'name', label: 'Name', type: 'text' }] }] });
	});
	await page.route('**/api/v1/tokens**', async (route) => {
		const [, id] = /tokens\/(\w+)/.exec(route.request().url()) || [];

		if (route.request().method() === 'DELETE') {
			tokens.splice(tokens.findIndex((one) => one.id === id), 1);
			return route.fulfill({ status: 204 });
		}
		return json(route, id ? tokens.find((one) => one.id === id) : list(tokens));
	});
	await page.route('**/api/v1/provider-instances?*', (route) => json(route, list([{ id: 'k1',
		name: HOSTILE, provider: 'openai', active: false }])));
}

test('my data: keys and tokens with their use, and their end', async (t) => {
	const [name, kept] = [`script ${HOSTILE}`, 'kept'];
	const tokens = [{ id: 't1', name, canEdit: true, lastUsedAt: '2026-11-23T09:00:00Z' },
		{ id: 't2', name: kept, canEdit: true, readOnly: true, expiresAt: '2031-01-02T00:00:00Z' }];
	const page = await open(t, { hash: '#/mine', init: (one) => withTokens(one, tokens) });
	const row = (text) => page.locator('.mine-rows li', { hasText: text });

	await row(name).waitFor();
	assert.match(await row(name).innerText(), /Last used .*2026.* · never expires/);
	assert.match(await row(kept).innerText(), /Never used · expires .*2031.* · only reads/);
	assert.match(await row('openai').innerText(), /openai · switched off/);
	assert.equal(await page.evaluate(() => window.hit), undefined);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await violations(page, `my data, ${colorScheme}`), []);
	}
	await page.getByRole('button', { name: `Revoke “${name}”` }).click();
	await page.locator('dialog[open]').getByRole('button', { name: 'Revoke' }).click();
	await row(name).waitFor({ state: 'detached' });
	await page.waitForFunction(() => document.activeElement.id === 'mine-tokens');
	assert.deepEqual(tokens.map(({ id }) => id), ['t2']);
	await row(kept).getByRole('link').click();
	await page.waitForFunction((text) => document.querySelector('h1').textContent === text, kept);
	await page.goBack();
	await page.getByRole('link', { name: 'New token' }).click();
	await page.waitForFunction(() => document.querySelector('h1').textContent.startsWith('New'));
	await page.goto(`${base}#/settings`);
	await page.getByRole('link', { name: /^My data/ }).click();
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'My data');
	// at an address that is no row of it, the same
	await page.goto(`${base}#/mine/new`);
	await page.waitForFunction(() => document.querySelector('h1').textContent === 'My data');
});

test('my data: what this browser keeps, and that it forgets it', async (t) => {
	const page = await openChat(t, { workspace: 'intranet', init: (one) => one.addInitScript(() => {
		if (!sessionStorage.getItem('begun')) {
			sessionStorage.setItem('begun', '1');
			localStorage.setItem('lamplighter.language', 'en');
			localStorage.setItem('lamplighter.draft https://other/api/v1 t u new', '{}');
			localStorage.setItem('of another page', 'x');
		}
	}) });

	await page.fill('.composer-field', 'not sent yet');
	await choosePlace(page, 'My data');
	await page.getByText('1 draft that was not sent').waitFor();
	await page.getByText('Choices: colours').waitFor();
	await page.getByText('no list of your devices is kept').waitFor();
	await page.getByRole('button', { name: 'Forget all of this' }).click();
	await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).click();
	await page.getByText('1 draft that was not sent').waitFor();
	await page.getByRole('button', { name: 'Forget all of this' }).click();
	await Promise.all([page.waitForEvent('load'),
		page.locator('dialog[open]').getByRole('button', { name: 'Forget' }).click()]);
	await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'My data');
	assert.equal(await page.getByText('draft that was not sent').count(), 0);
	const left = await page.evaluate(() => Object.keys(localStorage));

	assert.ok(left.includes('of another page') && left.includes('lamplighter.draft https://other/api/v1 t u new'));
	assert.ok(!left.includes('lamplighter.language'), left.join());
	await page.goto(base);
	await page.waitForSelector('.composer-field');
	assert.equal(await page.inputValue('.composer-field'), '');
});

test('everything that is stored of somebody is one file, and is counted', async (t) => {
	const name = unique('Taken');
	const prompt = await api('POST', 'prompts', { name, body: 'text' });

	t.after(() => api('DELETE', `prompts/${prompt.id}`));
	const page = await open(t, { hash: '#/mine' });
	const mine = (await api('GET', 'prompts?pageSize=100')).items.filter(({ tier }) => tier === 'private').length;

	for (const kind of ['agents', 'prompts', 'knowledge-bases'])
		await page.locator(`.mine-row[href="#/${kind}"] .mine-count`).waitFor();
	assert.equal(await page.locator('.mine-row[href="#/prompts"] .mine-count').innerText(), String(mine));
	assert.deepEqual(await violations(page, 'my data, counted'), []);
	const [download] = await Promise.all([page.waitForEvent('download'),
		page.getByRole('button', { name: 'Everything as a file' }).click()]);
	const whole = JSON.parse(await readFile(await download.path(), 'utf8'));

	assert.match(download.suggestedFilename(), /^lamplighter-\d{4}-\d\d-\d\d\.json$/);
	assert.ok(whole.prompts.some((one) => one.name === name));
	for (const kind of ['conversations', 'agents', 'knowledge-bases', 'memories', 'projects', 'ratings'])
		assert.ok(Array.isArray(whole[kind]), kind);
	// one that was cut short is no file
	await page.route('**/me/export', (route) => route.fulfill({ contentType: 'application/json',
		body: '{"user":"a"' }));
	await page.getByRole('button', { name: 'Everything as a file' }).click();
	await page.locator('lamp-mine [role=alert]').waitFor();
});
