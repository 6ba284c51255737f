// SPDX-License-Identifier: MIT
// What the page of settings has besides its form: whose settings they are, and
// the current value if another level sets it.
import { html, nothing } from '../../vendor/lit.js';
import { shown } from '../form.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { icon } from './icons.js';

/** The level that sets a value, with its text. */
const FROM = new Map([['agent', 'settings.agent'], ['workspace', 'settings.workspace'],
	['team', 'settings.team'], ['tenant', 'settings.tenant'],
	['installation', 'settings.installation'], ['user', 'settings.user']]);

function levels({ permissions, groups })
{
	const manages = permissions.includes('AI.Admin.Settings');
	const teams = manages || permissions.includes('AI.Settings.Team') ? groups : [];

	return [['', t('settings.mine')], ...teams.map((group) => [`team:${group}`, group]),
		...manages ? [['tenant', t('settings.everyone')]] : []];
}

export const settingPart = {
	above: ({ places, current }) => {
		const all = levels(places.me);

		return html`${all.length < 2 ? nothing : html`<nav class="chips" aria-label=${
			t('settings.whose')}>${all.map(([id, text]) => html`<a class="chip-button"
				href=${placeHash('settings', id)}
				aria-current=${id === current.id ? 'page' : nothing}>${text}</a>`)}</nav>`}
			${current.id ? nothing : html`<p class="place-hint"><a class="chip-button" href=${placeHash('mine')}>${
				icon('person')}<span>${t('place.mine')}</span></a> ${t('mine.text')}</p>`}`;
	},
	// a choice says its default itself
	below: () => (field) => !field.inForce || field.inForce.value === null ||
		(!FROM.has(field.inForce.from) && (field.choices || field.type === 'boolean')) ? nothing : html`
		<p class="field-help">${t('settings.now', { value: shown(field, field.inForce.value),
			from: t(FROM.get(field.inForce.from) || 'settings.default') })}</p>`,
};
