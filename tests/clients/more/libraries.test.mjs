// SPDX-License-Identifier: MIT
// Libraries of agents with an agent of Lamplighter as their model: see install.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { install, played } from './install.mjs';

const TOWN = { city: 'Paris', n: 3 };
const options = { timeout: 900000 };	// npm installs hundreds of packages

test('Mastra: answers, streams, tools of both sides, typed answers', options, () => {
	assert.deepEqual(played(install('@mastra/core@1.71.0', 'zod@4.6.7'), 'mastra.mjs'), {
		plain: 'Hello wörld.', stream: 'one two three', server: 'It is ticket 1.',
		client: 'Sunny.', asked: ['Paris'], typed: TOWN });
});

test('Genkit: answers, streams, tools of both sides, typed answers', options, () => {
	assert.deepEqual(played(install('genkit@1.42.0', '@genkit-ai/compat-oai@1.42.0'),
		'genkit.mjs'), {
		plain: 'Hello wörld.', stream: 'one two three', server: 'It is ticket 1.',
		client: 'Sunny.', typed: TOWN });
});

test('Instructor: typed answers in each mode that OpenAI still has', options, () => {
	const { FUNCTIONS, ...rest } = played(install('@instructor-ai/instructor@1.7.0',
		'openai@4.104.0', 'zod@3.25.76'), 'instructor.mjs');

	assert.deepEqual(rest, { TOOLS: TOWN, JSON: TOWN, MD_JSON: TOWN, JSON_SCHEMA: TOWN });
	assert.match(FUNCTIONS, /tools/);
});

test('LibreChat\'s agents: a stream with reasoning, a tool of the server', options, () => {
	const { thought, server } = played(install('@librechat/agents@3.9.2'), 'librechat.mjs');

	assert.deepEqual(thought.map((part) => part.think ?? part.text),
		['Let me think.', 'Hello wörld.']);
	assert.equal(server.at(-1).text, 'It is ticket 1.');
});
