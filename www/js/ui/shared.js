// SPDX-License-Identifier: MIT
// <lamp-shared>: what others let one read: the list, or one conversation, which cannot be
// changed. One goes on with it in a chat of one's own, in which its words stay those of
// somebody else.
import { html, nothing } from '../../vendor/lit.js';
import { errorText, moment } from '../format.js';
import { placeHash } from '../route.js';
import { Pages } from '../store/pages.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { placeHead } from './place.js';
import './thread.js';

/** How often a live one is read again. */
const AGAIN_MS = 15000;

/** What is asked about an answer is asked of the share: who hears it next is told so. */
function ofShare({ detail })
{
	detail.shared = true;
}

class LampShared extends PageElement {
	static properties = {
		api: { attribute: false },
		places: { attribute: false },
		/** of the share; '': the list */
		share: { type: String },
		record: { state: true },
		items: { state: true },
		nextCursor: { state: true },
		error: { state: true },
	};

	#timer = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.share = '';
		this.record = null;
		/** @type {any[] | null} */
		this.items = null;
		this.nextCursor = null;
		this.error = null;
		/** @type {Pages | null} */
		this.thread = null;
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#timer = window.setInterval(() => this.#again(), AGAIN_MS);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearInterval(this.#timer);
	}

	willUpdate(changes)
	{
		if (changes.has('share'))
			this.#load();
	}

	/** The share as a conversation. */
	get #reader()
	{
		return {
			conversation: async (id) => {
				this.record = await this.api.shared(id);
				return { ...this.record, conversationId: id,
					createdAt: this.record.sharedAt };
			},
			messages: async (id, page) => {
				const [rows, conversation] = await Promise.all([
					this.api.sharedMessages(id, page),
					page?.include ? this.#reader.conversation(id) : null]);

				return { ...rows, conversation };
			},
		};
	}

	async #load()
	{
		this.error = null;
		this.record = null;
		this.thread = null;
		if (!this.share) {
			await this.#more('');
			return;
		}
		this.thread = new Pages(this.#reader, { conversationId: this.share });
		this.thread.watch(() => this.requestUpdate());
		await this.thread.load();
		this.requestUpdate();
		await this.updateComplete;
		this.querySelector('h1')?.focus();
	}

	async #more(cursor)
	{
		try {
			const page = await this.api.sharedWithMe(cursor || null);

			this.items = cursor ? [...this.items, ...page.items] : page.items;
			this.nextCursor = page.nextCursor;
		} catch (error) {
			this.error = error;
		}
	}

	/** A live one may have grown, and any may have been revoked. */
	async #again()
	{
		const { thread } = this;

		if (!thread?.loaded || document.hidden)
			return;
		try {
			const before = this.record.updatedAt;

			await this.#reader.conversation(this.share);
			if (this.record.updatedAt !== before)
				await thread.refresh();
		} catch (error) {
			// a network that is away revokes nothing
			if (error.status === 404)
				thread.lose();
		}
	}

	get heading()
	{
		return this.share ? this.record?.title || (this.thread?.loadError ?
			t('error.lostTitle') : t('list.untitled')) : t('share.withMe');
	}

	updated()
	{
		document.title = `${this.heading} – ${t('app.name')}`;
	}

	render()
	{
		return html`${placeHead(this, { heading: this.heading,
			up: this.share ? placeHash('shared') : '',
			actions: this.thread?.loaded && !this.thread.loadError ? html`<button type="button"
				class="button button-small" @click=${() => this.emit('lamp-own', { share: this.share })}>${icon('fork')}<span>${
				t('share.own')}</span></button>` : nothing })}
			${this.share ? this.#thread() : this.#list()}`;
	}

	#thread()
	{
		const { thread, record } = this;

		if (!thread)
			return nothing;
		if (thread.loadError)
			return html`<div class="place-scroll"><div class="place-column">
				<p class="form-error" role="alert">${icon('warning')}<span>${
				thread.loadError.status === 404 ? t('share.lost') : errorText(thread.loadError)}</span>
				${thread.loadError.status === 404 ? nothing : html`<button type="button"
					class="chip-button" @click=${() => thread.load()}>${t('app.retry')}</button>`}</p>
			</div></div>`;
		if (!thread.loaded)
			return html`<p><span class="skeleton"></span></p>`;
		return html`<p class="strip">${t(record.live ? 'share.byLive' : 'share.by',
			{ name: record.owner || t('share.gone'), when: moment(record.sharedAt) })}</p>
			<lamp-thread readonly .thread=${thread} name=${t('message.assistant')}
				@lamp-source=${ofShare} @lamp-titles=${ofShare}></lamp-thread>`;
	}

	#list()
	{
		const { items } = this;

		return html`<div class="place-scroll"><div class="place-column">
			<p class="place-hint">${t('share.hint')}</p>
			${this.error ? html`<p class="form-error" role="alert">${errorText(this.error)}</p>` : nothing}
			${items?.length === 0 ? html`<p class="rows-none muted">${t('share.nothing')}</p>` : nothing}
			<ul class="shares">${(items || []).map((item) => html`<li class="share">
				${icon('person')}<a class="share-who" href=${placeHash('shared', item.id)}>
				<span dir="auto">${item.title || t('list.untitled')}</span>
				<span class="muted">${t(item.live ? 'share.byLive' : 'share.by',
					{ name: item.owner || t('share.gone'), when: moment(item.sharedAt) })}</span></a></li>`)}</ul>
			${this.nextCursor ? html`<button type="button" class="button button-small"
				@click=${() => this.#more(this.nextCursor)}>${t('list.more')}</button>` : nothing}
		</div></div>`;
	}
}

customElements.define('lamp-shared', LampShared);
