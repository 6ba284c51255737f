// SPDX-License-Identifier: MIT
// What is done to whole chats, from their list, from the menu of the open one and from
// "My data": they are named, ordered, exported, shared, deleted.
import { save } from '../clipboard.js';
import { errorText } from '../format.js';
import { go } from '../route.js';
import { t } from '../strings.js';
import { movedText } from './list.js';

export class Chats {
	#page;

	/** @param page <lamp-app>, whose stores these change; it hears what its elements ask for */
	constructor(page)
	{
		this.#page = page;
		for (const [name, act] of Object.entries({
			'lamp-delete': (detail) => this.remove(detail),
			'lamp-rename': (detail) => this.#rename(detail),
			'lamp-own': ({ share }) => this.#own(share),
			'lamp-order': (detail) => this.order(detail),
			'lamp-arrange': ({ items }) => page.show('lamp-arrange', 'show', items),
			'lamp-share': ({ id }) => page.show('lamp-share', 'show', id),
			'lamp-export': (detail) => this.export(detail),
			'lamp-folder-remove': ({ folder }) => this.#removeFolder(folder),
		}))
			page.addEventListener(name, (event) => act(event.detail));
	}

	async remove({ id, title })
	{
		const { list, order, threads } = this.#page;

		if (!await this.#page.confirm(t('delete.title'), t('delete.text', { title }),
			t('delete.confirm')))
			return;
		try {
			await list.remove(id);
		} catch (error) {
			threads.fail(error);
			return;
		}
		order.forget(id);
		this.#page.tell(t('list.deleted', { title }));
		threads.drop(id);
		if (threads.current.conversationId === id)
			this.#page.newChat();
	}

	async order({ ids, fields })
	{
		const { order } = this.#page;
		const before = order.moved;

		try {
			await order.arrange(ids, fields);
			this.#page.say(order.moved && order.moved !== before ? movedText(order.moved) : t('arrange.done'));
		} catch (error) {
			this.#page.tell(errorText(error));
		}
	}

	async export({ ids, format })
	{
		try {
			const { exported, readWhole } = await import('./later.js');
			const wholes = [];

			for (const id of ids)
				wholes.push(await readWhole(this.#page.api, id, format !== 'json'));
			save(exported(wholes, format));
			this.#page.tell(t('export.done'));
		} catch (error) {
			this.#page.threads.fail(error);
		}
	}

	/** The list may not have it: its folder and tags are those that are stored. */
	async arrange(id)
	{
		try {
			await this.#page.show('lamp-arrange', 'show', [await this.#page.api.conversation(id)]);
		} catch (error) {
			this.#page.threads.fail(error);
		}
	}

	async #removeFolder({ id, name })
	{
		if (!await this.#page.confirm(t('folder.removeTitle', { name }), t('folder.removeText'),
			t('list.delete')))
			return;
		try {
			await this.#page.order.removeFolder(id);
		} catch (error) {
			this.#page.tell(errorText(error));
		}
	}

	async #rename({ id, title })
	{
		const { list, order, threads } = this.#page;
		const before = order.find(id)?.title;

		try {
			order.patch(id, { title });
			const conversation = await list.rename(id, title);

			threads.retitle(id, conversation.title);
			this.#page.say(t('list.renamed', { title: conversation.title }));
		} catch (error) {
			order.patch(id, { title: before });
			threads.fail(error);
		}
	}

	/** Goes on with what somebody shares. */
	async #own(share)
	{
		try {
			go(await this.#page.threads.own(share));
			this.#page.tell(t('share.owned'));
		} catch (error) {
			this.#page.threads.fail(error);
		}
	}
}
