// SPDX-License-Identifier: MIT
// Which answer is read aloud, and whether the page listens. What can be done stands in
// js/speech.js, which is loaded when it is first needed.
import { Observable } from '../observable.js';

export class Speech extends Observable {
	#mode;
	#ear = null;
	/** counts what was begun */
	#count = 0;

	/** @param {() => string} mode the setting `speech` */
	constructor(mode)
	{
		super();
		this.#mode = mode;
		/** @type {import('./turn.js').Turn | null} */
		this.turn = null;
		/** whether the page listens */
		this.listening = false;
	}

	/** Whether answers can be read aloud. */
	get speaks()
	{
		return this.#mode() !== 'off' && 'speechSynthesis' in globalThis;
	}

	/** Whether it can be dictated: that it stays on the device has to be said by the browser. */
	get hears()
	{
		const all = /** @type {any} */ (globalThis);
		const recogniser = all.SpeechRecognition || all.webkitSpeechRecognition;

		return this.#mode() !== 'off' && Boolean(recogniser) &&
			(this.#mode() === 'services' || 'processLocally' in recogniser.prototype);
	}

	/**
	 * Reads an answer aloud, to its end or until stop().
	 * @param {import('./turn.js').Turn} turn
	 * @param {Element} element that shows it
	 * @returns {Promise<boolean>} false: there is no voice for it
	 */
	async read(turn, element)
	{
		const mine = ++this.#count;
		const { speak, spokenOf } = await import('../speech.js');

		if (mine !== this.#count)
			return true;
		this.#say(turn);
		const done = await speak(spokenOf(element), this.#mode());

		if (mine === this.#count)
			this.#say(null);
		return done;
	}

	#say(turn)
	{
		this.turn = turn;
		this.changed();
	}

	stop()
	{
		this.#count++;
		globalThis.speechSynthesis?.cancel();
		this.#say(null);
	}

	/** Ends listening. */
	quiet()
	{
		this.#ear?.stop();
	}

	/**
	 * Listens, or ends it if it does.
	 * @param {(text: string, final: boolean) => void} heard
	 * @returns {Promise<string>} when it has ended: '', or why not, as the browser names it
	 */
	async listen(heard)
	{
		if (this.listening) {
			this.quiet();
			return '';
		}
		this.stop();
		this.listening = true;
		this.changed();
		let why;

		try {
			const { listen } = await import('../speech.js');

			this.#ear = await listen(this.#mode(), heard);
			why = await this.#ear.ended;
		} catch (error) {
			why = error.name;
		}
		this.#ear = null;
		this.listening = false;
		this.changed();
		return why;
	}
}
