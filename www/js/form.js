// SPDX-License-Identifier: MIT
// Converts between records and the values of a form of GET /forms: values are
// texts, lists of ids, or true, false and '', as controls have them.
// Independent of DOM and HTTP.
import { toJson } from './exact.js';
import { has, locale, t } from './strings.js';

/**
 * @typedef {object} Field of a form, as GET /forms describes it; begins is the page's
 * @property {string} key
 * @property {string} label
 * @property {string} type
 * @property {'edit' | 'once' | 'given'} mode
 * @property {boolean} [required]
 * @property {boolean} [nullable]
 * @property {{value: string, label: string, closed?: boolean}[]} [choices]
 * @property {{key: string, value: unknown}} [only]
 * @property {string} [help]
 * @property {unknown} [begins]
 * @property {string | null} [default] the choice that a new row has
 * @property {boolean} [markdown]
 * @property {string | null} [example]
 *
 * @typedef {Record<string, any>} Form with name, path, idKey, what, fields (Field[]),
 *          canWrite, groups ({heading, folded, fields: keys}[]), and parent, single, readOnly,
 *          adapt(record) of some
 */

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A value of a record: that of "props.effort" is in an object. */
export function valueAt(record, key)
{
	const [name, member] = key.split(/\.(.*)/s);

	return record?.[key] ?? (member === undefined ? undefined : record?.[name]?.[member]);
}

/** Choices, and a stored one that is none of them any more, by its value. */
export function withStored(choices, value)
{
	return !value || choices.some((one) => one.value === value) ? choices :
		[...choices, { value, label: value }];
}

/**
 * Fields of what is in a record's props and is no field of its form any more. These can
 * be read.
 * @returns {Field[]}
 */
export function leftOver(form, record)
{
	const types = { boolean: 'boolean', number: 'number', object: 'lines' };

	return Object.entries(record?.props ?? {})
		.filter(([key]) => !form.fields.some((field) => field.key === `props.${key}`))
		.map(([key, value]) => ({ key: `props.${key}`, label: key, mode: 'given',
			type: types[typeof value] || 'text' }));
}

/** Whether a field is for people: an id can be chosen from a list, but nobody types one. */
export function forPeople({ type, of, required })
{
	return type !== 'id' || Boolean(of) || required;
}

/** The fields that the form asks for; a text that is the row's body stands behind its name. */
export function asked(form, values, isNew)
{
	const fields = form.fields.filter((field) =>
		(field.mode === 'edit' || (isNew && field.mode === 'once')) && forPeople(field) &&
		(!field.only || values[field.only.key] === field.only.value));
	const rank = ({ key, markdown }) => (key === form.labelKey ? 0 : markdown ? 1 : 2);

	return fields.some(({ markdown }) => markdown) ?
		fields.sort((a, b) => rank(a) - rank(b)) : fields;
}

/**
 * Fields as a form shows them: {heading, folded, fields}[]; first, without a heading,
 * those in no group.
 */
export function grouped({ groups = [] }, fields)
{
	const within = groups.map(({ heading, folded, fields: keys }) => ({ heading, folded,
		fields: keys.flatMap((key) => fields.filter((field) => field.key === key)) }));
	const others = fields.filter((field) => !within.some((one) => one.fields.includes(field)));

	return [{ heading: '', folded: false, fields: others }, ...within]
		.filter((one) => one.fields.length > 0);
}

/**
 * What the server says of a field, in the words of the form: "toolIds[0]: there is no …"
 * names nothing that people have seen.
 */
export function inWords({ fields }, field, detail)
{
	const words = detail.replace(new RegExp(`^${field.key}(\\[\\d+\\])?: `), '');
	const named = fields.reduce((text, { key, label }) => (/[A-Z]/.test(key) || key === field.key ?
		text.replace(new RegExp(`(^|[^\\w“"])${key}(\\[\\d+\\])?(?![\\w”"])`, 'g'),
			(found, before) => `${before}${key === field.key ? label : `“${label}”`}`) : text), words);

	return named.charAt(0).toUpperCase() + named.slice(1);
}

/** The fields of a record that are only shown. */
export function told(form, record, isNew)
{
	return isNew ? [] : [...form.fields.filter((field) =>
		(field.mode === 'once' || field.mode === 'given') && forPeople(field) &&
		record[field.key] !== undefined && record[field.key] !== null), ...leftOver(form, record)];
}

/** The value of a control for a value of a record. */
function controlValue(field, stored)
{
	switch (field.type) {
	case 'ids':
	case 'tools':
		return stored || [];
	case 'boolean':
		return stored ?? (field.nullable ? '' : false);
	case 'lines':
		return (stored || []).join('\n');
	case 'time':
		return stored ? localTime(new Date(stored)) : '';
	case 'json':
		return stored === null || stored === undefined ? '' : toJson(stored, 2);
	case 'secret':
		return '';
	default:
		return stored === null || stored === undefined ? '' : String(stored);
	}
}

/** The initial values of the controls; record: null for a new row. */
export function valuesOf(form, record)
{
	const values = {};

	for (const field of form.fields) {
		values[field.key] = controlValue(field, valueAt(record, field.key));
		if (record)
			continue;
		// one that cannot be changed later is chosen at once
		if (field.mode === 'once' && field.choices?.length > 0)
			values[field.key] = field.choices[0].value;
		values[field.key] = field.begins ?? field.default ?? values[field.key];
	}
	return values;
}

/** The beginning of a day, here. */
function dayOf(text)
{
	return new Date(`${text}T00:00`);
}

/** For <input type="datetime-local">. */
export function localTime(date)
{
	const two = (n) => String(n).padStart(2, '0');

	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${
		two(date.getHours())}:${two(date.getMinutes())}`;
}

export function same(a, b)
{
	return Array.isArray(a) && Array.isArray(b) ?
		a.length === b.length && a.every((id) => b.includes(id)) : a === b;
}

/** The keys whose values differ from the record's. */
export function changedKeys(form, values, record)
{
	const before = valuesOf(form, record);

	return asked(form, values, !record).map(({ key }) => key)
		.filter((key) => !same(values[key], before[key]));
}

function linesOf(value)
{
	return value.split('\n').map((line) => line.trim()).filter(Boolean);
}

/** What is wrong with a value, as a sentence; '' if it can be sent. */
export function fieldError(field, value)
{
	const { label, min, max } = field;

	if (isList(field))
		return max !== null && value.length > max ? t('form.tooMany', { label, n: max }) : '';
	if (field.type === 'boolean')
		return '';
	if (value === null)
		return '';
	const text = field.multiline || field.type === 'secret' ? value : value.trim();

	if (text.trim() === '')
		return field.required && field.type !== 'secret' ? t('form.missing', { label }) : '';
	if (field.type === 'integer' || field.type === 'number')
		return numberError(field, text);
	if (['text', 'person', 'secret'].includes(field.type)) {
		const chars = [...text].length;

		if (max !== null && chars > max)
			return t('form.tooLong', { label, n: max });
		if (min !== null && chars < min)
			return t('form.tooShort', { label, n: min });
	}
	if (field.type === 'lines' && max !== null && linesOf(text).length > max)
		return t('form.tooManyLines', { label, n: max });
	if (field.type === 'time' && Number.isNaN(new Date(text).getTime()))
		return t('form.noTime', { label });
	if (field.type === 'date' && Number.isNaN(dayOf(text).getTime()))
		return t('form.noDate', { label });
	if (field.type === 'json') {
		try {
			JSON.parse(text);
		} catch (error) {
			return t('form.noJson', { label, error: error.message });
		}
	}
	return '';
}

function numberError({ label, type, min, max }, text)
{
	if (!(type === 'integer' ? INTEGER : NUMBER).test(text))
		return t(type === 'integer' ? 'form.noInteger' : 'form.noNumber', { label });
	const value = type === 'integer' ? BigInt(text) : Number(text);

	return min !== null && (value < min || value > max) ?
		t('form.outOfRange', { label, min, max }) : '';
}

/** Whether its control has several values. */
function isList({ type })
{
	return type === 'ids' || type === 'tools';
}

/** A value as the API has it. */
function sent(field, value)
{
	if (isList(field))
		return value.length === 0 && field.nullable ? null : value;
	if (typeof value === 'boolean' || value === null)
		return value;
	if (field.type === 'lines') {
		const lines = linesOf(value);

		return lines.length === 0 && field.nullable ? null : lines;
	}
	if (field.multiline)
		return value === '' && field.nullable ? null : value;
	const text = field.type === 'secret' ? value : value.trim();

	if (text === '')
		return field.nullable || field.type !== 'text' ? null : '';
	switch (field.type) {
	case 'integer':
		return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
	case 'number':
		return Number(text);
	case 'time':
		return new Date(text).toISOString();
	case 'json':
		return JSON.parse(text);
	default:
		return text;
	}
}

/** Puts a value into a body, where the key says. */
function put(body, key, value)
{
	const [name, member] = key.split(/\.(.*)/s);

	if (name === 'props' && member !== undefined)
		body[name] = { ...body[name], [member]: value };
	else
		body[key] = value;
}

/**
 * The body of a request: of a new row all that is filled in, of a change what is
 * another value now. @returns body, and errors: the texts by key
 */
export function bodyOf(form, values, record)
{
	const fields = asked(form, values, !record);
	const changed = changedKeys(form, values, record);
	const body = {};
	const errors = {};

	for (const field of fields) {
		const value = values[field.key];
		const error = !record || changed.includes(field.key) ? fieldError(field, value) : '';

		if (error)
			errors[field.key] = error;
		else if (record ? changed.includes(field.key) : !empty(value))
			put(body, field.key, sent(field, value));
	}
	return { body, errors };
}

/** Where the settings of a form are in the response of GET /settings. */
function saidAt({ level, group }, says)
{
	return level === 'team' ? says.team?.find((one) => one.group === group)?.value :
		says[level];
}

/** The settings by what they are about: key of the heading, and of theirs; others come first. */
const SETTING_GROUPS = [
	{ heading: 'settings.groupPage', keys: ['language', 'theme', 'density', 'send_key', 'speech'] },
	{ heading: 'settings.groupAnswers', keys: ['answer_language', 'time_zone', 'custom_context',
		'team_prompt', 'follow_ups', 'confirm'] },
	{ heading: 'settings.groupChats', keys: ['default_workspace', 'default_agent', 'web_search',
		'llm_service', 'llm_services', 'title_by_model', 'public_link_days'] },
	{ heading: 'settings.groupMemory', keys: ['personal_memory', 'personal_memory_allowed'] },
	{ heading: 'settings.groupExperts', folded: true, keys: ['history_messages', 'history_tokens',
		'rolling_summary', 'summary_turns', 'summary_characters', 'summary_service'] },
];

const SETTING_TYPES = { choice: 'text', choices: 'ids' };

/** The form of GET /settings at one level, and its record. */
export function settingsForm(answer)
{
	const items = answer.items.filter(({ editable }) => editable);
	const fields = items.map((item) => ({
		key: item.key, label: item.label, help: item.help, mode: 'edit',
		type: SETTING_TYPES[item.type] || item.type, required: false, nullable: true,
		min: item.minimum ?? null, max: item.maximum ?? item.maxLength ?? item.maxItems ?? null,
		multiline: Boolean(item.multiline), only: null, of: null,
		choices: item.choices ?? null,
		inForce: item.from === answer.level ? null : { value: item.value, from: item.from },
	}));

	const groups = SETTING_GROUPS.map(({ heading, folded = false, keys }) =>
		({ heading: t(heading), folded, fields: keys }));

	return { form: { ...SETTINGS, fields, groups }, record: Object.fromEntries(items.map(
		({ key, says }) => [key, saidAt(answer, says) ?? null])) };
}

/** The form of settings before they are loaded. */
export const SETTINGS = { name: 'settings', what: 'settings', single: true, canWrite: true,
	labelKey: '', idKey: '', fields: [], adapt: settingsForm };

/** The place of what is kept of the user, which has neither rows nor fields. */
export const MINE = { name: 'mine', what: '', canWrite: false, labelKey: '', idKey: '', fields: [] };

function empty(value)
{
	return value === '' || (Array.isArray(value) && value.length === 0);
}

/** A stored value for reading. @param names texts of ids, by id */
export function shown(field, stored, names = {})
{
	if (stored === null || stored === undefined || empty(stored))
		return t('form.none');
	const choice = field.choices?.find(({ value }) => value === stored);

	if (choice)
		return choice.label;
	// one that nobody can choose
	if (field.choices && has(`value.${stored}`))
		return t(`value.${stored}`);
	if (Array.isArray(stored))
		return stored.map((item) => names[item] || String(item)).join(', ');
	switch (field.type) {
	case 'boolean':
		return t(stored ? 'form.yes' : 'form.no');
	case 'time':
		return new Date(stored).toLocaleString(locale(),
			{ dateStyle: 'medium', timeStyle: 'short' });
	case 'date':
		return dayOf(stored).toLocaleDateString(locale(), { dateStyle: 'medium' });
	case 'integer':
		return stored.toLocaleString(locale());
	case 'json':
		return toJson(stored);
	default:
		return names[stored] || String(stored);
	}
}

/** The name of a row for people. */
export function rowName(form, record)
{
	const text = String(record?.[form.labelKey] ?? '').trim().split('\n')[0];

	return text || t('form.unnamed', { what: form.what });
}

/**
 * The text below the name in a list: the first one that people have written, and no id that
 * a program has given.
 */
export function secondField(form, record)
{
	return form.fields.find((field) => field.type === 'text' &&
		(form.readOnly || field.mode !== 'given') &&
		!field.choices && !field.of && field.key !== form.labelKey && !/Id$/.test(field.key) &&
		record[field.key]);
}

/** The path of a list, its {parameters} filled in. */
export function fillPath(path, values)
{
	return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

/**
 * The fields that somebody else has changed: {field, before, theirs, mine}; mine:
 * undefined if this form has not changed it.
 */
export function differences(form, { before, now, values })
{
	const mine = changedKeys(form, values, before);
	const then = valuesOf(form, before);
	const today = valuesOf(form, now);

	return form.fields.filter(({ key }) => !same(then[key], today[key]))
		.map((field) => ({ field, before: valueAt(before, field.key),
			theirs: valueAt(now, field.key),
			mine: mine.includes(field.key) ? values[field.key] : undefined }));
}
