// Before the first paint, and so not a module: the colours that were chosen.
// js/store/settings.js does the same with all its care, a moment later.
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
