// What happens in my conversations elsewhere: in other tabs, on other devices,
// in tasks. One connection, and only while the page is visible: a browser has
// six per host, and a tab that becomes visible again reloads its list. As a
// stream or, if streams do not get through, as long polls; if a connection
// occupies a process of the server, as a short request now and then; if the
// server has no such thing, none.
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

	/** @param onNotice called with (type, data) */
	constructor(api, link, onNotice)
	{
		this.#api = api;
		this.#link = link;
		this.#onNotice = onNotice;
	}

	/**
	 * Listens while the page is visible. @param how notifications of /me
	 */
	start(how = 'stream')
	{
		this.#sparse = how === 'poll';
		document.addEventListener('visibilitychange', () => this.#look());
		this.#look();
	}

	#look()
	{
		clearTimeout(this.#hideTimer);
		if (document.hidden) {
			this.#hideTimer = setTimeout(() => this.#abort?.abort(), HIDDEN_MS);
			return;
		}
		if (!this.#running && !this.#absent)
			this.#run();
	}

	async #run()
	{
		let failures = 0;

		this.#running = true;
		while (!document.hidden && !this.#absent) {
			const before = this.#last;
			let after = 0;

			try {
				await (this.#sparse || this.#link.polls ? this.#poll() : this.#stream());
				failures = 0;
			} catch (error) {
				this.#absent = [401, 403, 404, 405].includes(error.status);
				after = error.retryAfter || 0;
				failures = this.#last === before ? failures + 1 : 0;
			}
			if (document.hidden || this.#absent)
				break;
			await this.#link.pause(Math.max(after * 1000,
				RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
		}
		this.#running = false;
		// visible again in the meantime
		if (!document.hidden && !this.#absent)
			this.#look();
	}

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

	async #poll()
	{
		while (!document.hidden) {
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
			if (this.#sparse)
				await this.#link.pause(SPARSE_MS);
		}
	}

	#take(type, data, id)
	{
		if (id)
			this.#last = id;
		this.#onNotice(type, data);
	}
}
