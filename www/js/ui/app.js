// SPDX-License-Identifier: MIT
// <lamp-app>: the page. The list on the left (a drawer on a phone), the open
// conversation (<lamp-chat>) or a place on the right; the stores that all of them share,
// addresses and announcements.
import { html, nothing } from '../../vendor/lit.js';
import { Api, ApiError } from '../api.js';
import { errorText, excerpt } from '../format.js';
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
import { agentName, endText, titleOf } from './chat.js';
import { Chats } from './chats.js';
import { touch } from './composer.js';
import { PageElement } from './element.js';
import { onKey } from './keys.js';
import { fold, isFolded, sideView } from './side.js';
import { loadFailedView, startFailedView, startingView } from './states.js';
import { toast } from './toast.js';
import './sources.js';
import './dialogs.js';

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
	/** what the next new chat is about or begins with: {place}, {agentId}, {promptId} or {} */
	#begins = {};
	/** whether a chat was shown: before that, the end of a place leads to one of before */
	#chatted = false;
	/** the address that is being opened */
	#opening = 0;
	#sideActions = {
		newChat: () => this.newChat(),
		closeDrawer: () => this.#closeDrawer(),
		workspace: (id) => this.#workspace(id),
		help: () => this.show('lamp-help', 'show'),
	};
	#keys = {
		newChat: () => this.newChat(),
		toField: () => { this.drawer = false; this.#focusField(); },
		stop: () => this.threads.current.stop(),
		search: () => this.#search(),
		help: () => this.show('lamp-help', 'show'),
		print: () => this.#chat?.print(),
		begin: () => this.#chat?.moveTo('begin'),
		end: () => this.#chat?.moveTo('follow'),
		closeDrawer: () => this.#closeDrawer(),
		places: () => this.#showPlaces(),
		toTitle: () => this.querySelector('.main-title h1')?.focus(),
		closePlace: () => { location.hash = this.places.chat; },
	};

	/** Asks the user. @returns {Promise<boolean>} true: do it */
	confirm = (...texts) => this.querySelector('lamp-confirm').ask(...texts);

	constructor()
	{
		super();
		this.api = new Api();
		this.theme = new Theme((theme) => this.api.changeSettings({ theme }));
		this.session = new Session(this.api);
		this.list = new Conversations(this.api);
		this.order = new Order(this.api, this.list);
		this.ratings = new Ratings(this.api);
		this.places = new Places(this.api, this.session);
		this.link = new Link();
		this.threads = new Threads(this.api, this.link, this.list, this.session,
			(turn, shown, thread) => {
				if (shown)
					this.say(endText(turn, agentName(this.session, thread)));
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
		this.chats = new Chats(this);
		new Watch(this, () => this.theme);
		new Watch(this, () => this.session);
		new Watch(this, () => this.places);
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
		addEventListener('keydown', (event) => onKey(event, this.#keys, {
			drawer: this.drawer, place: Boolean(this.places.current) }));
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
			this.show('lamp-artifact', 'open', detail.box));
		this.addEventListener('lamp-drawer', () => this.openDrawer());
		this.addEventListener('lamp-ask', ({ detail: { place } }) => this.#begin({ place }));
		this.addEventListener('lamp-talk', ({ detail }) => this.#begin(detail));
		this.addEventListener('lamp-say', ({ detail: { text, heard } }) =>
			(heard ? this.say(text) : this.tell(text)));
		this.addEventListener('lamp-source', ({ detail: { messageId, number, shared } }) =>
			this.show('lamp-source', 'show', messageId, number, shared));
		this.addEventListener('lamp-titles', ({ detail: { turn, shared } }) =>
			this.tellTitles(turn, shared));
		this.addEventListener('lamp-speak', ({ detail }) => this.#speak(detail));
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

	/** Calls a method of an element of the page, or of later.js. */
	async show(tag, method, ...args)
	{
		try {
			// at once, if it is there
			const element = this.querySelector(tag) || await this.need(tag);

			await element[method](...args);
		} catch (error) {
			this.threads.fail(error);
		}
	}

	/** Another address: what was typed is not lost without a question. */
	async #moved()
	{
		if (!this.#trail.moved())
			return;
		if (!await this.#mayLeave()) {
			// nor is the new chat begun that this was for
			this.#begins = {};
			this.#trail.undo();
			return;
		}
		this.#trail.accept();
		await this.#open(readHash());
	}

	async #mayLeave()
	{
		return !this.places.dirty || this.confirm(t('leave.title'), t('leave.text'),
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
		const left = this.places.current;

		this.places.show(readPlace());
		if (this.places.current)
			return;
		if (id && this.threads.current.conversationId === id) {
			await this.#showMessage();
			// what closed the place is gone
			if (left && !NARROW.matches && (document.activeElement === document.body || this.#picked()))
				this.#focusField();
			return;
		}
		this.#chatted = true;
		const thread = await this.threads.open(id);

		if (this.threads.current !== thread)
			return;
		if (!id)
			this.#equip(thread, this.#begins);
		this.#begins = {};
		if (thread.workspaceId !== this.session.workspaceId && !thread.loadError &&
		    this.session.workspace(thread.workspaceId)) {
			await this.session.choose(thread.workspaceId, false);
			this.list.show(thread.workspaceId);
			this.order.begin();
		}
		if (id)
			this.say(t('thread.opened', { title: titleOf(this.threads.current) }));
		this.#showMessage();
		if (!NARROW.matches && (!id || this.#picked()))
			this.#focusField();
	}

	/** Whether a chat was picked in the list by a mouse: who does that goes on writing. */
	#picked()
	{
		return !readMessage() && !touch() &&
			document.activeElement.matches('lamp-list .row-link:not(:focus-visible)');
	}

	/**
	 * A new chat about a place, with an agent or with a prompt that was chosen elsewhere.
	 * @param {import('../store/thread.js').Thread} thread
	 * @param {{place?: any, agentId?: string, promptId?: string}} begins
	 */
	async #equip(thread, { place, agentId, promptId })
	{
		if (place)
			thread.setPlace(place);
		if (agentId) {
			thread.agentId = agentId;
			thread.changed();
		}
		if (!promptId)
			return;
		await this.updateComplete;
		await this.#chat?.usePrompt(promptId);
	}

	/** Goes to the message that the address names. */
	async #showMessage()
	{
		await this.updateComplete;
		await this.#chat?.goTo(readMessage());
	}

	/** A new chat, which begins with what was chosen in a place. */
	#begin(begins)
	{
		this.#begins = begins;
		go('');
	}

	newChat()
	{
		this.drawer = false;
		if (readHash() === '' && !readPlace())
			this.threads.open('').then(() => this.#focusField());
		else
			go('');
	}

	/** Titles of sources are asked for when their list is opened. */
	async tellTitles(turn, shared = false)
	{
		try {
			turn.tellSources((await this.api.sources(turn.answerId, shared)).items);
		} catch (error) {
			this.tell(errorText(error));
		}
	}

	/** Reads an answer aloud, or ends that. */
	async #speak({ turn, answer })
	{
		if (this.speech.turn === turn)
			this.speech.stop();
		else if (!await this.speech.read(turn, answer))
			this.threads.fail(new ApiError({ code: 'noVoice' }));
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

	/** For all: say() is heard only. */
	tell(text)
	{
		this.say(text);
		toast(text);
	}

	/**
	 * Announces in the live region. The same text twice is announced twice.
	 */
	say(text)
	{
		this.said = text === this.said ? `${text}\u00a0` : text;
	}

	/** Tells how a turn has ended outside the page, if it is out of sight. */
	#tellEnd(turn, { conversationId, title })
	{
		const failed = turn.finish === 'error' || turn.sleeps;
		const what = turn.waiting.length > 0 ? 'ready.waits' :
			failed ? 'ready.failed' : 'ready.answered';

		if (turn.finish !== 'cancelled')
			this.ready.tell(conversationId, t(what, { title: title || t('list.untitled') }),
				failed ? '' : excerpt(turn.text), () => go(conversationId));
	}

	/** The open conversation, or null if a place is shown. */
	get #chat()
	{
		return this.querySelector('lamp-chat');
	}

	#focusField()
	{
		this.updateComplete.then(() => this.#chat?.focusField());
	}

	/** The page is drawn when the conversation is, too. */
	async getUpdateComplete()
	{
		const done = await super.getUpdateComplete();

		await this.#chat?.updateComplete;
		return done;
	}

	/** Whether the side is out of sight. */
	get #sideless()
	{
		return !this.drawer && (NARROW.matches || this.folded);
	}

	async openDrawer()
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

	/** Renames the open conversation in the list. */
	async renameOpen(id)
	{
		if (this.#sideless)
			await this.openDrawer();
		if (!this.list.find(id))
			this.list.lift(await this.api.conversation(id));
		await this.updateComplete;
		this.querySelector('lamp-list').rename(id);
	}

	/** The menu of the places that there are. */
	async #showPlaces()
	{
		if (this.#sideless)
			await this.openDrawer();
		/** @type {any} */ (this.querySelector('.places lamp-menu'))?.show();
	}

	async #search()
	{
		if (this.#sideless)
			await this.openDrawer();
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
		// a new chat gets its address later
		if (this.#chatted)
			this.places.leave(conversationHash(this.threads.current.conversationId));
		if (this.places.current)
			return;
		document.title = this.threads.current.conversationId ?
			`${titleOf(this.threads.current)} – ${name}` : name;
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
					this.#focusField();
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
				<lamp-compare .api=${this.api} @lamp-take=${({ detail }) =>
					this.#chat?.take(detail)}></lamp-compare>
				<lamp-allowed .api=${this.api}></lamp-allowed>
				<lamp-memory .api=${this.api} .confirm=${this.confirm}></lamp-memory>
				<lamp-arrange .order=${this.order}></lamp-arrange>
				<lamp-share .api=${this.api} .places=${this.places}
					days=${this.session.me.settings.public_link_days || 0}></lamp-share>
				<lamp-used .api=${this.api} .places=${this.places}></lamp-used>
				<lamp-keep .api=${this.api}></lamp-keep>
				<lamp-preview .api=${this.api}></lamp-preview>
				<lamp-rating .ratings=${this.ratings}></lamp-rating>
				<lamp-help></lamp-help>` : nothing}
			<lamp-confirm></lamp-confirm>
			<lamp-source .api=${this.api}></lamp-source>`;
	}

	#main()
	{
		if (this.places.current && this.partError)
			return loadFailedView(this.partError, { again: () => location.reload(),
				newChat: () => this.newChat() });
		if (this.places.current?.name === 'shared')
			return html`<lamp-shared .api=${this.api} .places=${this.places}
				share=${this.places.current.id || ''}></lamp-shared>`;
		if (this.places.current?.project)
			return html`<lamp-project .api=${this.api} .places=${this.places}
				.current=${this.places.current} .confirm=${this.confirm}></lamp-project>`;
		if (this.places.current)
			return html`<lamp-place .api=${this.api} .places=${this.places}
				.current=${this.places.current}
				.confirm=${this.confirm} @lamp-document=${this.#showDocument}
				></lamp-place>`;
		return html`<lamp-chat .page=${this} ?offline=${this.offline}
			?drawer=${this.drawer}></lamp-chat>`;
	}

	#showDocument = ({ detail: { base, id, title } }) =>
		this.querySelector('lamp-source').showDocument(base, id, title);
}
