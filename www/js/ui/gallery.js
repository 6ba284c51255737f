// SPDX-License-Identifier: MIT
// Agents and prompts as cards: by owner, and by category.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { hasIcon, icon } from './icons.js';
import './talk.js';

/** The owners, in the order of the page, with their texts. */
const TIERS = new Map([['private', 'prompts.private'], ['team', 'prompts.team'],
	['tenant', 'prompts.tenant'], ['shipped', 'prompts.shipped']]);
/** the limit of a tenant */
const MOST_CATEGORIES = 200;
const COLOUR = /^#[\da-f]{6}$/i;
/** An emoji, or another text as short, is its own picture. */
const PICTURE = /^\P{ASCII}{1,8}$/u;

function chip(text, pressed, press)
{
	return html`<button type="button" class="chip-button" aria-pressed=${pressed ? 'true' :
		'false'} @click=${press}>${text}</button>`;
}

/** The list of categories, loaded; null if the caller may not see any. */
export function categoryRows(places)
{
	const form = places.form('prompt-categories');
	const rows = form ? places.rows(form) : null;

	rows?.all(MOST_CATEGORIES);
	return rows;
}

/**
 * @param {object} host
 * @param {import('../store/rows.js').Rows} host.rows
 * @param {import('../form.js').Form} host.form
 * @param {import('../store/rows.js').Rows | null} host.categories
 * @param {import('../store/rows.js').Rows | null} host.users
 * @param {{tier?: string, category?: string}} host.choice
 */
export function galleryView(host)
{
	const { rows: { items }, choice } = host;
	// that one uses one's own is nothing to tell
	const used = ({ id, tier }) => {
		const n = host.users?.items.find(({ promptId }) => promptId === id)?.users || 0;

		return n > (tier === 'private' ? 1 : 0) ? t('agents.users', { n }) : '';
	};
	const categories = host.categories?.items || [];
	const named = (ids) => categories.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
	const tiers = [...TIERS.keys()].filter((tier) => items.some((row) => row.tier === tier));
	const fitting = items.filter(({ tier, categoryIds }) => (!choice.tier || tier === choice.tier) &&
		(!choice.category || categoryIds.includes(choice.category)));
	const chosen = (part) => () => { host.choice = { ...choice, ...part }; };

	return html`
		${tiers.length < 2 ? nothing : html`<div class="chips" role="group"
			aria-label=${t('prompts.tiers')}>
			${chip(t('prompts.all'), !choice.tier, chosen({ tier: '' }))}
			${tiers.map((tier) => chip(t(TIERS.get(tier)), choice.tier === tier,
				chosen({ tier })))}</div>`}
		${categories.length === 0 ? nothing : html`<div class="chips" role="group"
			aria-label=${t('prompts.categories')}>
			${chip(t('prompts.allCategories'), !choice.category, chosen({ category: '' }))}
			${categories.map(({ id, name }) => chip(name, choice.category === id,
				chosen({ category: id })))}</div>`}
		${tiers.filter((tier) => fitting.some((row) => row.tier === tier)).map((tier) => html`
			<h2 class="gallery-tier">${t(TIERS.get(tier))}</h2>
			<ul class="gallery">${repeat(fitting.filter((row) => row.tier === tier),
				({ id }) => id, (row) => cardView(row, placeHash(host.form.name, row.id), {
					told: [by(row), used(row), ...named(row.categoryIds)],
					act: html`<lamp-talk promptId=${row.id} text=${t('prompts.use')}
						about=${row.name}></lamp-talk>` }))}</ul>`)}
		${items.length > 0 && fitting.length === 0 ? html`<p class="rows-none muted">${
			t('prompts.noneFit')}</p>` : nothing}
		${foundView(host.rows)}`;
}

function by({ promptAuthor })
{
	return promptAuthor ? t('agents.by', { name: promptAuthor }) : '';
}

/** Of a search, once it has answered. */
function foundView({ q, found, items, total })
{
	return html`<p class="muted" role="status">${found && found === q.trim() && items.length > 0 ?
		t('gallery.found', { n: total ?? items.length }) : nothing}</p>`;
}

/** Whose agents there are, in the order of the page. */
const OWNERS = ['mine', 'workspace', 'config'];

function ownerOf({ source, visibility })
{
	return source === 'config' ? 'config' : visibility === 'private' ? 'mine' : 'workspace';
}

/** Where it is said how many people use what a gallery has. */
const USERS = { agents: 'workspaces/{workspace}/agent-users', gallery: 'prompt-users' };

/** How many people use agents or prompts, loaded; null in other views. */
export function userRows(places, view)
{
	if (!USERS[view])
		return null;
	const rows = places.rows({ path: USERS[view], whole: true });

	rows.reload();
	return rows;
}

/**
 * The agents of the workspace.
 * @param {object} host
 * @param {import('../store/rows.js').Rows} host.rows
 * @param {import('../form.js').Form} host.form
 * @param {import('../store/rows.js').Rows | null} host.users
 * @param {{tier?: string}} host.choice
 */
export function agentsView(host)
{
	const { rows: { items }, form, choice, users } = host;
	const usersOf = (id) => users?.items.find(({ agentId }) => agentId === id)?.users || 0;
	const owners = OWNERS.filter((owner) => items.some((row) => ownerOf(row) === owner));
	const fitting = items.filter((row) => !choice.tier || ownerOf(row) === choice.tier);
	const choose = (tier) => () => { host.choice = { ...choice, tier }; };

	return html`
		${owners.length < 2 ? nothing : html`<div class="chips" role="group"
			aria-label=${t('prompts.tiers')}>
			${chip(t('prompts.all'), !choice.tier, choose(''))}
			${owners.map((owner) => chip(t(`agents.${owner}`), choice.tier === owner,
				choose(owner)))}</div>`}
		${owners.map((owner) => [owner, fitting.filter((row) => ownerOf(row) === owner)])
			.filter(([, rows]) => rows.length > 0).map(([owner, rows]) => html`
			<h2 class="gallery-tier">${t(`agents.${owner}`)}</h2>
			<ul class="gallery">${repeat(rows, ({ agentId }) => agentId, (row) => cardView(
				{ ...row, icon: 'agent' }, placeHash(form.name, row.agentId), {
					told: [row.isDefault ? t('agents.default') : '', by(row),
						usersOf(row.agentId) ? t('agents.users', { n: usersOf(row.agentId) }) : ''],
					act: html`<lamp-talk agentId=${row.agentId} text=${t('agents.talk')}
						about=${row.name}></lamp-talk>` }))}</ul>`)}
		${foundView(host.rows)}`;
}

/**
 * A card that leads somewhere.
 * @param {{name: string, description?: string, icon?: string, colour?: string}} row
 * @param {string} href
 * @param {{told?: string[], act?: unknown}} more what else is said, and can be done
 */
export function cardView({ name, description, icon: picture, colour }, href,
	{ told = [], act = nothing } = {})
{
	const also = told.filter(Boolean).join(' · ');

	return html`<li class=${act === nothing ? '' : 'card-acts'}><a class="card" href=${href}>
		<span class="card-picture" aria-hidden="true">${COLOUR.test(colour || '') ? html`
			<svg viewBox="0 0 1 1"><rect width="1" height="1" fill=${colour}></rect></svg>` :
			nothing}<b>${hasIcon(picture) ? icon(picture) : PICTURE.test(picture || '') ?
			picture : [...name.trim()][0]?.toUpperCase()}</b></span>
		<span class="card-name" dir="auto">${name}</span>
		${description ? html`<span class="card-text" dir="auto">${description}</span>` : nothing}
		${also ? html`<span class="card-told" dir="auto">${also}</span>` : nothing}
	</a>${act}</li>`;
}
