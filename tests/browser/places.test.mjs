// SPDX-License-Identifier: MIT
// The places beside the chat: lists and forms out of GET /forms, and prompts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings, violations } from './axe.mjs';
import { api, ask, base, choosePlace, open, openChat, PHONE, placesButton, script, send, shownId,
	unique } from './browser.mjs';

const PROBLEM = 'application/problem+json';

/** A page on a place, when its heading is there. */
async function openPlace(t, place, options)
{
	const page = await open(t, { hash: `#/${place}`, ...options });

	await page.waitForSelector('lamp-place h1');
	return page;
}

function heading(page, text)
{
	return page.waitForFunction((wanted) =>
		document.querySelector('lamp-place h1')?.textContent === wanted, text);
}

function said(page, text)
{
	return page.waitForFunction((wanted) =>
		document.querySelector('[aria-live]').textContent.includes(wanted), text);
}

const field = (page, label) => page.locator('lamp-place').getByLabel(label);
const button = (page, name) => page.getByRole('button', { name, exact: true });
const answer = (page) => page.locator('dialog[open]');

async function prompt(fields)
{
	return (await api('POST', 'prompts', { name: unique('p'), body: 'Do it.', ...fields }));
}

test('a prompt from a shipped one to its end', async (t) => {
	const name = unique('letter');
	const page = await openChat(t);

	await choosePlace(page, 'Prompts');
	await heading(page, 'Prompts');
	assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
	await page.getByRole('searchbox', { name: 'Search prompts' }).fill('rewr');
	await page.waitForFunction(() =>
		document.querySelector('.card-name')?.textContent === 'Rewrite a text');
	await page.getByRole('link', { name: 'Rewrite a text' }).click();
	await heading(page, 'Rewrite a text');
	assert.match(await page.locator('.told').innerText(), /Everyone \(built in\)/);
	assert.equal(await page.locator('lamp-form form').count(), 0);
	await button(page, 'Copy to customise').click();
	await page.waitForSelector('lamp-form form');

	// a blank that has no end is told while it is being written, and at the field
	await field(page, 'Name').fill(name);
	await field(page, 'Text').fill('Dear {{Customer}},\n{{Tone: choice: a | b');
	await page.waitForSelector('lamp-blank-check .field-error');
	await button(page, 'Save').click();
	await page.waitForSelector('textarea[aria-invalid=true]');
	assert.match(await page.locator('.field-error').first().innerText(), /line 2, column 1/);
	assert.equal(await page.evaluate(() => document.activeElement.tagName), 'TEXTAREA');
	await field(page, 'Text').fill('Dear {{Customer}}, {{Tone: choice: a | b}}');
	await page.waitForFunction(() => document.querySelectorAll('.blank').length === 2);
	await button(page, 'Save').click();
	await said(page, `Saved “${name}”`);
	await heading(page, name);
	assert.equal(await page.locator('.form-state').count(), 0);

	// shared, and taken back
	const shares = page.locator('lamp-children', { hasText: 'Shares' });

	await shares.getByLabel('Group').selectOption('staff');
	await shares.getByRole('button', { name: 'Add' }).click();
	await shares.locator('.children-row', { hasText: 'staff' }).waitFor();
	await shares.getByRole('button', { name: 'Delete “staff”' }).click();
	await answer(page).getByRole('button', { name: 'Delete' }).click();
	await shares.getByText('None yet.').waitFor();

	// an earlier version, which is not stored before it is saved
	const versions = page.locator('lamp-children', { hasText: 'Versions' });

	await page.waitForFunction(() => document.querySelectorAll(
		'lamp-children details').length === 2);
	await versions.locator('summary').first().click();
	await versions.locator('lamp-changes del', { hasText: 'Rewrite' }).first().waitFor();
	assert.match(await versions.locator('lamp-changes ins').first().innerText(), /^letter/);
	await versions.locator('summary').last().click();
	await versions.getByRole('button', { name: 'Restore' }).last().click();
	await page.waitForSelector('.form-state');
	assert.equal(await page.inputValue('lamp-form input'), 'Rewrite a text');
	// what was typed is not replaced unasked
	await field(page, 'Name').fill('Typed');
	await versions.getByRole('button', { name: 'Restore' }).last().click();
	await answer(page).getByRole('button', { name: 'Cancel' }).click();
	assert.equal(await page.inputValue('lamp-form input'), 'Typed');
	await versions.getByRole('button', { name: 'Restore' }).last().click();
	await answer(page).getByRole('button', { name: 'Restore' }).click();
	await page.waitForFunction(() => document.querySelector('lamp-form input').value ===
		'Rewrite a text');
	await button(page, 'Discard changes').click();
	assert.equal(await page.inputValue('lamp-form input'), name);

	await button(page, 'Delete').click();
	await answer(page).getByRole('button', { name: 'Cancel' }).click();
	await heading(page, name);
	await button(page, 'Delete').click();
	await answer(page).getByRole('button', { name: 'Delete' }).click();
	await heading(page, 'Prompts');
	await page.getByRole('searchbox', { name: 'Search prompts' }).fill(name);
	await page.getByText('Nothing matches “').waitFor();
});

test('an empty list says what to do, and has the button for it', async (t) => {
	for (const options of [{}, { ...PHONE, colorScheme: 'dark' }]) {
		const page = await openPlace(t, 'provider-instances', { ...options, init: (fresh) =>
			fresh.route('**/api/v1/provider-instances?*', (route) => route.fulfill({
				json: { items: [], totalCount: 0, nextCursor: null } })) });
		const none = page.locator('.rows-none');

		await none.waitFor();
		assert.match(await none.innerText(), /You have no keys yet\. Add one/);
		assert.deepEqual(await violations(page, 'empty'), []);
		await none.getByRole('link', { name: 'New' }).click();
		await heading(page, 'New key');
	}
});

test('one thing is current at the side: the place, or the conversation', async (t) => {
	const { conversationId } = await api('POST', 'conversations',
		{ workspaceId: 'intranet', title: unique('open') });
	const page = await openChat(t, { hash: `#/c/${conversationId}` });
	const current = page.locator('.side [aria-current=page], .side .row.current');

	await page.locator('.row.current').waitFor();
	await choosePlace(page, 'Agents');
	await heading(page, 'Agents');
	assert.deepEqual(await current.allInnerTexts(), ['Agents']);
	await page.goBack();
	await page.locator('.row.current').waitFor();
	assert.equal(await page.locator('.places [aria-current]').count(), 0);
});

test('an agent is shown by what it is for; its deletion names the conversations', async (t) => {
	const name = unique('Clerk');
	const made = await api('POST', 'workspaces/intranet/agents',
		{ name, description: 'Counts zebras' });
	const page = await openPlace(t, 'agents', { workspace: 'intranet' });
	const row = page.locator('.card', { hasText: name });

	await row.waitFor();
	assert.equal(await row.locator('.card-text').innerText(), 'Counts zebras');
	await row.click();
	await heading(page, name);
	await button(page, 'Delete').click();
	assert.match(await answer(page).innerText(), /all conversations with it/);
	await answer(page).getByRole('button', { name: 'Delete' }).click();
	await heading(page, 'Agents');
	await assert.rejects(api('GET', `workspaces/intranet/agents/${made.agentId}`), /404/);
});

test('what was typed is not lost silently', async (t) => {
	const { id, name } = await prompt();
	const page = await openPlace(t, 'prompts');
	const warns = () => page.evaluate(() => !dispatchEvent(
		new Event('beforeunload', { cancelable: true })));

	await page.getByRole('searchbox', { name: 'Search prompts' }).fill(name);
	await page.getByRole('link', { name }).click();
	await heading(page, name);
	assert.equal(await warns(), false);
	await field(page, 'Description').fill('unsaved');
	assert.equal(await warns(), true);

	// a link within the page, and a step back
	await page.getByRole('link', { name: 'Close', exact: true }).click();
	await answer(page).getByRole('button', { name: 'Keep editing' }).click();
	await page.waitForFunction((hash) => location.hash === hash, `#/prompts/${id}`);
	await page.goBack();
	await answer(page).getByRole('button', { name: 'Keep editing' }).click();
	await page.waitForFunction((hash) => location.hash === hash, `#/prompts/${id}`);
	assert.equal(await field(page, 'Description').inputValue(), 'unsaved');

	await page.goBack();
	await answer(page).getByRole('button', { name: 'Discard changes' }).click();
	await heading(page, 'Prompts');
	assert.equal((await api('GET', `prompts/${id}`)).description, null);
	await api('DELETE', `prompts/${id}`);
});

test('the end of a place leads to the chat that was just begun', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: unique('begun') }));
	const id = await shownId(page);

	await page.fill('.composer-field', 'half a message');
	await choosePlace(page, 'Agents');
	await page.waitForSelector('lamp-place h1');
	await page.click('.place-close');
	await page.waitForFunction((hash) => location.hash === hash, `#/c/${id}`);
	await page.waitForSelector('lamp-chat lamp-turn');
	assert.equal(await page.inputValue('.composer-field'), 'half a message');
});

test('a chat that begins while a place is shown takes no address from it', async (t) => {
	const page = await openChat(t, { init: (one) => one.route(/\/chat\/.*stream|\/messages$/, async (route) => {
		await new Promise((resolve) => setTimeout(resolve, 1500));
		await route.continue();
	}) });

	await send(page, script({ text: unique('late') }));
	await choosePlace(page, 'Agents');
	await page.waitForSelector('lamp-place h1');
	await page.waitForFunction(() => document.querySelector('lamp-app').threads.current.conversationId);
	assert.equal(await page.evaluate(() => location.hash), '#/agents');
	await page.click('.place-close');
	await page.waitForSelector('lamp-chat lamp-turn');
	assert.match(await page.evaluate(() => location.hash), /^#\/c\//);
});

test('what one shares leads back to the data that it is of', async (t) => {
	const page = await openPlace(t, 'conversation-shares');

	await page.click('.place-up');
	await page.waitForFunction(() => location.hash === '#/mine');
});

test('a change of somebody else is explained, and not overwritten', async (t) => {
	const { id, name } = await prompt();
	const page = await openPlace(t, `prompts/${id}`);

	await heading(page, name);
	await field(page, 'Text').fill('Mine.');
	await api('PATCH', `prompts/${id}`, { body: 'Theirs.', description: 'new' });
	await button(page, 'Save').click();
	await page.waitForSelector('.conflict');
	const told = await page.locator('.conflict').innerText();

	assert.match(told, /Description\s+Now: new/);
	assert.match(told, /Text\s+Now: Theirs\.\s+Yours: Mine\./);
	assert.equal((await api('GET', `prompts/${id}`)).body, 'Theirs.');
	await button(page, 'Continue with my changes').click();
	assert.equal(await field(page, 'Text').inputValue(), 'Mine.');
	assert.equal(await field(page, 'Description').inputValue(), 'new');
	await button(page, 'Save').click();
	await said(page, 'Saved');
	assert.deepEqual((({ body, description }) => [body, description])(
		await api('GET', `prompts/${id}`)), ['Mine.', 'new']);
	await api('DELETE', `prompts/${id}`);
});

/** A resource that only this test has. */
const FIELD = { help: '', mode: 'edit', required: false, nullable: true, min: null, max: null,
	multiline: false, choices: null, only: null, of: null };
const LAMPS = { name: 'lamps', path: 'lamps', title: 'Lamps', what: 'lamp', parent: null,
	order: 'newest', search: false, readOnly: false, most: 9, idKey: 'id', labelKey: 'name',
	canWrite: true, fields: [
		{ ...FIELD, key: 'name', label: 'Name', type: 'text', required: true, min: 1, max: 9 },
		{ ...FIELD, key: 'watts', label: 'Watts', type: 'integer', min: 1, max: 60 },
		{ ...FIELD, key: 'key', label: 'Key', type: 'secret', help: 'Of its maker' },
		{ ...FIELD, key: 'where', label: 'Where', type: 'json' },
		{ ...FIELD, key: 'rooms', label: 'Rooms', type: 'lines', multiline: true },
		{ ...FIELD, key: 'lit', label: 'Lit', type: 'boolean', nullable: false },
		{ ...FIELD, key: 'kind', label: 'Kind', type: 'text', mode: 'once', choices: [
			{ value: 'oil', label: 'Oil' }, { value: 'gas', label: 'Gas' }] },
		{ ...FIELD, key: 'bottle', label: 'Bottle', type: 'text',
			only: { key: 'kind', value: 'gas' } },
		{ ...FIELD, key: 'since', label: 'Since', type: 'time', mode: 'given' }] };

/** Serves it; sent: the bodies that came. */
async function lamps(page, sent)
{
	const rows = [];
	const json = (route, status, body) => route.fulfill({ status, headers: { ETag: '"1"' },
		contentType: status > 399 ? PROBLEM : 'application/json', body: JSON.stringify(body) });

	await page.route('**/api/v1/forms', (route) => json(route, 200, { items: [LAMPS] }));
	await page.route('**/api/v1/lamps**', async (route) => {
		const method = route.request().method();
		const id = /lamps\/(\w+)/.exec(route.request().url())?.[1];
		const body = route.request().postDataJSON();

		if (body)
			sent.push([method, body]);
		if (method === 'DELETE') {
			rows.length = 0;
			return route.fulfill({ status: 204 });
		}
		if (body?.watts === 13)
			return json(route, 422, { code: 'invalid_field', field: 'watts', status: 422,
				detail: 'watts must not be 13.' });
		if (body) {
			const { key, ...rest } = body;

			rows[0] = { ...rows[0], id: 'a1', since: '2026-11-23T09:00:00.000Z', ...rest };
			if (key)
				rows[0].keySet = true;
			return json(route, 201, { ...rows[0], ...method === 'POST' &&
				{ secret: 'lamp_once' } });
		}
		return json(route, 200, id ? rows[0] : { items: rows, totalCount: rows.length,
			nextCursor: null });
	});
}

test('a resource that the page knows nothing of', async (t) => {
	const sent = [];
	const page = await openPlace(t, 'lamps/new', { init: (one) => lamps(one, sent) });

	await heading(page, 'New lamp');
	assert.equal(await field(page, 'Bottle').count(), 0);
	await field(page, 'Kind').selectOption('gas');
	await field(page, 'Bottle').fill('blue');
	await field(page, 'Watts').fill('61');
	await field(page, 'Where').fill('{"room": ');
	await button(page, 'Save').click();
	const wrong = page.locator('[aria-invalid=true]');

	await wrong.first().waitFor();
	assert.equal(await wrong.count(), 3);
	assert.deepEqual(sent, []);
	await field(page, 'Name').fill('Hall');
	await field(page, 'Where').fill('{"room": 1}');
	await field(page, 'Rooms').fill('hall\n\n stairs ');
	await field(page, 'Lit').check();
	assert.equal(await field(page, 'Key').getAttribute('type'), 'password');
	await field(page, 'Key').fill('s3cret');
	await field(page, 'Watts').fill('13');
	await button(page, 'Save').click();
	await page.getByText('watts must not be 13.').waitFor();
	assert.equal(await page.evaluate(() => document.activeElement.id.split('-').pop()),
		'watts');
	await field(page, 'Watts').fill('40');
	await button(page, 'Save').click();

	// what is given once is shown once
	await page.waitForSelector('lamp-secret');
	assert.equal(await page.evaluate(() => document.activeElement.id), 'secret-title');
	assert.deepEqual(sent.pop(), ['POST', { name: 'Hall', watts: 40, key: 's3cret',
		where: { room: 1 }, rooms: ['hall', 'stairs'], lit: true, kind: 'gas',
		bottle: 'blue' }]);
	await page.locator('lamp-secret').getByRole('button', { name: 'Copy' }).click();
	await said(page, 'Copied');
	await heading(page, 'Hall');
	assert.equal(await field(page, 'Key').inputValue(), '');
	await page.getByText('A key is saved.').waitFor();
	await page.getByRole('link', { name: 'Back to the list' }).click();
	await page.locator('.rows-link', { hasText: 'Hall' }).click();
	await page.waitForSelector('lamp-form form');
	assert.equal(await page.locator('lamp-secret').count(), 0);
	assert.doesNotMatch(await page.content(), /s3cret|lamp_once/);

	// only what changed is sent
	await field(page, 'Watts').fill('');
	await button(page, 'Save').click();
	await said(page, 'Saved “Hall”');
	assert.deepEqual(sent.pop(), ['PATCH', { watts: null }]);
	await button(page, 'Delete').click();
	await answer(page).getByRole('button', { name: 'Delete' }).click();
	await page.getByText(/There is no .* yet\./).waitFor();
});

test('in a narrow window the button that closes a place is at the end of the first line', async (t) => {
	const page = await openChat(t, PHONE);

	for (const width of [390, 320]) {
		await page.setViewportSize({ width, height: 640 });
		for (const name of ['projects', 'prompts']) {
			await page.goto(`${base}#/${name}`);
			await page.locator('.main-head .new-row').waitFor();
			const at = (selector) => page.locator(`.main-head ${selector}`).evaluate((one) => {
				const { top, right } = one.getBoundingClientRect();

				return { top, right };
			});
			const [close, open] = [await at('.place-close'), await at('.drawer-open')];

			assert.ok(Math.abs(close.top - open.top) < 4, `${name} at ${width}: ${close.top}, ${open.top}`);
			assert.ok(width - close.right < 16, `${name} at ${width}: ${close.right}`);
			assert.equal(await page.locator('.main-title h1').evaluate((one) =>
				one.scrollWidth > one.clientWidth), false);
		}
	}
});

test('the words at the side are whole, and a new row is for who may make one', async (t) => {
	const page = await openChat(t);
	const tall = () => placesButton(page).evaluate((one) => one.offsetHeight);
	const before = await tall();

	assert.equal(await page.locator('.places-name').evaluate((one) => one.scrollWidth <= one.clientWidth), true);
	// the selected one is the widest
	for (const name of ['workspaces', 'knowledge-bases']) {
		await page.goto(`${base}#/${name}`);
		await page.waitForSelector('.places-face[aria-current=page]');
		assert.equal(await tall(), before);
		await placesButton(page).click();
		await page.waitForSelector(`.menu-item[href="#/${name}"][aria-current=page]:focus`);
		assert.deepEqual(await page.locator('.places-name, .places .menu-item span').evaluateAll((all) => all
			.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)), []);
		await page.keyboard.press('Escape');
	}
	await page.goto(`${base}#/workspaces/new`);
	await page.getByText('not allowed to create a new workspace').waitFor();
	assert.equal(await page.locator('lamp-form').count(), 0);
	await page.goto(`${base}#/provider-instances/new`);
	await page.getByRole('heading', { name: 'New key' }).waitFor();
});

test('a list says what its search is of, and its dates are as the browser has them', async (t) => {
	const { id } = await api('POST', 'knowledge-bases', { name: unique('Dated') });

	for (const [locale, date] of [['en-GB', /^\d{1,2} \w+ \d{4}, \d\d:\d\d$/],
		['en-US', /^\w+ \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/]]) {
		const page = await openPlace(t, 'knowledge-bases', { locale });
		const row = page.locator(`.rows-link[href="#/knowledge-bases/${id}"]`);

		assert.match(await row.locator('.rows-time').innerText(), date);
		assert.equal(await page.getByRole('searchbox', { name: 'Search this list' })
			.getAttribute('placeholder'), 'Search: words or parts of words');
	}
});

test('what is not offered is not shown', async (t) => {
	const page = await openChat(t, { init: async (one) => {
		await one.route('**/api/v1/forms', (route) =>
			route.fulfill({ contentType: 'application/json', body: '{"items":[]}' }));
		await one.route('**/api/v1/me?*', async (route) => {
			const me = await (await route.fetch()).json();

			await route.fulfill({ json: { ...me, forms: [],
				permissions: ['AIChat.Conversations.Read'] } });
		});
	} });

	assert.equal(await page.locator('.places').count(), 0);
	await page.goto(`${base}#/prompts`);
	await page.getByText('There is nothing at this address').waitFor();
	await page.getByRole('link', { name: 'Close', exact: true }).click();
	await page.waitForSelector('.composer-field');
});

test('axe, light and dark, wide and narrow; nothing wider than a phone', async (t) => {
	const filed = unique('category');
	const category = await api('POST', 'prompt-categories', { name: filed });
	const { id, name } = await prompt({ categoryIds: [category.id], colour: '#aa3311', icon: '🏮',
		description: 'W'.repeat(150), body: `{{A}}\n${'W'.repeat(300)}` });
	const page = await openPlace(t, 'prompts');
	const found = [];
	const look = async (where) => found.push(...await findings(page, where));

	// by whose it is, and by category
	await page.getByRole('button', { name: 'Built in' }).click();
	assert.equal(await page.locator('.gallery-tier').count(), 1);
	await page.getByRole('button', { name: 'Meetings' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.card').length === 2);
	await page.getByRole('button', { name: filed }).click();
	await page.getByText('No prompts match').waitFor();
	await page.getByRole('button', { name: 'All', exact: true }).click();
	assert.deepEqual(await page.locator('.card-name').allInnerTexts(), [name]);
	await page.getByRole('button', { name: 'All categories' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.card').length > 9);
	await look('gallery');
	await page.goto(`${base}#/prompts/${id}`);
	await heading(page, name);
	await page.waitForSelector('lamp-children .select');
	await field(page, 'Name').fill('');
	await button(page, 'Save').click();
	await page.waitForSelector('[aria-invalid=true]');
	await look('form');
	await page.setViewportSize(PHONE.viewport);
	await look('narrow');
	assert.ok(await page.evaluate(() =>
		document.scrollingElement.scrollWidth <= innerWidth &&
		document.querySelector('.place-scroll').scrollWidth <= innerWidth));
	assert.deepEqual(found, []);
	await api('DELETE', `prompts/${id}`);
	await api('DELETE', `prompt-categories/${category.id}`);
});
