// SPDX-License-Identifier: MIT
// <lamp-project>: a project: its overview, a list for each kind of what is in it, and the
// page of an item. js/projects.js says which list a kind has.
import { html, nothing } from '../../vendor/lit.js';
import { leftOver, rowName, valueAt } from '../form.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { kindOf, shortName } from '../projects.js';
import { becomePlace, entityHash, placeHash, PLACES } from '../route.js';
import { EDIT } from '../store/project.js';
import { has, t } from '../strings.js';
import { pathTo } from '../tree.js';
import { PageElement } from './element.js';
import { toldView } from './field.js';
import { icon } from './icons.js';
import { dueView, filtersView, itemHash } from './items.js';
import { placeHead, placeText } from './place.js';
import { placeTitle } from './side.js';
import './board.js';
import './children.js';
import './effects.js';
import './find.js';
import './form.js';
import './links.js';
import './members.js';
import './month.js';
import './tree.js';

/** What the page says of a kind besides its form. */
const placeOf = (form) => PLACES.find((row) => row.form === form.name) ||
	/** @type {import('../route.js').Place} */ ({ form: form.name, icon: 'list' });

class LampProject extends PageElement {
	static properties = {
		api: { attribute: false },
		places: { attribute: false },
		/** of places: what is shown */
		current: { attribute: false },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		error: { state: true },
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
		new Watch(this, () => this.current?.project);
		new Watch(this, () => this.current?.project.itemDraft);
		new Watch(this, () => this.current?.project.activity);
		new Watch(this, () => this.current?.project.deleted);
		new Watch(this, () => this.current?.project.tree);
	}

	connectedCallback()
	{
		super.connectedCallback();
		document.addEventListener('visibilitychange', this.#seenAgain);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		document.removeEventListener('visibilitychange', this.#seenAgain);
	}

	/** Others may have changed things meanwhile. */
	#seenAgain = () => {
		if (!document.hidden)
			this.#project.refresh();
	};

	get #project()
	{
		return this.current.project;
	}

	/** The project's name; also the heading of all of its pages. */
	get #name()
	{
		const { draft } = this.#project;

		return draft.record ? rowName(draft.form, draft.record) :
			t(this.#project.lost ? 'error.lostTitle' : 'app.loading');
	}

	/** The title of the page that is shown. */
	get #title()
	{
		const { kind, item, itemDraft } = this.#project;
		const form = this.#project.formOf(kind);

		if (kind === EDIT)
			return t('project.edit');
		if (!form)
			return kind ? t('error.lostTitle') : t('project.overview');
		if (!item)
			return placeTitle(placeOf(form), form);
		if (item === 'new' && (!itemDraft || itemDraft.isNew))
			return t('form.newOf', { what: form.what });
		return itemDraft?.record ? rowName(form, itemDraft.record) :
			t(itemDraft?.loadError ? 'error.lostTitle' : 'app.loading');
	}

	willUpdate()
	{
		if (this.current !== this.#shown)
			this.error = null;
	}

	updated()
	{
		const same = this.#shown?.project === this.current.project;

		document.title = `${this.#title} – ${this.#name} – ${t('app.name')}`;
		if (this.current === this.#shown)
			return;
		this.#shown = this.current;
		this.querySelector(same ? 'h2' : 'h1')?.focus();
		this.querySelector('.place-scroll').scrollTop = 0;
		this.querySelector('.tabs [aria-current]')?.scrollIntoView(
			{ block: 'nearest', inline: 'nearest' });
	}

	render()
	{
		const project = this.#project;
		const { lost, draft } = project;

		return html`${placeHead(this, { heading: this.#name, up: placeHash(draft.form.name),
			actions: html`<span class="head-find" @lamp-found=${this.#found}>${
				this.#findView()}</span>` })}
			${this.#tabs()}
			<div class="place-scroll" @lamp-found=${this.#found}><div class="place-column place-wide">
				${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
					failureText(this.error)}</span></p>` : nothing}
				${lost ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
					failureText(draft.loadError)}</span><button type="button" class="chip-button"
					@click=${() => project.show(project.kind, project.item)}>${
					t('app.retry')}</button></p>` : this.#page()}
			</div></div>`;
	}

	/** The search in it: on a phone it is on the overview alone. */
	#findView()
	{
		return html`<lamp-find .api=${this.api} project=${this.#project.id}
			label=${t('find.here')}></lamp-find>`;
	}

	#found = ({ detail: { item } }) => {
		location.hash = entityHash(item.kind, item.id, this.#project.id);
	};

	#tabs()
	{
		const { id, draft: { form }, forms, kind } = this.#project;
		const tabs = [['', t('project.overview')], ...forms.map((one) =>
			[shortName(one), placeTitle(placeOf(one), one)])];

		return html`<nav class="tabs" aria-label=${t('project.pages')}><ul>${tabs.map(
			([key, text]) => html`<li><a class="tab" href=${placeHash(form.name, id, key)}
			aria-current=${(kind === EDIT ? '' : kind) === key ? 'page' : nothing}>${text}</a></li>`)}
			</ul></nav>`;
	}

	#page()
	{
		const { kind, item, draft } = this.#project;
		const form = this.#project.formOf(kind);

		if (!draft.record)
			return this.#waiting();
		if (kind === EDIT)
			return this.#editView();
		if (!kind)
			return this.#overview();
		if (!form)
			return html`${this.#head()}<p class="rows-none">${t('place.none')}</p>`;
		return item ? this.#itemView(form) : this.#listView(form);
	}

	#waiting()
	{
		return html`${this.#head()}<p><span class="skeleton"></span><span class="skeleton"></span></p>`;
	}

	/**
	 * The line with the title of a page.
	 * @param {object} at
	 * @param {string} [at.up] where the arrow before it leads
	 * @param {string} [at.upTitle]
	 * @param {unknown} [at.actions]
	 */
	#head({ up = '', upTitle = '', actions = nothing } = {})
	{
		return html`<div class="page-head">
			${up ? html`<a class="icon-button" href=${up} aria-label=${upTitle} title=${upTitle}>${
				icon('back')}</a>` : nothing}
			<h2 tabindex="-1" dir="auto">${this.#title}</h2>${actions}</div>`;
	}

	/** A chat about the project, or about what is shown of it. */
	#askButton(name, focusId = undefined)
	{
		return html`<button type="button" class="button button-small ask-about"
			title=${t('project.askTitle', { name })} @click=${() => this.emit('lamp-ask', {
				place: { projectId: this.#project.id, focusId, name } })}>${icon('question')}<span>${
				t('project.ask')}</span></button>`;
	}

	/* -- the overview ------------------------------------------------------ */

	#overview()
	{
		const project = this.#project;
		const { id, draft: { form, record }, canEdit } = project;

		return html`${this.#head({ actions: html`${this.#askButton(this.#name)}${canEdit ?
			html`<a class="button button-small" aria-label=${t('project.edit')}
				href=${placeHash(form.name, id, EDIT)}>${
				icon('pencil')}<span>${t('project.editShort')}</span></a>` : nothing}` })}
			<div class="page-find">${this.#findView()}</div>
			<div class="overview"><div class="overview-main">
				${record.description ? html`<p class="overview-text" dir="auto">${
					record.description}</p>` : html`<p class="muted">${t('project.noText')}</p>`}
				${this.#counts()}
			</div><div class="overview-side">
				<dl class="told facts">${['stateKey', 'typeKey', 'startDate', 'dueDate'].map((key) =>
					this.#fact(form.fields.find((field) => field.key === key)))}${
					[...form.fields, ...leftOver(form, record)].filter(({ key }) =>
						valueAt(record, key) !== undefined && key.startsWith('props.')).map((field) =>
						this.#fact(field))}</dl>
				${project.members ? html`<lamp-members .places=${this.places} .project=${project}
					.confirm=${this.confirm}></lamp-members>` : nothing}
				${this.#files()}
			</div>${this.#next()}${this.#activity()}</div>`;
	}

	/** The project as a file. */
	#files()
	{
		const link = (format, text) => html`<li><a class="button button-small" download
			href=${this.api.projectFile(this.#project.id, format)}>${icon('download')}${
			t(text)}</a></li>`;

		return html`<section class="project-files" aria-labelledby="files-title">
			<h3 id="files-title">${t('project.files')}</h3><ul>${
				link('markdown', 'project.asMarkdown')}${link('json', 'project.asJson')}</ul></section>`;
	}

	/** What happened here, the newest first. */
	#activity()
	{
		const { activity, deleted } = this.#project;

		return html`${this.#changes(activity, 'recent', 'project.recent')}${
			this.#changes(deleted, 'deleted', 'bin.title')}`;
	}

	/** Changes, and a way to take each back. */
	#changes(rows, id, title)
	{
		const project = this.#project;

		if (!rows?.items.length)
			return nothing;
		return html`<section class="recent" aria-labelledby="${id}-title">
			<h3 id="${id}-title">${t(title)}</h3>
			<lamp-effects ?canUndo=${project.canEdit} .effects=${rows.items.map((row) => ({
				changeId: row.id, action: row.verb, entityType: row.kind, entityId: row.rowId,
				projectId: project.id, title: row.title, by: row.changedBy, at: row.createdAt,
				agent: row.turnId !== null, undoes: row.undoes !== null,
				final: !row.canUndo }))}></lamp-effects>
			${rows.nextCursor === null ? nothing : html`<button type="button"
				class="button button-small" @click=${() => rows.more()}>${
				t('project.recentMore')}</button>`}</section>`;
	}

	#fact(field)
	{
		const value = valueAt(this.#project.draft.record, field.key);

		return html`<div><dt>${field.label}</dt><dd>${toldView(field, value, this.places)}</dd></div>`;
	}

	#counts()
	{
		const { id, draft, forms, counts } = this.#project;
		const many = (n) => (n === null ? t('project.many') : n?.toLocaleString() ?? '\u00a0');

		return html`<ul class="counts">${forms.map((form) => html`<li><a class="count"
			href=${placeHash(draft.form.name, id, shortName(form))}>${icon(placeOf(form).icon)}
			<span class="count-name">${placeTitle(placeOf(form), form)}</span>
			<b class="count-number">${many(counts[shortName(form)])}</b></a></li>`)}</ul>`;
	}

	#next()
	{
		const project = this.#project;

		if (!project.next?.length)
			return nothing;
		return html`<section class="next"><h3>${t('project.next')}</h3>
			<ul class="rows">${project.next.map(({ kind, row }) => {
				const form = project.formOf(kind);

				return html`<li><a class="rows-link item-link"
					href=${itemHash(project, form, row.id)}>
					<span class="rows-name">${icon(placeOf(form).icon)}<span dir="auto">${
						rowName(form, row)}</span></span>
					<span class="marks">${dueView(form, row)}</span></a></li>`;
			})}</ul></section>`;
	}

	#editView()
	{
		const project = this.#project;
		const { id, draft } = project;
		const back = placeHash(draft.form.name, id);

		return html`${this.#head({ up: back, upTitle: t('project.toOverview') })}
			<lamp-form class="item-form" .draft=${draft} .places=${this.places}
				@lamp-saved=${() => this.emit('lamp-say', { text: t('form.saved',
					{ name: rowName(draft.form, draft.record) }) })}
				.actions=${project.isOwner ? html`<button type="button" class="button form-delete"
					@click=${() => this.#delete(draft, placeHash(draft.form.name))}>${
					t('form.remove')}</button>` : undefined}></lamp-form>`;
	}

	/* -- the kinds ----------------------------------------------------------- */

	#listView(form)
	{
		const project = this.#project;
		const view = project.viewOf(form);

		return html`${this.#head({ actions: html`${form.canWrite ? this.#newButton(form) : nothing}${
			filtersView(project, form)}` })}
			${view === 'month' ? html`<lamp-month .api=${this.api} .stamp=${project.stamp}
				?canWrite=${form.canWrite}
				.path=${`projects/${encodeURIComponent(project.id)}/calendar`}
				.href=${(item) => itemHash(project, form, item.eventId)}></lamp-month>` :
				view === 'tree' ? html`<lamp-tree .project=${project} .form=${form}
				.none=${this.#none(form)}></lamp-tree>` : view === 'board' ? html`<lamp-board .project=${project} .form=${form}
				.none=${this.#none(form)}></lamp-board>` : html`<lamp-items
				.project=${project} .form=${form} .none=${this.#none(form)}></lamp-items>`}`;
	}

	#newButton(form)
	{
		return html`<a class="button button-small button-main new-item"
			href=${itemHash(this.#project, form, 'new')}
			aria-label=${t('form.newOf', { what: form.what })}>${icon('plus')}<span>${
			t('place.new')}</span></a>`;
	}

	#none(form)
	{
		const text = placeText('none', placeOf(form));

		return html`<div class="rows-none muted"><p>${has(text) ? t(text) :
			t('place.noneOf', { what: form.what })}</p></div>`;
	}

	#itemView(form)
	{
		const project = this.#project;
		const { id, draft: { form: { name } }, itemDraft: draft } = project;
		const kind = shortName(form);
		const list = placeHash(name, id, kind);
		const head = this.#head({ up: list, upTitle: t('project.toList',
			{ kind: placeTitle(placeOf(form), form) }),
		actions: draft?.record && !draft.isNew ?
			this.#askButton(rowName(form, draft.record), draft.id) : nothing });

		if (!draft)
			return this.#waiting();
		if (draft.isNew && !form.canWrite)
			return html`${head}<p class="rows-none">${t('place.mayNot', { what: form.what })}</p>`;
		if (draft.loadError)
			return html`${head}<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(draft.loadError)}</span><button type="button" class="chip-button"
				@click=${() => draft.load()}>${t('app.retry')}</button></p>`;
		if (!draft.ready)
			return html`${head}<p><span class="skeleton"></span><span class="skeleton"></span></p>`;
		return html`${head}${this.#pathView(form, draft)}
			<lamp-form class="item-form" .draft=${draft} .places=${this.places}
				@lamp-saved=${this.#saved}
				.actions=${!draft.isNew && draft.canEdit ? html`<button type="button"
					class="button form-delete" @click=${() => this.#delete(draft, list)}>${
					t('form.remove')}</button>` : undefined}></lamp-form>
			${draft.isNew || !project.edges ? nothing : html`<lamp-links .api=${this.api}
				.project=${project} of=${draft.id} name=${rowName(form, draft.record)}
				.stamp=${project.stamp}></lamp-links>`}
			${draft.isNew ? nothing : this.places.children(form.name).map((child) => html`
				<lamp-children .api=${this.api} .places=${this.places} .form=${child}
					.parent=${draft} .confirm=${this.confirm}
					@lamp-restored=${this.#restored}></lamp-children>`)}`;
	}

	/** Of a document that is under others: the way to it. */
	#pathView(form, draft)
	{
		const project = this.#project;
		const path = kindOf(form).view === 'tree' ? pathTo(project.tree.root, draft.id) : [];

		return path.length === 0 ? nothing : html`<nav class="crumbs" aria-label=${t('tree.path')}>
			<ol>${path.map(({ id, title }) => html`<li><a dir="auto" href=${
				itemHash(project, form, id)}>${title}</a></li>`)}</ol></nav>`;
	}

	#saved = ({ detail: { draft, made } }) => {
		const project = this.#project;

		this.emit('lamp-say', { text: t(made ? 'form.made' : 'form.saved',
			{ name: rowName(draft.form, draft.record) }) });
		if (!made)
			return;
		becomePlace(project.draft.form.name, project.id, project.kind, draft.id);
		project.item = draft.id;
		this.requestUpdate();
		this.updateComplete.then(() => this.querySelector('h2').focus());
	};

	#restored = () => {
		this.emit('lamp-say', { text: t('form.restored') });
		this.querySelector('lamp-form').focusFirst();
	};

	/** @param hash where the page goes when it is deleted */
	async #delete(draft, hash)
	{
		const name = rowName(draft.form, draft.record);
		const text = placeText('gone', placeOf(draft.form));

		this.error = null;
		draft.held = true;
		try {
			if (!await this.confirm(t('form.removeTitle', { name }), t(has(text) ? text :
				'form.removeText', { what: draft.form.what, name }), t('form.remove')) ||
			    !await draft.remove())
				return;
		} catch (error) {
			this.error = error;
			return;
		} finally {
			draft.held = false;
		}
		this.emit('lamp-say', { text: t('form.removed', { name }) });
		location.hash = hash;
	}
}

customElements.define('lamp-project', LampProject);
