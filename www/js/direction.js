// SPDX-License-Identifier: MIT
// Text direction block by block: what the first letter of a block says, code and formulas
// not counted, which are written from the left in any text. dir="auto" alone would count
// them, and would find nothing in a list whose items have a direction of their own.
const BLOCKS = 'p, h3, h4, h5, h6, li, ul, ol, blockquote, table, th, td, summary, details, .note-text';
const ASIDE = 'code, pre, .math, .math-open, .code, button';
const LETTERS = /\p{L}/u;
const RIGHT_TO_LEFT = new RegExp(`[${['Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Samaritan',
	'Mandaic', 'Adlam', 'Hanifi_Rohingya'].map((script) => `\\p{sc=${script}}`).join('')}]`, 'u');

/** how far the first letter is looked for */
const REACH = 400;

/** 'rtl', 'ltr', or 'auto' for a text without letters. */
function directionOf(text)
{
	const first = LETTERS.exec(text.slice(0, REACH))?.[0];

	return !first ? 'auto' : RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr';
}

/** The first letters of an element, without what is written from the left in any text. */
function lead(root)
{
	const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	let text = '';

	while (text.length < REACH && walker.nextNode()) {
		const { currentNode } = walker;

		if (!currentNode.parentElement?.closest(ASIDE)) {
			text += currentNode.nodeValue;
			if (LETTERS.test(text))
				break;
		}
	}
	return text;
}

/** Gives each block below an element, itself not included, its direction. */
export function dressDirection(root)
{
	for (const block of root.querySelectorAll(BLOCKS))
		block.setAttribute('dir', directionOf(lead(block)));
}
