// SPDX-License-Identifier: MIT
// <lamp-chat>: the open conversation: its head with the menu, the thread, the message field,
// and what is done in it.
import { html, nothing } from '../../vendor/lit.js';
import { excerpt, toolName } from '../format.js';
import { Watch } from '../observable.js';
import { reach } from '../reach.js';
import { go } from '../route.js';
import { t } from '../strings.js';
import { touch } from './composer.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { exportItems, orderItems } from './list.js';
import { emptyView, loadFailedView, loadingView, offView } from './states.js';
import './menu.js';
import './thread.js';

export class LampChat extends PageElement {
	static properties = {
		/** <lamp-app>: its stores, and what it shows and says */
		page: { attribute: false },
		offline: { type: Boolean },
		/** whether the drawer is open */
		drawer: { type: Boolean },
	};

	constructor()
	{
		super();
		/** @type {import('./app.js').LampApp} */
		this.page = undefined;
		this.offline = false;
		this.drawer = false;
		for (const pick of [({ session }) => session, ({ places }) => places,
			({ ready }) => ready, ({ speech }) => speech, ({ threads }) => threads,
			({ threads }) => threads.current])
			new Watch(this, () => this.page && pick(this.page));
		for (const [name, act] of Object.entries({
			'lamp-send': ({ content }) => this.#send(content),
			'lamp-stop': () => this.#thread.stop(),
			'lamp-regenerate': ({ turn }) => this.#again((thread) => thread.regenerate(turn)),
			'lamp-go-on': ({ turn }) => this.#again((thread) => thread.goOn(turn)),
			'lamp-decided': ({ turn, wait, body }) =>
				this.#again((thread) => thread.decide(turn, wait, body)),
			'lamp-replied': ({ turn, wait, result }) =>
				this.#again((thread) => thread.reply(turn, wait, result)),
			'lamp-plan-skip': ({ turn, step }) =>
				this.#again((thread) => thread.skipStep(turn, step)),
			'lamp-plan-again': (plan) => this.#again((thread) => thread.runPlan(plan)),
			'lamp-carried-out': ({ turn }) =>
				this.#again((thread) => thread.carryOut(turn, true)),
			'lamp-edit': (detail) => this.#edit(detail),
			'lamp-correct': (detail) => this.#correct(detail),
			'lamp-edit-input': () => this.#thread.keep(),
			'lamp-edit-last': () => this.#editLast(),
			'lamp-to-field': () => this.focusField(),
			'lamp-follow-up': ({ text }) => this.#followUp(text),
			'lamp-compare': (detail) => this.page.show('lamp-compare', 'show',
				this.#thread.conversationId, detail),
			'lamp-fork': ({ turn }) => this.#fork(turn),
			'lamp-rating': ({ turn }) => this.page.ratings.tell(
				this.#thread.conversationId, turn).catch(() => {}),
			'lamp-rate': (detail) => this.#rate(detail),
			'lamp-agent': ({ agentId }) => this.#agent(agentId),
		}))
			this.addEventListener(name, (event) =>
				act(/** @type {CustomEvent} */ (event).detail));
		this.addEventListener('lamp-variant', (event) => this.#variant(
			/** @type {Element} */ (event.target).closest('lamp-turn'), event.detail));
	}

	get #thread()
	{
		return this.page.threads.current;
	}

	focusField()
	{
		this.updateComplete.then(() =>
			this.querySelector('lamp-composer')?.updateComplete).then(() =>
			this.querySelector('lamp-composer')?.focusField());
		// where there is none
		this.querySelector('#composer.centre button')?.focus();
	}

	updated()
	{
		reach(this.querySelector('.empty'));
	}

	/** Goes to a message; '': to where the reader was. */
	goTo(messageId)
	{
		return this.querySelector('lamp-thread')?.show(messageId);
	}

	/** @param {'begin' | 'follow'} where the first message, or the end */
	moveTo(where)
	{
		this.querySelector('lamp-thread')?.[where]();
	}

	usePrompt(promptId)
	{
		return this.querySelector('lamp-composer')?.usePrompt(promptId);
	}

	/** Another version of a message is the one that counts. */
	async take({ messageId, index })
	{
		await this.#thread.showVariant(messageId, index);
		this.page.say(t('variant.shown', { at: index }));
	}

	/** Begins a turn of the open conversation. @returns false when refused */
	#again(begin)
	{
		const thread = this.#thread;

		this.#sayAnswering(thread);
		// the pressed button disappears with the old answer
		if (!touch())
			this.focusField();
		return begin(thread);
	}

	#sayAnswering(thread)
	{
		this.moveTo('follow');
		this.page.say(t('live.answering', { name: agentName(this.page.session, thread) }));
	}

	async #send(content)
	{
		const thread = this.#thread;

		this.#sayAnswering(thread);
		if (!await thread.send(content))
			this.page.threads.refused(thread, content);
	}

	async #edit({ turn, content })
	{
		if (await this.#again((thread) => thread.edit(turn, content)))
			return;
		turn.editing = content;
		turn.changed();
	}

	/**
	 * Opens an answer for its correction; with a text, stores that.
	 * @param {{turn: any, content?: string}} what
	 */
	async #correct({ turn, content })
	{
		const thread = this.#thread;
		const at = thread.turns.indexOf(turn);

		if (content === undefined) {
			turn.correcting = thread.wholeText(turn);
			turn.changed();
			return;
		}
		if (!await thread.correct(turn, content))
			return;
		await this.querySelector('lamp-thread')?.drawn();
		/** @type {import('./turn.js').LampTurn | undefined} */ (
			this.querySelectorAll('lamp-turn')[at])?.focusAnswer();
		this.page.tell(t('correct.saved'));
	}

	/** Shows another version; the focus stays on its arrow. */
	async #variant(element, { messageId, index, which })
	{
		const turns = () => [...this.querySelectorAll('lamp-turn')];
		const at = turns().indexOf(element);
		const mine = element.turn.user?.messageId === messageId;

		await this.#thread.showVariant(messageId, index);
		await this.querySelector('lamp-thread')?.drawn();
		turns()[at]?.querySelector(`${mine ? '.message-user' : '.message-assistant'
		} .variant-${which}`)?.focus();
		this.page.say(t('variant.shown', { at: index }));
	}

	/**
	 * Rates an answer, or takes it back; what was bad about it is asked, or without a value.
	 * @param {{turn: any, value?: 'good' | 'bad'}} what
	 */
	async #rate({ turn, value })
	{
		const { ratings } = this.page;
		const { conversationId } = this.#thread;
		const again = value && turn.rating?.value === value;

		try {
			if (again)
				await ratings.remove(conversationId, turn);
			else if (value)
				await ratings.put(conversationId, turn, { value });
		} catch (error) {
			this.page.threads.fail(error);
			return;
		}
		if (value)
			this.page.tell(t(again ? 'rating.removed' : `rating.${value}Said`));
		if (!again && value !== 'good')
			await this.page.show('lamp-rating', 'ask', conversationId, turn);
	}

	async #fork(turn)
	{
		try {
			go(await this.page.threads.fork(this.#thread, turn));
			this.page.say(t('live.forked'));
		} catch (error) {
			this.page.threads.fail(error);
		}
	}

	/** The last message again: the one that is not sent yet, else the newest one. */
	#editLast()
	{
		const thread = this.#thread;
		const turn = thread.turns[thread.turns.length - 1];

		if (thread.queued) {
			thread.unqueue();
		} else if (!thread.live && turn?.user?.messageId && turn.editing === null) {
			turn.editing = turn.user.content;
			turn.editedFrom = 'field';
			turn.changed();
			thread.keep();
		}
	}

	/** A proposed text, behind what is in the field already. */
	#followUp(text)
	{
		const thread = this.#thread;

		thread.draft = thread.draft.trim() ? `${thread.draft.trimEnd()} ${text}` : text;
		thread.changed();
		this.focusField();
	}

	#agent(agentId)
	{
		const thread = this.#thread;

		thread.agentId = agentId;
		this.page.session.keepAgent(thread.workspaceId, agentId);
		thread.changed();
	}

	/** All of the thread, on paper. */
	async print()
	{
		const thread = this.#thread;

		await thread.loadUntil(() => this.#thread !== thread);
		if (this.#thread !== thread)
			return;
		await Promise.all(thread.turns.filter((turn) => turn.sources.some(({ title }) => !title))
			.map((turn) => this.page.tellTitles(turn)));
		await this.updateComplete;
		await this.querySelector('lamp-thread')?.drawAll();
		globalThis.print();
	}

	/** The menu of the open conversation. */
	#items(id)
	{
		const { chats, list, order, session } = this.page;
		const item = list.find(id) || order.find(id) || { conversationId: id };
		const may = (what) => session.me.permissions.includes(`AIChat.${what}`);
		const reads = may('Knowledge.Read');
		const open = (part, tag, text, drawing) => ({ text: t(text), icon: drawing, part,
			run: () => this.page.show(tag, 'show', id) });
		const within = (part, items) => items.map((one) => ({ ...one, part }));

		return [
			...may('Conversations.Share') ? [open('give', 'lamp-share', 'share.menu', 'person')] : [],
			...within('give', exportItems((format) => chats.export({ ids: [id], format }))),
			{ text: t('export.print'), icon: 'printer', part: 'give', run: () => this.print() },
			{ text: t('list.rename'), icon: 'pencil', part: 'order',
				run: () => this.page.renameOpen(id) },
			...within('order', orderItems(item, {
				change: (fields) => chats.order({ ids: [id], fields }),
				arrange: () => chats.arrange(id) })),
			...reads ? [open('see', 'lamp-used', 'used.menu', 'book')] : [],
			...reads && may('Knowledge.Write') ? [open('see', 'lamp-keep', 'keep.menu', 'plus')] : [],
			open('see', 'lamp-memory', 'memory.menu', 'thought'),
			open('see', 'lamp-allowed', 'allowed.menu', 'shield'),
			{ text: t('list.delete'), icon: 'trash', danger: true, part: 'gone',
				run: () => chats.remove({ id, title: titleOf(this.#thread) }) },
		];
	}

	render()
	{
		const { session } = this.page;
		const thread = this.#thread;
		const id = thread.conversationId;
		const agents = session.agents(thread.workspaceId);
		const name = agentName(session, thread);

		return html`
			<header class="main-head">
				<button type="button" class="icon-button drawer-open"
					aria-label=${t('list.open')} title=${t('list.open')}
					aria-expanded=${this.drawer ? 'true' : 'false'}
					@click=${() => this.page.openDrawer()}>${icon('menu')}</button>
				<div class="main-title">
					<h1 dir="auto">${titleOf(thread)}</h1>
					${id && agents.length > 1 && !thread.loadError ? html`<p class="muted">${
						name}</p>` : nothing}
				</div>
				${id && thread.loaded ? html`<lamp-menu label=${t('thread.actions')}
					.items=${this.#items(id)}></lamp-menu>` : nothing}
				<button type="button" class="icon-button head-new"
					aria-label=${t('list.new')} title=${t('list.new')}
					@click=${() => this.page.newChat()}>${icon('plus')}</button>
			</header>
			${this.offline ? html`<p class="strip" role="status">${t('app.offline')}</p>` : nothing}
			${thread.loadError ? loadFailedView(thread.loadError, { again: () => thread.load(),
				newChat: () => this.page.newChat() }) : this.#content(thread, agents, name)}`;
	}

	#content(thread, agents, name)
	{
		const { api, session, speech } = this.page;
		const space = session.workspace(thread.workspaceId);
		const off = space && space.chatEnabled === false;
		const agent = session.agent(thread.workspaceId, thread.agentId);

		return html`
			${thread.turns.length > 0 || (thread.conversationId && thread.loaded) ?
				html`<lamp-thread .thread=${thread} name=${name} .speech=${speech}></lamp-thread>` :
				thread.loaded ? emptyView({ me: session.me, space, off, agent,
					send: (text) => this.#send(text) }) : loadingView()}
			<div class="composer-dock" id="composer">
				${off ? offView() : nothing}
				${this.#strips()}
				<lamp-composer .thread=${thread} .api=${api} ?disabled=${off}
					.settings=${session.me?.settings || {}} .speech=${speech} .agent=${agent}
					name=${agents.length > 0 ? name : ''} .agents=${agents}></lamp-composer>
			</div>`;
	}

	/** What is read aloud, and whether to tell when a long answer is ready. */
	#strips()
	{
		const { ready, speech } = this.page;

		return html`${speech.turn ? html`<p class="strip strip-acts" role="status">
			${t('speech.reading')} <button type="button" class="chip-button"
			@click=${() => speech.stop()}>${icon('stop')}<span>${t('speech.stop')}</span></button></p>` :
			nothing}${ready.offers ? html`<p class="strip strip-acts" role="status">
			${t('ready.offer')} <button type="button" class="chip-button"
			@click=${() => ready.want(true)}>${t('ready.yes')}</button> <button type="button"
			class="link-button" @click=${() => ready.want(false)}>${t('ready.no')}</button></p>` :
			nothing}`;
	}
}

/** The name of the agent that answers in a thread. */
export function agentName(session, thread)
{
	return session.agent(thread.workspaceId, thread.agentId)?.name || t('message.assistant');
}

export function titleOf(thread)
{
	return thread.title || t(thread.loadError?.code === 'not_found' ? 'error.lostTitle' :
		thread.conversationId ? 'list.untitled' : 'list.new');
}

/** How a turn has ended or what it asks for, to be heard. @param name of its agent */
export function endText(turn, name)
{
	const [wait] = turn.waiting;

	if (wait)
		return wait.type === 'clarification' ? t('live.question', { text: wait.question }) :
			t('live.approval', { tool: toolName(wait.tool) });
	if (turn.sleeps)
		return t('live.sleeping');
	if (turn.finish === 'cancelled')
		return t('live.stopped');
	if (turn.finish === 'error')
		return t('live.failed', { text: turn.failure.message || '' });
	return t('live.finished', { name, text: excerpt(turn.text) });
}

customElements.define('lamp-chat', LampChat);
