// SPDX-License-Identifier: MIT
// <lamp-links>: what something in a project is linked with; links are made by a search in
// the project, and removed.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { entityHash, iconOfKind } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { markView } from './items.js';
import './find.js';

/** How a relation reads from its other end. */
const INVERSE = { relates_to: 'link.relates_to', part_of: 'link.part_of',
	depends_on: 'link.depends_on', blocks: 'link.blocks', supports: 'link.supports',
	documents: 'link.documents', delivers: 'link.delivers', mitigates: 'link.mitigates',
	meets: 'link.meets' };

class LampLinks extends PageElement {
	static properties = {
		api: { attribute: false },
		project: { attribute: false },
		/** the id of what is linked, and its name */
		of: { type: String },
		name: { type: String },
		/** another number: the links are read again */
		stamp: { attribute: false },
		items: { state: true },
		error: { state: true },
		adding: { state: true },
		/** how the next one is linked: 'out depends_on' */
		relation: { state: true },
	};

	/** of what was asked for last */
	#round = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('../store/project.js').Project} */
		this.project = undefined;
		this.of = '';
		this.name = '';
		this.stamp = 0;
		/** @type {any[] | null} */
		this.items = null;
		this.error = null;
		this.adding = false;
		this.relation = '';
	}

	willUpdate(changes)
	{
		if (changes.has('of')) {
			this.items = null;
			this.error = null;
			this.adding = false;
		}
		if (changes.has('of') || changes.has('stamp'))
			this.#load();
	}

	async #load()
	{
		const round = ++this.#round;

		try {
			const { items } = await this.api.json('GET', `entities/${encodeURIComponent(this.of)}/links`);

			if (round === this.#round)
				this.items = items;
		} catch (error) {
			if (round === this.#round)
				this.error = error;
		}
	}

	get #path()
	{
		return `projects/${encodeURIComponent(this.project.id)}/edges`;
	}

	/** The relations as they read from here: {key, text}. */
	get #relations()
	{
		const { choices = [] } = this.project.edges?.fields.find(({ key }) => key === 'relation') || {};

		return choices.flatMap(({ value, label }) => [{ key: `out ${value}`, text: label },
			...value !== 'relates_to' && INVERSE[value] ?
				[{ key: `in ${value}`, text: t(INVERSE[value]) }] : []]);
	}

	#textOf({ direction, relation })
	{
		const wanted = relation === 'relates_to' ? 'out relates_to' : `${direction} ${relation}`;

		return this.#relations.find(({ key }) => key === wanted)?.text ?? relation;
	}

	render()
	{
		const { items, project: { canEdit } } = this;
		const may = canEdit && this.project.edges?.canWrite;

		return html`<section class="children links" aria-labelledby="links-title">
			<h2 id="links-title" tabindex="-1">${t('link.title')}</h2>
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.error)}</span></p>` : nothing}
			${items?.length === 0 ? html`<p class="muted">${t('link.none')}</p>` : nothing}
			${items?.length ? html`<ul class="rows">${repeat(items, ({ edgeId }) => edgeId,
				(one) => this.#row(one, may))}</ul>` : nothing}
			${!may ? nothing : this.adding ? this.#addView() : html`<div class="form-buttons">
				<button type="button" class="button button-small" @click=${this.#begin}>${
				icon('link')}<span>${t('link.add')}</span></button></div>`}</section>`;
	}

	#row(one, may)
	{
		const { entity } = one;
		const form = this.project.formOf(`${entity.kind}s`);
		const state = form?.fields.find(({ key }) => key === 'stateKey');

		return html`<li class="link-row"><span class="link-how muted">${this.#textOf(one)}</span>
			<a class="link-what" href=${entityHash(entity.kind, entity.id, this.project.id)}>${
				icon(iconOfKind(entity.kind))}<span class="sr-only">${
				t(`effect.of.${entity.kind}`)}: </span><span dir="auto">${entity.title}</span></a>
			<span class="marks">${state ? markView(state, entity.stateKey) : nothing}</span>
			${may ? html`<button type="button" class="icon-button" title=${t('link.remove')}
				aria-label=${t('link.removeOf', { name: entity.title })}
				@click=${() => this.#remove(one)}>${icon('close')}</button>` : nothing}</li>`;
	}

	#addView()
	{
		const relations = this.#relations;
		const chosen = this.relation || relations[0]?.key;

		return html`<div class="link-add" @lamp-found=${this.#add} @keydown=${this.#onKey}>
			<span class="link-this muted" dir="auto">${this.name}</span>
			<label class="select"><span class="sr-only">${t('link.how')}</span>
				<select @change=${(event) => { this.relation = event.target.value; }}>${
					relations.map(({ key, text }) => html`<option value=${key}
					?selected=${key === chosen}>${text}</option>`)}</select>${icon('chevron')}</label>
			<lamp-find .api=${this.api} project=${this.project.id} label=${t('link.with')}
				.without=${[this.of, this.project.id]}></lamp-find>
			<button type="button" class="button" @click=${this.#end}>${t('app.cancel')}</button></div>`;
	}

	#begin = async () => {
		this.error = null;
		this.adding = true;
		await this.updateComplete;
		await this.querySelector('lamp-find').updateComplete;
		this.querySelector('lamp-find').focus();
	};

	#end = async () => {
		this.adding = false;
		await this.updateComplete;
		/** @type {HTMLElement} */ (this.querySelector('h2')).focus();
	};

	#onKey = (event) => {
		if (event.key !== 'Escape' || event.defaultPrevented)
			return;
		event.preventDefault();
		this.#end();
	};

	#add = async (event) => {
		const { item } = event.detail;
		const [way, relation] = (this.relation || this.#relations[0].key).split(' ');
		const [fromId, toId] = way === 'out' ? [this.of, item.id] : [item.id, this.of];

		event.stopPropagation();
		this.error = null;
		try {
			await this.api.json('POST', this.#path, { body: { fromId, toId, relation } });
			this.emit('lamp-say', { text: t('link.made', { name: item.title }) });
			await this.#end();
		} catch (error) {
			this.error = error;
		}
		await this.#load();
	};

	async #remove({ edgeId, entity })
	{
		this.error = null;
		try {
			await this.api.json('DELETE', `${this.#path}/${encodeURIComponent(edgeId)}`,
				{ headers: { 'If-Match': '*' } });
			this.emit('lamp-say', { text: t('link.removed', { name: entity.title }) });
		} catch (error) {
			this.error = error;
		}
		await this.#load();
		/** @type {HTMLElement} */ (this.querySelector('h2')).focus();
	}
}

customElements.define('lamp-links', LampLinks);
