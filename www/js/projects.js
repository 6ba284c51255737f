// SPDX-License-Identifier: MIT
// What the page knows of the kinds of a project besides their forms: which list they
// have, in which order, and what it is limited by. Independent of DOM and HTTP.

/**
 * @typedef {object} Kind a row of KINDS
 * @property {string} form    its name in GET /forms
 * @property {'rows' | 'tree' | 'board' | 'timeline' | 'groups' | 'month'} view
 * @property {string} order   of the list
 * @property {string[]} filters fields that the list can be limited by
 * @property {string} due     the field with the day that counts; '': none
 * @property {string[]} marks fields that a row shows beside its title
 * @property {boolean} [dated] it also shows when it was changed
 * @property {boolean} [grid]  above its list is a grid by likelihood and impact
 */

/** @type {Kind[]} */
export const KINDS = [
	{ form: 'projects/documents', view: 'tree', order: '-updated',
		filters: ['stateKey', 'typeKey'], due: '',
		marks: ['typeKey', 'stateKey'], dated: true },
	{ form: 'projects/tasks', view: 'board', order: 'dueDate', filters: ['priority', 'typeKey'],
		due: 'dueDate', marks: ['priority'] },
	{ form: 'projects/goals', view: 'rows', order: 'targetDate', filters: ['stateKey', 'typeKey'],
		due: 'targetDate', marks: ['typeKey', 'stateKey'] },
	{ form: 'projects/plans', view: 'rows', order: 'targetDate', filters: ['stateKey', 'typeKey'],
		due: 'targetDate', marks: ['typeKey', 'stateKey'] },
	{ form: 'projects/milestones', view: 'timeline', order: 'dueDate', filters: ['stateKey'],
		due: 'dueDate', marks: ['stateKey'] },
	{ form: 'projects/events', view: 'month', order: 'startsAt', filters: [],
		due: '', marks: ['typeKey', 'stateKey'] },
	{ form: 'projects/risks', view: 'groups', order: '-updated',
		filters: ['stateKey', 'likelihood', 'impact'], due: '',
		marks: ['likelihood', 'impact', 'stateKey'], grid: true },
	{ form: 'projects/requirements', view: 'groups', order: '-updated',
		filters: ['stateKey', 'priority'], due: '',
		marks: ['typeKey', 'stateKey'] },
];

/** Of a form without a row above. @type {Omit<Kind, 'form'>} */
const PLAIN = { view: 'rows', order: '', filters: [], due: '', marks: ['stateKey'] };

/** Most filters by fields that the installation declares: each takes room above the list. */
const DECLARED = 6;

/** The fields of these that a list is limited by, by keys. */
function declaredFilters(form)
{
	return (form.fields || []).filter(({ key, type, choices }) => key.startsWith('props.') &&
		(choices || type === 'boolean')).slice(0, DECLARED).map(({ key }) => key);
}

/**
 * What is known of a form.
 * @returns {Kind & {closed: string[]}} closed: states in which nothing is left to do
 */
export function kindOf(form)
{
	const kind = { ...PLAIN, form: form.name,
		...KINDS.find((one) => one.form === form.name) };

	return { ...kind, filters: [...kind.filters, ...declaredFilters(form)],
		closed: statesOf(form).filter(({ closed }) => closed).map(({ value }) => value) };
}

/** How a value looks: 'strong' and 'danger'; of most there is nothing to say. */
const TONES = { active: 'strong', in_progress: 'strong', review: 'strong', accepted: 'strong',
	blocked: 'danger', missed: 'danger', occurred: 'danger', urgent: 'danger',
	critical: 'danger' };

export function toneOf(value)
{
	return TONES[value] || '';
}

/** The last part of a form's name: in addresses, and in paths of the API. */
export function shortName(form)
{
	return form.name.split('/').at(-1);
}

/** The path of a list below a project, which has a query. */
export function listPath(form, project, query = {})
{
	const path = form.path.replace('{parent}', encodeURIComponent(project));
	const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value));

	return asked.size > 0 ? `${path}?${asked}` : path;
}

/** Whether the list of a project's kind is limited. */
export function isLimited(project, form)
{
	return Object.values(project.choices[shortName(form)] || {}).some(Boolean);
}

/** Today, here, as the API writes days. */
export function today(now = new Date())
{
	const two = (n) => String(n).padStart(2, '0');

	return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** Whether its day is over, and something is left to do. */
export function isLate(kind, row, day = today())
{
	return Boolean(kind.due && row[kind.due] && row[kind.due] < day &&
		!kind.closed.includes(row.stateKey));
}

/**
 * The states of a form, in their order; closed: nothing is left to do.
 * @returns {{value: string, label: string, closed?: boolean}[]}
 */
export function statesOf(form)
{
	return form.fields?.find(({ key }) => key === 'stateKey')?.choices || [];
}

/** The state that many steps from another one, or '' at an end. */
export function stateBeside(form, state, step)
{
	const states = statesOf(form).map(({ value }) => value);

	return states[states.indexOf(state) + step] ?? '';
}

/**
 * How grave a risk is, of 'critical', 'high', 'medium', 'low', or '' if nobody has said.
 * What is unlikely is a step less grave, what is likely a step more.
 */
export function severity({ likelihood, impact })
{
	const levels = ['low', 'medium', 'high', 'critical'];
	const at = levels.indexOf(impact);
	const more = { low: -1, high: 1 }[likelihood] ?? 0;

	return at < 0 ? '' : levels[Math.min(Math.max(at + more, 0), levels.length - 1)];
}

/**
 * The groups of a list, those without a row left out: risks by severity, what has
 * a priority by that. @returns {{key: string, items: object[]}[]} key '': without one
 */
export function groupsOf(form, items)
{
	const priority = form.fields.find(({ key }) => key === 'priority');
	const keys = priority ? priority.choices.map(({ value }) => value) :
		['critical', 'high', 'medium', 'low'];
	const keyOf = (row) => (priority ? row.priority || '' : severity(row));

	return [...keys, ''].map((key) => ({ key, items: items.filter((row) => keyOf(row) === key) }))
		.filter((group) => group.items.length > 0);
}

/**
 * Risks that are not over, by likelihood (a row each, the highest first) and impact (the
 * lowest first). What nobody has assessed is in no cell; without a risk in one it is null.
 * @returns {{impacts: any[], rows: {value: string, label: string, cells: {severity: string,
 *           items: any[]}[]}[]} | null}
 */
export function riskGrid(form, items)
{
	const choices = (key) => form.fields.find((field) => field.key === key)?.choices || [];
	const impacts = choices('impact');
	const { closed } = kindOf(form);
	const rows = [...choices('likelihood')].reverse().map(({ value, label }) => ({ value, label,
		cells: impacts.map((impact) => ({
			severity: severity({ likelihood: value, impact: impact.value }),
			items: items.filter((row) => row.likelihood === value &&
				row.impact === impact.value && !closed.includes(row.stateKey)) })) }));

	return rows.some(({ cells }) => cells.some((cell) => cell.items.length > 0)) ?
		{ impacts, rows } : null;
}

/**
 * A time line: the months in their order, at last what has no day. now: what stands
 * before it is over, in the month that has today, or before the first one after it; of
 * no other month it is null.
 * @returns {{month: string, items: any[], now: number | null}[]} month: "2027-01" or ''
 */
export function timelineOf(kind, items, day = today())
{
	const dated = items.filter((row) => row[kind.due])
		.sort((a, b) => (a[kind.due] < b[kind.due] ? -1 : Number(a[kind.due] > b[kind.due])));
	const months = [...new Set(dated.map((row) => row[kind.due].slice(0, 7)))]
		.map((month) => ({ month, now: /** @type {number | null} */ (null),
			items: dated.filter((row) => row[kind.due].startsWith(month)) }));
	const at = months.findIndex(({ month }) => month >= day.slice(0, 7));

	if (months[at]?.month === day.slice(0, 7))
		months[at].now = months[at].items.filter((row) => row[kind.due] < day).length;
	else if (at >= 0)
		months.splice(at, 0, { month: day.slice(0, 7), now: 0, items: [] });
	return [...months, { month: '', now: null, items: items.filter((row) => !row[kind.due]) }]
		.filter((group) => group.items.length > 0 || group.now !== null);
}

/**
 * Where an arrow key leads on a board: columns of ids. Beyond an end there is nothing;
 * empty columns are skipped. @returns the id, or ''
 */
export function cardBeside(columns, id, key)
{
	const column = columns.findIndex((ids) => ids.includes(id));
	const row = columns[column]?.indexOf(id) ?? -1;
	const step = { ArrowLeft: -1, ArrowRight: 1 }[key];

	if (row < 0)
		return '';
	if (step === undefined)
		return columns[column][row + (key === 'ArrowDown' ? 1 : -1)] ?? '';
	for (let at = column + step; columns[at]; at += step) {
		if (columns[at].length > 0)
			return columns[at][Math.min(row, columns[at].length - 1)];
	}
	return '';
}

/**
 * Joins two changes of one text, line by line. @param diff diffLines-like:
 * (a, b) => [{added, removed, value: lines}]
 * @returns the text with both, or null: both have changed the same lines
 */
export function joinTexts(base, mine, theirs, diff)
{
	const lines = (text) => text.split('\n');
	const from = lines(base);
	const [a, b] = [mine, theirs].map((text) => hunks(diff(from, lines(text))));
	const out = [];
	let at = 0;

	for (const hunk of [...a, ...b].sort((x, y) => x.at - y.at || x.gone - y.gone)) {
		const twin = a.some((one) => alike(one, hunk)) && b.some((one) => alike(one, hunk));

		// the same change twice counts once
		if (twin && b.includes(hunk))
			continue;
		if (hunk.at < at || (!twin && touches(hunk, a.includes(hunk) ? b : a)))
			return null;
		out.push(...from.slice(at, hunk.at), ...hunk.lines);
		at = hunk.at + hunk.gone;
	}
	return [...out, ...from.slice(at)].join('\n');
}

/** What a comparison replaces: {at, gone: a number of lines, lines: those instead}. */
function hunks(parts)
{
	const found = [];
	let at = 0;
	let open = null;

	for (const { added, removed, value } of parts) {
		if (!added && !removed) {
			at += value.length;
			open = null;
			continue;
		}
		if (!open) {
			open = { at, gone: 0, lines: [] };
			found.push(open);
		}
		if (added) {
			open.lines.push(...value);
		} else {
			open.gone += value.length;
			at += value.length;
		}
	}
	return found;
}

const alike = (x, y) => x.at === y.at && x.gone === y.gone &&
	x.lines.length === y.lines.length && x.lines.every((line, i) => line === y.lines[i]);

/** Whether a change is at the same lines as one of the others, or beside it. */
function touches(hunk, others)
{
	return others.some((other) => hunk.at <= other.at + other.gone &&
		other.at <= hunk.at + hunk.gone);
}
