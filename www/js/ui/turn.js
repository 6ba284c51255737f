// SPDX-License-Identifier: MIT
// <lamp-turn>: a question, what was done for it, and the answer.
import { html, nothing } from '../../vendor/lit.js';
import { copyText } from '../clipboard.js';
import { moment, toolName } from '../format.js';
import { LINK } from '../markdown.js';
import { Watch } from '../observable.js';
import { stepOfCall } from '../store/turn.js';
import { t } from '../strings.js';
import { asTable, cellText, chartOf } from '../table.js';
import { plain } from './approval.js';
import { attachmentCards } from './attachments.js';
import { PageElement } from './element.js';
import { icon, lantern } from './icons.js';
import { mentionChips } from './picker.js';
import { sourcesView } from './sources.js';
import { linksView } from './states.js';
import './chart.js';
import './edit.js';
import './effects.js';
import './markdown.js';
import './menu.js';
import { countOf, stepsOf } from './plan.js';
import './question.js';
import './tool.js';
import './variants.js';

/** Longer messages of the user are folded. */
const FOLD_CHARS = 1500;
/** The share of the context window from which users are warned. */
const CONTEXT_NEAR = 0.85;

const NOTES = ['length', 'refusal', 'content_filter', 'cancelled', 'interrupted'];

/**
 * What the page said with a message; the user sees everything that the model
 * was told.
 */
function moduleNote(module)
{
	if (!module)
		return nothing;
	const said = Object.entries(module.parameters || {});

	return html`<details class="module-note"><summary>${t('message.module', { name: module.name })}${
		icon('chevron')}</summary>
		${said.length === 0 ? html`<p>${t('message.moduleBare')}</p>` : html`<dl>${
			said.map(([name, value]) => html`<div><dt>${name}</dt>
				<dd dir="auto">${String(value)}</dd></div>`)}</dl>`}</details>`;
}

export class LampTurn extends PageElement {
	static properties = {
		turn: { attribute: false },
		name: { type: String },
		/** while it is too far from the view to be drawn: about how high it is; else 0 */
		far: { type: Number },
		/** true if this is the newest turn, which can be tried again */
		newest: { type: Boolean },
		/** true while the thread must not be changed */
		busy: { type: Boolean },
		/** true if it is somebody else's */
		readonly: { type: Boolean },
		/** true if the browser can read it aloud */
		speaks: { type: Boolean },
		/** true while it does */
		spoken: { type: Boolean },
		copied: { state: true },
		charted: { state: true },
		unfolded: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/turn.js').Turn} */
		this.turn = undefined;
		this.name = '';
		this.far = 0;
		this.newest = false;
		this.busy = false;
		this.readonly = false;
		this.speaks = false;
		this.spoken = false;
		this.copied = '';
		this.charted = false;
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

	updated(changed)
	{
		const { connection } = this.turn;

		if (changed.has('far'))
			this.style.height = this.far ? `${this.far}px` : '';

		if (connection && connection !== this.#told)
			this.emit('lamp-say', { text: t('live.reconnecting') });
		this.#told = connection;
		for (const [callId, board] of this.turn.boards)
			this.#sayBoard(callId, board);
	}

	/** That a plan runs, and has ended; the cards say what it asks for. */
	#sayBoard(callId, board)
	{
		const before = this.#boards.get(callId);
		const n = stepsOf(board.plan).length;

		this.#boards.set(callId, board.status);
		if (!this.turn.running || before === board.status)
			return;
		if (before === undefined && board.status === 'running')
			this.emit('lamp-say', { text: t('live.plan', { n }) });
		else if (['done', 'partial'].includes(board.status))
			this.emit('lamp-say', { text: t('live.planEnded', {
				text: t('plan.sum', { done: countOf(board, 'done'), n }) }) });
	}

	render()
	{
		const { turn } = this;
		const begun = turn.running || turn.answer || turn.parts.length > 0 ||
			turn.text;

		if (this.far)
			return nothing;
		return html`
			${turn.user ? this.#user(turn.user) : nothing}
			${begun || turn.user ? this.#assistant(turn) : nothing}`;
	}

	#user(row)
	{
		const long = row.content.length > FOLD_CHARS;
		const fold = long && !this.unfolded;

		if (this.turn.editing !== null)
			return this.#editing();
		return html`<article class="message message-user">
			<h2 class="sr-only">${t('message.youSaid')}</h2>
			<div class="bubble ${fold ? 'folded' : ''}" dir="auto" title=${moment(row.createdAt)}
				>${row.content}</div>
			${mentionChips(row.metadata?.mentions)}
			${moduleNote(row.metadata?.module)}
			${attachmentCards(row)}
			<div class="message-actions">
				${long ? html`<button type="button" class="link-button"
					aria-expanded=${!fold}
					@click=${() => { this.unfolded = !this.unfolded; }}>
					${fold ? t('message.showMore') : t('message.showLess')}
				</button>` : nothing}
				${row.messageId && !this.readonly ? html`<span class="wide-only">
					${this.#button('pencil', t('message.edit'), this.#edit, 'edit-button')}
				</span>` : nothing}
				<span class="wide-only">${this.#copyButton('user',
					t('message.copyMine'), row.content)}</span>
				<lamp-menu class="narrow-only" label=${t('message.actions')}
					.items=${this.#userItems(row)}></lamp-menu>
			</div>
			${this.#variants(row)}
		</article>`;
	}

	/** The same as the buttons beside a question, for narrow windows. */
	#userItems(row)
	{
		/** @type {import('./menu.js').Item[]} */
		const items = [{ text: t('message.copyMine'), icon: 'copy',
			run: () => this.#copy('user', row.content) }];

		if (row.messageId && !this.busy && !this.readonly)
			items.unshift({ text: t('message.edit'), icon: 'pencil', run: this.#edit });
		return items;
	}

	#editing()
	{
		return html`<article class="message message-user">
			<h2 class="sr-only">${t('message.youSaid')}</h2>
			<lamp-edit text=${this.turn.editing} ?tail=${!this.newest} ?disabled=${this.busy}
				@lamp-edit-input=${(event) => { this.turn.editing = event.detail.text; }}
				@lamp-edit-end=${() => this.#edited()}
				@lamp-edit-send=${(event) => this.#edited(event.detail.content)}
			></lamp-edit>
		</article>`;
	}

	#edit = () => {
		this.turn.editing = this.turn.user.content;
		this.turn.changed();
	};

	/** Back to the bubble; an edited text is sent instead. */
	#edited(content)
	{
		const { turn } = this;

		turn.editing = null;
		turn.changed();
		if (content !== undefined && content !== turn.user.content) {
			this.emit('lamp-edit', { turn, content });
			return;
		}
		this.emit('lamp-edit-input');
		if (turn.editedFrom === 'field') {
			turn.editedFrom = '';
			this.emit('lamp-to-field');
			return;
		}
		this.updateComplete.then(() => [...this.querySelectorAll(
			'.message-user .edit-button, .message-user .menu-button')]
			.find((button) => button.offsetParent)?.focus());
	}

	/** Back to the answer; what was made of it is saved instead. */
	#corrected(content)
	{
		const { turn } = this;

		if (content !== undefined && content !== turn.text) {
			this.emit('lamp-correct', { turn, content });
			return;
		}
		turn.correcting = null;
		turn.changed();
		this.emit('lamp-edit-input');
		this.focusAnswer();
	}

	/** To the actions of the answer. */
	async focusAnswer()
	{
		await this.updateComplete;
		/** @type {HTMLElement | null} */ (this.querySelector(
			'.message-assistant .message-actions .menu-button'))?.focus();
	}

	#variants(row)
	{
		return row?.variantCount > 1 ? html`<lamp-variants .row=${row}
			?disabled=${this.busy}></lamp-variants>` : nothing;
	}

	#assistant(turn)
	{
		return html`<article class="message message-assistant ${
			turn.continues ? 'message-goes-on' : ''}"
			aria-busy=${turn.running ? 'true' : 'false'}>
			<h2 class="sr-only">${t('message.assistantSaid', { name: turn.by || this.name })}</h2>
			<div class="avatar">${lantern(turn.running ? 'lit' : '')}</div>
			<div class="message-body">
				${['clarify', 'inform', 'act'].includes(turn.mode) ? html`<p class="mode-chip"
					title=${t(`mode.help.${turn.mode}`)}>${t(`mode.${turn.mode}`)}</p>` : nothing}
				${turn.by ? html`<p class="turn-by">${icon('agent')}<span dir="auto">${
					t('message.by', { name: turn.by })}</span></p>` : nothing}
				${turn.parts.map((part) => this.#part(part))}
				${this.#answer(turn)}
				${turn.running ? nothing : this.#chart(turn)}
				${linksView(turn.parts.filter(isLink).map(({ result }) => result))}
				${turn.running ? this.#status(turn) : this.#notes(turn)}
				${turn.waiting.map((wait) => this.#wait(wait))}
				${turn.running || turn.waiting.length > 0 || turn.correcting !== null ? nothing :
					[this.#actions(turn), this.#followUps(turn)]}
			</div>
		</article>`;
	}

	/** Whether a plan of it can be run again: it has ended, and nothing of it waits. */
	#isOver()
	{
		const { turn } = this;

		return !turn.running && turn.waiting.length === 0 && !turn.sleeps;
	}

	#part(part)
	{
		if (part.kind === 'tool') {
			if (isLink(part))
				return nothing;
			if (part.name === 'ask_user' && part.args?.question)
				return this.#asked(part);
			const board = this.turn.boards.get(part.callId);
			const waits = this.turn.waiting.some((wait) => wait.toolCallId === part.callId ||
				(board && String(wait.toolCallId).startsWith(`plan-${board.planId}`)));
			const version = (part.running ? 0 : 1) + (part.result === undefined ? 0 : 2);

			return html`<lamp-tool .call=${part} .steps=${part.steps || []}
				version=${version} ?waits=${waits}
				?superseded=${this.turn.superseded(this.newest)}></lamp-tool>${board &&
				board.status !== 'proposed' ? html`<lamp-plan .board=${board}
				.result=${part.result} .waits=${this.turn.waiting}
				?running=${this.turn.running}
				?mine=${!this.readonly && (!this.busy || this.turn.running)}
				?over=${this.#isOver()}
				@lamp-skip=${({ detail }) =>
					this.emit('lamp-plan-skip', { turn: this.turn, step: detail })}
				@lamp-to-wait=${({ detail }) => this.#toWait(detail.wait)}></lamp-plan>` :
				nothing}${part.changes ?
				html`<lamp-effects .effects=${part.changes} canUndo></lamp-effects>` : nothing}`;
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
		if (turn.correcting !== null)
			return html`<lamp-edit answer text=${turn.correcting} ?tail=${!this.newest}
				?disabled=${this.busy}
				@lamp-edit-input=${(event) => { turn.correcting = event.detail.text; }}
				@lamp-edit-end=${() => this.#corrected()}
				@lamp-edit-send=${(event) => this.#corrected(event.detail.content)}></lamp-edit>`;
		return html`${turn.text ? html`<lamp-markdown class="answer"
			.source=${{ text: turn.text, live: turn.running, sources: turn.sources,
				checked: turn.meta.citations }}
			@lamp-cite=${({ detail }) => this.#openSource(detail.number)}
			></lamp-markdown>` : nothing}
			${turn.sources.length > 0 ? sourcesView(turn, {
				open: (number) => this.#openSource(number),
				unfolds: () => this.emit('lamp-titles', { turn }) }) : nothing}
			${turn.failure ? this.#failure(turn.failure) : nothing}`;
	}

	/** The newest result that can be drawn is offered as a chart. */
	#chart(turn)
	{
		const part = turn.parts.findLast((one) => chartIn(one));

		if (!part || !turn.text)
			return nothing;
		const name = cellText(part.args?.dataset) || part.title || toolName(part.name);

		return html`<div class="answer-chart">
			<button type="button" class="chip-button" aria-expanded=${Boolean(this.charted)}
				@click=${() => { this.charted = !this.charted; }}>${icon('chart')}<span>${
				t(this.charted ? 'message.hideChart' : 'message.showChart')}</span></button>
			${this.charted ? html`<lamp-chart .chart=${chartIn(part)} name=${name}
				></lamp-chart>` : nothing}</div>`;
	}

	#openSource(number)
	{
		this.emit('lamp-source', { messageId: this.turn.answerId, number });
	}

	/** The error; text that came before it stays above. */
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
		const name = turn.stopping ? 'stopping' :
			turn.connection || turn.status || 'thinking';

		// while the text grows, it needs no status
		if (name === 'answering' && turn.text)
			return nothing;
		return html`<p class="turn-status status-${name}">${t(`status.${name}`)}<span
			class="dots" aria-hidden="true"><i></i><i></i><i></i></span></p>`;
	}

	/** To the card of what a step waits for. */
	#toWait(wait)
	{
		const card = /** @type {any[]} */ ([...this.querySelectorAll(
			'lamp-approval, lamp-question')]).find((one) => one.wait === wait);

		card?.scrollIntoView({ block: 'nearest' });
		card?.querySelector('button:not(.link-button), input')?.focus({ preventScroll: true });
	}

	/** The text of the step that a call belongs to; '': none. */
	#stepTitle({ toolCallId })
	{
		for (const { planId, plan } of this.turn.boards.values()) {
			const step = stepsOf(plan)[stepOfCall(planId, toolCallId)];

			if (step)
				return step.title;
		}
		return '';
	}

	/** Something that the user, or a page, has to answer first. */
	#wait(wait)
	{
		// a step of its own plan may ask while others run
		const busy = this.busy && !this.turn.running;

		if (wait.type === 'approval') {
			return html`<lamp-approval .wait=${wait} ?disabled=${busy}
				for=${this.#stepTitle(wait)}
				@lamp-decide=${({ detail }) => this.emit('lamp-decided',
					{ turn: this.turn, ...detail })}></lamp-approval>`;
		}
		return html`<lamp-question .wait=${wait} ?disabled=${busy}
			@lamp-carry-out=${() => this.emit('lamp-carried-out', { turn: this.turn })}
			@lamp-reply=${({ detail }) => this.emit('lamp-replied',
				{ turn: this.turn, ...detail })}></lamp-question>`;
	}

	/** A question that was answered, and the choice as the user's words. */
	#asked({ callId, args, result, running })
	{
		if (running || this.turn.waiting.some((wait) => wait.toolCallId === callId))
			return nothing;
		return html`<div class="asked"><p>${args.question}</p>
			${result?.answer ? nothing :
				html`<p class="muted">${t(this.turn.superseded(this.newest) ? 'question.superseded' :
					'question.passed')}</p>`}</div>
			${result?.answer ? html`<div class="replied">
				<span class="sr-only">${t('question.answered')}</span>
				<div class="bubble">${result.answer}</div></div>` : nothing}`;
	}

	#notes(turn)
	{
		const notes = turn.warnings.map((warning) => warning.message);
		const others = (turn.meta.origins || []).filter(({ kind }) => kind === 'prompt');

		// while it runs, the warning says so
		if (others.length > 0 && turn.warnings.length === 0)
			notes.push(t('note.others', { names: plain(others.map(({ name }) => name).join(', ')) }));

		if (turn.sleeps)
			notes.push(t('note.sleeping'));
		else if (!turn.answer && turn.waiting.length === 0)
			notes.push(t(turn.superseded(this.newest) ? 'note.superseded' : 'note.missing'));
		if (NOTES.includes(turn.finish))
			notes.push(t(`note.${turn.finish}`));
		if (turn.meta.stored === false && !turn.lost)
			notes.push(t(turn.meta.unstored ? 'note.storing' : 'note.unstored'));
		if (turn.meta.capped)
			notes.push(t('note.capped'));
		if (turn.context && turn.context.contextTokens > 0 &&
		    turn.context.inputTokens > turn.context.contextTokens * CONTEXT_NEAR)
			notes.push(t('note.context'));
		return [...notes.filter(Boolean).map((note) =>
			html`<p class="note">${note}</p>`), turn.lost ? this.#lost(turn.lost) : nothing];
	}

	#lost({ text, reason })
	{
		return html`<p class="note">${t(`note.${reason}`)}
			${text ? this.#copyButton('lost', t('message.copyUnsaved'), text) : nothing}</p>`;
	}

	#actions(turn)
	{
		const { model, usage } = turn.meta;
		const output = usage?.outputTokens;
		const mine = !this.readonly;
		const retry = mine && turn.failed && this.newest && turn.user;

		return html`<div class="message-actions">
			${mine && turn.cut && this.newest && (turn.text || turn.parts.length > 0) ?
				this.#chip('play', t('message.continue'), 'lamp-go-on') : nothing}
			${retry ? this.#chip('retry', t('message.retry'), 'lamp-regenerate') : nothing}
			${turn.text ?
				this.#copyButton('answer', t('message.copyAnswer'), turn.text) : nothing}
			${mine && turn.text && turn.answerId && !turn.corrected ? this.#thumbs(turn) : nothing}
			${mine && this.newest && !retry && turn.answer ? this.#button('retry',
				t('message.regenerate'), () => this.emit('lamp-regenerate', { turn })) : nothing}
			${mine && turn.answer ? html`<lamp-menu label=${t('message.moreActions')}
				.items=${this.#answerItems(turn)}></lamp-menu>` : nothing}
			${this.#variants(turn.versioned)}
			${turn.corrected ? html`<span class="message-meta">${t(
				mine && !fromOthers(turn.meta) ? 'correct.mine' : 'correct.others')}</span>` : nothing}
			${model ? html`<span class="message-meta"
				title=${usage ? t('message.usage', {
					input: (usage.inputTokens || 0) + (usage.cachedTokens || 0),
					cached: usage.cachedTokens || 0,
					output: output || 0 }) : ''}>${model}${output ?
				html` · ${t('message.tokens', { n: output })}` : nothing}</span>` : nothing}
		</div>`;
	}

	/** Whether the answer was good; the ratings are asked for when one comes near. */
	#thumbs(turn)
	{
		const near = () => this.emit('lamp-rating', { turn });

		return html`<span class="thumbs" @pointerenter=${near} @focusin=${near}>${
			['good', 'bad'].map((value) => html`<button type="button"
				class="icon-button thumb-${value}" aria-label=${t(`rating.${value}`)}
				title=${t(`rating.${value}`)}
				aria-pressed=${turn.rating?.value === value ? 'true' : 'false'}
				@click=${() => this.emit('lamp-rate', { turn, value })}>${icon('thumb')}</button>`)}</span>`;
	}

	/** What the user may say next. It goes into the field: only they send it. */
	#followUps(turn)
	{
		const texts = this.newest && !this.readonly ? turn.meta.followUps || [] : [];

		return texts.length === 0 ? nothing : html`<ul class="follow-ups"
			aria-label=${t('followUps.label')}>${texts.map((text) => html`<li>
				<button type="button" class="chip-button" dir="auto"
					@click=${() => this.emit('lamp-follow-up', { text })}>${text}</button>
			</li>`)}</ul>`;
	}

	#answerItems(turn)
	{
		const items = [{ text: t('message.fork'), icon: 'fork',
			run: () => this.emit('lamp-fork', { turn }) }];

		if (!this.newest && !this.busy)
			items.unshift({ text: t('message.regenerateHere'), icon: 'retry',
				run: () => this.emit('lamp-regenerate', { turn }) });
		if (turn.answerId && !this.busy)
			items.unshift({ text: t('message.correct'), icon: 'pencil',
				run: () => this.emit('lamp-correct', { turn }) });
		if (this.speaks && turn.text)
			items.push({ text: t(this.spoken ? 'speech.stop' : 'speech.read'), icon: 'speaker',
				run: () => this.emit('lamp-speak', { turn,
					answer: this.querySelector('lamp-markdown.answer') }) });
		if (turn.rating)
			items.push({ text: t('rating.why'), icon: 'pencil',
				run: () => this.emit('lamp-rate', { turn }) });
		// For those who run the server: `lamplighter turn show ID`.
		if (turn.turnId)
			items.push({ text: t('message.copyId'),
				icon: 'copy', run: () => this.#copy('id', turn.turnId) });
		return items;
	}

	#chip(drawing, text, event)
	{
		return html`<button type="button" class="chip-button" ?disabled=${this.busy}
			@click=${() => this.emit(event, { turn: this.turn })}>
			${icon(drawing)}<span>${text}</span></button>`;
	}

	#button(drawing, label, run, className = '')
	{
		return html`<button type="button" class="icon-button ${className}"
			aria-label=${label} title=${label} ?disabled=${this.busy}
			@click=${run}>${icon(drawing)}</button>`;
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
	#told = '';
	/** of each call of a plan, what state was seen */
	#boards = new Map();
}

/** of results: looked at once, not with each token */
const charts = new WeakMap();

/** The chart of a call's result, or null. @returns {import('../table.js').ChartData | null} */
function chartIn({ kind, name, result, isError })
{
	// the numbers of passages are those of pages
	if (kind !== 'tool' || name === 'search_knowledge' || isError || result === null ||
	    typeof result !== 'object')
		return null;
	if (!charts.has(result)) {
		const table = asTable(result);

		charts.set(result, table && chartOf(table));
	}
	return charts.get(result);
}

/** Whether the words are of a chat that somebody else has shared. */
function fromOthers({ origins = [] })
{
	return origins.some(({ kind }) => kind === 'share');
}

/** A call that suggested a link, and whether it can be followed. */
function isLink({ name, result, isError })
{
	return name === 'suggest_action' && !isError && Boolean(result?.label) &&
		LINK.test(result.url);
}

customElements.define('lamp-turn', LampTurn);
