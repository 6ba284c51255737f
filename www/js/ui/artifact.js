// SPDX-License-Identifier: MIT
// <lamp-artifact>: a block of code of the thread, opened beside it: HTML and SVG in a
// sandbox, a diagram, a table, a text. Its versions are the blocks that it is one of.
import { html, nothing } from '../../vendor/lit.js';
import { tableOfCsv, titleOf, versionsOf } from '../artifacts.js';
import { copyText, save } from '../clipboard.js';
import { fileName } from '../code.js';
import { highlight } from '../markdown.js';
import { Watch } from '../observable.js';
import { confined, openSandbox } from '../sandbox.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './diagram.js';
import './markdown.js';
import './table.js';

export class LampArtifact extends PageElement {
	static properties = {
		thread: { attribute: false },
		/** the versions, oldest first; empty: closed */
		versions: { state: true },
		at: { state: true },
		asCode: { state: true },
		still: { state: true },
		copied: { state: true },
	};

	#from = null;
	#shown = null;
	#count = 0;
	#close = null;

	constructor()
	{
		super();
		/** @type {import('../store/thread.js').Thread} */
		this.thread = undefined;
		/** @type {import('../artifacts.js').Block[]} */
		this.versions = [];
		this.at = 0;
		this.asCode = false;
		this.still = false;
		this.copied = false;
		new Watch(this, () => this.thread);
	}

	/** Opens the block that a box of code in the thread has. */
	async open(box)
	{
		const boxes = this.#boxes();

		this.#from = box.querySelector('.code-open');
		this.#read(boxes, boxes.indexOf(box));
		this.asCode = false;
		// versions of it may stand in turns that are not drawn yet
		box.closest('lamp-thread')?.drawAll().then(() => this.requestUpdate());
		await this.updateComplete;
		this.querySelector('h2')?.focus();
	}

	close()
	{
		const from = this.#from;

		this.versions = [];
		this.#from = null;
		// in a narrow window it is hidden until then
		this.updateComplete.then(() => from?.focus());
	}

	#boxes()
	{
		return [...document.querySelectorAll('lamp-thread .answer .code[data-kind]')];
	}

	#read(boxes, at)
	{
		const blocks = boxes.map((box) => {
			const pre = box.querySelector('pre');

			return { kind: /** @type {any} */ (box.dataset.kind), name: pre.dataset.name || '',
				text: pre.textContent };
		});
		const places = at < 0 ? [] : versionsOf(blocks, at);

		this.#count = boxes.length;
		this.versions = places.map((place) => blocks[place]);
		this.at = places.indexOf(at);
	}

	willUpdate(changed)
	{
		if (changed.has('thread') && this.versions.length > 0)
			this.versions = [];
	}

	/** A version that has come meanwhile is shown if the newest one was. */
	#look()
	{
		const boxes = this.#boxes();
		const shown = this.versions[this.at];

		if (!shown || this.thread?.live || boxes.length === this.#count)
			return;
		const newest = this.at === this.versions.length - 1;
		const mine = boxes.findLastIndex((box) => box.dataset.kind === shown.kind &&
			box.querySelector('pre').textContent === shown.text);

		this.#count = boxes.length;
		if (mine < 0)
			return;
		this.#read(boxes, mine);
		if (newest)
			this.at = this.versions.length - 1;
	}

	updated()
	{
		const block = this.versions[this.at];
		const box = this.querySelector('.artifact-sandbox');

		this.toggleAttribute('open', Boolean(block));
		this.closest('lamp-app')?.toggleAttribute('beside', Boolean(block));
		// the answer is drawn after its thread is
		if (block)
			setTimeout(() => this.#look(), 0);
		if (!box) {
			this.#stop();
			return;
		}
		if (this.#shown === block)
			return;
		this.#stop();
		this.#shown = block;
		this.#close = openSandbox(box, confined(block.text), { title: this.#title(block),
			ready: (scripts) => { this.still = !scripts; } });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#stop();
	}

	#stop()
	{
		this.#close?.();
		this.#close = null;
		this.#shown = null;
	}

	#title(block)
	{
		return titleOf(block) || t(`artifact.${block.kind}`);
	}

	render()
	{
		const block = this.versions[this.at];

		if (!block)
			return nothing;
		const view = (code, drawing, text) => html`<button type="button" class="view-button"
			aria-pressed=${this.asCode === code} @click=${() => { this.asCode = code; }}
			>${icon(drawing)}<span>${text}</span></button>`;

		return html`<section class="artifact" aria-labelledby="artifact-title"
			@keydown=${(event) => {
				if (event.key === 'Escape' && !event.defaultPrevented)
					this.close();
			}}>
			<header class="artifact-head">
				<h2 id="artifact-title" tabindex="-1" dir="auto">${this.#title(block)}</h2>
				${this.#stepper()}
				<button type="button" class="icon-button" aria-label=${t('code.copyLabel')}
					title=${this.copied ? t('message.copied') : t('code.copyLabel')}
					@click=${() => this.#copy(block.text)}>${icon(this.copied ? 'check' : 'copy')}</button>
				<button type="button" class="icon-button" aria-label=${t('code.saveLabel')}
					title=${t('code.saveLabel')} @click=${() => save({ text: block.text,
						type: 'text/plain', name: fileName(block.kind, block.name) })}>${icon('download')}</button>
				<button type="button" class="icon-button" aria-label=${t('app.close')}
					title=${t('app.close')} @click=${() => this.close()}>${icon('close')}</button>
			</header>
			<div class="artifact-bar"><div class="views" role="group" aria-label=${t('artifact.view')}>
				${view(false, 'eye', t('artifact.preview'))}${view(true, 'code', t('artifact.code'))}
			</div>
			${this.still && !this.asCode && this.#isSandboxed(block) ?
				html`<p class="muted">${t('artifact.still')}</p>` : nothing}</div>
			<div class="artifact-body">${this.asCode ? this.#code(block) : this.#view(block)}</div>
		</section>`;
	}

	#stepper()
	{
		const { length } = this.versions;
		const step = (by, drawing, text) => html`<button type="button" class="icon-button"
			aria-label=${text} title=${text} ?disabled=${!this.versions[this.at + by]}
			@click=${() => { this.at += by; }}>${icon(drawing)}</button>`;

		return length < 2 ? nothing : html`<div class="artifact-versions" role="group"
			aria-label=${t('artifact.versions')}>${step(-1, 'back', t('artifact.earlier'))}
			<span aria-live="polite">${t('artifact.version', { at: this.at + 1, n: length })}</span>
			${step(1, 'chevron', t('artifact.later'))}</div>`;
	}

	#isSandboxed({ kind })
	{
		return kind === 'html' || kind === 'svg';
	}

	#view(block)
	{
		if (block.kind === 'csv') {
			return html`<lamp-table .table=${tableOfCsv(block.text)} name=${this.#title(block)}
				></lamp-table>`;
		}
		if (block.kind === 'markdown') {
			return html`<lamp-markdown .source=${{ text: block.text, live: false }}
				></lamp-markdown>`;
		}
		if (block.kind === 'mermaid')
			return html`<lamp-diagram .source=${block.text}></lamp-diagram>`;
		return html`<div class="artifact-sandbox"></div>`;
	}

	#code(block)
	{
		const code = document.createElement('code');

		code.textContent = block.text;
		highlight(code, block.kind === 'svg' ? 'xml' : block.kind === 'html' ? 'html' : block.kind);
		return html`<pre class="artifact-code" dir="ltr" tabindex="0" role="group"
			aria-label=${t('code.region')}>${code}</pre>`;
	}

	async #copy(text)
	{
		this.copied = await copyText(text);
		this.emit('lamp-say', {
			text: this.copied ? t('message.copied') : t('message.copyFailed') });
		setTimeout(() => { this.copied = false; }, 1800);
	}
}

customElements.define('lamp-artifact', LampArtifact);
