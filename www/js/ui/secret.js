// SPDX-License-Identifier: MIT
// <lamp-secret>: a secret that is shown only once, to be copied.
import { html } from '../../vendor/lit.js';
import { copyText } from '../clipboard.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampSecret extends PageElement {
	static properties = { text: { attribute: false }, copied: { state: true } };

	constructor()
	{
		super();
		this.text = '';
	}

	render()
	{
		return html`<section class="secret" aria-labelledby="secret-title">
			<h2 id="secret-title" tabindex="-1">${t('secret.title')}</h2>
			<p>${t('secret.text')}</p>
			<div class="secret-line"><code>${this.text}</code>
				<button type="button" class="button" @click=${this.#copy}>${
					icon(this.copied ? 'check' : 'copy')}<span>${
					t(this.copied ? 'message.copied' : 'code.copy')}</span></button></div>
		</section>`;
	}

	firstUpdated()
	{
		this.querySelector('h2').focus();
	}

	async #copy()
	{
		this.copied = await copyText(this.text);
		this.emit('lamp-say', { text: t(this.copied ? 'message.copied' :
			'message.copyFailed') });
	}
}

customElements.define('lamp-secret', LampSecret);
