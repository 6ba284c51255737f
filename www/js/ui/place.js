// SPDX-License-Identifier: MIT
// <lamp-place>: a place beside the chat: the list of a resource, or one of its
// rows. The route table (js/route.js) names what is special about one.
import { html, nothing } from '../../vendor/lit.js';
import { rowName } from '../form.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { reach } from '../reach.js';
import { becomePlace, entityHash, goPlace, placeHash, readPlace } from '../route.js';
import { has, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { PARTS } from './parts.js';
import { placeTitle } from './side.js';
import './bin.js';
import './children.js';
import './find.js';
import './form.js';
import './mine.js';
import './month.js';
import './rows.js';

/**
 * The head of a place, with its title.
 * @param {PageElement & {places: import('../store/places.js').Places}} host
 * @param {object} at
 * @param {string} at.heading
 * @param {string} at.up      where the arrow leads; '': there is none
 * @param {unknown} [at.actions]
 */
export function placeHead(host, { heading, up, actions = nothing })
{
	return html`<header class="main-head">
		<button type="button" class="icon-button drawer-open"
			aria-label=${t('list.open')} title=${t('list.open')}
			@click=${() => host.emit('lamp-drawer')}>${icon('menu')}</button>
		${up ? html`<a class="icon-button place-up" href=${up} title=${t('place.back')}
			aria-label=${t('place.back')}>${icon('back')}</a>` : nothing}
		<div class="main-title"><h1 tabindex="-1" dir="auto">${heading}</h1></div>
		${actions}
		<a class="icon-button place-close" href=${host.places.chat} title=${t('place.close')}
			aria-label=${t('place.close')}>${icon('close')}</a>
	</header>`;
}

/** The name of a place's text of another family of strings.js. */
export function placeText(family, { text = '' })
{
	return text.replace('place.', `${family}.`);
}

class LampPlace extends PageElement {
	static properties = {
		api: { attribute: false },
		places: { attribute: false },
		/** of places: what is shown */
		current: { attribute: false },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		error: { state: true },
		importing: { state: true },
	};

	#shown = null;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('../store/places.js').Current} */
		this.current = undefined;
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		this.error = null;
		this.importing = false;
		new Watch(this, () => this.places);
		new Watch(this, () => this.current?.draft);
	}

	/** The title of what is shown; also that of the window. */
	get heading()
	{
		const { row, form, draft } = this.current;

		if (!draft || form.single)
			return placeTitle(row, form);
		if (draft.isNew)
			return t('form.newOf', { what: form.what });
		return draft.record ? rowName(form, draft.record) : t('app.loading');
	}

	willUpdate()
	{
		const { current } = this;

		if (current !== this.#shown)
			this.error = null;
	}

	updated()
	{
		const { current } = this;

		document.title = `${this.heading} – ${t('app.name')}`;
		reach(this.querySelector('.place-scroll'));
		if (current === this.#shown)
			return;
		this.#shown = current;
		this.querySelector('h1')?.focus();
		this.querySelector('.place-scroll').scrollTop = 0;
	}

	render()
	{
		const { row, form, id } = this.current;
		const up = id && !form?.single ? placeHash(form?.name) : row.under && placeHash(row.under);

		return html`${placeHead(this, { heading: this.heading, up: up || '',
			actions: form && !id && !form.single ? this.#headActions(form) : nothing })}
			<div class="place-scroll"><div class="place-column ${
				(row.view === 'calendar' && !id) || this.#beside() !== nothing ?
				'place-wide' : ''}">
				${this.error ? html`<p class="form-error" role="alert">${icon('warning')}
					<span>${failureText(this.error)}</span></p>` : nothing}
				${form ? this.current.draft ? this.#record() : this.#list() : html`
					<div class="rows-none"><p>${t('place.none')}</p>
						<a class="button button-small" href="#/">${t('error.toNew')}</a></div>`}
			</div></div>`;
	}

	#headActions(form)
	{
		const { places, current: { row } } = this;

		return html`
			${places.offered(form.name).map((one) => html`<a class="button button-small"
				href=${placeHash(one.form)}>${placeTitle(one, places.form(one.form))}</a>`)}
			${form.canWrite && row.described ? html`<button type="button"
				class="button button-small describe" @click=${() => this.emit('lamp-ask', {
					place: { contextType: row.described, name: t('project.described') } })}>${
				icon('question')}<span>${t('project.describe')}</span></button>` : nothing}
			${form.canWrite && row.imports ? html`<label class="button button-small file-button import"
				title=${t('project.importTitle')}>
				<input type="file" class="sr-only" accept=".zip,.json" ?disabled=${this.importing}
					@change=${this.#onFile}>${icon('folder')}<span>${
				t(this.importing ? 'project.importing' : 'project.import')}</span></label>` : nothing}
			${form.canWrite && !row.elsewhere ? this.#newButton(form) : nothing}`;
	}

	/** Makes a row of a file, and shows it. */
	#onFile = async ({ target }) => {
		const [file] = target.files;
		const { row, form } = this.current;

		target.value = '';
		if (!file || this.importing)
			return;
		this.importing = true;
		this.error = null;
		try {
			const { projectId, name, made, notes } = await this.api.importProject(file);
			const count = Object.values(made).reduce((sum, n) => sum + n, 0);

			this.emit('lamp-say', { text: t(notes.length ? 'project.importedPart' :
				'project.imported', { name, count, notes: notes.join(' ') }) });
			this.emit('lamp-stored', { row });
			location.hash = placeHash(form.name, projectId);
		} catch (error) {
			this.error = error;
		} finally {
			this.importing = false;
		}
	};

	#list()
	{
		const { row, form, rows } = this.current;

		if (row.view === 'mine')
			return html`<lamp-mine .api=${this.api} .places=${this.places} .confirm=${this.confirm}
				.order=${document.querySelector('lamp-app').order}></lamp-mine>`;
		if (row.view === 'calendar')
			return html`${row.hint ? html`<p class="place-hint">${t(row.hint)}</p>` : nothing}
				<lamp-month .api=${this.api} path="calendar" ?canWrite=${form.canWrite}
				.stamp=${this.current} .href=${({ eventId, projectId }) => (projectId ?
				placeHash('projects', projectId, 'events', eventId) : placeHash(form.name, eventId))}
				></lamp-month>`;
		return html`${row.hint ? html`<p class="place-hint">${t(row.hint)}</p>` : nothing}
			${row.find ? html`<lamp-find class="page-find" .api=${this.api} label=${t('find.all')}
				@lamp-found=${({ detail: { item } }) => {
					location.hash = entityHash(item.kind, item.id, item.projectId);
				}}></lamp-find>` : nothing}
			<lamp-rows .places=${this.places} .form=${form} .rows=${rows}
				view=${row.view || ''} mark=${row.mark || ''} .none=${this.#none()}></lamp-rows>
			${row.bin && form.canWrite ? html`<lamp-bin .api=${this.api} path=${form.name}
				.confirm=${this.confirm} .stamp=${this.current}></lamp-bin>` : nothing}`;
	}

	/** The text of an empty list, and what to do about it. */
	#none()
	{
		const { row, form } = this.current;
		const text = placeText('none', row);

		return html`<div class="rows-none muted">
			<p>${has(text) ? t(text) : t('place.noneOf', { what: form.what })}</p>
			${form.canWrite && !row.elsewhere ? this.#newButton(form) : nothing}</div>`;
	}

	#newButton(form)
	{
		return html`<a class="button button-small button-main new-row"
			href=${placeHash(form.name, 'new')}>${icon('plus')}<span>${
			t('place.new')}</span></a>`;
	}

	#record()
	{
		const { row, form, draft } = this.current;
		const part = PARTS[row.part];

		if (draft.isNew && !form.canWrite)
			return html`<p class="rows-none">${t('place.mayNot', { what: form.what })}</p>`;
		if (draft.loadError)
			return html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(draft.loadError)}</span>
				<button type="button" class="chip-button" @click=${() => draft.load()}>${
				t('app.retry')}</button></p>`;
		if (!draft.ready)
			return html`<p><span class="skeleton"></span><span class="skeleton"></span></p>`;
		const at = this.#at();
		const beside = this.#beside();

		return html`${part?.above?.(at) || nothing}<div class=${beside === nothing ? '' : 'beside'}>
			<lamp-form .draft=${draft} .places=${this.places}
				.below=${part?.below?.(at)} .bar=${part?.bar?.(at)} @lamp-saved=${this.#saved}
				.actions=${html`${part?.actions?.(at) || nothing}
					${!draft.isNew && draft.canEdit && !form.single ? html`<button type="button"
						class="button form-delete" @click=${() => this.#delete()}>${
						t('form.remove')}</button>` : nothing}`}></lamp-form>
			${beside}</div>
			${draft.isNew ? nothing : this.places.children(form.name)
				.filter(() => draft.canEdit)
				.map((child) => html`<lamp-children .api=${this.api} .places=${this.places}
					.form=${child}
					.parent=${draft} .confirm=${this.confirm}
					@lamp-restored=${this.#restored}></lamp-children>`)}`;
	}

	/** What pieces of the page get. */
	#at()
	{
		const { api, places, current, confirm } = this;

		return { api, places, draft: current.draft, current, confirm, copy: () => this.#copy(),
			fail: (error) => { this.error = error; },
			changed: () => this.emit('lamp-stored', { row: current.row }) };
	}

	/** What stands beside the form. */
	#beside()
	{
		const { row, draft } = this.current;

		return draft?.ready && PARTS[row.part]?.beside?.(this.#at()) || nothing;
	}

	#saved({ detail: { draft, made } })
	{
		const { form, row } = this.current;

		this.emit('lamp-stored', { row });
		this.emit('lamp-say', { text: t(made ? 'form.made' : 'form.saved',
			{ name: form.single ? this.heading : rowName(form, draft.record) }) });
		if (!made)
			return;
		becomePlace(form.name, draft.id);
		// it has a page of its own
		if (row.deep) {
			this.places.show(readPlace());
			return;
		}
		this.current.id = draft.id;
		this.places.changed();
		// a secret has taken the focus, else the title gets it
		if (!draft.secret)
			this.updateComplete.then(() => this.querySelector('h1').focus());
	}

	#restored()
	{
		this.emit('lamp-say', { text: t('form.restored') });
		this.querySelector('lamp-form').focusFirst();
	}

	async #copy()
	{
		const { form, draft } = this.current;

		this.error = null;
		if (draft.dirty && !await this.confirm(t('leave.title'), t('leave.text'),
			t('leave.go')))
			return;
		draft.reset();
		try {
			goPlace(form.name, (await this.api.copyPrompt(draft.id)).id);
			this.emit('lamp-say', { text: t('prompts.copied') });
		} catch (error) {
			this.error = error;
		}
	}

	/** Says in advance what is deleted with a row. */
	#removeText(what, name)
	{
		const text = placeText('gone', this.current.row);

		return t(has(text) ? text : 'form.removeText', { what, name });
	}

	async #delete()
	{
		const { form, draft } = this.current;
		const name = rowName(form, draft.record);

		if (!await this.confirm(t('form.removeTitle', { name }),
			this.#removeText(form.what, name), t('form.remove')))
			return;
		this.error = null;
		try {
			if (!await draft.remove())
				return;
		} catch (error) {
			this.error = error;
			return;
		}
		this.emit('lamp-stored', { row: this.current.row });
		this.emit('lamp-say', { text: t('form.removed', { name }) });
		goPlace(form.name);
	}
}

customElements.define('lamp-place', LampPlace);
