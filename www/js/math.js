// SPDX-License-Identifier: MIT
// Formulas: which parts of a text are TeX, told from prices and code, and their drawing
// as MathML. KaTeX is loaded when the first formula is shown; until then, and where it
// fails, the source stays. A formula is not trusted: its length, its macros and the time
// for it are bounded, and what is made of it keeps a short list of tags and attributes.
import { DOMPurify } from '../vendor/markdown.js';
import { t } from './strings.js';

/** the longest source that is drawn; longer ones are text */
const TEX_CHARS = 4096;

/** of macros within macros; a formula that needs more is text */
const EXPANSIONS = 1000;

/**
 * The same for a formula with macros of its own, and how long it may be: each expansion
 * may copy all of it several times (of 4 KB, a thousand took 13 seconds).
 */
const OWN_MACROS = /\\(?:[egx]?def|let|futurelet|(?:re|provide)?newcommand|providecommand|global|long)(?![A-Za-z])/;
const OWN_EXPANSIONS = 100;
const OWN_CHARS = 400;

/** these write to the console */
const LOUD = /\\(?:show|message|errmessage)(?![A-Za-z])/;

/** for the formulas of one part of an answer; the rest of them stay source */
const DRAW_MS = 1000;

/** beginnings without an end that are looked at in one text */
const MISSES = 100;

/** formulas are drawn again while their paragraph grows */
const KEPT = 300;

/** @type {import('../vendor/markdown.js').Config & {RETURN_DOM_FRAGMENT: true}} */
const PURIFY = {
	ALLOWED_TAGS: ['math', 'semantics', 'annotation', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext',
		'mspace', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'merror', 'mpadded', 'mphantom',
		'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts',
		'mtable', 'mtr', 'mtd', 'mlabeledtr', 'menclose'],
	ALLOWED_ATTR: ['xmlns', 'display', 'encoding', 'mathvariant', 'mathcolor', 'mathbackground',
		'mathsize', 'stretchy', 'fence', 'separator', 'symmetric', 'minsize', 'maxsize',
		'lspace', 'rspace', 'accent', 'accentunder', 'linethickness', 'width', 'height',
		'depth', 'voffset', 'scriptlevel', 'displaystyle', 'columnalign', 'columnspacing',
		'columnlines', 'rowspacing', 'rowlines', 'rowalign', 'notation', 'side', 'movablelimits'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	RETURN_DOM_FRAGMENT: true,
};

const BLOCK = /^ {0,3}(\$\$|\\\[|\\begin\{((?:equation|align|alignat|gather|multline|eqnarray)\*?)\})/;
const BLOCK_BEGIN = /\n {0,3}(?:\$\$|\\\[|\\begin\{[a-z]+\*?\})/;
/** of scripts that have blanks between words */
const LETTER = /(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}]/u;

/** what a sum of money goes on with: 5 million and, 1,000 or */
const MONEY = /^[\d.,]+(?:\s|[kKmMbB]\b|[–—-])/;
const TEX_MARK = /[\\^_=+*/<>{}|&]/;

let misses = 0;
let growing = false;

/** Before a text is read. @param live more of it may come: a formula without an end is open */
export function beginMath(live = false)
{
	misses = 0;
	growing = live;
}

/** Where `mark` is next, beside what a backslash protects; -1: nowhere. */
function find(text, mark, from, upto = text.length)
{
	for (let at = from; at < upto; at++) {
		if (text.startsWith(mark, at))
			return at;
		if (text[at] === '\\')
			at++;
	}
	return -1;
}

/** with blanks at both ends, only what can be nothing else is a formula */
const SPACED = /^ (?![\d\s])[^\n]{0,200}[^\s] $/;
const CERTAIN = /[\\^]|\b[A-Za-z]_/;

/** $…$ as Pandoc has it, and a sum of money is none. @returns the length, or 0 */
function dollars(text, before)
{
	if (LETTER.test(before) || before === '$')
		return 0;
	const end = find(text, '$', 1, Math.min(text.length, TEX_CHARS));
	const tex = text.slice(1, Math.max(end, 1));

	const spaced = /^\s|\s$/.test(tex) && !(SPACED.test(tex) && CERTAIN.test(tex));

	if (end < 2 || spaced || LETTER.test(text[end + 1] || ' ') ||
	    /`|\n\s*\n/.test(tex) || (MONEY.test(tex) && !TEX_MARK.test(tex)))
		return 0;
	return end + 1;
}

/**
 * The formula that a text begins with, in a line.
 * @param before the character in front of it
 * @returns {{raw: string, tex: string, display: boolean} | null}
 */
function inlineFormula(text, before)
{
	const open = text.slice(0, 2);
	const close = { '$$': '$$', '\\(': '\\)', '\\[': '\\]' }[open];

	if (close && misses < MISSES) {
		const end = find(text, close, 2, Math.min(text.length, TEX_CHARS));
		const tex = text.slice(2, Math.max(end, 2));

		if (end > 2 && tex.trim() !== '' && !/\n\s*\n/.test(tex))
			return { raw: text.slice(0, end + 2), tex, display: open !== '\\(' };
		misses++;
	}
	const length = text[0] === '$' && !close ? dollars(text, before) : 0;

	return length === 0 ? null : { raw: text.slice(0, length), display: false,
		tex: text.slice(1, length - 1) };
}

/**
 * `masked` with the formulas of `text`, which is as long, made unknown: a * in them is
 * no mark of an emphasis.
 */
export function maskFormulas(text, masked)
{
	let out = masked;

	if (!text.includes('$') && !text.includes('\\(') && !text.includes('\\['))
		return masked;
	for (let at = 0; at < text.length; at++) {
		const found = '$\\'.includes(text[at]) && inlineFormula(text.slice(at), text[at - 1] || '');

		if (found) {
			out = out.slice(0, at) + 'a'.repeat(found.raw.length) +
				out.slice(at + found.raw.length);
			at += found.raw.length - 1;
		} else if (text[at] === '\\') {
			at++;
		} else if (text[at] === '`') {
			// code is masked already
			const ticks = /^`+/.exec(text.slice(at))[0];
			const end = text.indexOf(ticks, at + ticks.length);

			at = (end < 0 ? at : end) + ticks.length - 1;
		}
	}
	return out;
}

/** The formula that a block begins with. @returns {{raw, tex, open?: boolean} | null} */
function blockFormula(text)
{
	const [head, open, environment] = BLOCK.exec(text) || [];

	if (!head || misses >= MISSES)
		return null;
	const close = environment ? `\\end{${environment}}` : { '$$': '$$', '\\[': '\\]' }[open];
	const from = head.length;
	const end = find(text, close, from, Math.min(text.length, from + TEX_CHARS));
	const alone = /^[ \t]*(?:\n|$)/.test(text.slice(from));
	const tex = end < 0 ? text.slice(from) : text.slice(from, end);

	if (/^ {0,3}(?:```|~~~)/m.test(tex) || (!alone && /\n\s*\n/.test(tex)))
		return null;
	if (end < 0) {
		misses++;
		return growing && alone && text.length < TEX_CHARS ?
			{ raw: text, tex: '', open: true } : null;
	}
	// a full stop may follow, words make it a part of their paragraph
	const [rest] = /^[ \t]*[.,;:]?[ \t]*(?:\n+|$)/.exec(text.slice(end + close.length)) || [];

	if (rest === undefined || tex.trim() === '')
		return null;
	return { raw: text.slice(0, end + close.length + rest.length),
		tex: environment ? open + tex + close : tex };
}

/**
 * Where a paragraph ends because of what `pattern` (which begins with a line end) finds in
 * it: not behind the beginning of code, which ends it before.
 */
export function breaksAt(text, pattern)
{
	const at = text.search(pattern);
	const code = at < 0 ? -1 : text.search(/\n {0,3}(?:```|~~~)/);

	return at < 0 || (code >= 0 && code < at) ? undefined : at;
}

/** As text of HTML, also within a quoted attribute. */
export const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** The two kinds as extensions of marked. */
export const formulas = [{
	name: 'mathBlock',
	level: 'block',
	start: (src) => breaksAt(src, BLOCK_BEGIN),
	tokenizer(src)
	{
		const found = blockFormula(src);

		return found ? { type: 'mathBlock', ...found } : undefined;
	},
	renderer: ({ raw, open }) => `<p><span class="${open ? 'math-open' :
		'math math-display'}">${escape(raw.trim())}</span></p>\n`,
}, {
	name: 'math',
	level: 'inline',
	start: (src) => {
		const at = src.indexOf('$');

		return at < 0 ? undefined : at;
	},
	tokenizer(src, tokens)
	{
		if (src[0] !== '$' && !/^\\[([]/.test(src))
			return undefined;
		const found = inlineFormula(src, tokens.at(-1)?.raw.at(-1) || '');

		return found ? { type: 'math', ...found } : undefined;
	},
	renderer: ({ raw, display }) =>
		`<span class="math${display ? ' math-display' : ''}">${escape(raw)}</span>`,
}];

/** The source without what encloses it. */
function texOf(raw)
{
	const text = raw.trim();
	const [, display, line] = /^(?:(?:\$\$|\\\[)([^]*)(?:\$\$|\\\])[.,;:]?|(?:\$|\\\()([^]*)(?:\$|\\\)))$/
		.exec(text) || [];

	return display ?? line ?? text;
}

let katex = null;
let loading = null;
/** elements that wait for it */
const waiting = new Set();
/** source to MathML */
const drawn = new Map();

/** The formula as MathML, or '': not what KaTeX knows, or too much of it. */
function mathml(tex, display)
{
	const own = OWN_MACROS.test(tex);

	if (tex.length > (own ? OWN_CHARS : TEX_CHARS) || LOUD.test(tex))
		return '';
	try {
		return katex.renderToString(tex, { displayMode: display, output: 'mathml',
			throwOnError: true, trust: false, strict: 'ignore', maxSize: 20,
			maxExpand: own ? OWN_EXPANSIONS : EXPANSIONS })
			// parsing one would be a violation of the page's policy; all other quotes in
			// it are escaped
			.replace(/ style="[^"]*"/g, '');
	} catch {
		return '';
	}
}

/** What is wider than its place is scrolled from the keyboard, too. */
function reach(entries)
{
	for (const { target: el } of entries) {
		if (el.scrollWidth > el.clientWidth) {
			el.setAttribute('role', 'group');
			el.setAttribute('aria-label', t('code.formula'));
			el.setAttribute('tabindex', '0');
		} else {
			for (const name of ['role', 'aria-label', 'tabindex'])
				el.removeAttribute(name);
		}
	}
}

let widths = null;

function draw(el)
{
	const raw = el.textContent;
	const display = el.classList.contains('math-display');
	const key = `${display}${raw}`;
	const markup = drawn.get(key) ?? mathml(texOf(raw), display);

	if (drawn.size >= KEPT)
		drawn.delete(drawn.keys().next().value);
	drawn.set(key, markup);
	const out = markup ? DOMPurify.sanitize(markup, PURIFY) : null;

	if (out?.querySelector('math'))
		el.replaceChildren(out);
	// else the source stays
	el.classList.add(out ? 'math-drawn' : 'math-source');
	if (display) {
		widths ??= new ResizeObserver(reach);
		widths.observe(el);
	}
}

function drawAll(elements)
{
	const begun = performance.now();

	for (const el of elements) {
		if (performance.now() - begun > DRAW_MS)
			break;
		draw(el);
	}
}

/** Draws the formulas below an element, at once if KaTeX is there. */
export function dressMath(root)
{
	const elements = root.querySelectorAll('.math');

	if (elements.length === 0)
		return;
	if (katex) {
		drawAll(elements);
		return;
	}
	for (const el of elements)
		waiting.add(el);
	loading ??= import('../vendor/katex.js').then((module) => {
		katex = module.katex;
		drawAll([...waiting].filter((el) => el.isConnected));
	}).catch(() => {
		// asked for again with the next formula
		loading = null;
	}).finally(() => waiting.clear());
}
