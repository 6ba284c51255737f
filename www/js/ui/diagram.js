// SPDX-License-Identifier: MIT
// <lamp-diagram>: the picture of a diagram in mermaid, drawn when it comes into view and
// again when the colours of the page change.
import { DIAGRAM_CHARS, drawDiagram } from '../diagrams.js';
import { t } from '../strings.js';

class LampDiagram extends HTMLElement {
	#text = '';
	#asked = 0;
	#near = new IntersectionObserver((seen) => {
		if (seen.some((entry) => entry.isIntersecting)) {
			this.#near.disconnect();
			this.#draw();
		}
	}, { rootMargin: '400px' });
	#theme = new MutationObserver(() => this.#again());

	/** The diagram's text. */
	set source(text)
	{
		this.#text = text;
		this.#again();
	}

	connectedCallback()
	{
		this.#theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
		this.#again();
	}

	disconnectedCallback()
	{
		this.#theme.disconnect();
		this.#near.disconnect();
	}

	#again()
	{
		this.#near.disconnect();
		if (this.isConnected && this.#text)
			this.#near.observe(this);
	}

	async #draw()
	{
		const asked = ++this.#asked;
		const dark = document.documentElement.dataset.theme === 'dark';

		if (this.#text.length > DIAGRAM_CHARS) {
			this.#fail(t('diagram.long'));
			return;
		}
		this.classList.add('drawing');
		try {
			const image = new Image();

			image.src = await drawDiagram(this.#text, dark);
			image.alt = t('diagram.alt', { kind: /^\s*(?:%%[^\n]*\n\s*|---[^]*?---\s*)*(\w+)/
				.exec(this.#text)?.[1] || '' });
			await image.decode();
			if (asked === this.#asked) {
				this.classList.remove('failed');
				this.replaceChildren(image);
			}
		} catch (error) {
			if (asked === this.#asked)
				this.#fail(t('diagram.failed', { reason: error.message.split('\n')[0].slice(0, 160) }));
		}
		this.classList.remove('drawing');
	}

	#fail(text)
	{
		const note = document.createElement('p');

		note.className = 'muted';
		note.textContent = text;
		this.classList.add('failed');
		this.replaceChildren(note);
	}
}

customElements.define('lamp-diagram', LampDiagram);
