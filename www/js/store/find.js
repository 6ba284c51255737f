// SPDX-License-Identifier: MIT
// A search in a project, or in all that the caller sees, while somebody types.
import { PagedList } from './paged-list.js';

const MOST = 20;

export class Find extends PagedList {
	#api;

	/** @param {string} projectId '': in all projects */
	constructor(api, projectId = '')
	{
		super();
		this.#api = api;
		this.projectId = projectId;
	}

	/** What is found: {id, kind, title, …, snippet}; a word that is half typed by titles. */
	async page()
	{
		const asked = { q: this.q.trim(), pageSize: MOST, projectId: this.projectId };
		const { items } = asked.q ? await this.#api.list('entities/search', asked) :
			{ items: [] };

		return { nextCursor: null, items: asked.q && items.length === 0 ?
			(await this.#api.list('entities/search', { ...asked, match: 'start' })).items :
			items };
	}
}
