// SPDX-License-Identifier: MIT
// <lamp-question>: a question of the assistant with its choices, or a call of a
// page tool that some page would have to run: this one, after a reload, or
// another.
import { html, nothing } from '../../vendor/lit.js';
import { toolName } from '../format.js';
import { t } from '../strings.js';
import { canRun } from '../tools.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const ANSWER_CHARS = 4000;

class LampQuestion extends PageElement {
	static properties = {
		/** {type: 'clarification', question, options: [{id, label}], allowOther}, or
		 *  {type: 'client-tool', tool} */
		wait: { attribute: false },
		disabled: { type: Boolean },
		other: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/turn.js').Wait} */
		this.wait = undefined;
		this.disabled = false;
	}

	render()
	{
		return this.wait.type === 'clarification' ? this.#question() : this.#pageTool();
	}

	#question()
	{
		const { question, options = [], allowOther } = this.wait;

		return html`<section class="ask" aria-label=${t('question.label')}>
			<h3>${icon('question')}<span>${question}</span></h3>
			<div class="ask-options">
				${options.map(({ id, label }, i) => html`<button type="button"
					class="ask-option" ?disabled=${this.disabled}
					@click=${(event) => this.#reply(event, { result: { choice: id } })}>
					<kbd>${letter(i)}</kbd><span>${label}</span></button>`)}
				${allowOther && !this.other ? html`<button type="button" class="ask-option"
					?disabled=${this.disabled} @click=${this.#openOther}>
					<kbd>${letter(options.length)}</kbd><span>${t('question.other')}</span>
				</button>` : nothing}
			</div>
			${this.other ? html`<form class="ask-other" @submit=${this.#sendOther}>
				<input class="ask-answer" aria-label=${t('question.answer')}
					placeholder=${t('question.answer')} maxlength=${ANSWER_CHARS}
					autocomplete="off" ?disabled=${this.disabled}>
				<button class="button button-small button-main"
					?disabled=${this.disabled}>${t('composer.send')}</button></form>` : nothing}
		</section>`;
	}

	#pageTool()
	{
		return html`<section class="ask" aria-label=${t('question.pageLabel')}>
			<h3>${icon('tool')}<span>${t('question.page')}
				<b title=${this.wait.tool}>${toolName(this.wait.tool)}</b></span></h3>
			<div class="ask-buttons">${canRun(this.wait) ? html`<button type="button"
				class="button button-small button-main" ?disabled=${this.disabled}
				@click=${this.#run}>${t('question.here')}</button>` : nothing}<button
				type="button" class="button button-small" ?disabled=${this.disabled}
				@click=${(event) => this.#reply(event, { error: 'The page cannot do this.' })}
				>${t('question.without')}</button></div>
		</section>`;
	}

	#run = (event) => {
		if (event.isTrusted && !this.disabled)
			this.emit('lamp-carry-out', {});
	};

	#openOther = async () => {
		this.other = true;
		await this.updateComplete;
		this.querySelector('.ask-answer').focus();
	};

	#sendOther(event)
	{
		const field = /** @type {HTMLInputElement} */ (this.querySelector('.ask-answer'));
		const answer = field.value.trim();

		event.preventDefault();
		if (answer)
			this.#reply(event, { result: { answer } });
	}

	#reply(event, result)
	{
		if (event.isTrusted && !this.disabled)
			this.emit('lamp-reply', { wait: this.wait, result });
	}
}

/** A, B, C, … */
function letter(i)
{
	return String.fromCharCode(65 + i % 26);
}

customElements.define('lamp-question', LampQuestion);
