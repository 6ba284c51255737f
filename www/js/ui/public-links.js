// SPDX-License-Identifier: MIT
// The links of all users by which chats are read without sign-on, for those who decide
// whether there are any: whose they are, and their end.
import { html, repeat } from '../../vendor/lit.js';
import { errorText, moment } from '../format.js';
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

function line(host, { id, user, expiresAt, live, tools, files, createdAt })
{
	const over = Date.parse(expiresAt) <= Date.now();
	const how = [t(over ? 'share.over' : 'share.until', { when: moment(expiresAt) }),
		live ? t('share.with.live') : '', tools ? t('share.with.tools') : '',
		files ? t('share.with.files') : ''];

	return html`<li class="share">${icon('link')}<span class="share-who">
		<span dir="auto">${t('links.by', { name: plain(user || t('share.gone')) })} · ${
			moment(createdAt)}</span>
		<span class="muted">${how.filter(Boolean).join(' · ')}</span></span>
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
