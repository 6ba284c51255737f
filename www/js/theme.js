// Runs before the first paint, and so is not a module: applies the chosen
// colours. js/store/settings.js does the same more carefully, a moment later.
(function () {
	var choice = null;

	try {
		choice = localStorage.getItem('lamplighter.theme');
	} catch (error) {
		choice = null;
	}
	if (choice !== 'light' && choice !== 'dark')
		choice = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	document.documentElement.dataset.theme = choice;
})();
