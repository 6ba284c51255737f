// SPDX-License-Identifier: MIT
// <lamp-bin>: what was deleted from a list and can be restored by who sees this. Nothing, if
// there is nothing of it.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText, moment } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampBin extends PageElement {
	static properties = {
		api: { attribute: false },
		/** the path of the list, which is the name of its form */
		path: { type: String },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		/** another value when the list is to be read again */
		stamp: { attribute: false },
		items: { state: true },
		busy: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.path = '';
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		this.stamp = null;
		/** @type {{id: string, name: string, deletedAt: string, keptUntil: string}[]} */
		this.items = [];
		this.busy = '';
		this.error = null;
	}

	willUpdate(changed)
	{
		if (changed.has('stamp') || changed.has('path'))
			this.#load();
	}

	async #load()
	{
		try {
			this.items = (await this.api.deleted(this.path)).items;
		} catch {
			// the list above says what is wrong
		}
	}

	async #restore({ id, name })
	{
		if (await this.#run(id, () => this.api.restoreDeleted(this.path, id))) {
			this.emit('lamp-say', { text: t('bin.restored', { name }) });
			location.hash = placeHash(this.path, id);
		}
	}

	async #drop({ id, name })
	{
		if (await this.confirm(t('bin.dropTitle', { name }), t('bin.dropText'), t('bin.drop')) &&
		    await this.#run(id, () => this.api.deleteForGood(this.path, id)))
			this.emit('lamp-say', { text: t('bin.dropped', { name }) });
		this.querySelector('summary')?.focus();
	}

	async #run(id, work)
	{
		this.busy = id;
		this.error = null;
		try {
			await work();
			this.items = this.items.filter((one) => one.id !== id);
			return true;
		} catch (error) {
			this.error = error;
			return false;
		} finally {
			this.busy = '';
		}
	}

	render()
	{
		if (this.items.length === 0 && !this.error)
			return nothing;
		return html`<details class="bin"><summary>${t('bin.title')} <span class="muted">${
			this.items.length}</span></summary>
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.error)}</span></p>` : nothing}
			<ul class="effects">${repeat(this.items, ({ id }) => id, (one) => html`<li class="effect">
				<span class="effect-text" dir="auto">${one.name}<span class="muted effect-by">${
					t('bin.times', { at: moment(one.deletedAt), until: moment(one.keptUntil) })}</span></span>
				<button type="button" class="chip-button" ?disabled=${this.busy !== ''}
					aria-label=${t('bin.restoreOf', one)} @click=${() => this.#restore(one)}>${
					t('bin.restore')}</button>
				<button type="button" class="chip-button" ?disabled=${this.busy !== ''}
					aria-label=${t('bin.dropOf', one)} @click=${() => this.#drop(one)}>${
					t('bin.drop')}</button></li>`)}</ul></details>`;
	}
}

customElements.define('lamp-bin', LampBin);
