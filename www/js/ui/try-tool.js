// SPDX-License-Identifier: MIT
// <lamp-try-tool>: tries a tool of the agent as its form is now: a form of its arguments, and
// what it answers. The call is a turn of its own, with the rights, limits, approvals and marks
// of a turn, and no model in it; its conversation is deleted.
import { html, nothing } from '../../vendor/lit.js';
import { valuesOf } from '../form.js';
import { toolName } from '../format.js';
import { Watch } from '../observable.js';
import { matches } from '../search.js';
import { argumentsForm, typedArguments } from '../schema.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { fieldView } from './field.js';
import { icon } from './icons.js';
import { familyName } from './tools.js';
import { agentOf, problemOf, Trial, workspaceOf } from './trial.js';

/** a moment after the form has changed */
const WAIT_MS = 600;
/** From this many on they can be searched. */
const MANY = 6;
/** A longer description is folded. */
const BRIEF_CHARS = 180;
/** the group of tools that talk with the user */
const DIALOG = 'dialog';

/** A text that was written for models; a long one is folded. */
function foldedView(text, id, className)
{
	return text.length <= BRIEF_CHARS ? html`<p class=${className} id=${id} dir="auto">${text}</p>` : html`
		<details class="try-about"><summary><span class="tools-text" id=${id} dir="auto">${text}</span>
			<span class="link-button try-more">${t('tryTool.whole')}</span></summary>
		<p class="muted" dir="auto">${text}</p></details>`;
}

class LampTryTool extends PageElement {
	static properties = {
		at: { attribute: false },
		/** name of the chosen tool */
		name: { state: true },
		/** of its arguments, by key */
		values: { state: true },
		errors: { state: true },
		/** that the agent has: {name, description, schema}[]; null: not known yet */
		tools: { state: true },
		/** what is wrong */
		problem: { state: true },
		/** what is looked for among the tools */
		q: { state: true },
	};

	#asked = '';
	#round = 0;
	#timer = null;
	#trial = new Trial(this);
	/** the result whose card was opened */
	#shown = null;
	/** the turn whose question was shown */
	#waited = null;
	/** @type {Promise<void> | null} until something is known of each tool */
	#known = null;

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		this.name = '';
		/** @type {Record<string, any>} */
		this.values = {};
		/** @type {Record<string, string>} */
		this.errors = {};
		/** @type {{name: string, description: string, schema: any}[] | null} */
		this.tools = null;
		this.problem = '';
		this.q = '';
		/** the names that the form has */
		this.named = new Set();
		/** @type {import('../store/rows.js').Rows | null} titles and effects of tools */
		this.rows = null;
		new Watch(this, () => this.at?.draft);
		new Watch(this, () => this.rows);
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.rows = this.at.places.rows({ path: 'workspaces/{workspace}/tools', whole: true },
			{ workspace: workspaceOf(this.at) });
		this.#known = this.rows.loaded ? null : this.rows.reload();
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
		this.#asked = '';
	}

	/** The tools follow the form; the result of a call is opened once. */
	updated()
	{
		const agent = agentOf(this.at, false);
		const now = JSON.stringify(agent);
		const { turns = [] } = this.#trial.thread || {};
		const call = turns[0]?.parts.find(({ kind }) => kind === 'tool');

		if (agent && now !== this.#asked) {
			clearTimeout(this.#timer);
			this.#timer = setTimeout(() => this.#load(agent), this.#asked ? WAIT_MS : 0);
			this.#asked = now;
		}
		if (call?.result !== undefined && call !== this.#shown)
			this.#open(call);
		if (turns[0]?.waiting.length > 0 && turns[0] !== this.#waited) {
			this.#waited = turns[0];
			this.#reveal();
		}
	}

	/** The form may be longer than the window. */
	async #reveal()
	{
		await this.querySelector('lamp-turn')?.updateComplete;
		this.querySelector('lamp-approval, lamp-question, lamp-tool')?.scrollIntoView({ block: 'nearest' });
	}

	async #open(call)
	{
		this.#shown = call;
		await this.querySelector('lamp-turn')?.updateComplete;
		const card = /** @type {HTMLDetailsElement} */ (this.querySelector('lamp-tool details'));

		this.emit('lamp-say', { text: t(call.isError ? 'tryTool.failed' : 'tryTool.done',
			{ name: this.#titleOf(call.name) }) });
		if (card) {
			// what is in it is drawn when it has opened
			const opened = new Promise((done) => card.addEventListener('toggle', done, { once: true }));

			card.open = true;
			await opened;
			await this.querySelector('lamp-tool').updateComplete;
			// a table is drawn by an element of its own
			await /** @type {any} */ (this.querySelector('lamp-tool lamp-table'))?.updateComplete;
			card.scrollIntoView({ block: 'nearest' });
		}
	}

	async #load(agent)
	{
		const round = ++this.#round;
		const isNamed = ({ name }) => agent.toolIds?.includes(name) ?? false;

		try {
			const [{ tools }] = await Promise.all([this.at.api.preview(workspaceOf(this.at),
				{ draftAgent: agent, webSearch: true }), this.#known]);

			if (round !== this.#round)
				return;
			// a turn has those that the agent names, and what every chat here has
			this.named = new Set(tools.filter(isNamed).map(({ name }) => name));
			// what asks or tells the user something shows little alone
			this.tools = tools.sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)) ||
				Number(this.#isDialog(a)) - Number(this.#isDialog(b)));
			this.problem = '';
			if (!tools.some(({ name }) => name === this.name))
				this.#choose((tools.find((tool) => this.#mayBegin(tool)) || tools[0])?.name || '');
		} catch (error) {
			if (round !== this.#round)
				return;
			this.tools ??= [];
			this.problem = problemOf(this.at, error, false);
		}
	}

	get #tool()
	{
		return this.tools?.find(({ name }) => name === this.name);
	}

	get #form()
	{
		return argumentsForm(this.#tool?.schema);
	}

	#isDialog({ name })
	{
		return this.#about(name)?.groups.includes(DIALOG) ?? false;
	}

	/** Whether a tool can be the first that is shown: one that reads, of those that are named. */
	#mayBegin({ name })
	{
		const named = this.tools.filter((tool) => this.named.has(tool.name));

		return this.#about(name)?.effect === 'read' && !this.#isDialog({ name }) &&
			(named.length === 0 || this.named.has(name));
	}

	#about(name)
	{
		return this.rows?.items.find((one) => one.name === name);
	}

	#titleOf(name)
	{
		return this.#about(name)?.title || toolName(name);
	}

	/** Those of the form, then those of each family: [heading, tools][]. */
	#groups(tools)
	{
		const groups = new Map();

		for (const tool of tools) {
			const family = this.#about(tool.name)?.family;
			const heading = this.named.has(tool.name) ? t('tryTool.named') :
				family ? familyName(family) : t('tryTool.others');

			groups.set(heading, [...groups.get(heading) || [], tool]);
		}
		return [...groups];
	}

	#fitting(tools)
	{
		return tools.filter(({ name, description }) => matches(this.q, name, this.#titleOf(name),
			toolName(name), description, this.#about(name)?.description));
	}

	/** What is shown is one of those that fit. */
	#look(q)
	{
		this.q = q;
		const fitting = this.#fitting(this.tools);

		if (fitting.length > 0 && !fitting.some(({ name }) => name === this.name))
			this.#choose(fitting[0].name);
	}

	#choose(name)
	{
		this.name = name;
		this.values = valuesOf(this.#form, null);
		this.errors = {};
		this.#trial.forget();
	}

	async #run(event)
	{
		event.preventDefault();
		const { args, errors } = typedArguments(this.#form, this.values);
		const { name } = this;

		this.errors = errors;
		this.problem = '';
		if (Object.keys(errors).length > 0) {
			await this.updateComplete;
			this.querySelector('[aria-invalid=true]')?.focus();
			return;
		}
		// what an earlier call has brought is not before this one
		this.#trial.forget();
		const problem = await this.#trial.send(t('tryTool.message', { name: this.#titleOf(name) }),
			{ tryTool: { name, arguments: args }, webSearch: true });

		this.problem = problem ?? '';
	}

	render()
	{
		const { tools, problem } = this;
		const { thread } = this.#trial;
		const turns = thread?.turns || [];

		return html`<p class="muted">${t('tryTool.text')}</p>
			${problem ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				problem}</span></p>` : nothing}
			${tools === null ? html`<p class="muted" role="status">${t('app.loading')}</p>` :
				tools.length === 0 ? problem ? nothing : html`<p role="status">${t('tryTool.none')}</p>` :
					this.#fields(tools, thread)}
			<div class="try-turns try-call">${turns.map((turn) => html`<lamp-turn readonly newest
				.turn=${turn} name=${this.at.draft.values.name || t('try.unnamed')}></lamp-turn>`)}</div>`;
	}

	#fields(tools, thread)
	{
		const about = this.#about(this.name);
		const text = about?.description || this.#tool?.description || '';
		const fitting = this.#fitting(tools);

		return html`<form class="try-args" novalidate @submit=${(event) => this.#run(event)}>
			${tools.length < MANY ? nothing : html`<div class="search rows-search" role="search"
				aria-label=${t('tools.search')}>${icon('search')}<input type="search" class="search-field"
				.value=${this.q} placeholder=${t('tools.search')} aria-label=${t('tryTool.search')}
				@keydown=${(event) => event.key === 'Enter' && event.preventDefault()}
				@input=${(event) => this.#look(event.target.value)}></div>`}
			${fitting.length === 0 ? html`<p class="muted" role="status">${t('tools.none')}</p>` : nothing}
			<div class="field"><label class="field-label" for="try-tool">${t('tryTool.tool')}</label>
				<span class="select field-select"><select id="try-tool" @change=${({ target }) => this.#choose(target.value)}>
				${this.#groups(fitting.length > 0 ? fitting : tools).map(([heading, some]) => html`
					<optgroup label=${heading}>${some.map(({ name }) => html`<option value=${name}
					?selected=${name === this.name}>${this.#titleOf(name)}</option>`)}</optgroup>`)}</select>${icon('chevron')}</span></div>
			${foldedView(text, 'try-tool-text', 'tools-text try-text')}
			${about && about.effect !== 'read' ? html`<p class="field-help">${t('tryTool.asks')}</p>` : nothing}
			${this.#form.fields.map((field, at) => fieldView(field, {
				id: `try-argument-${at}`, value: this.values[field.key], error: this.errors[field.key] || '',
				places: this.at.places, help: foldedView,
				set: (value) => { this.values = { ...this.values, [field.key]: value }; } }))}
			<div class="form-buttons">${thread?.live ? html`<button type="button" class="button"
				@click=${() => thread.stop()}>${t('try.stop')}</button>` : html`<button type="submit"
				class="button">${icon('play')}<span>${t('tryTool.run')}</span></button>`}</div></form>`;
	}
}

customElements.define('lamp-try-tool', LampTryTool);
