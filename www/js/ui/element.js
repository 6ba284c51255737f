// SPDX-License-Identifier: MIT
// The base of all elements of the page. They draw into the page itself, not
// into shadow trees: text can be selected and searched across messages, labels
// reach across elements, and one style sheet styles them all.
import { LitElement } from '../../vendor/lit.js';

export class PageElement extends LitElement {
	createRenderRoot()
	{
		return this;
	}

	/** Sends an event up to its listeners. */
	emit(name, detail)
	{
		this.dispatchEvent(new CustomEvent(name,
			{ detail, bubbles: true, composed: true }));
	}
}
