// SPDX-License-Identifier: MIT
// A conversation as it is stored: its turns, paged backwards from the newest.
import { ApiError } from '../api.js';
import { Observable } from '../observable.js';
import { groupRows, Turn } from './turn.js';

/** Messages of an older page: whoever wants one wants more. */
const MANY = 100;
/** Messages after one that is gone to. */
const AFTER = 50;

/**
 * @typedef {object} Gap what is not loaded between two passages of the thread
 * @property {Turn} at     the first turn after it
 * @property {number} last the number of the last message before it
 * @property {number} next the number of the first message after it
 * @property {string} cursor what is before `at`
 */

export class Pages extends Observable {
	#api;

	constructor(api, { conversationId = '', workspaceId = '', agentId = '' })
	{
		super();
		this.#api = api;
		this.conversationId = conversationId;
		this.workspaceId = workspaceId;
		this.agentId = agentId;
		this.title = '';
		this.updatedAt = '';
		/** @type {Turn[]} oldest first */
		this.turns = [];
		this.nextCursor = null;
		/** @type {Gap | null} */
		this.gap = null;
		/** '' | 'first' | 'older' | 'between' */
		this.loading = '';
		/** ApiError of the first load, of an older page */
		this.loadError = null;
		this.olderError = null;
		this.loaded = conversationId === '';
	}

	/** Loads the conversation and its newest page. @returns its record, or null */
	async load()
	{
		let conversation = null;

		if (this.loading || !this.conversationId)
			return null;
		this.loading = 'first';
		this.loadError = null;
		this.changed();
		try {
			const page = await this.#api.messages(this.conversationId,
				{ include: 'steps,conversation' });

			conversation = page.conversation;
			this.take(conversation);
			this.takeNewest(page);
			this.loaded = true;
		} catch (error) {
			this.loadError = error;
		}
		this.loading = '';
		this.changed();
		return conversation;
	}

	/** Loads the newest page again. */
	async refresh(except = null)
	{
		this.takeNewest(await this.#api.messages(this.conversationId), except);
		this.changed();
	}

	/** It was deleted elsewhere. */
	lose()
	{
		this.turns = [];
		this.loadError = new ApiError({ status: 404, code: 'not_found' });
		this.changed();
	}

	/** Takes the conversation's record from the server. */
	take(conversation)
	{
		this.workspaceId = conversation.workspaceId;
		this.agentId = conversation.agentId;
		this.title = conversation.title || '';
		this.updatedAt = conversation.updatedAt;
		this.changed();
	}

	/**
	 * Takes the newest page. Turns that are already shown stay the same
	 * objects, and older ones stay in front if the page reaches them.
	 * @param except a turn that knows more than the page, or null
	 */
	takeNewest(page, except = null)
	{
		const groups = groupRows([...page.items].reverse());
		const known = new Map(this.turns.filter((turn) => turn.turnId)
			.map((turn) => [turn.turnId, turn]));
		const first = groups.length > 0 ? known.get(turnIdOf(groups[0])) : null;
		const joined = first && !first.key.startsWith('live-');
		const before = joined ? this.turns.slice(0, this.turns.indexOf(first)) : [];
		const turns = groups.map((rows) => {
			const turn = known.get(turnIdOf(rows));

			if (!turn)
				return Turn.fromRows(rows);
			if (turn === except)
				return turn;
			// a page may begin in the middle of a turn
			if (rows[0].role === 'user' || !joined)
				turn.setRows(rows);
			else if (turn.running)
				turn.setRows([turn.user, ...rows].filter(Boolean));
			turn.finishWith(null);
			turn.changed();
			return turn;
		});

		this.turns = [...before, ...turns];
		if (!joined)
			this.nextCursor = page.nextCursor;
		if (this.gap && !this.turns.includes(this.gap.at))
			this.gap = null;
	}

	/** Loads the page before the oldest loaded one. */
	async loadOlder()
	{
		if (this.loading || this.nextCursor === null)
			return;
		this.loading = 'older';
		this.olderError = null;
		this.changed();
		try {
			const page = await this.#api.messages(this.conversationId,
				{ cursor: this.nextCursor, pageSize: MANY });
			const groups = groupRows([...page.items].reverse());
			const last = groups[groups.length - 1];
			const first = this.turns[0];

			this.nextCursor = page.nextCursor;
			// a turn that was split by the page border is put
			// together again
			if (last && first && !first.user && belongs(last, first))
				first.prependRows(groups.pop());
			this.turns = [...groups.map((rows) => Turn.fromRows(rows)),
				...this.turns];
		} catch (error) {
			this.olderError = error;
		}
		this.loading = '';
		this.changed();
	}

	/**
	 * Loads what is around an older message, and nothing between it and what is there.
	 * @param {number} number
	 */
	async loadAround(number)
	{
		const before = number + AFTER;

		this.#dropPassage();
		const next = numberOf(this.turns[0]?.rows[0]);

		// what is near is loaded page by page
		if (this.loading || this.nextCursor === null || !next || before + MANY > next)
			return;
		this.loading = 'older';
		this.changed();
		try {
			const page = await this.#api.messages(this.conversationId,
				{ before, pageSize: MANY });
			const rows = [...page.items].reverse();

			if (rows.length > 0) {
				this.gap = { at: this.turns[0], last: before - 1, next,
					cursor: this.nextCursor };
				this.nextCursor = page.nextCursor;
				this.turns = [...groupRows(rows).map((group) => Turn.fromRows(group)),
					...this.turns];
			}
		} catch (error) {
			this.olderError = error;
		}
		this.loading = '';
		this.changed();
	}

	/** Forgets the passage before the gap. */
	#dropPassage()
	{
		const { gap, turns } = this;

		if (!gap)
			return;
		if (turns.includes(gap.at)) {
			this.turns = turns.slice(turns.indexOf(gap.at));
			this.nextCursor = gap.cursor;
		}
		this.gap = null;
	}

	/** Loads what follows the passage before the gap. */
	async loadBetween()
	{
		const { gap } = this;

		if (this.loading || !gap)
			return;
		this.loading = 'between';
		this.olderError = null;
		this.changed();
		try {
			const before = Math.min(gap.last + MANY + 1, gap.next);
			const { items } = await this.#api.messages(this.conversationId,
				{ before, pageSize: MANY });
			const at = this.turns.indexOf(gap.at);

			if (this.gap === gap && at > 0)
				this.#fill(at, [...items].reverse().filter((row) =>
					numberOf(row) > gap.last), before);
		} catch (error) {
			this.olderError = error;
		}
		this.loading = '';
		this.changed();
	}

	/** Puts rows between two turns. */
	#fill(at, rows, before)
	{
		const last = this.turns[at - 1];
		// the passage may have ended within a turn
		const [own, ...groups] = groupRows([...last.rows, ...rows]);
		const { gap } = this;

		if (own.length > last.rows.length) {
			last.setRows(own);
			last.changed();
		}
		gap.last = before - 1;
		let upTo = at;

		if (before === gap.next) {
			const end = groups[groups.length - 1] || own;

			// and what follows it may begin within one
			if (!gap.at.user && belongs(end, gap.at)) {
				gap.at.prependRows(end);
				if (!groups.pop())
					upTo--;
			}
			this.gap = null;
		}
		this.turns = [...this.turns.slice(0, upTo),
			...groups.map((group) => Turn.fromRows(group)), ...this.turns.slice(at)];
	}

	/** Loads what is missing, in large pages, until it is found or all is there. */
	async loadUntil(found)
	{
		while (!found() && this.gap && !this.olderError)
			await this.loadBetween();
		while (!found() && this.nextCursor !== null && !this.olderError) {
			await this.loadOlder();
			// others may be loading: their page takes a moment
			await new Promise((done) => { setTimeout(done, 0); });
		}
	}
}

/** The number of a row in its thread; NaN without one. */
function numberOf(row)
{
	return Number(row?.messageId?.split('.')[1]);
}

/** The turn that wrote the newest of some rows; an answer that was corrected has none. */
function turnIdOf(rows)
{
	const last = rows[rows.length - 1];

	return last.metadata?.corrected ? rows[0].turnId : last.turnId;
}

/** Whether rows of an older page are the beginning of a turn without one. */
function belongs(rows, turn)
{
	if (turnIdOf(rows) && turnIdOf(rows) === turn.turnId)
		return true;
	// a question that was answered again has the turn of its first answer
	return !turn.continues && rows.length === 1 && rows[0].role === 'user';
}
