// SPDX-License-Identifier: MIT
// What the client tests have in common: where the Lab is, and its turns.
export const url = process.env.LAMPLIGHTER_URL;
export const token = process.env.LAMPLIGHTER_TOKEN;
export const headers = { Authorization: `Bearer ${token}` };
export const api = `${url}/api/v1`;

// A message that makes the stand-in model play a script.
export const script = (s) => `!script ${JSON.stringify(s)}`;

export const TEXT = 'Hello wörld 👋 out there.';
export const text = script({ reasoning: 'Let me think.', text: TEXT });
export const tools = script({
	narration: 'Let me look.',
	tool_calls: [
		{ name: 'query_data', args: { dataset: 'tickets', select: ['id'], limit: 1 } },
		{ name: 'query_data', args: { dataset: 'nope' } },
	],
	then: { text: 'It is ticket 1.' },
});
// Two seconds of text behind a tool call.
export const slow = script({
	narration: 'Let me look.',
	tool_calls: [{ name: 'query_data', args: { dataset: 'tickets', select: ['id'], limit: 1 } }],
	then: { tokens: 80, rate: 40 },
});
export const search = script({
	tool_calls: [{ name: 'web_search', args: { query: 'q' } }], then: { text: TEXT },
});
export const failure = script({ error: { status: 401, body: 'nope' } });
export const broken = script({ text: 'one two three four five six', cut_after: 3 });
export const endless = script({ tokens: 100000, rate: 100 });

export async function call(method, path, body) {
	const answer = await fetch(api + path, {
		method,
		headers: { ...headers, 'Content-Type': 'application/json' },
		body: body && JSON.stringify(body),
	});
	return { status: answer.status, body: await answer.json() };
}

// Whether a turn that played `search` had the tool.
export async function searched(turn)
{
	const { body: { conversationId } } = await call('GET', `/turns/${turn}`);
	const { body: { items } } = await call('GET', `/conversations/${conversationId}/messages?include=steps`);
	const { content } = items.find((row) => row.role === 'tool' && row.turnId === turn);

	return JSON.parse(content).error.code !== 'tool_unknown';
}

export const cancel = (turn) => call('POST', `/turns/${turn}/cancel`, {});

// The state of a turn once it has ended.
export async function ended(turn) {
	for (const end = Date.now() + 20000; Date.now() < end;) {
		const { body } = await call('GET', `/turns/${turn}`);
		if (body.status !== 'running')
			return body;
	}
	throw new Error(`turn ${turn} does not end`);
}

// The state below the AI SDK's hooks, without a framework that draws it.
export const chatState = () => ({
	status: 'ready', error: undefined, messages: [],
	pushMessage(m) { this.messages = [...this.messages, m]; },
	popMessage() { this.messages = this.messages.slice(0, -1); },
	replaceMessage(i, m) { this.messages = this.messages.map((old, k) => (k === i ? m : old)); },
	snapshot: (v) => structuredClone(v),
});
