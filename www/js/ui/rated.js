// SPDX-License-Identifier: MIT
// Lists of ratings, one's own and all: how an answer was, by whose agent, and why.
import { html, repeat } from '../../vendor/lit.js';
import { moment } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { icon } from './icons.js';

function line(form, row)
{
	const why = (row.reasons || []).map((reason) => t(`rating.${reason}`)).join(', ');

	return html`<li><a class="rows-link" href=${placeHash(form.name, row.id)}>
		<span class="rows-name" dir="auto"><span class="thumb-${row.value}">${icon('thumb')}</span>
			${[t(`rating.${row.value}`), row.user, row.agentId, row.model].filter(Boolean)
				.map((part) => plain(part)).join(' · ')}</span>
		<span class="rows-second" dir="auto">${[why, plain(row.comment || '')].filter(Boolean)
			.join(' · ')}</span>
		<span class="rows-time">${moment(row.createdAt)}</span></a></li>`;
}

/** The lists of the places "ratings" and "rated-answers", for ui/rows.js. */
export function ratedView({ form, rows })
{
	return html`<ul class="rows">${repeat(rows.items, ({ id }) => id, (row) =>
		line(form, row))}</ul>`;
}
