// The threads this page knows: the one that is shown, those that still
// answer, and the last few that were read. Keeps the conversation list and
// the addresses in step with them.
import { become } from '../route.js';
import { Observable } from '../observable.js';
import { Thread } from './thread.js';

const KEPT = 8;
/** When to ask for a title the model writes after its answer. */
const TITLE_MS = [800, 1600, 3000, 6000, 10000];

export class Threads extends Observable {
	#api;
	#list;
	#session;
	/** @type {Thread[]} the one used last at the end */
	#known = [];

	/** @param say announces a text */
	constructor(api, list, session, say)
	{
		super();
		this.#api = api;
		this.#list = list;
		this.#session = session;
		this.say = say;
		/** @type {Thread} */
		this.current = this.#make({});
	}

	/** ids of the conversations that are answered in this page */
	get busy()
	{
		return new Set(this.#known.filter((thread) => thread.live)
			.map((thread) => thread.conversationId));
	}

	#make(fields)
	{
		return new Thread(this.#api, {
			created: (thread) => this.#created(thread),
			changed: (thread) => this.#changed(thread),
			finished: (thread, turn) => this.#finished(thread, turn),
		}, fields);
	}

	/** Shows a conversation ('': a new chat). @returns its thread */
	async open(id)
	{
		let thread = this.#known.find((known) => known.conversationId === id);

		if (id === '' || !thread) {
			thread = this.#make({ conversationId: id,
				workspaceId: this.#session.workspaceId,
				agentId: id ? '' : this.#session.firstAgent() });
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

	/** Takes it among the known; forgets the oldest that does nothing. */
	#keep(thread)
	{
		const rest = this.#known.filter((known) => known !== thread);

		while (rest.length >= KEPT) {
			const at = rest.findIndex((known) => !known.live);

			if (at < 0)
				break;
			rest.splice(at, 1);
		}
		this.#known = [...rest, thread];
	}

	/** Forgets a conversation that was deleted. */
	drop(id)
	{
		this.#known = this.#known.filter((thread) => thread.conversationId !== id);
	}

	/** Changes the title where it is shown. */
	retitle(id, title)
	{
		const thread = this.#known.find((known) => known.conversationId === id);

		this.#list.patch(id, { title });
		if (!thread)
			return;
		thread.title = title;
		thread.changed();
		this.changed();
	}

	#created(thread)
	{
		const now = new Date().toISOString();

		if (this.current === thread)
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

	/** Takes title and place in the list from the server. */
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
			// the list shows it as it was; the next answer asks again
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
		this.#list.patch(thread.conversationId, { runningTurnId: null });
		this.changed();
		this.say(turn, thread === this.current);
		const before = thread.title;
		const conversation = await this.#fetch(thread);

		// later answers change no title
		if (!conversation || thread.turns.length > 1 || thread.nextCursor !== null)
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
