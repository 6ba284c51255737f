// SPDX-License-Identifier: MIT
// <lamp-month>: what takes place in a month or a week, day by day, on a phone as a list of
// the days that have something, which an agenda is everywhere. Events come from calendar
// files and go into them. One that is repeated opens a dialog: this one, those that follow,
// or all.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { dayBeside, dayOf, daysOf, VIEWS } from '../month.js';
import { today } from '../projects.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './occurrence.js';

class LampMonth extends PageElement {
	static properties = {
		api: { attribute: false },
		/** of the API: with ?from=&to=&timeZone= */
		path: { type: String },
		/** the address of an event, by its occurrence */
		href: { attribute: false },
		/** another number: what takes place is read again */
		stamp: { attribute: false },
		/** whether files may be read into it */
		canWrite: { type: Boolean },
		view: { state: true },
		/** the day around which it is */
		day: { state: true },
		importing: { state: true },
		told: { state: true },
		items: { state: true },
		truncated: { state: true },
		error: { state: true },
	};

	/** of what was asked for last */
	#round = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.path = '';
		this.stamp = 0;
		/** @type {(item: any) => string} */
		this.href = () => '';
		this.canWrite = false;
		this.view = 'month';
		this.day = today();
		this.importing = false;
		/** what became of a file */
		this.told = '';
		/** @type {any[] | null} null: not known yet */
		this.items = null;
		this.truncated = false;
		this.error = null;
	}

	willUpdate(changed)
	{
		if (['path', 'view', 'day', 'stamp'].some((key) => changed.has(key)))
			this.#load();
	}

	async #load()
	{
		const { view, day, path } = this;
		const days = daysOf(view, day);
		const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
		const round = ++this.#round;

		this.error = null;
		try {
			const found = await this.api.list(path, { from: days[0], to: days.at(-1),
				timeZone: zone });

			if (round !== this.#round)
				return;
			this.items = found.items;
			this.truncated = found.truncated;
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		}
	}

	#go(step)
	{
		this.day = step ? dayBeside(this.view, this.day, step) : today();
	}

	get #title()
	{
		const days = daysOf(this.view, this.day);
		const date = (day) => new Date(`${day}T12:00:00`);

		if (this.view === 'month')
			return date(this.day).toLocaleDateString(locale(), { month: 'long', year: 'numeric' });
		return new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', year: 'numeric' })
			.formatRange(date(days[0]), date(days.at(-1)));
	}

	render()
	{
		const { view, items } = this;
		const [before, after] = { month: ['month.before', 'month.after'],
			week: ['month.weekBefore', 'month.weekAfter'],
			agenda: ['month.earlier', 'month.later'] }[view];
		const free = items?.length === 0;

		return html`<div class="month-bar">
			<button type="button" class="icon-button" aria-label=${t(before)} title=${t(before)}
				@click=${() => this.#go(-1)}>${icon('back')}</button>
			<button type="button" class="icon-button" aria-label=${t(after)}
				title=${t(after)} @click=${() => this.#go(1)}>${icon('chevron')}</button>
			<h2 aria-live="polite">${this.#title}</h2>
			<button type="button" class="chip-button" @click=${() => this.#go(0)}>${
				t('month.today')}</button>
			<span class="month-views" role="group" aria-label=${t('month.view')}>${VIEWS.map((one) =>
				html`<button type="button" class="chip-button" aria-pressed=${String(one === view)}
				@click=${() => { this.view = one; }}>${t({ month: 'month.month', week: 'month.week',
				agenda: 'month.agenda' }[one])}</button>`)}</span>
			<span class="month-files">${this.canWrite ? html`<label
				class="chip-button file-button" title=${t('month.importHow')}><input type="file"
				class="sr-only" accept=".ics,text/calendar" ?disabled=${this.importing}
				@change=${this.#onFile}>${t(this.importing ? 'month.importing' : 'month.import')}</label>` :
				nothing}<a class="chip-button" download href=${`${this.api.base}${this.path}.ics`}
				title=${t('month.exportHow')}>${t('month.export')}</a></span></div>
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.error)}</span></p>` : nothing}
			${this.told ? html`<p class="month-told" role="status">${this.told}</p>` : nothing}
			${this.truncated ? html`<p class="muted">${t('month.truncated')}</p>` : nothing}
			<ol class="month month-${view}">${daysOf(view, this.day).map((day) => this.#day(day))}</ol>
			${free ? html`<p class="muted month-none">${t(view === 'month' ? 'month.none' :
				'month.noneHere')}</p>` : nothing}
			<lamp-occurrence .api=${this.api} @lamp-changed=${() => this.#load()}></lamp-occurrence>`;
	}

	/** Adds the events of a calendar file. */
	#onFile = async ({ target }) => {
		const [file] = target.files;

		target.value = '';
		if (!file || this.importing)
			return;
		this.importing = true;
		this.error = null;
		this.told = '';
		try {
			const { made, known, refused, problems } = await this.api.json('POST', `${this.path}/import`,
				{ bytes: file, headers: { 'Content-Type': 'text/calendar' } });

			this.told = [t('month.imported', { n: made }),
				known ? t('month.importKnown', { n: known }) : '',
				refused ? t('month.importRefused', { n: refused,
					why: problems[0]?.problem ?? '' }) : ''].filter(Boolean).join(' ');
			await this.#load();
		} catch (error) {
			this.error = error;
		} finally {
			this.importing = false;
		}
	};

	#day(day)
	{
		const items = (this.items || []).filter((item) => dayOf(item, day));
		const name = new Date(`${day}T12:00:00`).toLocaleDateString(locale(),
			{ weekday: 'short', day: 'numeric', month: 'short' });

		return html`<li class="month-day ${this.view !== 'month' || day.startsWith(this.day.slice(0, 7)) ? '' : 'month-other'} ${
			items.length ? '' : 'month-free'}" aria-current=${day === today() ? 'date' : nothing}>
			<time datetime=${day}>${name}</time>
			${items.length ? html`<ul>${repeat(items, (item) => `${item.eventId} ${item.start}`,
				(item) => this.#event(item))}</ul>` : nothing}</li>`;
	}

	/** One that is repeated: what shall be changed? Ctrl and a click opens its page. */
	#open(event, item)
	{
		if (event.ctrlKey || event.metaKey || event.shiftKey)
			return;
		event.preventDefault();
		this.querySelector('lamp-occurrence').show(item, this.href(item));
	}

	#event(item)
	{
		const from = item.wholeDays ? '' : new Date(item.startsAt).toLocaleTimeString(locale(),
			{ hour: '2-digit', minute: '2-digit' });

		return html`<li><a class="month-event ${item.stateKey}" href=${this.href(item)}
			title=${[item.title, item.location, item.project].filter(Boolean).join(' · ')}
			@click=${item.recurrence && this.canWrite ? (event) => this.#open(event, item) : nothing}>
			${from ? html`<span class="month-time">${from}</span>` : nothing}<span dir="auto">${
			item.title}</span>${item.stateKey === 'cancelled' ? html`<span class="sr-only">${
			t('month.cancelled')}</span>` : nothing}</a></li>`;
	}
}

customElements.define('lamp-month', LampMonth);
