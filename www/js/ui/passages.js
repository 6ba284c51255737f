// SPDX-License-Identifier: MIT
// <lamp-passages>: tries what a knowledge base finds for a question, as an assistant would
// get it.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampPassages extends PageElement {
	static properties = {
		api: { attribute: false },
		/** id of the knowledge base */
		base: { type: String },
		query: { state: true },
		busy: { state: true },
		/** {items, notice}, or null */
		found: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.base = '';
		this.query = '';
		this.busy = false;
		this.found = null;
		this.error = null;
	}

	async #search(event)
	{
		const { base, query } = this;

		event.preventDefault();
		if (!query.trim() || this.busy)
			return;
		this.busy = true;
		this.error = null;
		try {
			this.found = await this.api.json('POST',
				`knowledge-bases/${encodeURIComponent(base)}/search`, { body: { query: query.trim() } });
		} catch (error) {
			this.found = null;
			this.error = error;
		}
		this.busy = false;
	}

	render()
	{
		const { found, error } = this;

		return html`<section class="try" aria-labelledby="passages-title">
			<h2 id="passages-title">${t('passages.title')}</h2>
			<p class="muted">${t('passages.text')}</p>
			<form class="try-form" role="search" aria-labelledby="passages-title"
				@submit=${(event) => this.#search(event)}>
				<input type="search" class="field-line" aria-label=${t('passages.query')}
					placeholder=${t('passages.query')} maxlength="2000" .value=${this.query}
					@input=${(event) => { this.query = event.target.value; }}>
				<button type="submit" class="button button-small" ?disabled=${this.busy ||
					!this.query.trim()}>${t('passages.search')}</button></form>
			${error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(error)}</span></p>` : nothing}
			<div role="status">${!found ? nothing : html`
				<p class="muted">${found.items.length === 0 ? t('passages.none') :
					t('passages.found', { n: found.items.length })} ${found.notice || ''}</p>`}</div>
			<ol class="passages">${(found?.items || []).map((one) => html`<li>
				<p class="tools-name" dir="auto">${[one.title, one.heading].filter(Boolean).join(' › ')}</p>
				<p class="tools-text passage-text" dir="auto">${one.text}</p></li>`)}</ol></section>`;
	}
}

customElements.define('lamp-passages', LampPassages);
