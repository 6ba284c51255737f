// SPDX-License-Identifier: MIT
// <lamp-items>: the list of a kind of a project: rows, groups of rows, or a time line.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName, shown } from '../form.js';
import { dayText, excerpt, failureText } from '../format.js';
import { Watch } from '../observable.js';
import { cardBeside, groupsOf, isLate, isLimited, kindOf, riskGrid, shortName, timelineOf, today,
	toneOf } from '../projects.js';
import { placeHash } from '../route.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const fieldOf = (form, key) => form.fields.find((field) => field.key === key);

/** Values that say nothing without the name of their field. */
const NAMED = ['likelihood', 'impact'];

/** A short fact about a row, by a value of its field. */
export function markView(field, value)
{
	return value === null || value === undefined || value === '' ? nothing : html`<span
		class="mark ${toneOf(value)}"><span class=${NAMED.includes(field.key) ? '' : 'sr-only'}>${
		field.label}: </span>${shown(field, value)}</span>`;
}

/** Its day, and whether that is over. */
export function dueView(form, row)
{
	const kind = kindOf(form);
	const late = isLate(kind, row);

	return row[kind.due] ? html`<time class="mark ${late ? 'danger' : 'plain'}"
		datetime=${row[kind.due]}>${t(late ? 'project.lateOn' : 'project.dueOn',
		{ day: dayText(row[kind.due]) })}</time>` : nothing;
}

/** What a row shows beside its title. */
export function marksView(form, row)
{
	return html`<span class="marks">${kindOf(form).marks.map((key) =>
		markView(fieldOf(form, key), row[key]))}${dueView(form, row)}${
		row.owner ? html`<span class="mark plain" dir="auto">${row.owner}</span>` : nothing}${
		kindOf(form).dated ? html`<time class="mark plain" datetime=${row.updatedAt}>${
			dayText(today(new Date(row.updatedAt)))}</time>` : nothing}</span>`;
}

/** The address of an item. */
export function itemHash(project, form, id)
{
	return placeHash(project.draft.form.name, project.id, shortName(form), id);
}

/** The values of a field that a list can be limited to. */
const choicesOf = (field) => field.choices || ['true', 'false'].map((value) =>
	({ value, label: shown(field, value === 'true') }));

/** The choices above a list. */
export function filtersView(project, form)
{
	const kind = shortName(form);
	const chosen = project.choices[kind] || {};

	return html`<div class="filters" role="group" aria-label=${t('project.filters')}>${
		kindOf(form).filters.map((key) => fieldOf(form, key)).filter(Boolean).map((field) => html`
			<label class="select select-quiet"><span class="sr-only">${field.label}</span>
				<select @change=${(event) => project.choose(kind, field.key, event.target.value)}>
					<option value="" ?selected=${!chosen[field.key]}>${
						t('project.any', { label: field.label })}</option>
					${choicesOf(field).map(({ value, label }) => html`<option value=${value}
						?selected=${chosen[field.key] === value}>${label}</option>`)}
				</select>${icon('chevron')}</label>`)}</div>`;
}

/** What is of one kind in a project. */
export class ProjectList extends PageElement {
	static properties = {
		project: { attribute: false },
		form: { attribute: false },
		/** the text of an empty list, and what can be done about it */
		none: { attribute: false },
	};

	constructor()
	{
		super();
		/** @type {import('../store/project.js').Project} */
		this.project = undefined;
		/** @type {import('../form.js').Form} */
		this.form = undefined;
		/** @type {unknown} */
		this.none = undefined;
	}
}

class LampItems extends ProjectList {
	constructor()
	{
		super();
		new Watch(this, () => this.project);
		new Watch(this, () => this.#rows);
	}

	get #rows()
	{
		return this.project.list(this.form);
	}

	render()
	{
		const { form } = this;
		const rows = this.#rows;
		const views = { groups: () => this.#groups(rows.items),
			timeline: () => this.#timeline(rows.items) };

		return html`
			${rows.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(rows.error)}</span>
				<button type="button" class="chip-button" @click=${() => this.project.reload()}>${
				t('app.retry')}</button></p>` : nothing}
			${!rows.loaded && !rows.error ? html`<p><span class="sr-only">${t('app.loading')}</span>
				<span class="skeleton"></span><span class="skeleton"></span></p>` : nothing}
			${kindOf(form).grid ? this.#grid(riskGrid(form, rows.items)) : nothing}
			${(views[kindOf(form).view] || (() => this.#list(rows.items)))()}
			${rows.loaded && rows.items.length === 0 && !rows.loading ? isLimited(this.project, form) ?
				html`<p class="rows-none muted">${t('project.noneFit')}</p>` : this.none : nothing}
			${rows.nextCursor && !rows.loading ? html`<button type="button" class="chip-button more"
				@click=${() => rows.more()}>${t('rows.more')}</button>` : nothing}`;
	}

	#list(items)
	{
		return html`<ul class="rows">${repeat(items, ({ id }) => id, (row) => this.#row(row))}</ul>`;
	}

	#row(row)
	{
		const { form } = this;

		return html`<li><a class="rows-link item-link" href=${itemHash(this.project, form, row.id)}>
			<span class="rows-name" dir="auto">${rowName(form, row)}</span>
			${marksView(form, row)}
			${row.description ? html`<span class="rows-second" dir="auto">${
				excerpt(row.description)}</span>` : nothing}</a></li>`;
	}

	#groups(items)
	{
		const { form } = this;
		const priority = fieldOf(form, 'priority');
		const label = (key) => (priority ? shown(priority, key) :
			t(key ? `value.${key}` : 'project.unassessed'));

		return groupsOf(form, items).map((group) => html`<section class="group">
			<h3>${label(group.key)} <span class="muted">${group.items.length}</span></h3>
			${this.#list(group.items)}</section>`);
	}

	/** A table, in which the arrow keys lead from risk to risk. */
	#grid(grid)
	{
		const { form } = this;

		if (!grid)
			return nothing;
		const columns = grid.impacts.map((_, i) =>
			grid.rows.flatMap(({ cells }) => cells[i].items.map(({ id }) => id)));

		return html`<table class="risk-grid"
			@keydown=${(event) => this.#step(event, columns)}>
			<caption class="sr-only">${t('risk.grid')}</caption>
			<thead><tr><td></td>${grid.impacts.map(({ label }) => html`<th scope="col">${
				t('risk.impact', { label })}</th>`)}</tr></thead>
			<tbody>${grid.rows.map(({ label, cells }) => html`<tr>
				<th scope="row">${t('risk.likelihood', { label })}</th>
				${cells.map(({ severity, items }) => html`<td class="risk-${severity}">
					<span class="sr-only">${t(`value.${severity}`)}</span>${items.length === 0 ?
					nothing : html`<ul>${repeat(items, ({ id }) => id, (row) => html`<li><a
						data-id=${row.id} dir="auto" href=${itemHash(this.project, form, row.id)}>${
						rowName(form, row)}</a></li>`)}</ul>`}</td>`)}</tr>`)}</tbody></table>`;
	}

	#step(event, columns)
	{
		const { key, target } = event;
		const next = target.dataset.id && key.startsWith('Arrow') ?
			cardBeside(columns, target.dataset.id, key) : '';

		if (!next)
			return;
		event.preventDefault();
		/** @type {HTMLElement} */ (this.querySelector(`[data-id="${next}"]`)).focus();
	}

	#timeline(items)
	{
		return html`<div class="timeline">${timelineOf(kindOf(this.form), items).map(
			({ month, items: rows, now }) => html`<section class="group">
				<h3>${month ? new Date(`${month}-01T00:00`).toLocaleDateString(locale(),
					{ month: 'long', year: 'numeric' }) : t('project.undated')}</h3>
				<ol class="line">${rows.map((row, i) => html`${i === now ? this.#now() : nothing}
					${this.#stop(row)}`)}
					${now === rows.length ? this.#now() : nothing}</ol></section>`)}</div>`;
	}

	#now()
	{
		return html`<li class="line-now">${t('group.today')}</li>`;
	}

	#stop(row)
	{
		const { form } = this;
		const { closed } = kindOf(form);
		const late = isLate(kindOf(form), row);

		return html`<li class="line-stop ${late ? 'late' : closed.includes(row.stateKey) ? 'over' : ''}">
			<a class="rows-link item-link" href=${itemHash(this.project, form, row.id)}>
				<span class="rows-name" dir="auto">${rowName(form, row)}</span>
				<span class="marks">${dueView(form, row)}${
					markView(fieldOf(form, 'stateKey'), row.stateKey)}</span>
				${row.description ? html`<span class="rows-second" dir="auto">${
					excerpt(row.description)}</span>` : nothing}</a></li>`;
	}
}

customElements.define('lamp-items', LampItems);
