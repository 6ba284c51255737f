// SPDX-License-Identifier: MIT
// Lists of ratings, one's own and all: how an answer was, by whose agent, and why.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { save } from '../clipboard.js';
import { failureText, moment } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { toCsv } from '../table.js';
import { plain } from './approval.js';
import { icon } from './icons.js';

function line(form, row)
{
	const why = (row.reasons || []).map((reason) => t(`rating.${reason}`)).join(', ');

	return html`<li><a class="rows-link" href=${placeHash(form.name, row.id)}>
		<span class="rows-name rows-whole" dir="auto"><span class="thumb-${row.value}">${icon('thumb')}</span>
			${[t(`rating.${row.value}`), row.user, row.agentId, row.model].filter(Boolean)
				.map((part) => plain(part)).join(' · ')}</span>
		<span class="rows-second" dir="auto">${[why, plain(row.comment || '')].filter(Boolean)
			.join(' · ')}</span>
		<span class="rows-time">${moment(row.createdAt)}</span></a></li>`;
}

/** As many rows as a file has at most. */
const FILE_ROWS = 10000;

/** All of the list as a file for spreadsheets, a column for each member of its records. */
async function download({ form, rows, emit })
{
	try {
		const all = await rows.collect(FILE_ROWS);
		const keys = Object.keys(all[0] || {});

		save({ name: `${form.name}.csv`, type: 'text/csv',
			text: toCsv({ columns: keys.map((name) => ({ name })) },
				all.map((row) => keys.map((key) => row[key]))) });
	} catch (error) {
		emit('lamp-say', { text: failureText(error) });
	}
}

/** The lists of the places "ratings" and "rated-answers", for ui/rows.js. */
export function ratedView(host)
{
	const { form, rows } = host;

	return html`${rows.items.length ? html`<p class="rows-file"><button type="button" class="chip-button"
			@click=${() => download({ form, rows, emit: host.emit.bind(host) })}>
			${t('table.download')}</button></p>` : nothing}
		<ul class="rows">${repeat(rows.items, ({ id }) => id, (row) => line(form, row))}</ul>`;
}
