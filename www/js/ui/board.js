// SPDX-License-Identifier: MIT
// <lamp-board>: the tasks of a project by state; on a phone, one list below the other. The
// state of a card is changed by its select, by Shift and an arrow key, or by dragging.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName, withStored } from '../form.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { cardBeside, isLimited, shortName, stateBeside, statesOf } from '../projects.js';
import { t } from '../strings.js';
import { icon } from './icons.js';
import { itemHash, marksView, ProjectList } from './items.js';

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

class LampBoard extends ProjectList {
	static properties = {
		...ProjectList.properties,
		/** why the last move or addition failed */
		problem: { state: true },
		/** the state above which a card is dragged */
		over: { state: true },
		adding: { state: true },
	};

	/** @type {Map<object, () => void>} the lists, and what ends the watch */
	#watched = new Map();
	#dragged = null;

	constructor()
	{
		super();
		this.problem = '';
		this.over = '';
		this.adding = false;
		new Watch(this, () => this.project);
	}

	willUpdate(changes)
	{
		if (changes.has('project'))
			this.problem = '';
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#watch([]);
	}

	#watch(lists)
	{
		for (const [rows, end] of this.#watched) {
			if (!lists.includes(rows)) {
				end();
				this.#watched.delete(rows);
			}
		}
		for (const rows of lists) {
			if (!this.#watched.has(rows))
				this.#watched.set(rows, rows.watch(() => this.requestUpdate()));
		}
	}

	render()
	{
		const { project, form } = this;
		const columns = project.columns(form);
		const lists = columns.map(({ rows }) => rows);
		const failed = lists.find(({ error }) => error);
		const known = lists.every((rows) => rows.loaded || rows.error);
		const empty = lists.every((rows) => rows.loaded && rows.items.length === 0 && !rows.loading);

		this.#watch(lists);
		return html`
			${failed ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(failed.error)}</span><button type="button" class="chip-button"
				@click=${() => project.reload()}>${t('app.retry')}</button></p>` : nothing}
			${this.problem ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				this.problem}</span></p>` : nothing}
			${form.canWrite ? this.#addView() : nothing}
			${known ? empty ? this.#noneView() : this.#columnsView(columns) : html`<p>
				<span class="sr-only">${t('app.loading')}</span><span class="skeleton"></span>
				<span class="skeleton"></span></p>`}`;
	}

	#noneView()
	{
		return isLimited(this.project, this.form) ? html`<p class="rows-none muted">${
			t('project.noneFit')}</p>` : this.none;
	}

	#columnsView(columns)
	{
		return html`${this.form.canWrite ? html`<p class="muted board-keys" id="board-keys">${
			t('board.keys')}</p>` : nothing}
			<div class="board" @keydown=${this.#onKey}>${columns.filter(({ value, rows }) =>
				value !== '' || rows.items.length > 0).map((column) => this.#column(column))}</div>`;
	}

	/** A task by its title alone. */
	#addView()
	{
		return html`<form class="quick-add" @submit=${this.#add}>
			<input class="field-line" name="title" maxlength="200" autocomplete="off"
				aria-label=${t('board.add')} placeholder=${t('board.add')}>
			<button type="submit" class="button" ?disabled=${this.adding}>${t('form.add')}</button>
		</form>`;
	}

	#add = async (event) => {
		const input = event.target.elements.title;
		const draft = this.project.draftOf(shortName(this.form), '');

		event.preventDefault();
		if (this.adding || !input.value.trim())
			return;
		draft.set('title', input.value);
		this.problem = '';
		this.adding = true;
		if (await draft.save()) {
			input.value = '';
			this.emit('lamp-say', { text: t('form.added', { name: rowName(this.form, draft.record) }) });
			this.project.reload();
		} else {
			this.problem = draft.error ? failureText(draft.error) :
				Object.values(draft.errors).join(' ');
		}
		this.adding = false;
	};

	#column({ value, label, rows })
	{
		const drops = this.form.canWrite && value !== '';

		return html`<section class="column ${this.over === value ? 'over' : ''} ${
			rows.loaded && rows.items.length === 0 ? 'bare' : ''}" aria-labelledby="column-${value}"
			@dragover=${drops ? (event) => this.#onOver(event, value) : nothing}
			@dragleave=${drops ? (event) => this.#onLeave(event) : nothing}
			@drop=${drops ? (event) => this.#onDrop(event, value) : nothing}>
			<h3 id="column-${value}">${label} <span class="muted">${
				rows.loaded ? rows.total ?? rows.items.length : ''}</span></h3>
			<ul class="cards">${repeat(rows.items, ({ id }) => id, (row) => this.#card(row))}</ul>
			${rows.nextCursor ? html`<button type="button" class="chip-button more"
				@click=${() => rows.more()}>${t('rows.more')}</button>` : nothing}
		</section>`;
	}

	#card(row)
	{
		const { form } = this;
		const name = rowName(form, row);

		return html`<li class="task" draggable=${form.canWrite ? 'true' : 'false'}
			@dragstart=${(event) => this.#onDrag(event, row)}
			@dragend=${() => { this.#dragged = null; this.over = ''; }}>
			<a class="task-link" data-id=${row.id} draggable="false" dir="auto"
				aria-describedby=${form.canWrite ? 'board-keys' : nothing}
				href=${itemHash(this.project, form, row.id)}>${name}</a>
			${marksView(form, row)}
			${form.canWrite ? html`<label class="select select-quiet"><span class="sr-only">${
				t('board.stateOf', { name })}</span>
				<select @change=${(event) => this.#move(row, event.target.value, 'select')}>
					${withStored(statesOf(form), row.stateKey).map(({ value, label }) => html`
						<option value=${value} ?selected=${value === row.stateKey}>${label}</option>`)}
				</select>${icon('chevron')}</label>` : nothing}
		</li>`;
	}

	/** @param control what gets the focus in the card's new place: a selector */
	async #move(row, state, control)
	{
		const name = rowName(this.form, row);
		const label = (value) => statesOf(this.form).find((one) => one.value === value)?.label ?? value;

		if (!state || state === row.stateKey)
			return;
		this.problem = '';
		const moved = this.project.move(row, state);

		await this.updateComplete;
		this.#focus(row.id, control);
		const { error, state: now } = await moved;

		if (now === state)
			this.emit('lamp-say', { text: t('board.moved', { name, state: label(now) }) });
		else
			this.problem = error ? failureText(error) :
				t('board.faster', { name, state: label(now) });
	}

	#focus(id, control)
	{
		this.querySelector(`[data-id="${id}"]`)?.closest('li').querySelector(control)?.focus();
	}

	#onKey = (event) => {
		const { id } = event.target.dataset;
		const columns = this.project.columns(this.form).map(({ rows }) => rows.items);

		if (!id || !ARROWS.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey)
			return;
		event.preventDefault();
		if (!event.shiftKey) {
			this.#focus(cardBeside(columns.map((items) => items.map((row) => row.id)), id, event.key),
				'.task-link');
			return;
		}
		const row = columns.flat().find((one) => one.id === id);
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (step && this.form.canWrite)
			this.#move(row, stateBeside(this.form, row.stateKey, step), '.task-link');
	};

	#onDrag(event, row)
	{
		this.#dragged = row;
		event.dataTransfer.effectAllowed = 'move';
		event.dataTransfer.setData('text/plain', rowName(this.form, row));
	}

	#onOver(event, state)
	{
		if (!this.#dragged)
			return;
		event.preventDefault();
		this.over = state;
	}

	#onLeave(event)
	{
		if (!event.currentTarget.contains(event.relatedTarget))
			this.over = '';
	}

	#onDrop(event, state)
	{
		const row = this.#dragged;

		this.over = '';
		if (!row)
			return;
		event.preventDefault();
		this.#dragged = null;
		this.#move(row, state, '.task-link');
	}
}

customElements.define('lamp-board', LampBoard);
