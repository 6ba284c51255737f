// SPDX-License-Identifier: MIT
// <lamp-blanks>: asks for the blanks of a prompt, in a dialog with a field for
// each. Errors are shown at their fields; the text is then placed in the
// message field, where it can still be edited.
import { html, live, nothing } from '../../vendor/lit.js';
import { Watch } from '../observable.js';
import { Picker } from '../store/picker.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { pickerFor, pickerKey, pickerLeft, pickerScroll, pickerView } from './picker.js';

export class LampBlanks extends PageElement {
	static properties = {
		api: { attribute: false },
		prompt: { state: true },
		values: { state: true },
		errors: { state: true },
		/** name of the record field whose list is open */
		field: { state: true },
	};

	#answer = null;
	#records = new Map();

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('../store/picker.js').Picker} */
		this.picker = undefined;
		this.errors = {};
		new Watch(this, () => this.picker);
	}

	/**
	 * @returns a promise of {values: text by name, mentions}, or null when the
	 *          person has changed their mind
	 */
	async ask(prompt, workspaceId)
	{
		this.prompt = prompt;
		this.workspaceId = workspaceId;
		this.picker ??= new Picker(this.api);
		this.values = Object.fromEntries(prompt.blanks.map(({ name, type, choices }) =>
			[name, type === 'choice' ? choices[0] : '']));
		this.errors = {};
		this.#records.clear();
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		this.querySelector('#blank-0').focus();
		return new Promise((resolve) => {
			this.#answer = resolve;
		});
	}

	render()
	{
		return html`<dialog class="dialog dialog-form" aria-modal="true" aria-labelledby="blanks-title"
			@close=${() => this.#end(null)}>
			${this.prompt ? html`<form class="dialog-body" novalidate
				@submit=${this.#submit}>
				<div class="dialog-head">
					<h2 id="blanks-title" dir="auto">${this.prompt.name}</h2>
					<button type="button" class="icon-button" aria-label=${t('app.close')}
						title=${t('app.close')}
						@click=${() => this.#close()}>${icon('close')}</button>
				</div>
				${this.prompt.blanks.map((blank, i) => this.#row(blank, `blank-${i}`))}
				<div class="dialog-buttons">
					<button type="button" class="button"
						@click=${() => this.#close()}>${t('app.cancel')}</button>
					<button type="submit" class="button button-main">${t('blanks.use')}</button>
				</div>
			</form>` : nothing}
		</dialog>`;
	}

	#row(blank, id)
	{
		const error = this.errors[blank.name];

		return html`<div class="field-row">
			<label for=${id} dir="auto">${blank.name}</label>
			${this.#input(blank, id, error)}
			${error ? html`<p class="field-error" id="${id}-error">${error}</p>` : nothing}
		</div>`;
	}

	#input(blank, id, error)
	{
		const { name } = blank;
		const about = error ? `${id}-error` : nothing;
		const wrong = error ? 'true' : nothing;
		const take = (event) => this.#take(name, event.target.value);

		if (blank.type === 'choice')
			return html`<span class="select field-select"><select class="field-input" id=${id} @change=${take}
				aria-invalid=${wrong} aria-describedby=${about}>${blank.choices.map((choice) =>
				html`<option ?selected=${choice === this.values[name]}>${choice}</option>`)}
			</select>${icon('chevron')}</span>`;
		if (blank.type === 'date')
			return html`<input class="field-input" type="date" id=${id} @input=${take}
				.value=${live(this.values[name])}
				aria-required="true" aria-invalid=${wrong} aria-describedby=${about}>`;
		if (blank.type === 'record')
			return this.#record(blank, id, wrong, about);
		return html`<textarea class="field-input" rows="2" id=${id} dir="auto" @input=${take}
			.value=${live(this.values[name])}
			aria-required="true" aria-invalid=${wrong} aria-describedby=${about}></textarea>`;
	}

	#record({ name, dataset }, id, wrong, about)
	{
		const mine = this.field === name;
		const open = mine && this.picker.open;
		const { controls, active } = mine ? pickerFor(this.picker, `${id}-list`) :
			{ controls: nothing, active: nothing };
		const choose = ({ record }) => {
			this.#records.set(name, record);
			this.#take(name, record.label);
			this.picker.close();
		};
		const look = (q) => {
			this.field = name;
			this.picker.look({ kind: '@', q, dataset, workspaceId: this.workspaceId });
		};

		return html`<div class="picker-field">
			<input class="field-input" id=${id} role="combobox" autocomplete="off" dir="auto"
				aria-autocomplete="list" aria-expanded=${open ? 'true' : 'false'}
				aria-controls=${controls} aria-activedescendant=${active}
				aria-required="true" aria-invalid=${wrong} aria-describedby=${about}
				placeholder=${t('blanks.record', { dataset })}
				.value=${live(this.values[name])}
				@focus=${() => this.#records.has(name) || look(this.values[name])}
				@blur=${({ target }) => pickerLeft(this.picker, target)}
				@input=${(event) => {
					this.#records.delete(name);
					this.#take(name, event.target.value);
					look(event.target.value.trim());
				}}
				@keydown=${(event) => mine && pickerKey(this.picker, event, choose)}>
			${mine ? pickerView(this.picker, `${id}-list`, choose) : nothing}
		</div>`;
	}

	#take(name, value)
	{
		this.values = { ...this.values, [name]: value };
		if (this.errors[name])
			this.errors = { ...this.errors, [name]: '' };
	}

	#submit(event)
	{
		const errors = {};

		event.preventDefault();
		for (const { name, type, dataset } of this.prompt.blanks) {
			if (type === 'record' && !this.#records.has(name))
				errors[name] = t('blanks.chooseRecord', { dataset });
			else if (!this.values[name].trim())
				errors[name] = t(type === 'date' ? 'blanks.chooseDate' : 'blanks.fill');
		}
		this.errors = errors;
		if (Object.keys(errors).length > 0) {
			this.updateComplete.then(() =>
				this.querySelector('[aria-invalid=true]')?.focus());
			return;
		}
		const mentions = [...this.#records.values()];
		const values = Object.fromEntries(this.prompt.blanks.map(({ name, type }) =>
			[name, type === 'record' ? `@${this.#records.get(name).handle}` :
				this.values[name].trim()]));

		this.#end({ values, mentions });
		this.#close();
	}

	#close()
	{
		this.querySelector('dialog').close();
	}

	#end(answer)
	{
		this.#answer?.(answer);
		this.#answer = null;
		this.picker?.close();
	}

	updated()
	{
		pickerScroll(this);
	}
}

customElements.define('lamp-blanks', LampBlanks);
