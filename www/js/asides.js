// SPDX-License-Identifier: MIT
// What models write beside plain Markdown: footnotes, <details> with Markdown in it, and
// the boxes of task lists; as extensions of marked, and what is done to them afterwards.
import { breaksAt, escape } from './math.js';
import { t } from './strings.js';

/** <details> within each other; deeper ones are text */
const DEPTH = 8;

const DETAILS = /^ {0,3}<details(\s+open)?\s*>/i;
const SUMMARY = /^\s*<summary>([^]*?)<\/summary>[ \t]*\n?/i;
const NOTE = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n(?![ ]{0,3}\[\^)(?=[^\s])[^\n]+|\n+(?: {2,}|\t)[^\n]+)*)(?:\n+|$)/;

let depth = 0;
let growing = false;

/** Before a text is read. @param live more of it may come */
export function beginAsides(live = false)
{
	depth = 0;
	growing = live;
}


/** Where the details end that a text begins with, beside code: [begin, end) of the end tag. */
function detailsEnd(text)
{
	let fence = '';
	let open = 0;
	let at = 0;

	for (const line of text.split('\n')) {
		const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) || [];

		if (fence) {
			if (mark && line.trim().startsWith(fence))
				fence = '';
		} else if (mark) {
			fence = mark;
		} else {
			for (const tag of line.matchAll(/<(\/?)details(?:\s+open)?\s*>/gi)) {
				open += tag[1] ? -1 : 1;
				if (open === 0)
					return [at + tag.index, at + tag.index + tag[0].length];
			}
		}
		at += line.length + 1;
	}
	return null;
}

export const asides = [{
	name: 'details',
	level: 'block',
	start: (src) => breaksAt(src, /\n {0,3}<details/i),
	tokenizer(src)
	{
		const [head, opened] = DETAILS.exec(src) || [];
		const end = head && depth < DEPTH ? detailsEnd(src) : null;

		if (!head || depth >= DEPTH || (!end && !growing))
			return undefined;
		const inner = src.slice(head.length, end ? end[0] : src.length);
		const [title = '', text = ''] = SUMMARY.exec(inner) || [];
		const raw = end ? src.slice(0, end[1]) + (/^[ \t]*\n*/.exec(src.slice(end[1]))[0]) : src;
		const token = { type: 'details', raw, opened: Boolean(opened), title: [], tokens: [] };

		this.lexer.inline(text.trim() || t('details.title'), token.title);
		depth++;
		this.lexer.blockTokens(inner.slice(title.length), token.tokens);
		depth--;
		return token;
	},
	renderer({ opened, title, tokens })
	{
		return `<details${opened ? ' open' : ''}><summary>${this.parser.parseInline(title)
		}</summary>${this.parser.parse(tokens)}</details>\n`;
	},
}, {
	name: 'note',
	level: 'block',
	start: (src) => breaksAt(src, /\n {0,3}\[\^/),
	tokenizer(src)
	{
		const [raw, id, text] = NOTE.exec(src) || [];
		const token = { type: 'note', raw, id, tokens: [] };

		if (raw === undefined)
			return undefined;
		this.lexer.blockTokens(text.replace(/\n(?: {2,4}|\t)/g, '\n'), token.tokens);
		return token;
	},
	renderer({ id, tokens })
	{
		return `<div class="note-text" data-note="${escape(id)}">${this.parser.parse(tokens)}</div>\n`;
	},
}, {
	name: 'noteMark',
	level: 'inline',
	start: (src) => {
		const at = src.indexOf('[^');

		return at < 0 ? undefined : at;
	},
	tokenizer(src)
	{
		const [raw, id] = /^\[\^([^\]\s]{1,40})\]/.exec(src) || [];

		return raw === undefined ? undefined : { type: 'noteMark', raw, id };
	},
	renderer: ({ id }) => `<sup class="note-mark" data-note="${escape(id)}">${escape(id)}</sup>`,
}];

function button(className, text, label)
{
	const el = document.createElement('button');

	el.type = 'button';
	el.className = className;
	el.textContent = text;
	el.setAttribute('aria-label', label);
	return el;
}

/** Marks and texts of notes below an element get the buttons that lead to each other. */
export function dressAsides(root)
{
	for (const mark of root.querySelectorAll('sup.note-mark')) {
		const { note } = /** @type {HTMLElement} */ (mark).dataset;

		mark.replaceChildren(button('note-link', note, t('footnote.to', { id: note })));
	}
	for (const text of root.querySelectorAll('.note-text')) {
		const { note } = /** @type {HTMLElement} */ (text).dataset;

		text.prepend(button('note-back', note, t('footnote.back', { id: note })));
	}
	for (const box of root.querySelectorAll('span.tick')) {
		const item = box.closest('li');

		item?.classList.add('tick-item');
		box.setAttribute('role', 'img');
		box.setAttribute('aria-label', t(box.classList.contains('tick-done') ? 'task.done' :
			'task.open'));
	}
}

/** In a text that has ended, a mark that has no text is what it says. */
export function settleNotes(root)
{
	const known = new Set([...root.querySelectorAll('.note-text')]
		.map(({ dataset }) => dataset.note));

	for (const mark of root.querySelectorAll('sup.note-mark')) {
		if (!known.has(mark.dataset.note))
			mark.replaceWith(`[^${mark.dataset.note}]`);
	}
}

/** Follows a press on such a button. @returns whether it was one */
export function followNote(root, target)
{
	const link = target.closest('.note-link, .note-back');

	if (!link)
		return false;
	const { note } = link.closest('[data-note]').dataset;
	const there = link.classList.contains('note-link') ? '.note-text' : '.note-mark';
	const goal = [...root.querySelectorAll(there)].find(({ dataset }) => dataset.note === note);

	goal?.scrollIntoView({ block: 'nearest' });
	goal?.querySelector('button')?.focus({ preventScroll: true });
	return true;
}
