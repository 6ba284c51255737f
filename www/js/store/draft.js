// SPDX-License-Identifier: MIT
// One row of a resource while it is read, changed or created. What was typed
// stays until it is saved or discarded; changes by somebody else are not
// overwritten.
import { bodyOf, changedKeys, differences, inWords, valuesOf } from '../form.js';
import { Observable } from '../observable.js';

/** A name that no other request has. */
function newKey()
{
	return [...crypto.getRandomValues(new Uint32Array(4))]
		.map((part) => part.toString(16).padStart(8, '0')).join('');
}

export class Draft extends Observable {
	#api;
	#key = newKey();
	#etag = '';
	/** counts what was asked for, and which of these is shown */
	#asked = 0;
	#taken = 0;

	/**
	 * @param path of the list, below the API's root
	 * @param id   of the row; '' for a new one
	 */
	constructor(api, form, path, id)
	{
		super();
		this.#api = api;
		this.path = path;
		this.form = form;
		this.id = id;
		/**
		 * as it is stored; null before it is read, and for a new row
		 */
		this.record = null;
		this.values = valuesOf(form, null);
		/** errors by field */
		this.errors = {};
		/** an error that belongs to no field, an ApiError */
		this.error = null;
		/** why the row cannot be shown, an ApiError */
		this.loadError = null;
		this.loading = false;
		this.saving = false;
		/** somebody decides about what is shown: it is not read again */
		this.held = false;
		/**
		 * {record, etag, list: of differences()} if somebody else was
		 * faster
		 */
		this.conflict = null;
		/** the secret of a new row, shown only now */
		this.secret = '';
	}

	get isNew()
	{
		return !this.id;
	}

	get ready()
	{
		return this.isNew || this.record !== null;
	}

	/** Whether something would be lost. */
	get dirty()
	{
		return this.ready && changedKeys(this.form, this.values, this.record).length > 0;
	}

	/** Whether the caller may change it, as far as the page can tell. */
	get canEdit()
	{
		return this.form.canWrite && this.record?.canEdit !== false &&
			this.record?.source !== 'config';
	}

	/** Of the row, below the API's root. */
	get address()
	{
		return this.form.single ? this.path : `${this.path}/${encodeURIComponent(this.id)}`;
	}

	async load()
	{
		if (this.isNew)
			return;
		this.loading = true;
		this.loadError = null;
		this.changed();
		const asked = ++this.#asked;

		try {
			this.#take(await this.#api.record('GET', this.address), asked);
		} catch (error) {
			this.loadError = error;
		}
		this.loading = false;
		this.changed();
	}

	/** Reads again what somebody else has changed, unless something is typed or saved here. */
	async refresh()
	{
		const typed = () => this.isNew || this.dirty || this.saving || this.conflict ||
			this.held;

		if (typed())
			return;
		const asked = ++this.#asked;

		try {
			const answer = await this.#api.record('GET', this.address);

			if (!typed())
				this.#take(answer, asked);
		} catch (error) {
			if (error.status === 404)
				this.loadError = error;
		}
		this.changed();
	}

	/** @param asked when it was asked for; what was saved since then is newer */
	#take({ record: stored, etag }, asked = ++this.#asked)
	{
		if (asked < this.#taken)
			return;
		this.#taken = asked;
		const { form, record } = this.#adapted(stored);
		const { secret, ...rest } = record;

		this.form = form;

		if (secret)
			this.secret = secret;
		this.record = rest;
		this.#etag = etag;
		this.values = valuesOf(this.form, rest);
		this.errors = {};
		this.error = null;
		this.conflict = null;
	}

	/** Some are described with their values. */
	#adapted(record)
	{
		return this.form.adapt ? this.form.adapt(record) : { form: this.form, record };
	}

	set(key, value)
	{
		this.values = { ...this.values, [key]: value };
		// of what is no longer the case
		delete this.errors[key];
		this.#key = newKey();
		this.changed();
	}

	/** What the form's controls would have of these members of a record. */
	valuesFor(members)
	{
		const values = valuesOf(this.form, members);

		return Object.fromEntries(Object.keys(members).filter((key) => key in values)
			.map((key) => [key, values[key]]));
	}

	/** Values of some fields, as if they were typed. */
	fill(values)
	{
		for (const [key, value] of Object.entries(values))
			this.set(key, value);
	}

	/** Discards what was typed. */
	reset()
	{
		this.values = valuesOf(this.form, this.record);
		this.errors = {};
		this.error = null;
		this.conflict = null;
		this.changed();
	}

	/** @returns the body of a request, or null: something does not fit */
	check()
	{
		const { body, errors } = bodyOf(this.form, this.values, this.record);

		this.errors = errors;
		this.error = null;
		this.changed();
		return Object.keys(errors).length > 0 ? null : body;
	}

	/** @returns true when it is stored */
	async save()
	{
		const body = this.saving ? null : this.check();

		if (!body)
			return false;
		this.saving = true;
		this.changed();
		try {
			await (this.isNew ? this.#create(body) : this.#change(body));
			return true;
		} catch (error) {
			await this.#refused(error);
			return false;
		} finally {
			this.saving = false;
			this.changed();
		}
	}

	async #create(body)
	{
		const made = await this.#api.record('POST', this.path,
			{ body, headers: { 'Idempotency-Key': this.#key } });

		this.id = made.record[this.form.idKey];
		this.#take(made);
	}

	async #change(body)
	{
		this.#take(await this.#api.record('PATCH', this.address,
			{ body, headers: this.#etag ? { 'If-Match': this.#etag } : {} }));
	}

	async #refused(error)
	{
		const called = (name) => this.form.fields.find(({ key }) => key === name);
		const field = called(error.field) || called(error.field.split(/[.[]/)[0]);

		// a response: the same key would only repeat it
		if (error.status)
			this.#key = newKey();
		if (error.status === 412 && !this.isNew)
			await this.#findConflict(error);
		else if (field)
			this.errors = { [field.key]: inWords(this.form, field, error.detail) };
		else
			this.error = error;
	}

	async #findConflict(error)
	{
		try {
			const now = await this.#api.record('GET', this.address);

			this.conflict = { ...now, list: differences(this.form, { before: this.record,
				now: this.#adapted(now.record).record, values: this.values }) };
		} catch {
			this.error = error;
		}
	}

	/**
	 * Continues with the row as it is now; mine: and with what was typed
	 * here. joined: texts by key that have both changes.
	 */
	settle(mine, joined = {})
	{
		const { values, record } = this;
		const kept = mine ? changedKeys(this.form, values, record) : [];

		this.#take(this.conflict);
		for (const key of kept)
			this.values[key] = joined[key] ?? values[key];
		this.changed();
	}

	/**
	 * Deletes the row as it was read. If somebody has changed it since, the conflict
	 * says how.
	 * @returns true when it is deleted
	 * @throws ApiError
	 */
	async remove()
	{
		try {
			await this.#api.record('DELETE', this.address,
				{ headers: this.#etag ? { 'If-Match': this.#etag } : {} });
		} catch (error) {
			if (error.status !== 412)
				throw error;
			await this.#findConflict(error);
			this.changed();
			return false;
		}
		this.values = valuesOf(this.form, this.record);
		return true;
	}
}
