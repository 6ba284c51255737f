// SPDX-License-Identifier: MIT
// The events of one turn, each once and in order, until its last one. They come
// from the stream of the request that began the turn; when that breaks, from
// GET /turns/{t}/events after the last event seen: as a stream or, if streams
// are found not to get through, by long polls. An answer with Retry-After ends
// early, because the server has no place for one more that stays open: the turn
// runs on, and the page polls it without waiting at the server.
//
// This is measured as follows: while nothing arrives, the page asks for the
// events after the last one it has. If there are some and the stream still does
// not deliver them a moment later, something holds it up.
import { ApiError, retryAfter } from './api.js';
import { parseExact } from './exact.js';
import { readEvents } from './sse.js';

/** The last event of a stream. */
const LAST = new Set(['done', 'error', 'waiting']);
/** Silence after which the page asks; doubled each time. */
const PROBE_MS = 2500;
const PROBE_POLLING_MS = 600;
const PROBE_MAX_MS = 30000;
/** How long a stream has to deliver what another request has seen. */
const GRACE_MS = 900;
const GRACE_POLLING_MS = 250;
/**
 * A stream that was silent for this long when the page woke up is not trusted.
 */
const SUSPECT_MS = 3000;
const WAIT_S = 20;
/** A poll that takes longer than its wait plus this is dead. */
const POLL_EXTRA_MS = 15000;
/** Pause between two polls, so that tokens accumulate. */
const BETWEEN_POLLS_MS = 120;
const RETRY_MS = [150, 500, 1000, 2000, 4000, 8000];
/** Shorter breaks are not shown. */
const SHOW_AFTER_MS = 700;

export class Feed {
	#api;
	#link;
	#find;
	#onEvent;
	#onState;
	#last = 0;
	#end = '';
	/** s between two short polls; 0: the server can wait for events */
	#restS = 0;
	#conn = null;
	#stopped = new AbortController();
	#stateTimer = null;

	/**
	 * @param options turnId ('' when the turn is yet to begin);
	 *        after: number of the last event that is known;
	 *        find(): the turn's id, when a request to begin one, or to go on
	 *        with it, is not answered ('' if it had no effect);
	 *        onEvent(type, data, number): data parsed;
	 *        onState(text): '' or 'reconnecting'
	 */
	constructor(api, link, { turnId = '', after = 0, find, onEvent, onState })
	{
		this.#api = api;
		this.#link = link;
		this.turnId = turnId;
		this.#last = after;
		this.#find = find;
		this.#onEvent = onEvent;
		this.#onState = onState;
	}

	/** Stops reading. */
	stop()
	{
		this.#stopped.abort();
		this.#conn?.abort.abort();
	}

	/**
	 * Reads to the end, through any number of breaks.
	 * @param open begins the turn: gets a signal, returns a Response
	 * @returns the type of the last event; 'gone' when the turn has ended and
	 *          its events are no longer there; '' after stop()
	 * @throws ApiError: the turn was not begun, or is not for us
	 */
	async run(open = null)
	{
		const asleep = this.#link.onWake(() => this.#woke());
		let failures = 0;

		try {
			if (open)
				await this.#begin(open);
			while (!this.#end && !this.#stopped.signal.aborted) {
				const before = this.#last;
				let error = null;

				try {
					await (this.#restS || this.#link.polls
						? this.#poll() : this.#stream());
				} catch (problem) {
					if (isFinal(problem) && !this.#end)
						throw problem;
					error = problem;
				}
				if (this.#end)
					break;
				failures = this.#last > before ? 0 : failures + 1;
				await this.#rest(failures, error);
			}
		} finally {
			asleep();
			this.#connected();
		}
		return this.#end;
	}

	/** Waits before the next try. */
	#rest(failures, error)
	{
		const ms = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
		const asked = (error?.retryAfter || 0) * 1000;

		this.#disconnected();
		return this.#link.pause(Math.max(ms, asked), this.#stopped.signal);
	}

	/** What an open connection has delivered so far. */
	#open(begins)
	{
		this.#conn = { abort: new AbortController(), begins, over: false,
			byteAt: performance.now(), events: 0, firstAt: 0, madeAt: 0 };
		if (this.#stopped.signal.aborted)
			this.#conn.abort.abort();
		return this.#conn;
	}

	async #begin(open)
	{
		const conn = this.#open(true);
		let answered = false;
		let reason = null;

		this.#watch(conn);
		try {
			const response = await open(conn.abort.signal);

			answered = true;
			this.#restS = retryAfter(response);
			await this.#read(response, conn);
		} catch (error) {
			reason = error;
		} finally {
			conn.over = true;
		}
		if (!answered && !mayHaveArrived(reason))
			throw reason;
		if (this.#end || this.#stopped.signal.aborted ||
		    (this.turnId && (answered || !this.#find)))
			return;
		await this.#search(answered, reason);
	}

	/**
	 * It is not known if the turn runs. If the server has opened a stream,
	 * it does, so it is looked for until the server answers; else once.
	 */
	async #search(answered, reason)
	{
		for (let tries = 0; ; tries++) {
			let unclear = false;

			try {
				this.turnId = await this.#find();
			} catch (error) {
				unclear = answered && !isFinal(error);
			}
			if (this.turnId || this.#stopped.signal.aborted)
				return;
			if (!unclear)
				throw reason instanceof ApiError ? reason :
					new ApiError({ code: 'network' });
			await this.#rest(tries);
		}
	}

	async #stream()
	{
		const conn = this.#open(false);

		this.#watch(conn);
		try {
			const response = await this.#api.events(this.turnId,
				{ after: this.#last, signal: conn.abort.signal });

			this.#restS = retryAfter(response);
			if (response.status === 204)
				this.#end = 'gone';
			else
				await this.#read(response, conn);
		} finally {
			conn.over = true;
		}
	}

	async #poll()
	{
		while (!this.#end && !this.#stopped.signal.aborted) {
			const { abort } = this.#open(false);
			const late = setTimeout(() => abort.abort(),
				WAIT_S * 1000 + POLL_EXTRA_MS);
			const page = await this.#api.eventsPage(this.turnId,
				{ after: this.#last, wait: this.#restS ? 0 : WAIT_S,
					signal: abort.signal })
				.finally(() => clearTimeout(late));

			this.#restS ||= page.retryAfter;
			this.#connected();
			for (const { event, data, id } of page.items)
				this.#take(event, data, id);
			if (page.done)
				this.#end ||= 'gone';
			else
				await this.#link.pause(1000 * this.#restS || BETWEEN_POLLS_MS,
					this.#stopped.signal);
		}
	}

	async #read(response, conn)
	{
		await readEvents(response.body, ({ type, data, id }) => {
			const body = parsed(data);

			if (body === undefined)
				return;
			this.#gauge(conn, type, body);
			this.#take(type, body, Number(id));
		}, { onBytes: () => {
			conn.byteAt = performance.now();
			this.#connected();
		} });
	}

	/**
	 * Passes on each event once: repetitions by a new connection are
	 * dropped.
	 */
	#take(type, data, id)
	{
		// that it waits is sent to each new connection, without a
		// number of its own
		if (this.#end || !(id > this.#last || type === 'waiting'))
			return;
		this.#last = Math.max(this.#last, id || 0);
		if (data.turnId && type === 'user-message')
			this.turnId = data.turnId;
		if (LAST.has(type))
			this.#end = type;
		this.#onEvent(type, data, this.#last);
		// the stream of a turn that waits may stay open
		if (type === 'waiting')
			this.#conn.abort.abort();
	}

	/** Compares how long the events took here with what the server says. */
	#gauge(conn, type, { turnId, createdAt })
	{
		const now = performance.now();

		conn.events++;
		if (!conn.begins)
			return;
		if (type === 'user-message') {
			conn.firstAt = now;
			conn.madeAt = timeOfId(turnId);
		} else if (LAST.has(type) && conn.firstAt) {
			this.#link.streamEnded(now - conn.firstAt,
				Date.parse(createdAt) - conn.madeAt);
		}
	}

	/**
	 * While a stream is silent: whether the server has more than it
	 * delivers.
	 */
	async #watch(conn)
	{
		let wait = this.#link.polls ? PROBE_POLLING_MS : PROBE_MS;

		while (!conn.over && !conn.abort.signal.aborted) {
			const left = conn.byteAt + wait - performance.now();

			if (left > 0) {
				await sleep(left);
				continue;
			}
			const ahead = await this.#ahead().catch(() => 0);

			if (ahead > this.#last) {
				await sleep(this.#link.polls ? GRACE_POLLING_MS : GRACE_MS);
				if (ahead > this.#last && !conn.over) {
					this.#link.streamFailed(conn.events === 0 ? 2 : 1);
					conn.abort.abort();
				}
			}
			wait = Math.min(wait * 2, PROBE_MAX_MS);
		}
	}

	/** The number of the newest event that the server has, 0 for none new. */
	async #ahead()
	{
		this.turnId ||= await this.#find();
		if (!this.turnId)
			return 0;
		const { items } = await this.#api.eventsPage(this.turnId,
			{ after: this.#last, wait: 0 });

		return items.length > 0 ? items[items.length - 1].id : 0;
	}

	#woke()
	{
		const conn = this.#conn;

		if (conn && this.turnId && performance.now() - conn.byteAt > SUSPECT_MS)
			conn.abort.abort();
	}

	#connected()
	{
		clearTimeout(this.#stateTimer);
		this.#stateTimer = null;
		this.#onState('');
	}

	#disconnected()
	{
		this.#stateTimer ??= setTimeout(() => this.#onState('reconnecting'),
			SHOW_AFTER_MS);
	}
}

/** A refusal that a retry would not change. */
function isFinal(error)
{
	return error.status >= 400 && error.status < 500 &&
		![408, 425, 429].includes(error.status);
}

/** No response, or one from a proxy. */
function mayHaveArrived(error)
{
	return !(error instanceof ApiError) || error.code === 'network' ||
		error.status === 502 || error.status === 504;
}

/** When an id (UUID version 7) was made, in ms. The question may be older. */
function timeOfId(id)
{
	return parseInt(id.replace('-', '').slice(0, 12), 16);
}

function sleep(ms)
{
	return new Promise((resolve) => setTimeout(resolve, ms));
}

function parsed(data)
{
	try {
		return parseExact(data);
	} catch {
		return undefined;
	}
}
