// SPDX-License-Identifier: MIT
// Server-sent events from a fetch body (EventSource can only GET).
// Parsing follows the WHATWG text: lines end at LF, CR or CRLF, also when the
// two halves of a CRLF come in different chunks; a colon first is a comment;
// one blank after the colon is dropped; several data lines join with LF; an
// event is dispatched at an empty line only.

const MAX_EVENT_CHARS = 8 * 1024 * 1024;

/** The stream was silent for longer than the idle limit. */
export class IdleError extends Error {
	constructor(idleMs)
	{
		super(`no bytes for ${idleMs} ms`);
		this.name = 'IdleError';
	}
}

/** Turns text into events. push() what arrives, end() at the end. */
export class SseParser {
	#rest = '';
	#afterCr = false;
	#data = [];
	#chars = 0;
	#type = '';
	#onEvent;

	/**
	 * @param onEvent called with {type, data, id}; type is "message" when the
	 *        event names none, id is the last id seen on the stream.
	 */
	constructor(onEvent)
	{
		this.#onEvent = onEvent;
		this.lastId = '';
		/** what the server asked for in a retry line, ms, or null */
		this.retryMs = null;
	}

	/** Takes the next piece of text, cut anywhere. */
	push(text)
	{
		let from = 0;

		if (text === '')
			return;
		if (this.#afterCr && text[0] === '\n')
			from = 1;
		this.#afterCr = false;
		// found once and kept: most streams have no CR at all, and looking
		// for one at every line would read the chunk again and again
		let cr = text.indexOf('\r', from);

		for (;;) {
			const lf = text.indexOf('\n', from);

			if (cr >= 0 && cr < from)
				cr = text.indexOf('\r', from);
			const at = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf;

			if (at < 0)
				break;
			this.#line(this.#rest + text.slice(from, at));
			this.#rest = '';
			from = at + 1;
			if (text[at] !== '\r')
				continue;
			if (from === text.length)
				this.#afterCr = true;
			else if (text[from] === '\n')
				from++;
		}
		this.#rest += text.slice(from);
		if (this.#rest.length + this.#chars > MAX_EVENT_CHARS)
			throw new Error('event too large');
	}

	/**
	 * The stream is over. An unfinished event is dropped, but a last one
	 * that lacks only its empty line is passed on if its data is complete
	 * JSON.
	 */
	end()
	{
		if (this.#rest !== '')
			this.#line(this.#rest);
		this.#rest = '';
		if (this.#data.length > 0 && isJson(this.#data.join('\n')))
			this.#line('');
	}

	#line(line)
	{
		if (line === '') {
			this.#dispatch();
			return;
		}
		const colon = line.indexOf(':');

		if (colon === 0)
			return;
		const field = colon < 0 ? line : line.slice(0, colon);
		let value = colon < 0 ? '' : line.slice(colon + 1);

		if (value[0] === ' ')
			value = value.slice(1);
		if (field === 'data') {
			this.#data.push(value);
			this.#chars += value.length + 1;
		} else if (field === 'event') {
			this.#type = value;
		} else if (field === 'id') {
			if (!value.includes('\0'))
				this.lastId = value;
		} else if (field === 'retry') {
			if (/^[0-9]+$/.test(value))
				this.retryMs = Number(value);
		}
	}

	#dispatch()
	{
		const data = this.#data;
		const type = this.#type || 'message';

		this.#data = [];
		this.#chars = 0;
		this.#type = '';
		if (data.length > 0)
			this.#onEvent({ type, data: data.join('\n'), id: this.lastId });
	}
}

function isJson(text)
{
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/**
 * Reads a whole event stream.
 * @param body    the ReadableStream of a fetch response
 * @param onEvent called for each event, in order
 * @param idleMs  longest silence; comments count as life (the server sends
 *                one each 15 s), so this is about a dead connection only
 * @param onBytes called for whatever arrives, before its events
 * @returns when the server has ended the stream
 * @throws IdleError, or what the network gave
 */
export async function readEvents(body, onEvent,
	{ idleMs = 45000, onBytes = () => {} } = {})
{
	const reader = body.getReader();
	const decoder = new TextDecoder();
	const parser = new SseParser(onEvent);
	let timer = null;

	// one timer for the whole stream: setting one per chunk would cost more
	// than reading the chunk
	let lastByte = Date.now();
	const idle = new Promise((resolve, reject) => {
		const check = () => {
			const left = lastByte + idleMs - Date.now();

			if (left <= 0)
				reject(new IdleError(idleMs));
			else
				timer = setTimeout(check, left);
		};

		timer = setTimeout(check, idleMs);
	});

	try {
		for (;;) {
			const { done, value } = await Promise.race([reader.read(), idle]);

			lastByte = Date.now();
			if (done)
				break;
			onBytes();
			parser.push(decoder.decode(value, { stream: true }));
		}
		parser.push(decoder.decode());
		parser.end();
	} finally {
		clearTimeout(timer);
		reader.cancel().catch(() => {});
	}
}
