// SPDX-License-Identifier: MIT
// Blocks of code that are opened beside the chat, and which of them are versions of one
// another: a model that changes something writes it again.
const SHARED = 0.3;
const LINES = 2000;
const CSV_ROWS = 5000;

/**
 * @typedef {object} Block
 * @property {'html' | 'svg' | 'markdown' | 'csv' | 'mermaid'} kind
 * @property {string} name as the model has named it, or ''
 * @property {string} text
 */

/** What a block is called: its name, or the title in it; '' if it has none. */
export function titleOf({ kind, name, text })
{
	const [, title = ''] = (kind === 'markdown' ? /^ {0,3}#{1,6}[ \t]+(.+)$/m :
		/<title[^>]*>([^<]{1,200})<\/title>/i).exec(text.slice(0, 20000)) || [];

	return (name || title).replace(/\s+/g, ' ').trim().slice(0, 80);
}

function linesOf(text)
{
	return new Set(text.split('\n', LINES).map((line) => line.trim())
		.filter((line) => line.length > 2));
}

/** Whether one is a version of the other: of the same name, or with lines in common. */
function areVersions(a, b)
{
	if (a.kind !== b.kind || (a.name && b.name && a.name !== b.name))
		return false;
	if (a.name && a.name === b.name)
		return true;
	if (titleOf(a) && titleOf(a) === titleOf(b))
		return true;
	const [one, other] = [linesOf(a.text), linesOf(b.text)];
	const common = [...one].filter((line) => other.has(line)).length;

	return common > 0 && common >= SHARED * Math.min(one.size, other.size);
}

/**
 * The versions of the block at `at`, in the order of the thread: those before and behind it,
 * each a version of the nearest one.
 * @param {Block[]} blocks
 * @returns {number[]} their places
 */
export function versionsOf(blocks, at)
{
	const found = [at];

	for (let i = at - 1, next = at; i >= 0; i--) {
		if (areVersions(blocks[i], blocks[next])) {
			found.unshift(i);
			next = i;
		}
	}
	for (let i = at + 1, before = at; i < blocks.length; i++) {
		if (areVersions(blocks[i], blocks[before])) {
			found.push(i);
			before = i;
		}
	}
	return found;
}

/**
 * A CSV text (RFC 4180) as a table; the separator is the one of the first line.
 * @returns {import('./table.js').Table}
 */
export function tableOfCsv(text)
{
	const [head] = text.split('\n', 1);
	const separator = [',', ';', '\t', '|'].map((one) => [one, head.split(one).length])
		.reduce((best, one) => one[1] > best[1] ? one : best)[0];
	const rows = [[]];
	let cell = '', quoted = false;

	for (let i = 0; i < text.length && rows.length <= CSV_ROWS + 1; i++) {
		const c = text[i];

		if (quoted) {
			if (c !== '"')
				cell += c;
			else if (text[i + 1] === '"')
				cell += text[++i];
			else
				quoted = false;
		} else if (c === '"' && cell === '') {
			quoted = true;
		} else if (c === separator || c === '\n') {
			rows.at(-1).push(cell);
			cell = '';
			if (c === '\n')
				rows.push([]);
		} else if (c !== '\r') {
			cell += c;
		}
	}
	rows.at(-1).push(cell);
	const all = rows.filter((row) => row.length > 1 || row[0] !== '');
	const width = Math.max(1, ...all.slice(0, 100).map((row) => row.length));
	const [names = [], ...body] = all;

	return { columns: Array.from({ length: width }, (_, i) => ({ name: names[i] ?? '' })),
		rows: body.slice(0, CSV_ROWS).map((row) => row.map((one) =>
			/^-?\d{1,15}(?:\.\d+)?$/.test(one) ? Number(one) : one)),
		total: null, truncated: body.length > CSV_ROWS };
}
