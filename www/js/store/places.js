// SPDX-License-Identifier: MIT
// The places beside the chat: those that this caller has, and the one that is
// shown.
import { fillPath, MINE, SETTINGS } from '../form.js';
import { Observable } from '../observable.js';
import { PLACES } from '../route.js';
import { read, session, write } from '../storage.js';
import { t } from '../strings.js';
import { Draft } from './draft.js';
import { Project } from './project.js';
import { Rows } from './rows.js';

/**
 * @typedef {object} Current the place that is shown
 * @property {string} name
 * @property {string} id
 * @property {import('../route.js').Place} row
 * @property {import('../form.js').Form} form
 * @property {Rows | null} rows
 * @property {Draft | null} draft
 * @property {Project | null} [project] of a place with pages below its rows
 */

/** what knowing people takes */
const PEOPLE = 'AIChat.People.Read';
/** and making knowledge bases */
const BASES = 'AIChat.Knowledge.Write';
/** and LLM services; who manages a workspace knows its own without it */
const SERVICES = 'AI.Services.Read';
const MOST_PEOPLE = 50;
/** where the chat that was left is kept, for this tab */
const LEFT = 'lamplighter.chat';

/** At the level that an address names: '', 'tenant', or 'team:NAME'. */
function settingsPath(id)
{
	const [level, ...group] = id.split(':');

	return level ? `settings?${new URLSearchParams({ level,
		...group.length > 0 && { group: group.join(':') } })}` : 'settings';
}

/** The form with the page's words for one of its rows, and what a new one begins with. */
function called(form)
{
	const { what, label, begins = {} } = PLACES.find((row) => row.form === form.name) || {};

	return { ...form, what: what ? t(what) : form.what, labelKey: label || form.labelKey,
		fields: form.fields.map((field) => ({ ...field, begins: begins[field.key] })) };
}

export class Places extends Observable {
	#api;
	#forms = new Map();
	#rows = new Map();
	/** the project that was shown last */
	#project = null;
	#session;
	#chat = '';
	#loading = null;

	/** @param session where the caller is, and what they may do */
	constructor(api, session)
	{
		super();
		this.#api = api;
		this.#session = session;
		this.error = null;
		/** @type {Current | null} null: the chat */
		this.current = null;
	}

	/** Asks which places there are, once. After a failure the chat has none. */
	load()
	{
		this.#loading ??= this.#load();
		return this.#loading;
	}

	async #load()
	{
		try {
			const { items } = await this.#api.forms();

			this.#forms = new Map(items.map((form) => [form.name, called(form)]));
			for (const form of this.#made())
				this.#forms.set(form.name, form);
			this.error = null;
		} catch (error) {
			this.error = error;
			this.#loading = null;
		}
		this.changed();
	}

	/** The places that are no resources, as far as the caller has them. */
	#made()
	{
		return [MINE, SETTINGS].filter(({ name }) => this.me.permissions.includes(
			PLACES.find((row) => row.form === name).permission));
	}

	/** Who is here. */
	get me()
	{
		return this.#session.me;
	}

	/** Whether the caller may know the LLM services of a workspace; '': of the one that is shown. */
	mayListServices(workspace)
	{
		return this.me.permissions.includes(SERVICES) ||
			Boolean(this.#session.workspace(workspace || this.workspaceId)?.canEdit);
	}

	/** The workspace that is shown. */
	get workspaceId()
	{
		return this.#session.workspaceId;
	}

	form(name)
	{
		return this.#forms.get(name);
	}

	/** The form of a list, by its path. */
	formOf(path)
	{
		return [...this.#forms.values()].find((form) => form.path === path);
	}

	/** The forms whose rows belong to those of another. */
	children(name)
	{
		return [...this.#forms.values()].filter(({ parent }) => parent === name)
			.sort((a, b) => a.readOnly - b.readOnly);
	}

	/** The forms, or before they are loaded: what /me tells of them. */
	#known()
	{
		if (this.#forms.size > 0)
			return [...this.#forms.values()];
		return this.me?.forms ? [...this.me.forms, ...this.#made()] : [];
	}

	/**
	 * The title of a form, as far as it is known.
	 * @param {string} name
	 * @returns {{title: string} | undefined}
	 */
	titled(name)
	{
		return this.#known().find((form) => form.name === name);
	}

	/**
	 * The links at the side: rows of PLACES with their forms; under: those
	 * that the head of a place links to.
	 * @param {string} [under]
	 * @returns {import('../route.js').Place[]}
	 */
	offered(under)
	{
		const own = this.#known().filter(({ parent }) => !parent);
		const known = PLACES.filter(({ form }) => own.some(({ name }) => name === form));
		const others = own.filter(({ name }) => !PLACES.some((row) => row.form === name))
			.map(({ name }) => /** @type {import('../route.js').Place} */ (
				{ form: name, icon: 'list' }));

		return [...known, ...others].filter((row) => row.under === under);
	}

	/**
	 * People whose name or login begins with a text, as far as the caller may know them.
	 * @returns {Promise<{login: string, name: string}[]>}
	 */
	async people(q)
	{
		if (!this.me.permissions.includes(PEOPLE))
			return [];
		try {
			const { items } = await this.#api.mentions({ q, workspaceId: this.workspaceId,
				pageSize: MOST_PEOPLE });

			return items.filter(({ type }) => type === 'person').map(({ ref, label }) =>
				({ login: decodeURIComponent(ref.replace('person:', '')), name: label }));
		} catch {
			// a login can be typed without that
			return [];
		}
	}

	/** Ends somebody's link that needs no sign-on. */
	async revokePublicLink(id)
	{
		await this.#api.revokePublicLink(id);
	}

	/** The path of the form's list. */
	path(form, values = {})
	{
		return fillPath(form.path, { workspace: this.#session.workspaceId, ...values });
	}

	/** A list, kept while the page is. form: or {path, whole: it has no pages} */
	rows(form, values)
	{
		const path = this.path(form, values);

		if (!this.#rows.has(path))
			this.#rows.set(path, new Rows(this.#api, path, form));
		return this.#rows.get(path);
	}

	/** Asks again for the lists below a row, of which something has changed. */
	async reloadBelow(address)
	{
		await Promise.all([...this.#rows].filter(([path, rows]) =>
			path.startsWith(`${address}/`) && rows.loaded)
			.map(([, rows]) => rows.all(rows.items.length)));
	}

	/** What was changed elsewhere, or here. */
	notice(type, data)
	{
		const { project = null, rows = null, name = '' } = this.current || {};

		if (type === 'refresh' && ['all', 'projects'].includes(data.what))
			project?.refresh();
		else if (type === 'refresh' && data.what === name)
			rows?.reload();
		else if (type === 'entity-patch' && project?.id === data.projectId)
			project.patched(data);
		else if (type === 'entity-patch' && name === 'projects' && data.entityType === 'project')
			rows?.reload();
	}

	draft(form, id, values)
	{
		return new Draft(this.#api, form, this.path(form, values), id);
	}

	/** The settings at the level of an address, '': the caller's. */
	settings(id = '')
	{
		return new Draft(this.#api, this.form('settings'), settingsPath(id), 'all');
	}

	/** A chat is shown, to which the end of a place leads, also after a reload. */
	leave(hash)
	{
		if (hash === this.#chat)
			return;
		this.#chat = hash;
		// without room for it, a reload leads to a new chat
		write(session(), `${LEFT} ${this.#api.base}`, hash);
		this.changed();
	}

	/** The address of the chat that was shown last. */
	get chat()
	{
		return this.#chat || read(session(), `${LEFT} ${this.#api.base}`) || '#/';
	}

	get dirty()
	{
		return Boolean((this.current?.project || this.current?.draft)?.dirty);
	}

	/** Shows what the address names; place: null for the chat. */
	show(place)
	{
		const form = place && this.form(place.name);

		if (!place) {
			this.current = null;
		} else {
			this.current = { ...place, form, rows: null, draft: null,
				row: PLACES.find((row) => row.form === place.name) || {} };
			if (form?.single) {
				this.current.draft = this.settings(place.id);
				this.current.draft.load();
			} else if (form && this.current.row.deep && place.id && place.id !== 'new') {
				if (this.#project?.id !== place.id || this.#project.lost)
					this.#project = new Project(this.#api, this, form, place.id);
				this.current.project = this.#project;
				this.#project.show(place.kind || '', place.item || '');
			} else if (form?.path && place.id) {
				this.current.draft = this.draft(form, place.id === 'new' ? '' : place.id);
				this.current.draft.load();
			} else if (form?.path) {
				this.current.rows = this.rows(form);
				this.current.rows.reload();
			}
		}
		this.changed();
	}

	/** Whether the caller makes knowledge bases. */
	get makesBases()
	{
		return this.me.permissions.includes(BASES);
	}

	/** How far the documents of a knowledge base are. @returns {Promise<{queued: number, failed: number}>} */
	progressOf(base)
	{
		return this.#api.documentCounts(base);
	}

	/**
	 * A knowledge base of the caller's with files in it. tell(n): so many are sent.
	 * @param {string} name
	 * @param {File[]} files
	 * @param {(n: number) => void} tell
	 * @returns {Promise<{id: string, failed: {name: string, error: any}[]}>} id: '' if
	 *        nothing of it was taken
	 */
	async makeBase(name, files, tell)
	{
		const failed = [];
		let id = '';

		try {
			({ id } = (await this.#api.record('POST', 'knowledge-bases', { body: { name } })).record);
		} catch (error) {
			return { id, failed: [{ name, error }] };
		}
		for (const [n, file] of files.entries()) {
			try {
				await this.#api.writeDocument(id, file, { progress: () => {},
					signal: new AbortController().signal });
			} catch (error) {
				failed.push({ name: file.name, error });
			}
			tell(n + 1);
		}
		if (failed.length < files.length)
			return { id, failed };
		// an empty one is of no use
		await this.#api.request('DELETE', `knowledge-bases/${id}`).catch(() => {});
		return { id: '', failed };
	}

	/** @throws ApiError */
	async renameBase(id, name)
	{
		await this.#api.record('PATCH', `knowledge-bases/${id}`, { body: { name } });
	}
}
