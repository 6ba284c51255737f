// SPDX-License-Identifier: MIT
// What opens in the message field: prompts with / and mentions with @.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { api, conversation, ended, open, openChat, PHONE, reading, unique } from './browser.mjs';

const FIELD = '.composer-field';
const options = (page) => page.locator('.composer .picker-item');
const titles = (page) => page.locator('.composer .picker-title').allInnerTexts();

/** Types into the message field, as a person does. */
async function type(page, text)
{
	await page.focus(FIELD);
	await page.keyboard.type(text);
}

/** Waits until the list of the field has one entry, with this title. */
function only(page, title)
{
	return page.waitForFunction((wanted) => {
		const found = [...document.querySelectorAll('.composer .picker-title')];

		return found.length === 1 && found[0].textContent === wanted;
	}, title);
}

const shut = (page) => page.waitForFunction(() => !document.querySelector('.composer .picker'));

/** A ticket of the sample data: {ref, handle, label}. */
async function ticket(q = '')
{
	const { items } = await api('GET',
		`mentions?workspaceId=intranet&dataset=tickets&pageSize=1&q=${q}`);

	return items[0];
}

/** A prompt of this test alone; it ends with the test. */
async function prompt(t, fields)
{
	const made = await api('POST', 'prompts', fields);

	t.after(() => api('DELETE', `prompts/${made.id}`));
	return made;
}

test('a mention by keyboard, as a chip, and what the model is told', async (t) => {
	const one = await ticket();

	for (const setting of [{}, { ...PHONE, colorScheme: 'dark' }]) {
		const page = await openChat(t, { workspace: 'intranet', ...setting });

		await type(page, `Tell me about @${one.handle.split('/')[1]}`);
		await options(page).first().waitFor();
		const field = page.locator(FIELD);
		const id = await field.getAttribute('aria-activedescendant');

		assert.equal(await page.locator(`[id="${id}"]`).getAttribute('aria-selected'), 'true');
		assert.equal(await field.getAttribute('aria-controls'),
			await page.locator('.composer .picker-list').getAttribute('id'));
		assert.deepEqual(await violations(page, 'open'), []);
		// also where the list is longer than what is shown of it
		await page.locator('.picker-list').evaluate((el) => { el.style.maxHeight = '1.5rem'; });
		assert.deepEqual(await violations(page, 'open and scrolled'), []);
		await page.keyboard.press('Enter');
		await shut(page);
		assert.equal(await field.getAttribute('role'), null);
		assert.equal(await field.inputValue(), `Tell me about @${one.handle} `);
		await page.keyboard.type('please');
		assert.equal(await page.locator('.composer .picker').count(), 0);
		assert.equal(await page.locator('.composer .mention-chip').innerText(), one.label);
		const request = page.waitForRequest(/\/stream$/);

		await page.click('.send-button');
		assert.deepEqual((await request).postDataJSON().mentions, [one.ref]);
		await ended(page);
		assert.equal(await page.locator('.message-user .mention-chip').innerText(), one.label);
		assert.match(await reading(page), new RegExp(one.label.replace(/\W/g, '.')));
		await page.reload();
		await page.locator('.message-user .mention-chip').waitFor();
		assert.equal(await page.locator('.composer .mention-chip').count(), 0);
		assert.deepEqual(await violations(page, 'thread'), []);
	}
});

test('a mention goes with its handle, by its cross, and not before it is chosen', async (t) => {
	const page = await openChat(t, { workspace: 'intranet' });
	const chips = page.locator('.composer .mention-chip');

	await type(page, 'mail anna@example.org');
	assert.equal(await page.locator('.composer .picker').count(), 0);
	await page.keyboard.type(' @ticke');
	await options(page).first().waitFor();
	await page.keyboard.press('Escape');
	await shut(page);
	assert.equal(await page.inputValue(FIELD), 'mail anna@example.org @ticke');
	// it stays closed for this one, and opens for the next
	await page.keyboard.type('t');
	assert.equal(await page.locator('.composer .picker').count(), 0);
	await page.fill(FIELD, '');
	await type(page, '@tickets');
	await page.getByRole('option', { name: /^tickets/ }).click();
	await chips.waitFor();
	await page.getByRole('button', { name: 'Remove tickets' }).click();
	assert.equal(await page.inputValue(FIELD), ' ');
	assert.equal(await chips.count(), 0);
});

test('a prompt with blanks: errors at the field, a record, the text in the field', async (t) => {
	const name = unique('Zebra');
	const one = await ticket();

	await prompt(t, { name, body: 'Dear {{Who}},\n{{Tone: choice: kind | curt}}, ' +
		'{{Until: date}}, {{Ticket: record: tickets}}. \\{{no}} {{Who}}' });
	for (const setting of [{}, { ...PHONE, colorScheme: 'dark' }]) {
		const page = await openChat(t, { workspace: 'intranet', ...setting });
		const form = page.locator('lamp-blanks dialog[open]');

		await type(page, `/${name}`);
		await only(page, name);
		await page.keyboard.press('Tab');
		await form.waitFor();
		await page.waitForFunction(() => document.activeElement ===
			document.querySelector('#blank-0'));
		await form.getByRole('button', { name: 'Use prompt' }).click();
		assert.equal(await form.locator('.field-error').count(), 3);
		assert.deepEqual(await violations(page, 'form'), []);
		assert.equal(await form.getByLabel('Who').evaluate((field) =>
			field === document.activeElement), true);
		await form.getByLabel('Who').fill('Mr $& Miller');
		await form.getByLabel('Tone').selectOption('curt');
		await form.getByLabel('Until').fill('2027-01-31');
		await form.getByLabel('Ticket').fill(one.handle.split('/')[1]);
		await form.locator('.picker-item').first().waitFor();
		assert.equal(await form.getByLabel('Ticket').getAttribute('aria-expanded'), 'true');
		await page.keyboard.press('Enter');
		assert.equal(await form.getByLabel('Ticket').inputValue(), one.label);
		await form.getByRole('button', { name: 'Use prompt' }).click();
		await form.waitFor({ state: 'detached' });
		await page.waitForFunction(() =>
			document.querySelector('.composer-field').value.startsWith('Dear'));
		assert.equal(await page.inputValue(FIELD), 'Dear Mr $& Miller,\ncurt, 2027-01-31, ' +
			`@${one.handle}. {{no}} Mr $& Miller`);
		assert.equal(await page.locator('.composer .mention-chip').innerText(), one.label);
	}
});

test('a message says of which prompt it was made, until its text is removed', async (t) => {
	const name = unique('Quagga');
	const made = await prompt(t, { name, body: 'Say hello.' });
	const page = await openChat(t, { workspace: 'intranet' });
	const use = async () => {
		await type(page, `/${name}`);
		await only(page, name);
		await page.keyboard.press('Tab');
		await page.waitForFunction((field) =>
			document.querySelector(field).value === 'Say hello.', FIELD);
	};
	const sent = async () => {
		const request = page.waitForRequest((one) => one.method() === 'POST' &&
			one.url().endsWith('/stream'));

		await page.keyboard.press('Enter');
		const { promptId } = (await request).postDataJSON();

		await ended(page);
		return promptId;
	};

	await use();
	assert.equal(await sent(), made.id);
	await page.waitForFunction((field) => document.querySelector(field).value === '', FIELD);
	await type(page, 'Something else');
	assert.equal(await sent(), undefined);
	await use();
	await page.fill(FIELD, '');
	await type(page, 'My own words');
	assert.equal(await sent(), undefined);
});

test('a prompt that nobody wants any more leaves the field as it was', async (t) => {
	const name = unique('Quagga');

	await prompt(t, { name, body: 'For {{Whom}}' });
	const page = await openChat(t, { workspace: 'intranet' });

	await type(page, 'Hello');
	await page.keyboard.press('Shift+Enter');
	await page.keyboard.type(`/${name}`);
	await only(page, name);
	await page.keyboard.press('Enter');
	await page.locator('lamp-blanks dialog[open]').waitFor();
	await page.keyboard.press('Escape');
	await page.locator('lamp-blanks dialog[open]').waitFor({ state: 'detached' });
	await page.waitForFunction(() =>
		document.querySelector('.composer-field').value === 'Hello\n');
});

test('prompts of a category', async (t) => {
	const id = '0192f000-0000-7000-8000-000000000001';
	const row = (name) => ({ id, name, description: null, icon: null, colour: null,
		tier: 'tenant' });
	const page = await openChat(t, { workspace: 'intranet', init: async (fresh) => {
		// only an admin makes some
		await fresh.route('**/prompt-categories*', (route) => route.fulfill({
			json: { items: [row('Papers')], totalCount: 1, nextCursor: null } }));
		await fresh.route('**/prompt-picker*', (route) => route.fulfill({ json: {
			items: new URL(route.request().url()).searchParams.get('category') === id ?
				[row('In')] : [row('In'), row('Out')], nextCursor: null } }));
	} });

	await type(page, '/');
	await page.waitForFunction(() =>
		document.querySelectorAll('.composer .picker-item').length === 3);
	assert.deepEqual(await titles(page), ['In', 'Out', 'Papers']);
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('Enter');
	await only(page, 'In');
	assert.match(await page.locator('.picker-head').innerText(), /Papers/);
	assert.deepEqual(await violations(page, 'category'), []);
	await page.keyboard.press('Escape');
	await page.waitForFunction(() =>
		document.querySelectorAll('.composer .picker-item').length === 3);
	assert.equal(await page.inputValue(FIELD), '/');
});

test('what will be sent, before it is', async (t) => {
	for (const setting of [{}, { ...PHONE, colorScheme: 'dark' }]) {
		const page = await openChat(t, { workspace: 'intranet', ...setting });
		const dialog = page.locator('lamp-preview dialog[open]');
		const button = page.getByRole('button', { name: 'Prompt preview' });

		await page.fill(FIELD, 'How many tickets are open?');
		const asked = page.waitForRequest(/\/preview$/);

		await button.focus();
		await page.keyboard.press('Enter');
		assert.equal((await asked).postDataJSON().content, 'How many tickets are open?');
		await dialog.locator('.preview-entry').first().waitFor();
		assert.match(await dialog.innerText(), /Answered by[^]*Built-in rules[^]*query_data/);
		const rules = dialog.locator('.preview-entry summary').first();

		await rules.focus();
		await page.keyboard.press('Enter');
		await dialog.locator('[open] .preview-text').waitFor();
		assert.deepEqual(await violations(page, 'preview'), []);
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <=
			innerWidth), true);
		await page.keyboard.press('Escape');
		await page.waitForFunction(() => !document.querySelector('dialog[open]'));
		assert.equal(await page.inputValue(FIELD), 'How many tickets are open?');
		assert.equal(await page.locator('lamp-turn').count(), 0);
	}
});

test('an agent is previewed while its prompt is written', async (t) => {
	const page = await open(t, { workspace: 'intranet', hash: '#/agents/new' });
	const live = page.locator('lamp-agent-preview');

	await live.locator('summary').first().click();
	await live.locator('.preview-entry').first().waitFor();
	await page.fill('textarea[id$="-systemPrompt"]', 'You count zebras.');
	const agent = live.locator('details.preview-entry').filter({ hasText: 'You count zebras.' });

	await agent.waitFor();
	await agent.locator('summary').click();
	await agent.locator('.preview-text').waitFor();
	assert.deepEqual(await violations(page, 'agent'), []);
});

test('the list that found nothing goes with the message', async (t) => {
	const page = await openChat(t);

	await page.locator('.composer-field').pressSequentially('!script {"text":"Fine."} @zzqq');
	await page.getByText('Nothing found').waitFor();
	await page.keyboard.press('Enter');
	await page.waitForSelector('.answer');
	await page.getByText('Nothing found').waitFor({ state: 'hidden' });
});

test('the list that is open stays behind in its conversation', async (t) => {
	const page = await openChat(t, { workspace: 'intranet' });

	await type(page, 'Tell me about @1');
	await options(page).first().waitFor();
	// as the browser's way back does: the field keeps the focus
	const id = await conversation(unique('elsewhere'));

	await page.evaluate((to) => { location.hash = `#/c/${to}`; }, id);
	await page.waitForFunction((field) => document.querySelector(field).value === '', FIELD);
	await shut(page);
});
