// SPDX-License-Identifier: MIT
// <lamp-members>: who works on a project, and in which role. Its owners add people and
// groups, take them off, and change their roles.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { shown } from '../form.js';
import { failureText } from '../format.js';
import { Watch } from '../observable.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import './form.js';

const MOST = 200;

class LampMembers extends PageElement {
	static properties = {
		places: { attribute: false },
		project: { attribute: false },
		/** asks for a confirmation: confirm() of <lamp-app> */
		confirm: { attribute: false },
		/** of a new member */
		draft: { state: true },
		error: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('../store/project.js').Project} */
		this.project = undefined;
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		this.draft = null;
		this.error = null;
		this.rows = null;
		new Watch(this, () => this.rows);
		new Watch(this, () => this.project);
	}

	willUpdate(changes)
	{
		if (!changes.has('project'))
			return;
		this.draft = null;
		this.error = null;
		this.rows = this.places.rows(this.#form, { parent: this.project.id });
		this.rows.all(MOST);
	}

	get #form()
	{
		return this.project.members;
	}

	#draftOf(id, form = this.#form)
	{
		return this.places.draft(form, id, { parent: this.project.id });
	}

	/** The form of a person, or of a group: a member is one of both. */
	#formFor(key)
	{
		const other = key === 'user' ? 'group' : 'user';

		return { ...this.#form, labelKey: key,
			fields: this.#form.fields.filter((field) => field.key !== other)
				.map((field) => (field.key === key ? { ...field, required: true } : field)) };
	}

	async #begin(key)
	{
		this.error = null;
		this.draft = this.#draftOf('', this.#formFor(key));
		await this.updateComplete;
		this.querySelector('lamp-form').focusFirst();
	}

	async #close()
	{
		this.draft = null;
		await this.updateComplete;
		this.querySelector('h2').focus();
	}

	render()
	{
		const { rows } = this;
		const { isOwner } = this.project;
		const error = this.error || rows.error;

		return html`<section class="members" aria-labelledby="members-title">
			<h2 id="members-title" tabindex="-1">${t('place.members')}</h2>
			${error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(error)}</span></p>` : nothing}
			<ul class="member-rows">
				${this.#holder()}
				${repeat(rows.items, ({ id }) => id, (row) => this.#row(row))}</ul>
			${isOwner && this.#form.canWrite ? this.draft ? this.#addView() : this.#buttons() : nothing}
		</section>`;
	}

	/** Whose it is. */
	#holder()
	{
		const { tier, group } = this.project.draft.record;
		const mine = this.project.isOwner && !this.rows.items.some(({ user }) =>
			user && user === this.places.me.user);
		const who = { team: group, tenant: t('members.everyone') }[tier] ||
			(mine ? t('members.you') : t('members.maker'));

		return html`<li class="member">${icon(tier === 'private' ? 'person' : 'rooms')}
			<span class="member-name" dir="auto">${who}</span>
			<span class="muted">${t('members.holder')}</span></li>`;
	}

	#row(row)
	{
		const name = row.user || row.group;
		const me = row.user === this.places.me.user;
		const role = this.#form.fields.find(({ key }) => key === 'role');
		const changes = this.project.isOwner && this.#form.canWrite;
		const remove = t('members.removeOf', { name });

		return html`<li class="member">${icon(row.group ? 'rooms' : 'person')}
			<span class="member-name" dir="auto">${name}${me ? html` <span class="muted">${
				t('members.me')}</span>` : nothing}</span>
			${changes ? html`<label class="select select-quiet"><span class="sr-only">${
				t('members.roleOf', { name })}</span>
				<select @change=${(event) => this.#change(row, event.target)}>
					${role.choices.map(({ value, label }) => html`<option value=${value}
						?selected=${value === row.role}>${label}</option>`)}
				</select>${icon('chevron')}</label>
				${me ? nothing : html`<button type="button" class="icon-button" aria-label=${remove}
					title=${t('members.remove')} @click=${() => this.#remove(row, name)}>${
					icon('close')}</button>`}` : html`<span class="muted">${
				shown(role, row.role)}</span>`}</li>`;
	}

	#buttons()
	{
		const groups = this.#form.fields.find(({ key }) => key === 'group')?.choices || [];

		return html`<div class="form-buttons">
			<button type="button" class="button button-small" @click=${() => this.#begin('user')}>${
				icon('plus')}<span>${t('members.addPerson')}</span></button>
			${groups.length > 0 ? html`<button type="button" class="button button-small"
				@click=${() => this.#begin('group')}>${icon('plus')}<span>${
				t('members.addGroup')}</span></button>` : nothing}</div>`;
	}

	#addView()
	{
		return html`<lamp-form inline .draft=${this.draft} .places=${this.places}
			action=${t('form.add')} @lamp-saved=${this.#added}
			.actions=${html`<button type="button" class="button" @click=${() => this.#close()}>${
				t('app.cancel')}</button>`}></lamp-form>`;
	}

	#added = async (event) => {
		const { user, group } = event.detail.draft.record;

		event.stopPropagation();
		this.emit('lamp-say', { text: t('form.added', { name: user || group }) });
		await this.rows.all(MOST);
		this.#close();
	};

	async #change(row, select)
	{
		const draft = this.#draftOf(row.id);
		const name = row.user || row.group;

		this.error = null;
		await draft.load();
		if (!draft.loadError)
			draft.set('role', select.value);
		if (!draft.loadError && await draft.save())
			this.emit('lamp-say', { text: t('form.saved', { name }) });
		else
			select.value = row.role;
		this.error = draft.loadError || draft.error;
		await this.rows.all(MOST);
		// it may have been the caller's own
		if (row.user === this.places.me.user)
			this.project.show('', '');
	}

	async #remove(row, name)
	{
		if (!await this.confirm(t('members.removeTitle', { name }), t('members.removeText', { name }),
			t('members.remove')))
			return;
		this.error = null;
		try {
			await this.#draftOf(row.id).remove();
			this.emit('lamp-say', { text: t('members.removed', { name }) });
		} catch (error) {
			this.error = error;
		}
		await this.rows.all(MOST);
		this.querySelector('h2').focus();
	}
}

customElements.define('lamp-members', LampMembers);
