// SPDX-License-Identifier: MIT
// One tab of a browser works for all of them: the one that leads. Tabs agree by
// a Web Lock or, where there is none (a site without TLS), by an entry in
// localStorage that its owner renews. Without either, each tab leads itself.

import { local } from './storage.js';

/** An entry that is not renewed for this long has no owner. */
const LEASE_MS = 6000;
const RENEW_MS = 2000;
/** Two tabs that write at once both see who was last. */
const SETTLE_MS = 150;

export class Lead {
	#name;
	#locks;
	#storage;

	/**
	 * @param name the same in all tabs that share the work
	 * @param locks navigator.locks, or undefined
	 * @param storage localStorage, or null
	 */
	constructor(name, locks = globalThis.navigator?.locks,
		storage = local())
	{
		this.#name = name;
		this.#locks = locks;
		this.#storage = storage;
	}

	/**
	 * Waits until this tab leads, then works.
	 * @param work gets a signal: it no longer leads
	 * @param signal ends the wait; work ends by itself
	 */
	async run(work, signal)
	{
		if (signal.aborted)
			return;
		if (this.#locks)
			await this.#locked(work, signal);
		else if (this.#storage)
			await this.#leased(work, signal);
		else
			await work(new AbortController().signal);
	}

	async #locked(work, signal)
	{
		try {
			await this.#locks.request(this.#name, { signal }, () =>
				work(new AbortController().signal));
		} catch (error) {
			if (!signal.aborted)
				throw error;
		}
	}

	async #leased(work, signal)
	{
		const id = `${Math.random()}`;
		const lost = new AbortController();

		while (!signal.aborted && !await this.#won(id))
			await pause(RENEW_MS, signal);
		if (signal.aborted) {
			this.#leave(id);
			return;
		}
		const timer = setInterval(() => {
			if (this.#owner() === id)
				this.#write(id);
			else
				lost.abort();
		}, RENEW_MS);

		try {
			await work(lost.signal);
		} finally {
			clearInterval(timer);
			this.#leave(id);
		}
	}

	/** Whether the entry is ours now. */
	async #won(id)
	{
		if (this.#owner())
			return false;
		this.#write(id);
		await pause(SETTLE_MS);
		return this.#owner() === id;
	}

	/** The id of the tab that leads, '' for none. */
	#owner()
	{
		const [id, until] = (this.#storage.getItem(this.#name) || '').split(' ');

		// a clock that was set back must not keep an entry for ever
		return until > Date.now() && until < Date.now() + 2 * LEASE_MS ? id : '';
	}

	#write(id)
	{
		this.#storage.setItem(this.#name, `${id} ${Date.now() + LEASE_MS}`);
	}

	#leave(id)
	{
		if (this.#owner() === id)
			this.#storage.removeItem(this.#name);
	}
}

/** @returns {Promise<void>} */
function pause(ms, signal)
{
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);

		signal?.addEventListener('abort', () => {
			clearTimeout(timer);
			resolve();
		}, { once: true });
	});
}
