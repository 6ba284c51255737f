// SPDX-License-Identifier: MIT
// <lamp-icon-picker>: an icon of the page, or an emoji.
import { html, live, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { hasIcon, icon } from './icons.js';

/** Those that say something about a prompt; others can be typed. */
const OFFERED = ['prompt', 'agent', 'book', 'notes', 'pencil', 'list', 'check', 'search', 'mail',
	'calendar', 'ticket', 'flag', 'scale', 'code', 'tool', 'globe', 'folder', 'person', 'thought',
	'warning'].filter(hasIcon);

class LampIconPicker extends PageElement {
	static properties = {
		value: { type: String },
		name: { type: String },
		label: { type: String },
		described: { type: String },
		invalid: { type: Boolean },
	};

	constructor()
	{
		super();
		this.value = '';
		this.name = '';
		this.label = '';
		this.described = '';
		this.invalid = false;
	}

	render()
	{
		return html`<div class="icon-picker" role="group" aria-label=${this.label}>
			${OFFERED.map((one) => html`<button type="button" class="icon-button"
				aria-pressed=${this.value === one ? 'true' : 'false'}
				aria-label=${t('icons.one', { name: one })} title=${one}
				@click=${() => this.#set(this.value === one ? '' : one)}>${icon(one)}</button>`)}</div>
			<input id=${this.name} class="field-line" autocomplete="off"
				aria-label=${this.label} placeholder=${t('icons.emoji')} aria-describedby=${this.described || nothing}
				aria-invalid=${this.invalid ? 'true' : nothing} .value=${live(this.value)}
				@input=${(event) => this.#set(event.target.value)}>`;
	}

	#set(value)
	{
		this.emit('lamp-typed', { value });
	}
}

customElements.define('lamp-icon-picker', LampIconPicker);
