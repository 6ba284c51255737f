// SPDX-License-Identifier: MIT
// Order in many conversations: those that are pinned, folders and what is in them, which
// rows of the list are selected, and those that are about to be deleted. Independent of
// the DOM.
import { Observable } from '../observable.js';
import { local, read, write } from '../storage.js';

/** How long a deletion can be undone. */
const UNDO_MS = 10000;
const PAGE = 100;
/** Requests at a time, of many conversations. */
const AT_ONCE = 4;
/** Changes that come together are read once. */
const SOON_MS = 100;
/** in this browser, which folders are open: ids */
const OPEN = 'lamplighter.folders';

/**
 * @typedef {{id: string, name: string, parentId: string | null}} Folder
 * @typedef {Record<string, any>} Conversation
 * @typedef {{n: number, done: 'pinned' | 'unpinned' | 'archived' | 'moved',
 *         back: [string, object][]}} Moved what was done to n chats, and how each was before
 */

export class Order extends Observable {
	#api;
	#list;
	#timer = null;
	#soon = null;
	#chosen;

	/** @param list the list of conversations (conversations.js) */
	constructor(api, list)
	{
		super();
		this.#api = api;
		this.#list = list;
		/** @type {Conversation[]} */
		this.pinned = [];
		/** @type {Folder[]} by name */
		this.folders = [];
		/** @type {Map<string, Conversation[]>} what is in the folders that are open */
		this.inside = new Map(read(local(), this.#key).split(' ').filter(Boolean).map((id) => [id, []]));
		/** @type {Set<string> | null} ids; null: nothing can be selected */
		this.selected = null;
		/** @type {Map<string, Conversation>} the selected ones, also when no list has them any more */
		this.#chosen = new Map();
		/** @type {Set<string>} ids of those that are hidden and deleted soon */
		this.doomed = new Set();
		/** @type {Set<string>} ids of those that are hidden and being deleted */
		this.deleting = new Set();
		/** @type {Moved | null} what has just been done, while it can be undone */
		this.moved = null;
		/** ApiError of the last change, or null */
		this.error = null;
	}

	/** Another installation on the host has its own. */
	get #key()
	{
		return `${OPEN} ${this.#api.base}`;
	}

	#keepOpen()
	{
		write(local(), this.#key, [...this.inside.keys()].join(' '));
	}

	/** The folders in one, or ('') at the top. */
	under(id)
	{
		return this.folders.filter(({ parentId }) => (parentId || '') === id);
	}

	/** Whether the list shows a conversation elsewhere than by its day. */
	holds({ conversationId, folderId, pinned })
	{
		// two lists are read anew one after the other: it must not be in both meanwhile
		return this.#isGoing(conversationId) || pinned || Boolean(this.find(conversationId)) ||
			Boolean(folderId && this.folders.some(({ id }) => id === folderId));
	}

	#isGoing(id)
	{
		return this.doomed.has(id) || this.deleting.has(id);
	}

	/** Those of a list that are not deleted. */
	left(items)
	{
		return items.filter(({ conversationId }) => !this.#isGoing(conversationId));
	}

	/** What an open folder lists: what is pinned stands on top, and only there. */
	filed(id)
	{
		return this.left(this.inside.get(id) || []).filter(({ conversationId }) =>
			!this.pinned.some((one) => one.conversationId === conversationId));
	}

	/** Reads it again, once for all changes of a moment. */
	soon()
	{
		clearTimeout(this.#soon);
		this.#soon = setTimeout(() => this.reload(), SOON_MS);
	}

	/** What is pinned, and the folders, as they are stored. */
	reload()
	{
		const { workspaceId } = this.#list;

		return this.#take(this.#api.conversations({ workspaceId, pinned: true, pageSize: PAGE })
			.then(({ items }) => items), this.#allFolders());
	}

	/**
	 * The same when the list has begun a workspace: its first page says what is pinned.
	 * @param {{items: Folder[], nextCursor: string | null} | null} [known] of the folders
	 */
	begin(known = null)
	{
		this.selected = null;
		this.pinned = [];
		for (const id of this.inside.keys())
			this.inside.set(id, []);
		this.changed();
		return this.#take(this.#list.pinned,
			known?.nextCursor === null ? known.items : this.#allFolders());
	}

	async #take(pinnedSoon, foldersSoon)
	{
		const { workspaceId } = this.#list;

		try {
			const [pinned, folders] = await Promise.all([pinnedSoon, foldersSoon]);

			if (workspaceId !== this.#list.workspaceId)
				return;
			this.pinned = pinned;
			this.folders = folders;
			// one that is gone, or somebody else's who uses this browser
			for (const id of this.inside.keys())
				if (!folders.some((folder) => folder.id === id))
					this.inside.delete(id);
			await Promise.all([...this.inside.keys()].map((id) => this.#fill(id)));
		} catch {
			// the list says what is wrong
		}
		this.changed();
	}

	async #allFolders()
	{
		const folders = [];
		let cursor = null;

		do {
			const page = await this.#api.folders(cursor);

			folders.push(...page.items);
			cursor = page.nextCursor;
		} while (cursor !== null);
		return folders;
	}

	async #fill(folderId)
	{
		const { workspaceId } = this.#list;
		const items = [];
		let cursor = null;

		// a page of a filtered list may be short
		do {
			const page = await this.#api.conversations({ workspaceId, folderId,
				cursor, pageSize: PAGE });

			items.push(...page.items);
			cursor = page.nextCursor;
		} while (cursor !== null && items.length < PAGE);
		if (this.inside.has(folderId) && workspaceId === this.#list.workspaceId)
			this.inside.set(folderId, items);
	}

	/** Opens or closes a folder. */
	async open(id, open)
	{
		if (open === this.inside.has(id))
			return;
		if (!open) {
			this.inside.delete(id);
			this.#keepOpen();
			this.changed();
			return;
		}
		this.inside.set(id, []);
		this.#keepOpen();
		await this.#fill(id).catch(() => {});
		this.changed();
	}

	/** Changes what is known of a conversation, wherever it is shown. */
	patch(id, fields)
	{
		const patched = (items) => items.map((item) =>
			item.conversationId === id ? { ...item, ...fields } : item);

		this.pinned = patched(this.pinned);
		for (const [folder, items] of this.inside)
			this.inside.set(folder, patched(items));
		this.changed();
	}

	/** A conversation that is shown here, or undefined. */
	find(id)
	{
		return [this.pinned, ...this.inside.values()].flat()
			.find(({ conversationId }) => conversationId === id);
	}

	/** A deleted one. */
	forget(id)
	{
		const without = (items) => items.filter(({ conversationId }) => conversationId !== id);

		this.pinned = without(this.pinned);
		for (const [folder, items] of this.inside)
			this.inside.set(folder, without(items));
		this.selected?.delete(id);
		this.changed();
	}

	/**
	 * Pins, archives, files or tags conversations. For a while, all but the tags can be undone.
	 * @param {string[]} ids
	 * @param {Record<string, any>} fields of the record
	 * @throws ApiError of the first that failed; the others are changed
	 */
	async arrange(ids, fields)
	{
		const back = this.#places(ids, fields);

		await this.#arrange(ids, fields);
		for (const [id, item] of this.#chosen)
			if (ids.includes(id))
				this.#chosen.set(id, { ...item, ...fields });
		if (back.length > 0) {
			await this.flush();
			this.moved = { n: back.length, back, done: fields.pinned ? 'pinned' :
				fields.pinned === false ? 'unpinned' : fields.archived ? 'archived' : 'moved' };
			this.#timer = setTimeout(() => this.#settle(), UNDO_MS);
		}
		this.changed();
	}

	/** Where those are that fields put elsewhere: [id, fields] of each. */
	#places(ids, fields)
	{
		const known = ids.map((id) => this.#record(id)).filter(Boolean);
		const place = ({ folderId, archived, pinned }) => Object.fromEntries(Object.entries({
			folderId: folderId || null, archived: Boolean(archived), pinned: Boolean(pinned),
		}).filter(([key]) => key in fields));

		return known.map((item) => /** @type {[string, object]} */ ([item.conversationId, place(item)]))
			.filter(([, was]) => Object.entries(was).some(([key, value]) => fields[key] !== value));
	}

	#settle()
	{
		this.moved = null;
		this.changed();
	}

	async #arrange(ids, fields)
	{
		let failed = null;

		await eachOf(ids, async (id) => {
			try {
				await this.#api.arrange(id, fields);
			} catch (error) {
				if (error.code !== 'not_found')
					failed ??= error;
			}
		});
		await Promise.all([this.#list.reload(), this.reload()]);
		if (failed)
			throw failed;
	}

	/** @returns {Promise<Folder>} */
	async newFolder(name, parentId = null)
	{
		const folder = await this.#api.newFolder({ name, ...parentId && { parentId } });

		this.folders = [...this.folders, folder].sort((a, b) => a.name.localeCompare(b.name));
		this.changed();
		return folder;
	}

	async renameFolder(id, name)
	{
		await this.#api.changeFolder(id, { name });
		await this.reload();
	}

	/** Its conversations stay. */
	async removeFolder(id)
	{
		await this.#api.removeFolder(id);
		this.inside.delete(id);
		this.#keepOpen();
		await Promise.all([this.#list.reload(), this.reload()]);
	}

	/** Begins or ends to select. */
	select(on)
	{
		this.selected = on ? new Set() : null;
		this.#chosen.clear();
		this.changed();
	}

	/** The selected ones, as far as they are known. */
	get chosen()
	{
		return [...this.selected || []].map((id) => this.#record(id)).filter(Boolean);
	}

	#record(id)
	{
		return this.find(id) || this.#list.find(id) || this.#chosen.get(id);
	}

	toggle(id, on = !this.selected?.has(id))
	{
		if (on) {
			const record = this.#record(id);

			this.selected?.add(id);
			if (record)
				this.#chosen.set(id, record);
		} else
			this.selected?.delete(id);
		this.changed();
	}

	/** Hides conversations and deletes them unless that is undone in time. */
	doom(ids)
	{
		this.flush();
		this.moved = null;
		this.error = null;
		this.doomed = new Set(ids);
		this.#timer = setTimeout(() => this.flush(), UNDO_MS);
		this.changed();
	}

	/** @throws ApiError if what was moved cannot be moved back */
	async undo()
	{
		const back = this.moved?.back || [];

		clearTimeout(this.#timer);
		this.doomed = new Set();
		this.#settle();
		/** @type {Map<string, {ids: string[], was: object}>} those of one place together */
		const places = new Map();

		for (const [id, was] of back) {
			const place = JSON.stringify(was);

			places.set(place, { was, ids: [...places.get(place)?.ids || [], id] });
		}
		for (const { ids, was } of places.values())
			await this.#arrange(ids, was);
	}

	/**
	 * Deletes now what is to be deleted: it cannot be undone any more.
	 * @param ends whether the page ends
	 */
	async flush(ends = false)
	{
		const ids = [...this.doomed];

		clearTimeout(this.#timer);
		this.moved = null;
		if (ids.length === 0)
			return;
		this.error = null;
		this.doomed = new Set();
		for (const id of ids)
			this.deleting.add(id);
		this.changed();
		const gone = async (id) => {
			try {
				await this.#api.remove(id, ends);
			} catch (error) {
				if (error.code !== 'not_found') {
					this.error = error;
					return;
				}
			}
			this.#list.forget(id);
			this.forget(id);
		};

		// no answer comes any more
		await (ends ? Promise.all(ids.map(gone)) : eachOf(ids, gone));
		for (const id of ids)
			this.deleting.delete(id);
		this.changed();
	}
}

/** Calls fn for each, a few at a time. */
async function eachOf(items, fn)
{
	const left = [...items];

	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		for (let item = left.shift(); item !== undefined; item = left.shift())
			await fn(item);
	}));
}
