// SPDX-License-Identifier: MIT
// <lamp-try>: a chat with the agent as its form is now, saved or not. Its conversation is
// in no list, and is deleted when the form is left.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { bodyOf, inWords } from '../form.js';
import { errorText } from '../format.js';
import { Watch } from '../observable.js';
import { Thread } from '../store/thread.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/** What a turn may ask of a thread; all else that it tells is not for this chat. */
const ACTS = {
	'lamp-decided': (thread, { turn, wait, body }) => thread.decide(turn, wait, body),
	'lamp-replied': (thread, { turn, wait, result }) => thread.reply(turn, wait, result),
	'lamp-go-on': (thread, { turn }) => thread.goOn(turn),
};

class LampTry extends PageElement {
	static properties = {
		at: { attribute: false },
		/** what is wrong with the form */
		problem: { state: true },
		text: { state: true },
	};

	#left = null;

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.problem = '';
		this.text = '';
		/** @type {Thread | null} */
		this.thread = null;
		new Watch(this, () => this.thread);
		new Watch(this, () => this.at?.draft);
		for (const [name, act] of Object.entries(ACTS))
			this.addEventListener(name, (event) => {
				event.stopPropagation();
				this.#hold(act(this.thread, /** @type {CustomEvent} */ (event).detail));
			});
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#left = new AbortController();
		addEventListener('pagehide', () => this.#forget(), { signal: this.#left.signal });
	}

	disconnectedCallback()
	{
		this.#left.abort();
		super.disconnectedCallback();
		this.#forget();
	}

	/** Nothing of it stays. */
	async #forget()
	{
		const { thread } = this;

		this.thread = null;
		if (!thread)
			return;
		// what runs is stopped by it
		if (thread.conversationId)
			this.at.api.remove(thread.conversationId, true).catch(() => {});
	}

	/** The agent as it would be saved, or null: the form says what is wrong. */
	#agent()
	{
		const { draft } = this.at;
		const { form, values } = draft;
		const { body, errors } = bodyOf(form, { ...values,
			name: values.name.trim() || t('try.unnamed') }, null);

		if (!draft.isNew)
			body.agentId = draft.id;
		draft.errors = errors;
		draft.changed();
		if (Object.keys(errors).length === 0)
			return body;
		this.problem = Object.values(errors).join(' ');
		return null;
	}

	async #send(event)
	{
		event.preventDefault();
		const content = this.text.trim();
		const agent = content && !this.thread?.live ? this.#agent() : null;
		const { api, places, draft } = this.at;

		if (!agent)
			return;
		this.problem = '';
		this.thread ??= new Thread(api, document.querySelector('lamp-app').link,
			{ created() {}, changed() {}, finished() {}, asked() {} },
			{ workspaceId: draft.record?.workspaceId || places.workspaceId });
		this.thread.trial = agent;
		this.text = '';
		if (!await this.#hold(this.thread.send(content)))
			this.#refused(content);
	}

	/** Shows what a request changes, whatever becomes of it. */
	async #hold(promise)
	{
		this.requestUpdate();
		const done = await promise;

		this.requestUpdate();
		return done;
	}

	/** The message returns to its field; what is wrong with a field of the form stands there. */
	#refused(content)
	{
		const { draft } = this.at;
		const { sendError: error } = this.thread || {};
		const field = draft.form.fields.find(({ key }) => key === error?.field?.split(/[.[]/)[0]);

		this.text = content;
		if (!error)
			return;
		this.problem = field ? inWords(draft.form, field, error.detail) : errorText(error);
		if (field)
			draft.errors = { [field.key]: this.problem };
		draft.changed();
	}

	render()
	{
		const { thread } = this;
		const turns = thread?.turns || [];

		return html`<section class="try" aria-labelledby="try-title">
			<div class="try-head"><h2 id="try-title">${t('try.title')}</h2>
				${turns.length > 0 ? html`<button type="button" class="chip-button"
					@click=${() => this.#forget().then(() => this.requestUpdate())}>${
					t('try.again')}</button>` : nothing}</div>
			${turns.length === 0 ? html`<p class="muted">${t('try.text')}</p>` : nothing}
			<div class="try-turns">${repeat(turns, ({ key }) => key, (turn) => html`<lamp-turn
				readonly .turn=${turn} name=${this.at.draft.values.name || t('try.unnamed')}></lamp-turn>`)}</div>
			${this.problem ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				this.problem}</span></p>` : nothing}
			<form class="try-form" @submit=${(event) => this.#send(event)}>
				<textarea class="field-text" rows="2" aria-label=${t('try.message')}
					placeholder=${t('try.message')} .value=${this.text}
					@input=${(event) => { this.text = event.target.value; }}
					@keydown=${this.#onKey}></textarea>
				${thread?.live ? html`<button type="button" class="button"
					@click=${() => thread.stop()}>${t('try.stop')}</button>` : html`
					<button type="submit" class="button" ?disabled=${!this.text.trim()}>${
						t('try.send')}</button>`}
			</form></section>`;
	}

	#onKey = (event) => {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing)
			return;
		event.preventDefault();
		event.target.form.requestSubmit();
	};
}

customElements.define('lamp-try', LampTry);
