// SPDX-License-Identifier: MIT
// Runs before the first paint, and so is not a module: applies the chosen
// colours. js/store/settings.js does the same more carefully, a moment later.
(function () {
	let choice = '';

	try {
		choice = localStorage.getItem('lamplighter.theme');
	} catch {
		choice = '';
	}
	if (choice !== 'light' && choice !== 'dark')
		choice = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	document.documentElement.dataset.theme = choice;
})();
