// SPDX-License-Identifier: MIT
// A list that comes page by page and is searched while somebody types. Answers that
// come after a newer question are dropped.
import { Observable } from '../observable.js';

const SEARCH_WAIT_MS = 250;

export class PagedList extends Observable {
	#round = 0;
	#timer = null;

	constructor()
	{
		super();
		/** the search text */
		this.q = '';
		this.items = [];
		this.nextCursor = null;
		this.loading = false;
		/** true once a page came */
		this.loaded = false;
		this.error = null;
	}

	/** Searches when the typing has paused. */
	search(q)
	{
		this.q = q;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.reload(), SEARCH_WAIT_MS);
		this.changed();
	}

	/** Loads the first page; what is shown stays until it is there. */
	reload()
	{
		clearTimeout(this.#timer);
		this.#timer = null;
		return this.#load('');
	}

	/** Changes what is listed; an answer that is on its way to it is dropped. */
	put(changes)
	{
		this.#round++;
		Object.assign(this, changes, { loading: false });
		this.changed();
	}

	/** Loads the next page, if there is one; not of what is no longer searched. */
	more()
	{
		if (this.loading || this.nextCursor === null || this.#timer !== null)
			return Promise.resolve();
		return this.#load(this.nextCursor);
	}

	/**
	 * For each list to write: the page at a cursor ('': the first).
	 * @param {string} cursor
	 * @param {() => boolean} stale true if the answer is no longer wanted
	 * @returns {Promise<object>} the members that it changes
	 */
	async page(cursor, stale)
	{
		throw new Error('a list without pages');
	}

	async #load(cursor)
	{
		const round = ++this.#round;
		const stale = () => round !== this.#round;

		this.loading = true;
		this.error = null;
		this.changed();
		try {
			const changes = await this.page(cursor, stale);

			if (stale())
				return;
			Object.assign(this, changes, { loaded: true });
		} catch (error) {
			if (stale())
				return;
			this.error = error;
		}
		this.loading = false;
		this.changed();
	}
}
