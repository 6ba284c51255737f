// SPDX-License-Identifier: MIT
// The side of the page: workspace, new chat, the list, and at its foot the user
// and the colours.
import { html, nothing } from '../../vendor/lit.js';
import { placeHash, PLACES } from '../route.js';
import { drop, local, read, write } from '../storage.js';
import { t } from '../strings.js';
import { icon, lantern } from './icons.js';
import './list.js';
import './menu.js';

const FOLDED = 'lamplighter.side';

/** Headings of the menu of places, by `group` of their rows. */
const GROUPS = new Map([['make', 'place.groupMake'], ['work', 'place.groupWork'],
	['own', 'place.groupOwn'], ['manage', 'place.groupManage']]);

/** Whether the side was put away in a wide window. */
export function isFolded()
{
	return read(local(), FOLDED) !== '';
}

/** Puts it away, or back: this browser remembers it. @returns the same */
export function fold(folded)
{
	if (folded)
		write(local(), FOLDED, 'folded');
	else
		drop(local(), FOLDED);
	return folded;
}

/** The title of a place, by its row of the route table or its form. */
export function placeTitle(row, form)
{
	return row.text ? t(row.text) : form?.title || t('error.lostTitle');
}

/**
 * @param page    <lamp-app>: session, list, places, threads, theme
 * @param {object} actions
 * @param {() => void} actions.newChat
 * @param {() => void} actions.closeDrawer
 * @param {(id: string) => void} actions.workspace
 * @param {() => void} actions.help
 */
export function sideView(page, actions)
{
	return html`
		<div class="side-head">
			<a class="brand" href="#/">${lantern()}<span>${t('app.name')}</span></a>
			<button type="button" class="icon-button drawer-close"
				aria-label=${t('list.close')} title=${t('list.close')}
				@click=${actions.closeDrawer}>${icon('close')}</button>
		</div>
		${workspaceChoice(page.session, actions.workspace)}
		<button type="button" class="button new-chat" @click=${actions.newChat}>
			${icon('plus')}<span>${t('list.new')}</span></button>
		${placesNav(page.places, page.session.me.shared)}
		<lamp-list .list=${page.list} .order=${page.order}
			?shares=${page.session.me.permissions.includes('AIChat.Conversations.Share')} .busy=${page.threads.busy}
			.drafted=${page.threads.drafted}
			current=${page.places.current ? '' : page.threads.current.conversationId}
			></lamp-list>
		${foot(page, actions.help)}`;
}

function workspaceChoice({ workspaces, workspaceId }, choose)
{
	if (workspaces.length < 2)
		return nothing;
	return html`<label class="select workspace-select">
		<span class="sr-only">${t('workspace.label')}</span>
		<select @change=${(event) => choose(event.target.value)}>
			${workspaces.map((space) => html`<option value=${space.workspaceId}
				?selected=${space.workspaceId === workspaceId}
				>${space.name}</option>`)}
		</select>${icon('chevron')}</label>`;
}

/**
 * The places that the caller has, behind one menu, whose button names what is shown.
 * @param {import('../store/places.js').Places} places
 * @param {boolean} [shared] whether somebody shares a chat with them
 */
function placesNav(places, shared)
{
	const rows = [...places.offered(),
		...shared ? PLACES.filter(({ form }) => form === 'shared') : []];
	const title = (row) => placeTitle(row, places.titled(row.form));
	const current = rows.find(({ form }) => form === places.current?.name);
	const groups = [...GROUPS.keys(), ''];
	const items = () => rows.map((row) => ({ text: title(row), icon: row.icon,
		href: placeHash(row.form), current: row === current, group: row.group || '' }))
		.sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
		.map((item) => ({ ...item, group: t(GROUPS.get(item.group) || 'place.groupMore') }));

	if (rows.length === 0)
		return nothing;
	const name = current ? title(current) : someOf(rows, title);

	return html`<nav class="places" aria-label=${t('place.label')}>
		<lamp-menu label=${t('place.menu', { name })} .items=${items}
			.face=${html`<span class="places-face" aria-current=${current ? 'page' : nothing}>${
				icon(current?.icon || 'rooms')}<span class="places-name">${name}</span>${
				icon('chevron')}</span>`}></lamp-menu></nav>`;
}

/** What is behind the menu, for who has never opened it: two of its places. */
function someOf(rows, title)
{
	const known = ['agents', 'projects'].map((form) => rows.find((row) => row.form === form));
	const [first, second] = known.every(Boolean) ? known : rows;

	return second ? t('place.some', { first: title(first), second: title(second) }) : title(first);
}

function foot({ session: { me }, theme }, help)
{
	return html`<div class="side-foot">
		<span class="user-name" title=${me.user || ''}>${me.name || me.user}</span>
		<fieldset class="theme"><legend class="sr-only">${t('theme.label')}</legend>
			${[['', 'system'], ['light', 'sun'], ['dark', 'moon']].map(
				([choice, drawing]) => html`
				<label title=${t(`theme.${choice || 'system'}`)}>
					<input type="radio" name="theme" value=${choice} class="sr-only"
						.checked=${theme.choice === choice}
						@change=${() => theme.set(choice)}>
					${icon(drawing)}
					<span class="sr-only">${t(`theme.${choice || 'system'}`)}</span>
				</label>`)}
		</fieldset>
		<button type="button" class="icon-button" aria-label=${t('help.open')}
			title=${t('help.open')} @click=${help}>${icon('keyboard')}</button>
	</div>`;
}
