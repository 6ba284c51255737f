// SPDX-License-Identifier: MIT
// <lamp-try>: what the agent would do as its form is now, saved or not: a chat with it, one of
// its tools, what it finds in its knowledge bases.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { Trial } from './trial.js';
import './passages.js';
import './try-tool.js';

const KNOWLEDGE = 'AIChat.Knowledge.Read';

class LampTry extends PageElement {
	static properties = {
		at: { attribute: false },
		/** chat, tool or search */
		what: { state: true },
		/** those that were shown: they stay as they are */
		seen: { state: true },
		/** what is wrong with the form */
		problem: { state: true },
		text: { state: true },
	};

	#trial = new Trial(this);

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.what = 'chat';
		this.seen = ['chat'];
		this.problem = '';
		this.text = '';
		new Watch(this, () => this.at?.draft);
	}

	async #send(event)
	{
		event.preventDefault();
		const content = this.text.trim();

		if (!content || this.#trial.thread?.live)
			return;
		this.problem = '';
		this.text = '';
		const problem = await this.#trial.send(content);

		if (problem === null)
			return;
		// the message returns to its field
		this.text = content;
		this.problem = problem;
	}

	render()
	{
		const whats = ['chat', 'tool', ...this.at.places.me.permissions.includes(KNOWLEDGE) ? ['search'] : []];
		const turns = this.#trial.thread?.turns || [];

		return html`<section class="try" aria-labelledby="try-title">
			<div class="try-head"><h2 id="try-title" tabindex="-1">${t('try.title')}</h2>
				${turns.length > 0 && this.what === 'chat' ? html`<button type="button" class="chip-button"
					@click=${() => this.#trial.forget()}>${t('try.again')}</button>` : nothing}</div>
			<div class="chips" role="group" aria-label=${t('try.what')}>${whats.map((what) => html`<button
				type="button" class="chip-button" aria-pressed=${what === this.what ? 'true' : 'false'}
				@click=${() => this.#show(what)}>${t(`try.${what}`)}</button>`)}</div>
			<div ?hidden=${this.what !== 'chat'}>${this.#chat(turns)}</div>
			${this.seen.includes('tool') ? html`<lamp-try-tool .at=${this.at}
				?hidden=${this.what !== 'tool'}></lamp-try-tool>` : nothing}
			${this.seen.includes('search') ? html`<lamp-passages .at=${this.at}
				?hidden=${this.what !== 'search'}></lamp-passages>` : nothing}</section>`;
	}

	#show(what)
	{
		this.what = what;
		this.seen = [...new Set([...this.seen, what])];
	}

	#chat(turns)
	{
		const { thread } = this.#trial;

		return html`<div class="try-part">
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
			</form></div>`;
	}

	#onKey = (event) => {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing)
			return;
		event.preventDefault();
		event.target.form.requestSubmit();
	};
}

customElements.define('lamp-try', LampTry);
