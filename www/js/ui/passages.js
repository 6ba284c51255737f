// SPDX-License-Identifier: MIT
// <lamp-passages>: tries what is found for a question, as an assistant would get it: in a
// knowledge base, or by an agent as its form is now.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { agentOf, problemOf, workspaceOf } from './trial.js';

/** What would be shown as 0 % is no match. */
const LEAST = .005;

/** How sure it is that a passage answers a question. @param {number} score from 0 to 1 */
const percent = (score) => score.toLocaleString(locale(), { style: 'percent' });

/** @param {{title: string, heading: string, score: number, text: string}[]} items */
function passagesView(items)
{
	return html`<ol class="passages">${items.map((one) => html`<li>
		<p class="tools-name" dir="auto">${[one.title, one.heading].filter(Boolean).join(' › ')}</p>
		<p class="card-told">${t('passages.score', { score: percent(one.score) })}</p>
		<p class="tools-text passage-text" dir="auto">${one.text}</p></li>`)}</ol>`;
}

class LampPassages extends PageElement {
	static properties = {
		api: { attribute: false },
		/** id of the knowledge base; else */
		base: { type: String },
		/** … of an agent's form */
		at: { attribute: false },
		query: { state: true },
		busy: { state: true },
		/** {items, notice, sent}, or null */
		found: { state: true },
		/** what is wrong */
		problem: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.base = '';
		this.query = '';
		this.busy = false;
		this.found = null;
		this.problem = '';
	}

	async #search(event)
	{
		const { at } = this;
		const query = this.query.trim();

		event.preventDefault();
		if (!query || this.busy)
			return;
		const agent = at && agentOf(at, true);

		this.problem = '';
		if (at && !agent) {
			this.problem = Object.values(at.draft.errors).join(' ');
			return;
		}
		this.busy = true;
		try {
			this.found = await (at ?
				at.api.json('POST', `workspaces/${encodeURIComponent(workspaceOf(at))}/passages`,
					{ body: { content: query, draftAgent: agent } }) :
				this.api.json('POST', `knowledge-bases/${encodeURIComponent(this.base)}/search`,
					{ body: { query } }));
		} catch (error) {
			this.found = null;
			this.problem = at ? problemOf(at, error, true) : failureText(error);
		}
		this.busy = false;
	}

	render()
	{
		const { found, at } = this;

		return at ? html`<div class="try-part"><p class="muted">${t('passages.agentText')}</p>${
			this.#body(found)}</div>` : html`<section class="try" aria-labelledby="passages-title">
			<h2 id="passages-title">${t('passages.title')}</h2>
			<p class="muted">${t('passages.text')}</p>
			${this.#body(found)}</section>`;
	}

	#body(found)
	{
		const items = found?.items || [];
		const matching = items.filter(({ score }) => score >= LEAST);
		const others = items.filter((one) => !matching.includes(one));
		const n = matching.length;

		return html`<form class="try-form" role="search" aria-label=${t('passages.title')}
				@submit=${(event) => this.#search(event)}>
				<input type="search" class="field-line" aria-label=${t('passages.query')}
					placeholder=${t('passages.query')} maxlength="2000" .value=${this.query}
					@input=${(event) => { this.query = event.target.value; }}>
				<button type="submit" class="button button-small" ?disabled=${this.busy ||
					!this.query.trim()}>${t('passages.search')}</button></form>
			${this.problem ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				this.problem}</span></p>` : nothing}
			<div role="status">${!found ? nothing : html`
				<p class="muted">${n === 0 ? t('passages.none') : t('passages.found', { n })}</p>
				${found.sent === false && items.length > 0 ? html`<p class="muted">${t('passages.unsent')}</p>` : nothing}
				${found.notice ? html`<p class="muted">${found.notice}</p>` : nothing}`}</div>
			${passagesView(matching)}
			${others.length === 0 ? nothing : html`<details class="passages-others"><summary>${
				t('passages.hardly', { n: others.length })}</summary>${passagesView(others)}</details>`}`;
	}
}

customElements.define('lamp-passages', LampPassages);
