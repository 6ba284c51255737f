// SPDX-License-Identifier: MIT
// <lamp-refs>: the rows of another list, of which one or several are chosen.
import { html, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './new-base.js';

/**
 * The number of rows offered; users who have more type the beginning of the
 * name.
 */
const MOST = 200;
/** With this many or more there is a field to filter them. */
const MANY = 12;
/**
 * Lists whose rows differ from those of a form; may: whether the server would give it; makes:
 * whether one can be made of files at once.
 */
const LISTS = {
	conversations: { id: 'conversationId', name: 'title' },
	providers: { id: 'providerId', name: 'name', whole: true },
	'workspaces/{workspace}/llm-services': { id: 'llmServiceId', name: 'name',
		may: (places, workspace) => places.mayListServices(workspace),
		more: ({ model, capabilities: can }) => [model, can?.supportsVision ? t('can.vision') : '',
			can?.supportsToolUse ? t('can.tools') : ''] },
	'knowledge-bases': { id: 'id', name: 'name',
		may: (places) => Boolean(places.form('knowledge-bases')),
		makes: (places) => places.makesBases,
		more: ({ description, paused }) => [paused ? t('refs.paused') : '', description] },
};

/** Boxes to tick. @param options [id, text, what else is said] of each */
export function boxes(options, chosen, pick)
{
	return html`<div class="refs">${options.map(([id, text, more]) => html`
		<label class="field-check"><input type="checkbox" .checked=${chosen.includes(id)}
			@change=${(event) => pick(event.target.checked ? [...chosen, id] :
				chosen.filter((one) => one !== id))}><span>${text}${more ? html` <span
				class="muted">${more}</span>` : nothing}</span></label>`)}</div>`;
}

/** What LISTS says of a path, which may have a query. */
const listOf = (path) => LISTS[path.split('?')[0]];

class LampRefs extends PageElement {
	static properties = {
		places: { attribute: false },
		path: { type: String },
		/** of the row that chooses; '': the one that is shown */
		workspace: { type: String },
		/** ids */
		chosen: { attribute: false },
		multiple: { type: Boolean },
		/** read-only */
		fixed: { type: Boolean },
		optional: { type: Boolean },
		invalid: { type: Boolean },
		name: { type: String },
		described: { type: String },
		filter: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		this.path = '';
		this.workspace = '';
		/** @type {string[]} */
		this.chosen = undefined;
		this.multiple = false;
		this.fixed = false;
		this.optional = false;
		this.invalid = false;
		this.name = '';
		this.described = '';
		this.rows = null;
		this.filter = '';
		new Watch(this, () => this.rows);
	}

	connectedCallback()
	{
		super.connectedCallback();
		if (listOf(this.path)?.may?.(this.places, this.workspace) === false)
			return;
		this.rows = this.places.rows({ path: this.path, whole: listOf(this.path)?.whole },
			this.workspace ? { workspace: this.workspace } : {});
		this.rows.all(MOST);
	}

	/** Whether the caller may know what there is. */
	get #offered()
	{
		return this.rows !== null && this.rows.error?.status !== 403;
	}

	/** [id, name, what else is said] of all rows, and of chosen ones that are not listed. */
	#options()
	{
		const form = this.places.formOf(this.path);
		const { id, name, more = () => [] } = { id: form?.idKey || 'id',
			name: form?.labelKey || 'name', ...listOf(this.path) };
		const listed = (this.rows?.items || []).map((row) => [row[id], row[name] || row[id],
			more(row).filter(Boolean).join(' · ')]);
		const others = this.chosen.filter((one) => !listed.some(([known]) => known === one));

		return [...listed, ...others.map((one) => [one, one])];
	}

	render()
	{
		if (this.rows?.error && this.#offered && !this.fixed)
			return html`<p class="field-error">${errorText(this.rows.error)}
				<button type="button" class="chip-button"
					@click=${() => this.rows.all(MOST)}>${t('app.retry')}</button></p>`;
		const options = this.#options();

		if (this.fixed)
			return html`${options.filter(([id]) => this.chosen.includes(id))
				.map(([, name]) => name).join(', ')}`;
		const none = options.length === 0 ? html`<p class="muted" id=${this.name}>${
			t(!this.#offered ? 'form.refsOfOthers' :
				this.rows.loaded ? 'form.noRefs' : 'app.loading')}</p>` : null;

		if (!this.multiple)
			return none || this.#select(options);
		return html`${none || this.#boxes(options)}${this.#offered &&
			listOf(this.path)?.makes?.(this.places) ? html`<lamp-new-base .places=${this.places}
			@lamp-made=${({ detail }) => this.#made(detail.id)}
			@lamp-renamed=${() => this.rows.all(MOST)}></lamp-new-base>` : nothing}`;
	}

	/** Chooses what was made just now. */
	async #made(id)
	{
		await this.rows.all(MOST);
		this.#pick([...this.chosen, id]);
	}

	#boxes(options)
	{
		const filter = this.filter.trim().toLowerCase();
		const fitting = options.filter(([id, name]) => this.chosen.includes(id) ||
			name.toLowerCase().includes(filter));

		return html`
			${options.length > MANY ? html`<input type="search" class="field-line refs-filter"
				aria-label=${t('form.filter')} placeholder=${t('form.filter')}
				.value=${this.filter}
				@input=${(event) => { this.filter = event.target.value; }}>` : nothing}
			${boxes(fitting, this.chosen, (chosen) => this.#pick(chosen))}`;
	}

	#select(options)
	{
		return html`<span class="select field-select"><select id=${this.name}
			aria-describedby=${this.described || nothing}
			aria-invalid=${this.invalid ? 'true' : nothing}
			@change=${(event) => this.#pick([event.target.value].filter(Boolean))}>
			<option value="" ?selected=${this.chosen.length === 0}>${
				t(this.optional ? 'form.none' : 'form.choose')}</option>
			${options.map(([id, name, more]) => html`<option value=${id}
				?selected=${this.chosen.includes(id)}>${name}${more ? ` – ${more}` : ''}</option>`)}
			</select>${icon('chevron')}</span>`;
	}

	#pick(chosen)
	{
		this.emit('lamp-chosen', { chosen });
	}
}

customElements.define('lamp-refs', LampRefs);
