// SPDX-License-Identifier: MIT
// <lamp-memory>: what is remembered of a conversation before its newest messages. The
// user corrects the summary, resolves or discards what the assistant assumes and holds
// open, and removes all of it.
import { html, nothing } from '../../vendor/lit.js';
import { moment } from '../format.js';
import { t } from '../strings.js';
import { plain } from './approval.js';
import { ConversationDialog } from './dialogs.js';

/** What a fact says in a line. */
function factText({ toolName, fact })
{
	const name = fact.args?.title ?? fact.args?.name ?? fact.result?.title ?? fact.result?.name;

	return typeof name === 'string' ? `${toolName}: ${name}` : toolName;
}

export class LampMemory extends ConversationDialog {
	name = 'memory';
	heading = 'memory.title';

	static properties = { ...ConversationDialog.properties, editing: { state: true },
		confirm: { attribute: false } };

	constructor()
	{
		super();
		/** @type {(title: string, text: string, action: string) => Promise<boolean>} */
		this.confirm = undefined;
	}

	show(id)
	{
		this.editing = false;
		return super.show(id);
	}

	/** @returns a promise of the memory, with its newest facts */
	async read(id)
	{
		const [memory, facts, versions, { projectId }] = await Promise.all([this.api.memory(id),
			this.api.memoryFacts(id), this.api.memoryVersions(id), this.api.conversation(id)]);

		return { ...memory, projectId, facts: facts.items, versions: versions.items };
	}

	/** Does it, shows what is remembered then, and keeps the focus in the dialog. */
	async #do(change)
	{
		this.error = null;
		try {
			await change();
			this.editing = false;
		} catch (error) {
			this.error = error;
		}
		const failed = this.error;

		await this.load();
		this.error = failed;
		this.querySelector(this.editing ? 'textarea' : '.dialog-head .icon-button').focus();
	}

	#change(body)
	{
		return this.#do(() => this.api.changeMemory(this.conversation,
			this.data.version, body));
	}

	#item(id, patch)
	{
		return this.#change({ agent_state_item_updates: [{ op: 'update', id, patch }] });
	}

	#discard(id)
	{
		return this.#change({ agent_state_updates: { assumptions: [{ id, confidence: 0 }] } });
	}

	async #remove()
	{
		if (await this.confirm(t('memory.removeTitle'), t('memory.removeText'),
			t('memory.removeYes')))
			await this.#do(() => this.api.removeMemory(this.conversation));
	}

	async #edit()
	{
		this.editing = true;
		await this.updateComplete;
		this.querySelector('textarea').focus();
	}

	#summary({ summary, untrusted, createdAt })
	{
		if (this.editing)
			return html`<form @submit=${(event) => {
				event.preventDefault();
				this.#change({ summary: this.querySelector('textarea').value });
			}}>
				<textarea class="memory-text" rows="10" maxlength="8000"
					aria-label=${t('memory.summary')} .defaultValue=${summary}></textarea>
				<div class="memory-actions">
					<button class="button button-small button-main">${t('memory.save')}</button>
					<button type="button" class="button button-small"
						@click=${() => { this.editing = false; }}>${t('app.cancel')}</button>
				</div></form>`;
		return html`${summary ? html`<p class="memory-summary">${plain(summary)}</p>` :
			html`<p class="muted">${t('memory.noSummary')}</p>`}
			<p class="muted">${summary && createdAt ? moment(createdAt) : nothing}
				${untrusted ? t('memory.untrusted') : nothing}</p>
			<div class="memory-actions"><button type="button" class="button button-small"
				@click=${() => this.#edit()}>${t('memory.edit')}</button></div>`;
	}

	#list(title, rows, line)
	{
		return rows.length === 0 ? nothing :
			html`<h3>${title}</h3><ul class="allowed">${rows.map(line)}</ul>`;
	}

	/** To make it a task, where the conversation is about a project. */
	#promote({ id }, of)
	{
		return this.data.projectId ? this.#button(t('memory.promote'), of, () =>
			this.#do(() => this.api.promoteMemory(this.conversation, id))) : nothing;
	}

	#button(text, of, run)
	{
		return html`<button type="button" class="button button-small"
			aria-label=${`${text}: ${of}`} @click=${run}>${text}</button>`;
	}

	body()
	{
		const { agentState, facts, version, versions } = this.data;
		const items = agentState.items.filter((i) => i.status === 'active');
		const assumed = agentState.assumptions.filter((a) => a.confidence > 0);

		return html`<p>${t('memory.text')}</p>
			${version === 0 ? html`<p class="muted">${t('memory.none')}</p>` : html`
			<h3>${t('memory.summary')}</h3>${this.#summary(this.data)}`}
			${this.#list(t('memory.assumptions'), assumed, (a) => html`<li>
				<span>${plain(a.hypothesis)} <span class="muted">${t('memory.sure', {
					percent: Math.round(a.confidence * 100) })}</span></span>
				<span class="memory-actions">${this.#promote(a, a.hypothesis)}
				${this.#button(t('memory.discard'), a.hypothesis,
					() => this.#discard(a.id))}</span></li>`)}
			${this.#list(t('memory.items'), items, (i) => html`<li>
				<span>${plain(i.title)} <span class="muted">${plain(i.details ?? '')}</span></span>
				<span class="memory-actions">${this.#promote(i, i.title)}
				${this.#button(t('memory.resolve'), i.title,
					() => this.#item(i.id, { status: 'resolved' }))}
				${this.#button(t('memory.discard'), i.title,
					() => this.#item(i.id, { status: 'discarded' }))}</span></li>`)}
			${this.#list(t('memory.facts'), facts, (f) => html`<li>
				<span>${plain(factText(f))} <span class="muted">${t(`memory.fact.${f.kind}`)},
				${moment(f.createdAt)}</span></span></li>`)}
			${versions.length < 2 ? nothing : html`<details class="memory-versions">
				<summary>${t('memory.versions')}</summary><ul class="allowed">${versions.map(
				(v) => html`<li><span>${plain(v.summary || t('memory.noSummary'))}
					<span class="muted">${t(`memory.why.${v.why}`)},
					${moment(v.createdAt)}</span></span></li>`)}</ul></details>`}
			${version === 0 ? nothing : html`<div class="memory-actions memory-remove">
				${items.length + assumed.length > 0 ? html`<button type="button"
				class="button button-small"
				@click=${() => this.#change({ agent_state: null })}
				>${t('memory.clear')}</button>` : nothing}
				<button type="button" class="button button-small button-danger"
				@click=${() => this.#remove()}
				>${t('memory.remove')}</button></div>`}`;
	}
}

customElements.define('lamp-memory', LampMemory);
