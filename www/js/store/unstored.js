// SPDX-License-Identifier: MIT
// Answers that the server could not store because its database was unavailable:
// it has handed them to this page, sealed, and takes them back when it can.
// Kept for this tab (sessionStorage), so that a reload does not lose them; if
// storage is forbidden or full, for as long as the page is open.
//
// Each belongs to its user: another user who signs in here neither sends nor
// sees it. One that can never be stored is kept as text, to be copied.
import { drop, session, write } from '../storage.js';

const PREFIX = 'lamplighter.unstored.';
const RETRY_MS = [1000, 2000, 4000, 8000, 15000, 30000, 60000, 120000, 300000];
/** How long it is retried while the server is away … */
const AWAY_MS = 12 * 3600 * 1000;
/**
 * … and while the server, or something in front of it, answers with another
 * error.
 */
const REFUSED_MS = 10 * 60 * 1000;
/**
 * It will never be stored: no such turn, ended otherwise, too large, not its
 * end.
 */
const FINAL = [404, 409, 413, 422];
const AWAY = [408, 429, 502, 503, 504];

export class Unstored {
	#api;
	#link;
	#user;
	#ended;
	#now;
	#known = new Set();
	/** by turn: what could not be stored */
	#lost = new Map();

	/**
	 * @param user  () => the id of who is signed in
	 * @param ended told (conversationId, turnId, stored) when one is done with
	 * @param now   a clock in milliseconds
	 */
	constructor(api, link, user, ended, now = () => performance.now())
	{
		this.#api = api;
		this.#link = link;
		this.#user = user;
		this.#ended = ended;
		this.#now = now;
	}

	/** Takes over what an earlier load of the page has kept. */
	resume()
	{
		for (const [key, text] of kept()) {
			try {
				const row = JSON.parse(text);

				// another installation on the same host has
				// its own
				if (row.base !== this.#api.base || row.user !== this.#user())
					continue;
				if (row.unstored)
					this.#store(row);
				else
					this.#lose(row, row.reason);
			} catch {
				forget(key);
			}
		}
	}

	/**
	 * Keeps the end that a turn has sent, and stores it as soon as
	 * possible.
	 * @param text its answer
	 */
	add(conversationId, turnId, unstored, text)
	{
		const row = { base: this.#api.base, user: this.#user(), conversationId, turnId,
			unstored, text };

		// the text may be too large in addition
		if (!keep(row))
			keep({ ...row, text: '' });
		this.#store(row);
	}

	/** {text, reason} of a turn that could not be stored, or null. */
	lost(turnId)
	{
		return this.#lost.get(turnId) || null;
	}

	#lose(row, reason)
	{
		this.#lost.set(row.turnId, { text: row.text || '', reason });
		this.#ended(row.conversationId, row.turnId, false);
	}

	/** Whether the server identifies us as this user. */
	async #isOf(user)
	{
		try {
			return (await this.#api.me()).userId === user;
		} catch {
			return false;
		}
	}

	async #store(row)
	{
		const { conversationId, turnId, unstored } = row;
		const began = this.#now();
		let refused = null;

		if (this.#known.has(turnId))
			return;
		this.#known.add(turnId);
		for (let n = 0; ; n++) {
			try {
				await this.#api.storeTurn(turnId, unstored);
				break;
			} catch (error) {
				// after a sign-in the next load of the page
				// continues
				if (error.status === 401 || error.status === 403)
					return;
				// somebody else may have signed in since,
				// in another tab
				if (error.status === 404 && !await this.#isOf(row.user)) {
					this.#known.delete(turnId);
					return;
				}
				if (FINAL.includes(error.status) && !error.retryable) {
					const reason = error.status === 413 ? 'tooLarge' : 'refused';

					// only the text is of use now
					keep({ ...row, unstored: undefined, reason });
					this.#lose(row, reason);
					return;
				}
				if (isAway(error))
					refused = null;
				else
					refused ??= this.#now();
				if (this.#now() - began >= AWAY_MS ||
				    (refused !== null && this.#now() - refused >= REFUSED_MS)) {
					this.#lose(row, 'gaveUp');
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

/** Whether the failure may pass by itself. */
function isAway(error)
{
	return error.retryable || !error.status || AWAY.includes(error.status);
}

/** False if there is no room for it: then only the open page has it. */
function keep(row)
{
	return write(session(), PREFIX + row.turnId, JSON.stringify(row));
}

function kept()
{
	return Object.entries(session() || {}).filter(([key]) => key.startsWith(PREFIX));
}

function forget(key)
{
	drop(session(), key);
}
