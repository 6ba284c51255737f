// SPDX-License-Identifier: MIT
// What tests ask of a page's layout; runs in the page.

/** What sticks out of the window at either side, beside what scrolls in itself. */
export function outside()
{
	const out = [];

	for (const el of document.querySelectorAll('body *')) {
		const { left, right, width, height } = el.getBoundingClientRect();

		if (width > 1 && height > 1 && (left < -1 || right > innerWidth + 1) &&
		    el.checkVisibility({ visibilityProperty: true }) &&
		    !el.closest('.table-scroll, pre, .sr-only, .offscreen, .skip, .sandbox-hidden, .chart'))
			out.push(`${el.localName}.${el.className} ${Math.round(left)}..${Math.round(right)}`);
	}
	return out.slice(0, 5);
}

/** Controls and headings whose text is cut off without a sign of it. */
export function cut()
{
	const out = [];

	for (const el of document.querySelectorAll('button, label, legend, h1, h2, h3, summary, th, a, .chip')) {
		const { overflowX, textOverflow } = getComputedStyle(el);

		if (overflowX !== 'visible' && textOverflow !== 'ellipsis' && el.clientWidth > 1 &&
		    el.scrollWidth > el.clientWidth + 1 && el.checkVisibility() && !el.closest('.sr-only, pre'))
			out.push(`${el.localName}.${el.className}: ${el.textContent.trim().slice(0, 40)}`);
	}
	return out.slice(0, 5);
}

/**
 * Texts, and attributes that people are told, with words in Latin letters that are not
 * among the data.
 * @param {string[]} data what people and the configuration have named, the longest first
 */
export function untranslated(data)
{
	const out = new Set();
	const look = (text, el) => {
		let left = text;

		if (!/[A-Za-z]{2}/.test(left))
			return;
		// before the data, which may have a part of it
		left = left.replace(/\b[0-9a-f-]{36}\b/g, ' ');
		for (const one of data)
			left = left.replaceAll(one, ' ');
		// the same in all languages: addresses, blanks of a prompt
		left = left.replace(/https?:\S+|\{\{\w+\}\}|[\w.-]+@[\w.-]+/g, ' ');
		if (/[A-Za-z]{2}/.test(left))
			out.add(`${el.localName}.${el.className}: ${text.trim().slice(0, 90)}`);
	};
	const isForeign = (el) => el.closest(
		'script, style, template, noscript, pre, code, kbd, textarea, svg text, .answer, .bubble, .text, .prose');
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);

	for (let node = walk.nextNode(); node; node = walk.nextNode())
		if (node.data.trim() && !isForeign(node.parentElement) &&
		    node.parentElement.checkVisibility({ visibilityProperty: true }))
			look(node.data, node.parentElement);
	for (const el of document.querySelectorAll('[aria-label], [title], [placeholder], [alt], input[type=submit]')) {
		if (isForeign(el) || !el.checkVisibility({ visibilityProperty: true }))
			continue;
		for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
			look(el.getAttribute(name) || '', el);
		if (el.type === 'submit')
			look(el.value || '', el);
	}
	look(document.title, document.body);
	return [...out];
}
