// SPDX-License-Identifier: MIT
// The list of prompts as cards, by owner and by category.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { hasIcon, icon } from './icons.js';

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
 * @param {{tier?: string, category?: string}} host.choice
 */
export function galleryView(host)
{
	const { rows: { items }, choice } = host;
	const categories = host.categories?.items || [];
	const tiers = [...TIERS.keys()].filter((tier) => items.some((row) => row.tier === tier));
	const fitting = items.filter(({ tier, categoryIds }) =>
		(!choice.tier || tier === choice.tier) &&
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
				({ id }) => id, (row) => cardView(row, placeHash(host.form.name, row.id)))}</ul>`)}
		${items.length > 0 && fitting.length === 0 ? html`<p class="rows-none muted">${
			t('prompts.noneFit')}</p>` : nothing}`;
}

/**
 * A card that leads somewhere.
 * @param {{name: string, description?: string, icon?: string, colour?: string}} row
 * @param {string} href
 */
export function cardView({ name, description, icon: picture, colour }, href)
{
	return html`<li><a class="card" href=${href}>
		<span class="card-picture" aria-hidden="true">${COLOUR.test(colour || '') ? html`
			<svg viewBox="0 0 1 1"><rect width="1" height="1" fill=${colour}></rect></svg>` :
			nothing}<b>${hasIcon(picture) ? icon(picture) : PICTURE.test(picture || '') ?
			picture : [...name.trim()][0]?.toUpperCase()}</b></span>
		<span class="card-name">${name}</span>
		${description ? html`<span class="card-text">${description}</span>` : nothing}
	</a></li>`;
}
