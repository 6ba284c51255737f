// <lamp-turn>: a question, what was done for it, and the answer.
import { html, nothing } from '../../vendor/lit.js';
import { copyText } from '../clipboard.js';
import { moment } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon, lantern } from './icons.js';
import './markdown.js';
import './tool.js';

/** Longer messages of the user are folded. */
const FOLD_CHARS = 1500;
/** The share of the context window from which on people are told. */
const CONTEXT_NEAR = 0.85;

const NOTES = ['length', 'refusal', 'content_filter', 'cancelled', 'interrupted'];

class LampTurn extends PageElement {
	static properties = {
		turn: { attribute: false },
		name: { type: String },
		/** true when this is the newest turn, which may be tried again */
		newest: { type: Boolean },
		copied: { state: true },
		unfolded: { state: true },
	};

	constructor()
	{
		super();
		this.copied = '';
		new Watch(this, () => this.turn);
	}

	/** Drawn only when its tool calls are, too: the thread measures it. */
	async getUpdateComplete()
	{
		const done = await super.getUpdateComplete();
		const tools = [...this.querySelectorAll('lamp-tool')];

		await Promise.all(tools.map((tool) => tool.updateComplete));
		return done;
	}

	render()
	{
		const { turn } = this;
		const begun = turn.running || turn.answer || turn.parts.length > 0 ||
			turn.text;

		return html`
			${turn.user ? this.#user(turn.user) : nothing}
			${begun || turn.user ? this.#assistant(turn) : nothing}`;
	}

	#user(row)
	{
		const long = row.content.length > FOLD_CHARS;
		const fold = long && !this.unfolded;

		return html`<article class="message message-user">
			<h2 class="sr-only">${t('message.youSaid')}</h2>
			<div class="bubble ${fold ? 'folded' : ''}" title=${moment(row.createdAt)}
				>${row.content}</div>
			<div class="message-actions">
				${long ? html`<button type="button" class="link-button"
					aria-expanded=${!fold}
					@click=${() => { this.unfolded = !this.unfolded; }}>
					${fold ? t('message.showMore') : t('message.showLess')}
				</button>` : nothing}
				${this.#copyButton('user', t('message.copyMine'), row.content)}
			</div>
		</article>`;
	}

	#assistant(turn)
	{
		return html`<article class="message message-assistant"
			aria-busy=${turn.running ? 'true' : 'false'}>
			<h2 class="sr-only">${t('message.assistantSaid', { name: this.name })}</h2>
			<div class="avatar">${lantern(turn.running ? 'lit' : '')}</div>
			<div class="message-body">
				${turn.parts.map((part) => this.#part(part))}
				${this.#answer(turn)}
				${turn.running ? this.#status(turn) : this.#notes(turn)}
				${turn.running ? nothing : this.#actions(turn)}
			</div>
		</article>`;
	}

	#part(part)
	{
		if (part.kind === 'tool') {
			const version = (part.running ? 0 : 1) + (part.result === undefined ? 0 : 2);

			return html`<lamp-tool .part=${part} version=${version}></lamp-tool>`;
		}
		if (part.kind === 'text') {
			return html`<lamp-markdown class="narration"
				.source=${{ text: part.text, live: false }}></lamp-markdown>`;
		}
		return html`<details class="reasoning">
			<summary>${icon('thought')}
				<span>${part.running ? t('message.reasoningNow') :
					t('message.reasoning')}</span>
				<span class="tool-chevron">${icon('chevron')}</span></summary>
			<div class="reasoning-text">${part.text.trim()}</div>
		</details>`;
	}

	#answer(turn)
	{
		return html`${turn.text ? html`<lamp-markdown class="answer"
			.source=${{ text: turn.text, live: turn.running }}></lamp-markdown>` : nothing}
			${turn.failure ? this.#failure(turn.failure) : nothing}`;
	}

	/** What went wrong; the words that came before it stay above. */
	#failure({ code, message })
	{
		return html`<div class="failure" role="group" aria-label=${t('note.error')}>
			${icon('warning')}
			<div>
				<p>${message || t('note.error')}</p>
				${code ? html`<p class="muted">${code}</p>` : nothing}
			</div>
		</div>`;
	}

	#status(turn)
	{
		const name = turn.stopping ? 'stopping' : turn.status || 'thinking';

		// while the text grows it speaks for itself
		if (name === 'answering' && turn.text)
			return nothing;
		return html`<p class="turn-status status-${name}">${t(`status.${name}`)}<span
			class="dots" aria-hidden="true"><i></i><i></i><i></i></span></p>`;
	}

	#notes(turn)
	{
		const notes = turn.warnings.map((warning) => warning.message);

		if (!turn.answer)
			notes.push(t('note.missing'));
		if (NOTES.includes(turn.finish))
			notes.push(t(`note.${turn.finish}`));
		if (turn.meta.stored === false)
			notes.push(t('note.unstored'));
		if (turn.meta.capped)
			notes.push(t('note.capped'));
		if (turn.context && turn.context.contextTokens > 0 &&
		    turn.context.inputTokens > turn.context.contextTokens * CONTEXT_NEAR)
			notes.push(t('note.context'));
		return notes.filter(Boolean).map((note) =>
			html`<p class="note">${note}</p>`);
	}

	#actions(turn)
	{
		const { model, usage } = turn.meta;
		const output = usage?.outputTokens;
		const asked = turn.user?.content;

		return html`<div class="message-actions">
			${turn.text ?
				this.#copyButton('answer', t('message.copyAnswer'), turn.text) : nothing}
			${turn.failed && this.newest && asked ? html`
				<button type="button" class="chip-button"
					@click=${() => this.emit('lamp-send', { content: asked })}>
					${icon('retry')}<span>${t('message.retry')}</span></button>` : nothing}
			${model ? html`<span class="message-meta"
				title=${usage ? t('message.usage', {
					input: (usage.inputTokens || 0) + (usage.cachedTokens || 0),
					cached: usage.cachedTokens || 0,
					output: output || 0 }) : ''}>${model}${output ?
				html` · ${t('message.tokens', { n: output })}` : nothing}</span>` : nothing}
		</div>`;
	}

	#copyButton(which, label, text)
	{
		const done = this.copied === which;

		return html`<button type="button" class="icon-button" aria-label=${label}
			title=${done ? t('message.copied') : label}
			@click=${() => this.#copy(which, text)}>
			${icon(done ? 'check' : 'copy')}</button>`;
	}

	async #copy(which, text)
	{
		const done = await copyText(text);

		this.emit('lamp-say', {
			text: done ? t('message.copied') : t('message.copyFailed') });
		this.copied = done ? which : '';
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => { this.copied = ''; }, 1800);
	}

	#timer = null;
}

customElements.define('lamp-turn', LampTurn);
