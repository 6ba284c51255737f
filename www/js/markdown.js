// SPDX-License-Identifier: MIT
// Model text to DOM. Model text is not trusted: raw HTML in it is shown as
// text (but for a few bare tags), what marked makes of it goes through
// DOMPurify with a short list of tags and attributes, images become links so
// that nothing is fetched by looking at an answer (but for attachments, which are
// the reader's own server's), and no style attribute survives.
import { DOMPurify, Marked } from '../vendor/markdown.js';
import { asides, beginAsides, dressAsides } from './asides.js';
import { codeBox } from './code.js';
import { dressDirection } from './direction.js';
import { asLetters, letterBefore } from './emphasis.js';
import { beginMath, dressMath, escape, formulas, maskFormulas } from './math.js';
import { t } from './strings.js';

/** in pairs; others are what a text says: if a<b>c */
const BARE_TAGS = /^<(\/?)(sub|sup|kbd|mark|b|i|em|strong|u|s)\s*>$/i;

const BREAK = /^<br\s*\/?>$/i;

/** what begins a bare address, up to a blank */
const ADDRESS = /^(?:(?:ftp|https?):\/\/|www\.)[^\s<]*/i;

/** scripts that have no blanks between words, or none before a particle */
const WIDE = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Thai', 'Lao', 'Khmer',
	'Myanmar'].map((script) => `\\p{sc=${script}}`).join('');
const WIDE_LETTER = new RegExp(`[${WIDE}]`, 'u');

/** a word of theirs with more of a path behind it */
const MORE_PATH = new RegExp(`^[${WIDE}]+(?:/[^/]|\\.[a-z\\d])`, 'iu');

/**
 * Where an address ends in any case: quotes, a dash, punctuation of their scripts and of
 * Arabic, Indic and others, full-width forms, breaks without width, marks of direction.
 */
const END_MARK = new RegExp('[\\u00ab\\u00bb\\u2014\\u2018-\\u201f\\u2026\\u2039\\u203a' +
	'\\u0589\\u05c3\\u060c\\u061b\\u061f\\u06d4\\u0964\\u0965\\u1361-\\u1368' +
	'\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069' +
	'\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u30fb\\uff00-\\uff65]', 'u');

/** the host of an address, in letters of any script, or of IPv6 */
const HOST = /^((?:ftp|https?):\/\/|www\.)(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}.-]+)/iu;

/** what a link may lead to; mind that //host is another site */
export const LINK = /^(?:https?:|mailto:|tel:|#|\/(?!\/)|\.{1,2}\/)/i;

/** an image that is shown: an attachment, which the server gives to its owner only */
const ATTACHMENT = /^(?:attachment:|(?:\.?\/)?api\/v1\/attachments\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/content)?$/;
const ATTACHED = /^\.\/api\/v1\/attachments\/[0-9a-f-]{36}\/content$/;

/** @type {import('../vendor/markdown.js').Config & {RETURN_DOM_FRAGMENT: true}} */
const PURIFY = {
	ALLOWED_TAGS: ['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li',
		'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'b', 'i', 'u', 's',
		'sub', 'sup', 'kbd', 'mark', 'a', 'table', 'thead', 'tbody', 'tr',
		'th', 'td', 'span', 'div', 'details', 'summary', 'img'],
	ALLOWED_ATTR: ['href', 'title', 'class', 'align', 'start', 'scope',
		'data-language', 'data-name', 'data-note', 'open', 'src', 'alt', 'loading'],
	ALLOWED_URI_REGEXP: LINK,
	// attributes that hold no address, which the pattern above would refuse
	ADD_URI_SAFE_ATTR: ['align', 'start', 'scope', 'data-language', 'data-name', 'data-note',
		'open', 'loading'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	RETURN_DOM_FRAGMENT: true,
};

/** hljs on a code block larger than this would block the page */
const HIGHLIGHT_CHARS = 60000;

/** the same for one that is still growing */
const HIGHLIGHT_LIVE_CHARS = 4000;

/** Marks the tags of a block that may stay: those that are opened and closed in it. */
function pairTags(tokens)
{
	const open = [];

	for (const token of tokens) {
		const [, end, name] = token.type === 'html' && BARE_TAGS.exec(token.raw) || [];

		if (name && !end)
			open.push({ token, name: name.toLowerCase() });
		const at = end ? open.findLastIndex((one) => one.name === name.toLowerCase()) : -1;

		if (at < 0)
			continue;
		open[at].token.paired = token.paired = true;
		open.length = at;
	}
}

/** The same for all blocks below these: cells, items, quotes, and marks within marks. */
function pairWithin(tokens)
{
	for (const token of tokens) {
		const cells = token.type === 'table' ? [token.header, ...token.rows].flat() : [token];

		for (const { tokens: within } of cells) {
			pairTags(within || []);
			pairWithin(within || []);
		}
		pairWithin(token.items || []);
	}
}

/** Whether a word of WIDE_LETTERs at this place, behind `before`, is part of the host. */
function isOfHost(text, at, before)
{
	const host = HOST.exec(text)?.[2] || '';
	const word = /^[^.]*\.\p{L}/u;

	return before === '/' || (before === '.' &&
		(WIDE_LETTER.test(host[0]) || word.test(text.slice(at))));
}

/**
 * How much of a text without blanks is the address that it begins with. In Chinese,
 * Japanese, Korean, Thai and others the sentence goes on right behind it; a word of these
 * scripts is part of it only as a label of its host, a whole step of its path (the first
 * only if there is more of it), or a value of its query.
 */
function addressEnd(text)
{
	const root = text.indexOf('/', text.indexOf('//') + 2);
	let before = '';
	let at = 0;

	for (const c of text) {
		const inHost = root < 0 || at < root;
		const begins = WIDE_LETTER.test(c) && !WIDE_LETTER.test(before);

		if (END_MARK.test(c) || (inHost && c === '–') ||
			(begins && !(inHost ? isOfHost(text, at, before) :
				'/='.includes(before) &&
				(at > root + 1 || MORE_PATH.test(text.slice(at))))))
			return at;
		before = c;
		at += c.length;
	}
	return at;
}

/**
 * The link of an address whose host has letters beyond ASCII or is one of IPv6, which
 * marked knows nothing of: it is shown the same length without them. Null: another host,
 * or none.
 */
function foreignHost(address, link)
{
	const [, scheme, host] = HOST.exec(address) || [];

	if (!/^\[|[^\x00-\x7f]/.test(host || '') ||
		!/^\[|[\p{L}\p{M}\p{N}]\.\p{L}/u.test(host))
		return null;
	const token = link(scheme + host.replace(/[^\x00-\x7f]|[[\]:]/g, 'x') +
		address.slice(scheme.length + host.length));

	if (!token)
		return null;
	const raw = address.slice(0, token.raw.length);
	const href = token.href.slice(0, -token.raw.length) + raw;

	return { ...token, raw, text: raw, href, tokens: [{ type: 'text', raw, text: raw }] };
}

/** how far the end of an emphasis, a word or an address is looked for, in characters */
const MARK_REACH = 4096;

/** what marks may take of one text: of thousands without an end, each is looked for */
const MARKS_MS = 1000;
let marksMs = 0;

/** Runs a look-up of marked within these bounds; marks beyond them are text. */
function bounded(look)
{
	if (marksMs > MARKS_MS)
		return undefined;
	const begun = performance.now();
	const token = look();

	marksMs += performance.now() - begun;
	return token;
}

/** The token of the address that a text begins with; link: makes one, if marked knows it. */
function addressToken(near, link)
{
	const text = ADDRESS.exec(near)?.[0] || '';
	const end = addressEnd(text);

	return foreignHost(text.slice(0, end), link) ||
		link(end < text.length ? near.slice(0, end) : near);
}

/**
 * emStrong of marked with its rules, on a text in which formulas are unknown and the
 * punctuation of some scripts is letters. What is within the marks is read as it is.
 * @this {any}
 */
function emStrong(src, masked = '', before = '')
{
	const near = src.slice(0, MARK_REACH);
	const at = masked.length - src.length;
	const letters = asLetters(near, before);
	const bare = { rules: this.rules, lexer: { inlineTokens: () => [] } };
	const token = bounded(() => marked.Tokenizer.prototype.emStrong.call(bare, letters,
		asLetters(maskFormulas(near, masked.slice(at, at + MARK_REACH)), before),
		letterBefore(before, near)));

	if (!token)
		return undefined;
	const marks = token.type === 'em' ? 1 : 2;
	const raw = near.slice(0, token.raw.length);
	const text = raw.slice(marks, -marks);

	return { type: token.type, raw, text, tokens: this.lexer.inlineTokens(text) };
}

/**
 * Models write a Markdown document with code in it between fences as long as its own, of
 * which the first would end it. One with a language opens a block within; the end is that
 * of the document. @returns all of it, or '': it is another block, or has no such end
 */
function nestedFences(src)
{
	const [, fence] = /^(`{3,})[ \t]*(?:markdown|mdx?)\b[^`\n]*\n/i.exec(src) || [];
	let open = 0, nested = false, at = 0;

	if (!fence)
		return '';
	for (const line of src.split('\n')) {
		const [, mark, info] = /^ {0,3}(`{3,})[ \t]*([^`]*)$/.exec(line) || [];

		at += line.length + 1;
		if (mark?.length === fence.length)
			open += info.trim() ? 1 : -1;
		nested ||= open > 1;
		if (open === 0)
			return nested ? src.slice(0, at) : '';
	}
	return '';
}

/** the longest text whose marks are looked for together; longer ones are cut at a blank */
const INLINE_REACH = 4096;

const marked = new Marked({
	gfm: true,
	// what a model puts on lines of its own is on lines of its own
	breaks: true,
	async: false,
	hooks: {
		provideLexer()
		{
			return (source, options) => new BoundedLexer(options).lex(source);
		},
		// not by walkTokens, which copies its list for each of them
		processAllTokens(tokens)
		{
			pairWithin(tokens);
			return tokens;
		},
	},
	tokenizer: {
		emStrong,
		fences(src)
		{
			const token = marked.Tokenizer.prototype.fences.call(this, src);
			const raw = token ? nestedFences(src) : '';

			return raw ? { ...token, raw, text: raw.split('\n').slice(1).join('\n')
				.replace(/\n?`{3,}[ \t]*\n*$/, '') } : token;
		},
		// one ~ is about, or between the ends of a range
		del(src)
		{
			return src.startsWith('~~') ? bounded(() =>
				marked.Tokenizer.prototype.del.call(this, src.slice(0, MARK_REACH))) : undefined;
		},
		// the lexer joins what is cut
		inlineText(src)
		{
			return marked.Tokenizer.prototype.inlineText.call(this, src.slice(0, MARK_REACH));
		},
		url(src)
		{
			const near = src.slice(0, MARK_REACH);

			return bounded(() => addressToken(near, (address) =>
				marked.Tokenizer.prototype.url.call(this, address)));
		},
	},
	renderer: {
		/** @param {(import('../vendor/markdown.js').Tokens.HTML |
		 *         import('../vendor/markdown.js').Tokens.Tag) & {paired?: boolean}} token */
		html({ text, paired })
		{
			return paired || BREAK.test(text.trim()) ? text : escape(text);
		},
		image({ href, text })
		{
			const label = text ? t('image.link', { alt: text }) : t('image.none');
			const [, id] = ATTACHMENT.exec(href) || [];

			if (id) {
				return `<img class="attached" loading="lazy" alt="${escape(text || t('image.none'))
				}" src="./api/v1/attachments/${id}/content">`;
			}
			return LINK.test(href) ?
				`<a class="image-link" href="${escape(href)}">${escape(label)}</a>` :
				escape(label);
		},
		link({ href, title, tokens })
		{
			const inner = this.parser.parseInline(tokens);
			const hint = title ? ` title="${escape(title)}"` : '';

			return LINK.test(href) ?
				`<a href="${escape(href)}"${hint}>${inner}</a>` : inner;
		},
		// the page has first-level headings of its own
		heading({ tokens, depth })
		{
			const level = Math.min(depth + 2, 6);

			return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
		},
		checkbox({ checked })
		{
			return checked ? '<span class="tick tick-done">☑</span>' :
				'<span class="tick">☐</span>';
		},
		code({ text, lang })
		{
			const language = (lang || '').trim().split(/[\s,{]/)[0].toLowerCase();
			const [plain] = language.split(':');
			const known = /^[a-z0-9+#_-]{1,30}$/.test(plain) ? plain : '';
			const [, name = ''] = /(?:title|file(?:name)?)="([^"]{1,80})"|^\S*?:(\S{1,80})/
				.exec(lang || '')?.filter((one) => one !== undefined) || [];

			return `<pre data-language="${known}" data-name="${escape(name)}"><code>${
				escape(text)}</code></pre>\n`;
		},
	},
});

marked.use({ extensions: /** @type {any[]} */ ([...formulas, ...asides]) });

/**
 * Its work on the marks of a paragraph grows with the square of its length (390 KB of
 * backslashes took 88 s), so that it is given no more than INLINE_REACH of it at once.
 */
class BoundedLexer extends marked.Lexer {
	inlineTokens(source, tokens = [])
	{
		let rest = source;

		while (rest.length > INLINE_REACH) {
			const blank = rest.lastIndexOf('\n', INLINE_REACH) + 1 ||
				rest.lastIndexOf(' ', INLINE_REACH) + 1 || INLINE_REACH;

			super.inlineTokens(rest.slice(0, blank), tokens);
			rest = rest.slice(blank);
		}
		return super.inlineTokens(rest, tokens);
	}
}

/** how many links that have no end marked looks for; more take it seconds */
const OPEN_LINKS = 200;

/** the end of a link, with a pair of parentheses in its address, and a title */
const WHOLE_LINK = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s[^()\n]*)?\)/g;

/** Quotes and lists within each other, more than anybody writes. */
const DEEP = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){100}/m;

/**
 * Whether a text begins links again and again (8 KB of them took 18 seconds), or a hundred
 * quotes on a line.
 */
function isSlow(source)
{
	if (DEEP.test(source))
		return true;
	const begun = source.match(/\]\(/g)?.length || 0;

	return begun > OPEN_LINKS &&
		begun - (source.match(WHOLE_LINK)?.length || 0) > OPEN_LINKS;
}

/** Before a text is read. @param live more of it may come */
function begin(live)
{
	marksMs = 0;
	beginMath(live);
	beginAsides(live);
}

/**
 * The first of the two barriers: HTML without what the model wrote as HTML, and
 * without links of unknown kinds. Must not be shown without the second one.
 */
export function toHtml(source, live = false)
{
	begin(live);
	try {
		if (!isSlow(source))
			return /** @type {string} */ (marked.parse(source));
	} catch {
		// quotes or lists within each other, deeper than the stack
	}
	return `<p>${escape(source).replaceAll('\n', '<br>')}</p>\n`;
}

/** What the second barrier makes of the first one's HTML, with its parts dressed. */
export function dressed(html, live)
{
	const out = DOMPurify.sanitize(html, PURIFY);

	for (const image of out.querySelectorAll('img'))
		dressImage(image);
	for (const link of out.querySelectorAll('a'))
		dressLink(link);
	for (const pre of out.querySelectorAll('pre'))
		dressCode(pre, live);
	dressAsides(out);
	dressDirection(out);
	for (const table of out.querySelectorAll('table'))
		dressTable(table);
	dressMath(out);
	return out;
}

/** An attachment leads to itself; nothing else is fetched by looking at an answer. */
function dressImage(image)
{
	const src = image.getAttribute('src') || '';
	const link = element('a', 'attached-link');

	if (!ATTACHED.test(src)) {
		image.remove();
		return;
	}
	link.setAttribute('href', src);
	image.replaceWith(link);
	link.append(image);
}

function dressLink(link)
{
	if (!link.hasAttribute('href')) {
		link.replaceWith(...link.childNodes);
		return;
	}
	link.title ||= t('link.newTab');
	link.target = '_blank';
	link.rel = 'noopener noreferrer nofollow';
}

function element(name, className, text)
{
	const el = document.createElement(name);

	el.className = className;
	if (text !== undefined)
		el.textContent = text;
	return el;
}

/** A wide block scrolls by itself, also from the keyboard. */
function scrollable(className, label)
{
	const box = element('div', className);

	box.tabIndex = 0;
	box.setAttribute('role', 'group');
	box.setAttribute('aria-label', label);
	return box;
}

function dressTable(table)
{
	const box = scrollable('table-scroll', t('code.table'));

	for (const th of table.querySelectorAll('thead th'))
		th.scope = 'col';
	// else a date breaks at its hyphens, although its column has room
	for (const td of table.querySelectorAll('td'))
		if (/^[\dTZ .,:/+-]{1,25}$/.test(td.textContent))
			td.className = 'whole';
	// it begins to scroll where its table begins
	box.setAttribute('dir', table.getAttribute('dir'));
	table.replaceWith(box);
	box.append(table);
}

function dressCode(pre, live)
{
	const code = pre.querySelector('code');

	if (!code)
		return;
	highlight(code, pre.dataset.language || '',
		live ? HIGHLIGHT_LIVE_CHARS : HIGHLIGHT_CHARS);
	codeBox(pre, live);
}

/** highlight.js, loaded with the first code that has a language */
let hljs = null;
let loading = null;
/** @type {Set<[Element, string, number]>} what is coloured when it is there */
const waiting = new Set();

/** Colours the text of a code element, at once if highlight.js is there. */
export function highlight(code, language, maxChars = HIGHLIGHT_CHARS)
{
	if (!language || code.textContent.length > maxChars)
		return;
	if (hljs) {
		colour(code, language);
		return;
	}
	waiting.add([code, language, maxChars]);
	loading ??= import('../vendor/highlight.js').then((module) => {
		hljs = module.hljs;
		for (const [waits, name, most] of waiting)
			// not what was drawn anew, or has grown
			if (waits.isConnected && waits.textContent.length <= most)
				colour(waits, name);
	}).catch(() => {
		// asked for again with the next code
		loading = null;
	}).finally(() => waiting.clear());
}

function colour(code, language)
{
	const text = code.textContent;

	if (!hljs.getLanguage(language))
		return;
	const { value } = hljs.highlight(text, { language, ignoreIllegals: true });

	code.replaceChildren(spansOf(value));
}

/** of what highlight.js makes: its spans, the characters that it escapes, and the rest */
const COLOURED = /<span class="([\w -]*)">|(<\/span>)|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const ESCAPED = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/**
 * What highlight.js makes of a text, as elements: whatever is none of its spans is text, so
 * that no parser of HTML sees it, which took most of the time.
 * @param {string} html
 */
export function spansOf(html)
{
	const root = document.createDocumentFragment();
	/** @type {ParentNode & Node} */
	let at = root;
	let text = '';
	const end = () => {
		if (text)
			at.appendChild(document.createTextNode(text));
		text = '';
	};

	for (const [all, name, close, escaped] of html.matchAll(COLOURED)) {
		if (name === undefined && (!close || at === root)) {
			text += escaped ? ESCAPED[escaped] : all;
			continue;
		}
		end();
		if (close) {
			at = /** @type {Element} */ (at.parentNode);
		} else {
			const span = document.createElement('span');

			span.className = name;
			at.appendChild(span);
			at = span;
		}
	}
	end();
	return root;
}

/**
 * The blocks of a text, without the marks in them, which are looked for when drawn.
 * @returns {any[]}
 */
export function blocks(source, live)
{
	begin(live);
	try {
		return new marked.Lexer(marked.defaults).blockTokens(source, []);
	} catch {
		return [];
	}
}

/** Where the last block of a text begins; the ones before it are closed. */
export function lastBlock(source)
{
	const tokens = blocks(source, true);
	let end = tokens.length, at = 0;

	while (end > 0 && tokens[end - 1].type === 'space')
		end--;
	for (let i = 0; i < end - 1; i++)
		at += tokens[i].raw.length;
	// The lexer replaces tabs and line ends; if lengths do not agree,
	// nothing is settled.
	return source.startsWith(tokens[end - 1]?.raw ?? '', at) ? at : 0;
}

/**
 * The items of a list, or the rows of a table, as elements.
 * @param {any} token a list or table of blocks()
 * @param loose whether the items are paragraphs
 * @param live  whether the last one may still grow
 * @returns {Element[]}
 */
export function piecesOf({ type, raw }, loose, live)
{
	begin(live);
	/** @type {any[]} */
	const tokens = new marked.Lexer(marked.defaults).lex(raw);
	const within = type === 'list' ? 'items' : 'rows';
	const all = tokens[0][within];

	pairWithin(tokens);
	if (type === 'list') {
		for (const item of all)
			item.loose = loose;
	}
	const draw = (some, open) => {
		const html = marked.parser([{ ...tokens[0], [within]: some }]);
		const [first] = dressed(html, open).children;

		return [...(type === 'list' ? first?.children :
			first?.querySelector('table')?.tBodies[0]?.rows) || []];
	};

	return [...draw(all.slice(0, -1), false), ...draw(all.slice(-1), live)];
}
