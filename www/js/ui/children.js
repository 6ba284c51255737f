// SPDX-License-Identifier: MIT
// <lamp-children>: the rows that belong to another one, on its page: a list,
// and a small form to add one. Rows that only the program creates can be copied
// into the form of the row that they belong to.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName } from '../form.js';
import { failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { toldView } from './field.js';
import { icon } from './icons.js';
import './form.js';

class LampChildren extends PageElement {
	static properties = {
		places: { attribute: false },
		form: { attribute: false },
		/** the draft of the row that they belong to */
		parent: { attribute: false },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		error: { state: true },
	};

	#seen = null;

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('../form.js').Form} */
		this.form = undefined;
		/** @type {import('../store/draft.js').Draft} */
		this.parent = undefined;
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		this.rows = null;
		this.draft = null;
		this.error = null;
		new Watch(this, () => this.rows);
		new Watch(this, () => this.draft);
		new Watch(this, () => this.parent);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.rows = this.places.rows(this.form, { parent: this.parent.id });
		this.#begin();
	}

	willUpdate()
	{
		// a change of the row may have created one
		if (this.parent.record !== this.#seen) {
			this.#seen = this.parent.record;
			this.rows.reload();
		}
	}

	#begin()
	{
		this.draft = this.form.canWrite ?
			this.places.draft(this.form, '', { parent: this.parent.id }) : null;
		this.requestUpdate();
	}

	render()
	{
		const { form, rows } = this;

		return html`<section class="children">
			<h2 tabindex="-1">${form.title}</h2>
			${this.error || rows.error ? html`<p class="form-error" role="alert">${
				icon('warning')}<span>${failureText(this.error || rows.error)}</span></p>` : nothing}
			${rows.loaded && rows.items.length === 0 ? html`<p class="muted">${
				t('rows.empty')}</p>` : html`<ul class="children-rows">${repeat(rows.items,
				({ id }) => id, (row) => this.#row(row))}</ul>`}
			${rows.nextCursor === null ? nothing : html`<button type="button"
				class="chip-button" @click=${() => rows.more()}>${t('rows.more')}</button>`}
			${this.draft ? html`<lamp-form inline .draft=${this.draft} .places=${this.places}
				action=${t('form.add')} @lamp-saved=${this.#saved}></lamp-form>` : nothing}
		</section>`;
	}

	#row(row)
	{
		const name = rowName(this.form, row);

		if (this.form.readOnly)
			return html`<li><details><summary>${name} <span class="muted">${
				moment(row.createdAt)}</span></summary>
				<dl class="told">${this.form.fields.map((field) => html`<div>
					<dt>${field.label}</dt><dd>${
					toldView(field, row[field.key], this.places)}</dd></div>`)}</dl>
				${this.#common().length > 0 && this.parent.canEdit ? html`<button type="button"
					class="button button-small" @click=${() => this.#restore(row)}>${
					t('form.restore')}</button>` : nothing}
			</details></li>`;
		return html`<li class="children-row"><span>${name} <span class="muted">${
			moment(row.createdAt)}</span></span>
			${this.form.canWrite ? html`<button type="button" class="icon-button"
				aria-label=${t('form.removeOf', { name })} title=${t('form.remove')}
				@click=${() => this.#remove(row, name)}>${icon('trash')}</button>` : nothing}</li>`;
	}

	/** The fields that both have, and the parent's form asks for. */
	#common()
	{
		return this.parent.form.fields.filter(({ key, mode, type }) => mode === 'edit' &&
			type === 'text' && this.form.fields.some((field) => field.key === key));
	}

	#restore(row)
	{
		for (const { key } of this.#common())
			this.parent.set(key, row[key] ?? '');
		this.emit('lamp-restored', {});
	}

	#saved(event)
	{
		event.stopPropagation();
		this.emit('lamp-say', { text: t('form.added', {
			name: rowName(this.form, event.detail.draft.record) }) });
		this.rows.reload();
		this.#begin();
	}

	async #remove(row, name)
	{
		if (!await this.confirm(t('form.removeTitle', { name }),
			t('form.removeText', { what: this.form.what, name }), t('form.remove')))
			return;
		const draft = this.places.draft(this.form, row.id, { parent: this.parent.id });

		this.error = null;
		try {
			await draft.remove();
			this.emit('lamp-say', { text: t('form.removed', { name }) });
		} catch (error) {
			this.error = error;
		}
		await this.rows.reload();
		this.querySelector('h2').focus();
	}
}

customElements.define('lamp-children', LampChildren);
