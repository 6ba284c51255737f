// SPDX-License-Identifier: MIT
// <lamp-ready>: whether this device tells that an answer is ready.
import { html, live, nothing } from '../../vendor/lit.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';

class LampReady extends PageElement {
	static properties = { ready: { attribute: false } };

	constructor()
	{
		super();
		/** @type {import('../store/ready.js').Ready} */
		this.ready = undefined;
		new Watch(this, () => this.ready);
	}

	render()
	{
		const { ready } = this;

		if (!('Notification' in globalThis))
			return nothing;
		return html`<section class="share-choices" aria-labelledby="ready-title">
			<h3 id="ready-title">${t('ready.title')}</h3>
			<label><input type="checkbox" .checked=${live(ready.wanted)} ?disabled=${!ready.can}
				@change=${({ target }) => ready.want(target.checked)}><span>${
				t('ready.label')}</span></label>
			${ready.can && !ready.refused ? nothing :
				html`<p class="field-help" role="status">${t('ready.denied')}</p>`}</section>`;
	}
}

customElements.define('lamp-ready', LampReady);
