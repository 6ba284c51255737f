// SPDX-License-Identifier: MIT
// Lists of shares: the links of all users by which chats are read without sign-on, for those
// who decide whether there are any; and one's own shares.
import { html, repeat } from '../../vendor/lit.js';
import { errorText, moment } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { icon } from './icons.js';

async function revoke(host, id)
{
	try {
		await host.places.revokePublicLink(id);
		host.emit('lamp-say', { text: t('links.revoked') });
	} catch (error) {
		host.emit('lamp-say', { text: errorText(error) });
	}
	await host.rows.reload();
	await host.updateComplete;
	(host.querySelector('.share button') || document.querySelector('.main h1'))?.focus();
}

/**
 * Until when something is shared, and how much of it.
 * @param {any} share
 */
function howOf({ expiresAt, live, tools, files })
{
	const over = Date.parse(expiresAt) <= Date.now();

	return [expiresAt ? t(over ? 'share.over' : 'share.until', { when: moment(expiresAt) }) : '',
		t(live ? 'share.with.live' : 'share.with.point'), tools ? t('share.with.tools') : '',
		files ? t('share.with.files') : ''].filter(Boolean).join(' · ');
}

function line(host, { id, user, createdAt, ...share })
{
	return html`<li class="share">${icon('link')}<span class="share-who">
		<span dir="auto">${t('links.by', { name: plain(user || t('share.gone')) })} · ${
			moment(createdAt)}</span>
		<span class="muted">${howOf(share)}</span></span>
		<button type="button" class="chip-button" aria-label=${t('share.revokeOf',
			{ name: t('links.by', { name: plain(user || t('share.gone')) }) })}
			@click=${() => revoke(host, id)}>${t('share.revoke')}</button></li>`;
}

/** The list of the place "public-links", for ui/rows.js. */
export function publicLinksView(host)
{
	return html`<ul class="shares">${repeat(host.rows.items, ({ id }) => id, (row) =>
		line(host, row))}</ul>`;
}

/** The title of one's own chat, if the side has it; with what follows it. */
function titled(id)
{
	const { list, order } = document.querySelector('lamp-app');
	const title = (list.find(id) || order.find(id))?.title;

	return title ? `${title} · ` : '';
}

/** The list of the place "conversation-shares", for ui/rows.js. */
export function sharesView({ form, rows })
{
	return html`<ul class="rows">${repeat(rows.items, ({ id }) => id, (share) => html`<li>
		<a class="rows-link" href=${placeHash(form.name, share.id)}>
			<span class="rows-name" dir="auto">${titled(share.conversationId)}${
				share.kind === 'link' ? t('share.anyone') :
					plain(share.user || share.group || t('share.gone'))}</span>
			<span class="rows-second">${howOf(share)}</span>
			<span class="rows-time">${moment(share.createdAt)}</span></a></li>`)}</ul>`;
}
