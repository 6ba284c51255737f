// SPDX-License-Identifier: MIT
import Instructor from '@instructor-ai/instructor';
import OpenAI from 'openai';
import { z } from 'zod';

const say = (script) => `!script ${JSON.stringify(script)}`;
const client = new OpenAI({ baseURL: `${process.env.LAMPLIGHTER_URL}/openai/v1`,
	apiKey: process.env.LAMPLIGHTER_TOKEN, maxRetries: 0 });
const town = { city: 'Paris', n: 3 };
const texts = {
	TOOLS: say({ tool_calls: [{ name: 'Town', args: town }] }),
	JSON: say({ text: JSON.stringify(town) }),
	MD_JSON: say({ text: `\`\`\`json\n${JSON.stringify(town)}\n\`\`\`` }),
	JSON_SCHEMA: say({ text: JSON.stringify(town) }),
	FUNCTIONS: say({ tool_calls: [{ name: 'Town', args: town }] }),
};
const out = {};

for (const [mode, content] of Object.entries(texts)) {
	try {
		const { city, n } = await Instructor({ client, mode }).chat.completions.create({
			model: 'lab/helper', messages: [{ role: 'user', content }], max_retries: 0,
			response_model: { name: 'Town',
				schema: z.object({ city: z.string(), n: z.number() }) } });
		out[mode] = { city, n };
	} catch (error) {
		out[mode] = String(error.message);
	}
}
console.log(JSON.stringify(out));
