// SPDX-License-Identifier: MIT
// <lamp-limits>: what the user stores, and how much that may be.
import { html, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';

const MIB = 1048576;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const mib = (bytes) => number.format(bytes / MIB);

class LampLimits extends PageElement {
	static properties = {
		api: { attribute: false },
		/** of GET /me/limits; null while it is loading, or if it failed */
		items: { state: true },
	};

	items = null;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.api.limits().then(({ items }) => { this.items = items; }, () => {});
	}

	render()
	{
		const [all, ...parts] = (this.items ?? []).filter((item) => item.stored);

		if (!all)
			return nothing;
		return html`<section aria-labelledby="limits-title">
			<h2 id="limits-title">${t('limits.title')}</h2>
			<p>${all.limit === null ? t('limits.used', { used: mib(all.used) })
				: t('limits.of', { used: mib(all.used), limit: mib(all.limit) })}</p>
			<ul>${parts.map((part) => html`<li>${t('limits.part',
				{ label: part.label, used: mib(part.used) })}</li>`)}</ul></section>`;
	}
}

customElements.define('lamp-limits', LampLimits);
