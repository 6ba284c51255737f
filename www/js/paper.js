// SPDX-License-Identifier: MIT
// What is folded on the screen and read on paper: sources, and parts of answers, are open while
// the page is printed, in light colours. Styles cannot open <details> in all browsers, nor
// can they turn the colours that scripts have put into charts.
const FOLDED = 'lamp-thread :is(.sources, .answer details):not([open])';

/** @type {{folded: Element[], theme: string | undefined} | null} */
let before = null;

/** Makes the page fit for paper, as long as it is printed. */
export function watchPaper()
{
	// when the browser prints by itself, this has ended before the next one begins
	addEventListener('beforeprint', () => {
		document.querySelector('lamp-thread')?.drawAll();
	});
	addEventListener('beforeprint', () => {
		const root = document.documentElement;

		before ??= { folded: [...document.querySelectorAll(FOLDED)], theme: root.dataset.theme };
		before.folded.forEach((one) => one.setAttribute('open', ''));
		root.dataset.theme = 'light';
	});
	addEventListener('afterprint', () => {
		before?.folded.forEach((one) => one.removeAttribute('open'));
		if (before?.theme)
			document.documentElement.dataset.theme = before.theme;
		before = null;
	});
}
