// SPDX-License-Identifier: MIT
// <lamp-occurrence>: the dialog about one occurrence of an event that is repeated: change or
// delete it alone, or it and those that follow, or go to the event itself.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

export class LampOccurrence extends PageElement {
	static properties = {
		api: { attribute: false },
		item: { state: true },
		href: { state: true },
		busy: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {any} an occurrence as the calendar lists it */
		this.item = null;
		this.href = '';
		this.busy = false;
		this.error = null;
	}

	/** @param href the page of the event that is repeated */
	async show(item, href)
	{
		this.item = item;
		this.href = href;
		this.error = null;
		await this.updateComplete;
		this.querySelector('form').reset();
		this.querySelector('dialog').showModal();
	}

	/** Of the event that is repeated, below the API's root. */
	get #event()
	{
		const { projectId, eventId } = this.item;

		return projectId ? `projects/${encodeURIComponent(projectId)}/events/${
			encodeURIComponent(eventId)}` : `events/${encodeURIComponent(eventId)}`;
	}

	render()
	{
		const { item } = this;
		const type = item?.wholeDays ? 'date' : 'datetime-local';

		return frame('occurrence', item?.title ?? '', !item ? nothing : html`
			<form class="form" @submit=${this.#save}>
				<p class="muted">${t('occurrence.how')}${item.timeZone && !item.wholeDays ?
					` ${t('occurrence.zone', { zone: item.timeZone })}` : ''}</p>
				${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
					failureText(this.error)}</span></p>` : nothing}
				<div class="field"><label for="occurrence-name">${t('occurrence.title')}</label>
					<input class="field-line" id="occurrence-name" name="title" maxlength="200" required
						value=${item.title}></div>
				<div class="occurrence-times">
					<div class="field"><label for="occurrence-start">${t('occurrence.start')}</label>
						<input class="field-line" id="occurrence-start" type=${type} name="start"
							required value=${item.start}></div>
					<div class="field"><label for="occurrence-end">${t('occurrence.end')}</label>
						<input class="field-line" id="occurrence-end" type=${type} name="end" required
							value=${item.end}></div></div>
				<fieldset class="occurrence-scope"><legend>${t('occurrence.which')}</legend>
					<label><input type="radio" name="scope" value="this" checked>${
						t('occurrence.this')}</label>
					<label><input type="radio" name="scope" value="following">${
						t('occurrence.following')}</label></fieldset>
				<div class="form-buttons">
					<button type="submit" class="button button-main" ?disabled=${this.busy}>${
						t('form.save')}</button>
					<a class="button" href=${this.href}>${t('occurrence.all')}</a>
					<button type="button" class="button form-delete" ?disabled=${this.busy}
						@click=${this.#remove}>${t('form.remove')}</button></div>
			</form>`);
	}

	#save = (event) => {
		const { elements } = event.target;
		const { item } = this;
		/** @type {Record<string, string>} */
		const body = {};

		event.preventDefault();
		for (const key of ['title', 'start', 'end']) {
			if (elements[key].value.trim() !== item[key])
				body[key] = elements[key].value.trim();
		}
		if (Object.keys(body).length === 0)
			this.querySelector('dialog').close();
		else
			this.#send('PATCH', body);
	};

	#remove = () => this.#send('DELETE');

	async #send(method, body = undefined)
	{
		const { occurrence, title } = this.item;
		const scope = new FormData(this.querySelector('form')).get('scope');

		this.busy = true;
		this.error = null;
		try {
			const { etag } = await this.api.record('GET', this.#event);

			await this.api.record(method, `${this.#event}/occurrences/${occurrence}?scope=${scope}`,
				{ body, headers: { 'If-Match': etag } });
			this.querySelector('dialog').close();
			this.emit('lamp-say', { text: t(method === 'DELETE' ? 'form.removed' : 'form.saved',
				{ name: title }) });
			this.emit('lamp-changed');
		} catch (error) {
			this.error = error;
		}
		this.busy = false;
	}
}

customElements.define('lamp-occurrence', LampOccurrence);
