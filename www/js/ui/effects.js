// SPDX-License-Identifier: MIT
// <lamp-effects>: what was changed in projects, in words, each with a way to it and a way
// to take it back. Of a tool call, and of a project.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText, moment } from '../format.js';
import { entityHash, placeHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

/**
 * @typedef {object} Effect
 * @property {string} changeId
 * @property {string} action     create, update, delete or move
 * @property {string} entityType a kind, project or edge
 * @property {string} entityId
 * @property {string} projectId
 * @property {string} title
 * @property {string} [by]       whose it is: shown with the time
 * @property {string} [at]
 * @property {boolean} [agent]   their agent did it
 * @property {boolean} [undoes]  it takes another one back
 * @property {boolean} [final]   it cannot be taken back
 */

/** Where it is. @param {Effect} effect */
function hashOf({ entityType, entityId, projectId, action })
{
	if (action === 'delete')
		return '';
	if (entityType === 'edge')
		return placeHash('projects', projectId);
	return entityHash(entityType, entityId, projectId);
}

/** @param {Effect} effect */
function words({ action, entityType, title })
{
	const what = t(`effect.of.${entityType}`);

	return entityType === 'edge' ? t(action === 'create' ? 'effect.linked' : 'effect.unlinked') :
		t(`effect.${action}`, { what, title });
}

class LampEffects extends PageElement {
	static properties = {
		effects: { attribute: false },
		/** whether they can be taken back here */
		canUndo: { type: Boolean },
		states: { state: true },
	};

	constructor()
	{
		super();
		/** @type {Effect[]} */
		this.effects = [];
		this.canUndo = false;
		/** of each change that was taken back here: 'running', 'done', or why it was not */
		this.states = new Map();
	}

	#set(id, state)
	{
		this.states = new Map(this.states).set(id, state);
	}

	#undo(effect)
	{
		const id = effect.changeId;

		this.#set(id, 'running');
		this.emit('lamp-undo', { effect, ended: (error) => {
			this.#set(id, error || 'done');
			if (!error)
				this.emit('lamp-say', { text: t('effect.undone') });
		} });
	}

	render()
	{
		return this.effects.length === 0 ? nothing : html`<ul class="effects"
			aria-label=${t('effect.list')}>${repeat(this.effects, ({ changeId }) => changeId,
			(effect) => this.#row(effect))}</ul>`;
	}

	#row(effect)
	{
		const state = this.states.get(effect.changeId);
		const hash = hashOf(effect);
		const text = words(effect);

		return html`<li class="effect">
			<span class="effect-text" dir="auto">${hash ? html`<a href=${hash}>${text}</a>` : text}${
				effect.at ? html`<span class="muted effect-by">${this.#by(effect)}</span>` : nothing}</span>
			${state === 'done' ? html`<span class="muted">${t('effect.undone')}</span>` :
				this.canUndo && !effect.final ? html`<button type="button" class="chip-button effect-undo"
				aria-label=${t('effect.undoOf', { text })} ?disabled=${state === 'running'}
				@click=${() => this.#undo(effect)}>${t('effect.undo')}</button>` : nothing}
			${state && typeof state === 'object' ? html`<p class="form-error" role="alert">${
				icon('warning')}<span>${failureText(state)}</span></p>` : nothing}</li>`;
	}

	#by({ by, at, agent, undoes })
	{
		const who = by || t('effect.somebody');

		return `${t(undoes ? 'effect.takenBackBy' : agent ? 'effect.agentOf' : 'effect.by',
			{ who })}, ${moment(at)}`;
	}
}

customElements.define('lamp-effects', LampEffects);
