// SPDX-License-Identifier: MIT
// Turns that wait, with the clients' own means: approvals and tools of the page
// in the Vercel AI SDK 6 and 7, interrupts and front-end tools in AG-UI.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import { HttpAgent } from '@ag-ui/client';
import * as ai6 from 'ai';
import * as ai7 from 'ai7';

import { api, chatState, headers, script } from './common.mjs';

const wipe = script({ narration: 'I would wipe.', tool_calls: [{ name: 'wipe', args: {} }],
	then: { text: 'It is done.' } });
const pick = script({ tool_calls: [{ name: 'pick_row', args: { id: 7 } }], then: { text: 'Picked.' } });
const PICK = { name: 'pick_row', description: 'Picks a row.',
	parameters: { type: 'object', properties: { id: { type: 'integer' } } } };

for (const [version, ai] of [['6', ai6], ['7', ai7]]) {
	class Chat extends ai.AbstractChat {
		constructor(more) {
			super({ id: randomUUID(), state: chatState(), transport: new ai.DefaultChatTransport({
				api: `${api}/ai-sdk/lab?sdk=${version}`, headers,
				body: { client: { mode: 'page', tools: [PICK] } } }), ...more });
		}
	}
	// Until the chat that answers by itself has nothing more to do.
	const settled = async (chat) => {
		for (const end = Date.now() + 30000; Date.now() < end;) {
			await new Promise((done) => { setTimeout(done, 20); });
			if (chat.status === 'ready' && chat.messages.at(-1).parts.some((p) => p.state === 'output-available'
				|| p.state === 'output-denied'))
				return chat.messages.at(-1);
		}
		throw new Error(`${chat.status} ${JSON.stringify(chat.messages.at(-1))}`);
	};
	const call = (message) => message.parts.find((p) => p.type === 'dynamic-tool');

	describe(`AI SDK ${version}`, () => {
		for (const approved of [true, false])
			test(`a call is ${approved ? 'approved' : 'denied'} and the message goes on`, async () => {
				const errors = [];
				const chat = new Chat({ onError: (e) => errors.push(e),
					sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses });
				await chat.sendMessage({ text: wipe });
				const waiting = call(chat.messages.at(-1));
				assert.equal(waiting.state, 'approval-requested');
				await chat.addToolApprovalResponse({ id: waiting.approval.id, approved });
				const message = await settled(chat);
				assert.deepEqual(errors, []);
				assert.equal(chat.messages.length, 2);
				assert.equal(call(message).state, approved ? 'output-available' : 'output-denied');
				assert.equal(message.parts.filter((p) => p.type === 'text').at(-1).text, 'It is done.');
			});

		test('a tool of the page is run there', async () => {
			const errors = [];
			const chat = new Chat({ onError: (e) => errors.push(e),
				sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
				onToolCall: ({ toolCall }) => {
					assert.deepEqual(toolCall.input, { id: 7 });
					chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId,
						output: { row: 7 } });
				} });
			await chat.sendMessage({ text: pick });
			const message = await settled(chat);
			assert.deepEqual(errors, []);
			assert.deepEqual(call(message).output, { row: 7 });
			assert.equal(message.parts.filter((p) => p.type === 'text').at(-1).text, 'Picked.');
		});
	});
}

describe('AG-UI', () => {
	const agent = () => new HttpAgent({ url: `${api}/ag-ui/lab`, headers, threadId: randomUUID() });
	const finished = (events) => events.find((e) => e.type === 'RUN_FINISHED');
	const run = async (a, input = {}) => {
		const events = [];
		await a.runAgent({ runId: randomUUID(), ...input }, { onEvent: ({ event }) => { events.push(event); } });
		return events;
	};

	test('an interrupt is resumed', async () => {
		const a = agent();
		a.addMessage({ id: randomUUID(), role: 'user', content: wipe });
		const { outcome } = finished(await run(a));
		assert.equal(outcome.type, 'interrupt');
		const [interrupt] = outcome.interrupts;
		assert.equal(interrupt.reason, 'approval');
		const more = await run(a, { resume: [{ interruptId: interrupt.id, status: 'resolved',
			payload: { approved: true } }] });
		assert.ok(finished(more));
		assert.match(more.find((e) => e.type === 'TOOL_CALL_RESULT').content, /wiped/);
		assert.equal(a.messages.at(-1).content, 'It is done.');
	});

	test('a tool of the front end is answered in the next run', async () => {
		const a = agent();
		a.addMessage({ id: randomUUID(), role: 'user', content: pick });
		const { outcome } = finished(await run(a, { tools: [PICK] }));
		assert.deepEqual(outcome.type, 'success');
		const [toolCallId] = outcome.pendingToolCallIds;
		a.addMessage({ id: randomUUID(), role: 'tool', toolCallId, content: '{"row":7}' });
		await run(a, { tools: [PICK] });
		assert.equal(a.messages.at(-1).content, 'Picked.');
	});
});
