// SPDX-License-Identifier: MIT
// One conversation as it is shown: what is stored (pages.js) and the running
// turn, begun here or found running and followed. It stays when another
// conversation is shown, so that coming back finds the answer further on.
import { Feed } from '../feed.js';
import { askedIn, lentTo, mentionsIn, mentionsOf, saidIn } from '../mentions.js';
import { canRun, clientOf, moduleOf, runCall } from '../tools.js';
import { arrived, begun } from './begun.js';
import { light } from './drafts.js';
import { Pages } from './pages.js';
import { Turn } from './turn.js';
import { Uploads } from './uploads.js';

/** After a stop, the longest wait for the turn's own end. */
const STOP_WAIT_MS = 15000;

let drafts = 0;

/** Plans that are asked for at once. */
const PLANS = 20;

/** What a turn asks for while it runs, and how soon it would say that it waits. */
const ASKS = new Set(['approval-request', 'client-tool-call', 'clarification']);
const ASKED_MS = 300;

/** How long typing may pause before it is kept. */
const KEEP_MS = 300;

/**
 * @typedef {{content: string, promptId: string | null, uploads: Uploads}} Message
 * @typedef {import('./drafts.js').Kept} Kept
 * @typedef {import('./drafts.js').Typed} Typed
 */

/** Records of attachments as a member of a request; none: no member. */
const idsOf = (files) => (files.length ? { attachments: files.map(({ id }) => id) } : {});

export class Thread extends Pages {
	#api;
	#link;
	#events;
	#feed = null;
	#stopWanted = false;
	#carried = new Set();
	/** ids of turns that were continued without being asked to */
	#woken = new Set();
	#stopTimer = null;
	/** @type {import('./drafts.js').Drafts | null} */
	#drafts;
	#keepTimer = null;
	#draftKey = '';
	/** @type {Message | null} */
	#sending = null;
	/** whether the place was changed since the last message */
	#moved = false;
	/** @type {Typed['edit'] | null} of a message that is not loaded yet */
	#edit = null;

	/**
	 * @param {object} events told when the server has made the conversation, when
	 *        it has another title or state, and when a turn has ended, or asks for something
	 *        while it runs
	 * @param {(thread: Thread) => void} events.created
	 * @param {(thread: Thread) => void} events.changed
	 * @param {(thread: Thread, turn: Turn) => void} events.finished
	 * @param {(thread: Thread, turn: Turn) => void} events.asked
	 */
	constructor(api, link, events, fields, drafts = null)
	{
		super(api, fields);
		this.#api = api;
		this.#drafts = drafts;
		this.#link = link;
		this.#events = events;
		/** stays the same for the life of this object */
		this.key = this.conversationId || `draft-${++drafts}`;
		/** ApiError of the last request, or null */
		this.sendError = null;
		/** by key of options.js, true or false; absent: not chosen */
		this.options = {};
		/**
		 * the project that messages are about, and what of it the user looks at:
		 * {projectId, focusId, name}; name: '' until it is known. contextType instead
		 * of projectId: what else they are about
		 * @type {{projectId?: string, focusId?: string, contextType?: string, name: string} | null}
		 */
		this.place = null;
		/** the text in the message field */
		this.draft = '';
		/**
		 * chosen records of GET /mentions; those that are still in the
		 * draft are sent
		 */
		this.mentions = [];
		/** of a trial: {draftAgent: the agent that answers, which is not stored, and options} */
		this.trial = null;
		/** id of the prompt that the draft was made from, or null */
		this.promptId = null;
		/** the files of the next message */
		this.uploads = new Uploads(api);
		this.uploads.watch(() => this.changed());
		/** @type {Message | null} is sent when the running answer has ended */
		this.queued = null;
		/** where a reader has left it: {key: of a turn, y: where it was}; null: at its end */
		this.left = null;
		/** true while another version is being loaded */
		this.switching = false;
	}

	/** Also keeps what was typed. */
	changed()
	{
		super.changed();
		this.keep();
	}

	/** Keeps what was typed, when it pauses. */
	keep()
	{
		if (!this.#keepTimer && this.#drafts)
			this.#keepTimer = setTimeout(() => this.keepNow(), KEEP_MS);
	}

	keepNow()
	{
		clearTimeout(this.#keepTimer);
		this.#keepTimer = null;
		if (!this.#drafts)
			return;
		const key = this.conversationId || `new ${this.workspaceId}`;

		// it was a new chat before
		if (this.#draftKey && this.#draftKey !== key)
			this.#drafts.write(this.#draftKey, null, true);
		this.#draftKey = key;
		this.#drafts.write(key, this.#typed(), !this.conversationId);
	}

	/** @returns {Typed | null} */
	#typed()
	{
		const { draft: text, mentions, promptId, options, queued, place } = this;
		const files = this.uploads.kept();
		const editing = this.turns.find((turn) => turn.editing !== null && turn.user?.messageId);
		const correcting = this.turns.find((turn) => turn.correcting !== null && turn.answerId);
		const edit = editing ? { messageId: editing.user.messageId, text: editing.editing } :
			correcting ? { messageId: correcting.answerId, text: correcting.correcting } :
			this.#edit;
		const sending = this.#sending;

		if (!text && !files.length && !edit && !queued && !sending && !Object.keys(options).length)
			return null;
		return { text, files, options, promptId,
			mentions: mentionsIn([text, queued?.content, sending?.content].join('\n'), mentions),
			...edit && { edit }, ...queued && { queued: light(queued) },
			...sending && { sending: light(sending) },
			...!this.conversationId && { agentId: this.agentId, place } };
	}

	/** Whether something was typed or attached. */
	get written()
	{
		return Boolean(this.draft.trim() || this.uploads.items.length || this.queued);
	}

	/**
	 * Takes over what was kept, before anything is typed into it.
	 * @param sent  whether this page is sending what was kept
	 */
	restore(sent = false)
	{
		const key = this.conversationId || `new ${this.workspaceId}`;
		const typed = this.#drafts?.read(key);

		this.#draftKey = key;
		if (!typed || sent)
			return;
		this.draft = String(typed.text ?? '');
		this.mentions = typed.mentions || [];
		this.promptId = typed.promptId || null;
		this.options = typed.options || {};
		this.#edit = typed.edit || null;
		if (!this.conversationId) {
			this.agentId = typed.agentId || this.agentId;
			this.place = typed.place || null;
		}
		this.uploads.restore(typed.files || []);
		// another tab sends what is queued there
		if (typed.queued && typed.tab === this.#drafts.tab)
			this.queued = this.#kept(typed.queued);
		else if (typed.queued)
			this.#giveBack(this.#kept(typed.queued));
		if (typed.sending)
			this.#recover(this.#kept(typed.sending));
		this.changed();
	}

	/** The page ended while it was sent: gives it back unless the server has it. */
	async #recover(message)
	{
		this.#sending = message;
		try {
			if (!await arrived(this.#api, this, saidIn(message.content, this.mentions)))
				this.#giveBack(message);
		} catch {
			this.#giveBack(message);
		}
		// another one may have been sent meanwhile
		if (this.#sending === message)
			this.#sending = null;
		this.changed();
	}

	/** Forgets what another tab has sent or removed. */
	forget()
	{
		this.draft = '';
		this.changed();
	}

	/** Puts a message that was not sent in front of what is being written. */
	#giveBack({ content, promptId, uploads })
	{
		this.draft = this.draft ? `${content}\n\n${this.draft}` : content;
		this.promptId ??= promptId;
		this.uploads.put(uploads.take());
	}

	/** A message of which a draft was kept. */
	#kept({ content, promptId, files })
	{
		const uploads = new Uploads(this.#api);

		uploads.watch(() => this.changed());
		uploads.restore(files);
		return { content, promptId, uploads };
	}

	/** Takes back the message that is not sent yet. */
	unqueue()
	{
		const { queued } = this;

		this.queued = null;
		if (queued)
			this.#giveBack(queued);
		this.changed();
	}

	/** Sends a message when the running answer has ended; a second one is added to it. */
	queue(content)
	{
		const uploads = new Uploads(this.#api);

		uploads.put([...this.queued?.uploads.take() || [], ...this.uploads.take()]);
		this.queued = { uploads, promptId: this.queued ? this.queued.promptId : this.promptId,
			content: this.queued ? `${this.queued.content}\n\n${content}` : content };
		this.promptId = null;
		this.changed();
	}

	/** After a turn: sends what is queued; if the answer did not end well, gives it back. */
	async #sendQueued(turn)
	{
		const { queued } = this;

		// it waits for the user, or has continued
		if (!queued || this.live || turn?.waiting.length > 0)
			return;
		await queued.uploads.settled();
		if (this.queued !== queued || this.live)
			return;
		if (!turn || turn.cut || queued.uploads.busy) {
			this.unqueue();
			return;
		}
		this.queued = null;
		if (!await this.send(queued.content, queued))
			this.refused(queued.content);
	}

	/** The text of a refused message goes back to where it can be sent again. */
	refused(content)
	{
		this.unqueue();
		this.draft = this.draft ? `${content}\n\n${this.draft}` : content;
		this.changed();
	}

	/** the running turn, or null */
	get live()
	{
		const last = this.turns[this.turns.length - 1];

		return last?.running ? last : null;
	}

	async load()
	{
		const conversation = await super.load();

		this.#editAgain();
		this.#findBoards();
		if (conversation?.runningTurnId)
			this.#follow(conversation.runningTurnId);
		else if (conversation)
			this.unqueue();	// nobody expects that looking at it sends something
		this.#findPlace(conversation);
		return conversation;
	}

	/** @param {Turn | null} except */
	async refresh(except = null)
	{
		await super.refresh(except);
		this.#findBoards();
	}

	async loadOlder()
	{
		await super.loadOlder();
		this.#findBoards();
	}

	/** Where the plans of loaded turns stand: no row of the thread says it. */
	async #findBoards()
	{
		const wanted = () => this.turns.filter((turn) => !turn.running &&
			turn.parts.some(({ name, callId }) => name === 'plan' && !turn.boards.has(callId)));

		if (wanted().length === 0)
			return;
		try {
			for (let cursor; cursor !== null && wanted().length > 0;) {
				const { items, nextCursor } = await this.#api.plans(
					{ conversationId: this.conversationId, cursor, pageSize: PLANS });

				cursor = nextCursor;
				for (const { id, ...board } of items) {
					const turn = this.turns.find(({ turnId }) => turnId === board.turnId);

					if (turn && !turn.boards.has(board.callId)) {
						turn.boards.set(board.callId, { ...board, planId: id });
						turn.changed();
					}
				}
			}
		} catch {
			// the calls are shown without
		}
	}

	/** Opens the message that was being edited; one that is far up stays kept. */
	#editAgain()
	{
		const edit = this.#edit;
		const turn = edit && this.turns.find(({ user, answerId }) =>
			[user?.messageId, answerId].includes(edit.messageId));

		if (!turn)
			return;
		this.#edit = null;
		turn[turn.answerId === edit.messageId ? 'correcting' : 'editing'] = edit.text;
		turn.changed();
	}

	/** The conversation's project, as long as there is one. */
	async #findPlace(conversation)
	{
		const { projectId = null, focusId = null } = conversation || {};

		if (!projectId || this.place)
			return;
		const place = { projectId, focusId, name: '' };

		this.place = place;
		try {
			const { record } = await this.#api.record('GET', `entities/${focusId || projectId}`);

			place.name = record.title || record.name;
			this.changed();
		} catch (error) {
			if (error.status === 404 && this.place === place)
				this.setPlace(null);
		}
	}

	/** Says what the next messages are about; null: nothing in particular. */
	setPlace(place)
	{
		this.place = place;
		this.#moved = true;
		this.changed();
		if (this.conversationId)
			this.#api.placeConversation(this.conversationId, place).catch((error) => {
				this.sendError = error;
				this.changed();
			});
		else if (place)		// the other one reads it, too
			this.#api.prewarm(place).catch(() => {});
	}

	/**
	 * Sends a message and reads its answer to the end.
	 * @param {string} content
	 * @param {{promptId: string | null, uploads: Uploads}} from whose files and prompt
	 * @returns false if it was refused; sendError says why
	 */
	async send(content, from = this)
	{
		const turn = new Turn(`live-${++drafts}`);
		const { promptId } = from;
		const files = from.uploads.take();
		const attachments = files.map(({ record }) => record);
		const body = this.#body(content, attachments, promptId);
		const said = saidIn(content, this.mentions);
		const uploads = new Uploads(this.#api);

		uploads.put(files);
		this.#sending = { content, promptId, uploads };
		from.promptId = null;
		turn.begin(said, attachments, askedIn(content, this.mentions)?.label);
		this.keepNow();
		const taken = await this.#begin(turn, this.turns, said, (signal) =>
			this.#api.stream(this.workspaceId, body, { signal }));

		this.#sending = null;
		if (!taken) {
			this.uploads.put(files);
			this.promptId ??= promptId;
		}
		this.keep();
		return taken;
	}

	/** A request with a new message. */
	#body(content, attachments, promptId)
	{
		const { conversationId, agentId } = this;

		return { ...this.#more(), ...moduleOf(), ...(promptId ? { promptId } : {}),
			...mentionsOf(content, this.mentions), ...idsOf(attachments), ...this.trial,
			...(conversationId ? { conversationId } : agentId ? { agentId } : {}) };
	}

	/** The request for the message being written, for its preview. */
	previewBody()
	{
		return this.#body(this.draft.trim(), this.uploads.items.flatMap(({ state, record }) =>
			state === 'ready' ? [record] : []), this.promptId);
	}

	/** What each request that begins a turn has besides its text. */
	#more()
	{
		const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
		const { projectId, focusId, contextType } = this.place || {};

		return { client: clientOf(), timeZone, ...this.options, ...projectId && { projectId },
			...focusId && { focusId }, ...contextType && { contextType },
			// as long as the server may not know it yet
			...this.#moved && !this.place && this.conversationId && { contextType: 'global' } };
	}

	/**
	 * Answers a turn's question again; what came after it is superseded.
	 */
	regenerate(turn)
	{
		const fresh = new Turn(`live-${++drafts}`);
		const at = this.turns.indexOf(turn);

		fresh.goesOn = turn.continues;
		fresh.beginAgain(turn.user);
		return this.#begin(fresh, this.turns.slice(0, at), '', (signal) =>
			this.#api.regenerate(this.conversationId,
				{ messageId: turn.answerId, ...lentTo(turn), ...this.#more() }, { signal }));
	}

	/**
	 * Asks something else in a turn's place; what came after it is
	 * superseded.
	 */
	edit(turn, content)
	{
		const fresh = new Turn(`live-${++drafts}`);
		const at = this.turns.indexOf(turn);

		const attachments = turn.user.metadata?.attachments || [];

		fresh.begin(content, attachments);
		return this.#begin(fresh, this.turns.slice(0, at), content, (signal) =>
			this.#api.edit(this.conversationId,
				{ messageId: turn.user.messageId, ...lentTo(turn), ...this.#more(), ...moduleOf(),
					...mentionsOf(content, turn.user.metadata?.mentions),
					...idsOf(attachments) }, { signal }));
	}

	/** The text of an answer with those that continue it: all that a correction replaces. */
	wholeText(turn)
	{
		const { turns } = this;
		let first = turns.indexOf(turn);
		let end = first + 1;

		while (first > 0 && turns[first].continues)
			first--;
		while (turns[end]?.continues)
			end++;
		return turns.slice(first, end).map(({ text }) => text).join('');
	}

	/**
	 * Stores a turn's answer as the user has written it.
	 * @returns false when it was refused, which sendError tells
	 */
	async correct(turn, content)
	{
		if (this.live || this.switching)
			return false;
		this.switching = true;
		this.sendError = null;
		this.changed();
		try {
			await this.#api.correct(this.conversationId, turn.answerId, content);
			turn.correcting = null;
			await this.refresh();
		} catch (error) {
			this.sendError = error;
			// what is typed takes the place of what is there now
			if (error.code === 'conflict')
				await this.refresh().catch(() => {});
		}
		this.switching = false;
		this.changed();
		return !this.sendError;
	}

	/** Continues the last answer where it was cut short. */
	goOn(turn)
	{
		if (turn.sleeps)
			return this.#wake(turn);
		const fresh = new Turn(`live-${++drafts}`);

		fresh.goesOn = true;
		fresh.beginAgain(null);
		return this.#begin(fresh, this.turns, '', (signal) =>
			this.#api.goOn(turn.turnId, this.#more(), { signal }));
	}

	/**
	 * The variant with that index (from 1) at a message's place, or null.
	 */
	async #variant(messageId, index)
	{
		for (let first = 1, cursor; cursor !== null;) {
			const page = await this.#api.variants(this.conversationId, messageId, cursor);

			if (index < first + page.items.length)
				return page.items[index - first];
			first += page.items.length;
			cursor = page.nextCursor;
		}
		return null;
	}

	/**
	 * Shows another version at a message's place.
	 * @param index from 1
	 */
	async showVariant(messageId, index)
	{
		if (this.live || this.switching)
			return;
		this.switching = true;
		this.changed();
		try {
			const wanted = await this.#variant(messageId, index);

			if (wanted && !wanted.current)
				await this.#api.restore(this.conversationId, wanted.variantId);
			await this.refresh();
		} catch (error) {
			this.sendError = error;
		}
		this.switching = false;
		this.changed();
	}

	/**
	 * Approves or denies a waiting call.
	 * @param {{decision: string, arguments?: object, remember?: string}} body
	 */
	decide(turn, wait, body)
	{
		return this.#resume(turn, [wait], (signal) => this.#api.decide(turn.turnId,
			{ approvalId: wait.approvalId, digest: wait.digest, ...body }, { signal }));
	}

	/**
	 * Answers a question, or a call of a page tool.
	 * @param {{result: unknown} | {error: string}} result
	 */
	reply(turn, wait, result)
	{
		return this.#resume(turn, [wait], (signal) => this.#api.reply(turn.turnId,
			[{ toolCallId: wait.toolCallId, ...result }], { signal }));
	}

	/**
	 * Runs the calls of this page's tools in order: each once
	 * automatically, so that a result that cannot be delivered is not
	 * repeated for ever, and again if the user asks for it.
	 */
	async carryOut(turn, again = false)
	{
		const waits = turn.waiting.filter((wait) => canRun(wait) &&
			(again || !this.#carried.has(wait.toolCallId)));
		const results = [];

		if (waits.length === 0)
			return;
		for (const wait of waits) {
			this.#carried.add(wait.toolCallId);
			results.push(await runCall(wait));
		}
		await this.#resume(turn, waits, (signal) =>
			this.#api.reply(turn.turnId, results, { signal }));
	}

	/**
	 * Skips or stops a step of a turn's plan; then the turn goes on, if nothing else waits.
	 * @param {import('./turn.js').Turn} turn
	 * @param {{planId: string, stepId: string, waits: object[]}} step and what it waits for
	 */
	async skipStep(turn, { planId, stepId, waits })
	{
		let status;

		this.sendError = null;
		try {
			({ status } = await this.#api.skipStep(planId, stepId));
		} catch (error) {
			this.sendError = error;
			this.changed();
			return;
		}
		turn.skipStep(planId, stepId, status, waits);
		if (!turn.running && turn.waiting.length === 0)
			await this.#wake(turn);
	}

	/**
	 * Runs a plan of this conversation again: these steps, or what is not done, or all.
	 * @param {{planId: string, steps?: string[], content: string}} what the plan, the steps, and
	 *        what the user says with it
	 */
	runPlan({ planId, steps, content })
	{
		const turn = new Turn(`live-${++drafts}`);

		turn.begin(content, []);
		return this.#begin(turn, this.turns, content, (signal) =>
			this.#api.stream(this.workspaceId, { content, ...this.#more(),
				conversationId: this.conversationId, planAgain: planId,
				...steps && { planSteps: steps } }, { signal }));
	}

	/** Goes on with a turn whose process died. */
	#wake(turn)
	{
		this.#woken.add(turn.turnId);
		return this.#resume(turn, [], (signal) => this.#api.goOn(turn.turnId, {}, { signal }));
	}

	/** Resumes a turn some of whose waits were answered. */
	async #resume(turn, waits, open)
	{
		const { waiting, sleeps } = turn;

		if (turn.running) {
			await this.#answer(turn, waits, open);
			return;
		}
		if (this.live)
			return;
		this.sendError = null;
		turn.resume(waits);
		this.changed();
		try {
			await this.#end(turn, await this.#read(turn, turn, turn.turnId,
				() => this.#gone(turn.turnId, waits)).run(open));
		} catch (error) {
			turn.finishWith(null);
			turn.waiting = waiting;
			turn.sleeps = sleeps;
			turn.changed();
			this.#refused(error);
			// decided elsewhere, or too late: reload the current
			// state
			if (error.status === 404 || error.code === 'conflict')
				this.attach(turn.turnId);
			return;
		}
		this.#done(turn);
		await this.carryOut(turn);
	}

	/** Answers what steps of a plan wait for while its turn is being read. */
	async #answer(turn, waits, open)
	{
		const stop = new AbortController();

		this.sendError = null;
		turn.answered(waits);
		this.changed();
		try {
			await open(stop.signal);
			stop.abort();
		} catch (error) {
			if (turn.running && error.code !== 'conflict')
				turn.ask(waits);
			this.sendError = error;
			this.changed();
			return;
		}
		// it paused meanwhile, and goes on by this
		if (!turn.running)
			await this.attach(turn.turnId);
	}

	/** The turn's id, unless it still waits for the same things. */
	async #gone(turnId, waits)
	{
		const { waitingFor = [] } = await this.#api.turn(turnId);

		return waitingFor.some(({ toolCallId }) =>
			waits.some((wait) => wait.toolCallId === toolCallId)) ? '' : turnId;
	}

	/**
	 * One turn from its request to its end.
	 * @param kept    the turns that stay in front of it
	 * @param content what was asked, '' when nothing new was
	 * @param open    sends the request: gets a signal, returns the Response
	 * @returns false when it was refused; then all is as before
	 */
	async #begin(turn, kept, content, open)
	{
		const before = this.turns;

		if (this.live)
			return false;
		this.turns = [...kept, turn];
		this.sendError = null;
		this.#stopWanted = false;
		this.changed();
		const asking = before.some(({ waiting }) => waiting.length > 0);
		const known = new Set(before.map(({ turnId }) => turnId));
		const feed = this.#read(turn, turn, '', () => begun(this.#api, this, known, content));

		try {
			await this.#end(turn, await feed.run(open));
		} catch (error) {
			if (!feed.turnId) {
				turn.finishWith(null);
				this.turns = before;
				this.#refused(error);
				return false;
			}
			this.#failed(turn, error);
		}
		this.#done(turn);
		// the waits were superseded by this message; this turn may
		// wait itself now, which no row says
		if (asking && !this.live)
			this.refresh(turn).catch(() => {});
		// not if a turn is only followed: another page of the user
		// began it
		this.carryOut(turn);
		return true;
	}

	/** A turn that another page began, or this one before a reload. */
	async attach(turnId)
	{
		if (this.live)
			return;
		try {
			await this.refresh();
		} catch {
			// what is shown stays; the turn's events add the
			// rest
		}
		await this.#follow(turnId);
	}

	async #follow(turnId)
	{
		let turn = this.turns.find((other) => other.turnId === turnId);
		const last = this.turns[this.turns.length - 1];

		if (this.live || turn?.answer)
			return;
		// a question without an answer is being answered again
		if (!turn && last?.user && !last.answer && last.parts.length === 0)
			turn = last;
		if (!turn) {
			turn = new Turn(turnId);
			this.turns = [...this.turns, turn];
		}
		const copy = turn.catchUp(turnId);
		const feed = this.#read(turn, copy, turnId);

		turn.changed();
		this.changed();
		this.#events.changed(this);
		try {
			await this.#end(turn, await feed.run());
		} catch (error) {
			this.#failed(turn, error);
		}
		this.#done(turn);
	}

	/** Reads the events of a turn into `copy`, which may be the turn itself. */
	#read(turn, copy, turnId, find)
	{
		let into = copy;

		this.#feed = new Feed(this.#api, this.#link, {
			turnId, find, after: copy.seen,
			onEvent: (type, data, number) => {
				into.seen = number;
				if (type === 'user-message')
					this.#taken(into, data);
				if (type === 'title') {
					// a repeated one may be out of date
					if (copy === turn)
						this.#titled(data.title);
					return;
				}
				if (type === 'entity-patch')
					this.#patched(data);
				into.apply(type, data);
				if (ASKS.has(type))
					this.#asked(turn, Boolean(find));
				if (into !== turn && (type === 'waiting' || into.covers(turn)))
					into = turn.adopt(into);
				if (type === 'user-message')
					this.changed();
			},
			onState: (state) => {
				if (turn.connection === state || !turn.running)
					return;
				turn.connection = state;
				turn.changed();
			},
		});
		return this.#feed;
	}

	/**
	 * A step of a plan waits while others run.
	 * @param own whether this page began the turn, or resumed it
	 */
	async #asked(turn, own)
	{
		// a turn that waits says so at once
		await new Promise((resolve) => setTimeout(resolve, ASKED_MS));
		if (!turn.running || turn.waiting.length === 0)
			return;
		this.#events.asked(this, turn);
		if (own)
			await this.carryOut(turn);
	}

	/** A chat that was to make a project is about it once it is there. */
	#patched({ action, entityType, projectId, patch })
	{
		if (this.place?.contextType && action === 'create' && entityType === 'project')
			this.setPlace({ projectId, name: patch.name });
	}

	/** The server has stored the question. */
	#taken(turn, message)
	{
		const fresh = !this.conversationId;

		this.#sending = null;
		this.#moved = false;
		this.conversationId = message.conversationId;
		this.agentId = message.agentId || this.agentId;
		if (this.turns.some((other) => other.turnId !== message.turnId && !other.running &&
		    other.user?.messageId === message.messageId))
			turn.goesOn = true;
		turn.turnId = message.turnId;
		if (fresh)
			this.#events.created(this);
		this.keepNow();
		if (this.#stopWanted)
			this.stop();
	}

	#titled(title)
	{
		this.title = title;
		this.changed();
		this.#events.changed(this);
	}

	/** @param how what the feed has ended with */
	async #end(turn, how)
	{
		// shown by its events, except those that are no longer kept
		if (!turn.running && how !== 'gone')
			return;
		turn.finishWith(null);
		await this.refresh();
	}

	/** The rest of the answer cannot be read. */
	#failed(turn, error)
	{
		turn.finishWith(null);
		turn.changed();
		this.sendError = error;
	}

	#done(turn)
	{
		this.#feed = null;
		clearTimeout(this.#stopTimer);
		if (this.sendError?.code === 'conversation_busy')
			this.sendError = null;
		this.changed();
		this.#events.finished(this, turn);
		// once: what ends its process again is left to the user
		if (turn.sleeps && !this.#woken.has(turn.turnId))
			this.#wake(turn);
		else
			this.#sendQueued(turn);
	}

	/** The requested turn was not begun. */
	#refused(error)
	{
		this.#feed = null;
		this.sendError = error.name === 'AbortError' ? null : error;
		this.changed();
		this.#events.changed(this);
		if (error.code === 'conversation_busy' && error.turnId)
			this.attach(error.turnId);
	}

	/** Stops the running answer; it is read until it ends. */
	async stop()
	{
		const turn = this.live;
		const feed = this.#feed;

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
			// already over, as wanted
			if (error.code !== 'not_found' && error.code !== 'conflict') {
				this.sendError = error;
				turn.stopping = false;
				turn.changed();
				this.changed();
				return;
			}
		}
		this.#stopTimer = setTimeout(() => feed?.stop(), STOP_WAIT_MS);
	}
}
