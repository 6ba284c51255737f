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

/** The text that a place is in, of many. */
function textAt(nodes, at)
{
	let [low, high] = [0, nodes.length - 1];

	while (low < high) {
		const middle = Math.ceil((low + high) / 2);

		if (nodes[middle].at <= at)
			low = middle;
		else
			high = middle - 1;
	}
	return nodes[low];
}

function rangeOf(nodes, from, to)
{
	const range = document.createRange();
	const [first, last] = [textAt(nodes, from), textAt(nodes, to - 1)];

	range.setStart(first.node, from - first.at);
	range.setEnd(last.node, to - last.at);
	return range;
}

/**
 * Where words are: as whole words, or if there are none within others.
 * @returns {{at: number, end: number, word: string}[]}
 */
export function hitsOf(text, words)
{
	const any = words.map(escaped).join('|');
	const found = (before, after) => [...text.matchAll(new RegExp(`(${before})(${any})${after}`, 'giu'))]
		.map(({ 1: { length }, 2: word, index }) => ({ at: index + length,
			end: index + length + word.length, word: word.toLowerCase() }));
	const whole = found('^|[^\\p{L}\\p{N}]', '(?![\\p{L}\\p{N}])');

	return whole.length > 0 ? whole : found('', '');
}

/**
 * The first hit behind which most of the words are together; of many hits, too.
 * @param {{at: number, word: string}[]} hits in the order of the text
 * @returns {number} its index; 0: there is none
 */
export function densest(hits)
{
	/** @type {Map<string, number>} how often each word stands near the hit */
	const near = new Map();
	let [best, most, end] = [0, 0, 0];

	hits.forEach(({ at, word }, i) => {
		for (; end < hits.length && hits[end].at < at + NEAR_CHARS; end++)
			near.set(hits[end].word, (near.get(hits[end].word) || 0) + 1);
		if (near.size > most)
			[best, most] = [i, near.size];
		if (near.get(word) === 1)
			near.delete(word);
		else
			near.set(word, near.get(word) - 1);
	});
	return best;
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

	unmark();
	if (ranges.length > 0 && 'highlights' in CSS)
		CSS.highlights.set(NAME, new Highlight(...ranges));
	return ranges[densest(hits)] || null;
}

/** Nothing is marked any more. */
export function unmark()
{
	if ('highlights' in CSS)
		CSS.highlights.delete(NAME);
}
