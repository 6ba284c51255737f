// SPDX-License-Identifier: MIT
// <lamp-composer>: the message field. Enter sends and Shift+Enter starts a new
// line, or Ctrl+Enter sends (the setting send_key); without a real keyboard,
// Enter starts a new line and the button sends. While an answer runs, the
// button stops it.
import { html, live, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { fillBlanks, mentionsIn, triggerAt, withoutMention } from '../mentions.js';
import { Watch } from '../observable.js';
import { placeHash } from '../route.js';
import { OPTIONS } from '../store/options.js';
import { Picker } from '../store/picker.js';
import { t } from '../strings.js';
import { attachButton } from './attachments.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { keepFocus, mentionChips, pickerFor, pickerKey, pickerLeft, pickerScroll,
	pickerView } from './picker.js';

/** The server's default limit (limits.message_chars). */
export const MAX_CHARS = 100000;
const LIST = 'composer-list';
/** Texts for why dictation failed, by the browser's names. */
const DEAF = { 'not-allowed': 'speech.denied', 'service-not-allowed': 'speech.denied',
	'audio-capture': 'speech.denied', 'language-not-supported': 'speech.noLanguage' };
const TELL_FROM = MAX_CHARS * 0.95;

export class LampComposer extends PageElement {
	static properties = {
		thread: { attribute: false },
		api: { attribute: false },
		name: { type: String },
		/** [{agentId, name}] to choose from; empty hides the choice */
		agents: { attribute: false },
		disabled: { type: Boolean },
		/** the assistant's record, for what it offers (options.js) */
		agent: { attribute: false },
		/** the user's, of GET /me */
		settings: { attribute: false },
		/** dictation */
		speech: { attribute: false },
		/** why it did not work, until it is tried again */
		deaf: { state: true },
		projects: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/thread.js').Thread} */
		this.thread = undefined;
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		this.name = '';
		this.disabled = false;
		/** @type {Picker | undefined} made for the first list */
		this.picker = undefined;
		/** @type {Object} */
		this.agent = undefined;
		this.agents = [];
		this.settings = {};
		/** @type {import('../store/speech.js').Speech} */
		this.speech = undefined;
		this.deaf = '';
		new Watch(this, () => this.speech);
		new Watch(this, () => this.thread);
		new Watch(this, () => this.#picker());
	}

	/** The list of the field; made when the element has an API. */
	get #field()
	{
		return /** @type {HTMLTextAreaElement} */ (this.querySelector('.composer-field'));
	}

	#picker()
	{
		if (this.api)
			this.picker ??= new Picker(this.api);
		return this.picker;
	}

	render()
	{
		const { thread } = this;
		const running = Boolean(thread.live);
		const left = MAX_CHARS - thread.draft.length;
		const { controls, active } = pickerFor(this.#picker(), LIST);

		return html`
			${this.#error()}
			<div class="composer ${this.disabled ? 'disabled' : ''}">
				${pickerView(this.picker, LIST, this.#choose)}
				${this.#queued()}
				${this.#placeChip()}
				${mentionChips(mentionsIn(thread.draft, thread.mentions), this.#unmention)}
				<textarea class="composer-field" rows="1" dir="auto"
					aria-label=${t('composer.label')} aria-describedby="composer-hint"
					aria-autocomplete="list" aria-haspopup="listbox"
					aria-controls=${controls} aria-activedescendant=${active}
					placeholder=${this.disabled ? t('composer.disabled') :
						this.name ? t('composer.placeholder', { name: this.name }) :
							t('composer.placeholderPlain')}
					.value=${live(thread.draft)} ?disabled=${this.disabled}
					enterkeyhint=${touch() ? 'enter' : 'send'}
					@input=${this.#onInput} @keydown=${this.#onKey}
					@keyup=${this.#onCaret} @click=${this.#onCaret}
					@blur=${({ target }) => pickerLeft(this.picker, target)}></textarea>
				<lamp-attachments .uploads=${thread.uploads} ?disabled=${this.disabled}
				></lamp-attachments>
				<div class="composer-bar">
					${this.#agentChoice()}
					${attachButton(thread.uploads, this.disabled)}
					${this.speech?.hears ? this.#microphone() : nothing}
					${this.#opener('/', 'slash', t('composer.prompt'))}
					${this.#opener('@', 'at', t('composer.mention'))}
					<button type="button" class="icon-button" aria-label=${t('preview.title')}
						title=${t('preview.title')} ?disabled=${this.disabled}
						@click=${this.#preview}>${icon('eye')}</button>
					${OPTIONS.filter((option) => option.offered(this.agent))
		.map((option) => this.#toggle(option))}
					<span class="composer-left ${left < 0 ? 'over' : ''}" aria-live="polite"
						>${left < 0 ? t('composer.over', { n: -left }) :
							thread.draft.length > TELL_FROM ?
								t('composer.left', { n: left }) : nothing}</span>
					${running && this.#sendable() ? html`
						<button type="button" class="icon-button queue-button"
							aria-label=${t('composer.queue')} title=${t('composer.queue')}
							@click=${this.#send}>${icon('send')}</button>` : nothing}
					${running ? html`
						<button type="button" class="round-button stop-button"
							aria-label=${t('composer.stop')} title=${t('composer.stop')}
							?disabled=${thread.live.stopping}
							@click=${() => this.emit('lamp-stop')}>${icon('stop')}</button>` : html`
						<button type="button" class="round-button send-button"
							aria-label=${t('composer.send')} title=${t('composer.send')}
							?disabled=${!this.#sendable()}
							@click=${this.#send}>${icon('send')}</button>`}
				</div>
			</div>
			<p class="composer-hint" id="composer-hint" role=${this.#heard ? 'status' : nothing}>${
				this.#heard || t(this.#sendsWithCtrl() ? 'composer.hintCtrl' : 'composer.hint')}</p>`;
	}

	/** What is to be said of dictation. */
	get #heard()
	{
		return this.speech?.listening ? t('speech.listening') : this.deaf;
	}

	#microphone()
	{
		const on = this.speech.listening;
		const label = t(on ? 'speech.stopListening' : 'speech.dictate');

		return html`<button type="button" class="icon-button" aria-label=${label} title=${label}
			aria-pressed=${on ? 'true' : 'false'} ?disabled=${this.disabled}
			@click=${this.#dictate}>${icon('microphone')}</button>`;
	}

	/** What is said is written where the caret is; what is not certain yet is replaced. */
	#dictate = async () => {
		const { thread } = this;
		let { selectionStart: start, selectionEnd: end } = this.#field;

		this.deaf = '';
		const why = await this.speech.listen((text, final) => {
			if (thread !== this.thread)
				return;
			const gap = start === 0 || /\s$/.test(thread.draft.slice(0, start)) ? '' : ' ';
			const said = gap + text.trim();

			this.#put(start, end, said);
			thread.keep();
			end = start + said.length;
			if (final)
				start = end;
		});

		if (why)
			this.deaf = t(DEAF[why] || 'speech.failed');
	};

	#agentChoice()
	{
		if (this.agents.length < 2 || this.thread.conversationId)
			return html`<span class="composer-space"></span>`;
		return html`<label class="select select-quiet">
			<span class="sr-only">${t('agent.label')}</span>
			<select class="agent-select"
				@change=${(event) => this.emit('lamp-agent', { agentId: event.target.value })}>
				${this.agents.map((agent) => html`<option value=${agent.agentId}
					?selected=${agent.agentId === this.thread.agentId}
					>${agent.name}</option>`)}
			</select>${icon('chevron')}</label>`;
	}

	/** Types / or @ for users who have no keyboard, or do not know them. */
	#opener(sign, drawing, label)
	{
		return html`<button type="button" class="icon-button opener" aria-label=${label}
			title="${label} (${sign})" ?disabled=${this.disabled} @pointerdown=${keepFocus}
			@click=${() => this.#type(sign)}>${icon(drawing)}</button>`;
	}

	#type(sign)
	{
		const field = this.#field;

		// a second press closes it again
		if (this.picker.open && this.picker.kind === sign) {
			this.#dismissed = true;
			this.picker.close();
			return;
		}
		const before = field.value.slice(0, field.selectionStart);
		const gap = before === '' || /\s$/.test(before) ? '' : ' ';
		const line = sign === '/' && before !== '' && !before.endsWith('\n') ? '\n' : '';

		this.#put(field.selectionStart, field.selectionEnd,
			`${sign === '/' ? line : gap}${sign}`);
	}

	/**
	 * Replaces a part of the draft with a text; the caret is placed after
	 * it.
	 */
	async #put(start, end, text)
	{
		const { thread } = this;
		const field = this.#field;

		thread.draft = thread.draft.slice(0, start) + text + thread.draft.slice(end);
		thread.changed();
		this.requestUpdate();
		await this.updateComplete;
		field.focus();
		field.setSelectionRange(start + text.length, start + text.length);
		this.#look(field);
	}

	/**
	 * Opens, changes or closes the list, depending on the text before the
	 * caret.
	 */
	#look(field)
	{
		const trigger = field.selectionStart === field.selectionEnd &&
			triggerAt(field.value, field.selectionStart, this.thread.mentions);

		if (!trigger || trigger.start !== this.#start || trigger.kind !== this.#kind)
			this.#dismissed = false;
		this.#kind = trigger?.kind ?? '';
		this.#start = trigger ? trigger.start : -1;
		if (!trigger || this.#dismissed)
			this.picker.close();
		else
			this.picker.look({ ...trigger, workspaceId: this.thread.workspaceId,
				agents: this.agents.filter(({ agentId }) => agentId !== this.thread.agentId) });
	}

	#choose = ({ type, record }) => {
		const field = this.#field;

		if (type === 'category') {
			this.picker.within(record);
			this.#put(this.#start + 1, field.selectionStart, '');
			return;
		}
		const start = this.#start;
		const end = field.selectionStart;

		this.picker.close();
		if (type === 'prompt')
			this.#usePrompt(record, start, end);
		else
			this.#mention(record, start, end);
	};

	#mention(record, start, end)
	{
		// of two agents of the same name, the one that was chosen last
		this.thread.mentions = [...this.thread.mentions.filter(({ handle }) =>
			handle !== record.handle), record];
		this.emit('lamp-say', { text: record.label });
		return this.#put(start, end, `@${record.handle} `);
	}

	#unmention = (mention) => {
		const { thread } = this;

		thread.draft = withoutMention(thread.draft, mention);
		thread.changed();
		this.focusField();
	};

	/** Adds a prompt to what was typed, by its id. */
	usePrompt(id)
	{
		const end = this.thread.draft.length;

		return this.#usePrompt({ id }, end, end);
	}

	/** The prompt's text replaces what was typed. */
	async #usePrompt({ id }, start, end)
	{
		let text = '';

		try {
			const prompt = await this.api.prompt(id);
			const filled = prompt.blanks.length === 0 ? { values: {}, mentions: [] } :
				await (await this.#dialog('lamp-blanks'))
					.ask(prompt, this.thread.workspaceId);

			if (filled) {
				this.thread.mentions = [...this.thread.mentions, ...filled.mentions];
				this.thread.promptId = id;
				text = fillBlanks(prompt.body, filled.values);
			}
		} catch (error) {
			this.thread.sendError = error;
		}
		await this.#put(start, end, text);
	}

	/** Other projects that the message could be about, asked for when there is one. */
	#otherProjects()
	{
		if (!this.projects) {
			this.projects = [];
			this.api.projects().then(({ items }) => {
				this.projects = items;
			}, () => {});
		}
		return this.projects.filter(({ id }) => id !== this.thread.place.projectId)
			.map(({ id, name }) => ({ text: name, icon: 'folder', run: () => {
				this.thread.setPlace({ projectId: id, name });
				this.focusField();
			} }));
	}

	/** What the message is about. */
	#placeChip()
	{
		const { thread } = this;

		if (!thread.place)
			return nothing;
		const name = thread.place.name || t('app.loading');
		const others = this.#otherProjects();

		return html`<ul class="mention-chips" aria-label=${t('composer.place')}>
			<li class="mention-chip">${icon('folder')}
			<a href=${placeHash('projects', thread.place.projectId || '')} dir="auto">${name}</a>
			${others.length ? html`<lamp-menu label=${t('composer.changePlace')} .items=${others}
				></lamp-menu>` : nothing}
			<button type="button" class="mention-remove" aria-label=${t('composer.leave', { name })}
				title=${t('composer.leave', { name })} @click=${() => {
					thread.setPlace(null);
					this.focusField();
				}}>${icon('close')}</button></li></ul>`;
	}

	/** An option; holds for this conversation in this page. */
	#toggle(option)
	{
		const { thread } = this;
		const on = Boolean(thread.options[option.key] ?? this.settings[option.setting]);

		return html`<button type="button" class="option-toggle" title=${t(option.title)}
			aria-pressed=${on ? 'true' : 'false'} ?disabled=${this.disabled}
			@click=${() => {
				thread.options = { ...thread.options, [option.key]: !on };
				thread.changed();
			}}>${icon(option.icon)}<span>${t(option.text)}</span></button>`;
	}

	/** Why the last message was refused. */
	#error()
	{
		const { sendError } = this.thread;

		if (!sendError)
			return nothing;
		const wait = sendError.code === 'conversation_busy';

		return html`<div class="banner ${wait ? 'banner-wait' : ''}" role="alert">
			${icon(wait ? 'thought' : 'warning')}
			<p>${errorText(sendError)}
				${sendError.requestId ? html`<span class="muted banner-ref">${
					t('error.ref', { id: sendError.requestId })}</span>` : nothing}</p>
			${sendError.status === 401 ? html`
				<button type="button" class="chip-button"
					@click=${() => location.reload()}>${t('error.reload')}</button>` : nothing}
			${sendError.retryable && !wait && !this.thread.live && this.#sendable() ? html`
				<button type="button" class="chip-button" @click=${this.#send}>
					${icon('retry')}<span>${t('app.retry')}</span></button>` : nothing}
			<button type="button" class="icon-button" aria-label=${t('error.dismiss')}
				title=${t('error.dismiss')} @click=${this.#dismiss}>${icon('close')}</button>
		</div>`;
	}

	#dismiss()
	{
		this.thread.sendError = null;
		this.thread.changed();
		this.focusField();
	}

	/** One of the page's, which may have to be loaded first. */
	#dialog(tag)
	{
		return document.querySelector('lamp-app').need(tag);
	}

	#preview = async () => {
		try {
			(await this.#dialog('lamp-preview'))
				.show(this.thread.workspaceId, this.thread.previewBody());
		} catch (error) {
			this.thread.sendError = error;
			this.thread.changed();
		}
	};

	#sendable()
	{
		const { thread } = this;

		return !this.disabled && !thread.uploads.busy && thread.draft.trim() !== '' &&
			thread.draft.length + (thread.queued?.content.length ?? 0) <= MAX_CHARS;
	}

	/** The message that is sent when the answer has ended. */
	#queued()
	{
		const { queued } = this.thread;

		if (!queued)
			return nothing;
		return html`<div class="queued" role="group" aria-label=${t('composer.queued')}>
			<p><span class="muted">${t('composer.queued')}</span>
				<span class="queued-text" dir="auto">${queued.content}</span>
				${queued.uploads.items.map(({ name }) => html`<span class="queued-file" dir="auto"
					>${icon('clip')}${name}</span>`)}</p>
			<button type="button" class="icon-button" aria-label=${t('composer.unqueue')}
				title=${t('composer.unqueue')} @click=${() => {
					this.thread.unqueue();
					this.focusField();
				}}>${icon('pencil')}</button></div>`;
	}

	#send()
	{
		if (!this.#sendable())
			return;
		const content = this.thread.draft.trim();

		this.picker.close();
		this.thread.draft = '';
		if (this.thread.live) {
			this.thread.queue(content);
			this.emit('lamp-say', { text: t('composer.queuedSay') });
		} else {
			this.emit('lamp-send', { content });
		}
		this.focusField();
	}

	#onInput(event)
	{
		this.thread.draft = event.target.value;
		if (this.thread.draft === '')
			this.thread.promptId = null;
		this.thread.keep();
		this.requestUpdate();
		if (!event.isComposing)
			this.#look(event.target);
	}

	/** The caret was moved. */
	#onCaret = (event) => {
		if (event.type === 'click' || /^(Arrow(Left|Right)|Home|End)$/.test(event.key))
			this.#look(event.target);
	};

	#sendsWithCtrl()
	{
		return this.settings.send_key === 'ctrl-enter';
	}

	#onKey(event)
	{
		if (pickerKey(this.picker, event, this.#choose)) {
			this.#dismissed = event.key === 'Escape' && !this.picker.open;
			return;
		}
		if (event.key === 'ArrowUp' && event.target.value === '' && !event.isComposing &&
		    !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
			event.preventDefault();
			this.emit('lamp-edit-last');
			return;
		}
		// an input method's Enter takes its suggestion (229: old Safari)
		if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229 ||
		    touch())
			return;
		if (this.#sendsWithCtrl() ? !event.ctrlKey && !event.metaKey : event.shiftKey)
			return;
		event.preventDefault();
		this.#send();
	}

	#start = -1;
	#kind = '';
	#dismissed = false;
	#told = 0;

	/**
	 * The typed text and the list that it opened belong to one
	 * conversation.
	 */
	willUpdate(changed)
	{
		if (changed.get('thread')) {
			this.picker?.close();
			this.speech?.quiet();
		}
	}

	updated()
	{
		const { picker } = this;
		const n = picker.open && !picker.loading ? picker.items.length : 0;

		if (n !== this.#told && n > 0)
			this.emit('lamp-say', { text: t('picker.count', { n }) });
		this.#told = n;
		pickerScroll(this);
		const field = this.#field;

		// grows with its text up to the height that the style sheet
		// allows
		field.style.height = 'auto';
		field.style.height = `${field.scrollHeight}px`;
	}

	focusField()
	{
		this.querySelector('.composer-field')?.focus();
	}
}

/** No keyboard but the one on the screen. */
export function touch()
{
	return matchMedia('(pointer: coarse) and (hover: none)').matches;
}

customElements.define('lamp-composer', LampComposer);
