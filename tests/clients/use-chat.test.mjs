// SPDX-License-Identifier: MIT
// useChat of the AI SDK in React, in a real browser: what a person does with it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { TEXT, api, call, endless, headers, script, slow, text, tools } from './common.mjs';
import { bundled, open } from './page.mjs';

const wipe = script({ tool_calls: [{ name: 'wipe', args: {} }], then: { text: 'It is done.' } });
const pick = script({ tool_calls: [{ name: 'pick_row', args: { id: 7 } }], then: { text: 'Picked.' } });
const PICK = { name: 'pick_row', description: 'Picks a row.',
	parameters: { type: 'object', properties: { id: { type: 'integer' } } } };

describe('useChat', () => {
	let shown;

	before(async () => {
		shown = await open(await bundled('use-chat.page.mjs'), { api: `${api}/ai-sdk/lab?sdk=6`, headers, tools: [PICK] });
		await shown.page.waitForFunction(() => globalThis.openChat);
	});
	after(() => shown?.close());

	/** Opens a chat, or it again without what the page knows of it, as after a reload. */
	const chat = async (id = randomUUID(), resume = false) => {
		await shown.page.evaluate(([name, again]) => globalThis.openChat(name, again), [id, resume]);
		await shown.page.waitForFunction((name) => globalThis.chat?.id === name, id);
		return id;
	};
	/** Calls a function of the hook; false: without waiting for it. */
	const act = (name, argument, wait = true) => shown.page.evaluate(async ([f, a, w]) => {
		const done = globalThis.chat[f](a);

		if (w)
			await done;
	}, [name, argument, wait]);
	const messages = () => shown.page.evaluate(() => globalThis.chat.messages);
	const until = (condition, argument) => shown.page.waitForFunction(condition, argument);
	const ready = () => until(() => globalThis.chat.status === 'ready');
	const said = (m) => m.parts.filter((p) => p.type === 'text').map((p) => p.text).join('|');
	const part = (m) => m.parts.find((p) => p.type === 'dynamic-tool');

	test('a message, its tools, and the next one', async () => {
		await chat();
		await act('sendMessage', { text });
		await act('sendMessage', { text: tools });
		await ready();
		const all = await messages();
		assert.deepEqual(all.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
		assert.equal(said(all[1]), TEXT);
		assert.equal(said(all[3]), 'Let me look.|It is ticket 1.');
		assert.equal(part(all[3]).state, 'output-available');
		const { body } = await call('GET', `/conversations/${all[3].metadata.conversationId}/messages`);
		assert.equal(body.items.length, 4);
	});

	test('an answer again, and a message in place of one', async () => {
		await chat();
		await act('sendMessage', { text });
		const [asked, first] = await messages();
		await act('regenerate', {});
		await ready();
		const again = (await messages()).at(-1);
		assert.equal(said(again), TEXT);
		assert.notEqual(again.id, first.id);
		await act('sendMessage', { text: tools, messageId: asked.id });
		await ready();
		const all = await messages();
		assert.equal(all.length, 2);
		assert.equal(said(all[1]), 'Let me look.|It is ticket 1.');
	});

	test('Stop, and the next message at once', async () => {
		await chat();
		await act('sendMessage', { text: endless }, false);
		await until(() => globalThis.chat.messages.at(-1)?.parts.some((p) => p.text?.length > 20));
		await act('stop');
		await act('sendMessage', { text });
		await ready();
		const all = await messages();
		assert.equal(said(all.at(-1)), TEXT);
		assert.equal(await shown.page.evaluate(() => globalThis.chat.error), undefined);
	});

	test('a reload in the middle of an answer', async () => {
		const id = await chat();
		await act('sendMessage', { text: slow }, false);
		await until(() => globalThis.chat.messages.at(-1)?.parts.some((p) => p.type === 'dynamic-tool'));
		await chat();	// it goes away
		await chat(id, true);
		await until(() => globalThis.chat.messages.at(-1)?.metadata?.finishReason);
		const answer = (await messages()).at(-1);
		assert.equal(answer.metadata.finishReason, 'stop');
		assert.equal(part(answer).state, 'output-available');
	});

	test('a file', async () => {
		await chat();
		await act('sendMessage', { text, files: [{ type: 'file', mediaType: 'text/plain',
			filename: 'a.txt', url: 'data:text/plain;base64,SGVsbG8u' }] });
		await ready();
		const { conversationId } = (await messages()).at(-1).metadata;
		const { body } = await call('GET', `/conversations/${conversationId}/messages`);
		const user = body.items.find((m) => m.role === 'user');
		assert.deepEqual(user.metadata.attachments.map((a) => a.name), ['a.txt']);
	});

	for (const approved of [true, false])
		test(`a call is ${approved ? 'approved' : 'denied'}`, async () => {
			await chat();
			await act('sendMessage', { text: wipe });
			await ready();
			const waiting = part((await messages()).at(-1));
			assert.equal(waiting.state, 'approval-requested');
			await act('addToolApprovalResponse', { id: waiting.approval.id, approved });
			await until(() => globalThis.chat.messages.at(-1).parts.at(-1).text === 'It is done.');
			await ready();
			const all = await messages();
			assert.equal(all.length, 2);
			assert.equal(part(all[1]).state, approved ? 'output-available' : 'output-denied');
		});

	test('a tool of the page', async () => {
		await chat();
		await act('sendMessage', { text: pick });
		await until(() => globalThis.chat.messages.at(-1).parts.at(-1).text === 'Picked.');
		await ready();
		const answer = part((await messages()).at(-1));
		assert.deepEqual(answer.output, { picked: 7 });
	});

	test('nothing went wrong in the page', () => assert.deepEqual(shown.faults, []));
});
