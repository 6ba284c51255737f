// SPDX-License-Identifier: MIT
// <lamp-changes>: a text, with what is new in it, and what is gone, since another one. The
// library is loaded when the first one is looked at. Without it, or if the texts are too
// different to be compared soon, it is only the text. A brief one leaves out what is the same
// far from a change.
import { html } from '../../vendor/lit.js';
import { PageElement } from './element.js';

const LIMIT_MS = 500;
/** words around a change that a brief text keeps */
const NEAR = 24;

/** The words of a text in any language, and what is between them. */
function words(text)
{
	if (!Intl.Segmenter)
		return text.split(/(\s+)/);
	return Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text),
		({ segment }) => segment);
}

class LampChanges extends PageElement {
	static properties = {
		was: { attribute: false },
		is: { attribute: false },
		brief: { type: Boolean },
		parts: { state: true },
	};

	constructor()
	{
		super();
		this.was = '';
		this.is = '';
		this.brief = false;
		this.parts = null;
	}

	willUpdate(changed)
	{
		if (changed.has('was') || changed.has('is'))
			this.#compare();
	}

	async #compare()
	{
		const { was, is } = this;

		this.parts = null;
		try {
			const { diffArrays } = await import('../../vendor/diff.js');
			const parts = diffArrays(words(was), words(is), { timeout: LIMIT_MS });

			if (was === this.was && is === this.is)
				this.parts = parts;
		} catch {
			// the text is there
		}
	}

	render()
	{
		return html`<div class="told-text">${this.parts ? this.parts.map(
			({ added, removed, value }, i) => added ? html`<ins>${value.join('')}</ins>` :
				removed ? html`<del>${value.join('')}</del>` : this.#same(value, i)) : this.is}</div>`;
	}

	/** A part that is the same; of a long one, only what is near a change. */
	#same(value, i)
	{
		if (!this.brief || value.length <= 2 * NEAR)
			return value.join('');
		const [head, tail] = [i > 0 ? value.slice(0, NEAR) : [],
			i < this.parts.length - 1 ? value.slice(-NEAR) : []];

		return `${head.join('')} … ${tail.join('')}`;
	}
}

customElements.define('lamp-changes', LampChanges);
