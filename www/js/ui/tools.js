// SPDX-License-Identifier: MIT
// <lamp-tools>: which tools an agent or a workspace has: as by default, none, or some,
// by family, with what each may do.
import { html, nothing } from '../../vendor/lit.js';
import { toolName } from '../format.js';
import { Watch } from '../observable.js';
import { matches } from '../search.js';
import { has, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const GROUP = 'group:';
const NONE = 'none';

export const familyName = (family) => (has(`tools.of.${family}`) ? t(`tools.of.${family}`) :
	toolName(family));

/** What a tool may do, as [text, class]. */
function marks({ effect, asks, web })
{
	return [[t(`tools.${effect}`), effect],
		...(asks === 'never' ? [] : [[t(`tools.asks.${asks}`), 'asks']]),
		...(web ? [[t('tools.web'), 'web']] : [])];
}

class LampTools extends PageElement {
	static properties = {
		places: { attribute: false },
		/** of the row */
		workspace: { type: String },
		/** names, and group:NAME */
		chosen: { attribute: false },
		name: { type: String },
		described: { type: String },
		invalid: { type: Boolean },
		q: { state: true },
		/** the user chooses, though nothing is chosen yet */
		choosing: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.workspace = '';
		/** @type {string[]} */
		this.chosen = [];
		this.name = '';
		this.described = '';
		this.invalid = false;
		this.q = '';
		this.choosing = false;
		this.rows = null;
		new Watch(this, () => this.rows);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.rows = this.places.rows({ path: 'workspaces/{workspace}/tools', whole: true },
			this.workspace ? { workspace: this.workspace } : {});
		this.rows.reload();
	}

	get #how()
	{
		if (this.chosen.length === 0)
			return this.choosing ? 'some' : 'default';
		return this.chosen.length === 1 && this.chosen[0] === NONE ? 'none' : 'some';
	}

	render()
	{
		const how = this.#how;

		return html`<div class="tools-how" role="radiogroup" aria-label=${t('tools.how')}>
			${['default', 'some', 'none'].map((one, at) => html`<label class="field-check">
				<input type="radio" name=${`${this.name}-how`} id=${at === 0 ? this.name : nothing}
					aria-describedby=${this.described || nothing} .checked=${how === one}
					@change=${() => this.#choose(one)}><span>${t(`tools.how.${one}`)}</span>
			</label>`)}</div>
			${how === 'some' ? this.#picker() : nothing}`;
	}

	#choose(how)
	{
		this.choosing = how === 'some';
		this.#pick(how === 'none' ? [NONE] : []);
	}

	#pick(chosen)
	{
		this.emit('lamp-chosen', { chosen });
	}

	#toggle(one, on)
	{
		this.choosing = true;
		this.#pick(on ? [...this.chosen.filter((name) => name !== NONE), one] :
			this.chosen.filter((name) => name !== one));
	}

	#picker()
	{
		const { items, error, loaded } = this.rows;

		if (!loaded && !error)
			return html`<p class="muted">${t('app.loading')}</p>`;
		const fitting = items.filter((tool) => matches(this.q, toolName(tool.name), tool.title,
			tool.name, tool.description, familyName(tool.family), ...tool.groups));
		const families = [...new Set(fitting.map(({ family }) => family))];
		const others = this.chosen.filter((one) => one !== NONE && !one.startsWith(GROUP) &&
			!items.some(({ name }) => name === one));

		return html`<div class="tools-picker">
			<div class="search rows-search" role="search" aria-label=${t('tools.search')}>${icon('search')}
				<input type="search" class="search-field" .value=${this.q}
					placeholder=${t('tools.search')} aria-label=${t('tools.search')}
					@input=${(event) => { this.q = event.target.value; }}></div>
			${fitting.length === 0 ? html`<p class="muted" role="status">${
				t('tools.none')}</p>` : nothing}
			${families.map((family) => this.#family(family,
				fitting.filter((tool) => tool.family === family)))}
			${this.#groups(items)}
			${others.length === 0 ? nothing : html`<fieldset class="tools-family">
				<legend>${t('tools.unknown')}</legend>
				${others.map((one) => this.#box(one, one, nothing, false))}</fieldset>`}
			<p class="muted" role="status">${t('tools.count', { n: this.chosen.filter((one) =>
				one !== NONE).length })}</p></div>`;
	}

	#family(family, tools)
	{
		return html`<fieldset class="tools-family"><legend>${familyName(family)}</legend>
			${tools.map((tool) => {
				const by = tool.groups.find((one) => this.chosen.includes(GROUP + one));

				return this.#box(tool.name, tool.title || toolName(tool.name),
					html`<span class="tools-marks">${marks(tool).map(([text, kind]) => html`
						<span class="tools-mark tools-${kind}">${text}</span>`)}
						${by ? html`<span class="muted">${t('tools.by', { name: toolName(by) })
							}</span>` : nothing}</span>
						<span class="tools-text">${tool.description}</span>`, Boolean(by));
			})}</fieldset>`;
	}

	#box(value, text, more, fixed)
	{
		return html`<label class="field-check tools-one"><input type="checkbox"
			.checked=${fixed || this.chosen.includes(value)} ?disabled=${fixed}
			@change=${(event) => this.#toggle(value, event.target.checked)}>
			<span><span class="tools-name">${text}</span> ${more}</span></label>`;
	}

	/** Those that exist, and chosen ones: with all that they will ever have. */
	#groups(items)
	{
		const known = items.flatMap(({ groups }) => groups);
		const names = [...new Set([...known, ...this.chosen.filter((one) =>
			one.startsWith(GROUP)).map((one) => one.slice(GROUP.length))])]
			.filter((one) => this.chosen.includes(GROUP + one) ||
				(known.filter((other) => other === one).length > 1 && matches(this.q, toolName(one))));

		return names.length === 0 ? nothing : html`<details class="tools-groups"
			?open=${this.chosen.some((one) => one.startsWith(GROUP))}>
			<summary>${t('tools.groups')}</summary><p class="field-help">${t('tools.groupsHelp')}</p>
			${names.sort().map((one) => this.#box(GROUP + one, toolName(one), html`<span
				class="muted">${t('tools.size', { n: known.filter((other) =>
				other === one).length })}</span>`, false))}</details>`;
	}
}

customElements.define('lamp-tools', LampTools);
