// SPDX-License-Identifier: MIT
// The threads that this page knows: the one that is shown, those that still
// answer, and the last few that were read. Keeps the conversation list and the
// addresses in step with them.
import { become, readPlace } from '../route.js';
import { Observable } from '../observable.js';
import { Drafts } from './drafts.js';
import { Thread } from './thread.js';
import { Unstored } from './unstored.js';

const KEPT = 8;
/** When to ask for the title that the model writes after its answer. */
const TITLE_MS = [800, 1600, 3000, 6000, 10000];

export class Threads extends Observable {
	#api;
	#link;
	#list;
	#session;
	#unstored;
	#drafts;
	/** @type {Thread[]} the one used last at the end */
	#known = [];
	/** @type {Map<string, Thread>} new chats in which something was written, by workspace */
	#begun = new Map();

	/**
	 * @param say is told when a turn has ended or asks for something: (turn, whether it is
	 *        shown, thread)
	 */
	constructor(api, link, list, session, say)
	{
		super();
		this.#api = api;
		this.#link = link;
		this.#list = list;
		this.#session = session;
		this.#drafts = new Drafts(api.base, () => this.changed());
		this.say = say;
		this.#unstored = new Unstored(api, link, () => session.me?.userId,
			(id, turnId, stored) => this.#stored(id, turnId, stored));
		/** @type {Thread} */
		this.current = this.#make({});
	}

	/** ids of the conversations in which something was typed and not sent */
	get drafted()
	{
		return this.#drafts.waiting;
	}

	/** ids of the conversations that are being answered on this page */
	get busy()
	{
		return new Set(this.#known.filter((thread) => thread.live)
			.map((thread) => thread.conversationId));
	}

	/**
	 * Notifies watchers; before that, tells its turns what could not be
	 * stored of them.
	 */
	changed()
	{
		for (const turn of this.current?.turns || [])
			turn.lose(this.#unstored.lost(turn.turnId));
		super.changed();
	}

	#make(fields)
	{
		return new Thread(this.#api, this.#link, {
			created: (thread) => this.#created(thread),
			changed: (thread) => this.#changed(thread),
			finished: (thread, turn) => this.#finished(thread, turn),
			asked: (thread, turn) => this.say(turn, thread === this.current, thread),
		}, fields, this.#drafts);
	}

	/** Begins to keep what is typed, for this user. */
	keepDrafts(me)
	{
		this.#drafts.open(me);
		this.#drafts.watch((key) => [...this.#known, ...this.#begun.values(), this.current]
			.find((thread) => thread.conversationId === key)?.forget());
	}

	/** The page may end: keeps what was typed. */
	keepNow()
	{
		for (const thread of new Set([...this.#known, ...this.#begun.values(), this.current]))
			thread.keepNow();
	}

	/** The new chat of the workspace, with what was written in it. */
	#newChat()
	{
		const { workspaceId } = this.#session;
		const begun = this.#begun.get(workspaceId);

		if (begun && !begun.conversationId && !begun.live && begun.written)
			return begun;
		const thread = this.#make({ workspaceId, agentId: this.#session.firstAgent() });

		this.#begun.set(workspaceId, thread);
		thread.restore(Boolean(begun?.live && !begun.conversationId));
		if (!this.#session.agent(workspaceId, thread.agentId))
			thread.agentId = this.#session.firstAgent();
		return thread;
	}

	/** Shows a failure that belongs to no message, above the field. */
	fail(error)
	{
		this.current.sendError = error;
		this.current.changed();
	}

	/** A refused message goes back to where it can be sent again. */
	refused(thread, content)
	{
		const begun = this.#begun.get(thread.workspaceId);
		const shown = thread.conversationId || !begun ? thread : begun;

		if (shown !== thread)
			shown.uploads.put(thread.uploads.take());
		shown.refused(content);
	}

	/** Shows a conversation ('': a new chat). @returns its thread */
	async open(id)
	{
		let thread = id ? this.#known.find((known) => known.conversationId === id) :
			this.#newChat();

		if (!thread) {
			thread = this.#make({ conversationId: id,
				workspaceId: this.#session.workspaceId });
			thread.restore();
		}
		this.current = thread;
		if (id)
			this.#keep(thread);
		this.changed();
		if (!thread.loaded)
			await thread.load();
		if (this.current === thread)
			this.changed();
		return thread;
	}

	/** Adds it to the known ones; forgets the oldest idle one. */
	#keep(thread)
	{
		const rest = this.#known.filter((known) => known !== thread);

		while (rest.length >= KEPT) {
			const at = rest.findIndex((known) => !known.live && !known.queued);

			if (at < 0)
				break;
			rest.splice(at, 1)[0].keepNow();
		}
		this.#known = [...rest, thread];
	}

	/** Forgets a deleted conversation. */
	drop(id)
	{
		this.#drafts.write(id, null);
		this.#known = this.#known.filter((thread) => thread.conversationId !== id);
	}

	/** A new conversation with the thread up to a turn. @returns its id */
	async fork(thread, turn)
	{
		const made = await this.#api.fork(thread.conversationId,
			turn.answerId || turn.user.messageId);

		this.#list.lift(made);
		return made.conversationId;
	}

	/** A new conversation of the caller's with what they may read of a share. @returns its id */
	async own(share)
	{
		const made = await this.#api.forkShared(share);

		this.#list.lift(made);
		return made.conversationId;
	}

	/** Continues to store what the server could not, before a reload. */
	resume()
	{
		this.#unstored.resume();
	}

	/**
	 * An answer that this page had kept is stored now, or cannot be any
	 * more.
	 */
	#stored(id, turnId, stored)
	{
		const thread = this.#known.find((known) => known.conversationId === id);
		const turn = thread?.turns.find((known) => known.turnId === turnId);

		turn?.settle(stored);
		this.changed();
		if (stored && thread?.loaded && !thread.live)
			thread.refresh().catch(() => {});
	}

	/** Something may have been missed: reloads the current state. */
	async refresh()
	{
		const thread = this.current;

		// search results stay as they were found
		if (!this.#list.q)
			this.#list.reload();

		if (!thread.conversationId || !thread.loaded || thread.live)
			return;
		try {
			const now = await this.#api.conversation(thread.conversationId);

			if (now.runningTurnId)
				await this.#catchUp(thread, now.runningTurnId);
			else if (now.updatedAt !== thread.updatedAt && !thread.live)
				await thread.refresh();
			thread.take(now);
		} catch (error) {
			if (error.code === 'not_found')
				this.#deleted(thread.conversationId);
		}
	}

	/**
	 * Attaches, unless the turn already waits as shown: news may be
	 * outdated.
	 */
	async #catchUp(thread, turnId)
	{
		const waits = thread.turns.some((turn) => turn.turnId === turnId &&
			turn.waiting.length > 0);

		if (!waits || (await this.#api.turn(turnId)).status !== 'waiting')
			thread.attach(turnId);
	}

	/** Handles one notice of what happened elsewhere (or here). */
	notice(type, data)
	{
		const id = data.conversationId;

		if (type === 'turn-status')
			this.#turnStatus(id, data.turnId, data.status);
		else if (type === 'title')
			this.retitle(id, data.title);
		else if (type === 'conversation' && data.change === 'deleted')
			this.#deleted(id);
		else if (type === 'conversation')
			this.#listed(id);
		else if (type === 'refresh' && data.what === 'messages')
			this.#reread(id);
		else if (type === 'refresh')
			this.refresh();
	}

	/** Messages have changed that the list does not tell of. */
	#reread(id)
	{
		const thread = this.#known.find((known) => known.conversationId === id);

		if (thread?.loaded && !thread.live)
			thread.refresh().catch(() => {});
	}

	#turnStatus(id, turnId, status)
	{
		const running = status === 'running';
		const waiting = status === 'waiting';
		const thread = this.#known.find((known) => known.conversationId === id);
		const turn = thread?.turns.find((known) => known.turnId === turnId);

		// the end of one that was superseded by a later, shown turn
		if (turn && turn !== thread.turns.at(-1) && !running && !waiting)
			return;
		if ((running || waiting) && !this.#list.find(id))
			this.#listed(id);
		this.#list.patch(id, { runningTurnId: running ? turnId : null, waiting });
		if (!thread?.loaded || thread.live || turn?.answer ||
		    (waiting && turn?.waiting.length > 0))
			return;
		if (running || waiting)
			this.#catchUp(thread, turnId).catch(() => {});
		else
			thread.refresh().catch(() => {});
	}

	/** Shows a conversation in the list as the server has it. */
	async #listed(id)
	{
		try {
			const conversation = await this.#api.conversation(id);

			if (this.#list.find(id))
				this.#list.patch(id, conversation);
			else
				this.#list.lift(conversation);
			this.retitle(id, conversation.title);
		} catch {
			// deleted again, or the network is down: the next
			// load of the list tells
		}
	}

	#deleted(id)
	{
		this.#list.forget(id);
		this.drop(id);
		if (this.current.conversationId !== id)
			return;
		this.current.lose();
		this.changed();
	}

	/** Changes the title wherever it is shown. */
	retitle(id, title)
	{
		const thread = this.#known.find((known) => known.conversationId === id);

		this.#list.patch(id, { title });
		if (!thread || thread.title === title)
			return;
		thread.title = title;
		thread.changed();
		this.changed();
	}

	#created(thread)
	{
		const now = new Date().toISOString();

		// a place may be shown meanwhile
		if (this.current === thread && !readPlace())
			become(thread.conversationId);
		this.#keep(thread);
		this.#list.lift({
			workspaceId: thread.workspaceId, agentId: thread.agentId,
			conversationId: thread.conversationId, title: thread.title,
			createdAt: now, updatedAt: now,
		});
		this.changed();
		this.#fetch(thread);
	}

	/** Takes the title and the place in the list from the server. */
	async #fetch(thread)
	{
		try {
			const conversation = await this.#api.conversation(thread.conversationId);

			thread.take(conversation);
			this.#list.lift({ ...conversation,
				runningTurnId: thread.live ? conversation.runningTurnId : null });
			this.changed();
			return conversation;
		} catch {
			// the list keeps the old one; the next answer asks
			// again
			return null;
		}
	}

	#changed(thread)
	{
		if (thread.conversationId)
			this.#list.patch(thread.conversationId, { title: thread.title });
		this.changed();
	}

	async #finished(thread, turn)
	{
		this.#list.patch(thread.conversationId, { runningTurnId: null,
			waiting: turn.waiting.length > 0 || turn.sleeps });
		this.changed();
		this.say(turn, thread === this.current, thread);
		if (turn.meta.unstored)
			this.#unstored.add(thread.conversationId, turn.turnId, turn.meta.unstored,
				turn.text);
		const before = thread.title;
		const conversation = await this.#fetch(thread);

		// later answers change no title
		if (!conversation || turn.waiting.length > 0 || thread.turns.length > 1 || thread.nextCursor !== null)
			return;
		for (const ms of TITLE_MS) {
			if (thread.title !== before)
				return;
			await new Promise((resolve) => setTimeout(resolve, ms));
			if (thread.live || !this.#known.includes(thread))
				return;
			await this.#fetch(thread);
		}
	}
}
