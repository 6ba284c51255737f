// SPDX-License-Identifier: MIT
// Correcting an answer by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { api, ask, conversation, ended, openChat, PHONE, say, script, send, shownId } from './browser.mjs';

const WRONG = 'Energy is $E = mc^3$.';
const RIGHT = 'Energy is $E = mc^2$.\n\n- with *c* in m/s';

const item = (page, name) => page.getByRole('menuitem', { name, exact: true });
const answers = async (page) => (await page.locator('.answer').allInnerTexts()).map((text) => text.trim());

/** Opens an answer from its menu, by keys alone. */
async function correct(page, at = 0)
{
	await page.locator('lamp-turn').nth(at).getByRole('button', { name: 'More actions for this answer' })
		.focus();
	await page.keyboard.press('Enter');
	await item(page, 'Edit the answer').waitFor();
	await page.keyboard.press('ArrowDown');
	await item(page, 'Edit the answer').focus();
	await page.keyboard.press('Enter');
	await page.waitForSelector('.message-assistant .edit-field:focus');
}

test('a formula is corrected, and the model goes on from it', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: WRONG }));
	await correct(page);
	const field = page.locator('.edit-field');

	// the text that it is, with its marks
	assert.equal(await field.inputValue(), WRONG);
	assert.match(await page.locator('.edit-hint').innerText(), /kept as an earlier version/);
	assert.deepEqual(await violations(page, 'an answer that is edited'), []);
	// Escape leaves it as it was
	await page.keyboard.press('Escape');
	await field.waitFor({ state: 'detached' });
	await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') ===
		'More actions for this answer');
	await correct(page);
	// Enter is a line; Ctrl+Enter saves
	await page.keyboard.press('Control+A');
	await page.keyboard.insertText('Energy is $E = mc^2$.');
	await page.keyboard.press('Enter');
	await page.keyboard.press('Enter');
	await page.keyboard.insertText('- with *c* in m/s');
	assert.equal(await field.inputValue(), RIGHT);
	await page.keyboard.press('Control+Enter');
	await field.waitFor({ state: 'detached' });
	await page.waitForFunction(() => /Corrected by you/.test(document.querySelector(
		'.message-assistant .message-actions').textContent));
	await page.waitForFunction(() => /is saved/.test(document.querySelector('[role=status]').textContent));
	await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') ===
		'More actions for this answer');
	assert.equal(await page.locator('.answer math').count(), 1);
	assert.equal(await page.locator('.answer li em').innerText(), 'c');
	assert.match(await page.locator('.variants').innerText(), /2\/2/);
	// nobody rates what they wrote
	assert.equal(await page.locator('.thumbs').count(), 0);
	assert.deepEqual(await violations(page, 'a corrected answer'), []);
	await page.reload();
	await ended(page);
	assert.match(await page.locator('.message-assistant').innerText(), /Corrected by you/);
	await send(page, script({ text: 'On' }));
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await ended(page);
	const { items } = await api('GET', `conversations/${shownId(page)}/messages`);

	assert.deepEqual(items.filter(({ role }) => role === 'assistant').map(({ content }) => content),
		['On', RIGHT]);
	// the original is a version
	await page.getByRole('button', { name: 'Previous version' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 1);
	assert.doesNotMatch(await page.locator('.message-assistant').innerText(), /Corrected by you/);
	assert.equal(await page.locator('.thumbs').count(), 1);
});

test('what was typed is there after a reload', async (t) => {
	const id = await conversation('Draft');

	await say(id, script({ text: 'one' }));
	await say(id, script({ text: 'two' }));
	const page = await openChat(t, { hash: `#/c/${id}` });

	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await correct(page);
	assert.match(await page.locator('.edit-hint').innerText(), /with the messages after it/);
	await page.keyboard.insertText(' and a half');
	// kept when the typing pauses
	await page.waitForFunction(() => JSON.stringify({ ...localStorage }).includes('and a half'));
	await page.reload();
	await page.waitForSelector('.message-assistant .edit-field');
	assert.equal(await page.locator('.edit-field').inputValue(), 'one and a half');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => /Corrected by you/.test(document.querySelector('lamp-thread').textContent));
	assert.deepEqual(await answers(page), ['one and a half']);
	// what followed is with the original
	await page.getByRole('button', { name: 'Previous version' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	assert.deepEqual(await answers(page), ['one', 'two']);
});

test('a correction that is refused stays in the field', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one' }));
	await correct(page);
	await page.keyboard.press('Control+A');
	await page.keyboard.press('Delete');
	assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
	await page.keyboard.insertText('mine');
	// another page was faster
	await page.route('**/correct', (route) => route.fulfill({ status: 409,
		contentType: 'application/problem+json', body: JSON.stringify({ code: 'conflict',
			detail: 'This message is not in the thread any more.' }) }));
	await page.keyboard.press('Control+Enter');
	await page.waitForFunction(() => document.querySelector('lamp-app').textContent
		.includes('changed elsewhere meanwhile'));
	assert.equal(await page.locator('.edit-field').inputValue(), 'mine');
	await page.unroute('**/correct');
	// an answer that came meanwhile, from elsewhere, does not take the text away
	await say(shownId(page), script({ text: 'two' }));
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	assert.equal(await page.locator('.edit-field').inputValue(), 'mine');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => document.querySelector('.answer')?.textContent.trim() === 'mine');
});

test('on a phone, and in an answer that continues another', async (t) => {
	const page = await openChat(t, PHONE);

	await ask(page, script({ text: 'Half of it and', stop: 'max_tokens' }));
	await correct(page);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
	await page.keyboard.press('Control+A');
	await page.keyboard.insertText('All of it');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => /All of it/.test(document.querySelector('.answer')?.textContent));
	assert.deepEqual(await violations(page, 'a corrected answer on a phone'), []);
});
