// SPDX-License-Identifier: MIT
// What a step of a plan waits for, with the clients' own means: it is asked while another
// step runs, and answered in the client's next request.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import { HttpAgent } from '@ag-ui/client';
import * as ai6 from 'ai';
import * as ai7 from 'ai7';

import { api, call, chatState, headers, script } from './common.mjs';

const step = (executor, ...tools) => ({ title: executor, intent: 'research', executor,
	...(tools.length && { tools }) });
const plan = (...steps) => script({ tool_calls: [{ name: 'plan', args: { goal: 'g', stages: [
	{ name: 's', mode: 'parallel', steps: [step('research'), ...steps] }] } }],
then: { text: 'All done.' } });
const wipe = plan(step('tooling', 'wipe'));
const ask = plan(step('writer', 'ask_user'));
// A tool that the configuration declares: an agent with a list of tools has no others.
const PLACE = 'place_mark';
const pick = plan(step('editor', PLACE));

// How the steps of the newest plan ended.
async function steps()
{
	const { body: { items: [{ status, progress }] } } = await call('GET', '/plans');

	return [status, ...progress.map((one) => one.status)];
}

for (const [version, ai] of [['6', ai6], ['7', ai7]]) {
	class Chat extends ai.AbstractChat {
		constructor(more) {
			super({ id: randomUUID(), state: chatState(), transport: new ai.DefaultChatTransport({
				api: `${api}/ai-sdk/lab?sdk=${version}&agentId=planner`, headers,
				body: { client: { mode: 'page', tools: [PLACE] } } }), ...more });
		}
	}
	const until = async (what, chat, found) => {
		for (const end = Date.now() + 30000; Date.now() < end;) {
			const value = chat.messages.at(-1)?.role === 'assistant' && found(chat.messages.at(-1).parts);

			if (value)
				return value;
			await new Promise((done) => { setTimeout(done, 20); });
		}
		throw new Error(`${what}: ${chat.status} ${JSON.stringify(chat.messages.at(-1))}`);
	};
	const done = (chat) => until('the answer', chat, (parts) => chat.status === 'ready' &&
		parts.some((p) => p.type === 'text' && p.text === 'All done.'));
	const named = (parts, name) => parts.find((p) => p.type === 'dynamic-tool' && p.toolName === name);

	describe(`AI SDK ${version}`, () => {
		for (const approved of [true, false])
			test(`a step is ${approved ? 'approved' : 'denied'} while another runs`, async () => {
				const errors = [];
				const chat = new Chat({ onError: (e) => errors.push(e),
					sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses });
				const sent = chat.sendMessage({ text: wipe });
				const part = await until('the request', chat, (parts) =>
					named(parts, 'wipe')?.state === 'approval-requested' && named(parts, 'wipe'));
				assert.equal(chat.status, 'streaming');
				await chat.addToolApprovalResponse({ id: part.approval.id, approved });
				await sent;
				await done(chat);
				assert.deepEqual(errors, []);
				assert.equal(chat.messages.length, 2);
				assert.deepEqual(await steps(), ['done', 'done', 'done']);
			});

		test('a question of a step is answered', async () => {
			const errors = [];
			const chat = new Chat({ onError: (e) => errors.push(e),
				sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls });
			const sent = chat.sendMessage({ text: ask });
			const part = await until('the question', chat, (parts) =>
				named(parts, 'ask_user')?.state === 'input-available' && named(parts, 'ask_user'));
			assert.deepEqual(part.input.options, ['This', 'That']);
			await chat.addToolOutput({ tool: 'ask_user', toolCallId: part.toolCallId,
				output: { choice: 'A' } });
			await sent;
			await done(chat);
			assert.deepEqual(errors, []);
			assert.deepEqual(await steps(), ['done', 'done', 'done']);
		});

		test('a tool of the page is run there for a step', async () => {
			const errors = [], ran = [];
			const chat = new Chat({ onError: (e) => errors.push(e),
				sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
				onToolCall: ({ toolCall }) => {
					if (toolCall.toolName !== PLACE)
						return;
					ran.push(toolCall.input);
					chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId,
						output: { row: 7 } });
				} });
			await chat.sendMessage({ text: pick });
			await done(chat);
			assert.deepEqual(errors, []);
			assert.deepEqual(ran, [{ id: 7 }]);
			assert.deepEqual(await steps(), ['done', 'done', 'done']);
		});
	});
}

describe('AG-UI', () => {
	const agent = () => new HttpAgent({ url: `${api}/ag-ui/lab?agentId=planner`, headers,
		threadId: randomUUID() });
	const run = async (a, input = {}) => {
		const events = [];
		await a.runAgent({ runId: randomUUID(), ...input },
			{ onEvent: ({ event }) => { events.push(event); } });
		return events;
	};
	const begin = (content, input) => {
		const a = agent();

		a.addMessage({ id: randomUUID(), role: 'user', content });
		return run(a, input).then((events) => ({ a, events, outcome: events.at(-1).outcome }));
	};
	// Of the call that the client was told of.
	const told = (events, name) => events.find((e) =>
		e.type === 'TOOL_CALL_START' && e.toolCallName === name).toolCallId;

	for (const [what, content, tool, payload] of [
		['approved', wipe, 'wipe', { approved: true }],
		['asked', ask, 'ask_user', { choice: 'A' }]])
		test(`a step is ${what} by an interrupt`, async () => {
			const { a, events, outcome } = await begin(content);
			const [interrupt] = outcome.interrupts;
			assert.equal(interrupt.toolCallId, told(events, tool));
			// It was asked before the other step ended.
			const asked = events.findIndex((e) => e.toolCallId === interrupt.toolCallId);
			const ended = events.findIndex((e) => e.name === 'plan'
				&& e.value.progress[0].status === 'done');
			assert.ok(asked < ended, `${asked} ${ended}`);
			await run(a, { resume: [{ interruptId: interrupt.id, status: 'resolved', payload }] });
			assert.equal(a.messages.at(-1).content, 'All done.');
			assert.deepEqual(await steps(), ['done', 'done', 'done']);
		});

	test('a tool of the front end is answered for a step', async () => {
		const tools = [{ name: PLACE, description: 'Marks a place.', parameters: { type: 'object' } }];
		const { a, events, outcome } = await begin(pick, { tools });
		assert.equal(outcome.type, 'success');
		const [toolCallId] = outcome.pendingToolCallIds;
		assert.equal(toolCallId, told(events, PLACE));
		a.addMessage({ id: randomUUID(), role: 'tool', toolCallId, content: '{"row":7}' });
		await run(a, { tools });
		assert.equal(a.messages.at(-1).content, 'All done.');
		assert.deepEqual(await steps(), ['done', 'done', 'done']);
	});
});
