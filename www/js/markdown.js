// SPDX-License-Identifier: MIT
// Model text to DOM. Model text is not trusted: raw HTML in it is shown as
// text (but for a few bare tags), what marked makes of it goes through
// DOMPurify with a short list of tags and attributes, images become links so
// that nothing is fetched by looking at an answer, and no style attribute
// survives.
import { DOMPurify, hljs, Marked } from '../vendor/markdown.js';
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

/** @type {import('../vendor/markdown.js').Config & {RETURN_DOM_FRAGMENT: true}} */
const PURIFY = {
	ALLOWED_TAGS: ['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li',
		'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'b', 'i', 'u', 's',
		'sub', 'sup', 'kbd', 'mark', 'a', 'table', 'thead', 'tbody', 'tr',
		'th', 'td', 'span'],
	ALLOWED_ATTR: ['href', 'title', 'class', 'align', 'start', 'scope',
		'data-language'],
	ALLOWED_URI_REGEXP: LINK,
	// attributes that hold no address, which the pattern above would refuse
	ADD_URI_SAFE_ATTR: ['align', 'start', 'scope', 'data-language'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	RETURN_DOM_FRAGMENT: true,
};

/** hljs on a code block larger than this would block the page */
const HIGHLIGHT_CHARS = 60000;

/** the same for one that is still growing */
const HIGHLIGHT_LIVE_CHARS = 4000;

function escape(text)
{
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

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

/** What look() finds, unless this text has taken long enough. */
function timed(look)
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

/** emStrong and del of marked, within these bounds; marks beyond them are text. */
function bounded(name)
{
	/** @this {any} */
	return function look(src, masked = '', ...more) {
		const at = masked.length - src.length;

		return timed(() => marked.Tokenizer.prototype[name].call(this,
			src.slice(0, MARK_REACH), masked.slice(at, at + MARK_REACH), ...more));
	};
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
		emStrong: bounded('emStrong'),
		del: bounded('del'),
		// the lexer joins what is cut
		inlineText(src)
		{
			return marked.Tokenizer.prototype.inlineText.call(this, src.slice(0, MARK_REACH));
		},
		url(src)
		{
			const near = src.slice(0, MARK_REACH);

			return timed(() => addressToken(near, (address) =>
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
			return checked ? '☑ ' : '☐ ';
		},
		code({ text, lang })
		{
			const language = (lang || '').trim().split(/[\s,{]/)[0].toLowerCase();
			const known = /^[a-z0-9+#_-]{1,30}$/.test(language) ? language : '';

			return `<pre data-language="${known}"><code>${escape(text)}</code></pre>\n`;
		},
	},
});

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

/**
 * The first of the two barriers: HTML without what the model wrote as HTML, and
 * without links of unknown kinds. Must not be shown without the second one.
 */
export function toHtml(source)
{
	marksMs = 0;
	try {
		if (!isSlow(source))
			return /** @type {string} */ (marked.parse(source));
	} catch {
		// quotes or lists within each other, deeper than the stack
	}
	return `<p>${escape(source).replaceAll('\n', '<br>')}</p>\n`;
}

/** A sanitised fragment of some markdown. */
function fragment(source, live)
{
	const out = DOMPurify.sanitize(toHtml(source), PURIFY);

	for (const link of out.querySelectorAll('a'))
		dressLink(link);
	for (const pre of out.querySelectorAll('pre'))
		dressCode(pre, live);
	for (const table of out.querySelectorAll('table'))
		dressTable(table);
	return out;
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
	box.setAttribute('role', 'region');
	box.setAttribute('aria-label', label);
	return box;
}

function dressTable(table)
{
	const box = scrollable('table-scroll', t('code.table'));

	for (const th of table.querySelectorAll('thead th'))
		th.scope = 'col';
	table.replaceWith(box);
	box.append(table);
}

function dressCode(pre, live)
{
	const code = pre.querySelector('code');
	const language = pre.dataset.language || '';
	const box = element('div', 'code');
	const bar = element('div', 'code-bar');
	const button = element('button', 'code-copy', t('code.copy'));

	if (!code)
		return;
	highlight(code, language, live ? HIGHLIGHT_LIVE_CHARS : HIGHLIGHT_CHARS);
	button.type = 'button';
	button.setAttribute('aria-label', t('code.copyLabel'));
	bar.append(element('span', 'code-language', language), button);
	pre.replaceWith(box);
	pre.tabIndex = 0;
	pre.setAttribute('role', 'region');
	pre.setAttribute('aria-label', t('code.region'));
	box.append(bar, pre);
}

/** Colours the text of a code element. */
export function highlight(code, language, maxChars = HIGHLIGHT_CHARS)
{
	const text = code.textContent;

	if (!hljs.getLanguage(language) || text.length > maxChars)
		return;
	const { value } = hljs.highlight(text, { language, ignoreIllegals: true });

	code.replaceChildren(DOMPurify.sanitize(value, {
		ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'],
		RETURN_DOM_FRAGMENT: true,
	}));
}

/**
 * Shows a markdown text that grows. The blocks before the last one are
 * settled: they are drawn once and never looked at again, so the cost of a
 * token does not grow with the length of the answer.
 */
export class MarkdownView {
	#root;
	#text = '';
	#settled = 0;
	#tail = [];
	#live = false;

	/** @param root the element that gets the blocks as its children */
	constructor(root)
	{
		this.#root = root;
	}

	/**
	 * @param live true while more may follow
	 */
	show(source, live)
	{
		const text = source.replace(/\r\n?/g, '\n');

		if (text === this.#text && live === this.#live)
			return;
		const grows = text.startsWith(this.#text);
		const ended = this.#live && !live;

		// A finished text has no open block to continue, and a link
		// definition at the end changes earlier blocks.
		if (!grows || !this.#live || (ended && /^ {0,3}\[[^\]]+\]:/m.test(text)))
			this.#clear();
		this.#text = text;
		this.#live = live;
		this.#drawTail();
	}

	#clear()
	{
		this.#root.replaceChildren();
		this.#settled = 0;
		this.#tail = [];
	}

	#drawTail()
	{
		const source = this.#text.slice(this.#settled);

		for (const node of this.#tail)
			node.remove();
		this.#tail = [];
		if (source === '')
			return;
		if (!this.#live) {
			this.#append(source, false);
			this.#settled = this.#text.length;
			return;
		}
		const at = lastBlock(source);

		if (at > 0) {
			this.#append(source.slice(0, at), false);
			this.#settled += at;
		}
		this.#tail = this.#append(source.slice(at), true);
	}

	#append(source, live)
	{
		const part = fragment(source, live);
		const nodes = [...part.childNodes];

		this.#root.append(part);
		return nodes;
	}
}

/** Where the last block of a text begins; the ones before it are closed. */
export function lastBlock(source)
{
	let tokens, end, at = 0;

	try {
		// without the marks in them, which are looked for when they are drawn
		tokens = new marked.Lexer(marked.defaults).blockTokens(source, []);
	} catch {
		return 0;
	}
	end = tokens.length;
	while (end > 0 && tokens[end - 1].type === 'space')
		end--;
	for (let i = 0; i < end - 1; i++)
		at += tokens[i].raw.length;
	// The lexer replaces tabs and line ends; if lengths do not agree,
	// nothing is settled.
	return source.startsWith(tokens[end - 1]?.raw ?? '', at) ? at : 0;
}
