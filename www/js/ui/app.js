// SPDX-License-Identifier: MIT
// <lamp-app>: the page. The list on the left (a drawer on a phone), the open
// conversation or a place on the right; keys, addresses and announcements.
import { html, nothing } from '../../vendor/lit.js';
import { Api, ApiError } from '../api.js';
import { save } from '../clipboard.js';
import { errorText, excerpt, toolName } from '../format.js';
import { Link } from '../link.js';
import { Watch } from '../observable.js';
import { conversationHash, go, readHash, readMessage, readPlace, Trail } from '../route.js';
import { Conversations } from '../store/conversations.js';
import { Notices } from '../store/notices.js';
import { Order } from '../store/order.js';
import { Places } from '../store/places.js';
import { Ratings } from '../store/ratings.js';
import { Ready } from '../store/ready.js';
import { Session } from '../store/session.js';
import { applySettings, Theme } from '../store/settings.js';
import { Speech } from '../store/speech.js';
import { Threads } from '../store/threads.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { exportItems, orderItems } from './list.js';
import { fold, isFolded, sideView } from './side.js';
import { emptyView, loadFailedView, loadingView, offView, startFailedView,
	startingView } from './states.js';
import { touch } from './composer.js';
import { toast } from './toast.js';
import './sources.js';
import './dialogs.js';
import './menu.js';
import './thread.js';

const NARROW = matchMedia('(max-width: 760px)');

export class LampApp extends PageElement {
	static properties = {
		drawer: { state: true },
		/** in a wide window: whether the side is put away */
		folded: { type: Boolean, reflect: true },
		said: { state: true },
		offline: { state: true },
		/** whether later.js is there */
		whole: { state: true },
		/** ApiError, if it could not be loaded for a place */
		partError: { state: true },
	};

	#trail = new Trail();
	#ratings = null;
	/** what the next new chat is about */
	#about = null;
	/** {agentId} or {promptId} that the new chat begins with; or null */
	#wish = null;
	/** the address that is being opened */
	#opening = 0;
	#confirm = (...texts) => this.querySelector('lamp-confirm').ask(...texts);
	#sideActions = {
		newChat: () => this.#newChat(),
		closeDrawer: () => this.#closeDrawer(),
		workspace: (id) => this.#workspace(id),
		help: () => this.querySelector('lamp-help').show(),
	};

	constructor()
	{
		super();
		this.api = new Api();
		this.theme = new Theme((theme) => this.api.changeSettings({ theme }));
		this.session = new Session(this.api);
		this.list = new Conversations(this.api);
		this.order = new Order(this.api, this.list);
		this.#ratings = new Ratings(this.api);
		this.places = new Places(this.api, this.session);
		this.link = new Link();
		this.threads = new Threads(this.api, this.link, this.list, this.session,
			(turn, shown, thread) => {
				this.#sayEnd(turn, shown);
				this.#tellEnd(turn, thread);
			});
		this.ready = new Ready();
		this.speech = new Speech(() => this.session.me?.settings.speech || 'off');
		this.notices = new Notices(this.api, this.link,
			(type, data) => {
				this.threads.notice(type, data);
				this.places.notice(type, data);
				if ((type === 'refresh' && ['all', 'messages',
				    'conversation-folders'].includes(data.what)) ||
				    (type === 'conversation' &&
				    ['moved', 'deleted'].includes(data.change)))
					this.order.soon();
			});
		this.drawer = false;
		this.folded = isFolded();
		this.said = '';
		this.offline = !navigator.onLine;
		this.whole = false;
		this.partError = null;
		new Watch(this, () => this.theme);
		new Watch(this, () => this.session);
		new Watch(this, () => this.places);
		new Watch(this, () => this.ready);
		new Watch(this, () => this.speech);
		new Watch(this, () => this.threads);
		new Watch(this, () => this.threads.current);
	}

	connectedCallback()
	{
		super.connectedCallback();
		addEventListener('hashchange', () => this.#moved());
		addEventListener('beforeunload', (event) => {
			if (this.places.dirty)
				event.preventDefault();
		});
		addEventListener('keydown', (event) => this.#onKey(event));
		addEventListener('online', () => { this.offline = false; });
		addEventListener('offline', () => { this.offline = true; });
		NARROW.addEventListener('change', () => {
			this.drawer = false;
			this.requestUpdate();
		});
		this.addEventListener('lamp-stored', (event) => {
			if (event.detail.row.reload)
				this.session.refresh();
		});
		this.addEventListener('lamp-undo', ({ detail: { effect, ended } }) =>
			this.api.undo(effect.projectId, effect.changeId).then(() => ended(), ended));
		this.addEventListener('lamp-artifact', ({ detail }) =>
			this.#show('lamp-artifact', 'open', detail.box));
		this.addEventListener('lamp-drawer', () => this.#openDrawer());
		this.addEventListener('lamp-ask', this.#ask);
		this.addEventListener('lamp-say', (event) => this.#tell(event.detail.text));
		this.addEventListener('lamp-send', (event) => this.#send(event.detail.content));
		this.addEventListener('lamp-stop', () => this.threads.current.stop());
		this.addEventListener('lamp-regenerate', ({ detail: { turn } }) =>
			this.#again((thread) => thread.regenerate(turn)));
		this.addEventListener('lamp-go-on', ({ detail: { turn } }) =>
			this.#again((thread) => thread.goOn(turn)));
		this.addEventListener('lamp-decided', ({ detail: { turn, wait, body } }) =>
			this.#again((thread) => thread.decide(turn, wait, body)));
		this.addEventListener('lamp-replied', ({ detail: { turn, wait, result } }) =>
			this.#again((thread) => thread.reply(turn, wait, result)));
		this.addEventListener('lamp-plan-skip', ({ detail: { turn, step } }) =>
			this.#again((thread) => thread.skipStep(turn, step)));
		this.addEventListener('lamp-plan-again', ({ detail }) =>
			this.#again((thread) => thread.runPlan(detail)));
		this.addEventListener('lamp-carried-out', ({ detail: { turn } }) =>
			this.#again((thread) => thread.carryOut(turn, true)));
		this.addEventListener('lamp-edit', (event) => this.#edit(event.detail));
		this.addEventListener('lamp-correct', (event) => this.#correct(event.detail));
		this.addEventListener('lamp-edit-input', () => this.threads.current.keep());
		this.addEventListener('lamp-edit-last', () => this.#editLast());
		this.addEventListener('lamp-to-field', () => this.#focusComposer());
		this.addEventListener('lamp-follow-up', ({ detail }) => this.#followUp(detail.text));
		this.addEventListener('lamp-variant', (event) =>
			this.#variant(/** @type {Element} */ (event.target).closest('lamp-turn'),
				event.detail));
		this.addEventListener('lamp-compare', ({ detail }) => this.#show('lamp-compare', 'show',
			this.threads.current.conversationId, detail));
		this.addEventListener('lamp-take', ({ detail: { messageId, index } }) =>
			this.threads.current.showVariant(messageId, index).then(() =>
				this.#say(t('variant.shown', { at: index }))));
		this.addEventListener('lamp-speak', ({ detail }) => this.#speak(detail));
		this.addEventListener('lamp-fork', (event) => this.#fork(event.detail.turn));
		this.addEventListener('lamp-rating', (event) => this.#ratings.tell(
			this.threads.current.conversationId, event.detail.turn).catch(() => {}));
		this.addEventListener('lamp-rate', (event) => this.#rate(event.detail));
		this.addEventListener('lamp-delete', (event) => this.#delete(event.detail));
		this.addEventListener('lamp-rename', (event) => this.#rename(event.detail));
		this.addEventListener('lamp-own', ({ detail: { share } }) => this.#own(share));
		this.addEventListener('lamp-talk', ({ detail }) => {
			this.#wish = detail;
			go('');
		});
		this.addEventListener('lamp-order', (event) => this.#order(event.detail));
		this.addEventListener('lamp-arrange', (event) =>
			this.#show('lamp-arrange', 'show', event.detail.items));
		this.addEventListener('lamp-share', (event) =>
			this.#show('lamp-share', 'show', event.detail.id));
		this.addEventListener('lamp-export', (event) => this.#export(event.detail));
		this.addEventListener('lamp-folder-remove', (event) =>
			this.#removeFolder(event.detail.folder));
		this.addEventListener('lamp-agent', (event) => this.#agent(event.detail.agentId));
		addEventListener('pagehide', () => {
			this.threads.keepNow();
			this.order.flush(true);
		});
		document.addEventListener('visibilitychange', () => {
			if (document.hidden)
				this.threads.keepNow();
			// another tab may have changed things meanwhile
			if (!document.hidden && this.session.ready) {
				this.threads.refresh();
				this.order.soon();
				this.session.lookForShares();
			}
		});
		this.link.listen();
		this.#start();
	}

	async #start()
	{
		await this.session.start();
		if (!this.session.ready)
			return;
		applySettings(this.session.me.settings, this.theme);
		this.threads.keepDrafts(this.session.me);
		this.notices.start(this.session.me);
		this.threads.resume();
		this.list.show(this.session.workspaceId);
		this.order.begin(this.session.me.folders);
		await this.#open(readHash());
	}

	/**
	 * An element of later.js, which is loaded first.
	 * @returns {Promise<any>}
	 */
	async need(tag)
	{
		await Promise.all([this.#whole(), this.places.load()]);
		await this.updateComplete;
		return this.querySelector(tag);
	}

	/** @throws ApiError */
	async #whole()
	{
		try {
			await import('./later.js');
		} catch {
			throw new ApiError({ code: 'part' });
		}
		this.whole = true;
	}

	/** Calls a method of such an element. */
	async #show(tag, method, ...args)
	{
		try {
			// at once, if it is there
			const element = this.whole ? this.querySelector(tag) : await this.need(tag);

			await element[method](...args);
		} catch (error) {
			this.#fail(error);
		}
	}

	/** Another address: what was typed is not lost without a question. */
	async #moved()
	{
		if (!this.#trail.moved())
			return;
		if (!await this.#mayLeave()) {
			// nor is the new chat begun that this was for
			this.#about = this.#wish = null;
			this.#trail.undo();
			return;
		}
		this.#trail.accept();
		await this.#open(readHash());
	}

	async #mayLeave()
	{
		return !this.places.dirty || this.#confirm(t('leave.title'), t('leave.text'),
			t('leave.go'), t('leave.stay'));
	}

	/** Shows what the address names: a place, or the conversation id. */
	async #open(id)
	{
		if (!this.session.ready)
			return;
		const mine = ++this.#opening;

		this.drawer = false;
		this.partError = null;
		if (readPlace()) {
			try {
				await this.need('lamp-place');
			} catch (error) {
				this.partError = error;
			}
			if (mine !== this.#opening)
				return;
		}
		this.places.show(readPlace());
		if (this.places.current)
			return;
		if (id && this.threads.current.conversationId === id) {
			this.#showMessage();
			return;
		}
		this.places.leave(conversationHash(id));
		const thread = await this.threads.open(id);

		if (this.threads.current !== thread)
			return;
		if (!id && this.#about)
			thread.setPlace(this.#about);
		this.#about = null;
		if (!id && this.#wish)
			this.#grant(thread, this.#wish);
		this.#wish = null;
		if (thread.workspaceId !== this.session.workspaceId && !thread.loadError &&
		    this.session.workspace(thread.workspaceId)) {
			await this.session.choose(thread.workspaceId, false);
			this.list.show(thread.workspaceId);
			this.order.begin();
		}
		if (id)
			this.#say(t('thread.opened', { title: this.#title() }));
		this.#showMessage();
		if (!id && !NARROW.matches)
			this.#focusComposer();
	}

	/** A new chat with an agent or a prompt that was chosen elsewhere. */
	async #grant(thread, { agentId, promptId })
	{
		if (agentId) {
			thread.agentId = agentId;
			thread.changed();
		}
		await this.updateComplete;
		if (promptId)
			await this.querySelector('lamp-composer')?.usePrompt(promptId);
	}

	/** Goes to the message that the address names. */
	async #showMessage()
	{
		await this.updateComplete;
		await this.querySelector('lamp-thread')?.show(readMessage());
	}

	/** A new chat about a project, or about something in it. */
	#ask = ({ detail: { place } }) => {
		this.#about = place;
		go('');
	};

	#newChat()
	{
		this.drawer = false;
		if (readHash() === '' && !readPlace())
			this.threads.open('').then(() => this.#focusComposer());
		else
			go('');
	}

	/** Begins a turn of the open conversation. @returns false when refused */
	#again(begin)
	{
		const thread = this.threads.current;

		this.querySelector('lamp-thread')?.follow();
		this.#say(t('live.answering', { name: this.#agentName(thread) }));
		// the pressed button disappears with the old answer
		if (!touch())
			this.#focusComposer();
		return begin(thread);
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
		const thread = this.threads.current;
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
		this.#tell(t('correct.saved'));
	}

	/** Shows another version; the focus stays on its arrow. */
	async #variant(element, { messageId, index, which })
	{
		const turns = () => [...this.querySelectorAll('lamp-turn')];
		const at = turns().indexOf(element);
		const mine = element.turn.user?.messageId === messageId;

		await this.threads.current.showVariant(messageId, index);
		await this.querySelector('lamp-thread')?.drawn();
		turns()[at]?.querySelector(`${mine ? '.message-user' : '.message-assistant'
		} .variant-${which}`)?.focus();
		this.#say(t('variant.shown', { at: index }));
	}

	/**
	 * Rates an answer, or takes it back; what was bad about it is asked, or without a value.
	 * @param {{turn: any, value?: 'good' | 'bad'}} what
	 */
	async #rate({ turn, value })
	{
		const { conversationId } = this.threads.current;
		const again = value && turn.rating?.value === value;

		try {
			if (again)
				await this.#ratings.remove(conversationId, turn);
			else if (value)
				await this.#ratings.put(conversationId, turn, { value });
		} catch (error) {
			this.#fail(error);
			return;
		}
		if (value)
			this.#tell(t(again ? 'rating.removed' : `rating.${value}Said`));
		if (!again && value !== 'good')
			await this.#show('lamp-rating', 'ask', conversationId, turn);
	}

	/** Reads an answer aloud, or ends that. */
	async #speak({ turn, answer })
	{
		if (this.speech.turn === turn)
			this.speech.stop();
		else if (!await this.speech.read(turn, answer))
			this.#fail(new ApiError({ code: 'noVoice' }));
	}

	async #fork(turn)
	{
		try {
			go(await this.threads.fork(this.threads.current, turn));
			this.#say(t('live.forked'));
		} catch (error) {
			this.#fail(error);
		}
	}

	/** Goes on with what somebody shares. */
	async #own(share)
	{
		try {
			go(await this.threads.own(share));
			this.#tell(t('share.owned'));
		} catch (error) {
			this.#fail(error);
		}
	}

	async #send(content)
	{
		const thread = this.threads.current;
		const name = this.#agentName(thread);

		this.querySelector('lamp-thread')?.follow();
		this.#say(t('live.answering', { name }));
		if (await thread.send(content))
			return;
		this.threads.refused(thread, content);
	}

	/** The last message again: the one that is not sent yet, else the newest one. */
	#editLast()
	{
		const thread = this.threads.current;
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

	async #delete({ id, title })
	{
		const sure = await this.querySelector('lamp-confirm').ask(t('delete.title'),
			t('delete.text', { title }), t('delete.confirm'));

		if (!sure)
			return;
		try {
			await this.list.remove(id);
		} catch (error) {
			this.#fail(error);
			return;
		}
		this.order.forget(id);
		this.#tell(t('list.deleted', { title }));
		this.threads.drop(id);
		if (this.threads.current.conversationId === id)
			this.#newChat();
	}

	async #order({ ids, fields })
	{
		try {
			await this.order.arrange(ids, fields);
			this.#say(t('arrange.done'));
		} catch (error) {
			this.#tell(errorText(error));
		}
	}

	async #export({ ids, format })
	{
		try {
			const { exported, readWhole } = await import('./later.js');
			const wholes = [];

			for (const id of ids)
				wholes.push(await readWhole(this.api, id, format !== 'json'));
			save(exported(wholes, format));
			this.#tell(t('export.done'));
		} catch (error) {
			this.#fail(error);
		}
	}

	async #removeFolder({ id, name })
	{
		if (!await this.#confirm(t('folder.removeTitle', { name }), t('folder.removeText'),
			t('list.delete')))
			return;
		try {
			await this.order.removeFolder(id);
		} catch (error) {
			this.#tell(errorText(error));
		}
	}

	/** All of the thread, on paper. */
	async #print()
	{
		const thread = this.threads.current;

		await thread.loadUntil(() => this.threads.current !== thread);
		if (this.threads.current !== thread)
			return;
		// their titles, which are else asked for when the list is opened
		await Promise.all(thread.turns.filter((turn) => turn.sources.some(({ title }) => !title))
			.map((turn) => this.#tellTitles({ detail: { turn } })));
		await this.updateComplete;
		await this.querySelector('lamp-thread')?.drawAll();
		globalThis.print();
	}

	/** Menu items for the place and the export of the open conversation. */
	#orderItems(id)
	{
		const item = this.list.find(id) || this.order.find(id) || { conversationId: id };

		return [...orderItems(item, { change: (fields) => this.#order({ ids: [id], fields }),
			arrange: () => this.#arrange(id) }),
		...exportItems((format) => this.#export({ ids: [id], format })),
		{ text: t('export.print'), icon: 'printer', run: () => this.#print() }];
	}

	/** The list may not have it: its folder and tags are those that are stored. */
	async #arrange(id)
	{
		try {
			await this.#show('lamp-arrange', 'show', [await this.api.conversation(id)]);
		} catch (error) {
			this.#fail(error);
		}
	}

	async #rename({ id, title })
	{
		const before = this.order.find(id)?.title;

		try {
			this.order.patch(id, { title });
			const conversation = await this.list.rename(id, title);

			this.threads.retitle(id, conversation.title);
			this.#say(t('list.renamed', { title: conversation.title }));
		} catch (error) {
			this.order.patch(id, { title: before });
			this.#fail(error);
		}
	}

	/** Renames the open conversation in the list. */
	async #renameOpen(id)
	{
		if (this.#sideless)
			await this.#openDrawer();
		if (!this.list.find(id))
			this.list.lift(await this.api.conversation(id));
		await this.updateComplete;
		this.querySelector('lamp-list').rename(id);
	}

	/** Shows a failure that belongs to no message, above the field. */
	#fail(error)
	{
		this.threads.current.sendError = error;
		this.threads.current.changed();
	}

	async #workspace(id)
	{
		if (!await this.#mayLeave())
			return;
		await this.session.choose(id);
		this.list.q = '';
		this.list.show(id);
		this.order.begin();
		if (readPlace())
			this.places.show(readPlace());
		if (readHash() === '')
			await this.threads.open('');
		else
			go('');
	}

	#agent(agentId)
	{
		const thread = this.threads.current;

		thread.agentId = agentId;
		this.session.keepAgent(thread.workspaceId, agentId);
		thread.changed();
	}

	/** For all: #say() is heard only. */
	#tell(text)
	{
		this.#say(text);
		toast(text);
	}

	/**
	 * Announces in the live region. The same text twice is announced twice.
	 */
	#say(text)
	{
		this.said = text === this.said ? `${text}\u00a0` : text;
	}

	#sayEnd(turn, shown)
	{
		if (!shown)
			return;
		const name = this.#agentName(this.threads.current);

		if (turn.waiting.length > 0)
			this.#sayWaiting(turn.waiting[0]);
		else if (turn.sleeps)
			this.#say(t('live.sleeping'));
		else if (turn.finish === 'cancelled')
			this.#say(t('live.stopped'));
		else if (turn.finish === 'error')
			this.#say(t('live.failed', { text: turn.failure.message || '' }));
		else
			this.#say(t('live.finished', { name, text: excerpt(turn.text) }));
	}

	/** Tells it outside the page, if it is out of sight. */
	#tellEnd(turn, { conversationId, title })
	{
		const failed = turn.finish === 'error' || turn.sleeps;
		const what = turn.waiting.length > 0 ? 'ready.waits' :
			failed ? 'ready.failed' : 'ready.answered';

		if (turn.finish !== 'cancelled')
			this.ready.tell(conversationId, t(what, { title: title || t('list.untitled') }),
				failed ? '' : excerpt(turn.text), () => go(conversationId));
	}

	#sayWaiting({ type, tool, question })
	{
		this.#say(type === 'clarification' ? t('live.question', { text: question }) :
			t('live.approval', { tool: toolName(tool) }));
	}

	#agentName(thread)
	{
		return this.session.agent(thread.workspaceId, thread.agentId)?.name ||
			t('message.assistant');
	}

	#title()
	{
		const { current } = this.threads;

		return current.title || (current.conversationId ?
			t('list.untitled') : t('list.new'));
	}

	/** A proposed text, behind what is in the field already. */
	#followUp(text)
	{
		const thread = this.threads.current;

		thread.draft = thread.draft.trim() ? `${thread.draft.trimEnd()} ${text}` : text;
		thread.changed();
		this.#focusComposer();
	}

	#focusComposer()
	{
		this.updateComplete.then(() =>
			this.querySelector('lamp-composer')?.updateComplete).then(() =>
			this.querySelector('lamp-composer')?.focusField());
	}

	/** Whether the side is out of sight. */
	get #sideless()
	{
		return !this.drawer && (NARROW.matches || this.folded);
	}

	async #openDrawer()
	{
		if (NARROW.matches)
			this.drawer = true;
		else
			this.folded = fold(false);
		await this.updateComplete;
		this.querySelector('.drawer-close').focus();
	}

	#closeDrawer()
	{
		if (!this.drawer)
			this.folded = fold(true);
		this.drawer = false;
		this.updateComplete.then(() => this.querySelector('.drawer-open')?.focus());
	}

	#onKey(event)
	{
		const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey &&
			!event.getModifierState('AltGraph');
		const typing = event.target.closest?.('input, textarea, select');

		if (event.defaultPrevented || event.isComposing ||
		    document.querySelector('dialog[open]'))
			return;
		const actions = {
			KeyN: () => this.#newChat(),
			KeyM: () => { this.drawer = false; this.#focusComposer(); },
			KeyS: () => this.threads.current.stop(),
		};

		if (event.altKey && plain && actions[event.code]) {
			event.preventDefault();
			actions[event.code]();
		} else if ((event.ctrlKey || event.metaKey) && !event.altKey &&
			!event.shiftKey && event.key.toLowerCase() === 'k') {
			event.preventDefault();
			this.#search();
		} else if (event.key === '?' && !typing && !event.altKey &&
			!event.ctrlKey && !event.metaKey) {
			event.preventDefault();
			this.querySelector('lamp-help').show();
		} else if (['Home', 'End'].includes(event.key) && plain && !event.altKey && !typing &&
			(event.target === document.body || event.target.closest?.('lamp-thread'))) {
			event.preventDefault();
			this.querySelector('lamp-thread')?.[event.key === 'Home' ? 'begin' : 'follow']();
		} else if (event.key === 'Escape' && this.drawer) {
			this.#closeDrawer();
		}
	}

	async #search()
	{
		if (this.#sideless)
			await this.#openDrawer();
		this.querySelector('lamp-list')?.focusSearch();
	}

	/** What index.html shows before that goes. */
	firstUpdated()
	{
		this.querySelector('.before')?.remove();
	}

	updated()
	{
		const name = t('app.name');

		this.ready.look(this.threads.current.live);
		if (this.places.current)
			return;
		document.title = this.threads.current.conversationId ?
			`${this.#title()} – ${name}` : name;
	}

	render()
	{
		const { session } = this;

		return html`
			<div class="sr-only" role="status" aria-live="polite">${this.said}</div>
			${session.error ? startFailedView(session.error, () => this.#start()) :
				session.ready ? this.#page() : startingView()}`;
	}

	#page()
	{
		return html`
			<a class="skip" href=${this.places.current ? '#main' : '#composer'} @click=${(event) => {
				event.preventDefault();
				if (this.places.current)
					this.querySelector('.main-title h1').focus();
				else
					this.#focusComposer();
			}}>${t(this.places.current ? 'app.skipPlace' : 'app.skip')}</a>
			<aside class="side ${this.drawer ? 'open' : ''}" ?inert=${this.#sideless}
				aria-label=${t('list.label')}>${sideView(this, this.#sideActions)}</aside>
			${this.drawer ? html`<div class="scrim"
				@click=${() => this.#closeDrawer()}></div>` : nothing}
			<main class="main" id="main" ?inert=${this.drawer}>${this.#main()}</main>
			${this.whole ? html`
				<lamp-artifact .thread=${this.places.current ? null : this.threads.current}
					></lamp-artifact>
				<lamp-blanks .api=${this.api}></lamp-blanks>
				<lamp-compare .api=${this.api}></lamp-compare>
				<lamp-allowed .api=${this.api}></lamp-allowed>
				<lamp-memory .api=${this.api} .confirm=${this.#confirm}></lamp-memory>
				<lamp-arrange .order=${this.order}></lamp-arrange>
				<lamp-share .api=${this.api} .places=${this.places}
					days=${this.session.me.settings.public_link_days || 0}></lamp-share>
				<lamp-used .api=${this.api} .places=${this.places}></lamp-used>
				<lamp-keep .api=${this.api}></lamp-keep>
				<lamp-preview .api=${this.api}></lamp-preview>
				<lamp-rating .ratings=${this.#ratings}></lamp-rating>` : nothing}
			<lamp-confirm></lamp-confirm>
			<lamp-help></lamp-help>
			<lamp-source .api=${this.api}></lamp-source>`;
	}

	#main()
	{
		if (this.places.current && this.partError)
			return loadFailedView(this.partError, { again: () => location.reload(),
				newChat: () => this.#newChat() });
		if (this.places.current?.name === 'shared')
			return html`<lamp-shared .api=${this.api} .places=${this.places}
				share=${this.places.current.id || ''}></lamp-shared>`;
		if (this.places.current?.project)
			return html`<lamp-project .api=${this.api} .places=${this.places}
				.current=${this.places.current} .confirm=${this.#confirm}></lamp-project>`;
		if (this.places.current)
			return html`<lamp-place .api=${this.api} .places=${this.places}
				.current=${this.places.current}
				.confirm=${this.#confirm} @lamp-document=${this.#showDocument}
				></lamp-place>`;
		const thread = this.threads.current;
		const id = thread.conversationId;
		const space = this.session.workspace(thread.workspaceId);
		const name = this.#agentName(thread);

		return html`
			<header class="main-head">
				<button type="button" class="icon-button drawer-open"
					aria-label=${t('list.open')} title=${t('list.open')}
					aria-expanded=${this.drawer ? 'true' : 'false'}
					@click=${() => this.#openDrawer()}>${icon('menu')}</button>
				<div class="main-title">
					<h1 dir="auto">${this.#title()}</h1>
					${id && this.session.agents(thread.workspaceId).length > 1 ?
						html`<p class="muted">${name}</p>` : nothing}
				</div>
				${id && thread.loaded ? html`<lamp-menu label=${t('thread.actions')}
					.items=${[
						{ text: t('list.rename'), icon: 'pencil',
							run: () => this.#renameOpen(id) },
						...this.#shareItem(id),
						...this.#orderItems(id),
						...this.#knowledgeItem(id),
						{ text: t('memory.menu'), icon: 'thought',
							run: () => this.#show('lamp-memory', 'show', id) },
						{ text: t('allowed.menu'), icon: 'shield',
							run: () => this.#show('lamp-allowed', 'show', id) },
						{ text: t('list.delete'), icon: 'trash', danger: true,
							run: () => this.#delete({ id, title: this.#title() }) },
					]}></lamp-menu>` : nothing}
				<button type="button" class="icon-button head-new"
					aria-label=${t('list.new')} title=${t('list.new')}
					@click=${() => this.#newChat()}>${icon('plus')}</button>
			</header>
			${this.offline ? html`<p class="strip" role="status">${
				t('app.offline')}</p>` : nothing}
			${this.#content(thread, space, name)}`;
	}

	/** The menu item that shares a conversation, for users who may. */
	#shareItem(id)
	{
		return this.session.me?.permissions.includes('AIChat.Conversations.Share') ?
			[{ text: t('share.menu'), icon: 'person',
				run: () => this.#show('lamp-share', 'show', id) }] : [];
	}

	/**
	 * The menu item of conversation id, for users who may read knowledge
	 * bases.
	 */
	#knowledgeItem(id)
	{
		const may = (what) => this.places.me?.permissions.includes(`AIChat.Knowledge.${what}`);

		return [...may('Read') ? [{ text: t('used.menu'), icon: 'book',
			run: () => this.#show('lamp-used', 'show', id) }] : [],
		...may('Read') && may('Write') ? [{ text: t('keep.menu'), icon: 'plus',
			run: () => this.#show('lamp-keep', 'show', id) }] : []];
	}

	#showSource = ({ detail: { messageId, number } }) =>
		this.querySelector('lamp-source').show(messageId, number);

	#showDocument = ({ detail: { base, id, title } }) =>
		this.querySelector('lamp-source').showDocument(base, id, title);

	/** Titles of sources are asked for when their list is opened. */
	#tellTitles = async ({ detail: { turn } }) => {
		try {
			turn.tellSources((await this.api.sources(turn.answerId)).items);
		} catch (error) {
			this.#tell(errorText(error));
		}
	};

	/** What is read aloud, and whether to tell when a long answer is ready. */
	#strips()
	{
		return html`${this.speech.turn ? html`<p class="strip strip-acts" role="status">
			${t('speech.reading')} <button type="button" class="chip-button"
			@click=${() => this.speech.stop()}>${icon('stop')}<span>${t('speech.stop')}</span></button></p>` :
			nothing}${this.ready.offers ? html`<p class="strip strip-acts" role="status">
			${t('ready.offer')} <button type="button" class="chip-button"
			@click=${() => this.ready.want(true)}>${t('ready.yes')}</button> <button type="button"
			class="link-button" @click=${() => this.ready.want(false)}>${t('ready.no')}</button></p>` :
			nothing}`;
	}

	#content(thread, space, name)
	{
		if (thread.loadError)
			return loadFailedView(thread.loadError, { again: () => thread.load(),
				newChat: () => this.#newChat() });
		const off = space && space.chatEnabled === false;

		return html`
			${thread.turns.length > 0 || (thread.conversationId && thread.loaded) ?
				html`<lamp-thread .thread=${thread} name=${name} .speech=${this.speech}
					@lamp-source=${this.#showSource} @lamp-titles=${this.#tellTitles}
					></lamp-thread>` :
				thread.loaded ? emptyView({ me: this.session.me, space, off,
					agent: this.session.agent(thread.workspaceId, thread.agentId),
					send: (text) => this.#send(text) }) : loadingView()}
			<div class="composer-dock" id="composer">
				${off ? offView() : nothing}
				${this.#strips()}
				<lamp-composer .thread=${thread} .api=${this.api} ?disabled=${off}
					.settings=${this.session.me?.settings || {}} .speech=${this.speech}
					.agent=${this.session.agent(thread.workspaceId, thread.agentId)}
					name=${this.session.agents(thread.workspaceId).length > 0 ? name : ''}
					.agents=${this.session.agents(thread.workspaceId)}></lamp-composer>
			</div>`;
	}
}
