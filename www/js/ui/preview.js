// SPDX-License-Identifier: MIT
// What would be sent: <lamp-preview>, a dialog about the message that is being
// written, and <lamp-agent-preview> below the prompt of an agent, while it is
// being written.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { errorText, prettyJson } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const WAIT_MS = 400;
const COUNT = new Intl.NumberFormat();

/** The names of parts; one that is new on the server has its own. */
const PARTS = {
	guardrails: 'preview.guardrails', platform: 'preview.platform', team: 'preview.team',
	workspace: 'preview.workspace', module: 'preview.module', agent: 'preview.agent',
	tools: 'preview.toolUse', 'user-context': 'preview.userContext',
	language: 'preview.language', user: 'preview.user', session: 'preview.session',
	'module-values': 'preview.moduleValues', 'module-texts': 'preview.moduleTexts',
	'page-context': 'preview.pageContext', scope: 'preview.scope',
	place: 'preview.place', 'place-own': 'preview.placeOwn',
	memory: 'preview.memory', 'memory-own': 'preview.memoryOwn',
	'agent-state': 'preview.state', 'agent-state-own': 'preview.stateOwn',
	remembered: 'preview.remembered', 'remembered-own': 'preview.rememberedOwn',
	steps: 'preview.steps',
	mentions: 'mention.list', knowledge: 'preview.knowledge',
	'tool-definitions': 'preview.tools', history: 'preview.history',
	message: 'composer.label',
};

/** The names of parts, by their rows of the server. */
const partName = (part) => PARTS[part] ? t(PARTS[part]) : part;

const tokens = (n) => t('preview.tokens', { n, count: COUNT.format(n) });

/** The cost; '' if unknown. */
function costText({ cost })
{
	if (!cost)
		return '';
	const money = (value) => `${new Intl.NumberFormat(undefined,
		{ maximumSignificantDigits: 2 }).format(value)} ${cost.currency}`.trim();

	return t('preview.cost', { input: money(cost.input), output: money(cost.outputMax) });
}

/** Which service answers, and why. */
function whoText({ model, serviceId, ownService, rule })
{
	if (ownService)
		return t('preview.own', { model });
	return rule ? t('preview.rule', { model, service: serviceId, rule }) :
		t('preview.who', { model, service: serviceId });
}

/** A line of the list, which may open to show more. */
function entry(name, n, note, body)
{
	const head = html`<span class="preview-name">${name}${note ? html` <span
		class="muted">${note}</span>` : nothing}</span>
		<span class="preview-tokens">${tokens(n)}</span>`;

	return body ? html`<details class="preview-entry"><summary>${head}${icon('chevron')}</summary>
		${body}</details>` : html`<div class="preview-entry preview-bare">${head}</div>`;
}

const text = (value) => html`<pre class="preview-text" dir="auto" tabindex="0" role="group"
	aria-label=${t('preview.text')}>${value}</pre>`;

function partView({ part, tokens: n, cut, text: value, textCut })
{
	const note = cut ? t('preview.cut') : value === null ? t('preview.hidden') : '';

	return entry(partName(part), n, note, value ? html`${text(value)}${textCut ?
		html`<p class="muted">${t('preview.textCut')}</p>` : nothing}` : null);
}

/** A preview of the API. */
function previewView(seen)
{
	const share = Math.min(100, 100 * seen.inputTokens / seen.contextTokens);
	const cost = costText(seen);

	return html`<div class="preview">
		<p class="preview-who">${whoText(seen)}</p>
		<p>${t('preview.sum', { tokens: COUNT.format(seen.inputTokens),
			window: tokens(seen.contextTokens) })}</p>
		<progress max="100" value=${share} aria-label=${t('preview.share')}></progress>
		${cost ? html`<p>${cost}</p>` : nothing}
		<h3>${t('preview.parts')}</h3>
		${repeat(seen.parts, ({ part }) => part, partView)}
		${seen.tools.length === 0 ? nothing : html`<h3>${t('preview.tools')}</h3>
			${repeat(seen.tools, ({ name }) => name, (tool) => entry(tool.name, tool.tokens, '',
				html`<p>${tool.description}</p>${text(prettyJson(tool.schema))}`))}`}
	</div>`;
}

const failed = (error) => html`<p class="form-error" role="alert">${icon('warning')}
	<span>${error.detail || errorText(error)}</span></p>`;

export class LampPreview extends PageElement {
	static properties = { api: { attribute: false }, seen: { state: true },
		error: { state: true } };

	#round = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
	}

	/** @param body of POST /workspaces/{w}/preview */
	async show(workspaceId, body)
	{
		const round = ++this.#round;

		this.seen = null;
		this.error = null;
		await this.updateComplete;
		this.querySelector('dialog').showModal();
		try {
			const seen = await this.api.preview(workspaceId, body);

			if (round === this.#round)
				this.seen = seen;
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		}
	}

	render()
	{
		return frame('preview', t('preview.title'), html`
			${this.error ? failed(this.error) : this.seen ? previewView(this.seen) :
				html`<p role="status">${t('app.loading')}</p>`}`, 'dialog-wide');
	}
}

class LampAgentPreview extends PageElement {
	static properties = { at: { attribute: false }, open: { state: true },
		seen: { state: true }, error: { state: true } };

	#timer = null;
	#round = 0;
	#asked = '';

	constructor()
	{
		super();
		/** @type {import('./parts.js').At} */
		this.at = undefined;
		new Watch(this, () => this.at?.draft);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
		this.#asked = '';
	}

	/** Asks again a moment after the text has changed. */
	updated()
	{
		const { draft } = this.at;
		const body = { systemPrompt: draft.values.systemPrompt || '',
			...draft.isNew ? {} : { agentId: draft.id } };
		const now = JSON.stringify(body);

		if (!this.open || now === this.#asked)
			return;
		this.#asked = now;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#ask(body), WAIT_MS);
	}

	async #ask(body)
	{
		const round = ++this.#round;

		try {
			const seen = await this.at.api.preview(this.at.places.workspaceId, body);

			if (round !== this.#round)
				return;
			this.seen = seen;
			this.error = null;
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		}
	}

	render()
	{
		return html`<details class="preview-live" @toggle=${(event) => {
			if (event.target === event.currentTarget)
				this.open = event.target.open;
		}}><summary>${t('preview.live')}${icon('chevron')}</summary>
			${this.error ? failed(this.error) : nothing}
			${this.seen ? previewView(this.seen) : this.error ? nothing :
				html`<p role="status">${t('app.loading')}</p>`}
		</details>`;
	}
}

customElements.define('lamp-preview', LampPreview);
customElements.define('lamp-agent-preview', LampAgentPreview);
