// SPDX-License-Identifier: MIT
// Libraries that build on OpenAI's format: the AI SDK, LangChain and LlamaIndex.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool as langTool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { tool as llamaTool } from '@llamaindex/core/tools';
import { OpenAI as LlamaOpenAI, OpenAIEmbedding } from '@llamaindex/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

import { TEXT, script, text, token, tools, url } from './common.mjs';

const baseURL = `${url}/openai/v1`;
const adds = z.object({ a: z.number(), b: z.number() });
const sum = script({ tool_calls: [{ name: 'add', args: { a: 1, b: 2 } }], then: { text: 'Three.' } });
const passages = Array.from({ length: 100 }, (_, i) => `text ${i}`);

// Without .chat, its default, it refers to earlier items instead of repeating them.
const site = createOpenAI({ baseURL, apiKey: token });
for (const [name, model] of [['responses', site('lab/helper')], ['chat', site.chat('lab/helper')]])
	test(`the AI SDK's provider, ${name}`, async () => {
		const asked = { model, maxRetries: 0, system: 'Be brief.' };
		const said = [{ role: 'user', content: text }];
		const first = await generateText({ ...asked, messages: said });
		assert.equal(first.text, TEXT);
		const second = streamText({ ...asked, messages: [...said, ...first.response.messages,
			{ role: 'user', content: script({ text: 'Again.' }) }] });
		assert.equal(await second.text, 'Again.');
		const add = tool({ description: 'Adds.', inputSchema: adds, execute: ({ a, b }) => a + b });
		const last = await generateText({ ...asked, tools: { add }, stopWhen: stepCountIs(3), prompt: sum });
		assert.equal(last.text, 'Three.');
		assert.equal(last.steps.length, 2);
	});

for (const useResponsesApi of [false, true]) {
	const model = new ChatOpenAI({
		configuration: { baseURL }, apiKey: token, model: 'lab/helper', maxRetries: 0, useResponsesApi });

	test(`LangChain, responses: ${useResponsesApi}`, async () => {
		const got = await model.invoke([new SystemMessage('Be brief.'), new HumanMessage(text)]);
		assert.equal(got.text, TEXT);
		assert.ok(got.usage_metadata.total_tokens > 0);
		let said = '';
		for await (const part of await model.stream(text))
			said += part.text;
		assert.equal(said, TEXT);
		assert.match((await model.invoke(tools)).text, /It is ticket 1\.$/);
	});

	test(`LangChain's tools and typed answers, responses: ${useResponsesApi}`, async () => {
		const add = langTool(({ a, b }) => String(a + b), { name: 'add', description: 'Adds.', schema: adds });
		const bound = model.bindTools([add]);
		const first = await bound.invoke([new HumanMessage(sum)]);
		const result = await add.invoke(first.tool_calls[0]);
		assert.equal((await bound.invoke([new HumanMessage(sum), first, result])).text, 'Three.');
		for (const [method, said] of [['jsonSchema', script({ text: '{"n": 4}' })],
			['functionCalling', script({ tool_calls: [{ name: 'x', args: { n: 4 } }] })]]) {
			const typed = model.withStructuredOutput(z.object({ n: z.number() }), { name: 'x', method });
			assert.deepEqual(await typed.invoke(said), { n: 4 });
		}
	});
}

test("LangChain's vectors", async () => {
	const vectors = new OpenAIEmbeddings({ configuration: { baseURL }, apiKey: token, model: 'vectors' });
	const all = await vectors.embedDocuments(passages);
	assert.deepEqual(all.map((one) => one.length), passages.map(() => 64));
	assert.equal((await vectors.embedQuery('x')).length, 64);
});

test('LlamaIndex', async () => {
	const llm = new LlamaOpenAI({ baseURL, apiKey: token, model: 'lab/helper', maxRetries: 0, supportToolCall: true });
	const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: text }];
	assert.equal((await llm.chat({ messages })).message.content, TEXT);
	let said = '';
	for await (const part of await llm.chat({ messages, stream: true }))
		said += part.delta;
	assert.equal(said, TEXT);
	const add = llamaTool({ name: 'add', description: 'Adds.', parameters: adds, execute: ({ a, b }) => `${a + b}` });
	const asked = [{ role: 'user', content: sum }];
	const first = await llm.chat({ messages: asked, tools: [add] });
	const [{ id }] = first.message.options.toolCall;
	const last = await llm.chat({ tools: [add], messages: [...asked, first.message, {
		role: 'user', content: '3', options: { toolResult: { id, result: '3', isError: false } } }] });
	assert.equal(last.message.content, 'Three.');
	const vectors = new OpenAIEmbedding({ baseURL, apiKey: token, model: 'vectors', embedBatchSize: 40 });
	assert.equal((await vectors.getTextEmbeddingsBatch(passages)).length, 100);
});
