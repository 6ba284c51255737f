// SPDX-License-Identifier: MIT
// <lamp-thread>: the scrolling column of turns. Older pages are inserted above
// without moving the visible text; the end stays visible while an answer grows,
// unless the reader has scrolled away from it. Of a long thread, the turns near the view are
// drawn; the others when they come near, or when the browser has nothing else to do.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { highlight, unmark } from '../highlight.js';
import { Watch } from '../observable.js';
import { readWords } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './turn.js';

/** This far from the end still counts as at the end. */
const NEAR_PX = 60;
/** Older messages are loaded before the reader has reached the top. */
const AHEAD_PX = '600px';
/** The newest turns are drawn at once: about those of the first page. */
const AT_ONCE = 25;
/**
 * Another turn is drawn when it comes as near to the view as this, in heights of the view, and
 * those up to AHEAD with it, since what each change costs grows with the thread, …
 */
const NEAR = 0.5, AHEAD = 2.5;
/** … or when nobody has scrolled for so long. */
const REST_MS = 400;
/** What drawing one may take of the time that the browser has. */
const SLICE_MS = 10;

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
	/** @type {Promise<void> | null} the last one */
	#settling = null;
	/** what was held last, and the place of the thread then */
	#place = null;
	#gap = 0;
	#width = 0;
	/** counts the widths that turns had */
	#sizes = 0;
	/** the turn at the top of the view and where it is, of a reader who is not at the end */
	#seen = null;
	/** the same of when the thread was shown last, until it is there again */
	#back = null;
	#lastTop = 0;
	#seeTop = null;
	#grow = null;
	/** @type {Map<string, number>} by key, how high turns are, about, that are not drawn; 0: it is */
	#heights = new Map();
	#rest = 0;

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
		unmark();
		this.#leave();
		this.#shown = null;
		clearTimeout(this.#rest);
		this.#rest = 0;
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
			this.#heights = new Map();
		} else if (this.#first && !this.#stick &&
			(first !== this.#first || gap !== this.#gap)) {
			// turns are inserted above: the visible text must
			// not move
			this.#hold(first === this.#first ? this.#turnAtTop() :
				this.querySelector('lamp-turn'));
		}
		this.#first = first;
		this.#gap = gap;
		for (const turn of this.thread.turns.slice(-AT_ONCE))
			this.#heights.set(turn.key, 0);
	}

	/** What stays where it is when others are drawn. */
	#hold(held)
	{
		// the place is a whole number of pixels: where it was meant to be, lest the rest adds up
		const last = this.#place?.held === held && this.#place.top === this.scrollTop ? this.#place : null;

		this.#held ??= held && { held, y: last?.y ?? held.getBoundingClientRect().top };
	}

	/** How high a turn is while it is not drawn; 0: it is. */
	#heightOf(turn)
	{
		let height = this.#heights.get(turn.key);

		if (height === undefined) {
			height = heightOf(turn, this.#width || WIDE_PX);
			this.#heights.set(turn.key, height);
		}
		return height;
	}

	/** Draws turns that were too far away; what is read stays where it is. */
	#draw(elements)
	{
		if (!this.#stick)
			this.#hold(this.#turnAtTop());
		for (const element of elements) {
			this.#heights.set(element.turn.key, 0);
			element.far = 0;
		}
		return this.#settle();
	}

	/** Draws what is near the view and is not drawn yet. */
	async #drawNear()
	{
		const { top, bottom, height } = this.getBoundingClientRect();
		const turns = this.#turns();
		const at = turns.indexOf(this.#turnAtTop(turns));
		/** those on one side, from the view outwards, if one of them is near and not drawn */
		const side = (from, by, away) => {
			const far = [];

			for (let i = from; i >= 0 && i < turns.length; i += by) {
				const px = away(turns[i].getBoundingClientRect());

				if (px > height * (far.length > 0 ? AHEAD : NEAR))
					break;
				if (turns[i].far)
					far.push(turns[i]);
			}
			return far;
		};
		const far = at < 0 ? [] : [...side(at, -1, (box) => top - box.bottom),
			...side(at + 1, 1, (box) => box.top - bottom)];

		if (far.length > 0)
			await this.#draw(far);
	}

	/**
	 * Draws the others when nobody has scrolled for a while, the nearest first, so that the
	 * browser's own search finds what is in them.
	 */
	#drawLater(wait = REST_MS)
	{
		clearTimeout(this.#rest);
		this.#rest = window.setTimeout(() => globalThis.requestIdleCallback(
			(deadline) => this.#drawSome(deadline)), wait);
	}

	async #drawSome(deadline)
	{
		const rest = this.#rest;
		const turns = this.isConnected ? this.#turns() : [];
		const at = turns.indexOf(this.#turnAtTop(turns));
		const far = turns.map((turn, i) => ({ turn, away: Math.abs(i - at) }))
			.filter(({ turn }) => turn.far).sort((a, b) => a.away - b.away);

		for (let i = 0; i < far.length && (i === 0 || deadline.timeRemaining() > SLICE_MS); i++)
			await this.#draw([far[i].turn]);
		// unless somebody has scrolled
		if (rest === this.#rest && far.length > 0)
			this.#drawLater(0);
		else if (rest === this.#rest)
			this.#rest = 0;
	}

	/** Draws all turns. Resolves when that is done. */
	async drawAll()
	{
		await this.updateComplete;
		await this.#draw(this.#turns().filter(({ far }) => far));
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

	#turnAtTop(turns = this.#turns())
	{
		const { top } = this.getBoundingClientRect();
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
		if (anew) {
			this.#sizes++;
			for (const turn of this.#turns())
				turn.removeAttribute('settled');
		}
		const sizes = this.#sizes;
		const turns = this.#turns().filter((turn) => !turn.far && !turn.hasAttribute('settled'));

		requestAnimationFrame(() => requestAnimationFrame(() => {
			if (sizes === this.#sizes)
				for (const turn of turns)
					turn.toggleAttribute('settled', true);
		}));
	}

	/** Resolves when all turns near the view are drawn. */
	async drawn()
	{
		await this.#drawn(() => true);
		await this.#drawNear();
		// what is being drawn besides puts back what is read
		for (let last = null; last !== this.#settling; await last)
			last = this.#settling;
		this.#held = null;
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
	#settle()
	{
		const settling = this.#settleNow();

		this.#settling = settling;
		return settling;
	}

	async #settleNow()
	{
		await this.#drawn((turn) => !turn.hasAttribute('settled') && !(turn.far && turn.hasUpdated));
		if (this.#back && this.thread.turns.length > 0)
			this.#return();
		if (this.#held) {
			const { held, y } = this.#held;

			this.#held = null;
			if (held.isConnected)
				this.scrollTop += held.getBoundingClientRect().top - y;
			this.#lastTop = this.scrollTop;
			this.#place = { held, y, top: this.scrollTop };
		}
		this.#follow();
		this.#keepSizes();
		await this.#drawNear();
		if (!this.#rest && this.#turns().some(({ far }) => far))
			this.#drawLater();
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
		// else it is what has moved that has been drawn above
		if (this.scrollTop !== this.#lastTop && this.#rest)
			this.#drawLater();
		this.#lastTop = this.scrollTop;
		this.away = !this.#stick;
		this.#seen = this.#stick ? null : this.#atTop();
		this.#drawNear();
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

		unmark();
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
		if (turn.far)
			await this.#draw([turn]);
		const mine = thread.turns[find()].user?.messageId === messageId;
		const message = turn.querySelector(mine ? '.message-user' : '.message-assistant');

		message?.classList.add('shown');
		this.#stick = false;
		turn.scrollIntoView({ block: 'start' });
		if (message)
			await this.#showWords(turn, message, mine);
		this.#lastTop = this.scrollTop;
		this.away = this.#left() >= NEAR_PX;
	}

	/** Marks the words of the address in a message, and scrolls to them. */
	async #showWords(turn, message, mine)
	{
		if (mine && readWords().length > 0) {
			turn.unfolded = true;
			await turn.updateComplete;
		}
		const range = highlight(message.querySelector('.bubble, .answer') || message, readWords());

		for (let at = range?.startContainer.parentElement; at && at !== message; at = at.parentElement)
			if (at.localName === 'details')
				/** @type {HTMLDetailsElement} */ (at).open = true;
		if (!range)
			return;
		const { top } = range.getBoundingClientRect();
		const view = this.getBoundingClientRect();

		// not under the head, and with what stands before it
		this.scrollTop += Math.max(0, top - view.top - view.height / 3);
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
		// the end may have been followed while it was loading
		this.#stick = false;
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
					${turn === thread.gap?.at ? this.#between() : nothing}<lamp-turn .turn=${turn} .far=${this.#heightOf(turn)} name=${this.name} ?readonly=${this.readonly}
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

/** How wide a letter and how high a line is, about; and what is around a question and an answer. */
const LETTER_PX = 8, LINE_PX = 28, AROUND_PX = 150;
/** As wide the column becomes. */
const WIDE_PX = 800;

/** About how high a turn is in a thread of this width. */
function heightOf({ user, text, parts }, width)
{
	const perLine = Math.max(Math.min(width, WIDE_PX) / LETTER_PX, 20);
	const lines = [user?.content || '', text].join('\n').split('\n')
		.reduce((sum, line) => sum + Math.ceil(line.length / perLine), 0);

	return AROUND_PX + (lines + parts.length) * LINE_PX;
}

customElements.define('lamp-thread', LampThread);
