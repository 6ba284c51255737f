// The list of my conversations in one workspace: pages, search by title and in
// messages, rename and delete. Answers that come after a newer question are dropped.
import { Observable } from '../observable.js';

const SEARCH_WAIT_MS = 250;
const PAGE = 40;
const SAID = 20;
const AGAIN = 5;	// times, of a search that is not complete yet
const AGAIN_MS = 1000;

export class Conversations extends Observable {
	#api;
	#round = 0;
	#timer = null;

	constructor(api)
	{
		super();
		this.#api = api;
		this.workspaceId = '';
		/** the search text */
		this.q = '';
		/** the search text that the items are the answer to */
		this.foundFor = '';
		this.items = [];
		/** what the search has found in messages, best first */
		this.said = [];
		this.nextCursor = null;
		this.loading = false;
		/** true once a page for the present workspace and search came */
		this.loaded = false;
		this.error = null;
	}

	/** Shows another workspace. */
	show(workspaceId)
	{
		if (workspaceId === this.workspaceId)
			return Promise.resolve();
		this.workspaceId = workspaceId;
		this.items = [];
		this.loaded = false;
		return this.reload();
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
		this.nextCursor = null;
		return this.#page(true);
	}

	/** Loads the next page, if there is one. */
	more()
	{
		if (this.loading || this.nextCursor === null)
			return Promise.resolve();
		return this.#page(false);
	}

	async #page(first)
	{
		const round = ++this.#round;
		const q = this.q.trim();

		const inMessages = first ? this.#inMessages(q) : null;

		this.loading = true;
		this.error = null;
		this.changed();
		try {
			let page = { items: [], nextCursor: first ? '' : this.nextCursor };

			// among very many the server looks at some thousand at a time
			while (page.items.length === 0 && page.nextCursor !== null) {
				page = await this.#api.conversations({
					workspaceId: this.workspaceId,
					q,
					cursor: page.nextCursor,
					pageSize: PAGE,
				});
				if (round !== this.#round)
					return;
			}
			const old = first ? [] : this.items;
			const seen = new Set(old.map((item) => item.conversationId));

			// one that was touched meanwhile may come a second time
			this.items = [...old, ...page.items.filter((item) =>
				!seen.has(item.conversationId))];
			this.nextCursor = page.nextCursor;
			const said = await inMessages;

			if (round !== this.#round)
				return;
			if (said)
				this.said = said.items;
			if (said?.pending)
				this.#askAgain(q, round, AGAIN);
			this.foundFor = q;
			this.loaded = true;
		} catch (error) {
			if (round !== this.#round)
				return;
			this.error = error;
		}
		this.loading = false;
		this.changed();
	}

	/** Searches messages again while those that were said just now are indexed. */
	#askAgain(q, round, left)
	{
		this.#timer = setTimeout(async () => {
			const { items, pending } = await this.#inMessages(q);

			if (round !== this.#round)
				return;
			this.said = items;
			this.changed();
			if (pending && left > 1)
				this.#askAgain(q, round, left - 1);
		}, AGAIN_MS);
	}

	/** The titles are listed also where the messages cannot be searched. */
	async #inMessages(q)
	{
		if (!q)
			return { items: [], pending: false };
		try {
			const page = await this.#api.searchConversations({
				workspaceId: this.workspaceId, q, pageSize: SAID,
			});

			return { pending: page.pending,
				items: page.items.filter((item) => item.messageId !== null) };
		} catch {
			return { items: [], pending: false };
		}
	}

	/** The listed conversation of that id, or undefined. */
	find(id)
	{
		return this.items.find((item) => item.conversationId === id);
	}

	/** Changes fields of a listed conversation. */
	patch(id, fields)
	{
		if (!this.find(id))
			return;
		this.items = this.items.map((item) =>
			item.conversationId === id ? { ...item, ...fields } : item);
		this.changed();
	}

	/** Puts a conversation on top: it is new, or was just written in. */
	lift(conversation)
	{
		if (conversation.workspaceId !== this.workspaceId)
			return;
		const known = this.find(conversation.conversationId);
		const q = this.q.trim().toLowerCase();

		if (!known && q && !(conversation.title || '').toLowerCase().includes(q))
			return;
		this.items = [{ ...known, ...conversation }, ...this.items.filter((item) =>
			item.conversationId !== conversation.conversationId)];
		this.changed();
	}

	/** Renames; the new title shows at once and goes back if it fails. */
	async rename(id, title)
	{
		const before = this.find(id)?.title;

		this.patch(id, { title });
		try {
			return await this.#api.rename(id, title);
		} catch (error) {
			this.patch(id, { title: before });
			throw error;
		}
	}

	/** Deletes for good. Gone already counts as deleted. */
	async remove(id)
	{
		try {
			await this.#api.remove(id);
		} catch (error) {
			if (error.code !== 'not_found')
				throw error;
		}
		this.forget(id);
	}

	/** Takes one that is no more out of the list. */
	forget(id)
	{
		this.items = this.items.filter((item) => item.conversationId !== id);
		this.said = this.said.filter((item) => item.conversationId !== id);
		this.changed();
	}
}
