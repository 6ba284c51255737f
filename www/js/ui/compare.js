// SPDX-License-Identifier: MIT
// <lamp-compare>: two versions of a message side by side, of which one is taken.
import { html, nothing } from '../../vendor/lit.js';
import { errorText, moment } from '../format.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './markdown.js';

/** As many pages of versions are read: nobody compares more. */
const PAGES = 5;

class LampCompare extends PageElement {
	static properties = {
		api: { attribute: false },
		/** of the API, oldest first; null while they are loading */
		variants: { state: true },
		/** which two are shown, from 0 */
		sides: { state: true },
		busy: { state: true },
		error: { state: true },
	};

	#messageId = '';

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.variants = null;
		this.sides = [0, 0];
		this.busy = false;
		this.error = null;
	}

	/**
	 * @param {string} conversationId
	 * @param {{messageId: string, index: number, busy: boolean}} what index: the version that
	 *        is shown, from 1; busy: no other one can be taken now
	 */
	async show(conversationId, { messageId, index, busy })
	{
		this.#messageId = messageId;
		this.variants = null;
		this.error = null;
		this.busy = busy;
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		try {
			const items = [];

			for (let page = 0, cursor; page < PAGES && cursor !== null; page++) {
				const got = await this.api.variants(conversationId, messageId, cursor);

				items.push(...got.items);
				cursor = got.nextCursor;
			}
			const at = Math.min(index, items.length) - 1;

			this.sides = at > 0 ? [at - 1, at] : [0, Math.min(1, items.length - 1)];
			this.variants = items;
		} catch (error) {
			this.error = error;
		}
	}

	#take(at)
	{
		this.querySelector('dialog').close();
		if (!this.variants[at].current)
			this.emit('lamp-take', { messageId: this.#messageId, index: at + 1 });
	}

	#side(which)
	{
		const at = this.sides[which];
		const { variants } = this;
		const { createdAt, current, messages } = variants[at];
		const answer = messages.findLast(({ role }) => role === 'assistant');
		const { model, usage, corrected } = answer?.metadata || {};
		const name = t('variant.at', { at: at + 1, of: variants.length });

		return html`<section class="compare-side" aria-label=${name}>
			<label class="select"><span class="sr-only">${t('variant.label')}</span>
				<select @change=${({ target }) => {
					this.sides = this.sides.map((old, i) => i === which ? Number(target.value) : old);
				}}>${variants.map((_, i) => html`<option value=${i} ?selected=${i === at}
					>${t('variant.at', { at: i + 1, of: variants.length })}</option>`)}</select>${icon('chevron')}</label>
			<div class="compare-text" tabindex="0">${messages.map(({ role, content }) =>
				role === 'user' ? html`<p class="bubble" dir="auto">${content}</p>` :
					role === 'assistant' && content ? html`<lamp-markdown
						.source=${{ text: content, live: false }}></lamp-markdown>` : nothing)}</div>
			<p class="muted">${[corrected ? t('correct.mine') : model, usage?.outputTokens ? t('message.tokens',
				{ n: usage.outputTokens }) : '', moment(createdAt)].filter(Boolean).join(' · ')}</p>
			<button type="button" class="button" ?disabled=${this.busy || current}
				@click=${() => this.#take(at)}>${
				t(current ? 'variant.taken' : 'variant.take')}</button></section>`;
	}

	render()
	{
		return frame('compare', t('variant.compare'), html`
			${this.error ? html`<p role="alert">${errorText(this.error)}</p>` : nothing}
			${this.variants ? html`<div class="compare">${this.#side(0)}${this.#side(1)}</div>` :
				this.error ? nothing : html`<p>${t('app.loading')}</p>`}`, 'dialog-wide');
	}
}

customElements.define('lamp-compare', LampCompare);
