// SPDX-License-Identifier: MIT
// What this page knows about its connection: whether streams arrive as they are
// made, and the moments at which a broken one is worth another try.

const KEY = 'lamplighter.polls';
/** Failures of streaming that make the page poll. */
const STRIKES = 2;
/** How long it polls before a stream is tried again. */
const RETRY_MS = 10 * 60 * 1000;
const TICK_MS = 2000;
/** A clock that jumps by this much: the machine slept. */
const GAP_MS = 10000;
/** A stream whose events span less than this share of their own time … */
const BURST = 0.25;
/** … is a burst, if they took at least so long to make. */
const PACED_MS = 1200;

export class Link {
	#storage;
	#strikes = 0;
	#wakers = new Set();
	#lastTick = Date.now();

	/** @param storage for what is remembered while the tab lives, or null */
	constructor(storage = sessionStorageIfAllowed())
	{
		this.#storage = storage;
	}

	/** Begins to look for moments at which connections may have changed. */
	listen()
	{
		addEventListener('online', () => this.#wake());
		addEventListener('pageshow', () => this.#wake());
		document.addEventListener('visibilitychange', () => {
			if (!document.hidden)
				this.#wake();
		});
		setInterval(() => {
			const now = Date.now();

			// hidden tabs have slow timers, which is no sleep
			if (now - this.#lastTick > GAP_MS && !document.hidden)
				this.#wake();
			this.#lastTick = now;
		}, TICK_MS);
	}

	/** Calls fn when the network, the page or the machine came back. */
	onWake(fn)
	{
		this.#wakers.add(fn);
		return () => this.#wakers.delete(fn);
	}

	#wake()
	{
		for (const fn of [...this.#wakers])
			fn();
	}

	/**
	 * Waits; a return of the network, or the signal, ends it early.
	 * @returns {Promise<void>}
	 */
	pause(ms, signal)
	{
		return new Promise((resolve) => {
			const done = () => {
				clearTimeout(timer);
				end();
				signal?.removeEventListener('abort', done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			const end = this.onWake(done);

			signal?.addEventListener('abort', done);
			if (signal?.aborted)
				done();
		});
	}

	/** Whether streams were found not to get through. */
	get polls()
	{
		return Number(this.#storage?.getItem(KEY) || 0) > Date.now();
	}

	/** A stream held back what the server had sent. @param strikes how sure */
	streamFailed(strikes)
	{
		this.#strikes += strikes;
		if (this.#strikes >= STRIKES)
			this.#storage?.setItem(KEY, String(Date.now() + RETRY_MS));
	}

	/**
	 * A stream that began with its turn has ended.
	 * @param seenMs from its first to its last event here
	 * @param madeMs the same at the server
	 */
	streamEnded(seenMs, madeMs)
	{
		if (!(madeMs >= PACED_MS))
			return;
		if (seenMs < madeMs * BURST) {
			this.streamFailed(STRIKES);
		} else {
			this.#strikes = 0;
			this.#storage?.removeItem(KEY);
		}
	}
}

/** If storage is forbidden, what was learned lasts until a reload. */
function sessionStorageIfAllowed()
{
	try {
		sessionStorage.getItem(KEY);
		return sessionStorage;
	} catch {
		const kept = new Map();

		return {
			getItem: (key) => kept.get(key) ?? null,
			setItem: (key, value) => kept.set(key, value),
			removeItem: (key) => kept.delete(key),
		};
	}
}
