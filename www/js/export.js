// SPDX-License-Identifier: MIT
// A conversation as a file: Markdown, JSON, or HTML that needs nothing else.
import { moment, sourceName, toolName } from './format.js';
import { t } from './strings.js';
import { groupRows, Turn } from './store/turn.js';

/** Longer conversations are exported in part; the server's command exports all. */
const MOST_MESSAGES = 20000;
const PAGE = 200;

/** It runs and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** What an exported page looks like. */
const STYLE = `body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif;
color:#1d1b18;background:#fff}h1{font-size:1.4rem}h2{margin:1.6rem 0 .4rem;font-size:.9rem;color:#5c564c}
pre{padding:.75rem;overflow:auto;background:#f4f1ec}table{border-collapse:collapse}
td,th{padding:.25rem .5rem;border:1px solid #cfc8bc;text-align:start}blockquote{margin-inline:0;
padding-inline-start:1rem;border-inline-start:3px solid #cfc8bc}.user{white-space:pre-wrap}
.meta{color:#5c564c;font-size:.85rem}@media(prefers-color-scheme:dark){body{color:#ece7df;background:#1a1815}
pre{background:#26231f}h2,.meta{color:#b3ab9e}}`;

/**
 * Reads a whole conversation.
 * @param titles whether the titles of sources, too, which are not stored with it
 * @returns {Promise<{conversation: any, rows: any[], told: Map<string, any[]>}>} rows: oldest
 *          first; told: the sources of answers by their ids
 */
export async function readWhole(api, id, titles)
{
	const conversation = await api.conversation(id);
	const rows = [];
	let cursor = null;

	do {
		const page = await api.messages(id, { cursor, pageSize: PAGE });

		rows.unshift(...[...page.items].reverse());
		cursor = page.nextCursor;
	} while (cursor !== null && rows.length < MOST_MESSAGES);
	const told = new Map();

	for (const { messageId, metadata } of titles ? rows : []) {
		if (metadata?.sources?.length > 0)
			told.set(messageId, (await api.sources(messageId)).items);
	}
	return { conversation, rows, told };
}

/** Its turns, as a person reads them. */
function turnsOf({ rows, told })
{
	return groupRows(rows).map((group) => {
		const turn = Turn.fromRows(group);

		if (told.has(turn.answerId))
			turn.tellSources(told.get(turn.answerId));
		return turn;
	});
}

/** What the numbers of an answer mean: those that it names, or all that it was given. */
function sourcesOf(turn)
{
	const cited = new Set(turn.meta.citations?.cited);

	return turn.sources.filter(({ number }) => cited.size === 0 || cited.has(number))
		.map((source) => `[${source.number}] ${sourceName(source)}`);
}

function titleOf({ conversation })
{
	return conversation.title || t('list.untitled');
}

/** The names of the tools that were called. */
function toolsOf(turn)
{
	return turn.parts.filter(({ kind }) => kind === 'tool')
		.map(({ name, title }) => title || toolName(name));
}

function filesOf(turn)
{
	return (turn.user?.metadata?.attachments || []).map(({ name }) => name);
}

/** A text in one line of Markdown, none of which is markup. */
function plain(text)
{
	return text.replace(/\s+/g, ' ').replace(/([\\`*_[\]<>#|~])/g, '\\$1');
}

function toMarkdown(whole)
{
	const parts = [`# ${plain(titleOf(whole))}`, moment(whole.conversation.createdAt)];

	for (const turn of turnsOf(whole)) {
		if (turn.user)
			parts.push(`## ${t('export.user')}`, turn.user.content,
				...filesOf(turn).map((name) => `- ${plain(name)}`));
		if (turn.text || turn.failure || turn.parts.length > 0)
			parts.push(`## ${t('message.assistant')}`);
		if (turn.corrected)
			parts.push(`*${t('correct.others')}*`);
		if (toolsOf(turn).length > 0)
			parts.push(`*${plain(t('export.tools', { names: toolsOf(turn).join(', ') }))}*`);
		parts.push(turn.text || turn.failure?.message || '',
			sourcesOf(turn).map((source) => `- ${plain(source)}`).join('\n'));
	}
	return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function element(name, text, className = '')
{
	const made = document.createElement(name);

	made.textContent = text;
	if (className)
		made.className = className;
	return made;
}

function toHtmlPage(wholes)
{
	const body = document.createElement('body');
	const title = element('title', titleOf(wholes[0]));

	for (const whole of wholes) {
		body.append(element('h1', titleOf(whole)),
			element('p', moment(whole.conversation.createdAt), 'meta'));
		for (const turn of turnsOf(whole)) {
			if (turn.user) {
				body.append(element('h2', t('export.user')),
					element('div', turn.user.content, 'user'));
				for (const name of filesOf(turn))
					body.append(element('p', name, 'meta'));
			}
			if (turn.text || turn.failure || turn.parts.length > 0)
				body.append(element('h2', t('message.assistant')));
			if (turn.corrected)
				body.append(element('p', t('correct.others'), 'meta'));
			if (toolsOf(turn).length > 0)
				body.append(element('p', t('export.tools',
					{ names: toolsOf(turn).join(', ') }), 'meta'));
			if (turn.text)
				body.append(answer(turn.text));
			else if (turn.failure)
				body.append(element('p', turn.failure.message || ''));
			for (const source of sourcesOf(turn))
				body.append(element('p', source, 'meta'));
		}
	}
	// the policy of this page does not let it make elements with styles
	return `<!doctype html>\n<html lang="${document.documentElement.lang}"><head><meta charset="utf-8">${
		''}<meta http-equiv="Content-Security-Policy" content="${POLICY}">${title.outerHTML}<style>${
		STYLE}</style></head>${body.outerHTML}</html>\n`;
}

/** An answer as the page shows it, without its buttons. */
function answer(text)
{
	const shown = document.createElement('lamp-markdown');
	const box = document.createElement('div');

	/** @type {any} */ (shown).source = { text, live: false };
	for (const control of shown.querySelectorAll('button, .code-bar'))
		control.remove();
	box.append(...shown.childNodes);
	return box;
}

/**
 * Conversations as one file.
 * @param {'markdown' | 'json' | 'html'} format
 * @returns {{name: string, type: string, text: string}}
 */
export function exported(wholes, format)
{
	const stem = wholes.length === 1 ? titleOf(wholes[0]) : t('export.many', { n: wholes.length });
	const name = stem.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 80) || 'chat';

	if (format === 'json') {
		const data = wholes.map(({ conversation, rows }) => ({ ...conversation, messages: rows }));

		return { name: `${name}.json`, type: 'application/json',
			text: `${JSON.stringify(data.length === 1 ? data[0] : data, null, '\t')}\n` };
	}
	return format === 'html' ?
		{ name: `${name}.html`, type: 'text/html', text: toHtmlPage(wholes) } :
		{ name: `${name}.md`, type: 'text/markdown',
			text: wholes.map(toMarkdown).join('\n---\n\n') };
}
