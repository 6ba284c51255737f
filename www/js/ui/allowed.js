// <lamp-allowed>: the tools that run in a conversation without asking, because
// the user said so at an approval; each can be asked about again.
import { html, nothing } from '../../vendor/lit.js';
import { errorText, moment, saysAll, toolName } from '../format.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';

class LampAllowed extends PageElement {
	static properties = {
		api: { attribute: false },
		/** {tool, createdAt}, or null while they are loaded */
		items: { state: true },
		error: { state: true },
	};

	#id = '';

	/** @param id of the conversation */
	async show(id)
	{
		this.#id = id;
		this.items = null;
		this.error = null;
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		await this.#load();
	}

	async #load()
	{
		const id = this.#id;

		try {
			const { items } = await this.api.allowedTools(id);

			if (id === this.#id)
				this.items = items;
		} catch (error) {
			this.error = error;
		}
	}

	async #revoke(tool)
	{
		this.error = null;
		try {
			await this.api.revokeTool(this.#id, tool);
		} catch (error) {
			// another tab was faster: the list tells
			if (error.status !== 404)
				this.error = error;
		}
		await this.#load();
		this.querySelector('.dialog-head .icon-button').focus();
	}

	render()
	{
		return frame('allowed', t('allowed.title'), html`
			${this.error ? html`<p role="alert">${errorText(this.error)}</p>` : nothing}
			${this.#list()}`);
	}

	#list()
	{
		if (!this.items)
			return this.error ? nothing : html`<p>${t('app.loading')}</p>`;
		if (this.items.length === 0)
			return html`<p>${t('allowed.none')}</p>`;
		return html`<p>${t('allowed.text')}</p>
			<ul class="allowed">${this.items.map(({ tool, createdAt }) => html`<li>
				<span>${saysAll(tool) ? nothing : html`${plain(toolName(tool))} `}<code
					>${plain(tool)}</code> <span class="muted">${moment(createdAt)}</span></span>
				<button type="button" class="button button-small"
					aria-label=${t('allowed.revokeOf', { tool: plain(tool) })}
					@click=${() => this.#revoke(tool)}>${t('allowed.revoke')}</button>
			</li>`)}</ul>`;
	}
}

customElements.define('lamp-allowed', LampAllowed);
