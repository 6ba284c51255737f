// SPDX-License-Identifier: MIT
// <lamp-edit>: edits a message of the user in place, or corrects an answer. Enter sends a
// message as in the message field; an answer has lines, so it is saved with Ctrl+Enter. Esc
// cancels.
import { html, live, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { MAX_CHARS, touch } from './composer.js';
import { PageElement } from './element.js';

/** as the server has it (limits.h) */
const MAX_ANSWER_CHARS = 1000000;

class LampEdit extends PageElement {
	static properties = {
		text: { type: String },
		/** true if later messages are superseded */
		tail: { type: Boolean },
		/** true if it is an answer */
		answer: { type: Boolean },
		disabled: { type: Boolean },
	};

	#focused = false;

	constructor()
	{
		super();
		this.tail = false;
		this.answer = false;
		this.disabled = false;
	}

	render()
	{
		const over = this.text.length - this.#most;
		const hint = this.answer ? t(this.tail ? 'correct.hintTail' : 'correct.hint') :
			this.tail ? t('edit.hint') : '';

		return html`<div class="edit">
			<textarea class="edit-field" rows="1" dir="auto"
				aria-label=${t(this.answer ? 'message.correct' : 'edit.label')}
				aria-describedby=${hint ? 'edit-hint' : nothing}
				.value=${live(this.text)} @input=${this.#onInput}
				@keydown=${this.#onKey}></textarea>
			<div class="edit-bar">
				${over > 0 ? html`<span class="composer-left over" role="status"
					>${t('composer.over', { n: over })}</span>` :
					hint ? html`<span class="edit-hint" id="edit-hint"
						>${hint}</span>` : nothing}
				<button type="button" class="button button-small"
					@click=${() => this.emit('lamp-edit-end')}>${t('app.cancel')}</button>
				<button type="button" class="button button-small button-main"
					?disabled=${!this.#sendable()} @click=${this.#send}
					>${t(this.answer ? 'correct.save' : 'composer.send')}</button>
			</div>
		</div>`;
	}

	get #most()
	{
		return this.answer ? MAX_ANSWER_CHARS : MAX_CHARS;
	}

	#sendable()
	{
		return !this.disabled && this.text.trim() !== '' && this.text.length <= this.#most;
	}

	#send()
	{
		if (this.#sendable())
			this.emit('lamp-edit-send', { content: this.answer ? this.text : this.text.trim() });
	}

	#onInput(event)
	{
		this.text = event.target.value;
		this.emit('lamp-edit-input', { text: this.text });
	}

	#onKey(event)
	{
		if (event.key === 'Escape') {
			event.preventDefault();
			event.stopPropagation();
			this.emit('lamp-edit-end');
		} else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing &&
			event.keyCode !== 229 && (this.answer ? event.ctrlKey || event.metaKey : !touch())) {
			event.preventDefault();
			this.#send();
		}
	}

	updated()
	{
		const field = /** @type {HTMLTextAreaElement} */ (this.querySelector('.edit-field'));

		field.style.height = 'auto';
		field.style.height = `${field.scrollHeight}px`;
		if (this.#focused)
			return;
		this.#focused = true;
		field.focus();
		field.setSelectionRange(this.text.length, this.text.length);
	}
}

customElements.define('lamp-edit', LampEdit);
