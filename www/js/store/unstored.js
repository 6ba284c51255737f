// Answers that the server could not store, since its database was away: it has
// handed them to this page, sealed, and takes them back when it can. Kept for
// this tab (sessionStorage), so that a reload does not lose them; where that is
// forbidden or full, for as long as the page is there.
const PREFIX = 'lamplighter.unstored.';
const RETRY_MS = [1000, 2000, 4000, 8000, 15000, 30000];
/** It will never be stored: no such turn, ended otherwise, too much, not its end. */
const FINAL = [404, 409, 413, 422];

export class Unstored {
	#api;
	#link;
	#ended;
	#known = new Set();

	/** @param ended told (conversationId, turnId, stored) when one is done with */
	constructor(api, link, ended)
	{
		this.#api = api;
		this.#link = link;
		this.#ended = ended;
	}

	/** Takes up what an earlier load of the page has kept. */
	resume()
	{
		for (const [key, text] of kept()) {
			try {
				const { base, conversationId, turnId, unstored } = JSON.parse(text);

				// another installation beside this one has its own
				if (base === this.#api.base)
					this.#store(conversationId, turnId, unstored);
			} catch {
				forget(key);
			}
		}
	}

	/** Keeps what a turn has told, and stores it as soon as that works. */
	add(conversationId, turnId, unstored)
	{
		try {
			sessionStorage.setItem(PREFIX + turnId, JSON.stringify(
				{ base: this.#api.base, conversationId, turnId, unstored }));
		} catch {
			// the page has it as long as it is there
		}
		this.#store(conversationId, turnId, unstored);
	}

	async #store(conversationId, turnId, unstored)
	{
		if (this.#known.has(turnId))
			return;
		this.#known.add(turnId);
		for (let n = 0; ; n++) {
			try {
				await this.#api.storeTurn(turnId, unstored);
				break;
			} catch (error) {
				// after a sign-in the next load of the page goes on
				if (error.status === 401 || error.status === 403)
					return;
				if (FINAL.includes(error.status) && !error.retryable) {
					forget(PREFIX + turnId);
					this.#ended(conversationId, turnId, false);
					return;
				}
				await this.#link.pause(Math.max((error.retryAfter || 0) * 1000,
					RETRY_MS[Math.min(n, RETRY_MS.length - 1)]));
			}
		}
		forget(PREFIX + turnId);
		this.#ended(conversationId, turnId, true);
	}
}

function kept()
{
	try {
		return Object.entries(sessionStorage).filter(([key]) => key.startsWith(PREFIX));
	} catch {
		return [];
	}
}

function forget(key)
{
	try {
		sessionStorage.removeItem(key);
	} catch {
		// was never there
	}
}
