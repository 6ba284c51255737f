// SPDX-License-Identifier: MIT
// <lamp-variants>: ‹ 2/3 › beside a message that has several versions. Either
// arrow switches the thread to that version; two can be seen side by side.
import { html } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampVariants extends PageElement {
	static properties = {
		/** the stored message: {messageId, variantIndex, variantCount} */
		row: { attribute: false },
		disabled: { type: Boolean },
	};

	constructor()
	{
		super();
		/** @type {{messageId: string, variantIndex: number, variantCount: number}} */
		this.row = undefined;
		this.disabled = false;
	}

	render()
	{
		const { variantIndex: at, variantCount: of } = this.row;

		return html`<div class="variants" role="group" aria-label=${t('variant.label')}>
			${this.#arrow('previous', at - 1, at > 1)}
			<span class="variants-at" aria-hidden="true">${at}/${of}</span>
			<span class="sr-only">${t('variant.at', { at, of })}</span>
			${this.#arrow('next', at + 1, at < of)}
			<button type="button" class="icon-button" aria-label=${t('variant.compare')}
				title=${t('variant.compare')} @click=${() => this.emit('lamp-compare', {
					messageId: this.row.messageId, index: at, busy: this.disabled })}
				>${icon('columns')}</button>
		</div>`;
	}

	#arrow(which, index, there)
	{
		const label = which === 'next' ? t('variant.next') : t('variant.previous');

		return html`<button type="button" class="icon-button variant-${which}"
			aria-label=${label} title=${label}
			aria-disabled=${there && !this.disabled ? 'false' : 'true'}
			@click=${() => {
				if (there && !this.disabled)
					this.emit('lamp-variant', { messageId: this.row.messageId, index, which });
			}}>${icon('chevron')}</button>`;
	}
}

customElements.define('lamp-variants', LampVariants);
