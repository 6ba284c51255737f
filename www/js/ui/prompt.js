// SPDX-License-Identifier: MIT
// What a prompt's page has besides its form: its blanks, checked while typing,
// and a copy to change.
import { html, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './talk.js';

const CHECK_WAIT_MS = 300;
/** The kinds of blanks other than a choice. */
/** What the buttons insert, of strings.js: a name, and what stands behind it. */
const INSERTED = { text: ['prompts.blankText'], date: ['prompts.blankDate', 'prompts.moreDate'],
	choice: ['prompts.blankChoice', 'prompts.moreChoice'] };
const KINDS = { text: 'prompts.text', date: 'prompts.date', record: 'prompts.record' };

class LampBlankCheck extends PageElement {
	static properties = {
		api: { attribute: false },
		text: { attribute: false },
		/** (text) => changes it */
		set: { attribute: false },
		blanks: { state: true },
		problem: { state: true },
	};

	#timer = null;
	#round = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.text = '';
		/** @type {(text: string) => void} */
		this.set = undefined;
	}

	willUpdate(changes)
	{
		if (!changes.has('text'))
			return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#check(), CHECK_WAIT_MS);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	async #check()
	{
		const round = ++this.#round;
		let blanks = null;
		let problem = '';

		try {
			({ blanks } = await this.api.checkPrompt(this.text));
		} catch (error) {
			// other failures are reported when it is saved
			problem = error.field === 'body' ? error.detail : '';
		}
		if (round !== this.#round)
			return;
		this.blanks = blanks;
		this.problem = problem;
	}

	render()
	{
		return html`<div class="chips" role="group" aria-label=${t('prompts.insert')}>
			<span class="muted">${t('prompts.insert')}</span>
			${Object.keys(INSERTED).map((kind) => html`<button type="button" class="chip-button"
				@click=${() => this.#insert(kind)}>${icon('plus')}<span>${
				t(`prompts.insert.${kind}`)}</span></button>`)}</div>
			<div class="blanks" role="status">
			${this.problem ? html`<p class="field-error">${icon('warning')}<span>${
				this.problem}</span></p>` : nothing}
			${this.blanks?.length > 0 ? html`<p>${t('prompts.blanks')}</p>
				<ul class="chips">${this.blanks.map((blank) => html`<li class="blank">
					<b>${blank.name}</b> <span class="muted">${this.#kind(blank)}</span></li>`)}
				</ul>` : nothing}</div>`;
	}

	/** Puts a blank where the caret is; its name is selected, to be typed over. */
	async #insert(kind)
	{
		const field = this.closest('.field').querySelector('textarea');
		const [name, more] = INSERTED[kind];
		const taken = new Set((this.blanks || []).map((blank) => blank.name));
		let fresh = t(name);

		for (let n = 2; taken.has(fresh); n++)
			fresh = `${t(name)} ${n}`;
		const { selectionStart: start, selectionEnd: end, value } = field;

		this.set(`${value.slice(0, start)}{{${fresh}${more ? t(more) : ''}}}${value.slice(end)}`);
		await /** @type {any} */ (this.closest('lamp-form')).updateComplete;
		field.focus();
		field.setSelectionRange(start + 2, start + 2 + fresh.length);
	}

	#kind({ type, choices, dataset })
	{
		return type === 'choice' ? choices.join(' | ') : t(KINDS[type], { dataset });
	}
}

customElements.define('lamp-blank-check', LampBlankCheck);

/** The parts of a prompt's page (ui/parts.js). */
export const promptPart = {
	below: ({ api }) => (field, draft) => field.key !== 'body' ? nothing : html`
		<lamp-blank-check .api=${api} .text=${draft.values.body}
			.set=${(text) => draft.set('body', text)}></lamp-blank-check>`,
	actions: ({ draft, copy }) => draft.isNew ? nothing : html`<lamp-talk promptId=${draft.id}
		text=${t('prompts.use')}></lamp-talk><button type="button"
		class="button ${draft.canEdit ? '' : 'button-main'}" @click=${copy}>${
		icon('copy')}<span>${t('prompts.copy')}</span></button>`,
};
