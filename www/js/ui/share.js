// SPDX-License-Identifier: MIT
// <lamp-share>: who may read a conversation, by whom it is shared, and how much of it.
import { html, nothing } from '../../vendor/lit.js';
import { copyText } from '../clipboard.js';
import { errorText, failureText } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { ConversationDialog } from './dialogs.js';
import { icon } from './icons.js';
import './person.js';

/** What else is shared, with its words for the form and for the list. */
const CHOICES = [['live', 'share.live', 'share.with.live'],
	['tools', 'share.tools', 'share.with.tools'], ['files', 'share.files', 'share.with.files']];

export class LampShare extends ConversationDialog {
	static properties = {
		places: { attribute: false },
		login: { state: true },
		/** true while somebody is added */
		busy: { state: true },
		refused: { state: true },
	};

	name = 'share';
	heading = 'share.title';

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.login = '';
		this.busy = false;
		this.refused = null;
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
		const groups = this.places.form('conversation-shares')?.fields
			.find(({ key }) => key === 'group')?.choices || [];

		return html`<p>${t('share.text')}</p>
			${this.data.length > 0 ? html`<ul class="shares">${this.data.map((share) =>
				this.#row(share))}</ul>` : html`<p class="muted">${t('share.none')}</p>`}
			<form class="arrange" @submit=${this.#add} aria-label=${t('share.add')}>
				${this.refused ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
					failureText(this.refused)}</span></p>` : nothing}
				<div class="field"><label for="share-who">${t('share.person')}</label>
					<lamp-person name="share-who" .places=${this.places} .value=${this.login}
						@lamp-typed=${(event) => { this.login = event.detail.value; }}></lamp-person></div>
				${groups.length > 0 ? html`<div class="field"><label for="share-group">${
					t('share.group')}</label><select id="share-group" name="group">
					<option value="">${t('share.noGroup')}</option>
					${groups.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
				</select></div>` : nothing}
				<fieldset class="share-choices"><legend class="sr-only">${t('share.how')}</legend>
					${CHOICES.map(([key, text]) => html`<label><input type="checkbox"
						name=${key}><span>${t(text)}</span></label>`)}</fieldset>
				<div class="dialog-buttons"><button class="button button-main" ?disabled=${this.busy}>${
					t('share.add')}</button></div>
			</form>`;
	}

	#row(share)
	{
		const name = share.user || share.group || t('share.gone');
		const how = CHOICES.filter(([key]) => share[key]).map(([,, text]) => t(text));

		return html`<li class="share">${icon(share.group ? 'rooms' : 'person')}
			<span class="share-who"><span dir="auto">${name}</span>
				<span class="muted">${[share.live ? '' : t('share.with.point'), ...how]
					.filter(Boolean).join(' · ')}</span></span>
			<button type="button" class="chip-button" @click=${() => this.#copy(share)}>
				${icon('link')}<span>${t('share.copy')}</span></button>
			<button type="button" class="chip-button" aria-label=${t('share.revokeOf', { name })}
				@click=${() => this.#revoke(share, name)}>${t('share.revoke')}</button></li>`;
	}

	async #copy({ id })
	{
		const done = await copyText(new URL(placeHash('shared', id), location.href).href);

		this.emit('lamp-say', { text: t(done ? 'message.copied' : 'message.copyFailed') });
	}

	async #revoke({ id }, name)
	{
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
		const form = event.target;
		const data = new FormData(form);
		const group = String(data.get('group') ?? '');

		event.preventDefault();
		this.busy = true;
		this.refused = null;
		try {
			const made = await this.api.share({ conversationId: this.conversation,
				...this.login.trim() && { user: this.login.trim() }, ...group && { group },
				live: data.has('live'), tools: data.has('tools'), files: data.has('files') });

			form.reset();
			this.login = '';
			this.data = [made, ...this.data];
			this.emit('lamp-say', { text: t('share.done', { name: made.user || made.group }) });
		} catch (error) {
			this.refused = error;
		}
		this.busy = false;
	};
}

customElements.define('lamp-share', LampShare);
