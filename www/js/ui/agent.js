// SPDX-License-Identifier: MIT
// What the page of a new agent has besides its form: the templates to start
// from.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { same, valuesOf } from '../form.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './preview.js';
import './talk.js';
import './try.js';

class LampTemplates extends PageElement {
	static properties = { at: { attribute: false }, chosen: { state: true } };

	/** @type {Record<string, any>} what the chosen one has filled in */
	#filled = {};

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.rows = null;
		/** the id of the one that the form was filled from */
		this.chosen = '';
		new Watch(this, () => this.rows);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.rows = this.at.places.rows({ path: 'agent-templates', whole: true });
		this.rows.reload();
	}

	render()
	{
		const { items, error } = this.rows;

		if (error)
			return html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(error)}</span></p>`;
		return items.length === 0 ? nothing : html`<section class="templates">
			<h2>${t('agents.templates')}</h2>
			<ul class="gallery">${repeat(items, ({ templateId }) => templateId, (one) => html`
				<li><button type="button" class="card"
					aria-pressed=${this.chosen === one.templateId ? 'true' : 'false'}
					@click=${() => this.#fill(one)}>
					<span class="card-picture" aria-hidden="true"><b>${
						[...one.name][0]}</b></span>
					<span class="card-name" dir="auto">${one.name}</span>
					<span class="card-text" dir="auto">${one.useCase || one.description}</span>
				</button></li>`)}</ul>
			<h2>${t('agents.own')}</h2></section>`;
	}

	/** Fills in the form; nothing is stored before it is saved. */
	async #fill(one)
	{
		const { draft, confirm } = this.at;
		const { templateId, name } = one;
		const values = draft.valuesFor(one);

		if (this.#wouldLose(values) && !await confirm(t('agents.fillTitle'),
			t('agents.fillText', { name }), t('agents.fill'), t('leave.stay')))
			return;
		draft.fill(values);
		this.chosen = templateId;
		this.#filled = values;
		await this.updateComplete;
		const field = /** @type {HTMLElement} */ (this.parentElement.querySelector(
			`lamp-form [id$="-${draft.form.labelKey}"]`));

		field?.focus();
		field?.scrollIntoView({ block: 'center' });
		this.emit('lamp-say', { text: t('agents.filled', { name }) });
	}

	/** Whether somebody has typed what values would replace. */
	#wouldLose(values)
	{
		const { values: now, form } = this.at.draft;
		const empty = valuesOf(form, null);

		return Object.keys(values).some((key) => !same(now[key], empty[key]) &&
			!same(now[key], values[key]) && !same(now[key], this.#filled[key]));
	}
}

customElements.define('lamp-templates', LampTemplates);

/** Goes to what is below the form in a narrow window. */
function jump()
{
	const title = /** @type {HTMLElement} */ (document.querySelector('#try-title'));

	title.scrollIntoView({ block: 'start' });
	title.focus({ preventScroll: true });
}

/** The parts of an agent's page (ui/parts.js). */
export const agentPart = {
	above: (at) => at.draft.isNew ? html`<lamp-templates .at=${at}></lamp-templates>` : nothing,
	beside: (at) => at.draft.canEdit || at.draft.isNew ?
		html`<lamp-try .at=${at}></lamp-try>` : nothing,
	bar: (at) => at.draft.canEdit || at.draft.isNew ? html`<button type="button" class="button try-jump"
		@click=${jump}>${t('try.title')}</button>` : nothing,
	actions: (at) => at.draft.isNew ? nothing : html`<lamp-talk agentId=${at.draft.id}
		text=${t('agents.talk')}></lamp-talk>`,
	below: (at) => (field) => field.key !== 'systemPrompt' ? nothing : html`
		<lamp-agent-preview .at=${at}></lamp-agent-preview>`,
};
