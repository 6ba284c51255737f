// SPDX-License-Identifier: MIT
// <lamp-list>: the conversation list with its search. Pages are loaded as the
// end of the list becomes visible; renaming happens in the row.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { dayGroup, dayOf, errorText, moment, plainText } from '../format.js';
import { Watch } from '../observable.js';
import { conversationHash, goPlace, messageHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './menu.js';

const TITLE_CHARS = 200;

/** Around a found word: letters that nobody writes, which the marks of Markdown leave alone. */
const FOUND = ['\u{10380}', '\u{10381}'];

/** A snippet as plain text, with the found words in <mark>. Marks count characters. */
function marked({ text, marks })
{
	const chars = [...text].map((one) => (FOUND.includes(one) ? '\ufffd' : one));
	const parts = [];
	let at = 0;

	for (const { start, length } of marks) {
		parts.push(...chars.slice(at, start), FOUND[0], ...chars.slice(start, start + length), FOUND[1]);
		at = start + length;
	}
	const [first, ...rest] = plainText([...parts, ...chars.slice(at)].join('')).split(FOUND[0]);

	// the marks may have taken one of a pair with them
	return [first.replaceAll(FOUND[1], ''), rest.map((part) => {
		const [found, ...after] = part.split(FOUND[1]);

		return [html`<mark>${found}</mark>`, after.join('')];
	})];
}

/** The words that a snippet has marks at. */
function foundWords({ text, marks })
{
	const chars = [...text];

	return [...new Set(marks.flatMap(({ start, length }) =>
		chars.slice(start, start + length).join('').toLowerCase().split(/\s+/)))];
}

/**
 * A field in the place of a name. end(event, take): with Enter or by leaving it, the name
 * is taken; with Escape it is not.
 */
function nameField({ name, label, hint = '', most, className, end })
{
	return html`<input class=${className} .value=${name} aria-label=${label} placeholder=${hint || nothing}
		maxlength=${most}
		@blur=${(event) => end(event, true)} @keydown=${(event) => {
			event.stopPropagation();
			if (event.key === 'Enter' && !event.isComposing) {
				// or it presses the button that has the focus next
				event.preventDefault();
				end(event, true);
			} else if (event.key === 'Escape')
				end(event, false);
		}}>`;
}

export class LampList extends PageElement {
	static properties = {
		list: { attribute: false },
		/** pinned ones, folders, what is selected (store/order.js) */
		order: { attribute: false },
		current: { type: String },
		/** ids of the conversations this page is answering */
		busy: { attribute: false },
		/** ids of those in which something was typed and not sent */
		drafted: { attribute: false },
		/** whether the user may share, and so there may be what others share */
		shares: { type: Boolean },
		renaming: { state: true },
		/** the folder that is being renamed, or 'new' and the id that a new one is made in */
		naming: { state: true },
	};

	#seeEnd = null;
	#told = '';

	constructor()
	{
		super();
		/** @type {import('../store/conversations.js').Conversations} */
		this.list = undefined;
		/** @type {import('../store/order.js').Order} */
		this.order = undefined;
		this.naming = '';
		this.shares = false;
		this.current = '';
		this.busy = new Set();
		this.drafted = new Set();
		this.renaming = '';
		new Watch(this, () => this.list);
		new Watch(this, () => this.order);
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

			// it is seen in the list
			this.emit('lamp-say', { text: said.length === 0 ? titles :
				`${titles} ${t('list.foundSaid', { n: said.length })}`, heard: true });
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
			<div class="search" role="search" aria-label=${t('list.search')}>
				${icon('search')}
				<input type="search" class="search-field" .value=${list.q}
					placeholder=${t('list.search')} aria-label=${t('list.search')}
					autocomplete="off" spellcheck="false" maxlength="200"
					@input=${(event) => list.search(event.target.value)}
					@keydown=${this.#onSearchKey}>
				<lamp-menu label=${t('list.more.label')} .items=${this.#listItems()}></lamp-menu>
			</div>
			${this.#sides()}
			${list.archived ? html`<p class="list-shelf"><span>${t('list.archived')}</span>
				<button type="button" class="link-button" @click=${() => list.shelf(false)}>${
				t('list.unarchived')}</button></p>` : nothing}
			<nav class="list-scroll" aria-label=${t('list.label')}>
				${this.#plain() ? nothing : [this.#pinned(), this.#folders('')]}
				${this.#groups().map(([name, items]) => html`
					<h2 class="list-group">${name}</h2>
					<ul>${repeat(items, (item) => item.conversationId,
						(item) => this.#row(item))}</ul>`)}
				${this.#foot()}
				${this.#said()}
			</nav>
			${this.#undo()}
			${this.order.selected ? this.#selection() : nothing}`;
	}

	/** Whether the list is one of what was found, or of the archive. */
	#plain()
	{
		return this.list.archived || this.list.clients || this.list.foundFor !== '' || this.list.q.trim() !== '';
	}

	#listItems()
	{
		const { list, order } = this;

		return [
			{ text: t('list.select'), icon: 'check', run: () => order.select(true) },
			{ text: t('folder.newName'), icon: 'folder', run: () => this.#name('new') },
			...order.folders.length > 0 ? [{ text: t('list.manageFolders'), icon: 'pencil',
				run: () => goPlace('conversation-folders') }] : [],
			...this.shares ? [{ text: t('share.withMe'), icon: 'person',
				run: () => goPlace('shared') }] : [],
			{ text: t(list.archived ? 'list.unarchived' : 'list.archived'), icon: 'list',
				run: () => list.shelf(!list.archived) },
		];
	}

	#pinned()
	{
		const items = this.order.left(this.order.pinned);

		return items.length === 0 ? nothing : html`<h2 class="list-group">${t('list.pinned')}</h2>
			<ul>${repeat(items, (item) => item.conversationId, (item) => this.#row(item))}</ul>`;
	}

	/** The folders in one, or ('') at the top. */
	#folders(under)
	{
		const { order } = this;
		const folders = order.under(under);
		const fresh = this.naming === `new ${under}`.trim();

		return folders.length === 0 && !fresh ? nothing : html`<ul class="folders">
			${repeat(folders, ({ id }) => id, (folder) => this.#folder(folder))}
			${fresh ? html`<li class="row">${this.#nameField('', under, (name) =>
				order.newFolder(name, under || null))}</li>` : nothing}</ul>`;
	}

	#folder(folder)
	{
		const { order } = this;
		const open = order.inside.has(folder.id);
		const items = order.filed(folder.id);

		if (this.naming === folder.id)
			return html`<li class="row">${this.#nameField(folder.name, folder.id, (name) =>
				order.renameFolder(folder.id, name))}</li>`;
		return html`<li class="folder">
			<div class="row">
				<button type="button" class="row-link folder-button" data-id=${folder.id}
					aria-expanded=${open}
					@click=${() => order.open(folder.id, !open)}
					@keydown=${(event) => this.#onArrow(event)}>
					${icon('chevron')}${icon('folder')}<span class="row-title" dir="auto">${folder.name}</span></button>
				<lamp-menu label=${t('folder.actions', { name: folder.name })} .items=${[
					{ text: t('list.rename'), icon: 'pencil', run: () => this.#name(folder.id) },
					...folder.parentId ? [] : [{ text: t('folder.new'), icon: 'plus',
						run: () => {
							order.open(folder.id, true);
							this.#name(`new ${folder.id}`);
						} }],
					{ text: t('list.delete'), icon: 'trash', danger: true, part: 'gone',
						run: () => this.emit('lamp-folder-remove', { folder }) },
				]}></lamp-menu></div>
			${open ? html`<div class="folder-inside">${this.#folders(folder.id)}
				${items.length > 0 ? html`<ul>${repeat(items, (item) => item.conversationId,
					(item) => this.#row(item))}</ul>` :
					order.under(folder.id).length > 0 ? nothing :
						html`<p class="list-note">${t(order.inside.get(folder.id).length > 0 ?
							'folder.pinned' : 'folder.empty')}</p>`}</div>` : nothing}
		</li>`;
	}

	async #name(what)
	{
		this.naming = what;
		await this.updateComplete;
		const field = /** @type {HTMLInputElement} */ (this.querySelector('.folder-field'));

		field?.focus();
		field?.select();
	}

	/**
	 * A field for the name of a folder. save(name)
	 * @param id where the focus goes after it: a folder; '': the search
	 */
	#nameField(name, id, save)
	{
		const end = async (event, take) => {
			const typed = event.target.value.trim();

			if (!this.naming)
				return;
			this.naming = '';
			if (event.type === 'keydown')
				this.updateComplete.then(() => /** @type {HTMLElement | null} */ (id ?
					this.querySelector(`.folder-button[data-id="${id}"]`) :
					this.querySelector('.search-field'))?.focus());
			if (take && typed && typed !== name)
				await save(typed).catch((error) => this.emit('lamp-say', { text: errorText(error) }));
		};

		return nameField({ name, label: t('folder.newName'), hint: t('arrange.name'), most: 100,
			className: 'rename-field folder-field', end });
	}

	/** What can be done with the selected ones. */
	#selection()
	{
		const { order, list } = this;
		const ids = [...order.selected];
		const items = order.chosen;
		const none = ids.length === 0;
		const pinned = !none && items.length > 0 && items.every((item) => item.pinned);

		return html`<div class="list-bar" role="group" aria-label=${t('list.select')}>
			<p aria-live="polite">${t('list.selected', { n: ids.length })}</p>
			<button type="button" class="chip-button" @click=${() => order.select(false)}>${
				t('list.endSelect')}</button>
			<div class="list-bar-acts">
			<button type="button" class="chip-button" @click=${() => {
				const shown = /** @type {NodeListOf<HTMLInputElement>} */ (
					this.querySelectorAll('.row-check'));

				for (const { value } of shown)
					order.toggle(value, true);
			}}>${t('list.all')}</button>
			${this.#act(t(pinned ? 'list.unpin' : 'list.pin'), none || list.archived,
				() => this.emit('lamp-order', { ids, fields: { pinned: !pinned } }))}
			${this.#act(t('arrange.folder'), none, () => this.emit('lamp-arrange', { items }))}
			${this.#act(t(list.archived ? 'list.unarchive' : 'list.archive'), none,
				() => {
					this.emit('lamp-order', { ids, fields: { archived: !list.archived } });
					// they are in another list
					order.select(false);
				})}
			<lamp-menu label=${t('export.title')} ?disabled=${none}
				.face=${t('export.title')}
				.items=${exportItems((format) => this.emit('lamp-export', { ids, format }))}></lamp-menu>
			${this.#act(t('list.delete'), none, () => {
				order.doom(ids);
				order.select(false);
				this.emit('lamp-say', { text: t('list.doomed', { n: ids.length }) });
			}, 'danger')}</div></div>`;
	}

	/** A button for the selected ones, with its name. */
	#act(text, off, act, kind = '')
	{
		return html`<button type="button" class="chip-button ${kind}" ?disabled=${off}
			@click=${act}>${text}</button>`;
	}

	/** For a while, a deletion and another place can be undone. */
	#undo()
	{
		const { order } = this;
		const n = order.doomed.size;
		const { moved } = order;
		const done = moved ? movedText(moved) : t('list.doomed', { n });

		if (order.error)
			return html`<p class="list-bar" role="alert">${errorText(order.error)}</p>`;
		return n === 0 && !moved ? nothing : html`<div class="list-bar">
			<p>${done}</p>
			<button type="button" class="chip-button" @click=${() => this.#takeBack(moved)}>${
				t('list.undo')}</button></div>`;
	}

	async #takeBack(moved)
	{
		try {
			await this.order.undo();
			this.emit('lamp-say', { text: t(moved ? 'list.movedBack' : 'list.undone', { n: moved?.n }) });
		} catch (error) {
			this.emit('lamp-say', { text: errorText(error) });
		}
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
					<a class="row-link" href=${messageHash(item.messageId, foundWords(item.snippet))}
						@keydown=${(event) => this.#onArrow(event)}>
						<span class="row-title" dir="auto">${item.title || t('list.untitled')}</span>
						<span class="found-text" dir="auto">${marked(item.snippet)}</span>
						<time class="found-when" datetime=${item.createdAt}
							title=${moment(item.createdAt)}>${dayOf(item.createdAt)}</time>
					</a></li>`)}</ul>`;
	}

	/** The listed conversations under their headings. */
	#groups()
	{
		const groups = [];

		const { list, order } = this;
		const items = this.#plain() ? order.left(list.items) :
			list.items.filter((item) => !order.holds(item));

		for (const item of items) {
			const name = dayGroup(item.updatedAt);
			const last = groups[groups.length - 1];

			if (last && last[0] === name)
				last[1].push(item);
			else
				groups.push([name, [item]]);
		}
		return groups;
	}

	#row(shown)
	{
		const id = shown.conversationId;
		// the list is told of changes elsewhere
		const item = this.list.find(id) || shown;
		const title = item.title || t('list.untitled');

		if (this.renaming === id)
			return html`<li class="row">${this.#renameField(item)}</li>`;
		const { selected } = this.order;

		return html`<li class="row ${id === this.current ? 'current' : ''}">
			${selected ? html`<input type="checkbox" class="row-check" value=${id}
				aria-label=${t('list.selectOne', { title })} .checked=${selected.has(id)}
				@change=${(event) => this.order.toggle(id, event.target.checked)}>` : nothing}
			<a class="row-link" href=${conversationHash(id)} title=${title}
				aria-current=${id === this.current ? 'page' : nothing}
				@click=${(event) => this.#onRowPress(event, id)}
				@keydown=${(event) => this.#onRowKey(event, item)}>
				<span class="row-title" dir="auto">${title}</span>
				${item.client ? html`<span class="row-client">${item.client}</span>` : nothing}
				${item.waiting && !this.busy.has(id) ? html`
					<span class="row-waiting" role="img"
						aria-label=${t('list.waiting')}
						title=${t('list.waiting')}>${icon('question')}</span>` :
					item.runningTurnId || this.busy.has(id) ? html`
					<span class="row-running" role="img"
						aria-label=${t('list.running')}></span>` :
						this.drafted.has(id) && id !== this.current ? html`
					<span class="row-draft" role="img" aria-label=${t('list.draft')}
						title=${t('list.draft')}>${icon('pencil')}</span>` : nothing}
			</a>
			<lamp-menu label=${t('list.actions', { title })} .items=${[
				{ text: t('list.rename'), icon: 'pencil',
					run: () => this.rename(id) },
				...this.shares ? [{ text: t('share.menu'), icon: 'person',
					run: () => this.emit('lamp-share', { id }) }] : [],
				...orderItems(item, {
					change: (fields) => this.emit('lamp-order', { ids: [id], fields }),
					arrange: () => this.emit('lamp-arrange', { items: [item] }),
				}),
				{ text: t('list.delete'), icon: 'trash', danger: true, part: 'gone',
					run: () => this.emit('lamp-delete', { id, title }) },
			]}></lamp-menu>
		</li>`;
	}

	/** While chats are selected, a title is part of its box. */
	#onRowPress(event, id)
	{
		const { selected } = this.order;

		if (!selected || event.ctrlKey || event.metaKey || event.shiftKey)
			return;
		event.preventDefault();
		this.order.toggle(id, !selected.has(id));
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

		return nameField({ name: item.title || '', label: t('list.renameLabel'),
			most: TITLE_CHARS, className: 'rename-field', end });
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
			return html`<p class="list-note">${list.foundFor ? this.#none(list.foundFor) :
				t(list.archived ? 'list.noneArchived' : 'list.empty')}</p>`;
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

/**
 * What was done to chats.
 * @param {import('../store/order.js').Moved} moved
 */
export function movedText({ done, n })
{
	return t({ pinned: 'list.pinnedNow', unpinned: 'list.unpinnedNow',
		archived: 'list.archivedNow', moved: 'list.moved' }[done], { n });
}

/** Menu items for the place of a conversation. */
export function orderItems({ pinned, archived }, { change, arrange })
{
	return [
		...archived ? [] : [{ text: t(pinned ? 'list.unpin' : 'list.pin'), icon: 'flag',
			run: () => change({ pinned: !pinned }) }],
		{ text: t('arrange.menu'), icon: 'folder', run: arrange },
		{ text: t(archived ? 'list.unarchive' : 'list.archive'), icon: 'archive',
			run: () => change({ archived: !archived }) },
	];
}

/** Menu items for the formats of an export. */
export function exportItems(run)
{
	return [['markdown', 'export.markdown'], ['json', 'export.json'], ['html', 'export.html']]
		.map(([format, text]) => ({ text: t(text), icon: 'download', run: () => run(format) }));
}

customElements.define('lamp-list', LampList);
