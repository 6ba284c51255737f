// SPDX-License-Identifier: MIT
// The project that is shown: its record, how many there are of each kind in it, and the
// page of it that the address names: the overview (kind ''), its form (EDIT), the list of
// a kind, or one item of it.
import { Observable } from '../observable.js';
import { isLimited, kindOf, listPath, shortName, statesOf } from '../projects.js';
import { t } from '../strings.js';
import { Tree } from './tree.js';

/** The page with the project's own form. */
export const EDIT = 'edit';
/** What is due next, on the overview. */
const NEXT = 6;
/** Between a change elsewhere and the look at it. */
const PATCH_MS = 100;
/** The rows of a list that is ordered by the page. */
const MOST = 500;

export class Project extends Observable {
	#api;
	#places;
	#round = 0;
	#timer = 0;
	#moving = 0;

	/**
	 * @param {import('../api.js').Api} api
	 * @param {import('./places.js').Places} places
	 * @param {import('../form.js').Form} form
	 * @param {string} id
	 */
	constructor(api, places, form, id)
	{
		super();
		this.#api = api;
		this.#places = places;
		this.id = id;
		this.draft = places.draft(form, id);
		this.draft.watch(() => this.changed());
		this.kind = '';
		this.item = '';
		/** @type {import('./draft.js').Draft | null} the item that is shown */
		this.itemDraft = null;
		/** @type {Record<string, number | null>} of each kind; null: too many to count */
		this.counts = {};
		/** @type {{kind: string, row: any}[] | null} what is due next; null: not known */
		this.next = null;
		/** @type {Record<string, Record<string, string>>} what lists are limited to, by kind */
		this.choices = {};
		this.tree = new Tree(api, `projects/${encodeURIComponent(id)}/tree`);
		/** another number when the month, or the links of an item, are to be read again */
		this.stamp = 0;
	}

	/** Whether there is nothing to show. */
	get lost()
	{
		return this.draft.loadError !== null;
	}

	get dirty()
	{
		return Boolean(this.item ? this.itemDraft?.dirty : this.kind === EDIT && this.draft.dirty);
	}

	get canEdit()
	{
		return this.draft.record !== null && this.draft.canEdit;
	}

	/** Whether the caller says who works on it, and may delete it. */
	get isOwner()
	{
		return this.draft.form.canWrite && this.draft.record?.isOwner === true;
	}

	/**
	 * The forms of the kinds that the caller may see, as far as they may change it. What
	 * has no state, as members, is not one.
	 */
	get forms()
	{
		return this.#places.children(this.draft.form.name)
			.filter((form) => statesOf(form).length > 0)
			.map((form) => ({ ...form, canWrite: form.canWrite && this.canEdit }));
	}

	/** The form of a kind. @returns undefined: there is none */
	formOf(kind)
	{
		return this.forms.find((form) => shortName(form) === kind);
	}

	/** The form of links in it. */
	get edges()
	{
		return this.#places.form(`${this.draft.form.name}/edges`);
	}

	/** The form of its members. */
	get members()
	{
		return this.#places.form(`${this.draft.form.name}/members`);
	}

	/** Shows one of its pages. */
	async show(kind, item)
	{
		const round = ++this.#round;
		const fresh = this.draft.record === null;

		this.kind = kind;
		this.item = item;
		this.itemDraft = null;
		this.changed();
		// what was typed there has been given up by now
		if (fresh || kind === '' || kind === EDIT)
			await this.draft.load();
		else
			this.draft.reset();
		if (round !== this.#round || this.lost)
			return;
		if (item && this.formOf(kind)) {
			this.itemDraft = this.draftOf(kind, item === 'new' ? '' : item);
			this.itemDraft.load();
			this.#loadPath();
		} else {
			this.refresh();
		}
		this.changed();
	}

	/** Asks again for what others may have changed: lists, and numbers of the overview. */
	refresh()
	{
		if (this.draft.record === null)
			return;
		if (this.item) {
			this.stamp++;
			this.#loadPath();
			this.changed();
			return;
		}
		this.reload();
		if (this.kind === '') {
			this.#count();
			this.activity?.reload();
			this.deleted?.reload();
		}
	}

	/**
	 * Something of it was changed. What somebody types stays: whoever saves is told.
	 * @param {{entityType: string, entityId: string, action: string, version: number}} patch
	 */
	patched({ entityType, entityId, action, version })
	{
		const draft = entityType === 'project' ? this.draft :
			entityId === this.item ? this.itemDraft : null;

		if (draft?.record && (action === 'delete' || draft.record.version !== version))
			draft.refresh();
		// several at once are read once
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			// what is moved here is shown where it will be, and read again then
			if (this.#moving === 0)
				this.refresh();
		}, PATCH_MS);
	}

	/** Of a document, what is above it. */
	#loadPath()
	{
		if (kindOf(this.formOf(this.kind) || { name: '' }).view === 'tree' && this.item !== 'new')
			this.tree.load();
	}

	/** The rows of what was changed in it; null: the caller has none. */
	get activity()
	{
		const form = this.#places.form(`${this.draft.form.name}/changes`);

		return form ? this.#places.rows(form, { parent: this.id }) : null;
	}

	/** The rows of deletions that can be taken back; null: the caller has none. */
	get deleted()
	{
		const form = this.#places.form(`${this.draft.form.name}/changes`);

		return form ? this.#places.rows({ path: listPath(form, this.id,
			{ verb: 'delete', canUndo: 'true' }) }) : null;
	}

	/** @param {string} id of an item; '': a new one */
	draftOf(kind, id)
	{
		return this.#places.draft(this.formOf(kind), id, { parent: this.id });
	}

	/** How a kind is shown: a tree is a list while it is limited. */
	viewOf(form)
	{
		const { view } = kindOf(form);

		return view === 'tree' && isLimited(this, form) ? 'rows' : view;
	}

	/** Makes an item, of a kind by name. @returns {Promise<any>} its record */
	make(kind, body)
	{
		return this.#api.json('POST', listPath(this.formOf(kind), this.id), { body });
	}

	/** The path of a kind's list, limited as somebody has chosen, and by more. */
	#path(form, more = {})
	{
		return listPath(form, this.id, { order: kindOf(form).order,
			...this.choices[shortName(form)], ...more });
	}

	/** The list of the kind that is shown. more: what else it is limited to */
	list(form, more)
	{
		return this.#places.rows({ path: this.#path(form, more) });
	}

	/**
	 * The columns of a board: {value, label, rows}. The last one, whose value is '', has
	 * what is in a state that nobody can choose any more.
	 */
	columns(form)
	{
		const states = statesOf(form);
		const others = `!${states.map(({ value }) => value).join(',')}`;

		return [...states.map(({ value, label, closed }) => ({ value, label,
			rows: this.list(form, { stateKey: value, ...closed && { order: '-updated' } }) })),
		{ value: '', label: t('board.others'), rows: this.list(form, { stateKey: others }) }];
	}

	/** Asks again for what is shown. */
	reload()
	{
		const form = this.formOf(this.kind);

		if (!form)
			return;
		if (kindOf(form).view === 'board')
			this.columns(form).forEach(({ rows }) => rows.reload());
		else if (kindOf(form).view === 'month') {
			this.stamp++;
			this.changed();
		} else if (this.viewOf(form) === 'tree')
			this.tree.load();
		else if (['rows', 'tree'].includes(kindOf(form).view))
			this.list(form).reload();
		else
			this.list(form).all(MOST);
	}

	/** Limits the list of a kind. */
	choose(kind, key, value)
	{
		this.choices = { ...this.choices, [kind]: { ...this.choices[kind], [key]: value } };
		this.reload();
		this.changed();
	}

	/** Counts what is in it. What cannot be counted now is not shown. */
	async #count()
	{
		await Promise.all([...this.forms.map((form) => this.#countOf(form)), this.#look()]);
		this.changed();
	}

	async #countOf(form)
	{
		try {
			const { totalCount } = await this.#api.list(listPath(form, this.id), { pageSize: 1 });

			this.counts = { ...this.counts, [shortName(form)]: totalCount };
		} catch {
			// the number is missing, the list is there
		}
	}

	/** What is due next. */
	async #look()
	{
		const ask = async (kind) => {
			const form = this.formOf(kind);
			const { due, closed } = form ? kindOf(form) : { due: '', closed: [] };
			const open = closed.length > 0 ? `!${closed.join(',')}` : '';

			if (!form)
				return [];
			const { items } = await this.#api.list(listPath(form, this.id, { stateKey: open,
				order: due, [`${due}To`]: '9999-12-31' }), { pageSize: NEXT });

			return items.map((row) => ({ kind, row, day: row[due] }));
		};

		try {
			this.next = (await Promise.all(['tasks', 'milestones'].map(ask))).flat()
				.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day))).slice(0, NEXT);
		} catch {
			this.next = null;
		}
	}

	/**
	 * Gives an item another state, if it still has the one that is shown.
	 * @returns {Promise<{error?: Error, state: string}>} the state that it has now; error:
	 * why it has not changed, null if somebody else was faster
	 */
	async move(item, state)
	{
		const draft = this.draftOf(this.kind, item.id);
		const was = item.stateKey;

		this.#moving++;
		this.#shift(item, state);
		await draft.load();
		if (!draft.loadError && draft.record.stateKey === was) {
			draft.set('stateKey', state);
			await draft.save();
		}
		this.#moving--;
		this.reload();
		const error = draft.loadError || draft.error;

		if (error || draft.conflict || draft.record.stateKey !== state)
			return { error, state: (draft.conflict || draft).record?.stateKey ?? was };
		return { state };
	}

	/** Shows an item in another column before the server has said so. */
	#shift(item, state)
	{
		for (const { value, rows } of this.columns(this.formOf(this.kind))) {
			const without = rows.items.filter(({ id }) => id !== item.id);
			const step = value === state ? 1 : without.length < rows.items.length ? -1 : 0;

			if (step === 0)
				continue;
			rows.put({ items: value === state ? [{ ...item, stateKey: state }, ...without] : without,
				total: rows.total === null ? null : rows.total + step });
		}
	}
}
