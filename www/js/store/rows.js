// SPDX-License-Identifier: MIT
// A list of a resource, searched by how the name begins.
import { PagedList } from './paged-list.js';

const PAGE = 50;
/** of rows that only the program makes: versions, with whole texts */
const RECORDS_PAGE = 10;

export class Rows extends PagedList {
	#api;
	#whole;
	#size;

	/**
	 * @param path below the API's root
	 * @param {object} [form]
	 * @param {boolean} [form.whole]    true of a list that has no pages
	 * @param {boolean} [form.readOnly] true of records
	 */
	constructor(api, path, { whole = false, readOnly = false } = {})
	{
		super();
		this.#api = api;
		this.#whole = whole;
		this.#size = readOnly ? RECORDS_PAGE : PAGE;
		this.path = path;
		this.total = null;
	}

	/** Loads all pages, up to this many rows. */
	async all(most)
	{
		await this.reload();
		while (!this.error && this.nextCursor !== null && this.items.length < most)
			await this.more();
	}

	async page(cursor)
	{
		const page = await this.#api.list(this.path, this.#whole ? {} :
			{ q: this.q.trim(), cursor, pageSize: this.#size });

		return {
			items: cursor ? [...this.items, ...page.items] : page.items,
			nextCursor: page.nextCursor,
			total: page.totalCount,
		};
	}
}
