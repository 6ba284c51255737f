// SPDX-License-Identifier: MIT
// <lamp-month>: what takes place in a month, day by day: weeks side by side, on a phone a
// list of the days that have something.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { dayOf, monthOf, weeksOf } from '../month.js';
import { today } from '../projects.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampMonth extends PageElement {
	static properties = {
		api: { attribute: false },
		/** of the API: with ?from=&to=&timeZone= */
		path: { attribute: false },
		/** the address of an event, by its occurrence */
		href: { attribute: false },
		/** another number: what takes place is read again */
		stamp: { attribute: false },
		month: { state: true },
		items: { state: true },
		truncated: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.path = '';
		this.stamp = 0;
		/** @type {(item: any) => string} */
		this.href = () => '';
		/** "2027-03" */
		this.month = today().slice(0, 7);
		/** @type {any[] | null} null: not known yet */
		this.items = null;
		this.truncated = false;
		this.error = null;
	}

	willUpdate(changed)
	{
		if (['path', 'month', 'stamp'].some((key) => changed.has(key)))
			this.#load();
	}

	async #load()
	{
		const { month, path } = this;
		const weeks = weeksOf(month);
		const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

		const isShown = () => month === this.month && path === this.path;

		this.error = null;
		try {
			const found = await this.api.list(path, { from: weeks[0][0],
				to: weeks.at(-1)[6], timeZone: zone });

			if (!isShown())
				return;
			this.items = found.items;
			this.truncated = found.truncated;
		} catch (error) {
			if (isShown())
				this.error = error;
		}
	}

	#go(step)
	{
		this.month = step ? monthOf(this.month, step) : today().slice(0, 7);
	}

	render()
	{
		const title = new Date(`${this.month}-15T12:00:00`).toLocaleDateString(locale(),
			{ month: 'long', year: 'numeric' });

		return html`<div class="month-bar">
			<button type="button" class="icon-button" aria-label=${t('month.before')}
				@click=${() => this.#go(-1)}>${icon('back')}</button>
			<h3 aria-live="polite">${title}</h3>
			<button type="button" class="icon-button month-next" aria-label=${t('month.after')}
				@click=${() => this.#go(1)}>${icon('back')}</button>
			<button type="button" class="chip-button" @click=${() => this.#go(0)}>${
				t('month.today')}</button></div>
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.error)}</span></p>` : nothing}
			${this.truncated ? html`<p class="muted">${t('month.truncated')}</p>` : nothing}
			<ol class="month">${weeksOf(this.month).flat().map((day) => this.#day(day))}</ol>
			${this.items?.length === 0 ? html`<p class="muted month-none">${t('month.none')}</p>` :
				nothing}`;
	}

	#day(day)
	{
		const items = (this.items || []).filter((item) => dayOf(item, day));
		const name = new Date(`${day}T12:00:00`).toLocaleDateString(locale(),
			{ weekday: 'short', day: 'numeric', month: 'short' });

		return html`<li class="month-day ${day.startsWith(this.month) ? '' : 'month-other'} ${
			items.length ? '' : 'month-free'}" aria-current=${day === today() ? 'date' : nothing}>
			<time datetime=${day}>${name}</time>
			${items.length ? html`<ul>${repeat(items, (item) => `${item.eventId} ${item.start}`,
				(item) => this.#event(item))}</ul>` : nothing}</li>`;
	}

	#event(item)
	{
		const from = item.wholeDays ? '' : new Date(item.startsAt).toLocaleTimeString(locale(),
			{ hour: '2-digit', minute: '2-digit' });

		return html`<li><a class="month-event ${item.stateKey}" href=${this.href(item)}>
			${from ? html`<span class="month-time">${from}</span>` : nothing}<span dir="auto">${
			item.title}</span>${item.stateKey === 'cancelled' ? html`<span class="sr-only">${
			t('month.cancelled')}</span>` : nothing}</a></li>`;
	}
}

customElements.define('lamp-month', LampMonth);
