// SPDX-License-Identifier: MIT
// <lamp-plan>: where a plan stands (docs/plans.md): its goal, and its stages with their
// steps. Beside it, what the card of a proposed plan shows and lets change.
import { html, live, nothing } from '../../vendor/lit.js';
import { duration, toolName } from '../format.js';
import { stepOfCall } from '../store/turn.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/**
 * @typedef {object} PlanStep
 * @property {string} id
 * @property {string} title
 * @property {string[]} [tools]
 * @property {string[]} [inputs]
 * @property {string[]} [outputs]
 *
 * @typedef {object} Plan
 * @property {string} goal
 * @property {string[]} [constraints]
 * @property {{id?: string, name: string, mode: string, steps: PlanStep[]}[]} stages
 *
 * @typedef {object} Progress of a step
 * @property {string} id
 * @property {string} status
 * @property {number} [tokens]
 * @property {number} [cost]
 * @property {number} [durationMs]
 *
 * @typedef {object} Board what the event `plan` says
 * @property {string} planId
 * @property {string} status
 * @property {Plan} plan
 * @property {Progress[]} progress
 */

const ICONS = { done: 'check', failed: 'warning', waiting: 'question', skipped: 'stop' };
/** @type {Record<string, string>} */
const TEXTS = { ready: 'plan.is.ready', running: 'plan.is.running', waiting: 'plan.is.waiting',
	done: 'plan.is.done', failed: 'plan.is.failed', skipped: 'plan.is.skipped',
	stopping: 'plan.is.stopping' };

/** All steps in order. @param {Plan} plan @returns {PlanStep[]} */
export function stepsOf(plan)
{
	return plan.stages.flatMap(({ steps }) => steps);
}

/** How many steps have that state. @param {Board} board @param {string} status */
export function countOf(board, status)
{
	return board.progress.filter((one) => one.status === status).length;
}

/**
 * A plan that a call proposes, or null.
 * @param {import('../store/turn.js').Wait} wait
 * @returns {Plan | null}
 */
export function proposed({ tool, arguments: args })
{
	return tool === 'plan' && Array.isArray(args?.stages) ? args : null;
}

/** "At the same time", of stages where that makes a difference. */
function modeText({ mode, steps })
{
	return steps.length < 2 ? nothing : html`<span class="muted">${
		t(mode === 'parallel' ? 'plan.parallel' : 'plan.sequence')}</span>`;
}

/** Without one of its steps; nobody is given what it would have made. */
export function withoutStep(plan, at)
{
	const gone = stepsOf(plan)[at];
	const kept = (inputs) => inputs.filter((name) => !(gone.outputs || []).includes(name));

	return { ...plan, stages: plan.stages.map((stage) => ({ ...stage,
		steps: stage.steps.filter((step) => step !== gone).map((step) =>
			(step.inputs ? { ...step, inputs: kept(step.inputs) } : step)) }))
		.filter(({ steps }) => steps.length > 0) };
}

/** With another text for one of its steps. */
export function withTitle(plan, at, title)
{
	const changed = stepsOf(plan)[at];

	return { ...plan, stages: plan.stages.map((stage) => ({ ...stage,
		steps: stage.steps.map((step) => (step === changed ? { ...step, title } : step)) })) };
}

/**
 * A plan as it would run.
 * @param {Plan} plan
 * @param {object} how
 * @param {(text: string) => string} how.plain shows hidden characters
 * @param {((plan: Plan) => void) | null} how.change takes it as changed; null: it is not
 *        being edited
 */
export function planView(plan, { plain, change })
{
	const all = stepsOf(plan);

	return html`<div class="plan plan-proposed">
		<p class="plan-goal" dir="auto">${plain(plan.goal)}</p>
		${(plan.constraints || []).map((one) => html`<p class="muted" dir="auto">${plain(one)}</p>`)}
		<ol class="plan-stages">${plan.stages.map((stage) => html`<li>
			<h4>${plain(stage.name)} ${modeText(stage)}</h4>
			<ol class="plan-steps">${stage.steps.map((step) => {
				const at = all.indexOf(step);

				return html`<li class="plan-step">${change ? html`
					<textarea class="ask-field" rows="2" maxlength="300"
						aria-label=${t('plan.stepText', { n: at + 1 })}
						aria-invalid=${step.title.trim() ? 'false' : 'true'}
						.value=${live(step.title)}
						@input=${(event) => change(withTitle(plan, at, event.target.value))}
						></textarea>
					<button type="button" class="icon-button" ?disabled=${all.length < 2}
						aria-label=${t('plan.remove', { n: at + 1 })}
						title=${t('plan.remove', { n: at + 1 })}
						@click=${() => change(withoutStep(plan, at))}>${icon('trash')}</button>` : html`
					<span class="plan-title" dir="auto">${plain(step.title)}</span>`}
					${step.tools?.length ? html`<span class="plan-meta">${t('plan.tools', {
						tools: step.tools.map((name) => plain(toolName(name))).join(', ') })}</span>` : nothing}
				</li>`;
			})}</ol></li>`)}</ol>
		${all.some(({ title }) => !title.trim()) ? html`<p class="ask-wrong" role="alert">${
			t('plan.empty')}</p>` : nothing}
	</div>`;
}

class LampPlan extends PageElement {
	static properties = {
		board: { attribute: false },
		/** of the call, once it is known */
		result: { attribute: false },
		/** what its turn waits for */
		waits: { attribute: false },
		/** whether its turn runs */
		running: { type: Boolean },
		/** whether the user may do something to it */
		mine: { type: Boolean },
		/** whether its turn has ended */
		over: { type: Boolean },
	};

	constructor()
	{
		super();
		/** @type {Board} */
		this.board = undefined;
		/** @type {any} */
		this.result = undefined;
		/** @type {import('../store/turn.js').Wait[]} */
		this.waits = [];
		this.running = false;
		this.mine = false;
		this.over = false;
	}

	render()
	{
		const { board } = this;
		const { plan } = board;
		const all = stepsOf(plan);

		return html`<section class="plan" aria-label=${t('plan.label', { goal: plan.goal })}>
			<p class="plan-goal" dir="auto">${plan.goal}</p>
			<p class="plan-sum">${this.#sum(all.length)}</p>
			<ol class="plan-stages">${plan.stages.map((stage) => html`<li>
				<h3>${stage.name} ${modeText(stage)}</h3>
				<ol class="plan-steps">${stage.steps.map((step) =>
					this.#step(step, all.indexOf(step)))}</ol></li>`)}</ol>
			${this.mine && this.over ? html`<button type="button" class="link-button plan-again"
				@click=${() => this.emit('lamp-plan-again', { planId: board.planId,
					content: t('plan.againSaid') })}>${t('plan.again')}</button>` : nothing}
		</section>`;
	}

	/** What the user can do to a step. */
	#actions(step, at, status, waits)
	{
		const { planId } = this.board;

		if (!this.mine)
			return nothing;
		if (this.over) {
			return html`<button type="button" class="link-button"
				aria-label=${t('plan.stepAgainOf', { n: at + 1 })}
				@click=${() => this.emit('lamp-plan-again', { planId, steps: [step.id],
					content: t('plan.stepAgainSaid', { title: step.title }) })}
				>${t('plan.stepAgain')}</button>`;
		}
		return ['ready', 'waiting', 'running'].includes(status) ? html`<button type="button"
			class="link-button"
			aria-label=${t(status === 'running' ? 'plan.stopStep' : 'plan.skipStep', { n: at + 1 })}
			@click=${() => this.emit('lamp-skip', { planId, stepId: step.id, waits })}
			>${t(status === 'running' ? 'plan.stop' : 'plan.skip')}</button>` : nothing;
	}

	/** @param {number} n of steps */
	#sum(n)
	{
		const { board } = this;
		const sum = (name) => board.progress.reduce((all, one) => all + (one[name] || 0), 0);
		const words = [t('plan.sum', { done: countOf(board, 'done'), n })];

		if (countOf(board, 'failed') > 0)
			words.push(t('plan.failed', { n: countOf(board, 'failed') }));
		if (sum('tokens') > 0)
			words.push(t('message.tokens', { n: sum('tokens') }));
		if (sum('cost') > 0) {
			words.push(t('plan.cost', { cost: new Intl.NumberFormat(undefined,
				{ maximumSignificantDigits: 2 }).format(sum('cost')) }));
		}
		return words.join(' · ');
	}

	#step(step, at)
	{
		/** @type {Progress} */
		const now = this.board.progress[at] || { id: step.id, status: 'ready' };
		const waits = this.waits.filter(({ toolCallId }) =>
			stepOfCall(this.board.planId, toolCallId) === at);
		const [card] = waits;
		// what was at it is gone
		const status = card ? 'waiting' : !TEXTS[now.status] ||
			(['running', 'stopping'].includes(now.status) && !this.running) ? 'ready' : now.status;
		const result = this.result?.steps?.[at]?.result;

		return html`<li class="plan-step plan-${status}">
			<span class="tool-state">${status === 'running' || status === 'stopping' ?
				html`<span class="spinner" aria-hidden="true"></span>` : ICONS[status] ?
					icon(ICONS[status]) : html`<span class="plan-dot" aria-hidden="true"></span>`}</span>
			<span class="plan-title" dir="auto">${step.title}</span>
			<span class="plan-meta">${[t(status === 'waiting' && !card && this.running ?
				'plan.is.soon' : TEXTS[status]),
				...Number.isFinite(now.durationMs) ? [duration(now.durationMs)] : [],
				...now.tokens ? [t('message.tokens', { n: now.tokens })] : []].join(' · ')}</span>
			${card ? html`<button type="button" class="link-button"
				@click=${() => this.emit('lamp-to-wait', { wait: card })}
				>${t('plan.toCard')}</button>` : nothing}
			${this.#actions(step, at, status, waits)}
			${typeof result === 'string' && result ? html`<details class="plan-result">
				<summary>${t('tool.result')}<span class="tool-chevron">${icon('chevron')}</span></summary>
				<p class="tool-text" dir="auto">${result}</p></details>` : nothing}
		</li>`;
	}
}

customElements.define('lamp-plan', LampPlan);
