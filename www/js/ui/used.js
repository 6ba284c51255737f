// <lamp-used>: the knowledge bases to which a conversation is limited; none: its
// agent's. What is ticked counts from the next message on.
import { html, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import './refs.js';

class LampUsed extends PageElement {
	static properties = {
		api: { attribute: false },
		places: { attribute: false },
		/** ids, or null while they are loaded */
		chosen: { state: true },
		error: { state: true },
	};

	#id = '';
	/** the change that is sent last: they follow one another */
	#sent = Promise.resolve();

	/** @param id of the conversation */
	async show(id)
	{
		this.#id = id;
		this.chosen = null;
		this.error = null;
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		await this.#load();
	}

	async #load()
	{
		const id = this.#id;

		try {
			const { knowledgeBaseIds } = await this.api.conversation(id);

			if (id === this.#id)
				this.chosen = knowledgeBaseIds;
		} catch (error) {
			this.error = error;
		}
	}

	async #choose(chosen)
	{
		const id = this.#id;

		this.chosen = chosen;
		this.error = null;
		this.#sent = this.#sent.then(() => this.api.useKnowledge(id, chosen));
		try {
			await this.#sent;
		} catch (error) {
			this.#sent = Promise.resolve();
			this.error = error;
			await this.#load();
		}
	}

	render()
	{
		return frame('used', t('used.title'), html`
			${this.error ? html`<p role="alert">${errorText(this.error)}</p>` : nothing}
			${this.chosen ? html`<p>${t('used.text')}</p>
				<fieldset class="field" aria-labelledby="used-title">
					<lamp-refs .places=${this.places} path="knowledge-bases" multiple
						name="used-bases" .chosen=${this.chosen}
						@lamp-chosen=${(event) => this.#choose(event.detail.chosen)}
						></lamp-refs></fieldset>` :
				this.error ? nothing : html`<p>${t('app.loading')}</p>`}`);
	}
}

customElements.define('lamp-used', LampUsed);
