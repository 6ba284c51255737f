// SPDX-License-Identifier: MIT
// What has been done, for those who see: the same words are in the page's live region, so that
// these are drawn by the style sheet, and neither read aloud nor found twice.
const LEAST_MS = 4000;
const CHAR_MS = 50;

/** px to what is below it, and between two places that are tried */
const GAP = 12;
const STEP = 8;
/** px between two points that are looked at: no control is as narrow */
const GRAIN = 20;
const CONTROLS = 'a[href], button, input, select, textarea, summary, label, [role=button], iframe';

/** @type {HTMLElement | null} */
let shown = null;
let timer = 0;

/** Whether something that can be pressed is within a box. */
function covers({ left, top, width, height })
{
	for (let y = 0; y <= height; y += Math.max(1, height / 2))
		for (let x = 0; x <= width; x += GRAIN)
			if (document.elementFromPoint(left + x, top + y)?.closest(CONTROLS))
				return true;
	return false;
}

/** Puts it above what is at the foot of the page, as low as it covers nothing to press. */
function place(one)
{
	const { offsetTop = 0, height = innerHeight } = window.visualViewport || {};
	const dialog = document.querySelector('dialog[open]');
	const over = (dialog ? document.documentElement : document.querySelector('.main') ||
		document.documentElement).getBoundingClientRect();
	const foot = dialog ? null : [...document.querySelectorAll('.main :is(.composer-dock, .form-bar, .form-save)')]
		.map((bar) => bar.getBoundingClientRect().top).filter((top) => top > height / 2);
	const lowest = Math.min(offsetTop + height, ...foot || []) - GAP - one.offsetHeight;
	const box = { left: over.left + (over.width - one.offsetWidth) / 2, top: lowest,
		width: one.offsetWidth, height: one.offsetHeight };

	while (box.top > offsetTop + height / 3 && covers(box))
		box.top -= STEP;
	one.style.left = `${box.left}px`;
	one.style.top = `${box.top > offsetTop + height / 3 ? box.top : lowest}px`;
}

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
	place(shown);
	clearTimeout(timer);
	timer = window.setTimeout(() => shown.remove(), LEAST_MS + CHAR_MS * text.length);
}
