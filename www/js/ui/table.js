// SPDX-License-Identifier: MIT
// <lamp-table>: a result as a table to sort, copy and download, or as a chart.
import { html, nothing } from '../../vendor/lit.js';
import { copyText, save } from '../clipboard.js';
import { locale, t } from '../strings.js';
import { cellText, chartOf, isNumeric, sorted, toCsv, toTsv } from '../table.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './chart.js';

const ROWS_SHOWN = 50;
/** A longer text in a cell is cut until it is opened. */
const CELL_CHARS = 200;

class LampTable extends PageElement {
	static properties = {
		/** as asTable() makes it */
		table: { attribute: false },
		name: { type: String },
		/** {at, down}, or null: the original order */
		by: { state: true },
		all: { state: true },
		drawn: { state: true },
		copied: { state: true },
	};

	#timer = null;

	constructor()
	{
		super();
		/** @type {import('../table.js').Table} */
		this.table = undefined;
		this.name = '';
	}

	render()
	{
		const { table } = this;
		const rows = this.by ? sorted(table, this.by, locale()) : table.rows;
		const chart = chartOf(table, rows);

		if (rows.length === 0)
			return html`<p class="muted">${t('tool.empty')}</p>`;
		return html`
			${this.#bar(rows, chart)}
			${this.drawn && chart ? html`<lamp-chart .chart=${chart} name=${this.name}
				></lamp-chart>` : this.#table(rows)}`;
	}

	#bar(rows, chart)
	{
		const view = (drawn, drawing, text) => html`<button type="button"
			class="view-button" aria-pressed=${Boolean(this.drawn) === drawn}
			@click=${() => { this.drawn = drawn; }}>${icon(drawing)}<span>${text}</span></button>`;

		return html`<div class="table-bar">
			${chart ? html`<div class="views" role="group" aria-label=${t('table.view')}>
				${view(false, 'table', t('table.asTable'))}
				${view(true, 'chart', t('table.asChart'))}</div>` : nothing}
			<button type="button" class="icon-button" aria-label=${t('table.copy')}
				title=${this.copied ? t('message.copied') : t('table.copy')}
				@click=${() => this.#copy(rows)}>${icon(this.copied ? 'check' : 'copy')}</button>
			<button type="button" class="icon-button" aria-label=${t('table.download')}
				title=${t('table.download')}
				@click=${() => this.#download(rows)}>${icon('download')}</button>
		</div>`;
	}

	#table(rows)
	{
		const { table, all } = this;
		const numeric = table.columns.map((_, at) => isNumeric(table, at));
		const shown = all ? rows : rows.slice(0, ROWS_SHOWN);

		return html`
			<div class="table-scroll" tabindex="0" role="group"
				aria-label=${t('tool.table', { name: this.name })}>
				<table>
					<thead><tr>${table.columns.map(({ name }, at) =>
						this.#head(name, at, numeric[at]))}</tr></thead>
					<tbody>${shown.map((row) => html`<tr>${table.columns.map((_, at) => html`
						<td class=${numeric[at] ? 'number' : ''} dir="auto">${
							cell(cellText(row[at]))}</td>`)}</tr>`)}</tbody>
				</table>
			</div>
			<p class="muted tool-count">${table.total !== null && table.total > rows.length ?
				t('tool.rowsOf', { n: rows.length, total: table.total }) :
				t('tool.rows', { n: rows.length })}
				${shown.length < rows.length ? html`
					<button type="button" class="link-button"
						@click=${() => { this.all = true; }}>
						${t('tool.showAll', { n: rows.length })}</button>` : nothing}
			</p>`;
	}

	#head(name, at, number)
	{
		const mine = this.by?.at === at;
		const order = !mine ? 'none' : this.by.down ? 'descending' : 'ascending';

		return html`<th scope="col" class=${number ? 'number' : ''} aria-sort=${order}>
			<button type="button" class="sort" title=${t('table.sortBy', { name })}
				@click=${() => this.#sort(at)}>${name}<span class="sort-mark"
					aria-hidden="true">${mine ? this.by.down ? '▾' : '▴' : ''}</span></button>
		</th>`;
	}

	/** Ascending, descending, original. */
	#sort(at)
	{
		const mine = this.by?.at === at;

		this.by = mine && this.by.down ? null : { at, down: mine };
	}

	async #copy(rows)
	{
		const done = await copyText(toTsv(this.table, rows));

		this.emit('lamp-say', {
			text: done ? t('message.copied') : t('message.copyFailed') });
		this.copied = done;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => { this.copied = false; }, 1800);
	}

	#download(rows)
	{
		save({ name: `${this.name.replace(/[^\p{L}\p{N}_-]+/gu, '-') || 'table'}.csv`,
			type: 'text/csv', text: toCsv(this.table, rows) });
	}
}

/** The text of a cell; a long one shows its beginning until it is opened. */
function cell(text)
{
	if (text === '')
		return html`<span class="null">–</span>`;
	if (text.length <= CELL_CHARS)
		return text;
	return html`<details class="cell"><summary><span class="cell-begin">${
		text.slice(0, CELL_CHARS)}…</span><span class="cell-less">${t('message.showLess')}</span></summary>${
		text}</details>`;
}

customElements.define('lamp-table', LampTable);
