// SPDX-License-Identifier: MIT
// What a screen reader is told: the browser's tree for accessibility, which is what the
// platform hands to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ended, inFirefox, open, openChat, PHONE, script, send } from './browser.mjs';
import { accessible } from './firefox.mjs';

/** The tree as {role, name, and properties that are set}, in its order, without what is ignored. */
async function told(page)
{
	if (inFirefox)
		return accessible(page);
	const session = await page.context().newCDPSession(page);
	const { nodes } = await session.send('Accessibility.getFullAXTree');

	await session.detach();
	return nodes.filter(({ ignored }) => !ignored).map(({ role, name, properties = [] }) => ({
		role: role?.value, name: name?.value ?? '',
		...Object.fromEntries(properties.map(({ name: key, value }) => [key, value.value])),
	}));
}

const LANDMARKS = ['banner', 'complementary', 'contentinfo', 'form', 'main', 'navigation', 'region', 'search'];
const CONTROLS = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'menuitem', 'switch'];

for (const [name, options] of [['wide', {}], ['on a phone', PHONE]]) {
	test(`landmarks, headings, names of controls, ${name}`, async (t) => {
		const page = await openChat(t, options);

		await send(page, script({ tool_calls: [{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } }],
			then: { text: '# One\n\nText.\n\n| a | b |\n|--|--|\n| 1 | 2 |' } }));
		await page.waitForSelector('lamp-turn');
		await ended(page);
		const nodes = await told(page);
		const marks = nodes.filter(({ role }) => LANDMARKS.includes(role));

		assert.equal(marks.filter(({ role }) => role === 'main').length, 1);
		assert.equal(nodes.filter(({ role, level }) => role === 'heading' && level === 1).length, 1);
		if (options !== PHONE)
			assert.ok(marks.some((one) => one.role === 'navigation' && one.name === 'Sections'));
		// two of a kind are told apart by their names
		const names = marks.map(({ role, name: called }) => `${role} ${called}`);

		assert.deepEqual([...new Set(names)], names);
		assert.deepEqual(nodes.filter(({ role, name: called }) => CONTROLS.includes(role) && !called.trim()), []);
		assert.ok(nodes.some(({ role, name: called }) => ['textbox', 'combobox'].includes(role) && called === 'Message'));
		assert.ok(nodes.some(({ role, name: called }) => /heading/.test(role) && called === 'You said'));
		assert.ok(nodes.some(({ role }) => role === 'table') && nodes.some(({ role }) => role === 'columnheader'));
	});
}

test('an answer that streams is told in words, politely, each of them once', async (t) => {
	const page = await openChat(t);

	await page.evaluate(() => {
		const live = document.querySelector('[role=status][aria-live=polite]');

		globalThis.heard = [];
		new MutationObserver(() => {
			if (live.textContent.trim())
				globalThis.heard.push(live.textContent.trim());
		}).observe(live, { childList: true, characterData: true, subtree: true });
	});
	await send(page, script({ rate: 40, text: 'First **strong** sentence.\n\n' +
		'| kind | number |\n|------|-------:|\n| red | 12 |\n\n- item `code`\n\nThe very last words.' }));
	await page.waitForSelector('lamp-turn .answer');
	const live = (await told(page)).filter(({ live: how }) => how && how !== 'off');

	assert.ok(live.every(({ live: how }) => how === 'polite'), JSON.stringify(live));
	await ended(page);
	await page.waitForFunction(() => globalThis.heard.join(' ').includes('very last words'));
	const heard = await page.evaluate(() => globalThis.heard);

	for (const mark of [/\|/, /\*\*/, /`/, /---/])
		assert.doesNotMatch(heard.join('\n'), mark);
	for (const words of ['First strong sentence', 'very last words'])
		assert.equal(heard.filter((text) => text.includes(words)).length, 1, heard.join('\n'));
});

test('dialogs and menus have their names, and what is behind them is not told', async (t) => {
	const page = await openChat(t);

	await send(page, 'How many tickets are open?');
	await page.waitForSelector('lamp-turn');
	await ended(page);
	await page.locator('.main-head .menu-button').click();
	const menu = await told(page);

	assert.ok(menu.some(({ role, name }) => role === 'menu' && name));
	await page.getByRole('menuitem', { name: 'Delete' }).click();
	await page.waitForSelector('dialog[open]');
	const nodes = await told(page);
	const dialog = nodes.find(({ role }) => /dialog/.test(role));

	assert.equal(dialog.name, 'Delete this conversation?');
	assert.equal(dialog.modal, true);
	assert.ok(!nodes.some(({ role }) => role === 'main'), 'the page behind it');
	await page.keyboard.press('Escape');
	await page.waitForSelector('dialog[open]', { state: 'detached' });
	await page.waitForFunction(() => document.activeElement.closest('lamp-menu'));
});

test('a page that cannot start has its landmark, and says why at once', async (t) => {
	const page = await open(t, { init: (one) => one.route('**/api/v1/me*', (route) => route.fulfill({
		status: 503, contentType: 'application/problem+json',
		body: '{"code":"overloaded","status":503,"detail":"Busy."}' })) });

	await page.waitForSelector('[role=alert]');
	const roles = (await told(page)).map(({ role }) => role);

	assert.deepEqual(['main', 'alert', 'heading'].filter((role) => !roles.includes(role)), []);
});
