// SPDX-License-Identifier: MIT
// What scrolls is reached from the keyboard, also if there is nothing to press in it: a text in
// a low window.
const PRESSED = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** @type {WeakMap<Element, HTMLElement>} the box of what is observed: itself, or what is in it */
const boxes = new WeakMap();
/** @type {ResizeObserver | null} */
let sizes = null;

/** @param {HTMLElement} box */
function look(box)
{
	if (box.scrollHeight > box.clientHeight + 1 &&
	    ![...box.querySelectorAll(PRESSED)].some((one) => one.getClientRects().length > 0))
		box.setAttribute('tabindex', '0');
	else
		box.removeAttribute('tabindex');
}

/**
 * Sees to it that a box that scrolls can get the focus, from now on.
 * @param {HTMLElement | null} box
 */
export function reach(box)
{
	if (!box)
		return;
	sizes ??= new ResizeObserver((entries) => {
		for (const changed of new Set(entries.map(({ target }) => boxes.get(target))))
			look(changed);
	});
	for (const one of [box, ...box.children]) {
		boxes.set(one, box);
		// again: what is in it may have changed, although its size has not
		sizes.unobserve(one);
		sizes.observe(one);
	}
}
