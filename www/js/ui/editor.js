// SPDX-License-Identifier: MIT
// <lamp-editor>: the control of a text in Markdown, with a preview: beside it where there is
// room, else in its place.
import { html, live, nothing } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import './markdown.js';

/** The preview follows when the typing pauses; the longer a drawing takes, the later. */
const WAIT_MS = 200;
const SHARE = 6;

export class LampEditor extends PageElement {
	static properties = {
		name: { type: String },
		label: { type: String },
		value: { attribute: false },
		described: { type: String },
		invalid: { type: Boolean },
		/** 'write' or 'read': what is shown where there is no room for both */
		mode: { state: true },
	};

	#timer = 0;
	#wait = WAIT_MS;
	#drawn = null;

	constructor()
	{
		super();
		this.name = '';
		this.label = '';
		this.value = '';
		this.described = '';
		this.invalid = false;
		this.mode = '';
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	willUpdate()
	{
		// what there is, is read first
		this.mode ||= this.value ? 'read' : 'write';
	}

	updated()
	{
		if (this.value === this.#drawn)
			return;
		clearTimeout(this.#timer);
		if (this.#drawn === null)
			this.#draw();
		else
			this.#timer = setTimeout(() => this.#draw(), this.#wait);
	}

	#draw()
	{
		const start = performance.now();

		this.#drawn = this.value;
		this.querySelector('lamp-markdown').source = { text: this.value, live: false };
		this.#wait = Math.max(WAIT_MS, SHARE * (performance.now() - start));
	}

	render()
	{
		const { mode } = this;

		return html`<div class="editor" data-mode=${mode}>
			<div class="editor-bar" role="group" aria-label=${t('editor.view')}>
				${[['write', 'editor.write'], ['read', 'editor.read']].map(([key, text]) => html`
					<button type="button" class="chip-button" aria-pressed=${mode === key ? 'true' :
						'false'} @click=${() => this.#show(key)}>${t(text)}</button>`)}
			</div>
			<textarea id=${this.name} dir=${this.value ? 'auto' : nothing} class="field-text field-code editor-text" spellcheck="true"
				aria-describedby=${this.described || nothing}
				aria-invalid=${this.invalid ? 'true' : nothing}
				.value=${live(this.value)} @input=${(event) => this.emit('lamp-typed',
					{ value: event.target.value })}></textarea>
			<div class="editor-preview" role="region" tabindex="0"
				aria-label=${t('editor.previewOf', { label: this.label })}>
				<lamp-markdown></lamp-markdown>
				${this.value.trim() ? nothing : html`<p class="muted">${t('editor.empty')}</p>`}</div>
		</div>`;
	}

	async #show(mode)
	{
		this.mode = mode;
		await this.updateComplete;
		if (mode === 'write')
			this.querySelector('textarea').focus();
	}
}

customElements.define('lamp-editor', LampEditor);
