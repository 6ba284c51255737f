// SPDX-License-Identifier: MIT
// <lamp-find>: a search field with the list of what is found in projects (ARIA's pattern
// "combobox"). What somebody chooses is told as lamp-found.
import { html, live, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { iconOfKind } from '../route.js';
import { Find } from '../store/find.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

let ids = 0;

export class LampFind extends PageElement {
	static properties = {
		api: { attribute: false },
		/** '': in all projects */
		project: { type: String },
		label: { type: String },
		/** ids that are not offered */
		without: { attribute: false },
		at: { state: true },
		open: { state: true },
	};

	#id = `find-${++ids}`;
	#told = '';

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.project = '';
		this.label = '';
		/** @type {string[]} */
		this.without = [];
		this.at = -1;
		this.open = false;
		this.found = null;
		new Watch(this, () => this.found);
	}

	willUpdate(changes)
	{
		if (changes.has('project') || !this.found) {
			this.found = new Find(this.api, this.project);
			this.open = false;
		}
	}

	updated()
	{
		const { q, loading, loaded } = this.found;

		if (!this.open || loading || !loaded || q === this.#told)
			return;
		this.#told = q;
		this.querySelector('.find-list').scrollIntoView({ block: 'nearest' });
		this.emit('lamp-say', { text: t('rows.found', { n: this.#items.length }) });
	}

	get #items()
	{
		return this.found.items.filter(({ id }) => !this.without.includes(id));
	}

	/** The focus goes to its field. */
	focus()
	{
		this.querySelector('input').focus();
	}

	render()
	{
		const shows = this.open && this.found.q.trim() !== '';
		const current = shows && this.#items[this.at] ? `${this.#id}-${this.at}` : nothing;

		return html`<div class="search find" role="search" aria-label=${this.label} @focusout=${this.#onLeave}>${
			icon('search')}<input type="search" class="search-field" role="combobox"
				.value=${live(this.found.q)} placeholder=${this.label} aria-label=${this.label}
				aria-expanded=${String(shows)} aria-controls=${this.#id} aria-autocomplete="list"
				aria-activedescendant=${current}
				autocomplete="off" spellcheck="false" maxlength="200"
				@input=${this.#onInput} @keydown=${this.#onKey}>
			<div class="picker find-list" ?hidden=${!shows}>
				<ul class="picker-list" role="listbox" id=${this.#id} aria-label=${this.label}>${
					shows ? this.#items.map((item, at) => this.#row(item, at)) : nothing}</ul>
				${shows ? this.#none() : nothing}</div></div>`;
	}

	#none()
	{
		const { error, loading, loaded } = this.found;

		if (error)
			return html`<p class="picker-none" role="alert">${failureText(error)}</p>`;
		return this.#items.length > 0 ? nothing : html`<p class="picker-none">${
			t(loading || !loaded ? 'picker.loading' : 'find.none')}</p>`;
	}

	#row(item, at)
	{
		const { kind, title, project, snippet } = item;
		const text = snippet?.text && snippet.text !== title ? snippet.text : '';

		return html`<li class="picker-item" role="option" id="${this.#id}-${at}"
			aria-selected=${at === this.at ? 'true' : 'false'}
			@pointerdown=${(event) => event.preventDefault()} @click=${() => this.#choose(item)}>
			<span class="picker-icon">${icon(iconOfKind(kind))}</span>
			<span class="picker-text"><span class="picker-title" dir="auto">${title}</span>
			<span class="picker-more" dir="auto">${[t(`effect.of.${kind}`),
				this.project ? '' : project, text].filter(Boolean).join(' · ')}</span></span></li>`;
	}

	#onInput = (event) => {
		this.open = true;
		this.at = 0;
		this.found.search(event.target.value);
	};

	#onLeave = (event) => {
		if (!event.currentTarget.contains(event.relatedTarget))
			this.open = false;
	};

	#onKey = (event) => {
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		const { length } = this.#items;

		if (event.isComposing)
			return;
		if (by) {
			event.preventDefault();
			this.at = this.open && length ? (this.at + by + length) % length : 0;
			this.open = true;
		} else if (event.key === 'Escape' && this.open) {
			event.preventDefault();
			event.stopPropagation();
			this.open = false;
		} else if (event.key === 'Enter') {
			event.preventDefault();
			if (this.open && !this.found.loading && this.#items[this.at])
				this.#choose(this.#items[this.at]);
		}
	};

	#choose(item)
	{
		this.open = false;
		this.found.put({ q: '', items: [] });
		this.emit('lamp-found', { item });
	}
}

customElements.define('lamp-find', LampFind);
