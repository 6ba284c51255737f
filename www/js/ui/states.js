// SPDX-License-Identifier: MIT
// The page without a conversation: starting, failed to start, a new chat, and
// an address that shows nothing.
import { html, nothing } from '../../vendor/lit.js';
import { errorText, greeting } from '../format.js';
import { LINK } from '../markdown.js';
import { t } from '../strings.js';
import { icon, lantern } from './icons.js';

/**
 * This many fit beside the message field; a low window shows fewer
 * (layout.css).
 */
const SUGGESTIONS = 4;

export function startingView()
{
	return html`<main class="centre"><h1 class="sr-only">${t('app.name')}</h1>
		<div class="big-lantern">${lantern('lit')}</div>
		<p class="sr-only">${t('app.loading')}</p></main>`;
}

/** The page could not start. @param again tries it again */
export function startFailedView(error, again)
{
	const out = error.status === 401;

	return html`<main class="centre"><div class="centre" role="alert">
		<div class="big-lantern out">${lantern()}</div>
		<h1>${t('error.startTitle')}</h1>
		<p>${errorText(error)}</p>
		${error.requestId ? html`<p class="muted">${
			t('error.ref', { id: error.requestId })}</p>` : nothing}
		<button type="button" class="button button-main"
			@click=${() => out ? location.reload() : again()}
			>${out ? t('error.reload') : t('app.retry')}</button>
	</div></main>`;
}

/** A conversation could not be loaded. */
export function loadFailedView(error, { again, newChat })
{
	const lost = error.code === 'not_found';

	// in the place of the message field, for the link that skips to it
	return html`<div class="centre" role="alert" id="composer">
		<div class="big-lantern out">${lantern()}</div>
		<h2>${errorText(error)}</h2>
		<button type="button" class="button button-main"
			@click=${lost ? newChat : again}>${
			lost ? t('error.toNew') : t('app.retry')}</button>
	</div>`;
}

export function loadingView()
{
	return html`<div class="centre"><span class="spinner big"></span>
		<p class="sr-only">${t('app.loading')}</p></div>`;
}

/**
 * A new chat.
 * @param off true if nobody can chat
 */
export function emptyView({ me, space, agent, off, send })
{
	const first = (me.name || '').split(/\s+/)[0];
	const hello = first && me.identityKind !== 'anonymous' ?
		t('empty.named', { greeting: greeting(), name: first }) : greeting();
	// what the workspace suggests is meant for its own agent
	const own = !agent || agent.isDefault;
	const suggestions = off ? [] : [agent?.userPrompt, ...own && space?.suggestions || []]
		.filter(Boolean).slice(0, SUGGESTIONS);
	const links = off ? [] : space?.suggestedActions || [];

	return html`<div class="empty">
		<div class="big-lantern">${lantern(off ? '' : 'lit')}</div>
		<p class="empty-hello">${hello}</p>
		<p class="empty-text" dir="auto">${own ? space?.description || t('empty.text') :
			agent.description || t('empty.with', { name: agent.name })}</p>
		${suggestions.length > 0 ? html`
			<ul class="suggestions" aria-label=${t('empty.suggestions')}>
				${suggestions.map((text) => html`<li>
					<button type="button" class="suggestion"
						@click=${() => send(text)}><span class="suggestion-text" dir="auto">${text}</span></button></li>`)}
			</ul>` : nothing}
		${linksView(links)}
	</div>`;
}

/** Why nobody can chat here. */
export function offView()
{
	return html`<div class="banner" role="status">${icon('warning')}
		<p>${t('error.chat_disabled')}</p></div>`;
}

/** Suggested links: {label, url}. They do nothing by themselves. */
export function linksView(links)
{
	const good = links.filter(({ url, label }) => label && LINK.test(url));

	return good.length === 0 ? nothing : html`<div class="suggested" role="group"
		aria-label=${t('message.suggested')}>${good.map(({ url, label }) => html`<a
			href=${url} target="_blank" rel="noopener noreferrer nofollow"
			title=${url}>${label}${icon('link')}</a>`)}</div>`;
}
