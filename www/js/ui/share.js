// SPDX-License-Identifier: MIT
// <lamp-share>: who may read a conversation, by whom it is shared, and how much of it; and
// links that need no sign-on, where an admin allows them.
import { html, nothing } from '../../vendor/lit.js';
import { copyText } from '../clipboard.js';
import { errorText, failureText, moment } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { ConversationDialog } from './dialogs.js';
import { icon } from './icons.js';
import './person.js';

/** What else is shared, with its words for the form and for the list. */
const CHOICES = [['live', 'share.live', 'share.with.live'],
	['tools', 'share.tools', 'share.with.tools'], ['files', 'share.files', 'share.with.files']];

/** For how long a link may hold, of which those are offered that the server allows. */
const DAYS = [1, 7, 30, 90, 365];

/** An end of now may be one to come, where clocks differ. */
const ENDED_MS = 60000;

/** A detail that names the field says that nobody has that login. */
const NAMED = /\buser\b/;

export class LampShare extends ConversationDialog {
	static properties = {
		places: { attribute: false },
		/** for how many days a link that needs no sign-on may hold; 0: there are none */
		days: { type: Number },
		login: { state: true },
		/** true while somebody is added */
		busy: { state: true },
		refused: { state: true },
		/** the share that has just ended, until the dialog is closed or another one ends */
		ended: { state: true },
	};

	name = 'share';
	heading = 'share.title';

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.days = 0;
		this.login = '';
		this.busy = false;
		this.refused = null;
		/** @type {any} */
		this.ended = null;
		// it does not bubble
		this.addEventListener('close', () => this.#forget(), { capture: true });
	}

	/** @returns a promise of the shares */
	async read(id)
	{
		this.login = '';
		this.refused = null;
		return (await this.api.shares(id)).items;
	}

	body()
	{
		const wrong = this.refused?.field !== 'user' ? '' : NAMED.test(this.refused.detail) ?
			t('share.unknown') : failureText(this.refused);
		const groups = this.places.form('conversation-shares')?.fields
			.find(({ key }) => key === 'group')?.choices || [];

		return html`<p>${t('share.text')}</p>
			${this.data.length > 0 ? html`<ul class="shares">${this.data.map((share) =>
				this.#row(share))}</ul>` : html`<p class="muted">${t('share.none')}</p>`}
			<form class="arrange" @submit=${this.#add} aria-label=${t('share.add')}>
				${this.refused && !wrong ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
					failureText(this.refused)}</span></p>` : nothing}
				<div class="field"><label for="share-who">${t('share.person')}</label>
					<lamp-person others name="share-who" described=${wrong ? 'share-who-error share-who-help' : 'share-who-help'}
						.places=${this.places} .value=${this.login}
						?invalid=${Boolean(wrong)} @lamp-typed=${(event) => { this.login = event.detail.value; }}></lamp-person>
					${wrong ? html`<span class="field-error" id="share-who-error" role="alert">${wrong}</span>` : nothing}
					<span class="help" id="share-who-help">${t('share.personHelp', { login: this.places.me.user })}</span></div>
				${groups.length > 0 ? html`<div class="field"><label for="share-group">${
					t('share.group')}</label><span class="select field-select"><select id="share-group" name="group">
					<option value="">${t('share.noGroup')}</option>
					${groups.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
				</select>${icon('chevron')}</span></div>` : nothing}
				${this.#choices()}
				<div class="dialog-buttons"><button class="button button-main" ?disabled=${this.busy}>${
					t('share.add')}</button></div>
			</form>
			${this.days > 0 ? this.#linkForm() : nothing}`;
	}

	#choices()
	{
		return html`<fieldset class="share-choices"><legend class="sr-only">${t('share.how')}</legend>
			${CHOICES.map(([key, text]) => html`<label><input type="checkbox"
				name=${key}><span>${t(text)}</span></label>`)}</fieldset>`;
	}

	#linkForm()
	{
		const days = [...DAYS.filter((n) => n < this.days), this.days];

		return html`<form class="arrange" @submit=${this.#link} aria-labelledby="share-links">
			<h3 id="share-links">${t('share.links')}</h3>
			<p>${t('share.linksText')}</p>
			<div class="field"><label for="share-days">${t('share.ends')}</label>
				<span class="select field-select"><select id="share-days" name="days">${days.map((n) => html`<option value=${n}
					?selected=${n === Math.min(7, this.days)}>${t('share.days', { n })}</option>`)}</select>${icon('chevron')}</span></div>
			${this.#choices()}
			<div class="dialog-buttons"><button class="button" ?disabled=${this.busy}>${icon('link')}<span>${
				t('share.link')}</span></button></div>
		</form>`;
	}

	#row(share)
	{
		const link = share.kind === 'link';
		const name = link ? t('share.anyone') : share.user || share.group || t('share.gone');
		const over = share.expiresAt && Date.parse(share.expiresAt) <= Date.now();
		const how = CHOICES.filter(([key]) => share[key]).map(([,, text]) => t(text));

		if (share.id === this.ended?.id)
			return html`<li class="share">${icon('check')}<span class="share-who">${
				t('share.revoked', { name })}</span>
				<button type="button" class="chip-button share-undo" @click=${() => this.#undo(name)}>${
				t('list.undo')}</button></li>`;
		return html`<li class="share">${icon(link ? 'link' : share.group ? 'rooms' : 'person')}
			<span class="share-who"><span dir="auto">${name}</span>
				<span class="muted">${[share.expiresAt ? t(over ? 'share.over' : 'share.until',
					{ when: moment(share.expiresAt) }) : '', share.live ? '' : t('share.with.point'), ...how]
					.filter(Boolean).join(' · ')}</span></span>
			<span class="share-acts"><button type="button" class="chip-button" @click=${() => this.#copy(share)}>
				${icon('link')}<span>${t('share.copy')}</span></button>
			<button type="button" class="chip-button" aria-label=${t('share.revokeOf', { name })}
				@click=${() => (link ? this.#revokeLink(share, name) : this.#revoke(share, name))}>${t('share.revoke')}</button></span></li>`;
	}

	async #copy({ id, link })
	{
		const done = await copyText(new URL(link || placeHash('shared', id), location.href).href);

		this.emit('lamp-say', { text: t(done ? 'message.copied' : 'message.copyFailed') });
	}

	/** It ends at once, and is deleted when nobody can want it back any more. */
	async #revoke(share, name)
	{
		try {
			await this.api.changeShare(share.id, { expiresAt: new Date(Date.now() - ENDED_MS).toISOString() });
		} catch (error) {
			this.emit('lamp-say', { text: errorText(error) });
			return;
		}
		this.#forget();
		this.ended = share;
		this.emit('lamp-say', { text: t('share.revoked', { name }), heard: true });
		await this.updateComplete;
		/** @type {HTMLElement} */ (this.querySelector('.share-undo')).focus();
	}

	/** As it was: what may be read, and until when. */
	async #undo(name)
	{
		const { id, expiresAt } = this.ended;

		try {
			await this.api.changeShare(id, { expiresAt });
			this.ended = null;
			this.emit('lamp-say', { text: t('share.back', { name }) });
		} catch (error) {
			this.emit('lamp-say', { text: errorText(error) });
		}
		await this.load();
		/** @type {HTMLElement} */ (this.querySelector('.dialog-head button')).focus();
	}

	async #forget()
	{
		const { ended } = this;

		if (!ended)
			return;
		this.ended = null;
		this.data = this.data?.filter(({ id }) => id !== ended.id);
		// one that could not be deleted has ended nevertheless, and says so
		await this.api.revokeShare(ended.id).catch(() => {});
	}

	/** A link has no address again. */
	async #revokeLink({ id }, name)
	{
		const app = /** @type {import('./app.js').LampApp} */ (document.querySelector('lamp-app'));

		if (!await app.confirm(t('share.linkTitle'), t('share.linkText'), t('share.revoke')))
			return;
		try {
			await this.api.revokeShare(id);
			this.emit('lamp-say', { text: t('share.revoked', { name }) });
		} catch (error) {
			this.emit('lamp-say', { text: errorText(error) });
		}
		await this.load();
		/** @type {HTMLElement} */ (this.querySelector('.dialog-head button')).focus();
	}

	#add = async (event) => {
		const group = String(new FormData(event.target).get('group') ?? '');
		const user = this.login.trim();

		if (!user && !group) {
			event.preventDefault();
			this.refused = { status: 422, field: 'user', detail: t('share.nobody') };
			/** @type {HTMLElement} */ (this.querySelector('#share-who')).focus();
			return;
		}
		const made = await this.#make(event, { ...user && { user }, ...group && { group } });

		if (!made)
			return;
		this.login = '';
		this.emit('lamp-say', { text: t('share.done', { name: made.user || made.group }) });
	};

	#link = async (event) => {
		const days = Number(new FormData(event.target).get('days'));
		const made = await this.#make(event, { kind: 'link',
			expiresAt: new Date(Date.now() + days * 86400000).toISOString() });

		if (made)
			this.emit('lamp-say', { text: t(await copyText(new URL(made.link, location.href).href) ?
				'share.linkedCopied' : 'share.linked') });
	};

	/** @returns a promise of the new share; null: it was refused, which is shown */
	async #make(event, fields)
	{
		const form = event.target;
		const data = new FormData(form);
		let made = null;

		event.preventDefault();
		this.busy = true;
		this.refused = null;
		await this.#forget();
		try {
			made = await this.api.share({ conversationId: this.conversation, ...fields,
				live: data.has('live'), tools: data.has('tools'), files: data.has('files') });
			form.reset();
			this.data = [made, ...this.data];
		} catch (error) {
			this.refused = error;
			if (error.field === 'user')
				/** @type {HTMLElement} */ (this.querySelector('#share-who')).focus();
		}
		this.busy = false;
		return made;
	}
}

customElements.define('lamp-share', LampShare);
