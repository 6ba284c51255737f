// A list of a resource: pages, and search by the beginning of the name.
// Responses to an outdated query are dropped.
import { Observable } from '../observable.js';

const SEARCH_WAIT_MS = 250;
const PAGE = 50;

export class Rows extends Observable {
	#api;
	#round = 0;
	#whole;
	#timer = null;

	/**
	 * @param path  below the API's root
	 * @param whole true of a list that has no pages
	 */
	constructor(api, path, whole = false)
	{
		super();
		this.#api = api;
		this.#whole = whole;
		this.path = path;
		this.q = '';
		this.items = [];
		this.nextCursor = null;
		this.total = null;
		this.loading = false;
		this.loaded = false;
		this.error = null;
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
		return this.#page('');
	}

	/** Loads the next page, if there is one. */
	async more()
	{
		if (!this.loading && this.nextCursor !== null)
			await this.#page(this.nextCursor);
	}

	/** Loads all pages, up to this many rows. */
	async all(most)
	{
		await this.reload();
		while (!this.error && this.nextCursor !== null && this.items.length < most)
			await this.more();
	}

	async #page(cursor)
	{
		const round = ++this.#round;

		this.loading = true;
		this.error = null;
		this.changed();
		try {
			const page = await this.#api.list(this.path, this.#whole ? {} :
				{ q: this.q.trim(), cursor, pageSize: PAGE });

			if (round !== this.#round)
				return;
			this.items = cursor ? [...this.items, ...page.items] : page.items;
			this.nextCursor = page.nextCursor;
			this.total = page.totalCount;
			this.loaded = true;
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		} finally {
			if (round === this.#round) {
				this.loading = false;
				this.changed();
			}
		}
	}
}
