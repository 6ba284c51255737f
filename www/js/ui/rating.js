// SPDX-License-Identifier: MIT
// <lamp-rating>: why an answer was good or bad, in words of the user or of the page.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/** As the API names them (lib/domain/rating.c). */
const REASONS = ['wrong', 'incomplete', 'off-topic', 'sources', 'style', 'slow', 'unsafe',
	'other'];

class LampRating extends PageElement {
	static properties = {
		ratings: { attribute: false },
		reasons: { state: true },
		busy: { state: true },
		refused: { state: true },
	};

	#conversation = '';
	#turn = null;

	constructor()
	{
		super();
		/** @type {import('../store/ratings.js').Ratings} */
		this.ratings = undefined;
		this.reasons = [];
		this.busy = false;
		this.refused = null;
	}

	/** Asks why: of a turn that is rated. */
	async ask(conversationId, turn)
	{
		this.#conversation = conversationId;
		this.#turn = turn;
		this.reasons = turn.rating.reasons || [];
		this.refused = null;
		await this.updateComplete;
		/** @type {any} */
		const { comment, text } = this.querySelector('form').elements;

		comment.value = turn.rating.comment || '';
		text.checked = turn.rating.withText;
		this.querySelector('dialog').showModal();
	}

	#toggle(reason)
	{
		this.reasons = this.reasons.includes(reason) ?
			this.reasons.filter((one) => one !== reason) : [...this.reasons, reason];
	}

	#save = async (event) => {
		event.preventDefault();
		const { comment, text } = event.target.elements;

		this.busy = true;
		this.refused = null;
		try {
			await this.ratings.put(this.#conversation, this.#turn, { reasons: this.reasons,
				comment: comment.value.trim() || null, withText: text.checked });
			this.querySelector('dialog').close();
			this.emit('lamp-say', { text: t('rating.saved') });
		} catch (error) {
			this.refused = error;
		}
		this.busy = false;
	};

	render()
	{
		return frame('rating', t('rating.title'), html`<form class="arrange" @submit=${this.#save}>
			${this.refused ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.refused)}</span></p>` : nothing}
			<div class="chips" role="group" aria-label=${t('rating.reasons')}>${REASONS.map(
				(reason) => html`<button type="button" class="chip-button"
				aria-pressed=${this.reasons.includes(reason) ? 'true' : 'false'}
				@click=${() => this.#toggle(reason)}>${t(`rating.${reason}`)}</button>`)}</div>
			<div class="field"><label for="rating-comment">${t('rating.comment')}</label>
				<textarea id="rating-comment" class="field-text" name="comment" dir="auto" rows="3" maxlength="2000"></textarea></div>
			<div class="share-choices"><label><input type="checkbox" name="text"><span>${
				t('rating.text')}</span></label></div>
			<p class="field-help">${t('rating.who')}</p>
			<div class="dialog-buttons"><button class="button button-main"
				?disabled=${this.busy}>${t('form.save')}</button></div></form>`);
	}
}

customElements.define('lamp-rating', LampRating);
