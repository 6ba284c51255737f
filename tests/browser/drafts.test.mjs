// SPDX-License-Identifier: MIT
// Nothing that was typed is lost: drafts, a message that waits for the answer,
// the last message again, and one press that is one action.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, base, choosePlace, conversation, ended, open, openChat, say, script,
	send, shownId, shows, unique } from './browser.mjs';
import { violations } from './axe.mjs';

const field = (page) => page.locator('.composer-field');
const draft = (page) => field(page).inputValue();

/** Waits until the message field has a text. */
async function drafted(page, text)
{
	await page.waitForFunction((wanted) =>
		document.querySelector('.composer-field')?.value === wanted, text);
}

/** Waits until the page has kept a text. */
function kept(page, text)
{
	return page.waitForFunction((part) => Object.entries(localStorage).some(([key, value]) =>
		key.startsWith('lamplighter.draft ') && value.includes(part)), text);
}

/** What is kept of all drafts. */
const store = (page) => page.evaluate(() => Object.entries(localStorage)
	.filter(([key]) => key.startsWith('lamplighter.draft ') && !key.endsWith('.order'))
	.map(([key, value]) => [key, JSON.parse(value)]));

test('a draft stays with its chat: other places, other chats, a reload, a crash', async (t) => {
	const [one, two] = [unique('one'), unique('two')];
	const id = await conversation(unique('with a draft'));

	await say(id, 'hello');
	const page = await openChat(t);

	await field(page).fill(one);
	await choosePlace(page, 'Prompts');
	await page.getByRole('heading', { name: 'Prompts', level: 1 }).waitFor();
	await page.getByRole('link', { name: 'Close', exact: true }).click();
	await drafted(page, one);

	await page.goto(`${base}#/c/${id}`);
	await page.waitForSelector('lamp-turn');
	await drafted(page, '');
	await field(page).fill(two);
	await page.locator('.new-chat').click();
	await drafted(page, one);
	await page.reload();
	await drafted(page, one);
	await page.goto(`${base}#/c/${id}`);
	await drafted(page, two);

	// a place leads back to the chat, also after a reload
	await page.goto(`${base}#/prompts`);
	await page.reload();
	await page.getByRole('link', { name: 'Close', exact: true }).click();
	await page.waitForFunction((hash) => location.hash === hash, `#/c/${id}`);
	await drafted(page, two);

	// a tab that ends without a word, and another one
	await field(page).fill(`${two} more`);
	await kept(page, `${two} more`);
	const other = await page.context().newPage();

	await page.close({ runBeforeUnload: false });
	await other.goto(`${base}#/c/${id}`);
	await drafted(other, `${two} more`);
	await send(other, two);
	await ended(other);
	await other.reload();
	await other.waitForSelector('lamp-turn');
	await drafted(other, '');
	await other.goto(`${base}#/`);
	await drafted(other, one);
});

test('a draft has its files, its agent and its switches', async (t) => {
	const text = unique('files');
	const page = await openChat(t);

	await page.setInputFiles('.file-button input', { name: 'notes.txt',
		mimeType: 'text/plain', buffer: Buffer.from('the notes') });
	await page.waitForSelector('.file-card.ready');
	await field(page).fill(text);
	const agents = page.locator('.agent-select option');
	const agent = await agents.nth(1).getAttribute('value');

	await page.selectOption('.agent-select', agent);
	await kept(page, text);
	await page.reload();
	await drafted(page, text);
	await page.waitForSelector('.file-card.ready');
	assert.equal(await page.locator('.file-card .file-name').innerText(), 'notes.txt');
	assert.equal(await page.locator('.agent-select').inputValue(), agent);
	await page.click('.send-button');
	await ended(page);
	assert.equal(await page.locator('.message-user .file-card').innerText(), 'notes.txt');
	assert.equal((await api('GET', `conversations/${shownId(page)}`)).agentId, agent);
	await page.reload();
	await page.waitForSelector('lamp-turn');
	assert.equal(await page.locator('.composer .file-card').count(), 0);
	await page.goto(`${base}#/`);
	await drafted(page, '');

	// an upload that a reload has cut off, and a file that is gone
	await page.route('**/api/v1/attachments?*', () => {});
	await page.setInputFiles('.file-button input', { name: 'late.txt',
		mimeType: 'text/plain', buffer: Buffer.from('late') });
	await field(page).fill(`${text} again`);
	await kept(page, 'late.txt');
	await page.unrouteAll();
	await page.reload();
	await page.getByText('The upload was interrupted').waitFor();
	assert.equal(await page.locator('.send-button').isDisabled(), true);
	await page.getByRole('button', { name: 'Remove late.txt' }).click();
	await field(page).fill('');
	await page.waitForFunction(() => !Object.keys(localStorage).some((key) =>
		key.startsWith('lamplighter.draft ') && key.includes(' new ')));
});

test('drafts belong to their user, and go when somebody else signs in', async (t) => {
	const text = unique('private');
	const page = await openChat(t);

	await field(page).fill(text);
	await kept(page, text);
	await page.route('**/api/v1/me?*', async (route) => {
		const me = await (await route.fetch()).json();

		await route.fulfill({ json: { ...me, userId: '01900000-0000-7000-8000-000000000001' } });
	});
	await page.reload();
	await page.waitForSelector('.composer-field');
	assert.equal(await draft(page), '');
	assert.deepEqual(await store(page), []);
	assert.equal(await page.evaluate((part) => JSON.stringify([{ ...localStorage },
		{ ...sessionStorage }]).includes(part), text), false);
});

test('a refused sign-on gives the message back, also after the sign-on', async (t) => {
	const text = unique('signed out');
	const page = await openChat(t);

	await page.route('**/stream*', (route) => route.fulfill({ status: 401,
		contentType: 'application/problem+json', body: '{"code":"unauthenticated","status":401}' }));
	await send(page, text);
	await page.locator('.banner').waitFor();
	await drafted(page, text);
	await kept(page, text);
	await page.unrouteAll();
	await page.reload();
	await drafted(page, text);
});

test('a crash while a message is sent: given back, unless the server has it', async (t) => {
	const lost = unique('lost');
	const page = await openChat(t);

	await page.route('**/stream*', () => {});
	await send(page, lost);
	await kept(page, lost);
	await page.reload();
	await drafted(page, lost);

	// as if the page had not heard of its arrival
	const got = unique('got');
	const id = await conversation(got);

	await say(id, got);
	await page.unrouteAll();
	await page.evaluate(([conversationId, content]) => {
		const key = Object.keys(localStorage).find((name) =>
			name.startsWith('lamplighter.draft ') && name.includes(' new '));

		localStorage.setItem(key.replace(/new .*$/, conversationId), JSON.stringify({
			text: '', sending: { content, promptId: null, files: [] } }));
	}, [id, got]);
	await page.goto(`${base}#/c/${id}`);
	await page.waitForSelector('lamp-turn');
	await page.waitForFunction((part) => !JSON.stringify({ ...localStorage }).includes(part), got);
	assert.equal(await draft(page), '');
});

test('what is typed during the first answer of a chat is kept with it', async (t) => {
	const text = unique('meanwhile');
	const page = await openChat(t);

	await send(page, script({ tokens: 2000, rate: 50 }));
	await shows(page, 3);
	await field(page).fill(text);
	await kept(page, text);
	await page.reload();
	await page.waitForSelector('.stop-button');
	await drafted(page, text);
	await page.click('.stop-button');
	await ended(page);
	await page.locator('.new-chat').click();
	await drafted(page, '');
});

test('a message is queued while an answer runs', async (t) => {
	const [one, two] = [unique('next'), unique('more')];
	const page = await openChat(t);

	await send(page, script({ tokens: 60, rate: 20 }));
	await shows(page, 2);
	await field(page).fill(one);
	await page.keyboard.press('Enter');
	await page.locator('.queued').waitFor();
	assert.equal(await draft(page), '');
	await field(page).fill(two);
	await page.locator('.queue-button').click();
	assert.deepEqual(await violations(page, 'queued'), []);
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	await ended(page);
	assert.equal(await page.locator('.bubble').last().innerText(), `${one}\n\n${two}`);
	assert.equal(await page.locator('.queued').count(), 0);
	await page.reload();
	await ended(page);
	assert.equal(await page.locator('lamp-turn').count(), 2);
	assert.equal(await draft(page), '');
});

test('a queued message survives a reload, and a stop gives it back', async (t) => {
	const text = unique('queued');
	const page = await openChat(t);

	await send(page, script({ tokens: 3000, rate: 50 }));
	await shows(page, 2);
	await field(page).fill(text);
	await page.keyboard.press('Enter');
	await kept(page, text);
	await page.reload();
	await page.locator('.queued', { hasText: text }).waitFor();

	// another tab does not send it, too
	const other = await page.context().newPage();

	await other.goto(page.url());
	await drafted(other, text);
	await other.close();
	await page.locator('.stop-button').click();
	await ended(page);
	await drafted(page, text);
	assert.equal(await page.locator('lamp-turn').count(), 1);

	// and by the keyboard
	await send(page, script({ tokens: 3000, rate: 50 }));
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	await field(page).fill(text);
	await page.keyboard.press('Enter');
	await page.keyboard.press('ArrowUp');
	await drafted(page, text);
	assert.equal(await page.locator('.queued').count(), 0);
	await page.keyboard.press('Alt+s');
	await ended(page);
});

test('Arrow-up edits the last message; Escape leads back', async (t) => {
	const page = await openChat(t);

	await ask(page, 'first words');
	await field(page).focus();
	await page.keyboard.press('ArrowUp');
	await page.waitForSelector('.edit-field');
	await page.waitForFunction(() => document.activeElement.matches('.edit-field'));
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => document.activeElement.matches('.composer-field'));
	// not from a text
	await field(page).fill('a\nb');
	await page.keyboard.press('ArrowUp');
	assert.equal(await page.locator('.edit-field').count(), 0);
	await field(page).fill('');
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('End');
	await page.keyboard.type(' changed');
	await kept(page, 'first words changed');
	await page.reload();
	await page.waitForSelector('.edit-field');
	assert.equal(await page.locator('.edit-field').inputValue(), 'first words changed');
	await page.locator('.edit-field').focus();
	await page.keyboard.press('Enter');
	await page.waitForSelector('.variants');
	await ended(page);
	assert.equal(await page.locator('.bubble').last().innerText(), 'first words changed');
});

test('the end of a place leads back to where one was reading', async (t) => {
	const id = await conversation(unique('long'));

	for (let i = 0; i < 3; i++)
		await say(id, script({ text: `${'line\n\n'.repeat(40)}` }));
	const page = await openChat(t, { hash: `#/c/${id}` });
	const top = () => page.evaluate(() => document.querySelector('lamp-thread').scrollTop);

	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 3);
	await page.waitForFunction(() => document.querySelector('lamp-thread').scrollTop > 900);
	await page.locator('lamp-thread').hover();
	await page.mouse.wheel(0, -700);
	await page.waitForSelector('.to-latest');
	const before = await top();

	await page.goto(`${base}#/settings`);
	await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
	await page.getByRole('link', { name: 'Close', exact: true }).click();
	await page.waitForSelector('lamp-thread');
	await page.waitForFunction((at) => Math.abs(document.querySelector('lamp-thread').scrollTop -
		at) < 4, before);
});

test('one press is one action, while a list closes under the pointer', async (t) => {
	const page = await openChat(t);
	const opener = page.getByRole('button', { name: 'Choose a prompt' });

	// the button that has opened the list closes it again, and types nothing
	await opener.click();
	await page.waitForSelector('.picker-item');
	await opener.click();
	await page.waitForFunction(() => !document.querySelector('.picker'));
	assert.equal(await draft(page), '/');
	await field(page).fill('@t');
	await page.waitForSelector('.picker-item');
	await page.getByRole('button', { name: 'Prompt preview' }).or(
		page.getByRole('button', { name: 'Prompt preview' })).click();
	await page.waitForSelector('dialog[open]');
	await page.keyboard.press('Escape');

	// a menu: one press closes it, one opens it
	await field(page).fill('');
	await ask(page, 'hello');
	const menu = page.locator('.main-head .menu-button');

	await menu.click();
	await page.waitForSelector('.main-head .menu:popover-open');
	await menu.click();
	await page.waitForFunction(() => !document.querySelector('.main-head .menu:popover-open'));
	await menu.click();
	await page.waitForSelector('.main-head .menu:popover-open');
	await page.locator('.send-button').or(field(page)).first().click({ force: true });
	await page.waitForFunction(() => !document.querySelector('.main-head .menu:popover-open'));
	assert.equal(await page.evaluate(() => document.activeElement.className), 'composer-field');
});

test('a list that takes room does not take the press below it', async (t) => {
	const made = await api('POST', 'prompts', { name: unique('blank'), tier: 'private',
		body: 'About {{What: text}} and {{Who: record: tickets}}' });
	const page = await open(t);

	await page.waitForSelector('.composer-field');
	await field(page).fill(`/${made.name}`);
	await page.locator('.picker-item', { hasText: made.name }).click();
	await page.waitForSelector('dialog[open]');
	const record = page.locator('dialog[open] .picker-field input');

	await record.fill('a');
	await page.waitForSelector('dialog[open] .picker-item');
	await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).click();
	await page.waitForFunction(() => !document.querySelector('dialog[open]'));
	await api('DELETE', `prompts/${made.id}`);
});
