// SPDX-License-Identifier: MIT
// <lamp-form>: a row of a resource, as a form if the caller may change it. It
// saves by itself, and reports the result as lamp-saved.
import { html, live, nothing } from '../../vendor/lit.js';
import { asked, forPeople, grouped, leftOver, shown, told, valueAt, valuesOf } from '../form.js';
import { failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { joinTexts } from '../projects.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { fieldView, toldView } from './field.js';
import { icon } from './icons.js';
import './changes.js';
import './secret.js';

const JOIN_MS = 500;
/** characters of a text that is shown as a whole */
const SHORT = 200;

/** Whether only the changes of a text are shown: one of differences(). */
function isLong({ field, before, theirs, mine })
{
	return field.multiline && [before, theirs, mine].some((text) =>
		typeof text === 'string' && (text.length > SHORT || text.includes('\n')));
}

let forms = 0;

export class LampForm extends PageElement {
	static properties = {
		draft: { attribute: false },
		places: { attribute: false },
		/** (field, draft) => further content below its control */
		below: { attribute: false },
		/** what else is beside the button that saves */
		bar: { attribute: false },
		/** further buttons */
		actions: { attribute: false },
		/** the text of the button that saves */
		action: { type: String },
		/** true: a small form within a page */
		inline: { type: Boolean },
		/** texts that two have changed, by key: with both changes; null: that is not possible */
		joined: { state: true },
	};

	#conflictSeen = null;

	#name = `form-${++forms}`;

	constructor()
	{
		super();
		/** @type {import('../store/draft.js').Draft} */
		this.draft = undefined;
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {Function} */
		this.below = undefined;
		/** @type {unknown} */
		this.bar = undefined;
		/** @type {unknown} */
		this.actions = undefined;
		this.action = '';
		this.inline = false;
		/** @type {Record<string, string | null>} */
		this.joined = {};
		/** headings of folded groups that are open */
		this.opened = new Set();
		new Watch(this, () => this.draft);
	}

	updated()
	{
		const { conflict } = this.draft;

		if (conflict === this.#conflictSeen)
			return;
		this.#conflictSeen = conflict;
		if (!conflict)
			return;
		// the form may be longer than the window
		this.querySelector('.conflict h2').focus();
		this.#join(conflict);
	}

	/** Joins the texts that both have changed. */
	async #join(conflict)
	{
		const { form, record, values } = this.draft;
		const both = conflict.list.filter(({ field, mine }) => field.multiline && mine !== undefined);
		const [base, theirs] = [valuesOf(form, record), valuesOf(form, conflict.record)];

		this.joined = {};
		if (both.length === 0)
			return;
		try {
			const { diffArrays } = await import('../../vendor/diff.js');
			const diff = (a, b) => diffArrays(a, b, { timeout: JOIN_MS }) ||
				[{ removed: true, value: a }, { added: true, value: b }];

			this.joined = Object.fromEntries(both.map(({ field: { key } }) =>
				[key, joinTexts(base[key], values[key], theirs[key], diff)]));
		} catch {
			// the user chooses between the two
		}
	}

	render()
	{
		const { draft } = this;

		if (!draft.canEdit && !draft.isNew)
			return html`${this.#told()}${this.actions ? html`<div class="form-buttons form-bar">${
				this.actions}</div>` : nothing}`;
		return html`<form class="form" novalidate aria-busy=${draft.saving ? 'true' : 'false'}
			@submit=${(event) => this.#submit(event)} @keydown=${this.#onKey}>
			${draft.secret ? html`<lamp-secret .text=${draft.secret}></lamp-secret>` : nothing}
			${this.#summary()}${this.#conflict()}
			${grouped(draft.form, asked(draft.form, draft.values, draft.isNew))
				.map((group) => this.#group(group))}
			${draft.isNew || this.inline ? nothing : this.#told()}
			${this.#buttons()}
		</form>`;
	}

	#group({ heading, folded, fields })
	{
		const views = fields.map((field) => this.#field(field));

		if (!heading)
			return views;
		if (!folded)
			return html`<section class="form-group"><h2>${heading}</h2>${views}</section>`;
		return html`<details class="form-group" .open=${live(this.opened.has(heading))}
			@toggle=${(event) => this.#toggle(heading, event.target.open)}>
			<summary>${heading} <span class="muted">${fields.map(({ label }) => label)
				.join(', ')}</span></summary>${views}</details>`;
	}

	#toggle(heading, open)
	{
		if (open)
			this.opened.add(heading);
		else
			this.opened.delete(heading);
	}

	/** What is wrong is seen. */
	#openWrong()
	{
		for (const { heading, fields } of grouped(this.draft.form, asked(this.draft.form,
			this.draft.values, this.draft.isNew)))
			if (fields.some(({ key }) => this.draft.errors[key]))
				this.opened.add(heading);
		this.requestUpdate();
	}

	#field(field)
	{
		const { draft } = this;

		return fieldView(field, {
			id: this.#id(field), value: draft.values[field.key],
			error: draft.errors[field.key] || '', places: this.places,
			workspace: draft.record?.workspaceId,
			kept: Boolean(draft.record?.[`${field.key}Set`]),
			set: (value) => draft.set(field.key, value),
			below: this.below?.(field, draft),
		});
	}

	#id({ key })
	{
		return `${this.#name}-${key}`;
	}

	/** What was wrong, to be announced and gone through. */
	#summary()
	{
		const { draft } = this;
		const wrong = draft.form.fields.filter(({ key }) => draft.errors[key]);

		if (draft.error)
			return html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(draft.error)}</span></p>`;
		return wrong.length === 0 ? nothing : html`<p class="form-error" role="alert">${
			icon('warning')}<span>${t('form.wrong', { n: wrong.length,
				labels: wrong.map(({ label }) => label).join(', ') })}</span></p>`;
	}

	#conflict()
	{
		const { conflict } = this.draft;

		if (!conflict)
			return nothing;
		const list = conflict.list.filter(({ field }) => field.mode === 'edit');

		return html`<section class="conflict" role="alert">
			<h2 tabindex="-1">${t('conflict.title')}</h2>
			<p>${t('conflict.text')}</p>
			${list.length === 0 ? nothing : html`<dl class="told">
				${list.map((one) => html`<div><dt>${one.field.label}</dt>${
					isLong(one) ? this.#textConflict(one) : this.#valueConflict(one)}</div>`)}</dl>`}
			<div class="form-buttons">
				${this.draft.dirty ? html`<button type="button" class="button"
					@click=${() => this.#settle(true)}>${t('conflict.keep')}</button>` : nothing}
				<button type="button" class="button" @click=${() => this.#settle(false)}>${
					t(this.draft.dirty ? 'conflict.drop' : 'conflict.see')}</button>
			</div></section>`;
	}

	#valueConflict({ field, theirs, mine })
	{
		return html`<dd><span class="muted">${t('conflict.theirs')}</span> ${shown(field, theirs)}</dd>
			${mine === undefined ? nothing : html`<dd><span class="muted">${
				t('conflict.mine')}</span> ${shown(field, mine)}</dd>`}`;
	}

	/** Of a long text: what has changed in it, and what becomes of one's own changes. */
	#textConflict({ field, before, theirs, mine })
	{
		return html`<dd><lamp-changes brief .was=${before ?? ''} .is=${theirs ?? ''}></lamp-changes></dd>
			${mine === undefined ? nothing : html`<dd class="conflict-mine">${
				t(this.joined[field.key] ? 'conflict.join' : 'conflict.same')}</dd>`}`;
	}

	async #settle(mine)
	{
		this.draft.settle(mine, this.joined);
		this.emit('lamp-say', { text: t(mine ? 'conflict.kept' : 'conflict.dropped') });
		await this.updateComplete;
		this.focusFirst();
	}

	/** The fields that cannot be changed. */
	#told()
	{
		const { draft: { form, record, canEdit } } = this;
		const fields = canEdit ? told(form, record, false) :
			[...form.fields, ...leftOver(form, record)].filter((field) => forPeople(field) &&
				(valueAt(record, field.key) ?? '').length !== 0);

		return html`<dl class="told">
			${fields.map((field) => html`<div class=${field.multiline ? 'told-long' : ''}><dt>${field.label}</dt>
				<dd>${toldView(field, valueAt(record, field.key), this.places,
					record.workspaceId)}</dd></div>`)}
			${record.updatedAt ? html`<div><dt>${t('form.updated')}</dt>
				<dd>${moment(record.updatedAt)}</dd></div>` : nothing}</dl>`;
	}

	#buttons()
	{
		const { draft } = this;
		const editable = draft.isNew || asked(draft.form, draft.values, false).length > 0;

		return html`<div class="form-buttons ${this.inline ? '' : 'form-bar'}"><div class="form-save">
			${editable ? html`<button type="submit" class="button ${this.inline ? '' : 'button-main'}"
				?disabled=${draft.saving || Boolean(draft.conflict)}>${
				draft.saving ? t('form.saving') : this.action || t('form.save')}</button>` : nothing}
			${draft.dirty && !draft.isNew && !draft.saving ? html`
				<button type="button" class="button" @click=${() => this.#reset()}>${
					t('form.reset')}</button>` : nothing}
			${draft.dirty && !this.inline ? html`<span class="muted form-state">${
				t('form.unsaved')}</span>` : nothing}${this.bar || nothing}</div>
			${this.actions ? html`<div class="form-more">${this.actions}</div>` : nothing}
		</div>`;
	}

	/** Ctrl and S saves, as in editors. */
	#onKey = (event) => {
		if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey ||
			event.key.toLowerCase() !== 's')
			return;
		event.preventDefault();
		this.querySelector('form').requestSubmit();
	};

	async #reset()
	{
		this.draft.reset();
		await this.updateComplete;
		this.focusFirst();
	}

	async #submit(event)
	{
		event.preventDefault();
		const { draft } = this;
		const made = draft.isNew;

		if (await draft.save()) {
			this.emit('lamp-saved', { draft, made });
			return;
		}
		this.#openWrong();
		await this.updateComplete;
		const wrong = this.querySelector('[aria-invalid=true]') || this.querySelector('.field-error')
			?.closest('.field').querySelector('input, select, textarea');

		if (wrong)
			wrong.focus();
		else
			this.querySelector('.form-error')?.scrollIntoView({ block: 'nearest' });
	}

	/** The first control gets the focus. */
	async focusFirst()
	{
		// it may be drawn by an element of its own
		await this.querySelector('lamp-person')?.updateComplete;
		await this.querySelector('lamp-editor')?.updateComplete;
		this.querySelector('.field input, .field textarea, .field select')?.focus();
	}
}

customElements.define('lamp-form', LampForm);
