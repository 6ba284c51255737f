// SPDX-License-Identifier: MIT
// <lamp-person>: the control of a login, which suggests people as far as the caller may know
// them. Any login can be typed: the server says whether there is one.
import { html, live, nothing } from '../../vendor/lit.js';
import { PageElement } from './element.js';

const WAIT_MS = 200;

export class LampPerson extends PageElement {
	static properties = {
		places: { attribute: false },
		name: { type: String },
		value: { attribute: false },
		described: { type: String },
		invalid: { type: Boolean },
		required: { type: Boolean },
		/** whether the caller is not meant */
		others: { type: Boolean },
		people: { state: true },
	};

	#timer = 0;
	#round = 0;

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.name = '';
		this.value = '';
		this.described = '';
		this.invalid = false;
		this.required = false;
		this.others = false;
		/** @type {{login: string, name: string}[]} */
		this.people = [];
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	render()
	{
		return html`<input id=${this.name} class="field-line" list="${this.name}-people"
			autocomplete="off" autocapitalize="none" spellcheck="false"
			aria-describedby=${this.described || nothing}
			aria-invalid=${this.invalid ? 'true' : nothing}
			aria-required=${this.required ? 'true' : nothing}
			.value=${live(this.value)} @focus=${() => this.#suggest(this.value)} @input=${this.#typed}>
			<datalist id="${this.name}-people">${this.people.map(({ login, name }) =>
				html`<option value=${login}>${name}</option>`)}</datalist>`;
	}

	#typed = (event) => {
		const { value } = event.target;

		this.emit('lamp-typed', { value });
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#suggest(value), WAIT_MS);
	};

	async #suggest(q)
	{
		const round = ++this.#round;
		const people = await this.places.people(q.trim());

		if (round === this.#round)
			this.people = people.filter(({ login }) => !this.others || login !== this.places.me.user);
	}
}

customElements.define('lamp-person', LampPerson);
