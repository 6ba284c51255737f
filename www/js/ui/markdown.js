// SPDX-License-Identifier: MIT
// <lamp-markdown>: shows a markdown text that may still grow, at most once
// per frame, and less often when drawing is slow.
import { followNote } from '../asides.js';
import { dressCitations } from '../citations.js';
import { pressCode } from '../code.js';
import { MarkdownView } from '../growing.js';
import './diagram.js';

const SLOW_MS = 8;

export class LampMarkdown extends HTMLElement {
	#view = new MarkdownView(this);
	#text = '';
	#live = false;
	#sources = [];
	#checked = null;
	#frame = 0;
	#notBefore = 0;

	/**
	 * {text, live, sources, checked}; live: more text may come; the others
	 * belong to an answer: see citations.js. One property, because the text
	 * that ends an answer must not be drawn with the other's old value.
	 */
	set source({ text, live, sources = [], checked = null })
	{
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
	}

	#schedule()
	{
		// a finished text is complete at once: its height is known
		// before the thread scrolls
		if (!this.#live) {
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
