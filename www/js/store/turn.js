// One turn: the user's message, what the assistant did (reasoning, tool
// calls, words between them) and its answer. It is filled either from stored
// rows or from the events of a stream; both give the same parts, so that a
// reload shows what the stream has shown.
import { Observable } from '../observable.js';

/**
 * @typedef Part one of
 *   {kind: 'reasoning', text, running}
 *   {kind: 'text', text}                     words before a tool call
 *   {kind: 'tool', callId, name, args, result, isError, durationMs,
 *    truncated, running}                     result is undefined until known
 */

/** Text of a tool result, or what it holds when it is JSON. */
function parseResult(content)
{
	if (typeof content !== 'string')
		return content;
	try {
		return JSON.parse(content);
	} catch {
		return content;
	}
}

export class Turn extends Observable {
	/** stored rows, oldest first; empty for a turn made from a stream */
	#rows = [];

	constructor(key)
	{
		super();
		/** stays the same for the life of this object; for lists */
		this.key = key;
		this.turnId = '';
		/** the user's message row, or null */
		this.user = null;
		/** @type {Part[]} in order, before the answer */
		this.parts = [];
		/** the answer so far */
		this.text = '';
		/** the stored answer row, or null */
		this.answer = null;
		this.running = false;
		this.stopping = false;
		/** sending thinking executing answering recovering elsewhere */
		this.status = '';
		/** {code, message} from warning events */
		this.warnings = [];
		/** of context-usage: {inputTokens, contextTokens, messages} or null */
		this.context = null;
	}

	/** A turn from stored rows, oldest first. */
	static fromRows(rows)
	{
		const turn = new Turn(rows[0].turnId || rows[0].messageId);

		turn.setRows(rows);
		return turn;
	}

	/** metadata of the answer */
	get meta()
	{
		return this.answer?.metadata || {};
	}

	/** {code, message, retryable} of a turn that failed, or null */
	get failure()
	{
		return this.finish === 'error' ? this.meta.error || {} : null;
	}

	/** stop, length, error, refusal, ...; '' while there is no answer */
	get finish()
	{
		return this.answer ? this.meta.finish_reason || 'stop' : '';
	}

	/** True when the same question may be asked again. */
	get failed()
	{
		if (this.running)
			return false;
		return !this.answer || ['error', 'cancelled', 'interrupted', 'refusal',
			'content_filter'].includes(this.finish);
	}

	/** Puts older rows of the same turn in front. */
	prependRows(rows)
	{
		this.setRows([...rows, ...this.#rows]);
		this.changed();
	}

	/** Takes stored rows, oldest first, in place of what it has. */
	setRows(rows)
	{
		this.#rows = rows;
		this.user = null;
		this.parts = [];
		this.text = '';
		this.answer = null;
		for (const row of rows)
			this.#addRow(row);
	}

	#addRow(row)
	{
		const meta = row.metadata || {};

		if (row.turnId)
			this.turnId = row.turnId;
		if (row.role === 'user') {
			this.user = row;
		} else if (row.role === 'tool') {
			this.#setResult(meta.callId, {
				name: meta.toolName,
				result: parseResult(row.content),
				isError: Boolean(meta.isError),
				durationMs: meta.durationMs,
				truncated: Boolean(meta.truncated),
			});
		} else if (row.role === 'assistant' || row.role === 'agent') {
			if (meta.reasoning) {
				this.parts.push({ kind: 'reasoning', text: meta.reasoning,
					running: false });
			}
			if (meta.step)
				this.#addStep(row, meta);
			else
				this.#setAnswer(row);
		}
	}

	#addStep(row, meta)
	{
		if (row.content)
			this.parts.push({ kind: 'text', text: row.content });
		for (const call of meta.toolCalls || []) {
			this.parts.push({ kind: 'tool', callId: call.callId,
				name: call.toolName, args: call.args, running: false });
		}
	}

	#setAnswer(row)
	{
		this.answer = row;
		this.text = row.content || '';
		// a turn that failed without a word has the reason as its text
		if (this.failure && this.text === this.failure.message)
			this.text = '';
	}

	#setResult(callId, fields)
	{
		const known = this.parts.find((part) =>
			part.kind === 'tool' && part.callId === callId);

		if (known)
			Object.assign(known, fields, { running: false,
				name: known.name || fields.name });
		else
			this.parts.push({ kind: 'tool', callId, running: false, ...fields });
	}

	/** Begins as a stream: shows the text before the server has stored it. */
	begin(content)
	{
		this.user = { role: 'user', content, createdAt: new Date().toISOString() };
		this.running = true;
		this.status = 'sending';
	}

	/**
	 * Takes one event of a stream.
	 * @returns true for the terminal one
	 */
	apply(name, data)
	{
		const last = this.parts[this.parts.length - 1];

		switch (name) {
		case 'user-message':
			this.user = data;
			this.turnId = data.turnId;
			this.status = 'thinking';
			break;
		case 'context-usage':
			this.context = data;
			break;
		case 'status':
			this.status = data.status;
			break;
		case 'reasoning':
			if (last?.kind === 'reasoning' && last.running)
				last.text += data.delta;
			else
				this.parts.push({ kind: 'reasoning', text: data.delta,
					running: true });
			break;
		case 'token':
			this.#endReasoning();
			this.text += data.delta;
			this.status = 'answering';
			break;
		case 'token-reset':
			this.text = '';
			break;
		case 'tool-call':
			this.#endReasoning();
			// what came before the call was not the answer
			if (this.text.trim() !== '')
				this.parts.push({ kind: 'text', text: this.text });
			this.text = '';
			this.parts.push({ kind: 'tool', callId: data.callId,
				name: data.toolName, args: data.args, running: true });
			this.status = 'executing';
			break;
		case 'tool-result':
			this.#setResult(data.callId, {
				name: data.toolName,
				result: parseResult(data.result),
				isError: Boolean(data.isError),
				durationMs: data.durationMs,
				truncated: Boolean(data.truncated),
			});
			break;
		case 'warning':
			this.warnings.push(data);
			break;
		case 'done':
		case 'error':
			this.finishWith(data);
			this.changed();
			return true;
		default:
			// a newer server may tell more than this page knows
			return false;
		}
		this.changed();
		return false;
	}

	/** The answer row is there (null: there is none); nothing runs any more. */
	finishWith(row)
	{
		this.#endReasoning();
		if (row) {
			const text = this.text;

			if (row.turnId)
				this.turnId = row.turnId;
			this.#setAnswer(row);
			if (!row.content && !this.failure)
				this.text = text;
		}
		this.running = false;
		this.stopping = false;
		this.status = '';
		for (const part of this.parts)
			part.running = false;
	}

	#endReasoning()
	{
		for (const part of this.parts) {
			if (part.kind === 'reasoning')
				part.running = false;
		}
	}
}

/** Stored rows, oldest first, as one array of rows per turn. */
export function groupRows(rows)
{
	const groups = [];
	let key = null;

	for (const row of rows) {
		if (row.role === 'system')
			continue;
		const own = row.turnId || (row.role === 'user' ? row.messageId : key);

		if (groups.length === 0 || own !== key)
			groups.push([]);
		groups[groups.length - 1].push(row);
		key = own;
	}
	return groups;
}
