// SPDX-License-Identifier: MIT
// The official OpenAI client against {base}/openai/v1.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import OpenAI from 'openai';

import { TEXT, broken, call, endless, ended, failure, script, search, searched, text, token, tools, url } from './common.mjs';

let requests = 0;
const client = new OpenAI({
	baseURL: `${url}/openai/v1`,
	apiKey: token,
	fetch: (...args) => {
		requests++;
		return fetch(...args);
	},
});
const ask = (content, more = {}) => ({
	model: 'lab/helper', messages: [{ role: 'user', content }], ...more,
});

test('models are agents', async () => {
	const ids = [];
	for await (const model of client.models.list())
		ids.push(model.id);
	assert.deepEqual(ids, ['lab', 'lab/helper', 'lab/plain', 'lab/editor', 'lab/codex', 'lab/pi',
		'lab/qwen', 'lab/cn', 'lab/planner', 'vectors', 'ranks']);
});

test('vectors, as the client asks for them and as numbers', async () => {
	const input = ['leave', 'trains are late'];
	const [packed, plain] = await Promise.all([undefined, 'float'].map((encoding_format) =>
		client.embeddings.create({ model: 'vectors', input, encoding_format })));
	assert.deepEqual(packed.data.map((one) => one.index), [0, 1]);
	assert.equal(packed.data[0].embedding.length, 64);
	for (const [i, one] of packed.data.entries())
		for (const [k, n] of one.embedding.entries())
			assert.ok(Math.abs(n - plain.data[i].embedding[k]) < 1e-6);
	assert.ok(packed.usage.total_tokens > 0);
	await assert.rejects(client.embeddings.create({ model: 'vectors', input: [[1, 2]] }),
		(e) => e instanceof OpenAI.BadRequestError && e.param === 'input');
	await assert.rejects(client.embeddings.create({ model: 'lab', input }), OpenAI.NotFoundError);
	const ranked = await client.post('/rerank', { body: {
		model: 'ranks', query: 'which?', documents: ['two words', 'one'], top_n: 1 } });
	assert.deepEqual(ranked.results.map((one) => one.index), [1]);
});

test('a plain completion, tools run on the server', async () => {
	const done = await client.chat.completions.create(ask(tools));
	assert.equal(done.choices[0].message.content, 'It is ticket 1.');
	assert.equal(done.choices[0].finish_reason, 'stop');
	assert.equal(done.choices[0].message.tool_calls, undefined);
	assert.ok(done.usage.total_tokens > 0);
	assert.ok(done._request_id);
});

test('a stream, chunk by chunk', async () => {
	const stream = await client.chat.completions.create(
		ask(text, { stream: true, stream_options: { include_usage: true } }));
	let said = '', usage;
	for await (const chunk of stream) {
		said += chunk.choices[0]?.delta?.content ?? '';
		usage = chunk.usage ?? usage;
	}
	assert.equal(said, TEXT);
	assert.ok(usage.completion_tokens > 0);
});

// P-F5.
test('the stream helper puts it together', async () => {
	const runner = client.chat.completions.stream(
		ask(text, { stream_options: { include_usage: true } }));
	let deltas = '';
	runner.on('content', (delta) => { deltas += delta; });
	const done = await runner.finalChatCompletion();
	assert.equal(done.choices[0].message.content, TEXT);
	assert.equal(done.choices[0].message.role, 'assistant');
	assert.equal(done.choices[0].finish_reason, 'stop');
	assert.equal(deltas, TEXT);
	assert.ok((await runner.totalUsage()).total_tokens > 0);
});

test('the whole given history is the context', async () => {
	const messages = [
		{ role: 'system', content: 'Be brief.' },
		{ role: 'user', content: [{ type: 'text', text: 'before' }] },
		{ role: 'assistant', content: 'an answer' },
		{ role: 'user', content: text },
	];
	const short = await client.chat.completions.create(ask(text));
	const long = await client.chat.completions.create(ask('', { messages }));
	assert.equal(long.choices[0].message.content, TEXT);
	assert.ok(long.usage.prompt_tokens > short.usage.prompt_tokens);
});

test('a typed answer is parsed by the client', async () => {
	const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: {
		type: 'object', required: ['n'], additionalProperties: false,
		properties: { n: { type: 'integer' } },
	} } };
	const typed = ask(script({ text: '```json\n{"n": 4}\n```' }),
		{ response_format: format, temperature: 0, seed: 1, max_completion_tokens: 50 });
	const done = await client.chat.completions.parse(typed);
	assert.deepEqual(done.choices[0].message.parsed, { n: 4 });
	const runner = client.chat.completions.stream(typed);
	assert.deepEqual((await runner.finalChatCompletion()).choices[0].message.parsed, { n: 4 });
});

// The helper runs its own tools and sends the results until there is an answer.
test('tools of the client, and of the server beside them', async () => {
	for (const stream of [false, true]) {
		const read = [];
		const runner = client.chat.completions.runTools(ask(script({
			narration: 'Let me look.',
			tool_calls: [
				{ name: 'read_file', args: { path: 'a.c' } },
				{ name: 'query_data', args: { dataset: 'tickets', select: ['id'], limit: 1 } },
			],
			then: { tool_calls: [{ name: 'read_file', args: { path: 'b.c' } }], then: { text: TEXT } },
		}), { stream, tools: [{ type: 'function', function: {
			name: 'read_file', description: 'Reads a file.', parse: JSON.parse,
			parameters: { type: 'object', properties: { path: { type: 'string' } } },
			function: ({ path }) => {
				read.push(path);
				return `int main; // ${path}`;
			},
		} }] }));
		const done = await runner.finalChatCompletion();
		assert.deepEqual(read, ['a.c', 'b.c']);
		assert.equal(done.choices[0].message.content, TEXT);
		assert.equal(done.choices[0].finish_reason, 'stop');
	}
});

test('errors are the classes that clients know', async () => {
	await assert.rejects(client.chat.completions.create(ask(text, { model: 'lab/nobody' })),
		(e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found' &&
			e.param === 'model');
	await assert.rejects(client.chat.completions.create(ask(text, {
		tools: [{ type: 'custom', custom: { name: 'f' } }],
	})), (e) => e instanceof OpenAI.BadRequestError && e.param === 'tools');
	await assert.rejects(client.withOptions({ apiKey: 'wrong' }).models.list(),
		(e) => e instanceof OpenAI.AuthenticationError && e.type === 'authentication_error');
});

test('what would fail again is not sent again', async () => {
	requests = 0;
	await assert.rejects(client.chat.completions.create(ask(failure)),
		(e) => e instanceof OpenAI.InternalServerError && e.status === 502 &&
			e.code === 'upstream_auth');
	assert.equal(requests, 1);
});

test('a failure in the stream is an error of the stream', async () => {
	let said = '';
	await assert.rejects(async () => {
		const stream = await client.chat.completions.create(ask(broken, { stream: true }));
		for await (const chunk of stream)
			said += chunk.choices[0].delta.content ?? '';
	}, (e) => e instanceof OpenAI.APIError && e.code === 'upstream_ended_early');
	assert.match(said, /^one /);
});

test('the web is asked as the format has it', async () => {
	for (const [more, wanted] of [[{}, false], [{ web_search_options: {} }, true],
		[{ tools: [{ type: 'web_search' }] }, true]]) {
		const done = await client.chat.completions.create(ask(search, more));
		assert.equal(done.choices[0].message.content, TEXT);
		assert.equal(await searched(done.id.replace('chatcmpl-', '')), wanted);
	}
});

test('a completion with an idempotency key is made once', async () => {
	const headers = { 'Idempotency-Key': crypto.randomUUID() };
	const once = (stream) => client.chat.completions.create(ask(text, { stream }), { headers });
	const first = await once(false);

	assert.deepEqual(await once(false), first);
	let said = '';
	for await (const chunk of await once(true)) {
		assert.equal(chunk.id, first.id);
		said += chunk.choices[0]?.delta?.content ?? '';
	}
	assert.equal(said, TEXT);
});

// P-F9: here nothing could be continued.
test('a stream that is left stops its turn', async () => {
	const stream = await client.chat.completions.create(ask(endless, { stream: true }));
	let turn;
	for await (const chunk of stream) {
		turn = chunk.id.replace('chatcmpl-', '');
		if (chunk.choices[0].delta.content)
			break;
	}
	assert.equal((await ended(turn)).status, 'cancelled');
});

// Sixty messages of one chat, as a program keeps them.
test('a chat is one conversation', async () => {
	for (const stream of [false, true]) {
		const messages = [{ role: 'system', content: 'Be brief.' }], ids = new Set();

		for (let n = 1; n <= 30; n++) {
			messages[0].content = `Be brief. It is ${n} past ten.`;
			messages.push({ role: 'user', content: script({ text: `Answer ${n}.\n\n- so\n` }) });
			const done = stream
				? await client.chat.completions.stream(ask('', { messages })).finalChatCompletion()
				: await client.chat.completions.create(ask('', { messages }));

			messages.push(done.choices[0].message);
			ids.add((await call('GET', `/turns/${done.id.slice('chatcmpl-'.length)}`))
				.body.conversationId);
		}
		assert.equal(ids.size, 1);
		const { body } = await call('GET', `/conversations/${[...ids][0]}`);
		assert.equal(body.messageCount, 60);
		assert.equal(body.client, 'clients');	// what its token is for
	}
});

// The Responses API: the SDK's own accumulation of the events is the check.
test('responses, their streams, and what follows them', async () => {
	const create = (input, more = {}) =>
		client.responses.create({ model: 'lab/helper', input, ...more });
	const first = await create(text, { instructions: 'Be brief.' });

	assert.equal(first.output_text, TEXT);
	const runner = client.responses.stream({ model: 'lab/helper', input: text,
		previous_response_id: first.id });
	const kinds = new Set();
	for await (const event of runner)
		kinds.add(event.type);
	const second = await runner.finalResponse();
	assert.equal(second.output_text, TEXT);
	assert.ok(kinds.has('response.reasoning_summary_text.delta'));
	assert.ok(kinds.has('response.completed'));
	const late = await create(text, { background: true });
	const events = [];
	for await (const event of await client.responses.retrieve(late.id, { stream: true }))
		events.push(event);
	assert.equal(events.at(-1).response.output.at(-1).content[0].text, TEXT);
	const rest = [];
	for await (const event of await client.responses.retrieve(late.id,
		{ stream: true, starting_after: events[4].sequence_number }))
		rest.push(event.sequence_number);
	assert.deepEqual(rest, events.slice(5).map((event) => event.sequence_number));
	const got = await client.responses.retrieve(first.id);
	const { data: [asked] } = await client.responses.inputItems.list(first.id);
	assert.equal(asked.role, 'user');
	assert.equal((await client.responses.cancel(first.id)).id, first.id);
	const { data: none } = await client.responses.inputItems.list(first.id, { after: asked.id });
	assert.deepEqual(none.map((item) => item.role), ['system']);
	assert.equal(got.status, 'completed');
	const typed = await client.responses.parse({ model: 'lab/helper',
		input: script({ text: '{"n": 4}' }), text: { format: { type: 'json_schema', name: 'x',
			strict: true, schema: { type: 'object', required: ['n'],
				additionalProperties: false,
				properties: { n: { type: 'integer' } } } } } });
	assert.deepEqual(typed.output_parsed, { n: 4 });
	await client.responses.delete(first.id);
	await assert.rejects(client.responses.retrieve(first.id), OpenAI.NotFoundError);
	await assert.rejects(create('x', { previous_response_id: 'resp_none' }),
		(e) => e instanceof OpenAI.NotFoundError && e.param === 'previous_response_id');
	await assert.rejects(async () => {
		const stream = await create(broken, { stream: true });
		let failed;
		for await (const event of stream)
			failed = event.type === 'response.failed';
		assert.ok(failed);
		throw new Error('as it should');
	}, /as it should/);
});

test('tools of the client of a response', async () => {
	for (const stream of [false, true]) {
		const input = [{ role: 'user', content: script({
			narration: 'Let me look.',
			tool_calls: [{ name: 'read_file', args: { path: 'a.c' } }], then: { text: TEXT },
		}) }];
		const ask = async (more = {}) => {
			const body = { model: 'lab/helper', input, store: false, ...more, tools: [{
				type: 'function', name: 'read_file', strict: false,
				parameters: { type: 'object', properties: { path: { type: 'string' } } },
			}] };

			return stream ? client.responses.stream(body).finalResponse() :
				client.responses.create(body);
		};
		const first = await ask();
		const call = first.output.find((item) => item.type === 'function_call');

		assert.deepEqual(JSON.parse(call.arguments), { path: 'a.c' });
		input.push(...first.output,
			{ type: 'function_call_output', call_id: call.call_id, output: 'int main;' });
		assert.match((await ask()).output_text, new RegExp(`${TEXT}$`));
	}
});
