// SPDX-License-Identifier: MIT
// One field of a form: its label, its control, its help, and its error. The
// field alone determines the control.
import { html, live, nothing } from '../../vendor/lit.js';
import { shown, withStored } from '../form.js';
import { t } from '../strings.js';
import { icon } from './icons.js';
import { boxes } from './refs.js';
import './editor.js';
import './icon-picker.js';
import './markdown.js';
import './person.js';
import './tools.js';

const COLOUR = /^#[\da-f]{6}$/i;
/** lines of a text field at first, and at most */
const ROWS = [4, 16];
/** a text of at most so many characters begins with two */
const FEW = 2000;

/**
 * @param field of a form
 * @param {object} at
 * @param {string} at.id of the control
 * @param {any} at.value
 * @param {string} [at.error]
 * @param {import('../store/places.js').Places} at.places
 * @param {string} [at.workspace] of the row
 * @param {boolean} [at.kept] one is stored that is not shown
 * @param {(value: unknown) => void} at.set
 * @param {(text: string, id: string, className: string) => unknown} [at.help] draws its help
 * @param {unknown} [at.below] what else is under the control
 */
export function fieldView(field, at)
{
	const group = field.type === 'ids' || field.type === 'tools' || field.type === 'icon';
	const described = `${field.help && field.type !== 'tools' ? `${at.id}-help` : ''} ${
		at.error ? `${at.id}-error` : ''}`.trim();
	const label = html`${field.label}${field.required ? html`
		<span class="field-required">${t('form.required')}</span>` : nothing}`;
	const rest = html`
		${field.help && field.type !== 'tools' ? (at.help || helpView)(field.help, `${at.id}-help`,
			'field-help') : nothing}
		${at.error ? html`<p class="field-error" id="${at.id}-error">${
			icon('warning')}<span>${at.error}</span></p>` : nothing}
		${at.kept ? keptView(at) : nothing}
		${at.below || nothing}`;

	if (group)
		return html`<fieldset class="field" aria-describedby=${described || nothing}>
			<legend class="field-label">${label}</legend>
			${field.type === 'tools' ? html`<lamp-tools .places=${at.places} .chosen=${at.value}
				name=${at.id} workspace=${at.workspace || ''} described=${described}
				?invalid=${Boolean(at.error)}
				@lamp-chosen=${(event) => at.set(event.detail.chosen)}></lamp-tools>` :
				field.type === 'icon' ? html`<lamp-icon-picker .value=${at.value ?? ''} name=${at.id}
				label=${field.label} described=${described} ?invalid=${Boolean(at.error)}
				@lamp-typed=${(event) => at.set(event.detail.value)}></lamp-icon-picker>` :
				field.of ? html`<lamp-refs .places=${at.places} path=${field.of} multiple
				workspace=${at.workspace || ''}
				.chosen=${at.value} name=${at.id}
				@lamp-chosen=${(event) => at.set(event.detail.chosen)}></lamp-refs>` :
				boxes(field.choices.map(({ value, label: text }) => [value, text]),
					at.value, at.set)}
			${rest}</fieldset>`;
	if (field.type === 'boolean' && !field.nullable)
		return html`<div class="field"><label class="field-check">
			<input type="checkbox" id=${at.id} .checked=${live(at.value === true)}
				aria-describedby=${described || nothing}
				@change=${(event) => at.set(event.target.checked)}>
			<span>${field.label}</span></label>${rest}</div>`;
	return html`<div class="field ${at.error ? 'field-wrong' : ''} ${isShort(field) ? 'field-short'
		: ''}">
		<label class="field-label" for=${at.id}>${label}</label>
		${control(field, at, described)}${rest}</div>`;
}

function helpView(text, id, className)
{
	return html`<p class=${className} id=${id}>${text}</p>`;
}

/** What a choice says while nothing is chosen: the value that another level sets, or the default. */
function noneOf(field)
{
	const { value = null } = field.inForce || {};

	return value === null ? t('form.none') : t('form.inForce', { value: shown(field, value) });
}

/** Whether several such fields have room beside each other. */
function isShort({ multiline, markdown, required, type })
{
	return !multiline && !markdown && !required && type !== 'json' && type !== 'lines';
}

/** Of a secret: it stays, unless another one is typed or it is removed. */
function keptView({ value, set })
{
	return html`<p class="field-help">${
		t(value === null ? 'form.secretGone' : 'form.secretSet')}
		<button type="button" class="link-button" @click=${() =>
			set(value === null ? '' : null)}>${
			t(value === null ? 'form.secretKeep' : 'form.secretRemove')}</button></p>`;
}

function control(field, at, described)
{
	const common = { id: at.id, described, invalid: at.error ? 'true' : nothing };

	if (field.type === 'boolean')
		return select(common, [['', noneOf(field)], ['true', t('form.yes')],
			['false', t('form.no')]], String(at.value),
		(value) => at.set(value === '' ? '' : value === 'true'));
	if (field.choices)
		return choiceControl(field, at, common);
	if (field.of)
		return html`<lamp-refs .places=${at.places} path=${field.of} name=${at.id}
			workspace=${at.workspace || ''}
			.chosen=${at.value ? [at.value] : []} described=${described}
			?invalid=${Boolean(at.error)} ?optional=${!field.required}
			@lamp-chosen=${(event) => at.set(event.detail.chosen[0] || '')}></lamp-refs>`;
	if (field.type === 'person')
		return html`<lamp-person name=${at.id} .value=${at.value ?? ''} .places=${at.places}
			described=${described} ?invalid=${Boolean(at.error)} ?required=${field.required}
			@lamp-typed=${(event) => at.set(event.detail.value)}></lamp-person>`;
	if (field.markdown)
		return html`<lamp-editor name=${at.id} label=${field.label} .value=${at.value}
			described=${described} ?invalid=${Boolean(at.error)}
			@lamp-typed=${(event) => at.set(event.detail.value)}></lamp-editor>`;
	if (field.multiline || field.type === 'json' || field.type === 'lines')
		return textControl(field, at, common);
	return lineControl(field, at, common);
}

function select({ id, described, invalid }, options, value, set)
{
	return html`<span class="select field-select"><select id=${id}
		aria-describedby=${described || nothing} aria-invalid=${invalid}
		@change=${(event) => set(event.target.value)}>
		${options.map(([key, text]) => html`<option value=${key}
			?selected=${key === value}>${text}</option>`)}
		</select>${icon('chevron')}</span>`;
}

function choiceControl(field, at, common)
{
	const options = withStored(field.choices, at.value).map(({ value, label }) => [value, label]);
	const mayBeEmpty = !field.default && (field.mode !== 'once' || options.length === 0);

	if (options.length === 0)
		return html`<p id=${at.id} class="muted">${t('form.noChoices')}</p>`;
	return select(common, mayBeEmpty ? [['', noneOf(field)], ...options] : options,
		at.value, at.set);
}

/** What is written has the direction of its first letter; an empty field that of the page. */
function written({ value })
{
	return value ? 'auto' : nothing;
}

function textControl(field, at, { id, described, invalid })
{
	const lines = at.value.split('\n').length + 1;

	return html`<textarea id=${id} dir=${written(at)} class="field-text ${
		field.type === 'json' ? 'field-code' : ''}"
		rows=${Math.min(Math.max(lines, field.max !== null && field.max <= FEW ? 2 : ROWS[0]), ROWS[1])}
		aria-describedby=${described || nothing} aria-invalid=${invalid}
		aria-required=${field.required ? 'true' : nothing}
		spellcheck=${field.type === 'json' ? 'false' : 'true'}
		.value=${live(at.value)} @input=${(event) => at.set(event.target.value)}></textarea>`;
}

const TYPES = { time: 'datetime-local', date: 'date', secret: 'password' };
const MODES = { integer: 'numeric', number: 'decimal' };

function lineControl(field, at, { id, described, invalid })
{
	const line = html`<input id=${id} dir=${written(at)} class="field-line" type=${TYPES[field.type] || 'text'}
		inputmode=${MODES[field.type] || nothing}
		autocomplete=${field.type === 'secret' ? 'new-password' : 'off'}
		placeholder=${field.example || (field.inForce && field.inForce.value !== null ?
		shown(field, field.inForce.value) : nothing)}
		aria-describedby=${described || nothing} aria-invalid=${invalid}
		aria-required=${field.required ? 'true' : nothing}
		.value=${live(at.value ?? '')} @input=${(event) => at.set(event.target.value)}>`;

	if (field.type !== 'colour')
		return line;
	return html`<span class="field-colour">
		<input type="color" class=${at.value ? '' : 'unset'} aria-label=${t('form.pick', { label: field.label })}
			.value=${live(COLOUR.test(at.value) ? at.value.toLowerCase() : '#888888')}
			@input=${(event) => at.set(event.target.value)}>${line}</span>`;
}

/** A stored value for reading. */
export function toldView(field, stored, places, workspace = '')
{
	if (field.type === 'secret')
		return t('form.secret');
	const ids = [stored ?? []].flat();

	if (field.of && ids.length > 0)
		return html`<lamp-refs fixed .places=${places} path=${field.of} workspace=${workspace}
			.chosen=${ids}></lamp-refs>`;
	if (field.type === 'colour' && COLOUR.test(stored || ''))
		return html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect
			width="1" height="1" fill=${stored}></rect></svg> ${stored}`;
	if (field.markdown && stored)
		return html`<lamp-markdown .source=${{ text: stored, live: false }}></lamp-markdown>`;
	if (field.type === 'lines' && ids.length > 0)
		return html`<ul class="told-list">${ids.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`;
	if (field.type === 'text' && String(stored ?? '').includes('\n'))
		return html`<pre class="told-text" dir="auto">${stored}</pre>`;
	return shown(field, stored);
}
