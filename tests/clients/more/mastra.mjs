// SPDX-License-Identifier: MIT
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const say = (script) => `!script ${JSON.stringify(script)}`;
const asked = [];
const weather = createTool({ id: 'weather', description: 'The weather.',
	inputSchema: z.object({ city: z.string() }),
	execute: async (input) => { asked.push(input.city ?? input.context?.city); return { sunny: true }; } });
const agent = new Agent({ id: 'a', name: 'a', instructions: 'Be brief.', tools: { weather },
	model: { id: 'lamp/lab/helper', url: `${process.env.LAMPLIGHTER_URL}/openai/v1`,
		apiKey: process.env.LAMPLIGHTER_TOKEN } });
const out = {};

out.plain = (await agent.generate(say({ text: 'Hello wörld.' }))).text;
out.stream = '';
for await (const piece of (await agent.stream(say({ text: 'one two three' }))).textStream)
	out.stream += piece;
out.server = (await agent.generate(say({
	tool_calls: [{ name: 'query_data', args: { dataset: 'tickets', limit: 1 } }],
	then: { text: 'It is ticket 1.' } }))).text;
out.client = (await agent.generate(say({
	tool_calls: [{ name: 'weather', args: { city: 'Paris' } }], then: { text: 'Sunny.' } }))).text;
out.asked = asked;
out.typed = (await agent.generate(say({ text: '{"city":"Paris","n":3}' }), {
	structuredOutput: { schema: z.object({ city: z.string(), n: z.number() }) } })).object;
console.log(JSON.stringify(out));
process.exit(0);
