// SPDX-License-Identifier: MIT
// <lamp-rows>: the list of a place. It loads pages as its end becomes visible;
// an ordinary row is a link with its name; other lists are drawn by ui/gallery.js
// and ui/projects.js.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName, secondField } from '../form.js';
import { failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { agentsView, categoryRows, galleryView, userRows } from './gallery.js';
import { icon } from './icons.js';
import { projectsView } from './projects.js';
import { ratedView } from './rated.js';
import { publicLinksView, sharesView } from './public-links.js';
import { rememberedView } from './remembered.js';

/** Lists other than the ordinary one, by the name in the route table. */
const VIEWS = { agents: agentsView, gallery: galleryView, links: publicLinksView,
	projects: projectsView, rated: ratedView, remembered: rememberedView,
	shares: sharesView };

/** What the search of a list is called, if that is of its own. */
const SEARCHED = { agents: 'agents.search', gallery: 'prompts.search' };

class LampRows extends PageElement {
	static properties = {
		places: { attribute: false },
		form: { attribute: false },
		rows: { attribute: false },
		view: { type: String },
		/** the text of an empty list, and what can be done about it */
		none: { attribute: false },
		/** of the route table: the key of a boolean that is shown */
		mark: { type: String },
		/** of a gallery: the current selection */
		choice: { state: true },
	};

	#seeEnd = null;
	#told = '';

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('../form.js').Form} */
		this.form = undefined;
		/** @type {import('../store/rows.js').Rows} */
		this.rows = undefined;
		this.view = '';
		/** @type {unknown} */
		this.none = undefined;
		this.mark = '';
		this.choice = {};
		this.categories = null;
		this.users = null;
		new Watch(this, () => this.users);
		new Watch(this, () => this.rows);
		new Watch(this, () => this.categories);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#seeEnd = new IntersectionObserver((seen) => {
			if (seen.some((entry) => entry.isIntersecting))
				this.rows.more();
		}, { rootMargin: '300px' });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#seeEnd.disconnect();
	}

	willUpdate(changes)
	{
		if (changes.has('form'))
			this.choice = {};
		if (changes.has('view')) {
			this.categories = this.view === 'gallery' ? categoryRows(this.places) : null;
			this.users = userRows(this.places, this.view);
		}
	}

	updated()
	{
		const end = this.querySelector('.rows-end');

		this.#seeEnd.disconnect();
		if (end && !this.rows.loading && !this.rows.error)
			this.#seeEnd.observe(end);
		this.#tellFound();
	}

	/** Announces what a search has found. */
	#tellFound()
	{
		const { q, found, items, nextCursor, loading } = this.rows;

		// what is shown may still be what was found before
		if (loading || q === this.#told || q.trim() && found !== q.trim())
			return;
		this.#told = q;
		// a gallery says so by itself
		if (q && !SEARCHED[this.view])
			this.emit('lamp-say', { text: t(nextCursor === null ? 'rows.found' :
				'rows.foundMany', { n: items.length }) });
	}

	render()
	{
		const { rows, form } = this;
		const view = VIEWS[this.view];

		return html`
			${form.search && this.view !== 'projects' ? this.#search() : nothing}
			${view ? view(this) : html`<ul class="rows">${repeat(rows.items,
				(row) => row[form.idKey], (row) => this.#row(row))}</ul>`}
			${this.#foot()}`;
	}

	/** By words and parts of words, wherever they are. */
	#search()
	{
		const { rows } = this;
		const what = SEARCHED[this.view];

		return html`<div class="search rows-search" role="search"
			aria-label=${t(what || 'rows.search')}>${icon('search')}
			<input type="search" class="search-field" .value=${rows.q}
				placeholder=${t(what || 'rows.searchHow')} aria-label=${t(what || 'rows.search')}
				autocomplete="off" spellcheck="false" maxlength="200"
				@input=${(event) => rows.search(event.target.value)}></div>`;
	}

	#row(row)
	{
		const { form } = this;
		const second = secondField(form, row);
		const time = row.updatedAt ? moment(row.updatedAt) : '';
		const mark = row[this.mark] === true &&
			form.fields.find(({ key }) => key === this.mark);

		return html`<li><a class="rows-link"
			href=${placeHash(form.name, row[form.idKey])}>
			<span class="rows-name">${rowName(form, row)}${mark ? html` <span
				class="rows-mark">${mark.label}</span>` : nothing}</span>
			${second ? html`<span class="rows-second" dir="auto">${row[second.key]}</span>` : nothing}
			${time ? html`<span class="rows-time">${time}</span>` : nothing}
		</a></li>`;
	}

	#foot()
	{
		const { rows } = this;

		if (rows.error)
			return html`<p class="form-error" role="alert">${icon('warning')}
				<span>${failureText(rows.error)}</span>
				<button type="button" class="chip-button" @click=${() =>
					rows.items.length ? rows.more() : rows.reload()}>${t('app.retry')}</button></p>`;
		if (!rows.loaded)
			return html`<p><span class="sr-only">${t('app.loading')}</span>
				<span class="skeleton"></span><span class="skeleton"></span></p>`;
		if (rows.items.length === 0 && !rows.loading)
			return rows.q.trim() ? html`<p class="rows-none muted">${
				t('rows.none', { q: rows.q.trim() })}</p>` : this.none;
		return rows.nextCursor === null ? nothing : html`<p class="rows-end">
			<span class="sr-only">${t('list.more')}</span>
			<span class="skeleton"></span></p>`;
	}
}

customElements.define('lamp-rows', LampRows);
