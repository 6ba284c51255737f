// SPDX-License-Identifier: MIT
import { ChatModelStreamHandler, createContentAggregator, GraphEvents, ModelEndHandler, Providers,
	Run } from '@librechat/agents';
import { HumanMessage } from '@langchain/core/messages';

const say = (script) => `!script ${JSON.stringify(script)}`;

// The parts of the answer to a message, as LibreChat shows them.
async function parts(name, script)
{
	const { contentParts, aggregateContent } = createContentAggregator();
	const gather = (event) => ({ handle: (_, data) => aggregateContent({ event, data }) });
	const run = await Run.create({
		runId: name, returnContent: true,
		graphConfig: { type: 'standard', instructions: 'Be brief.',
			reasoningKey: 'reasoning_content',
			llmConfig: { provider: Providers.OPENAI, model: 'lab/helper', streaming: true,
				apiKey: process.env.LAMPLIGHTER_TOKEN,
				configuration: { baseURL: `${process.env.LAMPLIGHTER_URL}/openai/v1` } } },
		customHandlers: {
			[GraphEvents.CHAT_MODEL_STREAM]: new ChatModelStreamHandler(),
			[GraphEvents.CHAT_MODEL_END]: new ModelEndHandler(),
			[GraphEvents.ON_RUN_STEP]: gather(GraphEvents.ON_RUN_STEP),
			[GraphEvents.ON_MESSAGE_DELTA]: gather(GraphEvents.ON_MESSAGE_DELTA),
			[GraphEvents.ON_REASONING_DELTA]: gather(GraphEvents.ON_REASONING_DELTA) },
	});

	await run.processStream({ messages: [new HumanMessage(say(script))] },
		{ configurable: { thread_id: name }, streamMode: 'values', version: 'v2' });
	return contentParts.filter(Boolean);
}

console.log(JSON.stringify({
	thought: await parts('thought', { reasoning: 'Let me think.', text: 'Hello wörld.' }),
	server: await parts('server', {
		tool_calls: [{ name: 'query_data', args: { dataset: 'tickets', limit: 1 } }],
		then: { text: 'It is ticket 1.' } }),
}));
process.exit(0);
