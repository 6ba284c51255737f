// SPDX-License-Identifier: MIT
// The list of my conversations in one workspace: search by title and in messages,
// rename and delete.
import { PagedList } from './paged-list.js';

const PAGE = 40;
const SAID = 20;
/** after which time a search that is not complete yet is repeated: at first, and at most */
const AGAIN_MS = 1000;
const AGAIN_MOST_MS = 16000;
/** the agent of conversations with one that is not saved (ui/try.js) */
const TRIED = '~draft';

export class Conversations extends PagedList {
	#api;
	#tell = null;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#again = undefined;

	constructor(api)
	{
		super();
		this.#api = api;
		this.workspaceId = '';
		/** whether it lists those of programs that use the API, not my own */
		this.clients = false;
		/** whether there are any of those here */
		this.hasClients = false;
		/** the search text that the items are the answer to */
		this.foundFor = '';
		/** what the search has found in messages, best first */
		this.said = [];
		/** @type {Promise<any[]>} those that are pinned, as the first page of a workspace says */
		this.pinned = Promise.resolve([]);
		/** whether the archived ones are listed, instead of the others */
		this.archived = false;
	}

	/** Lists the archived ones, or the others. */
	shelf(archived)
	{
		this.archived = archived;
		this.items = [];
		this.loaded = false;
		return this.reload();
	}

	/** Switches to another workspace. */
	show(workspaceId)
	{
		if (workspaceId === this.workspaceId)
			return Promise.resolve();
		this.workspaceId = workspaceId;
		this.items = [];
		this.loaded = false;
		this.clients = this.hasClients = false;
		this.pinned = new Promise((tell) => { this.#tell = tell; });
		return this.reload();
	}

	/** Lists the conversations of programs, or my own. */
	showClients(clients)
	{
		this.clients = clients;
		this.items = [];
		this.loaded = false;
		return this.reload();
	}

	reload()
	{
		this.nextCursor = null;
		return super.reload();
	}

	async page(cursor, stale)
	{
		const q = this.q.trim();
		const tag = q.startsWith('#') ? q.slice(1).trim() : '';
		const inMessages = cursor || tag ? null : this.#inMessages(q);
		let page = { items: [], nextCursor: cursor };

		if (!cursor)
			clearTimeout(this.#again);

		// among very many, the server examines a few thousand at a time
		while (page.items.length === 0 && page.nextCursor !== null && !stale()) {
			page = await this.#api.conversations({
				workspaceId: this.workspaceId,
				...tag ? { tag } : { q },
				...this.archived && { archived: true },
				clients: this.clients || undefined,
				include: this.#tell ? 'pinned,clients' : undefined,
				cursor: page.nextCursor,
				pageSize: PAGE,
			});
			if ('hasClients' in page && !stale()) {
				this.hasClients = Boolean(page.hasClients);
				this.#tell?.(page.pinned);
				this.#tell = null;
			}
		}
		const said = await inMessages;
		const old = cursor ? this.items : [];
		const seen = new Set(old.map((item) => item.conversationId));

		if (said?.pending && !stale())
			this.#askAgain(q, AGAIN_MS);
		// one that was changed meanwhile may come a second time
		return {
			items: [...old, ...page.items.filter((item) =>
				!seen.has(item.conversationId))],
			nextCursor: page.nextCursor,
			said: said ? said.items : tag ? [] : this.said,
			foundFor: q,
		};
	}

	/** Searches messages again while those that were said just now are indexed. */
	#askAgain(q, ms)
	{
		const timer = setTimeout(async () => {
			const { items, pending } = await this.#inMessages(q);

			// a newer search has a timer of its own
			if (timer !== this.#again || q !== this.q.trim())
				return;
			this.said = items;
			this.changed();
			if (pending)
				this.#askAgain(q, Math.min(2 * ms, AGAIN_MOST_MS));
		}, ms);

		this.#again = timer;
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
		// one with an agent that is only tried is in no list
		if (conversation.agentId === TRIED || conversation.workspaceId !== this.workspaceId ||
		    (conversation.archived ?? this.find(conversation.conversationId)?.archived ?? false) !==
		    this.archived)
			return;
		if (conversation.client && !this.hasClients) {
			this.hasClients = true;
			this.changed();
		}
		if (Boolean(conversation.client) !== this.clients)
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
