// SPDX-License-Identifier: MIT
// The Vercel AI SDK, three versions of it, against POST /ai-sdk/{workspace}: the
// transport and reader alone, and the Chat that useChat stands upon. P-F1
// and P-F4: each of them throws at what it does not know.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import * as ai6 from 'ai';
import * as ai5 from 'ai5';
import * as ai7 from 'ai7';

import { TEXT, api, broken, call, cancel, chatState, ended, endless, failure, headers, search,
	searched, slow, text, tools } from './common.mjs';

const user = (content) => ({
	id: randomUUID(), role: 'user', parts: [{ type: 'text', text: content }],
});
const texts = (m) => m.parts.filter((p) => p.type === 'text').map((p) => p.text);

for (const [version, ai] of [['5', ai5], ['6', ai6], ['7', ai7]]) {
	const transport = (more = {}) => new ai.DefaultChatTransport(
		{ api: `${api}/ai-sdk/lab`, headers, ...more });
	const send = (messages, chatId = randomUUID(), more = {}) =>
		transport().sendMessages({ chatId, messages, trigger: 'submit-message', ...more });

	// The message as it grows, the errors on the way, and the last state.
	const read = async (stream, each = () => {}) => {
		const errors = [];
		let last;
		for await (const m of ai.readUIMessageStream({ stream, onError: (e) => errors.push(e) })) {
			last = m;
			await each(m);
		}
		return { message: last, errors };
	};

	// useChat without React: the same class, state in plain fields.
	class Chat extends ai.AbstractChat {
		constructor(id, errors) {
			super({ id, state: chatState(), transport: transport(), onError: (e) => errors.push(e) });
		}
	}

	describe(`AI SDK ${version}`, () => {
		test('text and reasoning', async () => {
			const { message, errors } = await read(await send([user(text)]));
			assert.deepEqual(errors, []);
			assert.deepEqual(texts(message), [TEXT]);
			assert.deepEqual(message.parts.filter((p) => p.type === 'reasoning').map((p) => p.text),
				['Let me think.']);
			assert.ok(message.parts.every((p) => p.state === undefined || p.state === 'done'));
			assert.equal(message.id, message.metadata.turnId);
			assert.equal(message.metadata.finishReason, 'stop');
			assert.ok(message.metadata.storedId.startsWith(message.metadata.conversationId));
		});

		test('the web is asked by a member of the body', async () => {
			for (const webSearch of [false, true]) {
				const { message } = await read(await send([user(search)], randomUUID(),
					{ body: { webSearch } }));
				assert.equal(await searched(message.metadata.turnId), webSearch);
			}
		});

		test('a message with an idempotency key is sent once', async () => {
			const chatId = randomUUID();
			const messages = [user(text)];
			const once = async () => (await read(await send(messages, chatId,
				{ headers: { 'Idempotency-Key': chatId } }))).message;
			const first = await once();

			assert.deepEqual(texts(first), [TEXT]);
			const again = await once();
			assert.deepEqual(texts(again), [TEXT]);
			assert.equal(again.metadata.storedId, first.metadata.storedId);
		});

		test('tools are dynamic parts between the texts', async () => {
			const { message, errors } = await read(await send([user(tools)]));
			assert.deepEqual(errors, []);
			assert.deepEqual(message.parts.map((p) => p.type), ['step-start', 'text',
				'dynamic-tool', 'dynamic-tool', 'step-start', 'text']);
			const [good, bad] = message.parts.filter((p) => p.type === 'dynamic-tool');
			assert.equal(good.toolName, 'query_data');
			assert.equal(good.input.dataset, 'tickets');
			assert.equal(good.state, 'output-available');
			assert.deepEqual(good.output.rows, [[1]]);
			assert.equal(bad.state, 'output-error');
			assert.match(bad.errorText, /^dataset must be one of/);
			assert.deepEqual(texts(message), ['Let me look.', 'It is ticket 1.']);
		});

		for (const [what, message] of [['before', failure], ['within', broken]])
			test(`a failure ${what} the answer is an error`, async () => {
				const { errors } = await read(await send([user(message)]));
				assert.equal(errors.length, 1);
				assert.match(String(errors[0]), /language model/i);
			});

		test('stopping on the server ends the stream', async () => {
			let turn;
			const { message, errors } = await read(await send([user(endless)]), async (m) => {
				if (!turn && texts(m).length) {
					turn = m.metadata.turnId;
					assert.equal((await cancel(turn)).status, 202);
				}
			});
			assert.deepEqual(errors, []);
			assert.equal(message.metadata.finishReason, 'cancelled');
			assert.equal((await ended(turn)).status, 'cancelled');
		});

		test('what is refused is the error of the request', async () => {
			await assert.rejects(send([user(text)], 'c', { trigger: 'regenerate-message' }),
				/not_found/);
			await assert.rejects(send([{ id: '1', role: 'user', parts: [
				{ type: 'data-place', data: {} }] }]), /type text/);
		});

		test('a file is an attachment', async () => {
			await send([{ id: '1', role: 'user', parts: [{ type: 'text', text },
				{ type: 'file', mediaType: 'text/plain', filename: `v${version}.txt`,
					url: 'data:text/plain;base64,TmluZSBkYXlz' }] }]);
			const { body: { items } } = await call('GET', '/attachments?pageSize=100');
			assert.ok(items.some((item) => item.name === `v${version}.txt`));
		});

		test('Chat: a talk of two turns is one stored conversation', async () => {
			const errors = [];
			const chat = new Chat(`my chat ${randomUUID()}`, errors);
			await chat.sendMessage({ text });
			await chat.sendMessage({ text: tools });
			assert.deepEqual(errors, []);
			assert.equal(chat.status, 'ready');
			assert.deepEqual(chat.messages.map((m) => m.role),
				['user', 'assistant', 'user', 'assistant']);
			assert.deepEqual(texts(chat.messages[3]), ['Let me look.', 'It is ticket 1.']);
			const id = chat.messages[1].metadata.conversationId;
			assert.equal(chat.messages[3].metadata.conversationId, id);
			const { body } = await call('GET', `/conversations/${id}/messages?include=steps`);
			assert.deepEqual(body.items.map((m) => m.role).reverse(),
				['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant']);
		});

		test('Chat: regenerate and edit change the stored thread too', async () => {
			const errors = [];
			const chat = new Chat(`my chat ${randomUUID()}`, errors);
			await chat.sendMessage({ text });
			await chat.sendMessage({ text: tools });
			const [, first, second, answer] = chat.messages;
			const id = first.metadata.conversationId;
			const stored = async () => (await call('GET', `/conversations/${id}/messages?include=steps`))
				.body.items.reverse();
			await chat.regenerate();
			assert.deepEqual(texts(chat.messages[3]), ['Let me look.', 'It is ticket 1.']);
			assert.notEqual(chat.messages[3].metadata.storedId, answer.metadata.storedId);
			let rows = await stored();
			assert.deepEqual(rows.map((m) => m.role),
				['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant']);
			assert.equal(rows[6].id, chat.messages[3].metadata.storedId);
			assert.equal(rows[6].variantCount, 2);
			// A message of the client's, by the client's id; it keeps it.
			await chat.sendMessage({ text, messageId: second.id });
			assert.deepEqual(texts(chat.messages[3]), [TEXT]);
			await chat.sendMessage({ text, messageId: second.id });
			rows = await stored();
			assert.deepEqual(rows.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
			assert.equal(rows[2].variantCount, 3);
			// An answer in the middle, by the turn's id, under which the client has it.
			await chat.regenerate({ messageId: first.id });
			rows = await stored();
			assert.equal(chat.messages.length, 2);
			assert.deepEqual(rows.map((m) => m.role), ['user', 'assistant']);
			assert.equal(rows[1].id, chat.messages[1].metadata.storedId);
			assert.deepEqual(errors, []);
		});

		test('Chat: a second tab resumes the answer, all of it, once', async () => {
			const errors = [];
			const id = ai.generateId();
			const first = new Chat(id, errors);
			const sent = first.sendMessage({ text: slow });
			while (!first.messages[1] || !texts(first.messages[1]).join('').includes(' '))
				await new Promise((go) => { setImmediate(go); });
			const second = new Chat(id, errors);
			second.messages = [first.messages[0]];
			await second.resumeStream();
			await sent;
			assert.deepEqual(errors, []);
			assert.equal(second.status, 'ready');
			assert.deepEqual(second.messages.map((m) => m.role), ['user', 'assistant']);
			assert.deepEqual(texts(second.messages[1]), texts(first.messages[1]));
			assert.deepEqual(second.messages[1].parts.map((p) => p.type),
				first.messages[1].parts.map((p) => p.type));
			assert.deepEqual(second.messages[1].parts.filter((p) => p.type === 'dynamic-tool')
				.map((p) => [p.toolCallId, p.state, p.output]),
			first.messages[1].parts.filter((p) => p.type === 'dynamic-tool')
				.map((p) => [p.toolCallId, p.state, p.output]));
			assert.equal(second.messages[1].id, first.messages[1].id);
			assert.equal(second.messages[1].metadata.finishReason, 'stop');
		});

		test('Chat: the message after Stop is answered, what was said is kept', async () => {
			const errors = [], id = ai.generateId(), chat = new Chat(id, errors);
			const first = chat.sendMessage({ text: endless });
			const said = () => chat.lastMessage?.role === 'assistant' && texts(chat.lastMessage).join('');
			while (!said())
				await new Promise((r) => setTimeout(r, 5));
			const { turnId } = chat.lastMessage.metadata;
			await chat.stop();
			await first;
			await chat.sendMessage({ text });
			assert.deepEqual(errors, []);
			assert.deepEqual(texts(chat.lastMessage), [TEXT]);
			assert.equal((await ended(turnId)).status, 'cancelled');
			const { conversationId } = chat.lastMessage.metadata;
			const { body: { items } } = await call('GET', `/conversations/${conversationId}/messages`);
			assert.equal(items.length, 4);
			assert.ok(items.every((m) => m.content));
		});

		test('a resume finds the chat behind a query', async () => {
			const chatId = ai.generateId();
			const queried = transport({ api: `${api}/ai-sdk/lab?agentId=helper` });
			const abort = new AbortController();
			const stream = await queried.sendMessages({ chatId, messages: [user(endless)],
				trigger: 'submit-message', abortSignal: abort.signal });
			const { value } = await stream.getReader().read();
			abort.abort();
			const again = await queried.reconnectToStream({ chatId, headers });
			const { value: start } = await again.getReader().read();
			assert.equal(start.messageId, value.messageId);
			await cancel(value.messageId);
			await ended(value.messageId);
			assert.equal(await queried.reconnectToStream({ chatId, headers }), null);
		});

		test('Chat: nothing to resume is nothing', async () => {
			const errors = [];
			for (const id of [ai.generateId(), randomUUID()]) {
				const chat = new Chat(id, errors);
				await chat.resumeStream();
				assert.equal(chat.status, 'ready');
				assert.equal(chat.messages.length, 0);
				await chat.sendMessage({ text });
				await chat.resumeStream();
				assert.equal(chat.messages.length, 2);
				assert.deepEqual(texts(chat.messages[1]), [TEXT]);
			}
			assert.deepEqual(errors, []);
		});

		test('Chat: an error is its status', async () => {
			const errors = [];
			const chat = new Chat(randomUUID(), errors);
			await chat.sendMessage({ text: failure });
			assert.equal(errors.length, 1);
			assert.equal(chat.status, 'error');
		});
	});
}
