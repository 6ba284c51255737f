// What stands beside the conversation: workspace, new chat, the list, and at
// its foot who is here and the colours.
import { html, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { icon, lantern } from './icons.js';
import './list.js';

/**
 * @param page    {session, list, threads, theme}
 * @param actions {newChat(), closeDrawer(), workspace(id), help()}
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
		<lamp-list .list=${page.list} .busy=${page.threads.busy}
			current=${page.threads.current.conversationId}></lamp-list>
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
