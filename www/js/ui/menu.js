// SPDX-License-Identifier: MIT
// <lamp-menu>: a button that opens a small menu beside it. The browser's
// popover provides the top layer, Esc and closing by a click elsewhere; the
// arrow keys, and letters that items begin with, are handled here.
import { html, nothing } from '../../vendor/lit.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

let ids = 0;

/**
 * @typedef {object} Item  drawn while the menu is open: lists have many menus
 * @property {string} text
 * @property {string} icon
 * @property {boolean} [danger]
 * @property {() => void} [run]
 * @property {string} [href] instead of run: it is a link
 * @property {boolean} [current] what it leads to is shown
 * @property {string} [group] heading of the neighbours that have the same
 * @property {string} [part] without a heading: a line is between neighbours of different parts
 */

/** px between the button and the menu, and between the menu and the edge of the window */
const GAP = 4;
const EDGE = 8;
/** Chrome 114, Firefox 125, Safari 17; without it the menu is a box that is shown or not */
const POPOVER = 'popover' in HTMLElement.prototype;

/** The place of the next item that begins with the letter of a key; undefined: none does. */
function letter({ key, ctrlKey, metaKey, altKey }, items, at)
{
	const typed = key.toLocaleLowerCase();

	if ([...key].length !== 1 || key === ' ' || ctrlKey || metaKey || altKey)
		return undefined;
	for (let n = 1; n <= items.length; n++) {
		const i = (at + n) % items.length;

		if (items[i].textContent.trim().toLocaleLowerCase().startsWith(typed))
			return i;
	}
	return undefined;
}

class LampMenu extends PageElement {
	static properties = {
		label: { type: String },
		/** -1: it is not among what Tab goes through */
		tab: { type: Number },
		items: { attribute: false },
		/** what is on the button, instead of three dots */
		face: { attribute: false },
		disabled: { type: Boolean },
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
		/** @type {unknown} */
		this.face = null;
		this.disabled = false;
		this.open = false;
	}

	render()
	{
		return html`
			<button type="button" class=${this.face ? 'menu-button menu-face' : 'icon-button menu-button'}
				aria-label=${this.label} title=${this.face ? nothing : this.label} tabindex=${this.tab}
				?disabled=${this.disabled} aria-haspopup="menu" aria-expanded=${this.open ? 'true' : 'false'}
				@click=${this.#toggle}
				@keydown=${this.#onButtonKey}>${this.face || icon('more')}</button>
			<div class="menu" id=${this.#id} popover=${POPOVER ? 'auto' : nothing} role="menu"
				?hidden=${!POPOVER && !this.open}
				aria-label=${this.label} @toggle=${this.#toggled}
				@focusout=${this.#left} @keydown=${this.#onKey}>
				${this.#grouped().map(({ group, items }, at) => group ? html`
					<div role="group" aria-label=${group}><div class="menu-group" aria-hidden="true">${
						group}</div>${items.map((item) => this.#item(item))}</div>` : html`
					${at > 0 ? html`<div class="menu-line" role="separator"></div>` : nothing}
					${items.map((item) => this.#item(item))}`)}
			</div>`;
	}

	#item(item)
	{
		const face = html`${icon(item.icon)}<span>${item.text}</span>`;

		return item.href ? html`<a role="menuitem" tabindex="-1" class="menu-item" href=${item.href}
			aria-current=${item.current ? 'page' : nothing}
			@click=${(event) => this.#follow(event)}>${face}</a>` : html`
			<button type="button" role="menuitem" tabindex="-1"
				class="menu-item ${item.danger ? 'danger' : ''}"
				@click=${() => this.#choose(item)}>${face}</button>`;
	}

	/** Neighbours with the same heading, or of the same part. */
	#grouped()
	{
		const groups = [];

		for (const item of this.#items()) {
			const last = groups[groups.length - 1];

			if (last && last.group === item.group && last.part === item.part)
				last.items.push(item);
			else
				groups.push({ group: item.group, part: item.part, items: [item] });
		}
		return groups;
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
			this.#hide();
		else
			this.show();
	}

	#hide()
	{
		if (POPOVER)
			this.#menu.hidePopover();
		else
			this.#toggled({ newState: 'closed' });
	}

	/** A press elsewhere, where the browser does not see to it. */
	#left({ relatedTarget })
	{
		if (!POPOVER && this.open && !this.contains(relatedTarget))
			this.open = false;
	}

	/** Opens it. */
	async show()
	{
		const menu = this.#menu;

		this.open = true;
		await this.updateComplete;
		const at = this.#button.getBoundingClientRect();

		menu.style.maxHeight = '';
		if (this.face)
			menu.style.minWidth = `${at.width}px`;
		if (POPOVER && !menu.matches(':popover-open'))
			menu.showPopover();
		// in a low window it scrolls, on the side with more room
		const room = { below: innerHeight - at.bottom - GAP - EDGE, above: at.top - GAP - EDGE };
		const below = menu.offsetHeight <= room.below || room.below >= room.above;
		const most = below ? room.below : room.above;

		menu.classList.toggle('menu-long', menu.offsetHeight > most);
		menu.style.maxHeight = `${most}px`;
		menu.style.left = `${Math.max(EDGE,
			Math.min(at.right - menu.offsetWidth, innerWidth - menu.offsetWidth - EDGE))}px`;
		menu.style.top = `${below ? at.bottom + GAP : at.top - GAP - menu.offsetHeight}px`;
		(menu.querySelector('[aria-current=page]') || menu.querySelector('[role=menuitem]'))?.focus();
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
		this.#hide();
		item.run();
	}

	/** A link of the menu: it closes, unless the link opens elsewhere. */
	#follow(event)
	{
		if (event.ctrlKey || event.metaKey || event.shiftKey)
			return;
		this.#button.focus();
		this.#hide();
	}

	#onButtonKey(event)
	{
		if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')
			return;
		event.preventDefault();
		this.show();
	}

	#onKey(event)
	{
		const items = [...this.querySelectorAll('[role=menuitem]')];
		const at = items.findIndex((item) => item === document.activeElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0,
			End: items.length - 1 }[event.key] ?? letter(event, items, at);

		if (event.key === 'Tab')
			this.#hide();
		if (event.key === 'Escape') {
			// it closes the menu, and not what the menu is in
			event.stopPropagation();
			if (!POPOVER)
				this.#hide();
		}
		// a link is pressed as the buttons beside it are
		if (event.key === ' ' && items[at]?.localName === 'a') {
			event.preventDefault();
			items[at].click();
		}
		if (to === undefined)
			return;
		event.preventDefault();
		items[(to + items.length) % items.length].focus();
	}
}

customElements.define('lamp-menu', LampMenu);
