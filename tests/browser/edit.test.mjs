// SPDX-License-Identifier: MIT
// Answering again, asking otherwise, going back to an earlier version, and
// continuing in a new chat.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, ended, openChat, PHONE, reading, script, send, shownId,
	unique } from './browser.mjs';

const button = (page, name) => page.getByRole('button', { name, exact: true });
const bubbles = (page) => page.locator('.bubble').allInnerTexts();
const answers = async (page) => (await page.locator('.answer').allTextContents())
	.map((text) => text.trim());

/** A question that is answered otherwise each time: the first n times it fails. */
function fails(id, times, text)
{
	return script({ id, fail_times: times, error: { status: 403 }, text });
}

test('an answer is made again; both versions can be gone to', async (t) => {
	const page = await openChat(t);
	const asked = fails(unique('again'), 1, 'The second answer');

	await ask(page, script({ text: 'Before' }));
	await ask(page, asked);
	assert.equal(await page.locator('.variants').count(), 0);
	await page.locator('lamp-turn').nth(1).getByRole('button', { name: 'Try again' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await ended(page);
	assert.deepEqual(await bubbles(page), [script({ text: 'Before' }), asked]);
	assert.match(await page.locator('.variants').innerText(), /2\/2/);
	const second = await reading(page);

	await page.reload();
	await ended(page);
	assert.equal(await reading(page), second);

	await button(page, 'Previous version').click();
	await page.waitForSelector('.failure');
	assert.match(await page.locator('.variants').innerText(), /1\/2/);
	// the arrow that was pressed keeps the focus
	await page.waitForFunction(() =>
		document.activeElement.classList.contains('variant-previous'));
	await page.waitForFunction(() => /Version 1 is shown/.test(
		document.querySelector('[role=status]').textContent));
	await button(page, 'Next version').click();
	await page.waitForSelector('.failure', { state: 'detached' });
	assert.equal(await reading(page), second);
	// the version that is shown is the thread
	const { items } = await api('GET', `conversations/${shownId(page)}/messages`);

	assert.equal(items[0].content, 'The second answer');
});

test('a version on a later page of the list is found', async (t) => {
	const page = await openChat(t);
	let pages = 0;

	await page.route('**/variants?*', async (route) => {
		pages += 1;
		await route.fulfill({ response: await route.fetch({
			url: `${route.request().url()}&pageSize=1` }) });
	});
	await ask(page, script({ text: 'Told' }));
	for (const version of ['2/2', '3/3']) {
		await button(page, 'Regenerate').click();
		await page.waitForFunction((wanted) => document.querySelector('.variants')
			?.innerText.includes(wanted), version);
		await ended(page);
	}
	await button(page, 'Previous version').click();
	await page.waitForFunction(() =>
		document.querySelector('.variants').innerText.includes('2/3'));
	assert.equal(pages, 2);
});

test('answering again streams, and is found after a reload', async (t) => {
	const page = await openChat(t);
	const asked = script({ tokens: 150, rate: 25 });

	await ask(page, asked);
	await button(page, 'Regenerate').click();
	await page.waitForSelector('.stop-button');
	assert.equal(await page.locator('lamp-turn').count(), 1);
	assert.deepEqual(await bubbles(page), [asked]);
	await page.waitForSelector('.answer');
	await page.reload();
	await page.waitForSelector('.stop-button');
	assert.deepEqual(await bubbles(page), [asked]);
	await ended(page);
	assert.deepEqual(await bubbles(page), [asked]);
	assert.match(await page.locator('.variants').innerText(), /2\/2/);
});

test('a question is changed where it stands', async (t) => {
	const page = await openChat(t);
	const [first, second, third] = ['one', 'two', 'three'].map((text) => script({ text }));

	await ask(page, first);
	await ask(page, second);
	const bubble = page.locator('.message-user').first();

	// Esc leaves it, and so does sending the same text
	await bubble.hover();
	await bubble.getByRole('button', { name: 'Edit my message' }).click();
	await page.waitForSelector('.edit-field:focus');
	assert.equal(await page.inputValue('.edit-field'), first);
	assert.match(await page.locator('.edit-hint').innerText(), /earlier version/);
	await page.keyboard.press('Escape');
	await page.waitForSelector('.edit-field', { state: 'detached' });
	assert.equal(await page.evaluate(() => document.activeElement.title), 'Edit my message');
	await page.keyboard.press('Enter');
	await page.waitForSelector('.edit-field:focus');
	await page.keyboard.press('Enter');
	assert.equal(await page.locator('lamp-turn').count(), 2);

	await bubble.hover();
	await bubble.getByRole('button', { name: 'Edit my message' }).click();
	await page.fill('.edit-field', third);
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 1);
	await ended(page);
	assert.deepEqual(await bubbles(page), [third]);
	assert.deepEqual(await answers(page), ['three']);
	await page.waitForSelector('.message-user .variants');
	assert.match(await page.locator('.message-user .variants').innerText(), /2\/2/);

	// back to the first version, with all that followed it
	await button(page, 'Previous version').click();
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	assert.deepEqual(await bubbles(page), [first, second]);
	await page.reload();
	await ended(page);
	assert.deepEqual(await answers(page), ['one', 'two']);
});

test('a change that is refused stays in its field', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one' }));
	await page.route('**/edit', (route) => route.fulfill({ status: 503,
		contentType: 'application/problem+json',
		body: JSON.stringify({ code: 'overloaded', status: 503 }) }));
	await page.locator('.message-user').hover();
	await button(page, 'Edit my message').click();
	await page.fill('.edit-field', script({ text: 'two' }));
	await button(page, 'Send').first().click();
	await page.waitForSelector('.banner');
	assert.equal(await page.inputValue('.edit-field'), script({ text: 'two' }));
	assert.deepEqual(await answers(page), ['one']);
	await page.unroute('**/edit');
	await page.locator('.edit').getByRole('button', { name: 'Send' }).click();
	await page.waitForFunction(() =>
		document.querySelector('.answer')?.textContent.trim() === 'two');
	await ended(page);
	assert.equal(await page.locator('.banner').count(), 0);
});

test('a new chat from here; the old one stays', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one' }));
	await ask(page, script({ text: 'two' }));
	const old = shownId(page);

	await page.locator('.message-assistant').first().hover();
	await page.locator('lamp-turn').first()
		.getByRole('button', { name: 'More actions for this answer' }).click();
	await page.getByRole('menuitem', { name: 'New chat from here' }).click();
	await page.waitForFunction((id) => !location.hash.endsWith(id), old);
	await ended(page);
	assert.deepEqual(await answers(page), ['one']);
	const made = await api('GET', `conversations/${shownId(page)}`);

	assert.equal(made.forkedFrom.conversationId, old);
	assert.equal(await page.locator(`.row.current a[href="#/c/${made.conversationId}"]`)
		.count(), 1);
	await ask(page, script({ text: 'another' }));
	assert.equal((await api('GET', `conversations/${old}/messages`)).items.length, 4);
	await page.goBack();
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	assert.deepEqual(await answers(page), ['one', 'two']);
});

test('an earlier answer is made again: what followed gives way', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one' }));
	await ask(page, script({ text: 'two' }));
	await page.locator('.message-assistant').first().hover();
	await page.locator('lamp-turn').first()
		.getByRole('button', { name: 'More actions for this answer' }).click();
	await page.getByRole('menuitem', { name: 'Regenerate from here' }).click();
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 1);
	await ended(page);
	assert.deepEqual(await answers(page), ['one']);
	await button(page, 'Previous version').click();
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
});

test('while an answer is written nothing of the thread can be changed', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one' }));
	await send(page, script({ tokens: 5000, rate: 50 }));
	await page.waitForSelector('.stop-button');
	assert.equal(await button(page, 'Edit my message').first().isDisabled(), true);
	await page.locator('.message-assistant').first().hover();
	await page.locator('lamp-turn').first()
		.getByRole('button', { name: 'More actions for this answer' }).click();
	assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(),
		['New chat from here', 'Read aloud', 'Copy the ID']);
	await page.keyboard.press('Escape');
	await page.click('.stop-button');
	await ended(page);
	assert.equal(await button(page, 'Edit my message').first().isDisabled(), false);
});

test('on a phone: the menu of a question', async (t) => {
	const page = await openChat(t, PHONE);

	await ask(page, script({ text: 'one' }));
	assert.equal(await page.locator('.message-user .edit-button').isVisible(), false);
	await button(page, 'Actions for my message').click();
	await page.getByRole('menuitem', { name: 'Edit my message' }).click();
	await page.fill('.edit-field', script({ text: 'two' }));
	// Enter makes a new line on a screen keyboard
	await page.press('.edit-field', 'Enter');
	assert.match(await page.inputValue('.edit-field'), /\n$/);
	await page.locator('.edit').getByRole('button', { name: 'Send' }).click();
	await page.waitForFunction(() =>
		document.querySelector('.answer')?.textContent.trim() === 'two');
	await ended(page);
	assert.equal(await page.evaluate(() =>
		document.querySelector('lamp-thread').scrollWidth > innerWidth), false);
});
