// SPDX-License-Identifier: MIT
// What assistants remember of the user in all conversations: the switch, what was
// proposed, and what is kept. A row that is kept has the ordinary form.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/** The setting that switches it on. */
const SETTING = 'personal_memory';

class LampRemembered extends PageElement {
	static properties = {
		places: { attribute: false },
		form: { attribute: false },
		rows: { attribute: false },
		error: { state: true },
	};

	#settings = null;

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('../form.js').Form} */
		this.form = undefined;
		/** @type {import('../store/rows.js').Rows} */
		this.rows = undefined;
		this.error = null;
		new Watch(this, () => this.rows);
		new Watch(this, () => this.#settings);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#settings = this.places.settings();
		this.#settings.load();
	}

	/** Stores a value of a row or of the settings; what fails is shown. */
	async #store(draft, key, value)
	{
		this.error = null;
		draft.set(key, value);
		if (!await draft.save())
			this.error = draft.error || new Error(draft.errors[key]);
	}

	async #decide(row, state)
	{
		const draft = this.places.draft(this.form, row.id);

		await draft.load();
		if (draft.loadError)
			this.error = draft.loadError;
		else
			await this.#store(draft, 'state', state);
		await this.rows.reload();
		if (this.error)
			return;
		this.emit('lamp-say', { text: t(state === 'kept' ? 'remembered.keptSaid' :
			'remembered.refusedSaid') });
		(this.querySelector('.remembered-proposed button') ||
			this.querySelector('select'))?.focus();
	}

	#switch()
	{
		const field = this.#settings?.form.fields.find(({ key }) => key === SETTING);

		if (!field)
			return nothing;
		const now = this.#settings.values[SETTING] || field.inForce?.value || 'off';

		return html`<div class="field"><label for="remember-me">${field.label}</label>
			<span class="select field-select"><select id="remember-me" @change=${(event) =>
				this.#store(this.#settings, SETTING, event.target.value)}>
				${field.choices.map(({ value, label }) => html`<option value=${value}
					?selected=${value === now}>${label}</option>`)}</select>${icon('chevron')}</span>
			<p class="field-help">${field.help}</p></div>`;
	}

	#list(state, title, line)
	{
		const items = this.rows.items.filter((row) => row.state === state);

		return items.length === 0 ? nothing : html`<h2 class="remembered-head">${title}</h2>
			<ul class="allowed remembered-${state}">${repeat(items, ({ id }) => id, line)}</ul>`;
	}

	#line(row, buttons)
	{
		return html`<li><span dir="auto">${plain(row.text)} <span class="muted">${
			moment(row.updatedAt)}${row.origins ? html`. ${t('memory.untrusted')}` : nothing}</span></span>
			<span class="memory-actions">${buttons}</span></li>`;
	}

	#button(text, row, run)
	{
		return html`<button type="button" class="button button-small"
			aria-label=${`${text}: ${row.text}`} @click=${run}>${text}</button>`;
	}

	render()
	{
		const refused = this.rows.items.filter(({ state }) => state === 'refused');
		const edit = (row) => html`<a class="button button-small"
			aria-label=${`${t('remembered.edit')}: ${row.text}`}
			href=${placeHash(this.form.name, row.id)}>${t('remembered.edit')}</a>`;

		return html`${this.error ? html`<p class="form-error" role="alert">${icon('warning')}
				<span>${failureText(this.error)}</span></p>` : nothing}
			${this.#switch()}
			${this.#list('proposed', t('remembered.proposed'), (row) => this.#line(row, html`
				${this.#button(t('remembered.keep'), row, () => this.#decide(row, 'kept'))}
				${this.#button(t('remembered.refuse'), row, () => this.#decide(row, 'refused'))}`))}
			${this.#list('kept', t('remembered.kept'), (row) => this.#line(row, edit(row)))}
			${refused.length === 0 ? nothing : html`<details class="memory-versions">
				<summary>${t('remembered.refused')}</summary><ul class="allowed">${repeat(refused,
					({ id }) => id, (row) => this.#line(row, edit(row)))}</ul></details>`}`;
	}
}

customElements.define('lamp-remembered', LampRemembered);

/** The list of the place "memories", for ui/rows.js. */
export function rememberedView({ places, form, rows })
{
	return html`<lamp-remembered .places=${places} .form=${form} .rows=${rows}></lamp-remembered>`;
}
