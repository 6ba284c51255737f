// SPDX-License-Identifier: MIT
// A conversation with the agent as its form is now, saved or not, for an element beside the
// form. It is in no list, and is deleted when the element goes.
import { bodyOf, inWords } from '../form.js';
import { errorText } from '../format.js';
import { Watch } from '../observable.js';
import { Thread } from '../store/thread.js';
import { t } from '../strings.js';

/** What a turn may ask of a thread; all else that it tells is not for this chat. */
const ACTS = {
	'lamp-decided': (thread, { turn, wait, body }) => thread.decide(turn, wait, body),
	'lamp-replied': (thread, { turn, wait, result }) => thread.reply(turn, wait, result),
	'lamp-go-on': (thread, { turn }) => thread.goOn(turn),
};

/**
 * The workspace that the agent of a form is in.
 * @param {import('./parts.js').At} at
 */
export function workspaceOf({ draft, places })
{
	return draft.record?.workspaceId || places.workspaceId;
}

/**
 * The agent of a form as it would be saved, or null if the form has errors.
 * @param {import('./parts.js').At} at
 * @param {boolean} tells the form says them
 */
export function agentOf({ draft }, tells)
{
	const { form, values } = draft;
	const { body, errors } = bodyOf(form, { ...values,
		name: values.name?.trim() || t('try.unnamed') }, null);

	if (!draft.isNew)
		body.agentId = draft.id;
	if (tells) {
		draft.errors = errors;
		draft.changed();
	}
	return Object.keys(errors).length === 0 ? body : null;
}

/**
 * What an error says, in the words of the form.
 * @param {import('./parts.js').At} at
 * @param {boolean} tells it stands at the field that it is about, too
 */
export function problemOf({ draft }, error, tells)
{
	const field = draft.form.fields.find(({ key }) => key === error?.field?.split(/[.[]/)[0]);
	const problem = !error ? '' : field ? inWords(draft.form, field, error.detail) : errorText(error);

	if (field && tells) {
		draft.errors = { [field.key]: problem };
		draft.changed();
	}
	return problem;
}

/** A lit controller. */
export class Trial {
	#host;
	#left = null;

	/** @param {import('./element.js').PageElement & {at: import('./parts.js').At}} host */
	constructor(host)
	{
		/** @type {Thread | null} */
		this.thread = null;
		this.#host = host;
		host.addController(this);
		new Watch(host, () => this.thread);
		for (const [name, act] of Object.entries(ACTS))
			host.addEventListener(name, (event) => {
				event.stopPropagation();
				this.#hold(act(this.thread, /** @type {CustomEvent} */ (event).detail));
			});
	}

	hostConnected()
	{
		this.#left = new AbortController();
		addEventListener('pagehide', () => this.forget(), { signal: this.#left.signal });
	}

	hostDisconnected()
	{
		this.#left.abort();
		this.forget();
	}

	/** Nothing of it stays. */
	forget()
	{
		const { thread } = this;

		this.thread = null;
		this.#host.requestUpdate();
		if (!thread)
			return;
		// what runs is stopped by it
		if (thread.conversationId)
			this.#host.at.api.remove(thread.conversationId, true).catch(() => {});
	}

	/**
	 * Sends a message to the agent of the form.
	 * @param {string} content
	 * @param {object} [options] of the turn
	 * @returns {Promise<string | null>} what is wrong, which stands at its field, too; null: nothing
	 */
	async send(content, options = {})
	{
		const { at } = this.#host;
		const agent = agentOf(at, true);

		if (!agent)
			return Object.values(at.draft.errors).join(' ');
		this.thread ??= new Thread(at.api, document.querySelector('lamp-app').link,
			{ created() {}, changed() {}, finished() {}, asked() {} },
			{ workspaceId: workspaceOf(at) });
		this.thread.trial = { draftAgent: agent, ...options };
		return await this.#hold(this.thread.send(content)) ? null :
			problemOf(at, this.thread?.sendError, true);
	}

	/** Shows what a request changes, whatever becomes of it. */
	async #hold(promise)
	{
		this.#host.requestUpdate();
		const done = await promise;

		this.#host.requestUpdate();
		return done;
	}
}
