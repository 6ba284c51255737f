// SPDX-License-Identifier: MIT
import { openAICompatible } from '@genkit-ai/compat-oai';
import { genkit, z } from 'genkit';

const say = (script) => `!script ${JSON.stringify(script)}`;
const model = 'lamp/lab/helper';
const ai = genkit({ plugins: [openAICompatible({ name: 'lamp',
	apiKey: process.env.LAMPLIGHTER_TOKEN,
	baseURL: `${process.env.LAMPLIGHTER_URL}/openai/v1` })] });
const weather = ai.defineTool({ name: 'weather', description: 'The weather.',
	inputSchema: z.object({ city: z.string() }), outputSchema: z.string() },
async ({ city }) => `sunny in ${city}`);
const out = {};

out.plain = (await ai.generate({ model, prompt: say({ text: 'Hello wörld.' }) })).text;
const { stream } = ai.generateStream({ model, prompt: say({ text: 'one two three' }) });
out.stream = '';
for await (const piece of stream)
	out.stream += piece.text;
out.server = (await ai.generate({ model, prompt: say({
	tool_calls: [{ name: 'query_data', args: { dataset: 'tickets', limit: 1 } }],
	then: { text: 'It is ticket 1.' } }) })).text;
out.client = (await ai.generate({ model, tools: [weather], prompt: say({
	tool_calls: [{ name: 'weather', args: { city: 'Paris' } }],
	then: { text: 'Sunny.' } }) })).text;
out.typed = (await ai.generate({ model, prompt: say({ text: '{"city":"Paris","n":3}' }),
	output: { schema: z.object({ city: z.string(), n: z.number() }) } })).output;
console.log(JSON.stringify(out));
process.exit(0);
