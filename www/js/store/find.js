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

	/** What is found: {id, kind, title, …, snippet}. */
	async page()
	{
		const q = this.q.trim();

		return { items: q ? (await this.#api.list('entities/search', { q, pageSize: MOST,
			projectId: this.projectId })).items : [], nextCursor: null };
	}
}
