// SPDX-License-Identifier: MIT
// A list of a resource, searched by words and parts of words.
import { PagedList } from './paged-list.js';

const PAGE = 50;

export class Rows extends PagedList {
	#api;
	#whole;

	/**
	 * @param path below the API's root
	 * @param {object} [form]
	 * @param {boolean} [form.whole] true of a list that has no pages
	 */
	constructor(api, path, { whole = false } = {})
	{
		super();
		this.#api = api;
		this.#whole = whole;
		this.path = path;
		this.total = null;
		/** what the rows were searched for */
		this.found = '';
	}

	/** Loads all pages, up to this many rows. */
	async all(most)
	{
		await this.reload();
		while (!this.error && this.nextCursor !== null && this.items.length < most)
			await this.more();
	}

	/** All that is there and fits the search, at most so many rows; what is shown stays. */
	async collect(most)
	{
		const rows = [];
		let cursor = '';

		do {
			const page = await this.#api.list(this.path,
				{ q: this.q.trim(), cursor, pageSize: 100 });

			rows.push(...page.items);
			cursor = page.nextCursor;
		} while (cursor && rows.length < most);
		return rows;
	}

	async page(cursor)
	{
		const q = this.q.trim();
		const page = await this.#api.list(this.path, this.#whole ? {} :
			{ q, cursor, pageSize: PAGE });

		return {
			items: cursor ? [...this.items, ...page.items] : page.items,
			nextCursor: page.nextCursor,
			total: page.totalCount,
			found: q,
		};
	}
}
