// The list of my conversations in one workspace: pages, search by title and in
// messages, rename and delete. Responses to an outdated query are dropped.
import { Observable } from '../observable.js';

const SEARCH_WAIT_MS = 250;
const PAGE = 40;
const SAID = 20;

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
		/** the search text to which the items are the answer */
		this.foundFor = '';
		this.items = [];
		/** what the search has found in messages, best first */
		this.said = [];
		this.nextCursor = null;
		this.loading = false;
		/**
		 * true once a page for the current workspace and search has
		 * arrived
		 */
		this.loaded = false;
		this.error = null;
	}

	/** Switches to another workspace. */
	show(workspaceId)
	{
		if (workspaceId === this.workspaceId)
			return Promise.resolve();
		this.workspaceId = workspaceId;
		this.items = [];
		this.loaded = false;
		return this.reload();
	}

	/** Searches when typing pauses. */
	search(q)
	{
		this.q = q;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.reload(), SEARCH_WAIT_MS);
		this.changed();
	}

	/** Loads the first page; the shown items stay until it arrives. */
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

		const said = first ? this.#inMessages(q) : this.said;

		this.loading = true;
		this.error = null;
		this.changed();
		try {
			let page = { items: [], nextCursor: first ? '' : this.nextCursor };

			// among very many, the server examines a few
			// thousand at a time
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

			// one that was changed meanwhile may come a second
			// time
			this.items = [...old, ...page.items.filter((item) =>
				!seen.has(item.conversationId))];
			this.nextCursor = page.nextCursor;
			this.said = await said;
			if (round !== this.#round)
				return;
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

	/** The titles are listed also where the messages cannot be searched. */
	async #inMessages(q)
	{
		if (!q)
			return [];
		try {
			const page = await this.#api.searchConversations({
				workspaceId: this.workspaceId, q, pageSize: SAID,
			});

			return page.items.filter((item) => item.messageId !== null);
		} catch {
			return [];
		}
	}

	/** The listed conversation with that id, or undefined. */
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

	/** Moves a conversation to the top: it is new, or has a new message. */
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

	/** Renames; the new title shows at once, and is reset on failure. */
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

	/** Deletes permanently. One that is already gone counts as deleted. */
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

	/** Removes a deleted one from the list. */
	forget(id)
	{
		this.items = this.items.filter((item) => item.conversationId !== id);
		this.said = this.said.filter((item) => item.conversationId !== id);
		this.changed();
	}
}
