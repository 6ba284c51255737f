// SPDX-License-Identifier: MIT
// <lamp-thread>: the scrolling column of turns. Older pages are inserted above
// without moving the visible text; the end stays visible while an answer grows,
// unless the reader has scrolled away from it.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './turn.js';

/** This far from the end still counts as at the end. */
const NEAR_PX = 60;
/** Older messages are loaded before the reader has reached the top. */
const AHEAD_PX = '600px';

export class LampThread extends PageElement {
	static properties = {
		thread: { attribute: false },
		name: { type: String },
		/** true if nothing of it can be changed */
		readonly: { type: Boolean },
		/** what reads aloud, if anything may */
		speech: { attribute: false },
		away: { state: true },
	};

	#stick = true;
	#shown = null;
	#first = null;
	#held = null;
	#gap = 0;
	#width = 0;
	#frame = 0;
	/** the turn at the top of the view and where it is, of a reader who is not at the end */
	#seen = null;
	/** the same of when the thread was shown last, until it is there again */
	#back = null;
	#lastTop = 0;
	#seeTop = null;
	#grow = null;

	constructor()
	{
		super();
		/** @type {import('../store/thread.js').Thread} */
		this.thread = undefined;
		this.name = '';
		this.readonly = false;
		this.away = false;
		/** @type {import('../store/speech.js').Speech | undefined} */
		this.speech = undefined;
		new Watch(this, () => this.speech);
		new Watch(this, () => this.thread);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#seeTop = new IntersectionObserver((seen) => {
			const into = seen.filter((entry) => entry.isIntersecting).map(({ target }) => target);

			if (into.some((target) => target.matches('.thread-top')))
				this.#older();
			else if (into.length > 0)
				this.thread.loadBetween();
		}, { root: this, rootMargin: `${AHEAD_PX} 0px` });
		this.#grow = new ResizeObserver(([{ contentRect: { width } }]) => {
			// each turn has another height now
			if (width !== this.#width)
				this.#keepSizes(true);
			this.#width = width;
			this.#follow();
		});
		this.addEventListener('scroll', this.#scrolled, { passive: true });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#leave();
		this.#shown = null;
		this.#seeTop.disconnect();
		this.#grow.disconnect();
		this.removeEventListener('scroll', this.#scrolled);
	}

	willUpdate()
	{
		const first = this.thread.turns[0];
		const gap = this.thread.gap?.last || 0;

		if (this.thread !== this.#shown) {
			this.#leave();
			this.#shown = this.thread;
			this.#back = this.thread.left;
			this.#stick = !this.#back;
			this.#lastTop = 0;
			this.away = !this.#stick;
		} else if (this.#first && !this.#stick &&
			(first !== this.#first || gap !== this.#gap)) {
			// turns are inserted above: the visible text must
			// not move
			const held = first === this.#first ? this.#turnAtTop() :
				this.querySelector('lamp-turn');

			if (held)
				this.#held = { held, y: held.getBoundingClientRect().top };
		}
		this.#first = first;
		this.#gap = gap;
	}

	updated()
	{
		const tops = this.querySelectorAll('.thread-top, .thread-gap');

		this.#grow.disconnect();
		this.#grow.observe(this.querySelector('.thread-column'));
		// observed again after each page: an observer reports changes
		// only, and a page may be too short to push the top out of
		// sight
		this.#seeTop.disconnect();
		this.#settle().then(() => {
			for (const top of tops)
				if (top.isConnected && !this.thread.loading)
					this.#seeTop.observe(top);
		});
	}

	/** Remembers where the reader is in the thread that is no longer shown. */
	#leave()
	{
		const thread = this.#shown;

		if (thread)
			thread.left = this.#stick ? null : this.#seen;
	}

	#turnAtTop()
	{
		const { top } = this.getBoundingClientRect();
		const turns = this.#turns();
		let [low, high] = [0, turns.length];

		// they are below each other
		while (low < high) {
			const half = (low + high) >> 1;

			if (turns[half].getBoundingClientRect().bottom > top)
				high = half;
			else
				low = half + 1;
		}
		return turns[low];
	}

	/** The turn at the top of the view, and where it is. */
	#atTop()
	{
		const turn = this.#turnAtTop();

		return turn ? { key: turn.turn.key,
			y: turn.getBoundingClientRect().top - this.getBoundingClientRect().top } : null;
	}

	/** To where the reader was when the thread was shown last. */
	#return()
	{
		const at = this.thread.turns.findIndex(({ key }) => key === this.#back.key);
		const turn = this.#turns()[at];

		if (turn)
			this.scrollTop += turn.getBoundingClientRect().top -
				this.getBoundingClientRect().top - this.#back.y;
		this.#seen = this.#back;
		this.#back = null;
		this.#lastTop = this.scrollTop;
	}

	/**
	 * Turns that have been laid out once need not be again while they are out of sight: the
	 * browser knows their size a frame later (thread.css).
	 * @param anew they have other sizes than they had
	 */
	#keepSizes(anew = false)
	{
		cancelAnimationFrame(this.#frame);
		if (anew)
			for (const turn of this.#turns())
				turn.removeAttribute('settled');
		this.#frame = requestAnimationFrame(() => {
			this.#frame = requestAnimationFrame(() => {
				for (const turn of this.#turns())
					turn.toggleAttribute('settled', true);
			});
		});
	}

	/** Resolves when all turns of the thread are drawn. */
	drawn()
	{
		return this.#drawn(() => true);
	}

	async #drawn(which)
	{
		await this.updateComplete;
		await Promise.all(this.#turns().filter(which).map((turn) => turn.updateComplete));
	}

	/**
	 * Its turns. A selector would look at all that is in them.
	 * @returns {import('./turn.js').LampTurn[]}
	 */
	#turns()
	{
		return /** @type {any[]} */ ([...this.querySelector('.thread-column')?.children || []])
			.filter(({ localName }) => localName === 'lamp-turn');
	}

	/** After the turns have drawn themselves: to the end, or back in place. */
	async #settle()
	{
		await this.#drawn((turn) => !turn.hasAttribute('settled'));
		if (this.#back && this.thread.turns.length > 0)
			this.#return();
		if (this.#held) {
			const { held, y } = this.#held;

			this.#held = null;
			this.scrollTop += held.getBoundingClientRect().top - y;
			this.#lastTop = this.scrollTop;
		}
		this.#follow();
		this.#keepSizes();
	}

	/** How far the end is below what is shown. */
	#left()
	{
		return this.scrollHeight - this.scrollTop - this.clientHeight;
	}

	#scrolled = () => {
		// Only scrolling up leaves the end: between the growth of an
		// answer and the observer that follows it, the end is far
		// away for a moment.
		if (this.#left() < NEAR_PX)
			this.#stick = true;
		else if (this.scrollTop < this.#lastTop)
			this.#stick = false;
		this.#lastTop = this.scrollTop;
		this.away = !this.#stick;
		this.#seen = this.#stick ? null : this.#atTop();
	};

	#follow()
	{
		if (this.#stick)
			this.#toEnd();
	}

	#toEnd()
	{
		this.scrollTop = this.scrollHeight;
	}

	/** Shows the end and stays there. */
	follow()
	{
		this.#stick = true;
		this.away = false;
		this.#toEnd();
	}

	/** Scrolls to a message of the thread, however old it is. */
	async show(messageId)
	{
		const { thread } = this;
		const find = () => thread.turns.findIndex((turn) =>
			turn.user?.messageId === messageId || turn.answerId === messageId);

		if (!messageId)
			return;
		this.#stick = false;
		if (find() < 0)
			await thread.loadAround(Number(messageId.split('.')[1]));
		await thread.loadUntil(() => find() >= 0 || this.thread !== thread);
		if (this.thread !== thread)
			return;
		await this.drawn();
		const turn = this.#turns()[find()];

		if (find() < 0 || !turn)
			return;
		turn.querySelector(thread.turns[find()].user?.messageId === messageId ?
			'.message-user' : '.message-assistant')?.classList.add('shown');
		turn.scrollIntoView({ block: 'start' });
		this.#lastTop = this.scrollTop;
		this.away = this.#left() >= NEAR_PX;
	}

	/** Shows the beginning, and loads nothing between it and what is there. */
	async begin()
	{
		const { thread } = this;

		this.#stick = false;
		await thread.loadAround(1);
		await thread.loadUntil(() => thread.nextCursor === null || this.thread !== thread);
		if (this.thread !== thread)
			return;
		await this.drawn();
		this.scrollTop = 0;
		this.#lastTop = 0;
		this.away = this.#left() >= NEAR_PX;
	}

	async #older()
	{
		const { thread } = this;

		if (thread.olderError || thread.nextCursor === null || thread.loading)
			return;
		await thread.loadOlder();
		if (!thread.olderError)
			this.emit('lamp-say', { text: t('live.older') });
	}

	render()
	{
		const { thread } = this;
		const last = thread.turns.length - 1;

		return html`
			<section class="thread-column" aria-label=${t('thread.label')}>
				${this.#head()}
				${repeat(thread.turns, (turn) => turn.key, (turn, i) => html`
					${turn === thread.gap?.at ? this.#between() : nothing}<lamp-turn .turn=${turn} name=${this.name} ?readonly=${this.readonly}
						?newest=${i === last && !thread.live}
						?speaks=${this.speech?.speaks} ?spoken=${this.speech?.turn === turn}
						?busy=${Boolean(thread.live) || thread.switching}></lamp-turn>`)}
			</section>
			${this.away ? html`<button type="button" class="to-latest"
				aria-label=${t('thread.latest')} title=${t('thread.latest')}
				@click=${() => this.follow()}>${icon('down')}</button>` : nothing}`;
	}

	/** What is not loaded between two passages. */
	#between()
	{
		const { thread } = this;

		return thread.olderError ? html`<p class="thread-head">${t('thread.olderFailed')}
				${errorText(thread.olderError)}
				<button type="button" class="chip-button"
					@click=${() => thread.loadBetween()}>${t('app.retry')}</button></p>` :
			html`<p class="thread-head thread-gap">
				<span class="spinner" aria-hidden="true"></span>
				<span>${t('thread.between')}</span></p>`;
	}

	#head()
	{
		const { thread } = this;

		if (!thread.loaded || thread.turns.length === 0)
			return nothing;
		if (thread.olderError) {
			return html`<p class="thread-head">${t('thread.olderFailed')}
				${errorText(thread.olderError)}
				<button type="button" class="chip-button"
					@click=${() => { thread.olderError = null; this.#older(); }}>
					${t('app.retry')}</button></p>`;
		}
		if (thread.nextCursor === null)
			return nothing;
		return html`<p class="thread-head thread-top">
			<span class="spinner" aria-hidden="true"></span>
			<span>${t('thread.older')}</span>
			<button type="button" class="link-button" @click=${() => this.begin()}>${
				t('thread.begin')}</button></p>`;
	}
}

customElements.define('lamp-thread', LampThread);
