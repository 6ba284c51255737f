// SPDX-License-Identifier: MIT
// What happens in my conversations elsewhere: in other tabs, on other devices,
// in tasks. One connection of the browser, and only while a page is visible: a
// web server may have few for all its users, a browser has six per host, and a
// tab that becomes visible again reloads its list. The visible tab that leads
// (lead.js) listens and tells the others. As a stream or, if streams do not get
// through, as long polls; if the server has no place for an open connection, as
// a short request now and then; if the server has no such thing, none.
import { retryAfter } from '../api.js';
import { Lead } from '../lead.js';
import { readEvents } from '../sse.js';

const WAIT_S = 25;
/** Between two short requests. */
const SPARSE_MS = 20000;
const POLL_EXTRA_MS = 15000;
const RETRY_MS = [1000, 2000, 5000, 15000, 30000];
/** A tab that is hidden for this long gives up its connection. */
const HIDDEN_MS = 5000;
/**
 * Without a byte for this long (there is a comment every 15 s) the stream is
 * dead.
 */
const SILENT_MS = 25000;
/** The first event comes at once; a stream without it may be held up. */
const FIRST_MS = 4000;

export class Notices {
	#api;
	#link;
	#onNotice;
	#last = '';
	#abort = null;
	#hideTimer = null;
	#running = false;
	#absent = false;
	#sparse = false;
	#lead = null;
	#shown = null;
	/** To the other tabs: {at} or {type, data, at}, or 'position?' */
	#tabs = null;

	/** @param onNotice called with (type, data) */
	constructor(api, link, onNotice)
	{
		this.#api = api;
		this.#link = link;
		this.#onNotice = onNotice;
	}

	/**
	 * Listens while the page is visible.
	 * @param {{notifications?: string, tenantId?: string, userId?: string}} me of /me
	 */
	start({ notifications: how = 'stream', tenantId, userId } = {})
	{
		const name = `lamplighter.notices ${this.#api.base} ${tenantId} ${userId}`;

		this.#sparse = how === 'poll';
		this.#lead = new Lead(name);
		if (globalThis.BroadcastChannel)
			this.#share(new BroadcastChannel(name));
		else
			this.#lead = new Lead(name, null, null);
		document.addEventListener('visibilitychange', () => this.#look());
		this.#look();
	}

	/** What the tab that leads is told, all tabs are. */
	#share(tabs)
	{
		this.#tabs = tabs;
		tabs.onmessage = ({ data: said }) => {
			if (said === 'position?') {
				if (this.#abort)
					tabs.postMessage({ at: this.#last });
				return;
			}
			this.#last = said.at || this.#last;
			if (said.type)
				this.#onNotice(said.type, said.data);
		};
		tabs.postMessage('position?');
	}

	#look()
	{
		clearTimeout(this.#hideTimer);
		if (document.hidden) {
			this.#hideTimer = setTimeout(() => {
				this.#shown?.abort();
				this.#abort?.abort();
			}, HIDDEN_MS);
			return;
		}
		if (!this.#running && !this.#absent)
			this.#run();
	}

	async #run()
	{
		this.#running = true;
		this.#shown = new AbortController();
		await this.#lead.run((lost) => this.#listen(lost), this.#shown.signal);
		this.#abort = null;
		this.#running = false;
		// visible again in the meantime
		if (!document.hidden && !this.#absent)
			this.#look();
	}

	/** As the tab that leads. */
	async #listen(lost)
	{
		let failures = 0;

		lost.addEventListener('abort', () => this.#abort?.abort());
		while (!document.hidden && !this.#absent && !lost.aborted) {
			const before = this.#last;
			let after = 0;

			try {
				after = await (this.#sparse || this.#link.polls
					? this.#poll(lost) : this.#stream());
				failures = 0;
			} catch (error) {
				this.#absent = [401, 403, 404, 405].includes(error.status);
				after = error.retryAfter || 0;
				failures = this.#last === before ? failures + 1 : 0;
			}
			if (document.hidden || this.#absent || lost.aborted)
				break;
			await this.#link.pause(Math.max(after * 1000,
				RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]),
				this.#shown.signal);
		}
	}

	/** @returns the seconds to wait, if the server has no place for it */
	async #stream()
	{
		this.#abort = new AbortController();
		const abort = this.#abort;
		const early = setTimeout(() => this.#heldUp(abort), FIRST_MS);

		try {
			const response = await this.#api.notices(
				{ after: this.#last, signal: abort.signal });

			await readEvents(response.body, ({ type, data, id }) => {
				clearTimeout(early);
				this.#take(type, JSON.parse(data), id);
			}, { idleMs: SILENT_MS });
			return retryAfter(response);
		} finally {
			clearTimeout(early);
		}
	}

	/**
	 * Nothing arrived: if a plain request is answered, streams do not get
	 * through.
	 */
	async #heldUp(abort)
	{
		try {
			await this.#api.noticesPage({ after: this.#last, wait: 0,
				signal: abort.signal });
		} catch {
			return;
		}
		this.#link.streamFailed(2);
		abort.abort();
	}

	async #poll(lost)
	{
		while (!document.hidden && !lost.aborted) {
			this.#abort = new AbortController();
			const { signal } = this.#abort;
			const late = setTimeout(() => this.#abort.abort(),
				WAIT_S * 1000 + POLL_EXTRA_MS);
			// the first one only asks for our position
			const wait = this.#sparse || this.#last === '' ? 0 : WAIT_S;
			const page = await this.#api.noticesPage({ after: this.#last, wait, signal })
				.finally(() => clearTimeout(late));

			for (const { event, data, id } of page.items)
				this.#take(event, data, String(id));
			this.#last = String(page.lastId);
			this.#tabs?.postMessage({ at: this.#last });
			if (this.#sparse || page.retryAfter)
				await this.#link.pause(Math.max(SPARSE_MS,
					1000 * page.retryAfter), this.#shown.signal);
		}
		return 0;
	}

	#take(type, data, id)
	{
		if (id)
			this.#last = id;
		this.#tabs?.postMessage({ type, data, at: id });
		this.#onNotice(type, data);
	}
}
