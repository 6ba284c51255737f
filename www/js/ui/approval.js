// SPDX-License-Identifier: MIT
// <lamp-approval>: a call that waits for the user's approval. It shows exactly
// what would run. Only a person's own press counts: presses made by a script,
// or in the first moment after the card has appeared under the pointer, do
// nothing.
import { html, live, nothing } from '../../vendor/lit.js';
import { parseExact, toJson } from '../exact.js';
import { moment, saysAll, toolName } from '../format.js';
import { has, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { planView, proposed, stepsOf } from './plan.js';

/** Buttons that have just appeared are not pressed on purpose. */
const ARM_MS = 500;
/**
 * Characters that are invisible or change the direction of text; and emoji, in which one
 * of them is no such character.
 */
const HIDDEN = /\p{Extended_Pictographic}\ufe0f|(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Kinds of origins that have a text. */
const ORIGINS = new Set(['mcp', 'web', 'dataset', 'document', 'attachment', 'knowledge',
	'conversation', 'person', 'context', 'prompt', 'tool', 'page', 'client',
	'service']);

/** Shown length of a longer argument until it is opened. */
const LINES = 8;
const CHARS = 600;

/** The beginning of a long text, or the text. */
function head(text)
{
	const cut = text.split('\n', LINES + 1).slice(0, LINES).join('\n').slice(0, CHARS);

	return cut.length < text.length ? cut.replace(/[\ud800-\udbff]$/, '') : text;
}

/** A text with its hidden characters written out. */
export function plain(text)
{
	return text.replace(HIDDEN, (c) => /.\ufe0f$/su.test(c) ? c :
		`⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Whose text the model has read. */
function originText({ kind, name })
{
	const part = `origin.${kind}.${name}`;

	return has(part) ? t(part) : html`${t(ORIGINS.has(kind) ? `origin.${kind}` :
		'origin.tool')} <code>${plain(name)}</code>`;
}

/** An argument as it is written for people, and read back by parse(). */
function written(value)
{
	return typeof value === 'string' ? value : toJson(value, 2);
}

/** @throws SyntaxError when a value that was no text is not JSON any more */
function parse(text, before)
{
	return typeof before === 'string' ? text : parseExact(text);
}

class LampApproval extends PageElement {
	static properties = {
		/** {tool, effect, arguments, editable, rememberable, reason, origins, expiresAt},
		 *  and texts, which is the page's */
		wait: { attribute: false },
		/** the step of a plan that it is for, or '' */
		for: { type: String },
		disabled: { type: Boolean },
		armed: { state: true },
		/** texts by name while they are changed, or null */
		texts: { state: true },
		/** a proposed plan while it is changed, or null */
		plan: { state: true },
		wrong: { state: true },
		/** names of long arguments that are shown as a whole */
		opened: { state: true },
	};

	#timer = null;

	constructor()
	{
		super();
		/** @type {import('../store/turn.js').Wait} */
		this.wait = undefined;
		this.for = '';
		this.disabled = false;
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.armed = false;
		this.#timer = setTimeout(() => { this.armed = true; }, ARM_MS);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	willUpdate(changed)
	{
		// kept with the call: the card goes away while it is decided
		if (changed.has('wait')) {
			this.texts = this.wait.texts ?? null;
			this.plan = this.wait.plan ?? null;
		}
		this.wait.texts = this.texts;
		this.wait.plan = this.plan;
	}

	render()
	{
		const { tool, effect, reason, origins = [], rememberable, expiresAt } = this.wait;
		const off = this.disabled || !this.armed;
		const known = ['read', 'destructive'].includes(effect) ? effect : 'write';
		const plan = proposed(this.wait);

		return html`<section class="ask ask-${known}" aria-label=${t('approval.label', { tool: toolName(tool) })}>
			<h3>${icon('shield')}<span>${plan ? t('plan.ask') : html`${t('approval.title')} ${
				saysAll(tool) ? nothing : html`${plain(toolName(tool))} `}<code>${plain(tool)}</code>`}</span></h3>
			${this.for ? html`<p>${t('plan.forStep', { title: plain(this.for) })}</p>` : nothing}
			<p>${plan ? nothing : t(`effect.${known}`)}
				${reason === 'tainted' || origins.length ? t('approval.tainted') : nothing}
				${reason === 'intent' ? t('approval.intent') : nothing}</p>
			${origins.length ? html`<p class="ask-origins">${t('approval.origins')}</p>
				<ul class="ask-origins">${origins.map((origin) => html`
				<li>${originText(origin)}</li>`)}</ul>` : nothing}
			${plan ? this.#plan(plan) : this.#arguments()}
			${rememberable ? html`<label class="ask-remember">
				<input type="checkbox" class="remember">
				<span>${t('approval.remember')}</span></label>` : nothing}
			<div class="ask-buttons">
				<button type="button" class="button button-small button-main"
					?disabled=${off} @click=${(event) => this.#decide(event, 'approve')}
					>${t(plan ? 'plan.run' : 'approval.approve')}</button>
				<button type="button" class="button button-small"
					?disabled=${off} @click=${(event) => this.#decide(event, 'deny')}
					>${t('approval.deny')}</button>
				<span class="muted ask-until">${expiresAt ?
					t('approval.until', { when: moment(expiresAt) }) : nothing}</span>
			</div>
		</section>`;
	}

	/** A plan is looked at and changed as what it is. */
	#plan(plan)
	{
		const change = this.plan && ((changed) => { this.plan = changed; });

		return html`${planView(this.plan || plan, { plain, change })}
			${this.wait.editable && !this.plan ? html`<button type="button"
				class="link-button" ?disabled=${this.disabled} @click=${async () => {
					this.plan = plan;
					await this.updateComplete;
					/** @type {HTMLElement} */ (this.querySelector('.ask-field'))?.focus();
				}}>${t('plan.edit')}</button>` : nothing}`;
	}

	#arguments()
	{
		const args = Object.entries(this.wait.arguments || {});

		if (args.length === 0)
			return html`<p class="muted">${t('tool.noArgs')}</p>`;
		return html`<dl class="ask-args">${args.map(([name, value]) => html`<div>
			<dt>${plain(name)}</dt>
			<dd class=${this.texts ? 'ask-changing' : ''}>${this.texts ? this.#field(name) : this.#value(name, written(value))}</dd></div>`)}</dl>
			${this.wait.editable && !this.texts ? html`<button type="button"
				class="link-button" ?disabled=${this.disabled}
				@click=${this.#edit}>${t('approval.edit')}</button>` : nothing}`;
	}

	/** No argument takes the room of the others: the rest is announced. */
	#value(name, text)
	{
		const shown = this.opened?.includes(name) ? text : head(text);

		return html`${plain(shown)}${shown === text ? nothing : html`…<button type="button"
			class="link-button" @click=${() => { this.opened = [...this.opened || [], name]; }}
			>${t('approval.all', { n: text.length })}</button>`}`;
	}

	#field(name)
	{
		const wrong = this.wrong === name;

		return html`<textarea class="ask-field" aria-label=${name} spellcheck="false"
			rows=${Math.min(12, this.texts[name].split('\n').length)}
			aria-invalid=${wrong ? 'true' : 'false'}
			.value=${live(this.texts[name])}
			@input=${(event) => {
				this.texts = { ...this.texts, [name]: event.target.value };
				this.wrong = '';
			}}></textarea>
			${wrong ? html`<p class="ask-wrong" role="alert">${t('approval.notJson')}</p>` : nothing}`;
	}

	#edit = async () => {
		this.texts = Object.fromEntries(Object.entries(this.wait.arguments)
			.map(([name, value]) => [name, written(value)]));
		await this.updateComplete;
		this.querySelector('.ask-field')?.focus();
	};

	/** The arguments as edited; undefined: unchanged. */
	#changed()
	{
		const before = this.wait.arguments;
		let changed;

		if (this.plan) {
			if (stepsOf(this.plan).some(({ title }) => !title.trim()))
				throw new SyntaxError('a step without a text');
			return this.plan === before ? undefined : this.plan;
		}

		for (const [name, text] of Object.entries(this.texts || {})) {
			if (text === written(before[name]))
				continue;
			this.wrong = name;
			changed = { ...before, ...changed, [name]: parse(text, before[name]) };
			this.wrong = '';
		}
		return changed;
	}

	#decide(event, decision)
	{
		const body = { decision };

		if (!event.isTrusted || this.disabled || !this.armed)
			return;
		if (decision === 'approve') {
			try {
				const changed = this.#changed();

				if (changed)
					body.arguments = changed;
			} catch {
				return;
			}
			if (/** @type {HTMLInputElement} */ (this.querySelector('.remember'))?.checked)
				body.remember = 'conversation';
		}
		this.emit('lamp-decide', { wait: this.wait, body });
	}
}

customElements.define('lamp-approval', LampApproval);
