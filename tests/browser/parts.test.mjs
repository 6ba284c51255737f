// SPDX-License-Identifier: MIT
// What some places have besides a list and a form: settings at their levels, templates
// of agents, the test of a service. The server's part of them is faked here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { base, open } from './browser.mjs';

const FIELD = { help: '', mode: 'edit', required: false, nullable: true, min: null, max: null,
	multiline: false, choices: null, only: null, of: null };

function json(route, body, status = 200)
{
	return route.fulfill({ status, body: JSON.stringify(body), headers: { ETag: '"7"' },
		contentType: status > 399 ? 'application/problem+json' : 'application/json' });
}

function form(name, path, idKey, fields)
{
	return { name, path, title: name, what: 'thing', parent: null, order: 'newest',
		search: false, readOnly: false, most: 9, idKey, labelKey: 'name', canWrite: true,
		fields: fields.map((field) => ({ ...FIELD, ...field })) };
}

/** The page on a place, with these forms and permissions besides one's own. */
async function place(t, hash, { forms = [], may = [], routes })
{
	const page = await open(t, { hash: `#/${hash}`, init: async (one) => {
		await one.route('**/api/v1/forms', (route) => json(route, { items: forms }));
		await one.route('**/api/v1/me?*', async (route) => {
			const me = await (await route.fetch()).json();

			await json(route, { ...me, groups: ['staff'],
				permissions: [...me.permissions, ...may] });
		});
		await routes(one);
	} });

	await page.waitForSelector('lamp-place h1');
	return page;
}

test('settings: the values now and where they come from, and the levels', async (t) => {
	const sent = [];
	const said = { user: { confirm: null, about: 'I like tea.' }, tenant: { confirm: 'always' } };
	const answer = (level) => ({ level, group: null, version: 7, items: [
		{ key: 'confirm', label: 'Ask before changes', help: 'When to ask.', type: 'choice',
			choices: [{ value: 'never', label: 'Never' }, { value: 'always', label: 'Always' }],
			levels: ['user', 'tenant'], editable: true,
			value: 'always', from: 'tenant',
			says: { user: said.user.confirm, tenant: said.tenant.confirm } },
		{ key: 'services', label: 'Models', help: '', type: 'choices',
			choices: ['a', 'b'].map((value) => ({ value, label: value })),
			maxItems: 9, editable: level === 'tenant', value: ['a'], from: 'tenant',
			says: { tenant: ['a'] } },
		{ key: 'history', label: 'Earlier messages', help: '', type: 'integer', minimum: 0,
			maximum: 1000, editable: true, value: 20, from: 'default', says: {} },
		{ key: 'density', label: 'Density', help: 'How much room.', type: 'choice',
			choices: [{ value: 'wide', label: 'Wide' }, { value: 'near', label: 'Near' }],
			editable: true, value: 'wide', from: 'built-in', says: {} },
		{ key: 'about', label: 'About me', help: '', type: 'text', maxLength: 4000,
			multiline: true, editable: level === 'user', value: 'I like tea.', from: 'user',
			says: { user: said.user.about } }] });
	const page = await place(t, 'settings', {
		may: ['AIChat.Settings.Read', 'AI.Admin.Settings'],
		routes: (one) => one.route('**/api/v1/settings**', (route) => {
			const request = route.request();
			const level = new URL(request.url()).searchParams.get('level') || 'user';

			if (request.method() === 'PATCH') {
				sent.push([level, request.headers()['if-match'], request.postDataJSON()]);
				Object.assign(said[level], request.postDataJSON());
			}
			return json(route, answer(level));
		}) });
	const control = (label, how) => page.locator('lamp-place').getByLabel(label, how);

	await page.getByText('Now: always (set for everyone)').waitFor();
	await page.getByText('Now: 20 (default)').waitFor();
	// a choice says its default itself
	assert.equal(await page.getByText('Now: wide').count(), 0);
	assert.equal(await control('Ask before changes').inputValue(), '');
	assert.equal(await control('Ask before changes').locator('option:checked').innerText(), 'Default: Always');
	assert.equal(await control('About me').inputValue(), 'I like tea.');
	assert.equal(await page.getByText('Models').count(), 0);
	await control('About me').fill('');
	await control('Earlier messages').fill('1001');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('must be from 0 to 1,000').waitFor();
	await control('Earlier messages').fill('10');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => !document.querySelector('.form-state'));
	assert.deepEqual(sent.pop(), ['user', '"7"', { about: null, history: 10 }]);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await violations(page, `settings, ${colorScheme}`), []);
	}
	await page.getByRole('link', { name: 'Everyone' }).click();
	await page.waitForSelector('.chip-button[aria-current=page] >> text=Everyone');
	await control('b', { exact: true }).check();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => !document.querySelector('.form-state'));
	assert.deepEqual(sent.pop(), ['tenant', '"7"', { services: ['a', 'b'] }]);
});

test('a template fills in the form of a new agent, and stores nothing', async (t) => {
	const stored = [];
	const one = (id, name) => ({ templateId: id, name, description: `${name} explains`,
		useCase: 'Explains', icon: 'book', systemPrompt: `You are ${name}.`, version: 2 });
	const page = await place(t, 'agents/new', {
		forms: [form('agents', 'workspaces/{workspace}/agents', 'agentId', [
			{ key: 'agentId', label: 'Id', type: 'text', mode: 'once' },
			{ key: 'name', label: 'Name', type: 'text', required: true },
			{ key: 'description', label: 'Description', type: 'text' },
			{ key: 'userPrompt', label: 'First message', type: 'text' },
			{ key: 'systemPrompt', label: 'Instructions', type: 'text', multiline: true }])],
		routes: async (to) => {
			await to.route('**/api/v1/agent-templates', (route) => json(route, {
				items: [one('quill', 'Quill'), one('sage', 'Sage')], totalCount: 2, nextCursor: null }));
			await to.route(/workspaces\/intranet\/agents(\/[\w-]+)?$/, (route) => {
				if (route.request().method() === 'POST')
					stored.push([new URL(route.request().url()).pathname.split('/').pop(),
						route.request().postDataJSON()]);
				return json(route, { agentId: 'sage', source: 'api', canEdit: true,
					...route.request().postDataJSON() }, 201);
			});
		} });
	const field = (name) => page.getByRole('textbox', { name });
	const values = () => Promise.all(['Name', 'Description', 'First message', 'Instructions']
		.map((name) => field(name).inputValue()));
	const question = page.getByRole('dialog', { name: 'Replace what you have written?' });

	// one after the other: nobody has typed anything that would be lost
	await page.getByRole('button', { name: 'Quill' }).click();
	await field('First message').fill('Hello');
	await page.getByRole('button', { name: 'Sage' }).click();
	await page.waitForFunction(() => document.activeElement?.value === 'Sage');
	assert.deepEqual(await values(), ['Sage', 'Sage explains', 'Hello', 'You are Sage.']);
	assert.equal(await page.getByRole('button', { name: 'Sage' }).getAttribute('aria-pressed'), 'true');
	assert.deepEqual(stored, []);
	// what was typed is not thrown away without a question
	await field('Instructions').fill('My own');
	await page.getByRole('button', { name: 'Quill' }).click();
	await question.getByRole('button', { name: 'Keep editing' }).click();
	assert.deepEqual(await values(), ['Sage', 'Sage explains', 'Hello', 'My own']);
	await page.getByRole('button', { name: 'Quill' }).click();
	await question.getByRole('button', { name: 'Replace' }).click();
	await page.waitForFunction(() => document.activeElement?.value === 'Quill');
	assert.deepEqual(await values(), ['Quill', 'Quill explains', 'Hello', 'You are Quill.']);
	assert.deepEqual(stored, []);
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => document.querySelector('lamp-place h1').textContent === 'Quill');
	assert.deepEqual(stored, [['agents', { name: 'Quill', description: 'Quill explains',
		userPrompt: 'Hello', systemPrompt: 'You are Quill.' }]]);
	assert.equal(await page.locator('lamp-templates').count(), 0);
});

test('an LLM service is chosen from those that can do what it is for', async (t) => {
	const asked = [];
	const page = await place(t, 'agents/new', {
		forms: [form('agents', 'agents', 'id', [
			{ key: 'name', label: 'Name', type: 'text', required: true },
			{ key: 'rerankingServiceId', label: 'Ranking service', type: 'text',
				of: 'workspaces/{workspace}/llm-services?can=rerank' }])],
		may: ['AI.Services.Read'],
		routes: (one) => one.route('**/llm-services?*', (route) => {
			const { searchParams } = new URL(route.request().url());

			asked.push([searchParams.get('can'), searchParams.get('cursor')]);
			return json(route, { items: [{ llmServiceId: searchParams.get('cursor') ?
				'second' : 'first' }], totalCount: 2,
			nextCursor: searchParams.get('cursor') ? null : 'next' });
		}) });
	const control = page.locator('lamp-place').getByLabel('Ranking service');

	await page.waitForFunction(() =>
		document.querySelectorAll('lamp-refs option').length === 3);
	assert.deepEqual(asked, [['rerank', null], ['rerank', 'next']]);
	await control.selectOption('second');
	assert.equal(await control.inputValue(), 'second');
});

test('a key of one\'s own is tried before it is stored, and afterwards', async (t) => {
	const sent = [];
	const page = await place(t, 'provider-instances/new', {
		forms: [form('provider-instances', 'provider-instances', 'id', [
			{ key: 'name', label: 'Display name', type: 'text', required: true },
			{ key: 'providerId', label: 'Provider', type: 'text', of: 'providers',
				required: true },
			{ key: 'apiKey', label: 'Key', type: 'secret' },
			{ key: 'active', label: 'Active', type: 'boolean', nullable: false }])],
		routes: async (one) => {
			// a list that has no pages takes no parameters
			await one.route('**/api/v1/providers', (route) => json(route, { items: [
				{ providerId: 'openai', name: 'OpenAI' }], totalCount: 1, nextCursor: null }));
			await one.route('**/api/v1/provider-instances**', (route) => {
				const url = new URL(route.request().url()).pathname;

				sent.push([url.split('/api/v1/')[1], route.request().postDataJSON()]);
				return url.endsWith('/test') ? json(route, { works: false,
					message: 'The key is not accepted.' }) :
					json(route, { id: 'k1', name: 'Mine', providerId: 'openai',
						apiKeySet: true }, 201);
			});
		} });
	const control = (label) => page.locator('lamp-place').getByLabel(label);

	// a key is added to be used
	assert.equal(await control('Active').isChecked(), true);
	await page.getByRole('button', { name: 'Test' }).click();
	await page.getByText('Display name is required.').waitFor();
	await control('Display name').fill('Mine');
	await control('Provider').selectOption('openai');
	await control('Key').fill('sk-wrong');
	await page.getByRole('button', { name: 'Test' }).click();
	await page.getByText('The key is not accepted.').waitFor();
	assert.deepEqual(sent.pop(), ['provider-instances/test',
		{ name: 'Mine', providerId: 'openai', apiKey: 'sk-wrong', active: true }]);
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('A key is saved.').waitFor();
	assert.equal(await control('Key').inputValue(), '');
	sent.length = 0;
	await page.getByRole('button', { name: 'Test' }).click();
	await page.waitForFunction(() => document.querySelector('.service-result'));
	assert.deepEqual(sent, [['provider-instances/k1/test', {}]]);
	assert.ok(page.url().startsWith(base));
});

test('the list of keys shows which one is used; lists of an agent are read line by line', async (t) => {
	const row = (id, active) => ({ id, displayName: `Key ${id}`, active, tools: ['a', 'b'] });
	const keys = { ...form('provider-instances', 'provider-instances', 'id', [
		{ key: 'displayName', label: 'Name', type: 'text', mode: 'given' },
		{ key: 'tools', label: 'Tools', type: 'lines', mode: 'given' },
		{ key: 'active', label: 'Active', type: 'boolean', nullable: false, mode: 'given' }]),
	labelKey: 'displayName', canWrite: false };
	const page = await place(t, 'provider-instances', { forms: [keys], routes: (one) =>
		one.route('**/api/v1/provider-instances**', (route) =>
			json(route, /instances\/1$/.test(new URL(route.request().url()).pathname) ?
				row('1', true) : { items: [row('1', true), row('2', false)], totalCount: 2,
					nextCursor: null })) });

	await page.getByRole('link', { name: 'Key 2' }).waitFor();
	assert.deepEqual(await page.locator('.rows-mark').allInnerTexts(), ['Active']);
	assert.deepEqual(await violations(page, 'keys'), []);
	await page.getByRole('link', { name: 'Key 1' }).click();
	await page.waitForSelector('.told-list');
	assert.deepEqual(await page.locator('.told-list li').allInnerTexts(), ['a', 'b']);
});
