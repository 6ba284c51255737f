// SPDX-License-Identifier: MIT
// Telling on this device that an answer is ready, while the page is out of sight: if people
// want it, which they are asked once an answer takes long.
import { Observable } from '../observable.js';
import { remember, remembered } from './settings.js';

/** An answer that takes longer may let people look elsewhere. */
const LONG_MS = 8000;

export class Ready extends Observable {
	#running = null;
	#timer = null;

	constructor()
	{
		super();
		/** whether an answer takes long, and people can still be asked */
		this.offers = false;
		/** whether they have just refused, or the browser has */
		this.refused = false;
	}

	/** Whether this browser can tell, or could if it were allowed. */
	get can()
	{
		return 'Notification' in globalThis && Notification.permission !== 'denied';
	}

	get wanted()
	{
		return this.can && Notification.permission === 'granted' &&
			remembered('ready') === 'on';
	}

	/** Asks the browser, or ends it. Call it from a press of the user. */
	async want(on)
	{
		this.offers = false;
		if (on && await Notification.requestPermission() !== 'granted')
			this.refused = true;
		remember('ready', on && !this.refused ? 'on' : 'off');
		this.changed();
	}

	/** What answers now, or null: looks whether to offer it. */
	look(turn)
	{
		if (turn === this.#running)
			return;
		this.#running = turn;
		clearTimeout(this.#timer);
		const ask = turn && this.can && remembered('ready') === '';

		this.#timer = ask ? setTimeout(() => {
			this.offers = true;
			this.changed();
		}, LONG_MS) : null;
		if (!turn && this.offers) {
			this.offers = false;
			this.changed();
		}
	}

	/**
	 * An answer has ended, or waits for the user.
	 * @param {string} id of its conversation
	 * @param {() => void} open shows it
	 */
	tell(id, title, body, open)
	{
		if (!document.hidden || !this.wanted)
			return;
		try {
			const note = new Notification(title, { body, tag: `lamplighter-${id}` });

			note.onclick = () => {
				globalThis.focus();
				note.close();
				open();
			};
		} catch {
			// some browsers of phones have them for service workers alone
			this.refused = true;
			remember('ready', 'off');
		}
	}
}
