// SPDX-License-Identifier: MIT
// <lamp-menu>: a button that opens a small menu beside it. The browser's
// popover provides the top layer, Esc and closing by a click elsewhere; the
// arrow keys are handled here.
import { html } from '../../vendor/lit.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

let ids = 0;

/**
 * @typedef {{text: string, icon: string, danger?: boolean, run: () => void}} Item
 * Items are drawn while the menu is open: lists have many menus.
 */

/** px between the button and the menu, and between the menu and the edge of the window */
const GAP = 4;
const EDGE = 8;

class LampMenu extends PageElement {
	static properties = {
		label: { type: String },
		/** -1: it is not among what Tab goes through */
		tab: { type: Number },
		items: { attribute: false },
		open: { state: true },
	};

	#id = `menu-${++ids}`;

	constructor()
	{
		super();
		this.label = '';
		this.tab = 0;
		/** @type {Item[] | (() => Item[])} a function is asked when it is opened */
		this.items = [];
		this.open = false;
	}

	render()
	{
		return html`
			<button type="button" class="icon-button menu-button"
				aria-label=${this.label} title=${this.label} tabindex=${this.tab}
				aria-haspopup="menu" aria-expanded=${this.open ? 'true' : 'false'}
				@click=${this.#toggle}
				@keydown=${this.#onButtonKey}>${icon('more')}</button>
			<div class="menu" id=${this.#id} popover="auto" role="menu"
				aria-label=${this.label} @toggle=${this.#toggled}
				@keydown=${this.#onKey}>
				${this.#items().map((item) => html`
					<button type="button" role="menuitem" tabindex="-1"
						class="menu-item ${item.danger ? 'danger' : ''}"
						@click=${() => this.#choose(item)}>
						${icon(item.icon)}<span>${item.text}</span></button>`)}
			</div>`;
	}

	#items()
	{
		if (!this.open)
			return [];
		return typeof this.items === 'function' ? this.items() : this.items;
	}

	get #menu()
	{
		return this.querySelector('.menu');
	}

	get #button()
	{
		return this.querySelector('.menu-button');
	}

	#toggle()
	{
		if (this.open)
			this.#menu.hidePopover();
		else
			this.#show();
	}

	async #show()
	{
		const menu = this.#menu;

		this.open = true;
		await this.updateComplete;
		const at = this.#button.getBoundingClientRect();

		menu.style.maxHeight = '';
		menu.showPopover();
		// in a low window it scrolls, on the side with more room
		const room = { below: innerHeight - at.bottom - GAP - EDGE, above: at.top - GAP - EDGE };
		const below = menu.offsetHeight <= room.below || room.below >= room.above;

		menu.style.maxHeight = `${below ? room.below : room.above}px`;
		menu.style.left = `${Math.max(EDGE,
			Math.min(at.right - menu.offsetWidth, innerWidth - menu.offsetWidth - EDGE))}px`;
		menu.style.top = `${below ? at.bottom + GAP : at.top - GAP - menu.offsetHeight}px`;
		menu.querySelector('[role=menuitem]')?.focus();
	}

	#toggled(event)
	{
		this.open = event.newState === 'open';
		if (!this.open && this.#menu.contains(document.activeElement))
			this.#button.focus();
	}

	#choose(item)
	{
		this.#button.focus();
		this.#menu.hidePopover();
		item.run();
	}

	#onButtonKey(event)
	{
		if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')
			return;
		event.preventDefault();
		this.#show();
	}

	#onKey(event)
	{
		const items = [...this.querySelectorAll('[role=menuitem]')];
		const at = items.findIndex((item) => item === document.activeElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0,
			End: items.length - 1 }[event.key];

		if (event.key === 'Tab')
			this.#menu.hidePopover();
		if (to === undefined)
			return;
		event.preventDefault();
		items[(to + items.length) % items.length].focus();
	}
}

customElements.define('lamp-menu', LampMenu);
