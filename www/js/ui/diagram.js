// SPDX-License-Identifier: MIT
// <lamp-diagram>: the picture of a diagram in mermaid, drawn when it comes into view and
// again when the colours of the page change.
import { DIAGRAM_CHARS, drawDiagram } from '../diagrams.js';
import { drop, read, session, write } from '../storage.js';
import { t } from '../strings.js';

/**
 * In a browser that runs the sandbox in the page's process, a diagram without an end would
 * hold up the page, and again after each reload. So the one that is being drawn is remembered,
 * and after that drawn only when asked for.
 */
const DRAWING = 'lamplighter.drawing';

/** Some number of a text: FNV-1a. */
function digest(text)
{
	let hash = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return String(hash >>> 0);
}

/** The one during which the page was left, if any: looked at once. */
const stuck = read(session(), DRAWING);

drop(session(), DRAWING);

class LampDiagram extends HTMLElement {
	#text = '';
	#asked = 0;
	#pressed = false;
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
		const text = this.#text;
		const dark = document.documentElement.dataset.theme === 'dark';

		if (this.#text.length > DIAGRAM_CHARS) {
			this.#fail(t('diagram.long'));
			return;
		}
		if (digest(this.#text) === stuck && !this.#pressed) {
			this.#offer();
			return;
		}
		this.classList.add('drawing');
		try {
			const image = new Image();

			image.src = await drawDiagram(this.#text, dark,
				() => write(session(), DRAWING, digest(text)));
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
		// the next one may be drawn already
		if (read(session(), DRAWING) === digest(text))
			drop(session(), DRAWING);
		this.classList.remove('drawing');
	}

	#offer()
	{
		const button = document.createElement('button');

		button.type = 'button';
		button.className = 'chip-button';
		button.textContent = t('diagram.draw');
		button.addEventListener('click', () => {
			this.#pressed = true;
			this.#draw();
		});
		this.classList.add('failed');
		this.replaceChildren(button);
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
