// SPDX-License-Identifier: MIT
// <lamp-mine>: what is kept of the user, on one page: all chats as a file and their deletion,
// the other kinds of it, keys, tokens, and what this browser has.
import { html, nothing, repeat } from '../../vendor/lit.js';
import { ApiError } from '../api.js';
import { save } from '../clipboard.js';
import { rowName } from '../form.js';
import { errorText, failureText, moment } from '../format.js';
import { Watch } from '../observable.js';
import { placeHash } from '../route.js';
import { forget, kept } from '../store/device.js';
import { locale, t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { placeTitle } from './side.js';
import './limits.js';
import './ready.js';

/** Places of what belongs to the user alone, without what has a list of its own here. */
const KINDS = ['agents', 'prompts', 'knowledge-bases', 'projects', 'attachments', 'memories', 'ratings',
	'conversation-shares', 'conversation-folders', 'settings'];
/** Of these, others' rows are in the list, too: how one's own are known. */
const OWN = { agents: ({ visibility, source }) => visibility === 'private' && source !== 'config',
	prompts: ({ tier }) => tier === 'private', 'knowledge-bases': ({ tier }) => tier === 'private',
	projects: ({ tier }) => tier === 'private' };
/** More rows are not counted one by one. */
const COUNTED = 200;
const PAGE = 100;
/** Rows of a list that are shown here. */
const SHOWN = 10;

/** A key of the user's for a provider. */
const keyText = ({ provider, active }) => [provider, ...active === false ? [t('mine.keyOff')] : []]
	.filter(Boolean).join(' · ');

/** Who uses a token, as far as that is known. */
const tokenText = ({ lastUsedAt, expiresAt, readOnly }) => [
	lastUsedAt ? t('mine.used', { when: moment(lastUsedAt) }) : t('mine.unused'),
	expiresAt ? t('mine.expires', { when: moment(expiresAt) }) : t('mine.never'),
	...readOnly ? [t('mine.readOnly')] : []].join(' · ');

class LampMine extends PageElement {
	static properties = {
		places: { attribute: false },
		busy: { state: true },
		error: { state: true },
		/** how many there are of each kind, as it is said */
		counts: { state: true },
	};

	constructor()
	{
		super();
		/** @type {import('../api.js').Api} */
		this.api = undefined;
		/** @type {import('../store/places.js').Places} */
		this.places = undefined;
		/** @type {import('./parts.js').Confirm} */
		this.confirm = undefined;
		/** @type {import('../store/order.js').Order} */
		this.order = undefined;
		this.busy = false;
		this.error = null;
		/** @type {Record<string, string>} */
		this.counts = {};
		/** @type {Record<string, import('../store/rows.js').Rows | null>} lists of keys and of tokens */
		this.lists = {};
		new Watch(this, () => this.lists['provider-instances']);
		new Watch(this, () => this.lists.tokens);
	}

	connectedCallback()
	{
		super.connectedCallback();
		// what was typed just now is counted
		document.querySelector('lamp-app').threads.keepNow();
		for (const name of ['provider-instances', 'tokens']) {
			const form = this.places.form(name);

			this.lists[name] = form ? this.places.rows(form) : null;
			this.lists[name]?.reload();
		}
		for (const name of KINDS)
			this.#count(name);
	}

	/** What cannot be counted has no number. */
	async #count(name)
	{
		const form = this.places.form(name);
		const rows = form && !form.single ? this.places.rows(form) : null;

		if (!rows)
			return;
		await (OWN[name] ? rows.all(COUNTED) : rows.reload());
		const n = OWN[name] ? rows.items.filter(OWN[name]).length : rows.total ?? rows.items.length;
		const more = rows.nextCursor !== null && (OWN[name] || rows.total === null);

		if (!rows.error)
			this.counts = { ...this.counts, [name]: `${n.toLocaleString(locale())}${more ? '+' : ''}` };
	}

	/** All that is stored of the user, which is many megabytes for some. */
	#take = async () => {
		this.busy = true;
		this.error = null;
		try {
			const file = await (await this.api.request('GET', 'me/export')).blob();

			// what was cut short is no JSON
			if (await file.slice(-2).text() !== '}\n')
				throw new ApiError({ code: 'network' });
			save({ name: t('mine.fileName', { day: new Date().toLocaleDateString('sv') }),
				type: 'application/json', text: file });
			this.emit('lamp-say', { text: t('mine.taken') });
		} catch (error) {
			this.error = error;
		}
		this.busy = false;
	};

	/** The ids of all chats, of archived ones and those of programs, too. */
	async #chats()
	{
		const ids = [];

		for (const side of [{}, { archived: true }, { clients: true }]) {
			let cursor = null;

			do {
				const page = await this.api.conversations({ ...side, cursor, pageSize: PAGE });

				ids.push(...page.items.map(({ conversationId }) => conversationId));
				cursor = page.nextCursor;
			} while (cursor !== null);
		}
		return ids;
	}

	/** Does something with all chats, if there are any. */
	async #withChats(what)
	{
		this.busy = true;
		this.error = null;
		try {
			const ids = await this.#chats();

			if (ids.length > 0)
				await what(ids);
			else
				this.emit('lamp-say', { text: t('mine.none') });
		} catch (error) {
			this.error = error;
		}
		this.busy = false;
	}

	#export = () => this.#withChats((ids) => this.emit('lamp-export', { ids, format: 'json' }));

	#delete = () => this.#withChats(async (ids) => {
		if (!await this.confirm(t('mine.deleteTitle'), t('mine.deleteText', { n: ids.length }), t('list.delete')))
			return;
		this.order.doom(ids);
		this.emit('lamp-say', { text: t('list.doomed', { n: ids.length }) });
	});

	render()
	{
		return html`<p class="place-hint">${t('mine.text')}</p>
			${this.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				errorText(this.error)}</span></p>` : nothing}
			<section class="mine-part" aria-labelledby="mine-all">
				<h2 id="mine-all">${t('mine.all')}</h2>
				<p>${t('mine.allText')}</p>
				<div class="chips"><button type="button" class="button button-small" ?disabled=${this.busy}
					@click=${this.#take}>${icon('download')}<span>${t('mine.take')}</span></button></div>
			</section>
			<section class="mine-part" aria-labelledby="mine-chats">
				<h2 id="mine-chats">${t('mine.chats')}</h2>
				<div class="chips"><button type="button" class="button button-small" ?disabled=${this.busy}
					@click=${this.#export}>${icon('download')}<span>${t('mine.export')}</span></button>
				<button type="button" class="button button-small danger" ?disabled=${this.busy}
					@click=${this.#delete}>${icon('trash')}<span>${t('mine.delete')}</span></button></div>
			</section>
			${this.#others()}
			<lamp-limits class="mine-part" .api=${this.api}></lamp-limits>
			${this.#list('provider-instances', { none: t('mine.noKeys'), make: t('mine.newKey'),
				text: keyText })}
			${this.#list('tokens', { none: t('mine.noTokens'), make: t('mine.newToken'),
				text: tokenText, act: (row) => this.#revokeButton(row) })}
			${this.#devices()}`;
	}

	#others()
	{
		const rows = [undefined, 'mine'].flatMap((under) => this.places.offered(under))
			.filter(({ form }) => KINDS.includes(form));
		const title = (row) => placeTitle(row, this.places.titled(row.form));

		return rows.length === 0 ? nothing : html`<section class="mine-part" aria-labelledby="mine-others">
			<h2 id="mine-others">${t('mine.others')}</h2>
			<ul class="mine-rows">${rows.map((row) => html`<li><a class="mine-row" href=${placeHash(row.form)}>${
				icon(row.icon)}<span class="mine-name"><b>${title(row)}${
				this.counts[row.form] ? html` <span class="mine-count">${this.counts[row.form]}</span>` :
					nothing}</b> <span class="muted">${t(`mine.${row.form}`)}</span></span></a></li>`)}</ul></section>`;
	}

	/**
	 * What is newest of a list.
	 * @param {string} name of its place
	 * @param {{none: string, make: string, text: (row: any) => string, act?: (row: any) => unknown}} how
	 */
	#list(name, { none, make, text, act = () => nothing })
	{
		const rows = this.lists[name];
		const form = this.places.form(name);
		const [row] = this.places.offered().filter((one) => one.form === name);

		if (!rows || !row)
			return nothing;
		return html`<section class="mine-part" aria-labelledby=${`mine-${name}`}>
			<h2 id=${`mine-${name}`} tabindex="-1">${placeTitle(row, form)}</h2>
			<p class="muted">${t(row.hint)}</p>
			${rows.error ? html`<p class="form-error" role="alert">${icon('warning')}<span>${
				failureText(rows.error)}</span></p>` : nothing}
			${rows.loaded && rows.items.length === 0 && !rows.error ? html`<p>${none}</p>` : html`
				<ul class="mine-rows">${repeat(rows.items.slice(0, SHOWN), ({ id }) => id, (one) => html`<li>
					<a class="mine-row" href=${placeHash(name, one.id)}>${icon(row.icon)}<span
						class="mine-name"><b dir="auto">${rowName(form, one)}</b> <span class="muted">${
						text(one)}</span></span></a>${act(one)}</li>`)}</ul>`}
			<div class="chips">${form.canWrite ? html`<a class="button button-small"
				href=${placeHash(name, 'new')}>${icon('plus')}<span>${make}</span></a>` : nothing}
			${rows.items.length > SHOWN || rows.nextCursor ? html`<a class="button button-small"
				href=${placeHash(name)}>${t('mine.more', { name: placeTitle(row, form) })}</a>` : nothing}</div>
		</section>`;
	}

	#revokeButton(token)
	{
		const name = rowName(this.places.form('tokens'), token);

		return !this.places.form('tokens').canWrite ? nothing : html`<button type="button"
			class="button button-small" aria-label=${t('mine.revokeOf', { name })}
			?disabled=${this.busy} @click=${() => this.#revoke(token, name)}>${t('mine.revoke')}</button>`;
	}

	async #revoke(token, name)
	{
		const rows = this.lists.tokens;

		if (!await this.confirm(t('mine.revokeTitle', { name }), t('mine.revokeText'), t('mine.revoke')))
			return;
		this.busy = true;
		this.error = null;
		try {
			await this.api.request('DELETE', `${rows.path}/${encodeURIComponent(token.id)}`);
			this.emit('lamp-say', { text: t('mine.revoked', { name }) });
			await rows.reload();
		} catch (error) {
			this.error = error;
		}
		this.busy = false;
		// the pressed button is gone
		await this.updateComplete;
		this.querySelector('#mine-tokens')?.focus();
	}

	#devices()
	{
		const here = kept(this.api.base);
		/** @type {import('./app.js').LampApp} */
		const app = document.querySelector('lamp-app');
		const lines = [...here.drafts ? [t('mine.drafts', { n: here.drafts })] : [],
			...here.answers ? [t('mine.unsaved', { n: here.answers })] : [],
			...here.choices ? [t('mine.choices')] : []];

		return html`<section class="mine-part" aria-labelledby="mine-devices">
			<h2 id="mine-devices">${t('mine.devices')}</h2>
			<p>${t('mine.devicesText')} ${
				this.places.form('tokens') ? t('mine.devicesTokens') : nothing}</p>
			<lamp-ready .ready=${app.ready}></lamp-ready>
			${lines.length === 0 ? html`<p>${t('mine.forgetNothing')}</p>` : html`<p>${t('mine.deviceText')}</p>
				<ul class="mine-kept">${lines.map((line) => html`<li>${line}</li>`)}</ul>
				<div class="chips"><button type="button" class="button button-small danger"
					@click=${this.#forget}>${icon('trash')}<span>${t('mine.forget')}</span></button></div>`}
		</section>`;
	}

	#forget = async () => {
		if (!await this.confirm(t('mine.forgetTitle'), t('mine.forgetText'), t('mine.forget')))
			return;
		// so that nothing is written when the page ends
		document.querySelector('lamp-app').threads.keepNow();
		forget(this.api.base);
		location.reload();
	};
}

customElements.define('lamp-mine', LampMine);
