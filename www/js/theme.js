// SPDX-License-Identifier: MIT
// Runs before the first paint, and so is not a module: applies the chosen
// colours, and chooses the language of what is said if the page does not begin.
// js/store/settings.js and js/culture.js do the same more carefully, a moment later.
(function () {
	let choice = '', language = '';

	try {
		choice = localStorage.getItem('lamplighter.theme');
		language = localStorage.getItem('lamplighter.language') || '';
	} catch {
		choice = '';
	}
	if (choice !== 'light' && choice !== 'dark')
		choice = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	document.documentElement.dataset.theme = choice;
	document.addEventListener('DOMContentLoaded', () => {
		/** @type {NodeListOf<HTMLElement>} */
		const lines = document.querySelectorAll('.before-late');
		const ranges = [language, ...navigator.languages || []].map((tag) => tag.toLowerCase().split('-'))
			.flatMap((parts) => parts.map((_, i) => parts.slice(0, parts.length - i).join('-')));
		const best = ranges.map((range) => [...lines].find(({ lang }) => lang.toLowerCase() === range))
			.find(Boolean);

		for (const line of lines)
			line.hidden = line !== (best || lines[0]);
		if (best)
			Object.assign(document.documentElement, { lang: best.lang, dir: best.dir });
	});
})();
