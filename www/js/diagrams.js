// SPDX-License-Identifier: MIT
// Diagrams of mermaid as pictures. Neither the text of a diagram nor what the library makes
// of it is trusted: it is drawn in a sandbox of its own (sandbox.js), and what comes out is
// shown as an image, in which nothing runs and nothing is loaded. The library, 3.5 MB, is
// fetched with the first diagram.
import { confinedScripts, openSandbox } from './sandbox.js';

/** a longer one is shown as its text */
export const DIAGRAM_CHARS = 20000;
const SVG_CHARS = 2 * 1024 * 1024;
const DRAW_MS = 15000;

let library = null;
/** one after the other: each of them has the library read again */
let last = Promise.resolve();

function fetchLibrary()
{
	library ??= fetch(new URL('../vendor/mermaid.js', import.meta.url)).then((response) => {
		if (!response.ok)
			throw new Error(`mermaid.js: ${response.status}`);
		return response.text();
	}).catch((error) => {
		library = null;
		throw error;
	});
	return library;
}

/** Runs in the sandbox; its text is a script there. */
async function drawThere(source, dark)
{
	try {
		globalThis.mermaid.initialize({ startOnLoad: false, securityLevel: 'strict',
			theme: dark ? 'dark' : 'default', maxTextSize: 20000, maxEdges: 500,
			htmlLabels: false, flowchart: { htmlLabels: false },
			fontFamily: 'system-ui, sans-serif',
			secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges',
				'htmlLabels', 'theme', 'themeCSS', 'themeVariables', 'fontFamily'] });
		const { svg } = await globalThis.mermaid.render('d', source);
		const box = document.createElement('div');

		box.innerHTML = svg;
		const el = box.querySelector('svg');
		const [, , width, height] = (el.getAttribute('viewBox') || '').split(/[\s,]+/).map(Number);

		el.setAttribute('width', String(width || 600));
		el.setAttribute('height', String(height || 400));
		parent.postMessage({ svg: new XMLSerializer().serializeToString(el) }, '*');
	} catch (error) {
		parent.postMessage({ error: String(error?.message || error).slice(0, 300) }, '*');
	}
}

async function draw(source, dark, begins)
{
	const code = await fetchLibrary();

	begins?.();
	const box = document.createElement('div');
	const text = JSON.stringify(String(source)).replaceAll('<', '\\u003c');

	box.className = 'sandbox-hidden';
	box.inert = true;
	box.setAttribute('aria-hidden', 'true');
	document.body.append(box);
	try {
		return await new Promise((resolve, reject) => {
			const late = setTimeout(() => reject(new Error('too long')), DRAW_MS);

			openSandbox(box, confinedScripts([code, `(${drawThere})(${text}, ${Boolean(dark)})`]),
				{ own: true, title: '', said: (data) => {
				clearTimeout(late);
				const { svg, error } = Object(data);

				if (typeof svg === 'string' && svg.length <= SVG_CHARS && svg.startsWith('<svg'))
					resolve(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
				else
					reject(new Error(typeof error === 'string' ? error : ''));
			} });
		});
	} finally {
		box.remove();
	}
}

/**
 * Draws a diagram.
 * @param {() => void} [begins] called when it begins
 * @returns {Promise<string>} the address of its picture
 * @throws Error with what is wrong with it, in the words of the library
 */
export function drawDiagram(source, dark, begins)
{
	const mine = last.then(() => draw(source, dark, begins));

	last = mine.then(() => {}, () => {});
	return mine;
}
