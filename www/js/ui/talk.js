// SPDX-License-Identifier: MIT
// <lamp-talk>: begins a new chat with an agent, or with a prompt.
import { html } from '../../vendor/lit.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampTalk extends PageElement {
	static properties = {
		agentId: { type: String, attribute: 'agentid' },
		promptId: { type: String, attribute: 'promptid' },
		text: { type: String },
		/** what it is about, for a list with several */
		about: { type: String },
	};

	constructor()
	{
		super();
		this.agentId = '';
		this.promptId = '';
		this.text = '';
		this.about = '';
	}

	render()
	{
		const { agentId, promptId, about, text } = this;

		return html`<button type="button" class="button button-small"
			aria-label=${about ? `${text}: ${about}` : text}
			@click=${() => this.emit('lamp-talk', agentId ? { agentId } : { promptId })}>${
			icon('send')}<span>${text}</span></button>`;
	}
}

customElements.define('lamp-talk', LampTalk);
