// SPDX-License-Identifier: MIT
// A conversation as it is stored: its turns, paged backwards from the newest.
import { ApiError } from '../api.js';
import { Observable } from '../observable.js';
import { groupRows, Turn } from './turn.js';

/** Messages of an older page: whoever wants one wants more. */
const MANY = 100;

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
		/** '' | 'first' | 'older' */
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

	/** Loads what is older, in large pages, until it is found or all is there. */
	async loadUntil(found)
	{
		while (!found() && this.nextCursor !== null && !this.olderError) {
			await this.loadOlder();
			// others may be loading: their page takes a moment
			await new Promise((done) => { setTimeout(done, 0); });
		}
	}
}

/** The turn that wrote the newest of some rows. */
function turnIdOf(rows)
{
	return rows[rows.length - 1].turnId;
}

/** Whether rows of an older page are the beginning of a turn without one. */
function belongs(rows, turn)
{
	if (turnIdOf(rows) && turnIdOf(rows) === turn.turnId)
		return true;
	// a question that was answered again has the turn of its first answer
	return !turn.continues && rows.length === 1 && rows[0].role === 'user';
}
