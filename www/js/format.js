// SPDX-License-Identifier: MIT
// Dates, durations and errors as people read them.
import { toJson } from './exact.js';
import { has, locale, t } from './strings.js';

const DAY_MS = 24 * 3600 * 1000;
/** columns of a line of JSON that is not broken up */
const JSON_LINE = 72;
/** indentation of JSON that nobody reads, and that no stack holds */
const JSON_DEEP = 200;

/** "850 ms", "3.2 s", "2 min 5 s" */
export function duration(ms)
{
	if (ms < 1)
		return t('time.instant');
	if (ms < 1000)
		return t('time.ms', { n: Math.round(ms) });
	if (ms < 60000)
		return t('time.s', { n: (ms / 1000).toLocaleString(locale(), { maximumFractionDigits: 1 }) });
	return t('time.min', { min: Math.floor(ms / 60000), s: Math.round(ms % 60000 / 1000) });
}

/**
 * A tool's name for people: a text of ours for the tools that every
 * installation has, else its words ("files_searchAll" is "Files search all").
 */
export function toolName(name)
{
	if (has(`tool.name.${name}`))
		return t(`tool.name.${name}`);
	// the ontology of projects is no word for people
	const words = String(name ?? '').replace('_onto_', '_').replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[\s_-]+/)
		.filter(Boolean).map((word) => /^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase());
	const text = words.join(' ');

	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** True when the name for people is all that there is to say. */
export function saysAll(name)
{
	return toolName(name).toLowerCase() === name;
}

/** A moment, whole, for tooltips. */
export function moment(iso)
{
	const date = new Date(iso);

	return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(locale(),
		{ dateStyle: 'medium', timeStyle: 'short' });
}

/** A day ("2027-02-26"), without its year if that is this one. */
export function dayText(day, now = new Date())
{
	return dayOf(`${day}T00:00`, now);
}

/** The day of a moment, in the same way; '' of none. */
export function dayOf(iso, now = new Date())
{
	const date = new Date(iso);

	return Number.isNaN(date.getTime()) ? '' : date.toLocaleDateString(locale(), {
		day: 'numeric', month: 'short', ...date.getFullYear() !== now.getFullYear() && { year: 'numeric' } });
}

/** The heading for a moment in the conversation list. */
export function dayGroup(iso, now = new Date())
{
	const date = new Date(iso);
	const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
	const age = today.getTime() - date.getTime();

	if (Number.isNaN(age) || age <= 0)
		return t('group.today');
	if (age <= DAY_MS)
		return t('group.yesterday');
	if (age <= 7 * DAY_MS)
		return t('group.week');
	if (age <= 30 * DAY_MS)
		return t('group.month');
	return date.toLocaleDateString(locale(),
		date.getFullYear() === now.getFullYear() ?
			{ month: 'long' } : { month: 'long', year: 'numeric' });
}

/** The name of the greeting for an hour of the day. */
export function greeting(hour = new Date().getHours())
{
	if (hour < 5)
		return t('empty.night');
	if (hour < 12)
		return t('empty.morning');
	if (hour < 18)
		return t('empty.day');
	return t('empty.evening');
}

/** The text for people about an ApiError. */
export function errorText(error)
{
	const code = error?.code || 'internal';

	if (code === 'overloaded' && error.retryAfter)
		return t('error.overloadedAfter', { n: error.retryAfter });
	if (code === 'invalid_field' || code === 'unknown_field')
		return t('error.invalid_field', { detail: error.detail });
	if (has(`error.${code}`))
		return t(`error.${code}`);
	if (code.startsWith('upstream'))
		return t('error.upstream');
	return t('error.internal');
}

/**
 * What to tell about a failure that is of no field of a form and of no turn: the
 * server's own sentence.
 */
export function failureText(error)
{
	return error.status && error.status !== 401 && error.detail || errorText(error);
}

/** Title and page of a source, as far as they are known here. */
export function sourceName({ title = '', page = 0, gone = false })
{
	if (gone)
		return t('source.gone');
	return [title || t('source.one'), page ? t('source.page', { page }) : '']
		.filter(Boolean).join(' · ');
}

/** JSON for reading: what fits into a line stays on one. */
export function prettyJson(value, indent = '')
{
	if (value === null || typeof value !== 'object')
		return toJson(value);
	if (indent.length > JSON_DEEP)
		return '…';
	const inner = `${indent}  `;
	const list = Array.isArray(value);
	const parts = list ? value.map((item) => prettyJson(item, inner)) :
		Object.entries(value).map(([key, item]) =>
			`${JSON.stringify(key)}: ${prettyJson(item, inner)}`);
	const line = parts.join(', ');
	const [open, close] = list ? '[]' : '{}';

	if (parts.length === 0)
		return open + close;
	if (!line.includes('\n') && indent.length + line.length <= JSON_LINE)
		return list ? `[${line}]` : `{ ${line} }`;
	return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** The words of a text without the marks of Markdown. */
export function plainText(text)
{
	return text
		// fences; rules, and what is below the head of a table
		.replace(/^[ \t]*(?:```|~~~).*$/gm, '').replace(/^[ \t]*[|:]?[ \t]*-{2,}[-:| \t]*$/gm, '')
		.replace(/^(?:[ \t]*(?:#{1,6}|>|[-*+]|\[[ xX]\])[ \t]+)+/gm, '')
		.replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
		.replace(/^[ \t]*\||\|[ \t]*$/gm, '').replace(/[ \t]*\|[ \t]*/g, ', ')
		// not in a name_of_something
		.replace(/[*`~]+|_+(?![\p{L}\p{N}_])/gu, '').replace(/(^|[^\p{L}\p{N}_])_+/gu, '$1')
		.replace(/\s+/g, ' ').trim();
}

/** The first words of a text, for announcements. */
export function excerpt(text, chars = 160)
{
	// more than the marks of an answer
	const plain = plainText(text.slice(0, 16 * chars));

	if (plain.length <= chars)
		return plain;
	return `${plain.slice(0, chars).replace(/\s+\S*$/, '')}…`;
}
