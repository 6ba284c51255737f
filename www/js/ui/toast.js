// SPDX-License-Identifier: MIT
// What has been done, for those who see: the same words are in the page's live region, so that
// these are drawn by the style sheet, and neither read aloud nor found twice.
const LEAST_MS = 4000;
const CHAR_MS = 50;

/** @type {HTMLElement | null} */
let shown = null;
let timer = 0;

/** Shows a short text for a while, above dialogs too where the browser can. */
export function toast(text)
{
	if (!shown) {
		shown = document.createElement('div');
		shown.className = 'toast';
		shown.setAttribute('aria-hidden', 'true');
		shown.setAttribute('popover', 'manual');
	}
	// at the end, and the last of the top layer
	document.body.append(shown);
	shown.dataset.text = text;
	shown.showPopover?.();
	clearTimeout(timer);
	timer = window.setTimeout(() => shown.remove(), LEAST_MS + CHAR_MS * text.length);
}
