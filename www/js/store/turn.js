// SPDX-License-Identifier: MIT
// One turn: the user's message, what the assistant did (reasoning, tool
// calls, words between them) and its answer. It is filled either from stored
// rows or from the events of a stream; both give the same parts, so that a
// reload shows what the stream has shown.
import { parseExact } from '../exact.js';
import { Observable } from '../observable.js';

/** The number in the id of a plan's call is that of its step times this, and more. */
const CALLS_OF_STEP = 2 ** 20;

/** The number of the step that a waiting call belongs to; -1: none of this plan. */
export function stepOfCall(planId, callId)
{
	const [, number] = String(callId).split(`plan-${planId}-`);

	return number === undefined ? -1 : Math.floor(Number(number) / CALLS_OF_STEP);
}

/**
 * @typedef {{toolName: string, text: string, running: boolean, isError: boolean}} Step
 *
 * @typedef {object} Part
 * @property {'reasoning' | 'text' | 'tool'} kind text: words before a tool call
 * @property {string} [text] of the first two
 * @property {boolean} [running] of reasoning and tools
 * @property {string} [callId] this and the rest: of tools
 * @property {string} [name]
 * @property {string} [title]
 * @property {any} [args]
 * @property {any} [result] undefined until it is known
 * @property {boolean} [isError]
 * @property {number} [durationMs]
 * @property {boolean} [superseded] it was not run: the user wrote something else
 * @property {import('../ui/effects.js').Effect[]} [changes] what it has changed in projects
 * @property {boolean} [truncated]
 * @property {Step[]} [steps]
 *
 * @typedef {Record<string, any>} Wait what a turn waits for, as the event `waiting` says it
 */

/** Text of a tool result, or its value if it is JSON. */
function parseResult(content)
{
	if (typeof content !== 'string')
		return content;
	try {
		return parseExact(content);
	} catch {
		return content;
	}
}

/**
 * The board that is told, but what the user has stopped stays so until it has ended: the process
 * that runs it knows it a moment later.
 */
function stillStopping(before, board)
{
	return { ...board, progress: board.progress.map((one, i) =>
		(one.status === 'running' && before?.progress[i]?.status === 'stopping' ?
			{ ...one, status: 'stopping' } : one)) };
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
		/** the row, other than the user's, that has several versions */
		this.versioned = null;
		this.running = false;
		this.stopping = false;
		/** sending thinking executing answering */
		this.status = '';
		/** '' or reconnecting: of a running turn */
		this.connection = '';
		/** the user's message while it is being edited, or null */
		this.editing = null;
		/** the same of the answer */
		this.correcting = null;
		/** where that was begun and its end leads back to: '' its button, or 'field' */
		this.editedFrom = '';
		/** true if it continues the turn above it */
		this.goesOn = false;
		/** of source events: {number, title, page, …}; see sources */
		this.told = [];
		/** the name of another agent that was asked; '' for the chat's own */
		this.lent = '';
		/** the mode that an event told */
		this.toldMode = '';
		/** {code, message} from warning events */
		this.warnings = [];
		/** @type {Wait[]} approvals, questions, page tools */
		this.waiting = [];
		/** @type {Map<string, import('../ui/plan.js').Board>} where its plans stand, by call */
		this.boards = new Map();
		/** true if it waits for nobody: its process died, and another can go on */
		this.sleeps = false;
		/** number of the last event taken */
		this.seen = 0;
		/** of context-usage: {inputTokens, contextTokens, messages} or null */
		this.context = null;
		/** {text, reason} that only this page has, or null */
		this.lost = null;
		/** @type {import('./ratings.js').Rating | null} of the answer, once it was asked for */
		this.rating = null;
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

	/** The name of another agent than the chat's, if one answers; or '' */
	get by()
	{
		return this.meta.agentName || this.lent;
	}

	/** What the user wants of projects, if the turn changes any: clarify, inform or act */
	get mode()
	{
		return this.toldMode || this.meta.mode || '';
	}

	/**
	 * The citable sources, by number: {number, documentId, …}, with the
	 * title if known, and gone if it no longer exists.
	 */
	get sources()
	{
		return (this.meta.sources || []).map((source) => ({ ...source,
			...this.told.find(({ number }) => number === source.number) }));
	}

	/** The sources as the server has them now. */
	tellSources(items)
	{
		this.told = (this.meta.sources || []).map(({ number }) =>
			items.find((item) => item.number === number) || { number, gone: true });
		this.changed();
	}

	/** the id of the stored answer, or undefined */
	get answerId()
	{
		return this.answer?.messageId;
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

	/** True if it continues the answer above it. */
	get continues()
	{
		return this.goesOn || Boolean(this.meta.continues);
	}

	/**
	 * True if it waited for the user, who wrote something else: its calls were not run.
	 * The record of that is that there is no end of it, although the thread continues, or
	 * that its rows say so.
	 * @param newest whether no turn follows it
	 */
	superseded(newest)
	{
		return !newest && !this.running && !this.answer && this.waiting.length === 0 &&
			this.parts.some((part) => part.kind === 'tool' &&
				(part.result === undefined || part.superseded));
	}

	/** A step of one of its plans is skipped or stopping; what it waited for is not asked any more. */
	skipStep(planId, stepId, status, waits)
	{
		for (const [callId, board] of this.boards) {
			if (board.planId !== planId)
				continue;
			this.boards.set(callId, { ...board, progress: board.progress.map((one) =>
				(one.id === stepId ? { ...one, status } : one)) });
		}
		this.waiting = this.waiting.filter((wait) => !waits.includes(wait));
		this.changed();
	}

	/** True if the answer was cut short and can be continued. */
	get cut()
	{
		return !this.running && this.waiting.length === 0 && Boolean(this.turnId) &&
			(!this.answer || ['error', 'cancelled', 'interrupted'].includes(this.finish));
	}

	/** True if the same question can be asked again. */
	get failed()
	{
		if (this.running || this.waiting.length > 0 || this.sleeps)
			return false;
		return !this.answer || ['error', 'cancelled', 'interrupted', 'refusal',
			'content_filter'].includes(this.finish);
	}

	/** Its rows, oldest first; none, if it was made from a stream. */
	get rows()
	{
		return this.#rows;
	}

	/** Puts older rows of the same turn in front. */
	prependRows(rows)
	{
		this.setRows([...rows, ...this.#rows]);
		this.changed();
	}

	/** Whether the user has written the answer. */
	get corrected()
	{
		return Boolean(this.meta.corrected);
	}

	/** Takes stored rows, oldest first, in place of the current ones. */
	setRows(rows)
	{
		const { answerId } = this;

		this.#rows = rows;
		this.user = null;
		this.parts = [];
		this.text = '';
		this.answer = null;
		this.versioned = null;
		for (const row of rows)
			this.#addRow(row);
		// another version of it
		if (answerId !== this.answerId)
			this.rating = null;
	}

	#addRow(row)
	{
		const meta = row.metadata || {};

		if (row.turnId)
			this.turnId = row.turnId;
		if (row.role !== 'user' && row.variantCount > 1)
			this.versioned = row;
		if (row.role === 'user') {
			this.user = row;
		} else if (row.role === 'tool') {
			this.#setResult(meta.callId, {
				name: meta.toolName,
				result: parseResult(row.content),
				isError: Boolean(meta.isError),
				durationMs: meta.durationMs,
				truncated: Boolean(meta.truncated),
				...meta.changes && { changes: meta.changes },
				...meta.superseded && { superseded: true },
				...meta.steps && { steps: meta.steps.map((step) =>
					({ ...step, running: false })) },
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
				name: call.toolName, title: call.title, args: call.args,
				running: false });
		}
	}

	#setAnswer(row)
	{
		this.answer = row;
		this.text = row.content || '';
		// a turn that failed without any text has the reason as its
		// text
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
	begin(content, attachments = [], lent = '')
	{
		this.lent = lent;
		this.user = { role: 'user', content, createdAt: new Date().toISOString(),
			metadata: { attachments } };
		this.running = true;
		this.status = 'sending';
	}

	/** Begins to answer a stored question. */
	beginAgain(user)
	{
		this.user = user;
		this.running = true;
		this.status = 'sending';
	}

	/**
	 * A running turn, seen from its first event on. The shown content stays
	 * until the events have caught up (apply on the copy, then adopt).
	 * @returns the turn that takes the events meanwhile
	 */
	catchUp(turnId)
	{
		const copy = new Turn('copy');

		copy.goesOn = this.goesOn;
		copy.turnId = this.turnId = turnId;
		this.running = copy.running = true;
		this.waiting = [];
		this.sleeps = false;
		this.status = copy.status = 'thinking';
		return copy;
	}

	/** It waits for these, while it runs. @param {Wait[]} waits */
	ask(waits)
	{
		const again = (/** @type {Wait} */ { toolCallId }) =>
			waits.some((wait) => wait.toolCallId === toolCallId);

		this.waiting = [...this.waiting.filter((wait) => !again(wait)), ...waits];
		this.changed();
	}

	/** Some of what it waits for was answered while it runs. */
	answered(waits)
	{
		this.waiting = this.waiting.filter((wait) => !waits.includes(wait));
		this.changed();
	}

	/** Resumes after some of its waits were decided. */
	resume(waits)
	{
		this.waiting = this.waiting.filter((wait) => !waits.includes(wait));
		this.sleeps = false;
		this.running = true;
		this.status = 'executing';
		this.changed();
	}

	/** True if it shows at least as much as the other one. */
	covers(other)
	{
		const results = (turn) => turn.parts.filter((part) =>
			part.kind === 'tool' && part.result !== undefined).length;

		return results(this) >= results(other) &&
			this.parts.length >= other.parts.length &&
			this.text.length >= other.text.length;
	}

	/**
	 * Takes over what a copy has collected.
	 * @returns itself
	 */
	adopt(copy)
	{
		this.user = copy.user || this.user;
		this.goesOn ||= copy.goesOn;
		for (const name of ['parts', 'text', 'status', 'warnings', 'context', 'told', 'seen'])
			this[name] = copy[name];
		if (!copy.running)
			this.finishWith(copy.answer);
		this.waiting = copy.waiting;
		this.sleeps = copy.sleeps;
		for (const [callId, board] of copy.boards)
			this.boards.set(callId, board);
		this.changed();
		return this;
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
			// repeated by a continuing turn: the question is
			// already shown above
			if (!this.goesOn)
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
			// text before the call was not the answer
			if (this.text.trim() !== '')
				this.parts.push({ kind: 'text', text: this.text });
			this.text = '';
			this.parts.push({ kind: 'tool', callId: data.callId,
				name: data.toolName, title: data.title, args: data.args,
				running: true });
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
		case 'tool-progress':
			this.#toolProgress(data);
			break;
		case 'entity-patch':
			this.#entityPatch(data);
			break;
		case 'agent-state':
			this.toldMode = data.mode || this.toldMode;
			break;
		case 'plan':
			this.boards.set(data.callId, stillStopping(this.boards.get(data.callId), data));
			// answered elsewhere, or skipped
			this.waiting = this.waiting.filter(({ toolCallId }) => {
				const at = stepOfCall(data.planId, toolCallId);

				return at < 0 || data.progress[at]?.status === 'waiting';
			});
			break;
		case 'approval-request':
		case 'client-tool-call':
		case 'clarification':
			this.ask([data]);
			break;
		case 'source':
			this.told.push(data);
			break;
		case 'warning':
			this.warnings.push(data);
			break;
		case 'waiting':
			this.finishWith(null);
			this.waiting = data.for;
			// others of its plan's steps ran when its process ended
			this.sleeps = data.for.length === 0 ||
				[...this.boards.values()].some(({ status }) => status === 'running');
			break;
		case 'done':
		case 'error':
			this.finishWith(data);
			this.changed();
			return true;
		default:
			// a newer server may send events that this page does
			// not know
			return false;
		}
		this.changed();
		return false;
	}

	/** A change that a call has made, as its stored row has it, too. */
	#entityPatch(/** @type {any} */ { callId, patch, ...change })
	{
		const part = this.parts.find((known) =>
			known.kind === 'tool' && known.callId === callId);

		if (part) {
			part.changes = [...part.changes || [],
				{ ...change, title: patch.title || patch.name || '' }];
		}
	}

	/** The progress of a call: of itself, or of a tool that it uses. */
	#toolProgress({ callId, toolName, status, text })
	{
		const part = this.parts.find((known) =>
			known.kind === 'tool' && known.callId === callId);
		const running = status === 'start' || status === 'progress';

		if (!part)
			return;
		const steps = [...part.steps || []];
		const open = steps.findLastIndex((step) => step.toolName === toolName && step.running);

		// a line stays where it is
		steps[open < 0 ? steps.length : open] = { toolName, running,
			isError: status === 'error', text: text || steps[open]?.text || '' };
		part.steps = steps;
	}

	/**
	 * The answer row is stored (null: there is none); nothing runs any
	 * more.
	 */
	finishWith(row)
	{
		this.#endReasoning();
		this.waiting = [];
		this.sleeps = false;
		if (row) {
			const text = this.text;

			if (row.turnId)
				this.turnId = row.turnId;
			if (row.variantCount > 1)
				this.versioned = row;
			this.#setAnswer(row);
			if (!row.content && !this.failure)
				this.text = text;
		}
		this.running = false;
		this.stopping = false;
		this.status = '';
		this.connection = '';
		for (const part of this.parts)
			part.running = false;
	}

	/** What this page had kept of it is stored now, or never will be. */
	settle(stored)
	{
		const { unstored, error, ...meta } = this.meta;

		if (!unstored)
			return;
		this.answer = { ...this.answer, metadata: stored ?
			{ ...meta, stored, finish_reason: 'stop' } : { ...meta, error } };
		this.changed();
	}

	/** This part could not be stored: {text, reason}, or null. */
	lose(lost)
	{
		if (this.lost === lost)
			return;
		this.lost = lost;
		this.changed();
	}

	#endReasoning()
	{
		for (const part of this.parts) {
			if (part.kind === 'reasoning')
				part.running = false;
		}
	}
}

/**
 * Stored rows, oldest first, as one array of rows per turn. A question goes
 * with the answer after it, even if that is of a later turn (it was answered
 * again).
 */
export function groupRows(rows)
{
	const groups = [];
	let key = null;
	let open = false;

	for (const row of rows) {
		if (row.role === 'system')
			continue;
		const own = row.turnId || (row.role === 'user' ? row.messageId : key);
		const joins = groups.length > 0 && row.role !== 'user' && (own === key || open);

		if (!joins)
			groups.push([]);
		groups[groups.length - 1].push(row);
		open = row.role === 'user';
		key = own;
	}
	return groups;
}
