// SPDX-License-Identifier: MIT
// Agents and prompts: made in forms for people, tried beside them, found in galleries,
// asked in a chat.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { api, ask, ended, open, openChat, PHONE, script, unique } from './browser.mjs';

const HOSTILE = '<img src=x onerror=alert(1)>"\'>{{x}}';
const agents = 'workspaces/intranet/agents';

const heading = (page, name) => page.waitForFunction((text) =>
	document.querySelector('lamp-place h1')?.textContent === text, name);
const field = (page, label) => page.locator('lamp-form').getByLabel(label, { exact: true });

async function place(t, hash, options = {})
{
	const page = await open(t, { hash: `#/${hash}`, workspace: 'intranet', ...options });

	await page.waitForSelector('lamp-place h1');
	return page;
}

/** An agent of this test alone. */
async function agent(t, fields)
{
	const made = await api('POST', agents, { name: unique('Clerk'), ...fields });

	t.after(() => api('DELETE', `${agents}/${made.agentId}`).catch(() => {}));
	return made;
}

test('an agent is made, tried before it is stored, and asked', async (t) => {
	const page = await place(t, 'agents/new');
	const name = unique('Handbook clerk');
	const trial = page.locator('lamp-try');
	const count = async () => (await api('GET', 'conversations?clients=true')).totalCount;
	const before = await count();

	await page.getByLabel('Company handbook').check();
	await page.getByLabel('Only these').check();
	await page.getByRole('searchbox', { name: 'Search tools' }).fill('knowl search');
	const tool = page.locator('.tools-one', { hasText: 'reads' }).first();

	await tool.locator('input').check();
	assert.match(await page.locator('.tools-picker').innerText(), /1 chosen/);
	await field(page, 'Instructions').fill('Answer from the handbook.');

	// without a name, which only saving needs
	await trial.getByLabel('Message to try').fill(script({ text: 'Tried **well**.' }));
	await trial.getByRole('button', { name: 'Send' }).click();
	await trial.locator('.message-assistant', { hasText: 'Tried well.' }).waitFor();
	await trial.locator('.message-assistant[aria-busy=false]').waitFor();
	assert.equal(await count(), before);
	assert.equal(await page.locator('.form-state').count(), 1);

	await field(page, 'Name required').fill(name);
	await page.getByRole('button', { name: 'Save' }).click();
	await heading(page, name);
	const [made] = (await api('GET', `${agents}?pageSize=100`)).items
		.filter((one) => one.name === name);

	t.after(() => api('DELETE', `${agents}/${made.agentId}`));
	assert.equal(made.toolIds.length, 1);
	assert.equal(made.knowledgeBaseIds.length, 1);
	await page.getByRole('button', { name: 'Chat with this agent' }).click();
	await page.waitForSelector('.composer-field');
	await page.waitForFunction((id) =>
		document.querySelector('.composer-bar select')?.value === id, made.agentId);
});

test('an agent that answers from two documents is made without leaving its form', async (t) => {
	const page = await place(t, 'agents/new');
	const name = unique('House guide');
	const word = unique('Quokka');
	const files = [{ name: `${word} parking.md`, mimeType: 'text/markdown',
		buffer: Buffer.from(`# Parking\n\nVisitors of the ${word} park on level P3.\n`) },
	{ name: '<img src=x onerror=alert(1)>.txt', mimeType: 'text/plain',
		buffer: Buffer.from(`Lunch in the ${word} is served from 11:30.`) }];

	await field(page, 'Name required').fill(name);
	await page.locator('lamp-new-base input[type=file]').setInputFiles(files);
	const box = page.getByRole('checkbox', { name: `${word} parking`, exact: true });

	await box.waitFor();
	assert.equal(await box.isChecked(), true);
	// its name can be changed at once; Enter does not save the agent
	await page.getByLabel('Name of the new knowledge base').fill(`${word} house`);
	await page.keyboard.press('Enter');
	await page.getByRole('checkbox', { name: `${word} house`, exact: true, checked: true }).waitFor();
	assert.equal(await box.count(), 0);
	await page.getByText(/is chosen, and can be searched\./).waitFor();
	assert.deepEqual(await violations(page, 'documents of an agent'), []);
	// an empty file is told of, and of nothing else no base is left behind
	const count = async () => (await api('GET', 'knowledge-bases?pageSize=100')).items.length;
	const before = await count();

	await page.locator('lamp-new-base input[type=file]').setInputFiles([{ name: 'empty.md', mimeType: 'text/markdown',
		buffer: Buffer.from('') }]);
	await page.locator('lamp-new-base [role=alert]').waitFor();
	assert.match(await page.locator('lamp-new-base [role=alert]').innerText(), /^empty\.md: /);
	assert.equal(await count(), before);
	assert.equal(await page.getByRole('checkbox', { checked: true, name: word }).count(), 1);
	await page.getByRole('button', { name: 'Save' }).click();
	await heading(page, name);
	const [made] = (await api('GET', `${agents}?pageSize=100`)).items.filter((one) => one.name === name);
	const [base] = made.knowledgeBaseIds;

	t.after(async () => {
		await api('DELETE', `${agents}/${made.agentId}`);
		await api('DELETE', `knowledge-bases/${base}`);
	});
	assert.equal(made.knowledgeBaseIds.length, 1);
	assert.equal((await api('GET', `knowledge-bases/${base}/documents`)).items.length, 2);
	await page.getByRole('button', { name: 'Chat with this agent' }).click();
	await page.waitForSelector('.composer-field');
	await ask(page, script({ tool_calls: [{ name: 'search_knowledge', args: { query: `parking in the ${word}` } }],
		then: { text: 'On P3 [1].' } }));
	await page.getByRole('button', { name: /^1 source|sources/ }).or(page.locator('.cite')).first().waitFor();
	// its numbers are those of passages: nothing to draw
	assert.equal(await page.locator('.answer-chart').count(), 0);
});

test('how far new documents are is asked less often after errors, and not for what is gone', async (t) => {
	const page = await place(t, 'agents/new');
	const name = unique('Rests');
	let status = 503;
	let asked = 0;
	const pass = async (ms) => {
		await page.clock.runFor(ms);
		// what it has asked for has come
		await page.evaluate(async () => (await fetch('api/v1/version')).text());
	};

	await page.route('**/knowledge-bases/*/progress', (route) => {
		asked++;
		return route.fulfill({ status, contentType: 'application/problem+json',
			body: JSON.stringify({ code: 'any', status, retryable: status === 503 }) });
	});
	await page.clock.install();
	await page.locator('lamp-new-base input[type=file]').setInputFiles([{ name: `${name}.md`,
		mimeType: 'text/markdown', buffer: Buffer.from('# Rest\n\nOf all.\n') }]);
	await page.getByText(/is chosen/).waitFor();
	const [base] = (await api('GET', 'knowledge-bases?pageSize=100')).items.filter((one) => one.name === name);

	t.after(() => api('DELETE', `knowledge-bases/${base.id}`));
	for (let i = 0; i < 40; i++)
		await pass(1500);
	assert.ok(asked > 2 && asked < 8, `${asked} in a minute`);
	status = 404;
	const before = asked;

	for (let i = 0; i < 10; i++)
		await pass(60000);
	assert.equal(asked, before + 1);
});

test('a draft that waits is answered beside the form, and its call is its own', async (t) => {
	const page = await place(t, 'agents/new');
	const trial = page.locator('lamp-try');

	await page.getByLabel('Only these').check();
	await page.getByRole('searchbox', { name: 'Search tools' }).fill('ask you');
	await page.locator('.tools-one input').first().check();
	await trial.getByLabel('Message to try').fill(script({ tool_calls: [{ name: 'ask_user',
		args: { question: 'Which one?', options: ['Red', 'Blue'] } }], then: { text: 'Thanks.' } }));
	await trial.getByRole('button', { name: 'Send' }).click();
	await trial.getByText('Which one?').first().waitFor();
	// presses in its first half second do not count
	await page.waitForFunction(() => performance.now() - (window.seen ??= performance.now()) > 600);
	await trial.getByRole('button', { name: 'Blue' }).click();
	await trial.locator('.message-assistant', { hasText: 'Thanks.' }).waitFor();
	await trial.getByRole('button', { name: 'Start over' }).click();
	await trial.getByText('This chat is not kept.').waitFor();
});

test('a tool is tried beside the form: its arguments, its result, and a change only when allowed', async (t) => {
	const page = await place(t, 'agents/new');
	const trial = page.locator('lamp-try');
	const tool = trial.getByLabel('Tool', { exact: true });
	const subject = unique('Tried');

	await page.getByLabel('Only these').check();
	for (const name of ['Look up data', 'Create ticket']) {
		await page.getByRole('searchbox', { name: 'Search tools' }).fill(name);
		await page.locator('.tools-one', { hasText: name }).first().locator('input').check();
	}
	await trial.getByRole('button', { name: 'A tool' }).click();
	// those that the form names come first; others are in every chat of the workspace
	await page.waitForFunction(() => document.querySelectorAll('lamp-try-tool option').length >= 2);
	assert.deepEqual((await tool.locator('option').allInnerTexts()).slice(0, 2), ['Create ticket', 'Look up data']);

	assert.equal(await tool.locator('optgroup').first().getAttribute('label'), 'Chosen in the form');
	assert.ok(await tool.locator('optgroup').count() > 2);
	// the others by their families, and by any word
	await trial.getByLabel('Search the tools to try').fill('create ticket');
	assert.equal(await tool.inputValue(), 'create_ticket');
	await trial.getByLabel('Search the tools to try').fill('');

	// one that reads: at once, the result first
	await tool.selectOption({ label: 'Look up data' });
	const about = trial.locator('.try-about').first();

	assert.equal(await about.locator('> p').isVisible(), false);
	await about.getByText('The whole description').click();
	assert.equal(await about.locator('> p').isVisible(), true);
	await trial.getByRole('button', { name: 'Run' }).click();
	await trial.locator('.field-error', { hasText: 'is required' }).first().waitFor();
	assert.equal(await page.evaluate(() => document.activeElement.closest('lamp-try-tool') !== null), true);
	await trial.getByLabel(/^Dataset/).selectOption('rooms');
	await trial.getByLabel(/^Limit/).fill('2');
	await trial.getByRole('button', { name: 'Run' }).click();
	await trial.locator('lamp-tool table, lamp-tool lamp-table').first().waitFor();
	assert.match(await trial.locator('lamp-tool h3').first().innerText(), /Result/);
	assert.equal(await trial.locator('.note, .failure').count(), 0);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await violations(page, `a tried tool, ${colorScheme}`), []);
	}
	// an error is readable
	await trial.getByLabel(/^Limit/).fill('-7');
	await trial.getByRole('button', { name: 'Run' }).click();
	await trial.locator('.tool-failed').waitFor();
	assert.match(await trial.locator('lamp-tool .tool-text').innerText(), /limit/);

	// one that changes something asks, and shows what would run
	await tool.selectOption({ label: 'Create ticket' });
	await trial.getByText('You are asked before it runs').waitFor();
	await trial.getByLabel(/^Subject/).fill(`${subject} ${HOSTILE}`);
	await trial.getByLabel('Priority').selectOption('low');
	for (const decision of ['Deny', 'Allow']) {
		await trial.getByRole('button', { name: 'Run' }).click();
		const card = trial.locator('lamp-approval');

		await card.waitFor();
		assert.match(await card.innerText(), new RegExp(subject));
		await page.waitForFunction(() => !document.querySelector('lamp-approval .button').disabled);
		await card.getByRole('button', { name: decision, exact: true }).click();
		await trial.locator(decision === 'Deny' ? '.tool-failed' : '.tool-done').waitFor();
	}
	assert.match(await trial.locator('.tool-body').innerText(), /id|number|ticket/i);
	assert.equal(await page.evaluate(() => window.hit), undefined);
	// nothing of it is in the list, or stays when the form is left
	assert.deepEqual((await api('GET', `conversations?q=${encodeURIComponent(subject)}`)).items, []);
	await page.setViewportSize(PHONE.viewport);
	assert.ok(await page.evaluate(() => document.querySelector('.place-scroll').scrollWidth <= innerWidth));
	assert.deepEqual(await violations(page, 'a tried tool on a phone'), []);
});

test('what messages would be sent with is seen beside the form, with how well it fits', async (t) => {
	const page = await place(t, 'agents/new');
	const trial = page.locator('lamp-try');
	const search = () => trial.getByRole('button', { name: 'Search', exact: true }).click();

	await trial.getByRole('button', { name: 'The search' }).click();
	await trial.getByLabel('A question').fill('How many days of leave carry over?');
	await search();
	await trial.locator('.passages li').first().waitFor();
	await trial.getByText('“Always search knowledge” is off').waitFor();
	assert.match(await trial.locator('.passages li').first().innerText(), /\d+\s?% match/);
	await page.getByLabel('Always search knowledge').check();
	await page.locator('summary', { hasText: 'Advanced' }).click();
	await field(page, 'Passages per message').fill('1');
	await search();
	await page.waitForFunction(() => document.querySelectorAll('.passages li').length === 1);
	assert.equal(await trial.getByText('“Always search knowledge” is off').count(), 0);
	assert.deepEqual(await violations(page, 'a tried search'), []);
	// what is wrong with the form stands there
	await field(page, 'Minimum match').fill('7');
	await search();
	await page.locator('.field-error', { hasText: 'Minimum match must be from 0 to 1.' }).waitFor();
});

test('beside the form: a tool that reads is first, helps are read whole, results and Send are in sight', async (t) => {
	const page = await place(t, 'agents/new');
	const trial = page.locator('lamp-try');
	const tool = trial.getByLabel('Tool', { exact: true });
	const inSight = (selector) => page.waitForFunction((which) => {
		const one = document.querySelector(which)?.getBoundingClientRect();
		const panel = document.querySelector('lamp-try').getBoundingClientRect();

		return one?.height > 0 && one.top >= Math.max(0, panel.top) &&
			one.bottom <= Math.min(innerHeight, panel.bottom);
	}, selector);

	await page.getByLabel('Only these').check();
	for (const name of ['Ask you', 'Look up data']) {
		await page.getByRole('searchbox', { name: 'Search tools' }).fill(name);
		await page.locator('.tools-one', { hasText: name }).first().locator('input').check();
	}
	await trial.getByRole('button', { name: 'A tool' }).click();
	await page.waitForFunction(() => document.querySelectorAll('lamp-try-tool option').length >= 2);
	assert.equal(await tool.inputValue(), 'query_data');
	assert.deepEqual((await tool.locator('option').allInnerTexts()).slice(0, 2), ['Look up data', 'Ask you']);
	await trial.getByText('One per line.').first().waitFor();
	await trial.getByText('A list as JSON, such as [{').first().waitFor();
	const dataset = trial.locator('.field', { has: page.locator('label', { hasText: 'Dataset' }) });
	const whole = await dataset.locator('.tools-text').textContent();

	await dataset.getByText('The whole description').click();
	const told = dataset.locator('.try-about > p');

	assert.equal(await told.textContent(), whole);
	assert.ok(await told.evaluate((one) => one.scrollHeight <= one.clientHeight + 1));
	assert.deepEqual(await violations(page, 'folded helps'), []);
	await trial.getByLabel(/^Dataset/).selectOption('rooms');
	await trial.getByLabel(/^Limit/).fill('3');
	await trial.getByRole('button', { name: 'Run' }).click();
	await inSight('lamp-tool tbody tr:last-child');

	await trial.getByRole('button', { name: 'Chat' }).click();
	await trial.getByLabel('Message to try').fill(script({ text: 'A line.\n\n'.repeat(40) }));
	await trial.getByRole('button', { name: 'Send' }).click();
	await trial.locator('.answer p').nth(30).waitFor();
	await inSight('.try-form .button[type=submit]');
});

test('on a phone the bar of the form leads to what is below it', async (t) => {
	const page = await place(t, 'agents/new', PHONE);
	const jump = page.locator('.form-bar').getByRole('button', { name: 'Try it' });

	await jump.click();
	await page.waitForFunction(() => {
		const { top, bottom } = document.querySelector('#try-title').getBoundingClientRect();

		return document.activeElement.id === 'try-title' && top >= 0 && bottom < innerHeight;
	});
	assert.deepEqual(await violations(page, 'what is tried on a phone'), []);
	await page.setViewportSize({ width: 1280, height: 800 });
	await jump.waitFor({ state: 'hidden' });
});

test('a tool with a hostile description and schema is text beside the form', async (t) => {
	const page = await place(t, 'agents/new', { init: (one) => one.route('**/preview', (route) => route.fulfill({
		json: { tools: [{ name: 'evil', description: HOSTILE, tokens: 1, schema: { type: 'object', required: [HOSTILE],
			properties: { [HOSTILE]: { type: 'string', title: HOSTILE, description: HOSTILE, default: HOSTILE },
				__proto__: { type: 'string' }, constructor: { enum: [HOSTILE] } } } }] } })) });
	const trial = page.locator('lamp-try');

	await trial.getByRole('button', { name: 'A tool' }).click();
	await trial.getByText(HOSTILE).first().waitFor();
	assert.equal(await trial.locator('img').count(), 0);
	assert.equal(await trial.getByLabel(HOSTILE).first().inputValue(), HOSTILE);
});

test('what is wrong stands at its field, in words of the form, and is seen', async (t) => {
	const page = await place(t, 'agents/new');

	await field(page, 'Name required').fill(unique('Wrong'));
	await page.locator('summary', { hasText: 'Advanced' }).click();
	await field(page, 'Tool call limit').fill('25');
	await field(page, 'Minimum match').fill('7');
	await page.locator('summary', { hasText: 'Advanced' }).click();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.field-error', { hasText: 'Minimum match must be from 0 to 1.' }).waitFor();
	assert.equal(await page.evaluate(() =>
		document.activeElement.closest('.field').querySelector('label').textContent.trim()),
	'Minimum match');
	await field(page, 'Minimum match').fill('');
	// of the server
	await page.getByRole('button', { name: 'Save' }).click();
	const told = page.locator('.field-error', { hasText: 'Tool call limit may be at most' });

	await told.waitFor();
	assert.doesNotMatch(await told.innerText(), /maxToolIterations/);
});

test('agents are found by any word, and hostile names are text', async (t) => {
	const made = await agent(t, { name: `${HOSTILE} Zwölf`, description: `Counts ${HOSTILE}` });
	const page = await place(t, 'agents');
	const search = page.getByRole('searchbox', { name: 'Search agents' });
	const card = page.locator('.card-acts', { hasText: 'Zwölf' });

	await search.fill('counts ZWOLF');
	await page.getByText('1 found').waitFor();
	assert.equal(await card.locator('.card-name').innerText(), made.name);
	assert.equal(await page.locator('lamp-place img').count(), 0);
	await search.fill('nobody has this');
	await page.getByText('Nothing matches “').waitFor();
	await search.fill('zwo');
	await card.getByRole('button').click();
	await page.waitForFunction((id) =>
		document.querySelector('.composer-bar select')?.value === id, made.agentId);
	await ask(page, script({ text: 'Here.' }));
	// others are told how many ask it, and nobody's name
	const used = await agent(t, { visibility: 'private' });

	assert.ok(!(await api('GET', 'workspaces/intranet/agent-users')).items
		.some(({ agentId }) => agentId === used.agentId));
});

test('blanks are inserted by a button, and asked for in a chat', async (t) => {
	const page = await place(t, 'prompts/new');
	const name = unique('Letter');

	await field(page, 'Name required').fill(name);
	await field(page, 'Text required').fill('Dear ');
	await field(page, 'Text required').press('End');
	await page.getByRole('button', { name: 'Text', exact: true }).click();
	await page.keyboard.type('Customer');
	await field(page, 'Text required').press('End');
	await page.getByRole('button', { name: 'Date', exact: true }).click();
	assert.equal(await field(page, 'Text required').inputValue(), 'Dear {{Customer}}{{When: date}}');
	await field(page, 'Text required').press('End');
	await page.getByRole('button', { name: 'Choice', exact: true }).click();
	await page.waitForFunction(() => document.querySelectorAll('.blank').length === 3);
	await page.getByRole('button', { name: 'Save' }).click();
	await heading(page, name);
	const id = page.url().split('/').pop();

	t.after(() => api('DELETE', `prompts/${id}`));
	await page.getByRole('button', { name: 'Use in a chat' }).click();
	const form = page.locator('lamp-blanks');

	await form.getByLabel('Customer').fill(HOSTILE);
	await form.getByLabel('When').fill('2027-01-31');
	// the choices that the button writes are choices
	assert.deepEqual(await form.locator('select option').allInnerTexts(), ['formal', 'friendly']);
	await form.getByRole('button', { name: 'Use prompt' }).click();
	await page.waitForFunction(() => document.querySelector('.composer-field').value
		.startsWith('Dear <img'));
});

test('another agent is asked with @, once', async (t) => {
	const other = await agent(t, { name: `Ännchen ${HOSTILE}` });
	const page = await openChat(t, { workspace: 'intranet' });

	await page.focus('.composer-field');
	await page.keyboard.type('@annchen');
	// Not the list of what was typed before.
	await page.locator('.picker-item[aria-selected=true]', { hasText: 'Ännchen' })
		.filter({ hasText: 'Answers this message' }).waitFor();
	await page.keyboard.press('Enter');
	await page.locator('.mention-chip', { hasText: 'Ännchen' }).waitFor();
	await page.keyboard.type('who are you?');
	await page.keyboard.press('Enter');
	await ended(page);
	const by = page.locator('.turn-by');

	assert.equal(await by.innerText(), `Answered by ${other.name}`);
	await ask(page, script({ text: 'Mine.' }));
	assert.equal(await by.count(), 1);
	await page.reload();
	await by.waitFor();
	assert.equal(await by.innerText(), `Answered by ${other.name}`);
	assert.equal(await page.locator('lamp-thread img').count(), 0);
});

test('what a knowledge base finds is tried beside its form', async (t) => {
	const { items: [base] } = await api('GET', 'knowledge-bases?q=Company');

	for (const options of [{}, { ...PHONE, colorScheme: 'dark' }]) {
		const page = await place(t, `knowledge-bases/${base.id}`, options);
		const search = page.locator('lamp-passages');

		await search.getByLabel('A question').fill('days of annual leave');
		await page.keyboard.press('Enter');
		await search.locator('.passages li', { hasText: 'Annual leave' }).first().waitFor();
		assert.deepEqual(await violations(page, 'passages'), []);
		await search.getByLabel('A question').fill('zqxw');
		await search.getByRole('button', { name: 'Search' }).click();
		await search.getByText('Nothing matches this question.').waitFor();
	}
});

test('a passage that hardly matches is no match', async (t) => {
	const { items: [base] } = await api('GET', 'knowledge-bases?q=Company');
	const page = await place(t, `knowledge-bases/${base.id}`);
	const search = page.locator('lamp-passages');
	const passage = (title, score) => ({ title, heading: '', text: `<b>${title}</b>`, score });

	await page.route('**/knowledge-bases/*/search', (route) => route.fulfill({ json: {
		items: [passage('Near', .62), passage('Far', .0004), passage('Farther', 0)], notice: null } }));
	await search.getByLabel('A question').fill('anything');
	await page.keyboard.press('Enter');
	await search.getByText('1 passage', { exact: true }).waitFor();
	assert.deepEqual(await search.locator('.passages li:visible .tools-name').allInnerTexts(), ['Near']);
	await search.getByText('2 passages hardly match').click();
	assert.equal(await search.locator('.passages li:visible').count(), 3);
	assert.deepEqual(await violations(page, 'passages that hardly match'), []);
});

test('axe has no finding where agents and prompts are made and found', async (t) => {
	for (const setting of [{}, { colorScheme: 'dark' }, PHONE, { rtl: true }]) {
		const { rtl, ...options } = setting;
		const page = await place(t, 'agents', options);
		const told = JSON.stringify(setting).slice(0, 40);

		if (rtl)
			await page.evaluate(() => { document.documentElement.dir = 'rtl'; });
		await page.locator('.card-acts').first().waitFor();
		assert.deepEqual(await violations(page, `agents ${told}`), []);
		await page.evaluate(() => { location.hash = '#/agents/new'; });
		await page.getByLabel('Only these').check();
		await page.locator('.tools-one').first().waitFor();
		await page.locator('summary', { hasText: 'Advanced' }).click();
		assert.deepEqual(await violations(page, `agent ${told}`), []);
		assert.equal(await page.evaluate(() => document.querySelector('.place-scroll').scrollWidth >
			document.querySelector('.place-scroll').clientWidth), false, told);
		await page.evaluate(() => { location.hash = '#/prompts/new'; });
		await page.locator('summary', { hasText: 'In the gallery' }).click();
		await page.locator('.icon-picker').first().waitFor();
		assert.deepEqual(await violations(page, `prompt ${told}`), []);
	}
});

test('earlier versions of an agent are compared and brought back', async (t) => {
	const made = await agent(t, { systemPrompt: 'Answer in English.' });

	await api('PATCH', `${agents}/${made.agentId}`, { systemPrompt: `Answer in Latin. ${HOSTILE}` });
	const page = await place(t, `agents/${made.agentId}`);
	const versions = page.locator('lamp-children details');

	await versions.nth(1).waitFor();
	assert.equal(await versions.count(), 2);
	await versions.first().locator('summary').click();
	assert.match(await versions.first().locator('ins').first().innerText(), /Latin/);
	assert.deepEqual(await violations(page, 'versions of an agent'), []);
	await versions.nth(1).locator('summary').click();
	await versions.nth(1).getByRole('button').click();
	assert.equal(await field(page, 'Instructions').inputValue(), 'Answer in English.');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => !document.querySelector('.form-state')?.textContent.trim());
	assert.equal((await api('GET', `${agents}/${made.agentId}`)).systemPrompt, 'Answer in English.');
});

test('a prompt says how many people have used it', async (t) => {
	const name = unique('Minutes');
	const prompt = await api('POST', 'prompts', { name, body: 'Write minutes.' });

	t.after(() => api('DELETE', `prompts/${prompt.id}`));
	const page = await place(t, 'prompts', { init: (one) => one.route('**/api/v1/prompt-users',
		(route) => route.fulfill({ json: { items: [{ promptId: prompt.id, users: 3 }],
			totalCount: 1, nextCursor: null } })) });
	const card = page.locator('.card-acts', { hasText: name });

	await card.waitFor();
	assert.match(await card.innerText(), /used by 3 people/);
});

test('what the user may not read is not asked for', async (t) => {
	const asked = [];
	const page = await place(t, 'agents/new', { init: async (one) => {
		await one.route('**/api/v1/me?*', async (route) => {
			const answer = await route.fetch();
			const me = await answer.json();

			await route.fulfill({ response: answer, json: { ...me,
				permissions: me.permissions.filter((name) => !name.startsWith('AI.Services.')) } });
		});
		await one.route('**/llm-services?*', (route) => {
			asked.push(route.request().url());
			return route.fulfill({ status: 403, json: { code: 'forbidden', status: 403 } });
		});
	} });

	await page.getByText('Only administrators can choose here.').first().waitFor();
	assert.deepEqual(asked, []);
});
