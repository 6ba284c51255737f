// SPDX-License-Identifier: MIT
// What an answer cites, in its rendered text: [1] becomes a button if there is
// such a source, and is marked if there is none, as are quotations that are in
// no source. The server has checked them (metadata `citations`); this only
// shows the result.
import { t } from './strings.js';

const NUMBERS = /\[\^?\d{1,3}(?:[,;] *\d{1,3})*\]/g;
/** Text in these is left as it is. */
const OTHERS = 'pre, code, a, button, mark';

/** The text nodes of an element, in order, except those in OTHERS. */
function textsOf(root)
{
	const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
		(node.parentElement.closest(OTHERS) ? NodeFilter.FILTER_REJECT
			: NodeFilter.FILTER_ACCEPT));
	const found = [];

	while (walker.nextNode())
		found.push(walker.currentNode);
	return found;
}

function chip(number, known)
{
	const el = document.createElement(known ? 'button' : 'span');

	el.className = known ? 'cite' : 'cite cite-unknown';
	el.textContent = String(number);
	if (el instanceof HTMLButtonElement) {
		el.type = 'button';
		el.dataset.source = number;
		el.setAttribute('aria-label', t('source.open', { n: number }));
	}
	el.title = known ? t('source.open', { n: number }) : t('source.unknown');
	return el;
}

/** The replacement for one [1, 2]; null: it names nothing that was checked. */
function chips(text, known, unknown)
{
	const numbers = text.match(/\d+/g).map(Number);

	return numbers.every((n) => known.has(n) || unknown.has(n)) ?
		numbers.map((n) => chip(n, known.has(n))) : null;
}

function dressNumbers(node, known, unknown)
{
	const out = [];
	let from = 0;

	for (const match of node.data.matchAll(NUMBERS)) {
		const made = chips(match[0], known, unknown);

		if (!made)
			continue;
		out.push(node.data.slice(from, match.index), ...made);
		from = match.index + match[0].length;
	}
	if (from > 0)
		node.replaceWith(...out, node.data.slice(from));
}

/** Letters and digits only, as the server compares. */
function bare(text)
{
	return text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Marks a quotation if its words are in one block of the text. */
function dressQuote(root, quote)
{
	const words = bare(quote.replace(NUMBERS, ''));

	for (const block of root.querySelectorAll('p, li, td, th, blockquote, h3, h4, h5, h6')) {
		if (!words || block.querySelector('p, li, td') || !bare(block.textContent).includes(words))
			continue;
		const note = document.createElement('small');

		note.className = 'cite-note';
		note.textContent = t('source.notFound', { quote });
		block.append(note);
		return;
	}
}

/**
 * @param root    of a drawn text that has ended; may be dressed already
 * @param sources numbers that there are
 * @param {{cited: number[], unknown: number[], notFound: string[]}} checked of the server
 */
export function dressCitations(root, sources, checked)
{
	const known = new Set(sources), unknown = new Set(checked.unknown);

	for (const node of textsOf(root))
		dressNumbers(node, known, unknown);
	for (const note of root.querySelectorAll('.cite-note'))
		note.remove();
	for (const quote of checked.notFound)
		dressQuote(root, quote);
}
