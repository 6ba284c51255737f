// SPDX-License-Identifier: MIT
// <lamp-used>: the knowledge bases to which a conversation is limited; none:
// its agent's. Changes apply from the next message on.
import { html, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { ConversationDialog } from './dialogs.js';
import './refs.js';

export class LampUsed extends ConversationDialog {
	static properties = {
		places: { attribute: false },
		/** whether all bases that were chosen have been deleted */
		emptied: { state: true },
	};

	name = 'used';
	heading = 'used.title';
	/** the last pending change: they are sent one after another */
	#sent = Promise.resolve();

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
	}

	/** @returns a promise of ids */
	async read(id)
	{
		const { knowledgeBaseIds, knowledgeLimited } = await this.api.conversation(id);

		this.emptied = knowledgeLimited && !knowledgeBaseIds.length;
		return knowledgeBaseIds;
	}

	/** @param chosen null: as the agent says */
	async #choose(chosen)
	{
		const id = this.conversation;

		this.data = chosen ?? [];
		this.emptied = false;
		this.error = null;
		this.#sent = this.#sent.then(() => this.api.useKnowledge(id, chosen));
		try {
			await this.#sent;
		} catch (error) {
			this.#sent = Promise.resolve();
			this.error = error;
			await this.load();
		}
	}

	body()
	{
		return html`<p>${t('used.text')}</p>
			${this.emptied ? html`<p>${t('used.deleted')}
				<button type="button" @click=${() => this.#choose(null)}>
					${t('used.reset')}</button></p>` : nothing}
			<fieldset class="field" aria-labelledby="used-title">
				<lamp-refs .places=${this.places} path="knowledge-bases" multiple
					name="used-bases" .chosen=${this.data}
					@lamp-chosen=${(event) => this.#choose(event.detail.chosen)}
					></lamp-refs></fieldset>`;
	}
}

customElements.define('lamp-used', LampUsed);
