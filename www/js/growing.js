// SPDX-License-Identifier: MIT
// Shows a Markdown text that grows, in time that does not grow with it.
import { settleNotes } from './asides.js';
import { blocks, dressed, lastBlock, piecesOf, toHtml } from './markdown.js';

/** A list or table shorter than this is drawn as a whole while it grows. */
const OPEN_CHARS = 1000;

/**
 * The items of a list, or the rows of a table, at the end of a text that grows: what is
 * between them and the end is drawn again, they are not.
 * @typedef {object} OpenBlock
 * @property {'list' | 'table'} type
 * @property {number} begin   where the block begins in the text
 * @property {string} head    what is read before the rest: the head of a table
 * @property {boolean} loose  the items of a list are paragraphs
 * @property {boolean} ordered
 * @property {Element} node the block's element
 * @property {Element} inner  what its items or rows are put into
 */

/** How long each item or row of a token is in `source`; null if that cannot be told. */
function pieces(token, head, source)
{
	const raws = token.type === 'list' ? token.items.map(({ raw }) => raw) :
		(token.raw.slice(head.length).match(/[^\n]*\n|[^\n]+$/g) || []).slice(0, token.rows.length);
	let at = 0;

	for (const raw of raws) {
		if (!source.startsWith(raw, at))
			return null;
		at += raw.length;
	}
	return raws.map((raw) => raw.length);
}

/**
 * Shows a markdown text that grows. The blocks before the last one are
 * settled: they are drawn once and never looked at again, so the cost of a
 * token does not grow with the length of the answer. Of a long list or table at
 * the end, the same holds for its items or rows.
 */
export class MarkdownView {
	#root;
	#text = '';
	#settled = 0;
	#tail = [];
	#live = false;
	/** @type {OpenBlock | null} */
	#open = null;

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
		if (!grows || !this.#live || (ended && /^ {0,3}\[(?!\^)[^\]]+\]:/m.test(text)))
			this.#clear();
		this.#text = text;
		this.#live = live;
		this.#drawTail();
		if (!live)
			settleNotes(this.#root);
	}

	#clear()
	{
		this.#root.replaceChildren();
		this.#settled = 0;
		this.#tail = [];
		this.#open = null;
	}

	#drawTail()
	{
		for (const node of this.#tail)
			node.remove();
		this.#tail = [];
		if (this.#open && this.#grow())
			return;
		const source = this.#text.slice(this.#settled);

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
		const last = source.slice(at);

		if (last.length < OPEN_CHARS || !this.#begin(last))
			this.#tail = this.#append(last, true);
	}

	#append(source, live)
	{
		const part = dressed(toHtml(source, live), live);
		const nodes = [...part.childNodes];

		this.#root.append(part);
		return nodes;
	}

	/** Begins to settle the items of a list, or rows of a table. @returns whether it is one */
	#begin(source)
	{
		const [token, ...more] = blocks(source, true);
		const lines = source.split('\n', 2).join('\n').length + 1;

		if (!['list', 'table'].includes(token?.type) || more.some(({ type }) => type !== 'space') ||
		    (token.type === 'list' ? token.items : token.rows).length < 2)
			return false;
		const head = token.type === 'table' ? source.slice(0, lines) : '';
		/** @type {any[]} */
		const drawn = this.#append(token.type === 'table' ? head : source, true);
		const node = drawn.find((one) => one.localName);
		const inner = token.type === 'table' ? node?.querySelector('table') : node;

		if (!inner) {
			this.#tail = drawn;
			return true;
		}
		inner.querySelector(':scope > tbody')?.remove();
		if (token.type === 'list')
			inner.replaceChildren();
		this.#open = { type: token.type, begin: this.#settled, head, node, loose: token.loose,
			ordered: token.ordered, inner: token.type === 'list' ? inner :
				inner.appendChild(document.createElement('tbody')) };
		this.#settled += head.length;
		this.#grow();
		return true;
	}

	/** Draws what has come of the open block. @returns false when it has ended */
	#grow()
	{
		const open = this.#open;
		const source = this.#text.slice(this.#settled);
		const tokens = blocks(open.head + source, this.#live);
		const [token] = tokens;
		const lengths = token?.type === open.type && token.ordered === open.ordered &&
			(open.loose || !token.loose) ? pieces(token, open.head, source) : null;

		if (!lengths) {
			// it is another block now, or its items become paragraphs: from its beginning
			open.node.remove();
			this.#settled = open.begin;
			this.#open = null;
			return false;
		}
		const ended = !this.#live || tokens.slice(1).some(({ type }) => type !== 'space');
		const rows = piecesOf(token, open.loose, !ended);

		open.inner.append(...rows);
		if (ended) {
			this.#settled += token.raw.length - open.head.length;
			this.#open = null;
			return false;
		}
		this.#tail = rows.slice(-1);
		this.#settled += lengths.slice(0, -1).reduce((sum, n) => sum + n, 0);
		return true;
	}
}
