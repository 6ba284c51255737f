// SPDX-License-Identifier: MIT
// <lamp-children>: the rows that belong to another one, on its page: a list,
// and a small form to add one. What can be changed is opened in its place. Rows
// that only the program creates can be copied into the form of the row that they
// belong to.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName } from '../form.js';
import { failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { PLACES } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { toldView } from './field.js';
import { icon } from './icons.js';
import { PARTS } from './parts.js';
import './changes.js';
import './form.js';

class LampChildren extends PageElement {
	static properties = {
		api: { attribute: false },
		places: { attribute: false },
		form: { attribute: false },
		/** the draft of the row that they belong to */
		parent: { attribute: false },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		draft: { state: true },
		error: { state: true },
	};

	#seen = null;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
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
		/** ids of those that are open */
		this.opened = new Set();
		/** by id: records of the program, with the texts that lists leave out */
		this.whole = new Map();
	}

	willUpdate(changes)
	{
		if (changes.has('parent')) {
			this.rows = this.places.rows(this.form, { parent: this.parent.id });
			this.#begin();
		}
		// a change of the row may have created one
		if (this.parent.record !== this.#seen) {
			this.#seen = this.parent.record;
			this.#reload();
		}
	}

	async #reload()
	{
		this.whole.clear();
		await this.rows.reload();
		this.#readOpened();
	}

	async #more()
	{
		await this.rows.more();
		this.#readOpened();
	}

	#readOpened()
	{
		for (const row of this.rows.items.filter(({ id }) => this.opened.has(id)))
			this.#read(row);
	}

	/** Reads a version whole, and the one before, for what changed. */
	async #read(row)
	{
		const missing = [row, this.#before(row)].filter((one) =>
			one && !this.whole.has(one.id));

		this.error = null;
		try {
			await Promise.all(missing.map(async ({ id }) => {
				const path = `${this.rows.path}/${encodeURIComponent(id)}`;

				this.whole.set(id, await this.api.json('GET', path));
			}));
		} catch (error) {
			this.error = error;
		}
		this.requestUpdate();
	}

	#before(row)
	{
		return this.rows.items[this.rows.items.indexOf(row) + 1];
	}

	/** Whether its rows can be changed: a form is open for one that somebody chose. */
	get #changes()
	{
		return this.form.canWrite && this.form.fields.some(({ mode }) => mode === 'edit');
	}

	/** What the page says of them besides their form. */
	get #place()
	{
		return PLACES.find(({ form }) => form === this.form.name);
	}

	#begin()
	{
		this.draft = this.form.canWrite && !this.#changes ? this.#draftOf('') : null;
	}

	#draftOf(id)
	{
		return this.places.draft(this.form, id, { parent: this.parent.id });
	}

	/** @param id of a row; '' for a new one */
	async #open(id)
	{
		const draft = this.#draftOf(id);

		this.error = null;
		await draft.load();
		if (draft.loadError) {
			this.error = draft.loadError;
			return;
		}
		this.draft = draft;
		await this.updateComplete;
		this.querySelector('lamp-form').focusFirst();
	}

	#close()
	{
		this.#begin();
		this.querySelector('h2').focus();
	}

	render()
	{
		const { form, rows } = this;

		return html`<section class="children">
			<h2 tabindex="-1">${this.#place ? t(this.#place.text) : form.title}</h2>
			${this.error || rows.error ? html`<p class="form-error" role="alert">${
				icon('warning')}<span>${failureText(this.error || rows.error)}</span></p>` : nothing}
			${rows.loaded && rows.items.length === 0 ? html`<p class="muted">${
				t('rows.empty')}</p>` : html`<ul class="children-rows">${repeat(rows.items,
				({ id }) => id, (row) => this.#row(row))}</ul>`}
			${rows.nextCursor === null ? nothing : html`<button type="button"
				class="chip-button" @click=${() => this.#more()}>${t('rows.more')}</button>`}
			${this.draft ? this.#opened() : this.#changes ? html`<div class="form-buttons">
				<button type="button" class="button button-small" @click=${() => this.#open('')}
					>${icon('plus')}<span>${t('form.newOf', { what: form.what })}</span></button>
			</div>` : nothing}
		</section>`;
	}

	#opened()
	{
		const { draft } = this;
		const at = { api: this.api, places: this.places, draft, confirm: this.confirm,
			current: null, copy: null, fail: (error) => { this.error = error; },
			changed: () => this.places.reloadBelow(this.parent.address) };

		return html`<lamp-form inline .draft=${draft} .places=${this.places}
			action=${draft.isNew ? t('form.add') : t('form.save')} @lamp-saved=${this.#saved}
			.actions=${html`${PARTS[this.#place?.part]?.actions(at) || nothing}
				${this.#changes ? html`<button type="button" class="button"
					@click=${() => this.#close()}>${t('app.cancel')}</button>` : nothing}`}></lamp-form>`;
	}

	#row(row)
	{
		const name = rowName(this.form, row);

		if (this.form.readOnly)
			return html`<li><details @toggle=${(event) => this.#toggle(event, row.id)}><summary>${
				name} <span class="muted">${[moment(row.updatedAt), row.changedBy].filter(Boolean)
					.join(' · ')}</span></summary>
				${this.#isShown(row) ? html`<dl class="told">${this.form.fields.map((field) =>
					html`<div><dt>${field.label}</dt><dd>${this.#value(field, row)}</dd></div>`)}</dl>`
					: nothing}
				${this.whole.has(row.id) && this.#common().length > 0 && this.parent.canEdit ?
					html`<button type="button"
					class="button button-small" @click=${() => this.#restore(row)}>${
					t('form.restore')}</button>` : nothing}
			</details></li>`;
		return html`<li class="children-row"><span>${name} <span class="muted">${
			moment(row.createdAt)}</span></span>
			${this.#changes ? html`<button type="button" class="icon-button"
				aria-label=${t('form.changeOf', { name })} title=${t('form.change')}
				@click=${() => this.#open(row.id)}>${icon('pencil')}</button>` : nothing}
			${this.form.canWrite ? html`<button type="button" class="icon-button"
				aria-label=${t('form.removeOf', { name })} title=${t('form.remove')}
				@click=${() => this.#remove(row, name)}>${icon('trash')}</button>` : nothing}</li>`;
	}

	#toggle(event, id)
	{
		const row = this.rows.items.find((one) => one.id === id);

		if (!event.target.open)
			this.opened.delete(id);
		else if (!this.opened.has(id)) {
			this.opened.add(id);
			this.#read(row);
		}
		this.requestUpdate();
	}

	/** Whether it is open, and all of it is there. */
	#isShown(row)
	{
		const before = this.#before(row);

		return this.opened.has(row.id) && this.whole.has(row.id) &&
			(!before || this.whole.has(before.id));
	}

	/** Of a version: with what changed since the one before, if that is known. */
	#value(field, row)
	{
		const before = this.whole.get(this.#before(row)?.id);
		const [was, is] = [before?.[field.key], this.whole.get(row.id)[field.key]];

		if (before && was !== is &&
			this.#common().some(({ key }) => key === field.key))
			return html`<lamp-changes brief .was=${was ?? ''} .is=${is ?? ''}></lamp-changes>`;
		return toldView(field, is, this.places);
	}

	/** The fields that both have, and the parent's form asks for. */
	#common()
	{
		return this.parent.form.fields.filter(({ key, mode, type }) => mode === 'edit' &&
			type === 'text' && this.form.fields.some((field) => field.key === key));
	}

	async #restore(row)
	{
		if (this.parent.dirty && !await this.confirm(t('form.restoreTitle'),
			t('leave.text'), t('form.restore')))
			return;
		for (const { key } of this.#common())
			this.parent.set(key, this.whole.get(row.id)[key] ?? '');
		this.emit('lamp-restored', {});
	}

	#saved(event)
	{
		const { draft, made } = event.detail;

		event.stopPropagation();
		this.emit('lamp-say', { text: t(made ? 'form.added' : 'form.saved', {
			name: rowName(this.form, draft.record) }) });
		this.places.reloadBelow(this.parent.address);
		if (this.#changes)
			this.#close();
		else
			this.#begin();
	}

	async #remove(row, name)
	{
		if (!await this.confirm(t('form.removeTitle', { name }),
			t('form.removeText', { what: this.form.what, name }), t('form.remove')))
			return;
		const draft = this.#draftOf(row.id);

		this.error = null;
		try {
			if (await draft.remove())
				this.emit('lamp-say', { text: t('form.removed', { name }) });
		} catch (error) {
			this.error = error;
		}
		await this.places.reloadBelow(this.parent.address);
		this.querySelector('h2').focus();
	}
}

customElements.define('lamp-children', LampChildren);
