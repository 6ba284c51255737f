// SPDX-License-Identifier: MIT
// What a call that takes long is at. The events are put in by the test, in the
// form of docs/api.md: no tool of the demo has any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turn } from '../../www/js/store/turn.js';
import { openChat, script, send } from './browser.mjs';

const STEPS = [
	{ toolName: 'query_data', status: 'start', text: 'Reading sources' },
	{ toolName: 'fetch', status: 'start' },
	{ toolName: 'fetch', status: 'error', text: 'No <b>such</b> page' },
	{ toolName: 'summarize', status: 'start' },
	{ toolName: 'summarize', status: 'progress', text: 'half' },
];

test('steps: each tool has a line that changes with it', () => {
	const turn = new Turn('x');

	turn.apply('tool-progress', { callId: 'unknown', ...STEPS[0] });
	turn.apply('tool-call', { callId: 'c', toolName: 'query_data', args: {} });
	for (const step of STEPS)
		turn.apply('tool-progress', { callId: 'c', ...step });
	turn.apply('tool-progress', { callId: 'c', toolName: 'summarize', status: 'success' });
	turn.apply('tool-progress', { callId: 'c', toolName: 'fetch', status: 'start' });
	assert.deepEqual(turn.parts[0].steps, [
		{ toolName: 'query_data', running: true, isError: false, text: 'Reading sources' },
		{ toolName: 'fetch', running: false, isError: true, text: 'No <b>such</b> page' },
		{ toolName: 'summarize', running: false, isError: false, text: 'half' },
		{ toolName: 'fetch', running: true, isError: false, text: '' },
	]);
});

test('a tool that says what people call it is called so; its name is below', async (t) => {
	const turn = new Turn('x');
	const call = { callId: 'c', toolName: 'desk_get-sum', title: 'Add <b>numbers</b>', args: {} };

	turn.apply('tool-call', call);
	assert.equal(turn.parts[0].title, call.title);
	assert.equal(Turn.fromRows([{ role: 'assistant', turnId: 't', metadata: { step: true,
		toolCalls: [call] } }]).parts[0].title, call.title);
	const page = await openChat(t);

	await page.route('**/stream', async (route) => {
		const response = await route.fetch();
		const body = (await response.text()).replace('"toolName":"list_datasets"',
			`"toolName":"list_datasets","title":"${call.title}"`);

		await route.fulfill({ response, body });
	});
	await send(page, script({ tool_calls: [{ name: 'list_datasets', args: {} }],
		then: { text: 'Done' } }));
	await page.waitForSelector('.answer');
	assert.equal(await page.locator('summary .tool-name').innerText(), call.title);
	await page.locator('lamp-tool summary').click();
	await page.locator('.tool-body code', { hasText: /^list_datasets$/ }).waitFor();
});

test('the steps of a nested agent are shown while it runs', async (t) => {
	const page = await openChat(t);

	// the stream as it is while the call runs; there is no more of it
	await page.route('**/stream', async (route) => {
		const response = await route.fetch();
		const text = await response.text();
		const body = text.slice(0, text.indexOf('event: tool-result'));
		const { callId } = JSON.parse(/event: tool-call\nid: \d+\ndata: (.*)\n/.exec(body)[1]);

		await route.fulfill({ response, body: body + STEPS.map((step, i) =>
			`event: tool-progress\nid: ${1000 + i}\ndata: ${JSON.stringify({ callId, ...step })}\n\n`)
			.join('') });
	});
	await page.route('**/events*', (route) => route.fulfill(
		{ status: 503, headers: { 'Retry-After': '60' } }));
	await send(page, script({ tool_calls: [{ name: 'query_data',
		args: { dataset: 'rooms', limit: 1 } }], then: { text: 'Done' } }));
	await page.waitForFunction(() => document.querySelectorAll('.tool-steps li').length === 3);
	assert.deepEqual((await page.locator('.tool-steps li').allInnerTexts())
		.map((text) => text.split(/\s+/).join(' ').trim()),
	['Reading sources', 'Fetch No <b>such</b> page', 'Summarise a text half']);
	assert.equal(await page.locator('.tool-steps .spinner').count(), 2);
	assert.equal(await page.locator('.tool-steps .tool-failed').count(), 1);
});
