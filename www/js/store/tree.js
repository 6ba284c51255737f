// SPDX-License-Identifier: MIT
// The tree of a project's documents, which others may rearrange at the same time: a move
// says which version of it somebody has seen.
import { Observable } from '../observable.js';
import { linesOf, withMoved } from '../tree.js';

/** Of a larger tree, only what is at the top is open at first. */
const MOST_OPEN = 60;

export class Tree extends Observable {
	#api;
	#round = 0;
	/** moves that are on their way, one after the other */
	#moving = 0;
	#last = Promise.resolve();

	/** @param {string} path of the tree, below the API's root */
	constructor(api, path)
	{
		super();
		this.#api = api;
		this.path = path;
		this.version = 0;
		this.root = [];
		this.loaded = false;
		this.error = null;
		/** ids of documents whose children are not shown */
		this.closed = new Set();
		/** the document that the keyboard is at */
		this.at = '';
	}

	/** Reads it; while something is moved here, it is read afterwards. */
	async load()
	{
		const round = ++this.#round;

		if (this.#moving > 0)
			return;

		try {
			const { version, root } = await this.#api.json('GET', this.path);

			if (round !== this.#round)
				return;
			const lines = this.loaded ? [] : linesOf(root);

			if (lines.length > MOST_OPEN)
				this.closed = new Set(lines.map(({ node }) => node.id));
			Object.assign(this, { version, root, loaded: true, error: null });
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		}
		this.changed();
	}

	/** Shows what is under a document, or not. */
	toggle(id, open = this.closed.has(id))
	{
		this.closed = new Set(this.closed);
		if (open)
			this.closed.delete(id);
		else
			this.closed.add(id);
		this.changed();
	}

	/**
	 * Moves a document, if nobody else has changed the tree; it is shown there at once.
	 * Afterwards the tree is as it is stored.
	 * @param {string} id
	 * @param {import('../tree.js').Place} place
	 * @returns {Promise<any>} null, or why it was not moved: an ApiError
	 */
	async move(id, place)
	{
		const was = this.root;

		this.#round++;
		this.#moving++;
		this.root = withMoved(was, id, place);
		this.toggle(place.parentId, true);
		const moved = this.#last.then(() => this.#send(id, place));

		this.#last = moved.then(() => undefined);
		const failed = await moved;

		this.#moving--;
		if (failed)
			this.root = was;
		await this.load();
		return failed;
	}

	/** @returns null, or why it was not moved */
	async #send(id, { parentId, position })
	{
		try {
			const { version } = await this.#api.json('POST', this.path, { body: {
				documentId: id, parentId: parentId || null, position, version: this.version } });

			this.version = version;
			return null;
		} catch (error) {
			return error;
		}
	}
}
