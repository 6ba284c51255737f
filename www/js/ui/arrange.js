// SPDX-License-Identifier: MIT
// <lamp-arrange>: the folder and the tags of a conversation, or the folder of several.
import { html, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { movedText } from './list.js';

const TAG_CHARS = 40;
const NAME_CHARS = 100;
/** the choice that makes a folder */
const NEW = 'new';

export class LampArrange extends PageElement {
	static properties = {
		order: { attribute: false },
		items: { state: true },
		/** the folder that is chosen: '' none, NEW, or its id */
		folder: { state: true },
		busy: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/order.js').Order} */
		this.order = undefined;
		/** @type {any[]} the conversations */
		this.items = [];
		this.folder = '';
		this.busy = false;
		this.error = null;
	}

	/** @param {any[]} items conversations */
	async show(items)
	{
		this.items = items;
		this.folder = items.length === 1 ? items[0].folderId || '' : '';
		this.error = null;
		await this.updateComplete;
		this.querySelector('form').reset();
		this.querySelector('dialog').showModal();
	}

	render()
	{
		const [item] = this.items;

		return frame('arrange', t(item && !this.items[1] ? 'arrange.title' : 'arrange.move'), html`<form class="arrange" @submit=${this.#save}>
			${this.error ? html`<p class="form-error" role="alert">${errorText(this.error)}</p>` : nothing}
			<div class="field"><label for="arrange-folder">${t('arrange.folder')}</label>
				<span class="select field-select"><select name="folder" id="arrange-folder"
					@change=${(event) => { this.folder = event.target.value; }}>
					<option value="" ?selected=${this.folder === ''}>${t('arrange.none')}</option>
					${this.order.under('').map((folder) => [this.#option(folder, ''),
		...this.order.under(folder.id).map((inner) =>
			this.#option(inner, `${folder.name} / `))])}
					<option value=${NEW} ?selected=${this.folder === NEW}>${t('arrange.new')}</option>
				</select>${icon('chevron')}</span></div>
			${this.folder === NEW ? html`<div class="field"><label for="arrange-name">${
				t('arrange.name')}</label><input name="name" id="arrange-name" required
				maxlength=${NAME_CHARS} autocomplete="off"></div>` : nothing}
			${this.items.length === 1 ? html`<div class="field"><label for="arrange-tag-field">${
				t('arrange.tags')}</label><input name="tags" id="arrange-tag-field" autocomplete="off"
				aria-describedby="arrange-tags" .value=${(item.tags || []).join(', ')}>
				<span class="help" id="arrange-tags">${t('arrange.tagsHelp')}</span></div>` : nothing}
			<div class="dialog-buttons">
				<button type="button" class="button" @click=${(event) =>
					event.currentTarget.closest('dialog').close()}>${t('app.cancel')}</button>
				<button class="button button-main" ?disabled=${this.busy}>${t('form.save')}</button>
			</div></form>`);
	}

	#option(folder, before)
	{
		return html`<option value=${folder.id} ?selected=${this.folder === folder.id}
			>${before}${folder.name}</option>`;
	}

	#save = async (event) => {
		const form = new FormData(event.target);
		const ids = this.items.map(({ conversationId }) => conversationId);
		const tags = String(form.get('tags') ?? '').split(',').map((tag) =>
			tag.trim().replace(/^#/, '').slice(0, TAG_CHARS)).filter(Boolean);

		event.preventDefault();
		this.busy = true;
		this.error = null;
		try {
			const folderId = this.folder === NEW ?
				(await this.order.newFolder(String(form.get('name')).trim())).id : this.folder || null;

			this.folder = folderId || '';
			const before = this.order.moved;

			await this.order.arrange(ids, { folderId, ...folderId && { archived: false },
				...this.items.length === 1 && { tags } });
			this.querySelector('dialog').close();
			this.#tell(this.order.moved === before ? null : this.order.moved);
			// what is open or selected stays in sight
			if (folderId && ids.some((id) => this.order.selected?.has(id) ||
				id === document.querySelector('lamp-list').current))
				await this.#open(folderId);
		} catch (error) {
			this.error = error;
		}
		this.busy = false;
	};

	/** What was moved the list says itself, with Undo, where it is in sight. */
	#tell(moved)
	{
		const seen = moved && !document.querySelector('lamp-list').closest('[inert]');

		this.emit('lamp-say', seen ? { text: movedText(moved), heard: true } :
			{ text: t('arrange.done') });
	}

	/** Opens a folder, and the one that it is in. */
	async #open(folderId)
	{
		const folder = this.order.folders.find(({ id }) => id === folderId);

		if (folder?.parentId)
			await this.order.open(folder.parentId, true);
		await this.order.open(folderId, true);
	}
}

customElements.define('lamp-arrange', LampArrange);
