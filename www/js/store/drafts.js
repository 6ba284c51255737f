// SPDX-License-Identifier: MIT
// What was typed and not sent yet, of each conversation and of the new chat of
// each workspace, kept in this browser: it survives other places, a reload, a
// sign-on and a crash. It belongs to its user: what another one has typed is
// removed when somebody else signs in. Independent of the DOM.
//
// Two tabs may write a new chat at the same time, so each has its own copy in
// addition (sessionStorage); a new tab begins with the one that was typed last.
// Where storage is forbidden or full, a draft lives as long as the page.
import { drop, local, read, session, write } from '../storage.js';

const PREFIX = 'lamplighter.draft';
/** Drafts of one user; the oldest are removed. */
const MOST = 100;
/** Longer ones are not kept: storage is for all pages of the site. */
const MOST_CHARS = 400000;

/**
 * @typedef {{content: string, promptId: string | null,
 *         files: {id?: string, name: string, size: number}[]}} Kept a message in storage
 *
 * @typedef {object} Typed what is kept of a thread: a message that is being written
 * @property {string} [text]
 * @property {any[]} [mentions]
 * @property {string | null} [promptId]
 * @property {Record<string, boolean>} [options]
 * @property {string} [agentId] of a new chat
 * @property {import('./thread.js').Thread['place']} [place] of a new chat
 * @property {{id?: string, name: string, size: number}[]} [files]
 * @property {{messageId: string, text: string}} [edit] a stored message that is being edited
 * @property {Kept} [queued] what is sent when the answer has ended
 * @property {Kept} [sending] what the server may not have got
 * @property {string} [tab] which tab has written it
 */

/** A message as it is kept. @returns {Kept} */
export function light({ content, promptId, uploads })
{
	return { content, promptId, files: uploads.kept() };
}

/** Whether there is more than what was chosen for the next message. */
const isWritten = (typed) => Boolean(typed?.text || typed?.files?.length || typed?.edit || typed?.queued);

function parsed(text)
{
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

export class Drafts {
	#base;
	#told;
	#own = '';
	/** as this page has read or written it, by key */
	#seen = new Map();
	/** names this tab, so that it knows its own */
	tab = '';

	/**
	 * @param base of the API: another installation on the host has its own
	 * @param told is called when others wait
	 */
	constructor(base, told = () => {})
	{
		this.#base = base;
		this.#told = told;
		/** @type {Set<string>} ids of the conversations with something that was not sent */
		this.waiting = new Set();
	}

	/** Says whose drafts these are; removes those of others. */
	open({ tenantId = '', userId = '' })
	{
		const all = `${PREFIX} ${this.#base} `;

		this.#own = `${all}${tenantId} ${userId} `;
		for (const store of stores()) {
			for (const key of keysOf(store)) {
				if (key.startsWith(all) && !key.startsWith(this.#own))
					drop(store, key);
			}
		}
		this.waiting = new Set(local() ? keysOf(local()).filter((key) => key.startsWith(this.#own) &&
			isWritten(parsed(read(local(), key)))).map((key) => key.slice(this.#own.length)) : []);
		this.tab = read(session(), `${PREFIX}.tab`) || `${Date.now()}.${Math.random()}`;
		write(session(), `${PREFIX}.tab`, this.tab);
	}

	#wait(key, waits)
	{
		if (waits === this.waiting.has(key))
			return;
		this.waiting = new Set([...this.waiting].filter((one) => one !== key).concat(waits ? key : []));
		this.#told();
	}

	/** Calls fn(key) when another tab has sent or removed what this one has read. */
	watch(fn)
	{
		addEventListener('storage', ({ key, newValue }) => {
			const name = this.#own && key?.startsWith(this.#own) ?
				key.slice(this.#own.length) : '';

			if (name)
				this.#wait(name, isWritten(parsed(newValue)));
			if (name && newValue === null && this.#seen.has(name))
				fn(name);
		});
	}

	/**
	 * @param {string} key
	 * @returns {Typed | null}
	 */
	read(key)
	{
		const name = this.#own + key;
		const text = this.#own && (read(session(), name) || read(local(), name));

		if (!text)
			return null;
		this.#seen.set(key, text);
		return parsed(text);
	}

	/**
	 * @param {string} key
	 * @param {Typed | null} typed null: nothing is left of it
	 * @param own  whether each tab has one of its own
	 */
	write(key, typed, own = false)
	{
		const name = this.#own + key;
		const text = typed && JSON.stringify({ ...typed, tab: this.tab });
		const before = this.#seen.get(key);

		if (!this.#own || (text ?? undefined) === before)
			return;
		this.#wait(key, isWritten(typed));
		if (text && text.length <= MOST_CHARS) {
			this.#seen.set(key, text);
			if (own)
				write(session(), name, text);
			this.#make(name, text);
			return;
		}
		this.#seen.delete(key);
		drop(session(), name);
		// another tab may have typed something else there since
		if (!own || read(local(), name) === before)
			drop(local(), name);
	}

	/** Writes it last; where there is no room, the oldest ones make some. */
	#make(name, text)
	{
		const store = local();
		const order = (read(store, `${this.#own}.order`) || '').split('\n')
			.filter((other) => other && other !== name && read(store, other));

		while (order.length >= MOST)
			drop(store, order.shift());
		while (!write(store, name, text) && order.length > 0)
			drop(store, order.shift());
		write(store, `${this.#own}.order`, [...order, name].join('\n'));
	}
}

const stores = () => [local(), session()].filter((store) => store !== null);

function keysOf(store)
{
	return Array.from({ length: store.length }, (_, i) => store.key(i));
}
