// SPDX-License-Identifier: MIT
// The list that opens while somebody types @ or /: what it shows, and which
// entry is current. Independent of the DOM.
import { Observable } from '../observable.js';
import { matches } from '../search.js';
import { t } from '../strings.js';

/** Delay before a request is sent, so that fast typing is one request. */
const PAUSE_MS = 90;
const PAGE = 20;

/** Names of icons (icons.js) by the type of what is mentioned. */
export const MENTION_ICONS = { record: 'table', person: 'person', dataset: 'chart', agent: 'agent' };

export class Picker extends Observable {
	#api;
	#timer = null;
	#abort = null;
	#categories = null;

	constructor(api)
	{
		super();
		this.#api = api;
		this.reset();
	}

	reset()
	{
		/** '@', '/', or '' while nothing is chosen */
		this.kind = '';
		this.q = '';
		/** the only dataset whose rows are wanted, for a mention */
		this.dataset = '';
		/** {id, name}: prompts of this category only; or null */
		this.category = null;
		/** agents that can be mentioned */
		this.agents = [];
		/** [{type, title, text, icon, colour, record}] */
		this.items = [];
		/** number of the entry that Enter takes; -1: none */
		this.at = -1;
		this.loading = false;
	}

	get open()
	{
		return this.kind !== '' && (this.items.length > 0 || this.loading ||
			(this.q !== '' && !this.q.includes(' ')));
	}

	get current()
	{
		return this.items[this.at];
	}

	/** Whether the current entry is one for what was typed, though more may come. */
	get isFresh()
	{
		return !this.loading || matches(this.q, this.current?.title, this.current?.text);
	}

	/**
	 * Searches for what was typed.
	 * @param {{kind: string, q: string, workspaceId: string, dataset?: string,
	 *        agents?: {agentId: string, name: string, description?: string}[]}} fields
	 *        agents: others that can answer
	 */
	look({ kind, q, workspaceId, dataset = '', agents = [] })
	{
		if (kind === this.kind && q === this.q && dataset === this.dataset)
			return;
		if (kind !== this.kind)
			this.reset();
		Object.assign(this, { kind, q, dataset, agents, loading: true });
		this.workspaceId = workspaceId;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#load(), this.items.length > 0 ? PAUSE_MS : 0);
		this.changed();
	}

	close()
	{
		if (!this.kind)
			return;
		clearTimeout(this.#timer);
		this.#abort?.abort();
		this.reset();
		this.changed();
	}

	move(by)
	{
		const n = this.items.length;

		if (n > 0)
			this.at = (this.at + by + n) % n;
		this.changed();
	}

	/** Shows the prompts of a category; null: of all. */
	within(category)
	{
		this.category = category;
		this.loading = true;
		this.#load();
		this.changed();
	}

	async #load()
	{
		const { kind, q } = this;

		this.#abort?.abort();
		this.#abort = new AbortController();
		const { signal } = this.#abort;

		try {
			const items = kind === '@' ? await this.#mentions(signal) :
				await this.#prompts(signal);

			if (signal.aborted || kind !== this.kind || q !== this.q)
				return;
			this.items = items;
			this.at = items.length > 0 ? 0 : -1;
		} catch (error) {
			if (error.name === 'AbortError')
				return;
			// without the list there is still the field
			this.items = [];
			this.at = -1;
		}
		this.loading = false;
		this.changed();
	}

	/** Agents that can answer this message. */
	#agents()
	{
		return this.agents.filter(({ agentId, name, description }) =>
			matches(this.q, name, agentId, description))
			.map(({ agentId, name, description }) => ({ type: 'mention', title: name,
				text: [t('mention.agent'), description].filter(Boolean).join(' · '), icon: 'agent',
				record: { type: 'agent', ref: `agent:${agentId}`, label: name, agentId,
					handle: name.trim().replace(/\s+/g, '-') } }));
	}

	async #mentions(signal)
	{
		const agents = this.#agents();
		const { items } = await this.#api.mentions({ q: this.q, dataset: this.dataset,
			workspaceId: this.workspaceId, pageSize: PAGE, signal });

		return [...agents, ...items.map((record) => ({ type: 'mention', title: record.label,
			text: [record.type === 'record' ? record.handle : '', record.description]
				.filter(Boolean).join(' · '),
			icon: MENTION_ICONS[record.type] || 'link', record }))];
	}

	async #prompts(signal)
	{
		const [page, categories] = await Promise.all([
			this.#api.prompts({ q: this.q, category: this.category?.id, pageSize: PAGE,
				signal }), this.#allCategories()]);
		const prompts = page.items.map((record) => ({ type: 'prompt', title: record.name,
			text: record.description || '', icon: 'prompt', colour: record.colour, record }));

		// to be chosen before anything is typed, or by name
		return this.category ? prompts : [...prompts, ...categories
			.filter(({ name }) => name.toLowerCase().startsWith(this.q.toLowerCase()))
			.map((record) => ({ type: 'category', title: record.name,
				text: record.description || '', icon: 'folder', colour: record.colour,
				record }))];
	}

	/** Fetched once; without them there is no choice of categories. */
	async #allCategories()
	{
		this.#categories ??= this.#api.promptCategories().then(({ items }) => items, () => []);
		return this.#categories;
	}
}
