// SPDX-License-Identifier: MIT
// <lamp-documents>: the documents of a knowledge base on its page: what is in it, to
// read (lamp-document: {base, id, title}), and how far the indexing is; where the user
// may change it, files to add (button, drop), with their progress and errors.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './passages.js';

const LOOK_MS = 2000;	// while something is queued
const PAGE = 50;

let keys = 0;

class LampDocuments extends PageElement {
	static properties = {
		api: { attribute: false },
		/** id of the base */
		base: {},
		/** they may be added and removed */
		editable: { type: Boolean },
		/** new ones are not indexed */
		paused: { type: Boolean },
		items: { state: true },
		counts: { state: true },
		uploads: { state: true },
		error: { state: true },
		cursor: { state: true },
	};

	#timer = 0;
	/** looks in a row that failed */
	#failures = 0;

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.base = '';
		this.editable = false;
		this.paused = false;
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		this.items = null;
		this.counts = null;
		this.uploads = [];
		this.error = null;
		this.cursor = null;
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
		for (const { abort } of this.uploads)
			abort.abort();
	}

	updated(changes)
	{
		if (changes.has('base') || changes.has('editable'))
			this.#look(changes.has('base'));
	}

	/**
	 * Reads the first page and the counts; again while something is queued, and less often
	 * while that fails. What was listed behind that page stays.
	 */
	async #look(changed = false)
	{
		const { base } = this;
		let rest = LOOK_MS;

		clearTimeout(this.#timer);
		try {
			// In this order: what is no longer queued is listed as it is now.
			const counts = this.editable ? await this.api.documentCounts(base) : null;
			const { items, nextCursor } = await this.api.documents(base, { pageSize: PAGE });

			if (base !== this.base)
				return;
			const old = changed ? [] : this.items || [];
			const at = nextCursor === null ? -1 :
				old.findIndex(({ id }) => id === items.at(-1).id);
			const rest = at < 0 ? [] : old.slice(at + 1);

			this.items = [...items, ...rest];
			if (!rest.length)
				this.cursor = nextCursor;
			this.counts = counts;
			this.error = null;
			this.#failures = 0;
		} catch (error) {
			this.error = error;
			rest = error.restMs?.(++this.#failures, LOOK_MS) ?? null;
		}
		if (this.isConnected && rest !== null && (this.counts ? this.counts.queued > 0 || this.#lacksVectors() :
			this.items?.some(({ status }) => status === 'queued')))
			this.#timer = setTimeout(() => this.#look(), rest);
	}

	/** Whether vectors are being made. */
	#lacksVectors()
	{
		const { model, passages, vectors } = this.counts.embedding;

		return model !== null && vectors < passages;
	}

	async #more()
	{
		await this.#try(async () => {
			const { items, nextCursor } = await this.api.documents(this.base,
				{ pageSize: PAGE, cursor: this.cursor });

			this.items = [...this.items, ...items];
			this.cursor = nextCursor;
		});
	}

	async #try(what)
	{
		this.error = null;
		try {
			await what();
		} catch (error) {
			this.error = error;
		}
	}

	render()
	{
		const { items, counts } = this;

		return html`<section class="documents" @dragover=${this.#onDragOver}
			@drop=${this.#onDrop}>
			<h2>${t('documents.title')}</h2>
			${counts ? html`<p class="muted" role="status">${t('documents.counts', counts)}${
				this.#lacksVectors() ? html`. ${t('documents.vectors', counts.embedding)}`
					: nothing}</p>` : nothing}
			${this.paused ? html`<p class="note">${t('documents.paused')}</p>` : nothing}
			${counts?.embedding.error ? html`<p class="form-error">${icon('warning')}<span>${
				counts.embedding.error}</span></p>` : nothing}
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(this.error)}</span></p>` : nothing}
			${this.editable ? html`<label class="button file-button">
				<input type="file" multiple class="sr-only" @change=${this.#onChosen}>
				${icon('plus')}<span>${t('documents.add')}</span></label>
				<span class="muted documents-drop">${t('documents.drop')}</span>` : nothing}
			${this.uploads.length ? html`<ul class="file-cards">${repeat(this.uploads,
				({ key }) => key, (item) => this.#upload(item))}</ul>` : nothing}
			${items?.length === 0 ? html`<p class="muted">${t('documents.none')}</p>` : nothing}
			<ul class="children-rows">${repeat(items || [], ({ id }) => id,
				(item) => this.#row(item))}</ul>
			${this.cursor ? html`<button type="button" class="chip-button"
				@click=${() => this.#more()}>${t('rows.more')}</button>` : nothing}
		</section>`;
	}

	#upload(item)
	{
		const remove = t('file.remove', { name: item.name });

		return html`<li class="file-card ${item.error ? 'failed' : 'sending'}">
			<span class="file-name" dir="auto">${item.name}</span>
			${item.error ? html`<span class="file-problem" role="alert">${
				failureText(item.error)}</span>`
				: html`<progress max="100" value=${item.percent}
					aria-label=${t('file.sending', { name: item.name })}></progress>`}
			<button type="button" class="icon-button" aria-label=${remove} title=${remove}
				@click=${() => this.#forget(item)}>${icon('close')}</button></li>`;
	}

	#row(item)
	{
		const remove = t('form.removeOf', { name: item.title });
		const load = t('documents.download', { name: item.title });

		return html`<li class="children-row document ${item.status}"><span>
			${item.status === 'ready' ? html`<button type="button" class="document-title"
				dir="auto" @click=${() => this.emit('lamp-document',
					{ base: this.base, id: item.id, title: item.title })}
				>${item.title}</button>` : html`<span dir="auto">${item.title}</span>`}
			${item.status === 'ready' ? nothing : html`<span class="muted">${
				item.pages && item.pagesRead !== null
					? t('documents.read', { n: item.pagesRead, pages: item.pages })
					: t(item.status === 'queued' ? 'documents.queued'
						: 'documents.failed')}</span>`}
			${item.error ? html`<span class="file-problem">${item.error}</span>` : nothing}
			${item.embeddingError ? html`<span class="file-problem">${item.embeddingError
				}</span>` : nothing}
			</span>
			${item.fileName ? html`<a class="icon-button" download=${item.fileName}
				href=${this.api.documentUrl(this.base, item.id)}
				aria-label=${load} title=${t('source.download')}>${icon('download')}</a>`
				: nothing}
			${this.editable && item.status === 'failed' ? html`<button type="button"
				class="icon-button" aria-label=${t('app.retry')} title=${t('app.retry')}
				@click=${() => this.#again(item)}>${icon('retry')}</button>` : nothing}
			${this.editable ? html`<button type="button" class="icon-button"
				aria-label=${remove} title=${t('form.remove')}
				@click=${() => this.#remove(item)}>${icon('trash')}</button>` : nothing}</li>`;
	}

	#onChosen = (event) => {
		this.#add(event.target.files);
		event.target.value = '';
	};

	#onDragOver = (event) => {
		if (this.editable && event.dataTransfer.types.includes('Files'))
			event.preventDefault();
	};

	#onDrop = (event) => {
		if (!this.editable || !event.dataTransfer.files.length)
			return;
		event.preventDefault();
		this.#add(event.dataTransfer.files);
	};

	/** One after the other: a base takes them in that order. */
	async #add(files)
	{
		const added = [...files].map((file) => ({ key: ++keys, name: file.name, file,
			percent: 0, error: null, abort: new AbortController() }));

		this.uploads = [...this.uploads, ...added];
		for (const item of added) {
			if (!item.abort.signal.aborted)
				await this.#send(item);
		}
		await this.#look();
	}

	async #send(item)
	{
		try {
			await this.api.writeDocument(this.base, item.file, {
				signal: item.abort.signal,
				progress: (percent) => {
					item.percent = percent;
					this.requestUpdate();
				} });
			this.#forget(item);
		} catch (error) {
			item.error = error;
			this.requestUpdate();
		}
	}

	#forget(item)
	{
		item.abort.abort();
		this.uploads = this.uploads.filter((other) => other !== item);
	}

	async #again(item)
	{
		await this.#try(() => this.api.retryDocument(this.base, item.id));
		await this.#look();
	}

	async #remove(item)
	{
		if (!await this.confirm(t('form.removeTitle', { name: item.title }),
			t('documents.removeText', { name: item.title }), t('form.remove')))
			return;
		await this.#try(async () => {
			await this.api.removeDocument(this.base, item.id);
			this.items = this.items.filter(({ id }) => id !== item.id);
		});
		await this.#look();
	}
}

customElements.define('lamp-documents', LampDocuments);

export const documentsPart = {
	above: ({ api, draft, confirm }) => (draft.isNew ? nothing : html`<lamp-documents
		.api=${api} .base=${draft.id} .editable=${draft.canEdit}
		.paused=${Boolean(draft.record?.paused)} .confirm=${confirm}></lamp-documents>`),
	beside: ({ api, draft }) => (draft.isNew ? nothing : html`<lamp-passages
		.api=${api} .base=${draft.id}></lamp-passages>`),
};
