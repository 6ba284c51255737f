// SPDX-License-Identifier: MIT
// Agents within a call, whose steps stand in its card, and the web, which is
// asked when the toggle says so; in an instance that has such tools.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { violations } from './axe.mjs';
import { ask, ended, open, openChat, PHONE, script, send, unique } from './browser.mjs';
import { startInstance } from './instance.mjs';

let instance = null;
let gate = '';

/** What the model of the inner agent does, whatever it is told. */
const INNER = { tool_calls: [{ name: 'list_datasets', args: {} },
	{ name: 'query_data', args: { dataset: 'nope' } }],
then: { tool_calls: [{ name: 'awaitGate', args: {} }], then: { text: 'Found.' } } };

const workspace = (fifo) => ({
	workspace: 'desk', name: 'Desk', title_by_model: false,
	agents: [{ id: 'clerk', name: 'Clerk', default: true },
		{ id: 'clerk-2', name: 'Without', tools: ['group:data'] }],
	datasets: { rooms: { database: 'intranet', table: 'room' } },
	tools: {
		research: { kind: 'agent', description: 'Researches.', untrusted: false,
			timeout_ms: 600000,
			parameters: { type: 'object', properties: { task: { type: 'string' } } },
			agent: { prompt: 'Do it.', llm_service: 'inner',
				tools: ['query_data', 'list_datasets', 'awaitGate'] } },
		awaitGate: { kind: 'command', description: 'Waits.', untrusted: false, effect: 'read',
			timeout_ms: 600000,
			parameters: { type: 'object', properties: {} },
			command: { run: ['/bin/sh', '-c', `read line <${fifo}; echo '{"ok":true}'`] } },
		web_search: { kind: 'web_search', description: 'Searches.',
			web_search: { engine: 'searxng', url: 'http://127.0.0.1:9/' } },
	},
});

before(async () => {
	instance = await startInstance('--base', '/agents');
	gate = path.join(instance.conf, 'gate');
	execFileSync('mkfifo', [gate]);
	const main = path.join(instance.conf, 'lamplighter.yaml');
	const text = await readFile(main, 'utf8');
	const [, url] = /url: "(http:[^"]+)"/.exec(text);

	await writeFile(main, text.replace('"AIChat.*"', '"AIChat.*", "AI.Workspaces.*"')
		.replace('llm_services:\n', `llm_services:\n  inner: ${
		JSON.stringify({ provider: 'openai', model: `script:${JSON.stringify(INNER)}`,
			url, api_key: 'x', capabilities: ['chat', 'tools'] })}\n`));
	await instance.declare(workspace(gate));
});

after(() => instance.end());

const desk = (t, options, workspace = 'desk') =>
	openChat(t, { url: instance.url, workspace, ...options });

const words = (texts) => texts.map((text) => text.split(/\s+/).join(' ').trim());

test('the steps of an agent stand in the card of its call', async (t) => {
	for (const options of [{}, PHONE]) {
		const page = await desk(t, options);
		const card = page.locator('lamp-tool .tool');

		await send(page, script({ tool_calls: [{ name: 'research',
			args: { task: 'Which rooms?' } }], then: { text: 'Three.' } }));
		await page.waitForFunction(() => document.querySelectorAll('.tool-steps li').length === 3);
		assert.deepEqual(words(await card.locator('.tool-steps li').allInnerTexts()),
			['List the datasets', 'Look up data', 'Await gate']);
		assert.equal(await card.locator('.tool-steps .spinner').count(), 1);
		assert.equal(await card.locator('.tool-steps li.tool-failed').count(), 1);
		assert.equal(await card.locator('summary .tool-name').innerText(), 'Research');
		assert.deepEqual(await violations(page), []);
		await page.emulateMedia({ colorScheme: 'dark' });
		assert.deepEqual(await violations(page), []);
		// another page that comes to it sees the same
		const second = await desk(t, options);

		await second.goto(page.url());
		await second.waitForFunction(() => document.querySelectorAll('.tool-steps li').length === 3);
		await writeFile(gate, 'go\n');
		await ended(page);
		assert.match(await card.locator('summary').innerText(), /3 steps/);
		assert.equal(await page.locator('.tool-steps').count(), 0);
		await card.locator('summary').focus();
		await page.keyboard.press('Enter');
		await page.waitForSelector('.tool-body .tool-steps');
		assert.equal(await card.locator('.tool-steps li').count(), 3);
		assert.match(await card.locator('.tool-body').innerText(), /Found\./);
		await ended(second);
		// and so it is when the page is loaded again
		await page.reload();
		await page.waitForSelector('.answer');
		assert.match(await card.locator('summary').innerText(), /3 steps/);
		await card.locator('summary').click();
		await page.waitForSelector('.tool-body .tool-steps');
		assert.deepEqual(words(await card.locator('.tool-steps li').allInnerTexts()),
			['List the datasets', 'Look up data', 'Await gate']);
		assert.equal(await card.locator('.tool-steps li.tool-failed').count(), 1);
	}
});

test('a tool is called by its name for people; its own stands below', async (t) => {
	const page = await desk(t);

	await ask(page, script({ tool_calls: [{ name: 'query_data', args: { dataset: 'rooms',
		limit: 1 } }], then: { text: 'One.' } }));
	assert.equal(await page.locator('.tool-name').innerText(), 'Look up data');
	assert.equal(await page.locator('.tool-name').getAttribute('title'), 'query_data');
	await page.locator('lamp-tool summary').click();
	assert.match(await page.locator('.tool-body').innerText(), /Tool\s+query_data/);
});

/** The bodies of the requests that begin turns. */
function watch(page)
{
	const bodies = [];

	page.on('request', (request) => {
		if (/\/(stream|regenerate|edit|continue)$/.test(new URL(request.url()).pathname) &&
		    request.method() === 'POST')
			bodies.push(request.postDataJSON());
	});
	return bodies;
}

const SEARCH = script({ tool_calls: [{ name: 'web_search', args: { query: 'q' } }],
	then: { text: 'Done.' } });

/** Whether the assistant had the tool: without it is none of that name. */
async function had(page)
{
	await page.locator('lamp-turn[newest] .tool > details > summary').click();
	const text = await page.locator('lamp-turn[newest] .tool-body').innerText();

	await page.locator('lamp-turn[newest] .tool > details > summary').click();
	return !/There is no tool|not offered|no such tool/i.test(text);
}

test('the web is asked when the toggle says so', async (t) => {
	const page = await desk(t);
	const bodies = watch(page);
	const toggle = page.getByRole('button', { name: 'Web', exact: true });

	assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
	await ask(page, SEARCH);
	assert.equal(await had(page), false);
	assert.equal('webSearch' in bodies[0], false);
	await toggle.focus();
	await page.keyboard.press('Space');
	assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
	assert.deepEqual(await violations(page), []);
	await page.emulateMedia({ colorScheme: 'dark' });
	assert.deepEqual(await violations(page), []);
	// the same question again, with the web now
	await page.locator('lamp-turn[newest]').getByRole('button', { name: 'Regenerate' }).click();
	await page.waitForSelector('lamp-variants');
	await ended(page);
	assert.equal(bodies[1].webSearch, true);
	assert.equal(await had(page), true);
	await ask(page, SEARCH);
	assert.equal(bodies[2].webSearch, true);
	assert.equal(await had(page), true);
	await toggle.click();
	await ask(page, SEARCH);
	assert.equal(bodies[3].webSearch, false);
	assert.equal(await had(page), false);
	// it is this conversation's
	await toggle.click();
	await page.getByRole('button', { name: 'New chat' }).first().click();
	await page.waitForFunction(() =>
		document.querySelector('button.option-toggle').getAttribute('aria-pressed') === 'false');
});

test('an assistant without tools for the web has no toggle', async (t) => {
	const page = await desk(t, PHONE);

	await page.waitForSelector('button.option-toggle');
	assert.equal(await page.evaluate(() =>
		document.documentElement.scrollWidth > innerWidth), false);
	await page.selectOption('.agent-select', 'clerk-2');
	await page.waitForFunction(() => !document.querySelector('button.option-toggle'));
	const other = await desk(t, {}, 'intranet');

	assert.equal(await other.locator('button.option-toggle').count(), 0);
});

const said = (page, text) => page.waitForFunction((wanted) =>
	document.querySelector('[aria-live]').textContent.includes(wanted), text);

test('a workspace has models of its own', async (t) => {
	const name = unique('house');
	const { workspaceId } = await (await fetch(`${instance.url}api/v1/workspaces`, {
		method: 'POST', headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify({ name: unique('Desk') }) })).json();
	const page = await open(t, { url: instance.url, hash: `#/workspaces/${workspaceId}` });
	const models = page.locator('lamp-children');
	const choice = page.locator('lamp-form').first().getByLabel('Model', { exact: true });

	await models.getByRole('heading', { name: 'Models' }).waitFor();
	await models.getByText('None yet.').waitFor();
	assert.equal(await models.locator('form').count(), 0);
	await models.getByRole('button', { name: 'New model' }).click();
	await models.getByLabel('Name').fill(name);
	await models.getByLabel('Provider').selectOption('openai');
	await models.getByLabel('Model', { exact: false }).first().fill('gpt-5-mini');
	await models.getByLabel('URL').fill('http://127.0.0.1:9/v1');
	await models.getByLabel('Key').fill('sk-house');
	assert.deepEqual(await violations(page), []);

	// an address that is not public is refused, where it was entered
	await models.getByRole('button', { name: 'Test' }).click();
	await models.locator('.service-result, .field-error').first().waitFor();
	await models.getByLabel('URL').fill('');
	await models.getByRole('button', { name: 'Add' }).click();
	await said(page, `Added “${name}”`);
	assert.equal(await models.locator('form').count(), 0);

	// it is offered at once, and its key is not read again
	await choice.locator('option', { hasText: name }).waitFor({ state: 'attached' });
	assert.match(await choice.locator('option', { hasText: name }).innerText(), /gpt-5-mini/);
	await choice.selectOption(await choice.locator('option', { hasText: name })
		.getAttribute('value'));
	await page.getByRole('button', { name: 'Save', exact: true }).first().click();
	await said(page, 'Saved');
	await models.getByRole('button', { name: `Change “${name}”` }).click();
	await models.getByText('A key is saved.').waitFor();
	assert.equal(await models.getByLabel('Key').inputValue(), '');
	await models.getByLabel('Name').fill(`${name} 2`);
	assert.equal(await models.getByRole('button', { name: 'Test' }).isDisabled(), true);
	await models.getByRole('button', { name: 'Save' }).click();
	await said(page, `Saved “${name} 2”`);
	await choice.locator('option', { hasText: `${name} 2` }).waitFor({ state: 'attached' });
	await models.getByRole('button', { name: 'New model' }).click();
	await models.getByRole('button', { name: 'Cancel' }).click();
	assert.equal(await models.locator('form').count(), 0);

	// what is used stays
	await models.getByRole('button', { name: `Delete “${name} 2”` }).click();
	await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
	await models.locator('.form-error').waitFor();
	await choice.selectOption('');
	await Promise.all([
		page.waitForResponse((answer) => answer.request().method() === 'PATCH'),
		page.getByRole('button', { name: 'Save', exact: true }).first().click(),
	]);
	await models.getByRole('button', { name: `Delete “${name} 2”` }).click();
	await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
	await models.getByText('None yet.').waitFor();
	assert.equal(await models.locator('.form-error').count(), 0);
});
