// <lamp-tool>: one tool call, collapsed. Opened it shows the arguments and
// the result: a table where it has columns and rows or is a list of alike
// objects, else formatted JSON or the plain text.
import { html, nothing } from '../../vendor/lit.js';
import { duration, prettyJson } from '../format.js';
import { highlight } from '../markdown.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const ROWS_SHOWN = 50;
const JSON_SHOWN = 20000;

/**
 * What a result looks like as a table, or null.
 * @returns {columns: [{name, type}], rows: [[]], total, truncated}
 */
export function asTable(result)
{
	if (result === null || typeof result !== 'object')
		return null;
	if (Array.isArray(result.columns) && Array.isArray(result.rows)) {
		const columns = result.columns.map((column) =>
			typeof column === 'string' ? { name: column } : column);
		const rows = result.rows.map((row) => Array.isArray(row) ? row :
			columns.map((column) => row?.[column.name]));

		return { columns, rows, total: result.totalCount ?? null,
			truncated: Boolean(result.truncated) };
	}
	const list = listIn(result);

	if (!list || list.length === 0 || !list.every(isFlat))
		return null;
	const names = [...new Set(list.flatMap((item) => Object.keys(item)))];

	return {
		columns: names.map((name) => ({ name })),
		rows: list.map((item) => names.map((name) => item[name])),
		total: null, truncated: false,
	};
}

/** The list a result is, or has as its only list; null without one. */
export function listIn(result)
{
	if (Array.isArray(result))
		return result;
	const lists = Object.values(result).filter(Array.isArray);

	return lists.length === 1 ? lists[0] : null;
}

/** An object of which at least the short form of each member fits a cell. */
function isFlat(item)
{
	return item !== null && typeof item === 'object' && !Array.isArray(item);
}

/** A value as the text of a table cell. */
function cell(value)
{
	if (value === null || value === undefined)
		return html`<span class="null">–</span>`;
	if (Array.isArray(value)) {
		return value.map((item) => item !== null && typeof item === 'object' ?
			item.name ?? JSON.stringify(item) : String(item)).join(', ');
	}
	if (typeof value === 'object')
		return JSON.stringify(value);
	return String(value);
}

function isNumber(column, value)
{
	return typeof value === 'number' ||
		/^(integer|decimal|float|double|number)/.test(column.type || '');
}

class LampTool extends PageElement {
	static properties = {
		part: { attribute: false },
		// a part is changed in place; this makes lit look again
		version: { type: Number },
		all: { state: true },
		opened: { state: true },
	};

	render()
	{
		const part = this.part;
		const state = part.running ? 'running' : part.isError ? 'failed' :
			part.result === undefined ? 'stopped' : 'done';

		return html`<details class="tool tool-${state}"
			@toggle=${(event) => { this.opened = event.target.open; }}>
			<summary>
				<span class="tool-state">${state === 'running' ?
					html`<span class="spinner" aria-hidden="true"></span>` :
					icon(state === 'done' ? 'check' :
						state === 'failed' ? 'warning' : 'stop')}</span>
				<span class="tool-name">${part.name}</span>
				<span class="tool-gist">${this.#gist()}</span>
				<span class="sr-only">${t(`tool.${state}`)}</span>
				${Number.isFinite(part.durationMs) ?
					html`<span class="tool-time">${duration(part.durationMs)}</span>` :
					nothing}
				<span class="tool-chevron">${icon('chevron')}</span>
			</summary>
			${this.opened ? this.#body() : nothing}
		</details>`;
	}

	/** The few words beside the name. */
	#gist()
	{
		const { args, result, isError, running } = this.part;
		const words = [];
		const subject = args?.dataset ?? Object.values(args || {})
			.find((value) => typeof value === 'string');

		if (subject)
			words.push(subject.length > 60 ? `${subject.slice(0, 60)}…` : subject);
		if (!running && !isError && result !== null && typeof result === 'object') {
			const table = asTable(result);
			const n = result.rowCount ?? table?.rows.length;

			if (Array.isArray(result.rows) && n !== undefined)
				words.push(t('tool.rows', { n }));
			else if (listIn(result))
				words.push(t('tool.items', { n: listIn(result).length }));
		}
		return words.join(' · ');
	}

	#body()
	{
		const { args, result, truncated } = this.part;
		const none = !args || Object.keys(args).length === 0;

		return html`<div class="tool-body">
			<h4>${t('tool.args')}</h4>
			${none ? html`<p class="muted">${t('tool.noArgs')}</p>` : json(args)}
			${result === undefined ? nothing : html`
				<h4>${t('tool.result')}</h4>
				${this.#result(result)}
				${truncated || result?.truncated ?
					html`<p class="muted">${t('tool.truncated')}</p>` : nothing}`}
		</div>`;
	}

	#result(result)
	{
		const table = this.part.isError ? null : asTable(result);
		const failure = this.part.isError && result?.error?.message;

		if (table)
			return this.#table(table);
		if (failure || typeof result === 'string')
			return html`<p class="tool-text">${failure || result}</p>`;
		return json(result);
	}

	#table({ columns, rows, total })
	{
		const shown = this.all ? rows : rows.slice(0, ROWS_SHOWN);
		const label = t('tool.table', { name: this.part.args?.dataset || this.part.name });

		if (rows.length === 0)
			return html`<p class="muted">${t('tool.empty')}</p>`;
		return html`
			<div class="table-scroll" tabindex="0" role="region" aria-label=${label}>
				<table>
					<thead><tr>${columns.map((column) => html`
						<th scope="col" class=${isNumber(column, rows[0]?.[columns.indexOf(column)]) ?
							'number' : ''}>${column.name}</th>`)}</tr></thead>
					<tbody>${shown.map((row) => html`<tr>${columns.map((column, i) => html`
						<td class=${isNumber(column, row[i]) ? 'number' : ''}>${cell(row[i])}</td>`)}
					</tr>`)}</tbody>
				</table>
			</div>
			<p class="muted tool-count">${total !== null && total > rows.length ?
				t('tool.rowsOf', { n: rows.length, total }) :
				t('tool.rows', { n: rows.length })}
				${shown.length < rows.length ? html`
					<button type="button" class="link-button"
						@click=${() => { this.all = true; }}>
						${t('tool.showAll', { n: rows.length })}</button>` : nothing}
			</p>`;
	}
}

/** Formatted JSON with colours. */
function json(value)
{
	const text = prettyJson(value);
	const code = document.createElement('code');
	const short = text.length > JSON_SHOWN ? `${text.slice(0, JSON_SHOWN)}\n…` : text;

	code.textContent = short;
	highlight(code, 'json');
	return html`<pre class="tool-json" tabindex="0" role="region"
		aria-label=${t('code.region')}>${code}</pre>`;
}

customElements.define('lamp-tool', LampTool);
