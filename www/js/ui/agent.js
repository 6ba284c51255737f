// SPDX-License-Identifier: MIT
// What the page of a new agent has besides its form: the templates to start
// from.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { goPlace } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './preview.js';
import './talk.js';
import './try.js';

class LampTemplates extends PageElement {
	static properties = { at: { attribute: false }, busy: { state: true } };

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.rows = null;
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
				<li><button type="button" class="card" ?disabled=${this.busy}
					@click=${() => this.#make(one)}>
					<span class="card-picture" aria-hidden="true"><b>${
						[...one.name][0]}</b></span>
					<span class="card-name" dir="auto">${one.name}</span>
					<span class="card-text" dir="auto">${one.useCase || one.description}</span>
				</button></li>`)}</ul>
			<h2>${t('agents.own')}</h2></section>`;
	}

	async #make({ templateId, name })
	{
		const { api, places, draft: { form }, draft, fail, changed, confirm } = this.at;

		// the new agent has nothing of the form
		if (draft.dirty && !await confirm(t('leave.title'), t('leave.text'),
			t('leave.go'), t('leave.stay')))
			return;
		this.busy = true;
		try {
			const { record } = await api.record('POST', `${places.path(form)}/from-template`,
				{ body: { templateId } });

			draft.reset();
			changed();
			goPlace(form.name, record[form.idKey]);
			this.emit('lamp-say', { text: t('form.made', { name }) });
		} catch (error) {
			fail(error);
		}
		this.busy = false;
	}
}

customElements.define('lamp-templates', LampTemplates);

/** The parts of an agent's page (ui/parts.js). */
export const agentPart = {
	above: (at) => at.draft.isNew ? html`<lamp-templates .at=${at}></lamp-templates>` : nothing,
	beside: (at) => at.draft.canEdit || at.draft.isNew ?
		html`<lamp-try .at=${at}></lamp-try>` : nothing,
	actions: (at) => at.draft.isNew ? nothing : html`<lamp-talk agentId=${at.draft.id}
		text=${t('agents.talk')}></lamp-talk>`,
	below: (at) => (field) => field.key !== 'systemPrompt' ? nothing : html`
		<lamp-agent-preview .at=${at}></lamp-agent-preview>`,
};
