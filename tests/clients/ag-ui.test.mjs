// SPDX-License-Identifier: MIT
// AG-UI's HttpAgent against POST /ag-ui/{workspace}. It verifies the order of
// events itself and fails a run that breaks it (P-F2).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { HttpAgent } from '@ag-ui/client';

import { TEXT, api, broken, call, cancel, endless, failure, headers, search, searched, text, tools } from './common.mjs';

const agent = (threadId = randomUUID()) =>
	new HttpAgent({ url: `${api}/ag-ui/lab`, headers, threadId });

// One run; its events in order, and what the agent made of them.
async function run(a, content, each = () => {}) {
	const events = [];
	a.addMessage({ id: randomUUID(), role: 'user', content });
	const result = await a.runAgent({}, { onEvent: ({ event }) => {
		events.push(event);
		each(event);
	} });
	return { ...result, events };
}

const session = (events) => events.find((e) => e.type === 'CUSTOM' && e.name === 'session').value;

test('text and reasoning', async () => {
	const { newMessages, events, result } = await run(agent(), text);
	assert.equal(newMessages.at(-1).role, 'assistant');
	assert.equal(newMessages.at(-1).content, TEXT);
	assert.equal(result.finishReason, 'stop');
	assert.equal(events[0].type, 'RUN_STARTED');
	assert.equal(events.at(-1).type, 'RUN_FINISHED');
	assert.equal(events.filter((e) => e.type === 'REASONING_MESSAGE_CONTENT')
		.map((e) => e.delta).join(''), 'Let me think.');
});

test('a text, its tool calls, their results, the answer', async () => {
	const { newMessages } = await run(agent(), tools);
	const spoken = newMessages.filter((m) => m.role !== 'reasoning');
	assert.deepEqual(spoken.map((m) => m.role), ['assistant', 'tool', 'tool', 'assistant']);
	const [first, , , last] = spoken;
	assert.equal(first.content, 'Let me look.');
	assert.equal(first.toolCalls.length, 2);
	assert.equal(first.toolCalls[0].function.name, 'query_data');
	assert.equal(JSON.parse(first.toolCalls[0].function.arguments).dataset, 'tickets');
	const good = spoken.find((m) => m.toolCallId === first.toolCalls[0].id);
	assert.deepEqual(JSON.parse(good.content).rows, [[1]]);
	assert.equal(last.content, 'It is ticket 1.');
});

test('the state comes back with what is known of the talk', async () => {
	const a = agent();
	a.setState({ board: [1, 2] });
	await run(a, text);
	assert.deepEqual(a.state.board, [1, 2]);
	assert.deepEqual(a.state.agentState.current_understanding.entities, []);
});

test('the web is asked by a forwarded property', async () => {
	for (const webSearch of [false, true]) {
		const a = agent();
		const events = [];
		a.addMessage({ id: randomUUID(), role: 'user', content: search });
		await a.runAgent({ forwardedProps: { webSearch } },
			{ onEvent: ({ event }) => { events.push(event); } });
		assert.equal(await searched(session(events).turnId), webSearch);
	}
});

test('a run with an idempotency key is made once', async () => {
	const threadId = randomUUID();
	const told = [];
	for (let i = 0; i < 2; i++) {
		const a = new HttpAgent({ url: `${api}/ag-ui/lab`, threadId,
			headers: { ...headers, 'Idempotency-Key': threadId } });
		a.addMessage({ id: 'm', role: 'user', content: text });
		const { newMessages, result } = await a.runAgent({ runId: `run-${i}` });
		assert.equal(newMessages.at(-1).content, TEXT);
		told.push(result.messageId);
	}
	assert.equal(told[0], told[1]);
});

for (const [what, content] of [['before', failure], ['within', broken]])
	test(`a failure ${what} the answer ends the run`, async () => {
		const events = [];
		const a = agent();
		a.addMessage({ id: randomUUID(), role: 'user', content });
		await a.runAgent({}, { onEvent: ({ event }) => { events.push(event); } })
			.catch(() => {});
		assert.equal(events.at(-1).type, 'RUN_ERROR');
		assert.match(events.at(-1).code, /^upstream_/);
		assert.match(events.at(-1).message, /language model/i);
	});

test('a run that is stopped is finished', async () => {
	let stopped;
	const { result } = await run(agent(), endless, (event) => {
		if (event.name === 'session')
			stopped = cancel(event.value.turnId);
	});
	assert.equal((await stopped).status, 202);
	assert.equal(result.finishReason, 'cancelled');
});

test('a thread of two runs is one stored conversation', async () => {
	const a = agent(`thread ${randomUUID()}`);
	const one = session((await run(a, text)).events);
	const two = session((await run(a, tools)).events);
	assert.equal(one.conversationId, two.conversationId);
	const { body } = await call('GET', `/conversations/${one.conversationId}/messages?include=steps`);
	assert.deepEqual(body.items.map((m) => m.role).reverse(),
		['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant']);
});

test('what is refused fails the run', async () => {
	const a = agent();
	a.addMessage({ id: randomUUID(), role: 'user', content: '' });
	await assert.rejects(a.runAgent(), /422/);
});
