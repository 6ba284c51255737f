// The files of the next message: they are sent in parts while it is written,
// small enough for the limits of web servers, and a part that fails for a
// temporary reason is sent again from where the server has the file.
import { Observable } from '../observable.js';

/** Below nginx's default limit (client_max_body_size 1m). */
const PART_BYTES = 786432;
const TRIES = 4;
/** Photos are scaled down before they are sent: models see no more of them. */
const MAX_SIDE = 2048;
const SHRINK_FROM = 1500000;
const SHRINKABLE = /^image\/(jpeg|png|webp)$/;

let keys = 0;

/** {key, name, size, sent, state: sending ready failed, record, error} */
export class Uploads extends Observable {
	#api;

	constructor(api)
	{
		super();
		this.#api = api;
		this.items = [];
	}

	get busy()
	{
		return this.items.some(({ state }) => state !== 'ready');
	}

	/** @param files of a field, a drop or a paste */
	add(files)
	{
		for (const file of files) {
			const item = { key: ++keys, name: file.name || 'image.png', size: file.size,
				sent: 0, state: 'sending', record: null, error: null, file,
				abort: new AbortController() };

			this.items = [...this.items, item];
			this.#send(item);
		}
		this.changed();
	}

	/** Stops it, or removes it from the message; the server deletes it. */
	remove(item)
	{
		item.abort.abort();
		this.items = this.items.filter((other) => other !== item);
		this.changed();
		if (item.record)
			this.#api.removeAttachment(item.record.id).catch(() => {});
	}

	again(item)
	{
		item.state = 'sending';
		item.error = null;
		this.#send(item);
		this.changed();
	}

	/** Those that are ready, for a message; put returns them. */
	take()
	{
		const { items } = this;

		this.items = [];
		this.changed();
		return items;
	}

	put(items)
	{
		this.items = [...items, ...this.items];
		this.changed();
	}

	async #send(item)
	{
		try {
			item.file = await smaller(item.file);
			item.size = item.file.size;
			await this.#parts(item);
			item.state = 'ready';
		} catch (error) {
			if (error.name === 'AbortError')
				return;
			item.state = 'failed';
			item.error = error;
		}
		this.changed();
	}

	async #parts(item)
	{
		for (let tries = 0; item.record?.state !== 'ready';) {
			const part = item.file.slice(item.sent, item.sent + PART_BYTES);
			const last = item.sent + part.size >= item.file.size;

			try {
				item.record = await this.#api.upload(item.record?.id, part,
					{ name: item.name, offset: item.sent, last,
						signal: item.abort.signal });
				tries = 0;
			} catch (error) {
				if (error.name === 'AbortError' || !error.retryable ||
				    !item.record || ++tries === TRIES)
					throw error;
				item.record = await this.#api.attachment(item.record.id);
			}
			item.sent = item.record.size;
			this.changed();
		}
	}
}

/** A large photo as a JPEG that models can see; other files as they are. */
async function smaller(file)
{
	if (!SHRINKABLE.test(file.type) || file.size < SHRINK_FROM)
		return file;
	try {
		const image = await createImageBitmap(file);
		const scale = Math.min(1, MAX_SIDE / Math.max(image.width, image.height));
		const canvas = new OffscreenCanvas(Math.round(image.width * scale),
			Math.round(image.height * scale));

		canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
		image.close();
		const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });

		return blob.size < file.size ? blob : file;
	} catch {
		return file;	// the server says what is wrong with it
	}
}
