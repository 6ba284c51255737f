// SPDX-License-Identifier: MIT
// <lamp-list>: the conversation list with its search. Pages are loaded as the
// end of the list becomes visible; renaming happens in the row.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { dayGroup, errorText } from '../format.js';
import { Watch } from '../observable.js';
import { conversationHash, messageHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './menu.js';

const TITLE_CHARS = 200;

/** A snippet with the found words in <mark>. Marks count characters. */
function marked({ text, marks })
{
	const chars = [...text];
	const parts = [];
	let at = 0;

	for (const { start, length } of marks) {
		parts.push(chars.slice(at, start).join(''),
			html`<mark>${chars.slice(start, start + length).join('')}</mark>`);
		at = start + length;
	}
	return [...parts, chars.slice(at).join('')];
}

export class LampList extends PageElement {
	static properties = {
		list: { attribute: false },
		current: { type: String },
		/** ids of the conversations this page is answering */
		busy: { attribute: false },
		renaming: { state: true },
	};

	#seeEnd = null;
	#told = '';

	constructor()
	{
		super();
		/** @type {import('../store/conversations.js').Conversations} */
		this.list = undefined;
		this.current = '';
		this.busy = new Set();
		this.renaming = '';
		new Watch(this, () => this.list);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#seeEnd = new IntersectionObserver((seen) => {
			if (seen.some((entry) => entry.isIntersecting))
				this.list.more();
		}, { rootMargin: '300px' });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#seeEnd.disconnect();
	}

	updated()
	{
		const end = this.querySelector('.list-end');

		this.#seeEnd.disconnect();
		if (end && !this.list.loading && !this.list.error)
			this.#seeEnd.observe(end);
		this.#tellFound();
	}

	/** Announces what a search has found. */
	#tellFound()
	{
		const { foundFor, items, nextCursor, said } = this.list;
		const n = items.length;

		const told = `${foundFor} ${said.length}`;

		if (told === this.#told)
			return;
		this.#told = told;
		if (foundFor !== '') {
			const titles = n === 0 ? this.#none(foundFor) :
				t(nextCursor === null ? 'list.found' : 'list.foundMany', { n });

			this.emit('lamp-say', { text: said.length === 0 ? titles :
				`${titles} ${t('list.foundSaid', { n: said.length })}` });
		}
	}

	#none(q)
	{
		return t(this.list.said.length ? 'list.none' : 'list.nothing', { q });
	}

	/** Begins to rename a listed conversation. */
	async rename(id)
	{
		this.renaming = id;
		await this.updateComplete;
		const field = /** @type {HTMLInputElement} */ (this.querySelector('.rename-field'));

		field?.focus();
		field?.select();
	}

	focusSearch()
	{
		const field = /** @type {HTMLInputElement} */ (this.querySelector('.search-field'));

		field.focus();
		field.select();
	}

	render()
	{
		const { list } = this;

		return html`
			<div class="search" role="search">
				${icon('search')}
				<input type="search" class="search-field" .value=${list.q}
					placeholder=${t('list.search')} aria-label=${t('list.search')}
					autocomplete="off" spellcheck="false" maxlength="200"
					@input=${(event) => list.search(event.target.value)}
					@keydown=${this.#onSearchKey}>
			</div>
			${this.#sides()}
			<nav class="list-scroll" aria-label=${t('list.label')}>
				${this.#groups().map(([name, items]) => html`
					<h2 class="list-group">${name}</h2>
					<ul>${repeat(items, (item) => item.conversationId,
						(item) => this.#row(item))}</ul>`)}
				${this.#foot()}
				${this.#said()}
			</nav>`;
	}

	/** Mine, or those of programs, where there are any. */
	#sides()
	{
		const { list } = this;

		if (!list.hasClients)
			return nothing;
		return html`<div class="list-sides" role="group" aria-label=${t('list.sides')}>
			${[false, true].map((clients) => html`<button type="button"
				class="chip-button" aria-pressed=${list.clients === clients ? 'true' : 'false'}
				@click=${() => list.clients === clients || list.showClients(clients)}>
				${t(clients ? 'list.clients' : 'list.mine')}</button>`)}</div>`;
	}

	/** The hits in messages. */
	#said()
	{
		const { list } = this;

		if (list.said.length === 0)
			return nothing;
		return html`<h2 class="list-group">${t('list.said')}</h2>
			<ul>${repeat(list.said, (item) => item.conversationId, (item) => html`
				<li class="row found">
					<a class="row-link" href=${messageHash(item.messageId)}
						@keydown=${(event) => this.#onArrow(event)}>
						<span class="row-title">${item.title || t('list.untitled')}</span>
						<span class="found-text">${marked(item.snippet)}</span>
					</a></li>`)}</ul>`;
	}

	/** The listed conversations under their headings. */
	#groups()
	{
		const groups = [];

		for (const item of this.list.items) {
			const name = dayGroup(item.updatedAt);
			const last = groups[groups.length - 1];

			if (last && last[0] === name)
				last[1].push(item);
			else
				groups.push([name, [item]]);
		}
		return groups;
	}

	#row(item)
	{
		const id = item.conversationId;
		const title = item.title || t('list.untitled');

		if (this.renaming === id)
			return html`<li class="row">${this.#renameField(item)}</li>`;
		return html`<li class="row ${id === this.current ? 'current' : ''}">
			<a class="row-link" href=${conversationHash(id)} title=${title}
				aria-current=${id === this.current ? 'page' : nothing}
				@keydown=${(event) => this.#onRowKey(event, item)}>
				<span class="row-title">${title}</span>
				${item.client ? html`<span class="row-client">${item.client}</span>` : nothing}
				${item.waiting && !this.busy.has(id) ? html`
					<span class="row-waiting" role="img"
						aria-label=${t('list.waiting')}
						title=${t('list.waiting')}>${icon('question')}</span>` :
					item.runningTurnId || this.busy.has(id) ? html`
					<span class="row-running" role="img"
						aria-label=${t('list.running')}></span>` : nothing}
			</a>
			<lamp-menu label=${t('list.actions', { title })} .items=${[
				{ text: t('list.rename'), icon: 'pencil',
					run: () => this.rename(id) },
				{ text: t('list.delete'), icon: 'trash', danger: true,
					run: () => this.emit('lamp-delete', { id, title }) },
			]}></lamp-menu>
		</li>`;
	}

	#renameField(item)
	{
		const id = item.conversationId;
		const end = async (event, save) => {
			const title = event.target.value.trim();

			if (this.renaming !== id)
				return;
			this.renaming = '';
			if (save && title && title !== item.title)
				this.emit('lamp-rename', { id, title });
			if (event.type !== 'keydown')
				return;
			await this.updateComplete;
			this.querySelector(`a[href="${conversationHash(id)}"]`)?.focus();
		};

		return html`<input class="rename-field" .value=${item.title || ''}
			aria-label=${t('list.renameLabel')} maxlength=${TITLE_CHARS}
			@blur=${(event) => end(event, true)}
			@keydown=${(event) => {
				event.stopPropagation();
				if (event.key === 'Enter' && !event.isComposing)
					end(event, true);
				else if (event.key === 'Escape')
					end(event, false);
			}}>`;
	}

	#foot()
	{
		const { list } = this;

		if (list.error) {
			return html`<p class="list-note" role="alert">${t('list.failed')}
				${errorText(list.error)}
				<button type="button" class="chip-button"
					@click=${() => list.items.length ? list.more() : list.reload()}>
					${t('app.retry')}</button></p>`;
		}
		if (!list.loaded)
			return html`<p class="list-note"><span class="sr-only">${t('app.loading')}</span>
				<span class="skeleton"></span><span class="skeleton"></span>
				<span class="skeleton"></span></p>`;
		if (list.items.length === 0 && !list.loading) {
			return html`<p class="list-note">${list.foundFor ?
				this.#none(list.foundFor) : t('list.empty')}</p>`;
		}
		return list.nextCursor === null ? nothing : html`
			<p class="list-note list-end"><span class="sr-only">${t('list.more')}</span>
			<span class="skeleton"></span></p>`;
	}

	#onSearchKey(event)
	{
		if (event.key === 'Escape' && this.list.q) {
			event.stopPropagation();
			event.preventDefault();
			this.list.search('');
		} else if (event.key === 'ArrowDown') {
			event.preventDefault();
			this.querySelector('.row-link')?.focus();
		}
	}

	#onRowKey(event, item)
	{
		if (event.key === 'F2') {
			event.preventDefault();
			this.rename(item.conversationId);
		} else if (event.key === 'Delete') {
			event.preventDefault();
			this.emit('lamp-delete', { id: item.conversationId,
				title: item.title || t('list.untitled') });
		} else {
			this.#onArrow(event);
		}
	}

	#onArrow(event)
	{
		const links = [...this.querySelectorAll('.row-link')];
		const at = links.indexOf(event.currentTarget);

		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			event.preventDefault();
			const to = links[at + (event.key === 'ArrowDown' ? 1 : -1)];

			if (to)
				to.focus();
			else if (at === 0)
				this.focusSearch();
		}
	}
}

customElements.define('lamp-list', LampList);
