// SPDX-License-Identifier: MIT
// <lamp-new-base>: files that become a knowledge base where one is chosen, so that whoever
// makes an agent for them does not leave its form.
import { html, live, nothing } from '../../vendor/lit.js';
import { failureText } from '../format.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';

const LOOK_MS = 1500;
/** As the server has it for the name of a base. */
const NAME_CHARS = 100;

/** What programs name files that nobody has named. */
const NAMELESS = /^(scan|img|image|document|doc|file|untitled|unnamed|download|new|page|copy|screenshot)?[\W\d_]*$/i;

/** A name for what is made of some files: the title of the first one, else the day. */
export function baseName(files, now = new Date())
{
	const words = files[0].name.replace(/\.[^.]*$/, '').replace(/[\s_-]+/g, ' ').trim();
	const name = words.charAt(0).toLocaleUpperCase() + words.slice(1);

	return NAMELESS.test(words) ? t('refs.newOn', { day: now.toLocaleDateString(locale(),
		{ dateStyle: 'long' }) }) : name.slice(0, NAME_CHARS);
}

class LampNewBase extends PageElement {
	static properties = {
		places: { attribute: false },
		/** how many files are sent, of how many; null: nothing is being sent */
		sent: { state: true },
		/** the name of the new base, and its id */
		made: { state: true },
		id: { state: true },
		/** how many of its documents could not be read; null: they are being read */
		unread: { state: true },
		/** what could not be read: {name, error} */
		failed: { state: true },
	};

	#timer = 0;
	/** the base whose documents are being read */
	#followed = '';

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {{n: number, of: number} | null} */
		this.sent = null;
		this.made = '';
		this.id = '';
		/** @type {number | null} */
		this.unread = null;
		/** @type {{name: string, error: any}[]} */
		this.failed = [];
	}

	render()
	{
		return html`<div class="new-base">
			<label class="button button-small file-button">
				<input type="file" multiple class="sr-only" ?disabled=${Boolean(this.sent)}
					@change=${this.#onChosen}>
				${icon('plus')}<span>${t('refs.new')}</span></label>
			<span class="muted" role="status">${this.sent ? t('refs.newSent', this.sent) :
				this.made ? this.#state() : t('refs.newHint')}</span>
			${this.made && !this.sent ? html`<label class="new-base-name"><span>${t('refs.newLabel')}</span>
				<input class="field-line" maxlength=${NAME_CHARS} autocomplete="off" .value=${live(this.made)}
					@change=${(event) => this.#rename(event.target.value.trim())}
					@keydown=${this.#onKey}></label>` : nothing}
			${this.failed.length === 0 ? nothing : html`<p class="form-error" role="alert">${
				icon('warning')}<span>${this.failed.map(({ name, error }) =>
				`${name}: ${failureText(error)}`).join(' ')}</span></p>`}</div>`;
	}

	/** It is not the form around it that is sent. */
	#onKey = (event) => {
		if (event.key !== 'Enter' || event.isComposing)
			return;
		event.preventDefault();
		event.target.blur();
	};

	async #rename(name)
	{
		const before = this.made;

		if (!name || name === before) {
			this.requestUpdate();
			return;
		}
		this.made = name;
		this.failed = [];
		try {
			await this.places.renameBase(this.id, name);
			this.emit('lamp-renamed', {});
			this.emit('lamp-say', { text: t('refs.newRenamed', { name }) });
		} catch (error) {
			this.made = before;
			this.failed = [{ name, error }];
		}
	}

	/** What is said of the new base. */
	#state()
	{
		return this.unread === null ? t('refs.newMade', { name: this.made }) :
			this.unread === 0 ? t('refs.newIndexed', { name: this.made }) :
				t('refs.newUnread', { name: this.made, n: this.unread });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		clearTimeout(this.#timer);
	}

	/** Asks until all of its documents have been read, and less often while that fails. */
	async #follow(id, failures = 0)
	{
		let counts = null;
		let rest = LOOK_MS;
		let failed = 0;

		try {
			counts = await this.places.progressOf(id);
		} catch (error) {
			failed = failures + 1;
			rest = error.restMs(failed, LOOK_MS);
		}
		if (id !== this.#followed)
			return;
		if (counts?.queued === 0)
			this.unread = counts.failed;
		else if (this.isConnected && rest !== null)
			this.#timer = window.setTimeout(() => this.#follow(id, failed), rest);
	}

	#onChosen = (event) => {
		const files = [...event.target.files];

		event.target.value = '';
		if (files.length > 0)
			this.#make(files);
	};

	async #make(files)
	{
		const name = baseName(files);

		clearTimeout(this.#timer);
		this.#followed = '';
		this.failed = [];
		this.made = '';
		this.unread = null;
		this.sent = { n: 0, of: files.length };
		const { id, failed } = await this.places.makeBase(name, files, (n) => {
			this.sent = { n, of: files.length };
		});

		this.sent = null;
		this.failed = failed;
		if (!id)
			return;
		this.made = name;
		this.id = id;
		this.#followed = id;
		this.emit('lamp-made', { id });
		this.#follow(id);
	}
}

customElements.define('lamp-new-base', LampNewBase);
