// SPDX-License-Identifier: MIT
// Files of a message: attachButton and <lamp-attachments> in the composer
// accept them (drop, paste), and the latter shows their progress;
// attachmentCards shows those of a stored message.
import { html, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

class LampAttachments extends PageElement {
	static properties = {
		uploads: { attribute: false },
		disabled: { type: Boolean },
	};

	constructor()
	{
		super();
		/** @type {import('../store/uploads.js').Uploads} */
		this.uploads = undefined;
		this.disabled = false;
		new Watch(this, () => this.uploads);
	}

	render()
	{
		return this.uploads.items.length ? html`<ul class="file-cards">
			${this.uploads.items.map((item) => this.#card(item))}</ul>` : nothing;
	}

	#card(item)
	{
		const percent = item.size ? Math.floor(100 * item.sent / item.size) : 100;
		const problem = item.error ? failureText(item.error) : item.record?.problem;

		return html`<li class="file-card ${item.state}" title=${problem || item.name}>
			${item.preview ? html`<img class="file-preview" alt="" src=${item.preview}>` : nothing}
			${this.#name(item)}
			${item.state === 'sending' ? html`<progress max="100" value=${percent}
				aria-label=${t('file.sending', { name: item.name })}></progress>` : nothing}
			${problem ? html`<span class="file-problem" role="alert">${problem}</span>` : nothing}
			${item.state === 'failed' && item.file ? html`<button type="button" class="icon-button"
				aria-label=${t('app.retry')} title=${t('app.retry')}
				@click=${() => this.uploads.again(item)}>${icon('retry')}</button>` : nothing}
			<button type="button" class="icon-button"
				aria-label=${t('file.remove', { name: item.name })}
				title=${t('file.remove', { name: item.name })}
				@click=${() => this.uploads.remove(item)}>${icon('close')}</button>
		</li>`;
	}

	/** A link to the text, once there is one: what a model will read. */
	#name({ name, record })
	{
		return record?.textChars ? html`<a class="file-name" dir="auto" target="_blank"
			rel="noopener" title=${t('file.text')}
			href="api/v1/attachments/${encodeURIComponent(record.id)}/text">${name}</a>`
			: html`<span class="file-name" dir="auto">${name}</span>`;
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.composer = this.closest('.composer');
		this.composer.addEventListener('dragover', this.#onDragOver);
		this.composer.addEventListener('drop', this.#onDrop);
		this.composer.addEventListener('paste', this.#onPaste);
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.composer.removeEventListener('dragover', this.#onDragOver);
		this.composer.removeEventListener('drop', this.#onDrop);
		this.composer.removeEventListener('paste', this.#onPaste);
	}

	#onDragOver = (event) => {
		if (!this.disabled && event.dataTransfer.types.includes('Files'))
			event.preventDefault();
	};

	#onDrop = (event) => {
		if (this.disabled || !event.dataTransfer.files.length)
			return;
		event.preventDefault();
		this.uploads.add(event.dataTransfer.files);
	};

	/**
	 * Text is pasted as text, even if a program also offers a picture of
	 * it.
	 */
	#onPaste = (event) => {
		const { files, types } = event.clipboardData;

		if (this.disabled || !files.length || types.includes('text/plain'))
			return;
		event.preventDefault();
		this.uploads.add(files);
	};
}

/**
 * The button that chooses files.
 * @param disabled true if nobody can chat
 */
export function attachButton(uploads, disabled)
{
	return html`<label class="icon-button file-button" title=${t('file.title')}>
		<input type="file" multiple class="sr-only" ?disabled=${disabled}
			aria-label=${t('file.add')} @change=${({ target }) => {
				uploads.add(target.files);
				target.value = '';
			}}>${icon('clip')}</label>`;
}

/** The files of a stored message, each a link to download it. */
export function attachmentCards(row)
{
	const files = row.metadata?.attachments;

	return files?.length ? html`<ul class="file-cards" aria-label=${t('file.list')}>
		${files.map((file) => html`<li class="file-card">${!file.id ? html`<span
			class="file-name" dir="auto">${file.name}</span>` : html`<a class="file-name" dir="auto"
			href="api/v1/attachments/${encodeURIComponent(file.id)}/content"
			download=${file.name}>${file.name}</a>`}</li>`)}</ul>` : nothing;
}

customElements.define('lamp-attachments', LampAttachments);
