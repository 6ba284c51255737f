// SPDX-License-Identifier: MIT
// Results of tools as tables: which ones are tables, sorting, text for other
// programs, and what a chart can show. Their content is untrusted: of any
// shape.
import { toJson } from './exact.js';

const NUMBER_TYPE = /^(integer|decimal|float|double|number)/;
const DATE_TYPE = /^(date|time)/;
/** A chart of more rows is not readable. */
export const CHART_ROWS = 60;
const CHART_SERIES = 4;

/**
 * @typedef {object} Table
 * @property {{name: string, type?: string}[]} columns
 * @property {unknown[][]} rows
 * @property {number | null} total
 * @property {boolean} truncated
 *
 * @typedef {object} ChartData
 * @property {'bar' | 'line'} kind
 * @property {string} label
 * @property {string[]} labels
 * @property {{name: string, values: (number | null)[]}[]} series
 * @property {number} left rows that are not drawn
 */

/**
 * A result as a table, or null.
 * @returns {Table | null}
 */
export function asTable(result)
{
	if (result === null || typeof result !== 'object')
		return null;
	if (Array.isArray(result.columns) && Array.isArray(result.rows)) {
		const columns = result.columns.map((column) => isObject(column) ?
			{ name: cellText(column.name), type: cellText(column.type) } :
			{ name: cellText(column) });
		const rows = result.rows.map((row) => Array.isArray(row) ? row :
			columns.map((column) => row?.[column.name]));

		return { columns, rows, total: Number.isFinite(result.totalCount) ? result.totalCount : null,
			truncated: Boolean(result.truncated) };
	}
	const list = listIn(result);

	if (!list || list.length === 0 || !list.every(isObject))
		return null;
	const names = [...new Set(list.flatMap((item) => Object.keys(item)))];

	return {
		columns: names.map((name) => ({ name })),
		rows: list.map((item) => names.map((name) => item[name])),
		total: null, truncated: false,
	};
}

/** The list that a result is, or has as its only list; null without one. */
export function listIn(result)
{
	if (Array.isArray(result))
		return result;
	const lists = Object.values(result).filter(Array.isArray);

	return lists.length === 1 ? lists[0] : null;
}

function isObject(item)
{
	return item !== null && typeof item === 'object' && !Array.isArray(item);
}

function isEmpty(value)
{
	return value === null || value === undefined || value === '';
}

/** A value as one line of text, '' for none. */
export function cellText(value)
{
	if (isEmpty(value))
		return '';
	if (Array.isArray(value))
		return value.map((item) => oneText(item?.name ?? item)).join(', ');
	return oneText(value);
}

/** Never by an object's own toString, which is untrusted, too. */
function oneText(value)
{
	return typeof value === 'object' ? toJson(value) : String(value);
}

/** True when all values of a column are numbers, and there is one. */
export function isNumeric({ columns, rows }, at)
{
	const values = rows.map((row) => row[at]).filter((value) => !isEmpty(value));

	return values.length > 0 && values.every((value) => ['number', 'bigint'].includes(typeof value) ||
		(typeof value !== 'object' && NUMBER_TYPE.test(columns[at].type || '') &&
			Number.isFinite(Number(value))));
}

/**
 * The rows in the order of a column; empty ones last, equal ones as they were.
 * @param {Table} table
 * @param {{at: number, down: boolean}} by
 * @param {string} locale
 */
export function sorted(table, { at, down }, locale)
{
	const numeric = isNumeric(table, at);
	const texts = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
	const compare = (a, b) => numeric ? Number(a) - Number(b) :
		texts.compare(cellText(a), cellText(b));

	return [...table.rows].sort(({ [at]: a }, { [at]: b }) => {
		if (isEmpty(a) || isEmpty(b))
			return Number(isEmpty(a)) - Number(isEmpty(b));
		return down ? compare(b, a) : compare(a, b);
	});
}

/** The table as lines of cells, for the clipboard. */
export function toTsv({ columns }, rows)
{
	return [columns.map(({ name }) => name), ...rows].map((row) =>
		row.map((value) => cellText(value).replace(/[\t\r\n]+/g, ' ')).join('\t'))
		.join('\n');
}

/**
 * The table as CSV (RFC 4180), with the mark by which spreadsheets recognise
 * UTF-8.
 */
export function toCsv({ columns }, rows)
{
	return `\ufeff${[columns.map(({ name }) => name), ...rows].map((row) =>
		row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

/** One cell. A text that a spreadsheet would run as a formula is quoted. */
function csvCell(value)
{
	let text = cellText(value);

	if (!['number', 'bigint'].includes(typeof value) && /^[=+\-@\t\r]/.test(text) &&
	    !/^[+-]?[\d.,]+$/.test(text))
		text = `'${text}`;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * What of a table can be drawn, or null: its first text column along the axis,
 * its number columns as series; lines if the axis is time.
 * @param {Table} table
 * @returns {ChartData | null}
 */
export function chartOf(table, rows = table.rows)
{
	const all = table.columns.map((_, at) => at);
	const numeric = all.filter((at) => isNumeric(table, at));
	const axis = all.find((at) => !numeric.includes(at)) ?? -1;
	// an id is a number that is meaningless as a height
	const series = numeric.filter((at) => !/(^|_|\b)id$/i.test(table.columns[at].name));
	const drawn = rows.slice(0, CHART_ROWS);

	if (axis < 0 || series.length === 0 || rows.length < 2)
		return null;
	const time = DATE_TYPE.test(table.columns[axis].type || '') ||
		drawn.every((row) => /^\d{4}-\d{2}/.test(cellText(row[axis])));

	return {
		kind: time ? 'line' : 'bar',
		label: table.columns[axis].name,
		labels: drawn.map((row) => cellText(row[axis])),
		series: series.slice(0, CHART_SERIES).map((at) => ({
			name: table.columns[at].name,
			values: drawn.map((row) => isEmpty(row[at]) ? null : Number(row[at])),
		})),
		left: rows.length - drawn.length,
	};
}
