// SPDX-License-Identifier: MIT
// The list of projects: their state, whose they are, and when they are due.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { rowName, shown } from '../form.js';
import { dayText, excerpt } from '../format.js';
import { today } from '../projects.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { markView } from './items.js';

const OVER = ['done', 'cancelled'];

const fieldOf = (form, key) => form.fields.find((field) => field.key === key);

/** Whose a project is: a group's, the caller's, … */
function ownerText(form, row)
{
	if (row.tier === 'private')
		return t(row.isOwner ? 'project.mine' : 'project.shared');
	return row.tier === 'team' && row.group ? row.group : shown(fieldOf(form, 'tier'), row.tier);
}

/**
 * @param {object} host
 * @param {import('../store/rows.js').Rows} host.rows
 * @param {import('../form.js').Form} host.form
 */
export function projectsView({ rows: { items }, form })
{
	return html`<ul class="rows">${repeat(items, ({ id }) => id, (row) => html`<li>
		<a class="rows-link item-link" href=${placeHash(form.name, row.id)}>
			<span class="rows-name" dir="auto">${rowName(form, row)}</span>
			<span class="marks">${markView(fieldOf(form, 'stateKey'), row.stateKey)}
				<span class="mark plain" dir="auto">${ownerText(form, row)}</span>
				${row.dueDate ? dueView(row) : nothing}</span>
			${row.description ? html`<span class="rows-second" dir="auto">${
				excerpt(row.description)}</span>` : nothing}</a></li>`)}</ul>`;
}

function dueView(row)
{
	const late = row.dueDate < today() && !OVER.includes(row.stateKey);

	return html`<span class="mark ${late ? 'danger' : 'plain'}">${
		t(late ? 'project.lateOn' : 'project.dueOn', { day: dayText(row.dueDate) })}</span>`;
}
