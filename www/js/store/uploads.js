// SPDX-License-Identifier: MIT
// The files of the next message: they are sent in parts while it is written,
// small enough for the limits of web servers, and a part that fails for a
// temporary reason is sent again from where the server has the file.
import { ApiError } from '../api.js';
import { Observable } from '../observable.js';

/** Below nginx's default limit (client_max_body_size 1m). */
const PART_BYTES = 786432;
const TRIES = 4;
/** Photos are scaled down before they are sent: models see no more of them. */
const MAX_SIDE = 2048;
const SHRINK_FROM = 1500000;
const SHOWN = /^image\/(jpeg|png|webp|gif)$/;
const SHOWN_SIDE = 96;
const SHRINKABLE = /^image\/(jpeg|png|webp)$/;
/** Of a photo, in which its orientation is. */
const HEAD_BYTES = 65536;

let keys = 0;

/** {key, name, size, sent, state: sending ready failed, record, error, preview: URL} */
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
				preview: null, abort: new AbortController() };

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

	/** What a draft keeps of them: the server has the bytes of those that have an id. */
	kept()
	{
		return this.items.map(({ record, name, size, state }) => ({ name, size,
			...state === 'ready' && record && { id: record.id } }));
	}

	/** Takes over what a draft has kept. */
	restore(kept)
	{
		for (const { id, name, size } of kept) {
			const item = { key: ++keys, name, size, sent: size, state: 'sending', record: null,
				error: null, file: null, preview: null, abort: new AbortController() };

			this.items = [...this.items, item];
			this.#find(item, id);
		}
		this.changed();
	}

	/** Resolves when it is known of each whether the server has it. */
	async settled()
	{
		while (this.items.some(({ state }) => state === 'sending')) {
			await new Promise((resolve) => {
				const end = this.watch(() => {
					end();
					resolve(undefined);
				});
			});
		}
	}

	/** Whether the server still has a file; without an id it was never sent whole. */
	async #find(item, id)
	{
		try {
			if (!id)
				throw new ApiError({ code: 'fileCut' });
			item.record = await this.#api.attachment(id);
			if (item.record.state !== 'ready')
				throw new ApiError({ code: 'fileCut' });
			if (SHOWN.test(item.record.mediaType || ''))
				item.preview = `api/v1/attachments/${encodeURIComponent(id)}/content`;
			item.state = 'ready';
		} catch (error) {
			item.state = 'failed';
			item.error = error.status === 404 ? new ApiError({ code: 'fileGone' }) : error;
		}
		this.changed();
	}

	async #send(item)
	{
		try {
			item.file = await smaller(item.file);
			item.size = item.file.size;
			item.preview = await preview(item.file);
			this.changed();
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
						length: item.file.size,
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

/**
 * A large photo as a JPEG that models can see, and one that its camera has turned
 * upright, since models ignore EXIF; other files as they are.
 */
async function smaller(file)
{
	if (!SHRINKABLE.test(file.type))
		return file;
	try {
		const turned = await isTurned(file);

		if (!turned && file.size < SHRINK_FROM)
			return file;
		const image = await createImageBitmap(file);
		const scale = Math.min(1, MAX_SIDE / Math.max(image.width, image.height));
		const canvas = new OffscreenCanvas(Math.round(image.width * scale),
			Math.round(image.height * scale));

		canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
		image.close();
		const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });

		return turned || blob.size < file.size ? blob : file;
	} catch {
		return file;	// the server says what is wrong with it
	}
}

/** A small picture of an image, as an address that the policy of the page allows; or null. */
async function preview(file)
{
	if (!SHOWN.test(file.type))
		return null;
	try {
		const image = await createImageBitmap(file);
		const scale = Math.min(1, SHOWN_SIDE / Math.max(image.width, image.height));
		const canvas = document.createElement('canvas');

		canvas.width = Math.max(1, Math.round(image.width * scale));
		canvas.height = Math.max(1, Math.round(image.height * scale));
		canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
		image.close();
		return canvas.toDataURL('image/png');
	} catch {
		return null;
	}
}

/** Whether a JPEG says, in EXIF, that it is to be turned or mirrored. */
async function isTurned(file)
{
	const head = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
	let at = 2;

	if (file.type !== 'image/jpeg' || head.getUint16(0) !== 0xffd8)
		return false;
	while (at + 18 < head.byteLength && head.getUint8(at) === 0xff) {
		const size = head.getUint16(at + 2);

		if (head.getUint16(at) === 0xffe1 && head.getUint32(at + 4) === 0x45786966)
			return orientation(new DataView(head.buffer, at + 10,
				Math.min(size - 8, head.byteLength - at - 10))) > 1;
		at += 2 + size;
	}
	return false;
}

/** The tag 0x0112 of the first directory of a TIFF (Exif 2.3, section 4.6.4); 1 without it. */
function orientation(tiff)
{
	const little = tiff.getUint16(0) === 0x4949;
	const first = tiff.getUint32(4, little);
	const n = tiff.getUint16(first, little);

	for (let i = 0; i < n; i++)
		if (tiff.getUint16(first + 2 + 12 * i, little) === 0x0112)
			return tiff.getUint16(first + 10 + 12 * i, little);
	return 1;
}
