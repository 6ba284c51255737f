// SPDX-License-Identifier: MIT
// <lamp-keep>: makes a conversation a document of a knowledge base that the user may change.
// Doing it again replaces the document by what was said until then.
import { html, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { ConversationDialog } from './dialogs.js';

export class LampKeep extends ConversationDialog {
	static properties = { ...ConversationDialog.properties, added: { state: true } };

	name = 'keep';
	heading = 'keep.title';

	constructor()
	{
		super();
		/** the name of the base to which it was added */
		this.added = '';
	}

	show(id)
	{
		this.added = '';
		return super.show(id);
	}

	/** @returns a promise of the bases that the user may change */
	async read()
	{
		const { items } = await this.api.json('GET', 'knowledge-bases?pageSize=100');

		return items.filter(({ canEdit }) => canEdit);
	}

	async #add({ id, name })
	{
		this.error = null;
		this.added = '';
		try {
			await this.api.keepConversation(this.conversation, id);
			this.added = name;
		} catch (error) {
			this.error = error;
		}
	}

	body()
	{
		return html`<p>${t('keep.text')}</p>
			${this.data.length === 0 ? html`<p class="muted">${t('keep.none')}</p>` : html`
			<ul class="allowed">${this.data.map((base) => html`<li><span>${base.name}</span>
				<button type="button" class="button button-small"
					aria-label=${t('keep.addTo', { name: base.name })}
					@click=${() => this.#add(base)}>${t('keep.add')}</button></li>`)}</ul>`}
			<p role="status">${this.added ? t('keep.added', { name: this.added }) : nothing}</p>`;
	}
}

customElements.define('lamp-keep', LampKeep);
