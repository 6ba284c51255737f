// SPDX-License-Identifier: MIT
// Dialogs, and <lamp-confirm>: the browser's own modal dialog, which holds the focus and
// gives it back.
import { html, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/** A click on the backdrop hits the dialog itself, not its body. */
function closeOutside(event)
{
	if (event.target === event.currentTarget)
		event.currentTarget.close('');
}

/**
 * A dialog that is closed by its button, by Escape and by a click beside it. aria-modal says what
 * showModal() does: Firefox has told assistive technology of a dialog without it.
 */
export function frame(name, title, body, kind = '')
{
	return html`<dialog class="dialog ${kind}" aria-modal="true" aria-labelledby="${name}-title"
		@click=${closeOutside}>
		<div class="dialog-body">
			<div class="dialog-head">
				<h2 id="${name}-title">${title}</h2>
				<button type="button" class="icon-button" aria-label=${t('app.close')}
					title=${t('app.close')}
					@click=${(event) => event.currentTarget.closest('dialog').close()}
					>${icon('close')}</button>
			</div>
			${body}
		</div>
	</dialog>`;
}

/**
 * A dialog about a conversation, which is loaded each time that it is shown.
 * Subclasses have name, heading (of strings.js), read() and body().
 */
export class ConversationDialog extends PageElement {
	/** @type {Record<string, object>} */
	static properties = {
		api: { attribute: false },
		/** null while it is loading */
		data: { state: true },
		error: { state: true },
	};

	name = '';
	heading = '';
	conversation = '';

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
	}

	/**
	 * For each subclass to write.
	 * @param {string} id of the conversation
	 * @returns {Promise<any>} the data
	 */
	async read(id)
	{
		throw new Error(`nothing to read of ${id}`);
	}

	/**
	 * For each subclass to write: draws this.data.
	 * @returns {unknown}
	 */
	body()
	{
		return nothing;
	}

	/** @param id of the conversation */
	async show(id)
	{
		this.conversation = id;
		this.data = null;
		this.error = null;
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		await this.load();
	}

	async load()
	{
		const id = this.conversation;

		try {
			const data = await this.read(id);

			if (id === this.conversation)
				this.data = data;
		} catch (error) {
			this.error = error;
		}
	}

	render()
	{
		return frame(this.name, t(this.heading), html`
			${this.error ? html`<p role="alert">${errorText(this.error)}</p>` : nothing}
			${this.data ? this.body() :
				this.error ? nothing : html`<p>${t('app.loading')}</p>`}`);
	}
}

export class LampConfirm extends PageElement {
	static properties = { heading: { state: true }, text: { state: true },
		action: { state: true }, stay: { state: true } };

	#answer = null;

	/** @returns a promise of true (do it) or false */
	async ask(title, text, action, stay = t('app.cancel'))
	{
		this.stay = stay;
		this.heading = title;
		this.text = text;
		this.action = action;
		await this.updateComplete;
		const dialog = this.querySelector('dialog');

		dialog.returnValue = '';
		dialog.showModal();
		return new Promise((resolve) => {
			this.#answer = resolve;
		});
	}

	render()
	{
		return html`<dialog class="dialog" aria-modal="true" aria-labelledby="confirm-title"
			aria-describedby="confirm-text"
			@close=${(event) => this.#answer?.(event.target.returnValue === 'yes')}
			@click=${closeOutside}>
			<div class="dialog-body">
				<h2 id="confirm-title">${this.heading}</h2>
				<p id="confirm-text">${this.text}</p>
				<div class="dialog-buttons">
					<button type="button" class="button" autofocus
						@click=${() => this.#close('')}>${this.stay}</button>
					<button type="button" class="button button-danger"
						@click=${() => this.#close('yes')}>${this.action}</button>
				</div>
			</div>
		</dialog>`;
	}

	#close(value)
	{
		this.querySelector('dialog').close(value);
	}
}

customElements.define('lamp-confirm', LampConfirm);
