// SPDX-License-Identifier: MIT
// The sources of an answer: sourcesView lists them below it; <lamp-source>
// shows one in its document. Each time it is opened, the server is asked what
// the reader may still see.
import { html, nothing } from '../../vendor/lit.js';
import { errorText, sourceName } from '../format.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './markdown.js';

/** Addresses of untrusted documents: http and https only. */
const WEB = /^https?:\/\//i;

/**
 * @param turn    with sources
 * @param open    called with the number of one
 * @param unfolds called when the list is opened, for the titles
 */
export function sourcesView(turn, { open, unfolds })
{
	const { sources, meta: { citations }, running } = turn;
	const cited = new Set(citations?.cited);
	const used = sources.filter(({ number }) => cited.has(number));
	const others = sources.filter(({ number }) => !cited.has(number));
	// what was looked at and answers nothing is no source of the answer
	const none = citations && !running && used.length === 0;
	const n = citations && !none ? used.length : sources.length;
	const list = (some) => html`<ol>${some.map((source) => sourceView(source,
		cited.has(source.number), open))}</ol>`;

	return html`<details class="sources ${none ? 'sources-none' : ''}" @toggle=${(event) => {
			if (event.target.open)
				unfolds();
		}}>
		<summary>${icon('book')}<span>${t(none ? 'source.unused' : 'source.list', { n })}</span>
			<span class="tool-chevron">${icon('chevron')}</span></summary>
		${used.length === 0 ? list(sources) : html`${list(used)}${others.length === 0 ? nothing : html`
			<p class="muted sources-others">${t('source.others')}</p>${list(others)}`}`}
	</details>`;
}

/** On paper, which nobody can press, with its passage and address. */
function sourceView(source, cited, open)
{
	return html`<li><button type="button" class="source-button" ?data-cited=${cited}
			?disabled=${source.gone} @click=${() => open(source.number)}>
			<span class="cite">${source.number}</span>
			<span dir="auto">${sourceName(source)}</span></button>
		${source.text ? html`<div class="source-printed" aria-hidden="true">
			${WEB.test(source.url) ? html`<p>${source.url}</p>` : nothing}
			<p dir="auto">${source.text.trim()}</p></div>` : nothing}</li>`;
}

export class LampSource extends PageElement {
	static properties = {
		api: { attribute: false },
		source: { state: true },
		excerpt: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
	}

	/** @param messageId of the answer; number: of the source; shared: whether it is of a share */
	show(messageId, number, shared)
	{
		return this.#open({ number }, async (asked) => {
			const { items } = await this.api.sources(messageId, shared);
			const source = items.find((item) => item.number === number);

			if (asked !== this.#asked)
				return;
			if (!source)
				this.error = t('source.goneText');
			else
				await this.#load(source, { chunk: source.chunkId });
		});
	}

	/** A document from its beginning, no source of an answer. */
	showDocument(base, id, title)
	{
		const source = { knowledgeBaseId: base, documentId: id, title, whole: true };

		return this.#open(source, () => this.#load(source, {}));
	}

	/** source: what is known of it; load(asked) gets the rest */
	async #open(source, load)
	{
		const asked = this.#asked = {};

		Object.assign(this, { source, excerpt: null, error: null });
		await this.updateComplete;
		const dialog = this.querySelector('dialog');

		if (!dialog.open)
			dialog.showModal();
		try {
			await load(asked);
		} catch (error) {
			if (asked === this.#asked)
				this.error = errorText(error);
		}
	}

	/** Loads a part of the document; an attachment has its passage only. */
	async #load(source, where)
	{
		const asked = this.#asked;
		const excerpt = source.documentId ?
			await this.api.excerpt(source.knowledgeBaseId, source.documentId, where) :
			{ found: true, page: source.page, pages: 0, before: '', after: '',
				passage: source.text };

		if (asked !== this.#asked)
			return;
		this.source = source;
		this.excerpt = excerpt;
		await this.updateComplete;
		(this.querySelector('.source-passage') || this.querySelector('.source-text'))
			?.scrollIntoView({ block: 'start' });
	}

	async #turnTo(page)
	{
		try {
			await this.#load(this.source, { page });
		} catch (error) {
			this.error = errorText(error);
		}
	}

	render()
	{
		const { number, title } = this.source || {};

		return html`<dialog class="dialog source-panel" aria-modal="true" aria-labelledby="source-title"
			@click=${(event) => {
				if (event.target === event.currentTarget)
					event.currentTarget.close('');
			}}>
			<div class="dialog-head">
				<h2 id="source-title">${number ? html`<span class="cite">${number}</span>` : nothing}
					<span dir="auto">${title || t('source.one')}</span></h2>
				<button type="button" class="icon-button" autofocus aria-label=${t('app.close')}
					title=${t('app.close')}
					@click=${() => this.querySelector('dialog').close()}
					>${icon('close')}</button>
			</div>
			${this.error ? html`<p class="source-problem" role="alert">${this.error}</p>`
				: this.excerpt ? this.#document(this.source, this.excerpt)
					: html`<p class="source-problem">${t('app.loading')}</p>`}
		</dialog>`;
	}

	#document(source, excerpt)
	{
		const url = source.url ?? excerpt.url;

		return html`<div class="source-bar">
				${excerpt.pages ? this.#pages(excerpt) : nothing}
				${WEB.test(url) ? html`<a href=${url} target="_blank"
					rel="noopener noreferrer nofollow">${icon('link')}${t('source.web')}</a>`
					: nothing}
				${source.attachmentId ? this.#download(source.title,
					`attachments/${source.attachmentId}`) : nothing}
				${excerpt.fileName ? this.#download(excerpt.fileName, `knowledge-bases/${
					source.knowledgeBaseId}/documents/${source.documentId}`) : nothing}
			</div>
			<div class="source-text" tabindex="0" role="region" aria-label=${t('source.text')}>
				${this.#text(source, excerpt)}
				${excerpt.cut ? html`<p class="note">${t('source.cut')}</p>` : nothing}
			</div>`;
	}

	#download(name, path)
	{
		return html`<a download=${name} href="api/v1/${path}/content"
			>${icon('download')}${t('source.download')}</a>`;
	}

	#pages({ page, pages })
	{
		return html`<span class="source-pages">
			<button type="button" class="icon-button" ?disabled=${page <= 1}
				aria-label=${t('source.back')} title=${t('source.back')}
				@click=${() => this.#turnTo(page - 1)}>${icon('back')}</button>
			<span>${t('source.pageOf', { page, pages })}</span>
			<button type="button" class="icon-button" ?disabled=${page >= pages}
				aria-label=${t('source.forth')} title=${t('source.forth')}
				@click=${() => this.#turnTo(page + 1)}>${icon('chevron')}</button>
		</span>`;
	}

	/**
	 * The passage within its page; if the document has changed, as it was.
	 */
	#text(source, { found, before, passage, after, page })
	{
		const part = (text) => (text.trim() ? html`<lamp-markdown
			.source=${{ text, live: false }}></lamp-markdown>` : nothing);

		if (found) {
			return html`${part(before)}
				<div class="source-passage" role="mark" aria-label=${t('source.passage')}
					>${part(passage)}</div>${part(after)}`;
		}
		if (source.whole || (page !== source.page && page))
			return part(`${before}${after}`);
		return html`<p class="note">${t('source.changed')}</p>
			<div class="source-passage">${part(source.text)}</div>`;
	}

	#asked = null;
}

customElements.define('lamp-source', LampSource);
