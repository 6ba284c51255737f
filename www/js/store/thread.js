// One conversation as it is shown: its turns, paged backwards, and the stream
// of the answer that is being written. Lives on when another conversation is
// shown, so that coming back finds the answer further on.
import { ApiError } from '../api.js';
import { Observable } from '../observable.js';
import { readEvents } from '../sse.js';
import { groupRows, Turn } from './turn.js';

/** After a stop, the longest wait for the stream's own end. */
const STOP_WAIT_MS = 15000;
const WATCH_MS = [500, 1000, 1500, 2000, 3000];

let drafts = 0;

export class Thread extends Observable {
	#api;
	#events;
	#abort = null;
	#stopWanted = false;
	#stopTimer = null;
	#wake = null;

	/**
	 * @param events {created(thread), changed(thread), finished(thread, turn)}:
	 *        told when the server has made the conversation, when it has
	 *        another title or state, and when a turn has ended
	 */
	constructor(api, events, { conversationId = '', workspaceId = '', agentId = '' })
	{
		super();
		this.#api = api;
		this.#events = events;
		/** stays the same for the life of this object */
		this.key = conversationId || `draft-${++drafts}`;
		this.conversationId = conversationId;
		this.workspaceId = workspaceId;
		this.agentId = agentId;
		this.title = '';
		/** @type {Turn[]} oldest first */
		this.turns = [];
		this.nextCursor = null;
		/** '' | 'first' | 'older' */
		this.loading = '';
		/** ApiError of the first load, of an older page, of sending */
		this.loadError = null;
		this.olderError = null;
		this.sendError = null;
		/** what is in the message field */
		this.draft = '';
		this.loaded = conversationId === '';
	}

	/** the turn that runs, or null */
	get live()
	{
		const last = this.turns[this.turns.length - 1];

		return last?.running ? last : null;
	}

	/** Loads the conversation and its newest page. */
	async load()
	{
		if (this.loading || !this.conversationId)
			return;
		this.loading = 'first';
		this.loadError = null;
		this.changed();
		try {
			const [conversation, page] = await Promise.all([
				this.#api.conversation(this.conversationId),
				this.#api.messages(this.conversationId),
			]);

			this.take(conversation);
			this.#takeNewest(page);
			this.loaded = true;
			if (conversation.runningTurnId)
				this.#follow(conversation.runningTurnId);
		} catch (error) {
			this.loadError = error;
		}
		this.loading = '';
		this.changed();
	}

	/** Takes what the server says of the conversation itself. */
	take(conversation)
	{
		this.workspaceId = conversation.workspaceId;
		this.agentId = conversation.agentId;
		this.title = conversation.title || '';
		this.changed();
	}

	/**
	 * Takes the newest page. Turns that are shown already stay the same
	 * objects, and older ones stay in front when the page reaches them.
	 */
	#takeNewest(page)
	{
		const groups = groupRows([...page.items].reverse());
		const known = new Map(this.turns.filter((turn) => turn.turnId)
			.map((turn) => [turn.turnId, turn]));
		const first = groups.length > 0 ? known.get(groups[0][0].turnId) : null;
		const joined = first && !first.key.startsWith('live-');
		const before = joined ? this.turns.slice(0, this.turns.indexOf(first)) : [];
		const turns = groups.map((rows) => {
			const turn = known.get(rows[0].turnId);

			if (!turn)
				return Turn.fromRows(rows);
			// a page may begin in the middle of a turn
			if (rows[0].role === 'user' || !joined)
				turn.setRows(rows);
			else if (turn.running)
				turn.setRows([turn.user, ...rows].filter(Boolean));
			turn.finishWith(null);
			turn.changed();
			return turn;
		});

		this.turns = [...before, ...turns];
		if (!joined)
			this.nextCursor = page.nextCursor;
	}

	/** Loads the page before the oldest one there is. */
	async loadOlder()
	{
		if (this.loading || this.nextCursor === null)
			return;
		this.loading = 'older';
		this.olderError = null;
		this.changed();
		try {
			const page = await this.#api.messages(this.conversationId,
				{ cursor: this.nextCursor });
			const groups = groupRows([...page.items].reverse());
			const last = groups[groups.length - 1];
			const first = this.turns[0];

			this.nextCursor = page.nextCursor;
			// a turn that was cut by the page border is put together again
			if (last && first && last[0].turnId &&
			    last[0].turnId === first.turnId && !first.user)
				first.prependRows(groups.pop());
			this.turns = [...groups.map((rows) => Turn.fromRows(rows)),
				...this.turns];
		} catch (error) {
			this.olderError = error;
		}
		this.loading = '';
		this.changed();
	}

	/**
	 * Sends a message and reads its answer to the end.
	 * @returns false when it was not taken; sendError says why
	 */
	async send(content)
	{
		const turn = new Turn(`live-${Date.now()}-${++drafts}`);

		if (this.live)
			return false;
		turn.begin(content);
		this.turns = [...this.turns, turn];
		this.sendError = null;
		this.#stopWanted = false;
		this.#abort = new AbortController();
		this.changed();

		let response;

		try {
			const body = { content };

			if (this.conversationId)
				body.conversationId = this.conversationId;
			else if (this.agentId)
				body.agentId = this.agentId;
			response = await this.#api.stream(this.workspaceId, body,
				{ signal: this.#abort.signal });
		} catch (error) {
			this.#drop(turn, error);
			return false;
		}
		let ended = false;

		try {
			await readEvents(response.body, (event) => {
				if (!ended)
					ended = this.#event(turn, event);
			});
		} catch {
			// how a stream breaks does not matter; that it did, does
		}
		this.#abort = null;
		clearTimeout(this.#stopTimer);
		if (!ended && !turn.turnId) {
			this.#drop(turn, new ApiError({ code: 'network' }));
			return false;
		}
		if (!ended)
			await this.#recover(turn);
		this.changed();
		this.#events.finished(this, turn);
		return true;
	}

	/** The message was not taken: nothing of it stays in the thread. */
	#drop(turn, error)
	{
		this.turns = this.turns.filter((other) => other !== turn);
		turn.finishWith(null);
		this.#abort = null;
		this.sendError = error.name === 'AbortError' ? null : error;
		this.changed();
		this.#events.changed(this);
		if (error.code === 'conversation_busy')
			this.#refresh(error.turnId);
	}

	/** @returns true for the terminal event */
	#event(turn, { type, data })
	{
		let body;

		try {
			body = JSON.parse(data);
		} catch {
			return false;
		}
		if (type === 'title') {
			this.title = body.title;
			this.changed();
			this.#events.changed(this);
			return false;
		}
		const ended = turn.apply(type, body);

		if (type === 'user-message') {
			const fresh = !this.conversationId;

			this.conversationId = body.conversationId;
			this.agentId = body.agentId || this.agentId;
			if (fresh)
				this.#events.created(this);
			this.changed();
			if (this.#stopWanted)
				this.stop();
		}
		return ended;
	}

	/** Ends the running answer; the stream is read until its own end. */
	async stop()
	{
		const turn = this.live;

		if (!turn)
			return;
		turn.stopping = true;
		turn.changed();
		this.changed();
		if (!turn.turnId) {
			this.#stopWanted = true;
			return;
		}
		try {
			await this.#api.cancel(turn.turnId);
		} catch (error) {
			// already over is what was wanted
			if (error.code !== 'not_found' && error.code !== 'conflict') {
				this.sendError = error;
				turn.stopping = false;
				turn.changed();
				this.changed();
				return;
			}
		}
		const abort = this.#abort;

		this.#wake?.();
		if (abort)
			this.#stopTimer = setTimeout(() => abort.abort(), STOP_WAIT_MS);
	}

	/** The connection broke, the turn goes on: wait for its end. */
	async #recover(turn)
	{
		turn.status = 'recovering';
		turn.changed();
		await this.#watchTurn(turn);
	}

	/** A turn that another page, or this one before a reload, has started. */
	async #follow(turnId)
	{
		let turn = this.turns.find((other) => other.turnId === turnId);

		if (!turn) {
			turn = new Turn(turnId);
			turn.turnId = turnId;
			this.turns = [...this.turns, turn];
		}
		if (turn.running)
			return;
		turn.running = true;
		turn.status = 'elsewhere';
		turn.changed();
		this.changed();
		await this.#watchTurn(turn);
		this.#events.finished(this, turn);
	}

	/** Asks for the state of a turn until it has ended, then for its rows. */
	async #watchTurn(turn)
	{
		for (let n = 0; ; n++) {
			await this.#pause(WATCH_MS[Math.min(n, WATCH_MS.length - 1)]);
			try {
				const state = await this.#api.turn(turn.turnId);

				if (['running', 'waiting'].includes(state.status))
					continue;
				const page = await this.#api.messages(this.conversationId);

				turn.finishWith(null);
				this.#takeNewest(page);
				this.changed();
				return;
			} catch (error) {
				if (error.retryable)
					continue;
				turn.finishWith(null);
				this.sendError = error;
				this.changed();
				return;
			}
		}
	}

	/** Waits; stop() and a connection that is back end it early. */
	#pause(ms)
	{
		return new Promise((resolve) => {
			const wake = () => {
				clearTimeout(timer);
				removeEventListener('online', wake);
				this.#wake = null;
				resolve();
			};
			const timer = setTimeout(wake, ms);

			addEventListener('online', wake);
			this.#wake = wake;
		});
	}

	/** Loads the newest page again, for a conversation others write in. */
	async #refresh(turnId)
	{
		try {
			const page = await this.#api.messages(this.conversationId);

			this.#takeNewest(page);
			this.changed();
			if (turnId)
				this.#follow(turnId);
		} catch {
			// the error that led here is already shown
		}
	}
}
