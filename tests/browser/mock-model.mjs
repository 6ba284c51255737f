// What the mock server has in place of a model: scripts as the stand-in model
// understands them (a part of them), and a few answers of its own.
import { setTimeout as wait } from 'node:timers/promises';

const SUBJECTS = ['Printer jams on the second floor', 'VPN drops every hour',
	'New laptop for Mara Lindqvist', 'Shared calendar does not sync',
	'Password reset loop', 'Projector in room 4.12 flickers',
	'Wi-Fi slow in the east wing', 'Licence for the drawing program'];
const PEOPLE = ['Mara Lindqvist', 'Tomasz Zieliński', 'Aino Virtanen',
	'Jonas Weber', 'Priya Raman', 'Émile Fournier'];
const PRIORITIES = ['low', 'normal', 'high', 'urgent'];

/** Tickets without chance in them, so that tests know the numbers. */
export const tickets = Array.from({ length: 214 }, (unused, i) => ({
	id: 4100 + i,
	subject: SUBJECTS[i * 7 % SUBJECTS.length],
	requester: PEOPLE[i * 5 % PEOPLE.length],
	priority: PRIORITIES[i * 3 % 4],
	status: i % 5 === 0 ? 'open' : 'closed',
	opened: `2026-${String(1 + i % 11).padStart(2, '0')}-${
		String(1 + i * 3 % 28).padStart(2, '0')} 09:${String(i % 60).padStart(2, '0')}`,
}));

const COLUMNS = [
	{ name: 'id', type: 'integer', description: 'number of the ticket' },
	{ name: 'subject', type: 'text' },
	{ name: 'requester', type: 'text' },
	{ name: 'priority', type: 'text', values: PRIORITIES },
	{ name: 'status', type: 'text', values: ['open', 'closed'] },
	{ name: 'opened', type: 'datetime' },
];

/** Runs a tool. @returns {result, isError} */
export function runTool(name, args)
{
	if (name === 'list_datasets') {
		return { result: { datasets: [
			{ name: 'tickets', description: 'Help desk tickets', columns: COLUMNS },
		] } };
	}
	if (name !== 'query_data')
		return { result: { error: `unknown tool ${name}` }, isError: true };
	if (args.dataset !== 'tickets')
		return { result: { error: `unknown dataset ${args.dataset}` }, isError: true };
	const rows = tickets.filter((ticket) => (args.filters || []).every((filter) =>
		filter.op !== 'eq' || ticket[filter.column] === filter.value));

	if (args.aggregates) {
		return { result: { dataset: 'tickets',
			columns: [{ name: 'count', type: 'integer' }],
			rows: [[rows.length]], rowCount: 1, truncated: false } };
	}
	const names = args.select || COLUMNS.map((column) => column.name);
	const limit = args.limit || 50;

	return { result: { dataset: 'tickets',
		columns: names.map((wanted) =>
			COLUMNS.map(({ name: n, type }) => ({ name: n, type }))
				.find((column) => column.name === wanted)),
		rows: rows.slice(0, limit).map((row) => names.map((column) => row[column])),
		rowCount: Math.min(rows.length, limit), totalCount: rows.length,
		truncated: rows.length > limit } };
}

const OPEN = tickets.filter((ticket) => ticket.status === 'open').length;

const SHOWCASE = `Here is what an answer can hold.

## A list

1. **Numbered** points, with *emphasis* and \`inline code\`
2. A [link](https://example.org/manual) that opens in a new tab
   - and a nested point

> Quotes are quiet.

## Some code

\`\`\`sql
SELECT d.name, COUNT(*) AS tickets   -- open ones only
FROM ticket t
JOIN department d ON d.id = t.department_id
WHERE t.status = 'open'
GROUP BY d.name ORDER BY tickets DESC LIMIT 5;
\`\`\`

## A table

| Department | Open | Oldest |
|:--|--:|:--|
| Facilities | 17 | 12 days |
| Finance | 9 | 3 days |
| Engineering | 6 | 1 day |

That is all.`;

/** A script for a text that is not one. */
function conversation(text)
{
	if (/tickets are open/i.test(text)) {
		return { rate: 60, first_byte_ms: 250,
			tool_calls: [{ name: 'query_data', args: { dataset: 'tickets',
				filters: [{ column: 'status', op: 'eq', value: 'open' }],
				aggregates: [{ fn: 'count', as: 'count' }] } }],
			then: { rate: 60, text: `There are **${OPEN}** open tickets right now.` } };
	}
	if (/urgent/i.test(text)) {
		return { rate: 60, first_byte_ms: 250, reasoning: 'The person wants the ' +
			'urgent ones that are open. I will ask the tickets dataset.',
			tool_calls: [{ name: 'query_data', args: { dataset: 'tickets',
				select: ['id', 'subject', 'requester', 'opened'],
				filters: [{ column: 'status', op: 'eq', value: 'open' },
					{ column: 'priority', op: 'eq', value: 'urgent' }],
				sort: [{ column: 'opened', direction: 'asc' }], limit: 8 } }],
			then: { rate: 60, text: 'These are the oldest urgent tickets that are ' +
				'still open:\n\n| Ticket | Subject | Requester |\n|--:|:--|:--|\n' +
				tickets.filter((x) => x.status === 'open' && x.priority === 'urgent')
					.slice(0, 4).map((x) => `| ${x.id} | ${x.subject} | ${x.requester} |`)
					.join('\n') + '\n\nShall I look up who is responsible for them?' } };
	}
	if (/format|markdown/i.test(text))
		return { rate: 200, text: SHOWCASE };
	return { rate: 60, text: 'This is a demo without a language model, so I can ' +
		'only answer a few questions about the sample data. Try ' +
		'*“How many tickets are open?”*' };
}

/** The script a message asks for. */
export function scriptFor(text)
{
	if (!text.startsWith('!script '))
		return conversation(text);
	const source = text.slice(8);

	// whatever follows the object is ignored
	for (let end = source.length; end > 0; end = source.lastIndexOf('}', end - 2) + 1) {
		try {
			return JSON.parse(source.slice(0, end));
		} catch {
			if (source.lastIndexOf('}', end - 2) < 0)
				break;
		}
	}
	return { text: 'The script could not be read.' };
}

/**
 * Plays one script.
 * @param sink {emit(name, data), step(row), signal}
 * @returns {text, finish, error, usage, reasoning}
 */
export async function play(script, sink)
{
	const { emit, signal } = sink;
	let usage = 0;

	for (let now = script; ; now = now.then) {
		await wait(now.first_byte_ms || 0, undefined, { signal });
		if (now.error && !now.error.after_tokens)
			return { text: '', finish: 'error', error: now.error };
		if (now.reasoning) {
			for (const word of now.reasoning.match(/\S+\s*/g))
				emit('reasoning', { delta: word });
		}
		if (!now.tool_calls) {
			const end = await speak(now, emit, signal, sink);

			return { ...end, reasoning: now.reasoning, usage: usage + end.tokens };
		}
		if (now.narration)
			await speak({ text: now.narration, rate: now.rate }, emit, signal, {});
		emit('status', { status: 'executing' });
		await useTools(now, sink);
		usage += 12;
		if (!now.then)
			now.then = { text: 'The tool has answered.' };
		emit('token-reset', {});
		emit('status', { status: 'answering' });
	}
}

async function useTools(now, { emit, step, signal })
{
	const calls = now.tool_calls.map((call, i) => ({
		callId: `call_${i}_${Date.now().toString(36)}`,
		toolName: call.name, args: call.args || {} }));

	step({ role: 'assistant', content: now.narration || '', metadata: {
		step: true, toolCalls: calls,
		...now.reasoning ? { reasoning: now.reasoning } : {} } });
	for (const call of calls)
		emit('tool-call', call);
	for (const call of calls) {
		const { result, isError = false } = runTool(call.toolName, call.args);

		await wait(now.tool_ms ?? 30, undefined, { signal });
		emit('tool-result', { toolName: call.toolName, callId: call.callId,
			result, isError, durationMs: 34 });
		step({ role: 'tool', content: JSON.stringify(result), metadata: {
			callId: call.callId, toolName: call.toolName, isError, durationMs: 34 } });
	}
}

async function speak(now, emit, signal, sink)
{
	const text = now.empty ? '' : now.text ?? Array.from(
		{ length: now.tokens || 5 }, (unused, i) => `word${i} `).join('');
	const words = text.match(/\s*\S+\s*/g) || [];
	let sent = '';

	for (let i = 0; i < words.length; i++) {
		if (now.error?.after_tokens === i)
			return { text: sent, finish: 'error', error: now.error, tokens: i };
		if (now.cut_after === i)
			return { text: sent, finish: 'error', tokens: i,
				error: { status: 502, body: 'cut' } };
		if (now.stall_after === i)
			await wait(3600000, undefined, { signal });
		if (now.rate)
			await wait(1000 / now.rate, undefined, { signal });
		emit('token', { delta: words[i] });
		sent += words[i];
		if (sink.said)
			sink.said(sent);
	}
	return { text: sent, finish: now.finish || 'stop', tokens: words.length };
}
