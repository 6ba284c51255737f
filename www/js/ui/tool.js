// SPDX-License-Identifier: MIT
// <lamp-tool>: one tool call, as a closed card. Opened, it shows the result (a table
// if it is one, else formatted JSON or the plain text) and, folded, the arguments.
// The progress of a running call (such as the tools of an agent within it) is
// shown on the card, closed or not.
import { html, nothing } from '../../vendor/lit.js';
import { duration, prettyJson, saysAll, toolName } from '../format.js';
import { highlight } from '../markdown.js';
import { t } from '../strings.js';
import { asTable, cellText, listIn } from '../table.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './table.js';

const JSON_SHOWN = 20000;
/** an id says nothing to people */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** of a list of plain values, shown as words */
const LIST_SHOWN = 50;
/**
 * Shown of a running call, besides those that run; its details have all of them
 * afterwards.
 */
const STEPS_SHOWN = 4;

export class LampTool extends PageElement {
	static properties = {
		/** a part of the turn: store/turn.js */
		call: { attribute: false },
		// a part is changed in place; this makes lit look again
		version: { type: Number },
		/**
		 * the progress of the call: [{toolName, text, running,
		 * isError}]
		 */
		steps: { attribute: false },
		/** true while the user has to decide about it */
		waits: { type: Boolean },
		/** true if it was not run, because the user wrote something else */
		superseded: { type: Boolean },
		opened: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/turn.js').Part} */
		this.call = undefined;
		/** @type {import('../store/turn.js').Step[]} */
		this.steps = undefined;
		this.waits = false;
		this.superseded = false;
	}

	render()
	{
		const { call } = this;
		const state = call.running ? 'running' : call.superseded ? 'superseded' :
			call.isError ? 'failed' : call.result !== undefined ? 'done' : this.waits ? 'waiting' :
				this.superseded ? 'superseded' : 'stopped';
		const drawing = { done: 'check', failed: 'warning', waiting: 'question',
			stopped: 'stop', superseded: 'stop' }[state];

		return html`<div class="tool tool-${state}"><details
			@toggle=${(event) => { this.opened = event.target.open; }}>
			<summary>
				<span class="tool-state">${state === 'running' ?
					html`<span class="spinner" aria-hidden="true"></span>` :
					icon(drawing)}</span>
				<span class="tool-name" title=${call.name || ''}>${call.title || toolName(call.name)}</span>
				<span class="tool-gist">${this.#gist()}</span>
				<span class="sr-only">${t(`tool.${state}`)}</span>
				${Number.isFinite(call.durationMs) ?
					html`<span class="tool-time">${duration(call.durationMs)}</span>` :
					nothing}
				<span class="tool-chevron">${icon('chevron')}</span>
			</summary>
			${this.opened ? this.#body() : nothing}
		</details>
		${call.running ? this.#steps(this.steps.filter((step, at) =>
			step.running || at >= this.steps.length - STEPS_SHOWN)) : nothing}</div>`;
	}

	/** What a long call has done, and is doing. */
	#steps(steps)
	{
		return steps.length === 0 ? nothing : html`<ul class="tool-steps"
			aria-label=${t('tool.steps')}>${steps.map(({ toolName: step, text, running, isError }) => html`
			<li class=${isError ? 'tool-failed' : ''}><span class="tool-state">${running ?
				html`<span class="spinner" aria-hidden="true"></span>` :
				icon(isError ? 'warning' : 'check')}</span>
				${step === this.call.name ? nothing : html`<span class="tool-name" title=${step}>${
					toolName(step)}</span>`}
				<span class="tool-gist">${text}</span></li>`)}</ul>`;
	}

	/** The few words beside the name. */
	#gist()
	{
		const { args, result, isError, running } = this.call;
		const words = this.call.superseded || (this.superseded && result === undefined) ?
			[t('tool.notRun')] : [];
		const subject = [args?.dataset, ...Object.values(args || {})]
			.find((value) => typeof value === 'string' && !ID.test(value));

		if (subject)
			words.push(subject.length > 60 ? `${subject.slice(0, 60)}…` : subject);
		if (!running && !isError && result !== null && typeof result === 'object') {
			const table = asTable(result);
			const n = Number.isFinite(result.rowCount) ? result.rowCount : table?.rows.length;

			if (Array.isArray(result.rows) && n !== undefined)
				words.push(t('tool.rows', { n }));
			else if (listIn(result))
				words.push(t('tool.items', { n: listIn(result).length }));
		}
		if (!running && this.steps.length > 0)
			words.push(t('tool.stepCount', { n: this.steps.length }));
		return words.join(' · ');
	}

	#body()
	{
		const { args, result, truncated } = this.call;
		const none = !args || Object.keys(args).length === 0;

		return html`<div class="tool-body">
			${!this.call.title && saysAll(this.call.name) ? nothing : html`<p class="muted">${t('tool.called')}
				<code>${this.call.name}</code></p>`}
			${result === undefined ? nothing : html`
				<h3>${t('tool.result')}</h3>
				${this.#result(result)}
				${truncated || result?.truncated ?
					html`<p class="muted">${t('tool.truncated')}</p>` : nothing}`}
			${this.steps.length > 0 && !this.call.running ? html`<h3>${t('tool.steps')}</h3>
				${this.#steps(this.steps)}` : nothing}
			${none ? html`<p class="muted">${t('tool.noArgs')}</p>` : this.#arguments(args)}
		</div>`;
	}

	/** In words; open while there is no result to look at. */
	#arguments(args)
	{
		return html`<details class="tool-args" ?open=${this.call.result === undefined}>
			<summary>${t('tool.args')}<span class="tool-chevron">${icon('chevron')}</span></summary>
			<dl>${Object.entries(args).map(([name, value]) => html`<div><dt>${toolName(name)}</dt>
				<dd dir="auto">${this.#argument(value)}</dd></div>`)}</dl></details>`;
	}

	#argument(value)
	{
		const plain = (one) => one === null || typeof one !== 'object';
		const short = typeof value === 'string' && value.length > JSON_SHOWN ?
			`${value.slice(0, JSON_SHOWN)}…` : value;

		if (plain(value))
			return short === '' || value === null ? html`<span class="null">–</span>` : String(short);
		return Array.isArray(value) && value.length > 0 && value.every(plain) &&
			value.length <= LIST_SHOWN ? value.map(String).join(', ') : json(value);
	}

	#result(result)
	{
		const table = this.call.isError ? null : asTable(result);
		const failure = this.call.isError && result?.error?.message;

		if (table) {
			return html`<lamp-table .table=${table} name=${
				cellText(this.call.args?.dataset) || toolName(this.call.name)}></lamp-table>`;
		}
		if (typeof failure === 'string' || typeof result === 'string')
			return html`<p class="tool-text">${failure || result}</p>`;
		return json(result);
	}
}

/** Formatted JSON with colours. */
function json(value)
{
	const text = prettyJson(value);
	const code = document.createElement('code');
	const short = text.length > JSON_SHOWN ? `${text.slice(0, JSON_SHOWN)}\n…` : text;

	code.textContent = short;
	highlight(code, 'json');
	return html`<pre class="tool-json" tabindex="0" role="group"
		aria-label=${t('code.region')}>${code}</pre>`;
}

customElements.define('lamp-tool', LampTool);
