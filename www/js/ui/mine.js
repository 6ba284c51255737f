// SPDX-License-Identifier: MIT
// <lamp-mine>: what is kept of the user, from one place: where each kind of it is, all chats
// as one file, and their deletion.
import { html, nothing } from '../../vendor/lit.js';
import { errorText } from '../format.js';
import { placeHash } from '../route.js';
import { t } from '../strings.js';
import { PageElement } from './element.js';
import { icon } from './icons.js';
import { placeTitle } from './side.js';

/** Places of what belongs to the user alone. */
const KINDS = ['attachments', 'memories', 'ratings', 'conversation-shares', 'tokens', 'provider-instances'];
const PAGE = 100;

class LampMine extends PageElement {
	static properties = {
		places: { attribute: false },
		busy: { state: true },
		error: { state: true },
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
	}

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
		const rows = [undefined, 'chats'].flatMap((under) => this.places.offered(under))
			.filter(({ form }) => KINDS.includes(form));

		return html`<section aria-labelledby="mine-title">
			<h2 id="mine-title">${t('mine.title')}</h2>
			<ul class="chips">${rows.map((row) => html`<li><a class="chip-button" href=${placeHash(row.form)}>${
				icon(row.icon)}<span>${row.form === 'conversation-shares' ? t('mine.shares') :
				placeTitle(row, this.places.titled(row.form))}</span></a></li>`)}</ul>
			<div class="chips"><button type="button" class="button button-small" ?disabled=${this.busy}
				@click=${this.#export}>${icon('download')}<span>${t('mine.export')}</span></button>
			<button type="button" class="button button-small danger" ?disabled=${this.busy}
				@click=${this.#delete}>${icon('trash')}<span>${t('mine.delete')}</span></button></div>
			${this.error ? html`<p class="form-error" role="alert">${errorText(this.error)}</p>` : nothing}
		</section>`;
	}
}

customElements.define('lamp-mine', LampMine);
