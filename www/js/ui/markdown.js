// SPDX-License-Identifier: MIT
// <lamp-markdown>: shows a markdown text that may still grow, at most once
// per frame, and less often when drawing is slow. One far up a thread stays the text that
// it is, which the browser's search finds, until the reader comes near, or prints.
import { followNote } from '../asides.js';
import { dressCitations } from '../citations.js';
import { pressCode } from '../code.js';
import { MarkdownView } from '../growing.js';
import './diagram.js';

const SLOW_MS = 8;
/** How near a reader is when a text is drawn that was not yet. */
const NEAR_PX = 1500;

/** Those that are not drawn yet. @type {Set<LampMarkdown>} */
const waiting = new Set();
/** Who tells that they are near, by what they are scrolled in. @type {WeakMap<Element, IntersectionObserver>} */
const observers = new WeakMap();

addEventListener('beforeprint', () => {
	for (const one of [...waiting])
		one.drawNow();
});

/** Draws all of them, without holding up the page. */
function drawInPieces()
{
	const end = performance.now() + SLOW_MS;

	for (const one of [...waiting]) {
		if (performance.now() > end) {
			setTimeout(drawInPieces);
			return;
		}
		one.drawNow();
	}
}

// the browser's search is about to begin, whose hits would lose their mark
addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
	if (key === 'F3' || ((ctrlKey || metaKey) && key.toLowerCase() === 'f'))
		drawInPieces();
});

function observerIn(scroller)
{
	if (!observers.has(scroller))
		observers.set(scroller, new IntersectionObserver((seen) => {
			for (const { isIntersecting, target } of seen)
				if (isIntersecting)
					/** @type {LampMarkdown} */ (target).drawNow();
		}, { root: scroller, rootMargin: `${NEAR_PX}px 0px` }));
	return observers.get(scroller);
}

export class LampMarkdown extends HTMLElement {
	#view = new MarkdownView(this);
	#text = '';
	#live = false;
	#sources = [];
	#checked = null;
	#frame = 0;
	#notBefore = 0;
	#later = false;
	/** what is near when it is; null: it is drawn, or will be at once */
	#observer = null;

	/**
	 * {text, live, sources, checked, later}; live: more text may come; later: it may be
	 * drawn when the reader comes near; the others
	 * belong to an answer: see citations.js. One property, because the text
	 * that ends an answer must not be drawn with the other's old value.
	 */
	set source({ text, live, sources = [], checked = null, later = false })
	{
		// what is drawn stays so
		this.#later = later && (this.childElementCount === 0 || Boolean(this.#observer));
		this.#sources = sources;
		this.#checked = checked;
		this.#text = text;
		this.#live = live;
		this.#schedule();
	}

	connectedCallback()
	{
		this.classList.add('prose');
		this.addEventListener('click', this.#click);
		this.#schedule();
	}

	disconnectedCallback()
	{
		this.removeEventListener('click', this.#click);
		this.#stopWaiting();
	}

	#wait()
	{
		const scroller = this.closest('lamp-thread');

		if (!scroller) {
			this.drawNow();
			return;
		}
		this.textContent = this.#text;
		this.classList.add('later');
		if (this.#observer)
			return;
		this.#observer = observerIn(scroller);
		this.#observer.observe(this);
		waiting.add(this);
	}

	#stopWaiting()
	{
		this.#observer?.unobserve(this);
		this.#observer = null;
		waiting.delete(this);
	}

	/** Draws what waits for the reader. */
	drawNow()
	{
		if (!this.#later)
			return;
		this.#later = false;
		this.#draw();
	}

	#schedule()
	{
		// a finished text is complete at once: its height is known
		// before the thread scrolls
		if (!this.#live && this.#later) {
			if (this.isConnected)
				this.#wait();
		} else if (!this.#live) {
			cancelAnimationFrame(this.#frame);
			this.#frame = 0;
			this.#draw();
		} else if (!this.#frame) {
			this.#frame = requestAnimationFrame(() => this.#onFrame());
		}
	}

	#onFrame()
	{
		const start = performance.now();

		if (start < this.#notBefore) {
			this.#frame = requestAnimationFrame(() => this.#onFrame());
			return;
		}
		this.#frame = 0;
		this.#draw();
		const took = performance.now() - start;

		this.#notBefore = took > SLOW_MS ? start + took * 6 : 0;
	}

	#draw()
	{
		this.#stopWaiting();
		this.classList.remove('later');
		this.#view.show(this.#text, this.#live);
		if (!this.#live && this.#checked)
			dressCitations(this, this.#sources.map(({ number }) => number), this.#checked);
	}

	#click = (event) => {
		const cite = event.target.closest('button.cite');

		if (cite) {
			this.dispatchEvent(new CustomEvent('lamp-cite', { bubbles: true,
				detail: { number: Number(cite.dataset.source) } }));
		} else if (!followNote(this, event.target)) {
			pressCode(event.target);
		}
	};
}

customElements.define('lamp-markdown', LampMarkdown);
