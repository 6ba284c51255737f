// SPDX-License-Identifier: MIT
// How the user rated answers. The ratings of a conversation are asked for once, when the
// first of its buttons is reached: nobody needs them to read.

/** Most of the ratings of one conversation that are read. */
const MOST = 500;
const PAGE = 100;

/**
 * @typedef {object} Rating
 * @property {string} id
 * @property {'good' | 'bad'} value
 * @property {string[] | null} reasons
 * @property {string | null} comment
 * @property {boolean} withText
 */

export class Ratings {
	#api;
	#conversation = '';
	/** @type {Promise<Map<string, Rating>> | null} by the answer's id */
	#rows = null;

	constructor(api)
	{
		this.#api = api;
	}

	async #read(conversationId)
	{
		const rows = new Map();
		let cursor = null;

		do {
			const page = await this.#api.list('ratings', { conversationId, cursor, pageSize: PAGE });

			for (const row of page.items)
				rows.set(row.messageId, row);
			cursor = page.nextCursor;
		} while (cursor !== null && rows.size < MOST);
		return rows;
	}

	#of(conversationId)
	{
		if (this.#conversation !== conversationId || !this.#rows) {
			const rows = this.#read(conversationId);

			this.#conversation = conversationId;
			this.#rows = rows;
			rows.catch(() => {
				if (this.#rows === rows)
					this.#rows = null;
			});
		}
		return this.#rows;
	}

	/**
	 * Tells the turn how it was rated.
	 * @throws ApiError
	 */
	async tell(conversationId, turn)
	{
		const rating = (await this.#of(conversationId)).get(turn.answerId) || null;

		if (turn.rating !== rating) {
			turn.rating = rating;
			turn.changed();
		}
	}

	/** Stores what is given of a rating. @throws ApiError */
	async put(conversationId, turn, given)
	{
		try {
			await this.#store(conversationId, turn, given);
		} catch (error) {
			// another window has rated it, or taken it back
			if (![404, 409].includes(error.status))
				throw error;
			this.#rows = null;
			await this.#store(conversationId, turn, given);
		}
	}

	async #store(conversationId, turn, given)
	{
		const rows = await this.#of(conversationId);
		const before = rows.get(turn.answerId);
		const row = await (before ? this.#api.json('PATCH', `ratings/${before.id}`, { body: given }) :
			this.#api.json('POST', 'ratings', { body: { conversationId,
				messageId: turn.answerId, ...given } }));

		rows.set(turn.answerId, row);
		await this.tell(conversationId, turn);
	}

	/** Takes a rating back. @throws ApiError */
	async remove(conversationId, turn)
	{
		const rows = await this.#of(conversationId);
		const row = rows.get(turn.answerId);

		try {
			if (row)
				await this.#api.request('DELETE', `ratings/${row.id}`);
		} catch (error) {
			if (error.status !== 404)
				throw error;
		}
		rows.delete(turn.answerId);
		await this.tell(conversationId, turn);
	}
}
