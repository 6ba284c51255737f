// SPDX-License-Identifier: MIT
// <lamp-allowed>: the tools that run in a conversation without asking, because
// the user allowed it at an approval; each can be set to ask again.
import { html, nothing } from '../../vendor/lit.js';
import { moment, saysAll, toolName } from '../format.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { ConversationDialog } from './dialogs.js';

export class LampAllowed extends ConversationDialog {
	name = 'allowed';
	heading = 'allowed.title';

	/** @returns a promise of [{tool, createdAt}] */
	async read(id)
	{
		return (await this.api.allowedTools(id)).items;
	}

	async #revoke(tool)
	{
		this.error = null;
		try {
			await this.api.revokeTool(this.conversation, tool);
		} catch (error) {
			// another tab was faster: the list shows it
			if (error.status !== 404)
				this.error = error;
		}
		await this.load();
		this.querySelector('.dialog-head .icon-button').focus();
	}

	body()
	{
		if (this.data.length === 0)
			return html`<p>${t('allowed.none')}</p>`;
		return html`<p>${t('allowed.text')}</p>
			<ul class="allowed">${this.data.map(({ tool, createdAt }) => html`<li>
				<span>${saysAll(tool) ? nothing : html`${plain(toolName(tool))} `}<code
					>${plain(tool)}</code> <span class="muted">${moment(createdAt)}</span></span>
				<button type="button" class="button button-small"
					aria-label=${t('allowed.revokeOf', { tool: plain(tool) })}
					@click=${() => this.#revoke(tool)}>${t('allowed.revoke')}</button>
			</li>`)}</ul>`;
	}
}

customElements.define('lamp-allowed', LampAllowed);
