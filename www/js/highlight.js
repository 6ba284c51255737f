// SPDX-License-Identifier: MIT
// Marks words where they stand, without a change of what is drawn (CSS custom highlights: the
// style sheet colours ::highlight(found)). Where the browser has none, the words are only found.

const NAME = 'found';
/** Words that stand as near to each other are of one passage. */
const NEAR_CHARS = 300;

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text below a node, with where each of its texts begins. */
function textsOf(root)
{
	const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	const nodes = [];
	let text = '';

	while (walk.nextNode()) {
		const node = /** @type {Text} */ (walk.currentNode);

		nodes.push({ node, at: text.length });
		text += node.data;
	}
	return { nodes, text };
}

function rangeOf(nodes, from, to)
{
	const range = document.createRange();
	const within = (at) => nodes.findLast((one) => one.at <= at);
	const [first, last] = [within(from), within(to - 1)];

	range.setStart(first.node, from - first.at);
	range.setEnd(last.node, to - last.at);
	return range;
}

/**
 * Where words are: as whole words, or if there are none within others.
 * @returns {{at: number, end: number, word: string}[]}
 */
function hitsOf(text, words)
{
	const any = words.map(escaped).join('|');
	const found = (pattern) => [...text.matchAll(new RegExp(pattern, 'giu'))].map(({ 0: word, index }) =>
		({ at: index, end: index + word.length, word: word.toLowerCase() }));
	const whole = found(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`);

	return whole.length > 0 ? whole : found(any);
}

/**
 * Marks the words below a node, and nothing else on the page.
 * @param {Element} root
 * @param {string[]} words
 * @returns {Range | null} the first of where most of them are together
 */
export function highlight(root, words)
{
	const { nodes, text } = textsOf(root);
	const hits = words.length > 0 ? hitsOf(text, words) : [];
	const ranges = hits.map(({ at, end }) => rangeOf(nodes, at, end));
	const kinds = hits.map(({ at }) => new Set(hits.filter((one) => one.at >= at &&
		one.at < at + NEAR_CHARS).map(({ word }) => word)).size);

	unmark();
	if (ranges.length > 0 && 'highlights' in CSS)
		CSS.highlights.set(NAME, new Highlight(...ranges));
	return ranges[kinds.indexOf(Math.max(...kinds))] || null;
}

/** Nothing is marked any more. */
export function unmark()
{
	if ('highlights' in CSS)
		CSS.highlights.delete(NAME);
}
