// SPDX-License-Identifier: MIT
// Files of a message: chosen, dropped, pasted; how far they are; in the thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { violations } from './axe.mjs';
import { api, ended, open, openChat, reading, send, shownId } from './browser.mjs';

const file = (name, text, mimeType = 'text/plain') =>
	({ name, mimeType, buffer: Buffer.from(text) });
const ready = (page, name) => page.waitForSelector(
	`.file-card.ready:has-text("${name}")`);

test('files go with a message, and stand in the thread', async (t) => {
	const page = await openChat(t);

	await page.locator('.file-button input').setInputFiles([
		file('policy.txt', 'Ten days carry over.\n'), file('<b>odd.txt', 'x'.repeat(900000)),
		file('wrong.bin', 'PK\x03\x04')]);
	for (const name of ['policy.txt', '<b>odd.txt', 'wrong.bin'])
		await ready(page, name);
	assert.match(await page.locator('.file-card', { hasText: 'wrong.bin' })
		.locator('.file-problem').innerText(), /\.$/);
	await page.locator('.file-card', { hasText: 'wrong.bin' })
		.getByRole('button', { name: 'Remove wrong.bin' }).click();
	await send(page, 'What is in it?');
	await reading(page);
	assert.equal(await page.locator('.composer .file-card').count(), 0);
	const shown = page.locator('.message-user .file-card');

	assert.deepEqual(await shown.allInnerTexts(), ['policy.txt', '<b>odd.txt']);
	await ended(page);	// by now the conversation has its address
	const { items } = await api('GET', `conversations/${shownId(page)}/messages`);

	assert.deepEqual(items.at(-1).metadata.attachments.map(({ name, size }) => [name, size]),
		[['policy.txt', 21], ['<b>odd.txt', 900000]]);
	await page.reload();
	await ended(page);
	const [download] = await Promise.all([page.waitForEvent('download'),
		shown.first().getByRole('link').click()]);

	assert.equal(download.suggestedFilename(), 'policy.txt');
});

test('a part that fails is sent again; a file can be cancelled', async (t) => {
	const page = await openChat(t);
	let failures = 0;

	await page.route('**/attachments/*', (route) => (
		route.request().method() === 'PATCH' && failures++ === 0 ? route.abort()
			: route.continue()));
	await page.locator('.file-button input').setInputFiles([
		file('long.txt', 'word '.repeat(400000))]);
	await ready(page, 'long.txt');
	assert.ok(failures > 1);
	await page.unroute('**/attachments/*');
	await page.route('**/attachments?*', () => {});	// never answered
	await page.locator('.file-button input').setInputFiles([file('slow.txt', 'x')]);
	await page.waitForSelector('.file-card.sending progress');
	await page.locator('.composer-field').fill('Now');
	assert.ok(await page.locator('.send-button').isDisabled());
	await page.getByRole('button', { name: 'Remove slow.txt' }).click();
	await page.waitForSelector('.send-button:enabled');
});

test('files are dropped and pasted; a large photo is made smaller', async (t) => {
	const page = await openChat(t);

	await page.evaluate(async () => {
		const canvas = new OffscreenCanvas(3000, 1000);
		const draw = canvas.getContext('2d');
		const noise = draw.createImageData(3000, 1000);

		noise.data.forEach((_, i) => { noise.data[i] = (i * 7919) % 251; });
		draw.putImageData(noise, 0, 0);
		const blob = await canvas.convertToBlob({ type: 'image/png' });
		const give = (type, name, transfer) => {
			const event = new Event(type, { bubbles: true, cancelable: true });

			// those of scripts are empty in Firefox
			Object.defineProperty(event, name, { value: transfer });
			document.querySelector('.composer-field').dispatchEvent(event);
		};
		const photo = new DataTransfer(), note = new DataTransfer();

		photo.items.add(new File([blob, new Uint8Array(2000000)], 'photo.png',
			{ type: 'image/png' }));
		note.items.add(new File(['pasted'], 'note.txt', { type: 'text/plain' }));
		give('drop', 'dataTransfer', photo);
		give('paste', 'clipboardData', note);
	});
	await ready(page, 'photo.png');
	await ready(page, 'note.txt');
	const card = (name) => page.locator('.composer .file-card', { hasText: name });

	assert.deepEqual(await card('photo.png').locator('img').evaluate(
		(image) => [image.complete, image.naturalWidth, image.naturalHeight]), [true, 96, 32]);
	assert.equal(await card('photo.png').locator('a').count(), 0);
	assert.equal(await card('note.txt').locator('img').count(), 0);
	const [text] = await Promise.all([page.waitForEvent('popup'),
		card('note.txt').getByRole('link').click()]);

	await text.waitForLoadState();
	assert.equal(await text.locator('body').innerText(), 'pasted');
	await text.close();
	const { items } = await api('GET', 'attachments');
	const photo = items.find(({ name }) => name === 'photo.png');

	assert.equal(photo.mediaType, 'image/jpeg');
	assert.ok(photo.size < 2000000);
});

test('a file that is too large is refused with its first part', async (t) => {
	const page = await openChat(t);
	let parts = 0;

	page.on('request', (request) => {
		parts += /\/attachments[?/]/.test(request.url()) ? 1 : 0;
	});
	await page.evaluate(() => {
		const dataTransfer = new DataTransfer();

		dataTransfer.items.add(new File([new Uint8Array(104857601)], 'film.bin'));
		document.querySelector('.composer-field').dispatchEvent(new DragEvent('drop',
			{ bubbles: true, cancelable: true, dataTransfer }));
	});
	const card = page.locator('.file-card.failed', { hasText: 'film.bin' });

	await card.waitFor();
	assert.match(await card.locator('.file-problem').innerText(), /too large.* 100 MiB\./);
	assert.equal(parts, 1);
	assert.ok(await page.locator('.send-button').isDisabled());
	await card.getByRole('button', { name: 'Remove film.bin' }).click();
	assert.equal(await page.locator('.file-card').count(), 0);
});

test('a photo that its camera has turned is sent upright', async (t) => {
	const page = await openChat(t);
	const photos = await page.evaluate(async () => {
		const canvas = new OffscreenCanvas(60, 20);

		canvas.getContext('2d').fillRect(0, 0, 60, 20);
		const jpeg = new Uint8Array(await (await canvas.convertToBlob(
			{ type: 'image/jpeg' })).arrayBuffer());
		const exif = (little, value) => {
			const tiff = new DataView(new ArrayBuffer(26));

			tiff.setUint16(0, little ? 0x4949 : 0x4d4d);
			[[2, 42], [8, 1], [10, 0x0112], [12, 3], [18, value]].forEach(
				([at, n]) => tiff.setUint16(at, n, little));
			tiff.setUint32(4, 8, little);
			tiff.setUint32(14, 1, little);
			return [0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0,
				...new Uint8Array(tiff.buffer)];
		};

		return [exif(true, 6), exif(false, 8), exif(true, 1), [0xff, 0xe1, 0xff, 0xff]]
			.map((segment) => [0xff, 0xd8, ...segment, ...jpeg.slice(2)]);
	});

	await page.locator('.file-button input').setInputFiles(photos.map((bytes, i) => (
		{ name: `turned${i}.jpg`, mimeType: 'image/jpeg', buffer: Buffer.from(bytes) })));
	for (const i of photos.keys())
		await ready(page, `turned${i}.jpg`);
	const { items } = await api('GET', 'attachments');
	const sizes = await page.evaluate(async (ids) => Promise.all(ids.map(async (id) => {
		const got = await (await fetch(`api/v1/attachments/${id}/content`)).arrayBuffer();
		const bytes = new Uint8Array(got);
		const head = new TextDecoder('latin1').decode(bytes.slice(0, 64));

		return [head.includes('Exif'), bytes.length];
	})), photos.map((_, i) => items.find(({ name }) => name === `turned${i}.jpg`).id));

	assert.deepEqual(sizes.map(([exif]) => exif), [false, false, true, false]);
	assert.equal(sizes[2][1], photos[2].length);
	assert.equal(sizes[3][1], photos[3].length);
	const shape = await page.evaluate(async (id) => {
		const blob = await (await fetch(`api/v1/attachments/${id}/content`)).blob();
		const image = await createImageBitmap(blob);

		return [image.width, image.height];
	}, items.find(({ name }) => name === 'turned0.jpg').id);

	assert.deepEqual(shape, [20, 60]);
});

test('files become documents of a knowledge base', async (t) => {
	const base = await api('POST', 'knowledge-bases', { name: 'Of files', language: 'en' });
	const page = await open(t, { hash: `#/knowledge-bases/${base.id}` });
	const row = (name) => page.locator('.document', { hasText: name });

	// Documents become ready between the page's two questions.
	await page.route(`**/${base.id}/progress`, async (route) => {
		while ((await api('GET', `knowledge-bases/${base.id}/progress`)).queued > 0)
			await delay(50);
		await route.continue();
	});
	await page.locator('.documents input[type=file]').setInputFiles([
		file('<b>leave.md', '# Leave\n\nTen days carry over.\n'), file('empty.txt', ' \n'),
		file('nothing.txt', '')]);
	await page.waitForSelector('.document.ready:has-text("<b>leave")');
	await page.waitForSelector('.document.failed:has-text("empty")');
	assert.match(await row('empty').locator('.file-problem').innerText(), /empty\.$/);
	// without a byte it is none
	const refused = page.locator('.file-card.failed', { hasText: 'nothing.txt' });

	assert.match(await refused.locator('.file-problem').innerText(), /No bytes came/);
	await refused.getByRole('button').click();
	await refused.waitFor({ state: 'detached' });
	assert.equal(await page.locator('.documents [role=status]').innerText(),
		'1 ready, 0 waiting, 1 failed');
	const [download] = await Promise.all([page.waitForEvent('download'),
		row('<b>leave').getByRole('link', { name: 'Download' }).click()]);

	assert.equal(download.suggestedFilename(), '_b_leave.md');
	// A document is read beside the list.
	await row('<b>leave').getByRole('button', { name: '<b>leave', exact: true }).click();
	const panel = page.getByRole('dialog', { name: '<b>leave' });

	await panel.getByText('Ten days carry over.').waitFor();
	assert.equal(await panel.locator('.source-passage, .note, .cite').count(), 0);
	assert.deepEqual(await violations(page, 'document'), []);
	await page.keyboard.press('Escape');
	await row('empty').getByRole('button', { name: /empty/ }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
	await row('empty').waitFor({ state: 'detached' });
});

test('a long list stays while the newest documents are watched', async (t) => {
	const base = await api('POST', 'knowledge-bases', { name: 'Of many', paused: true });
	const path = `knowledge-bases/${base.id}`;
	const write = (n) => api('POST', `${path}/documents`, { title: `Number ${n}`, text: 'x' });

	t.after(() => api('DELETE', path));
	for (let n = 0; n < 60; n++)
		await write(n);
	const page = await open(t, { hash: `#/${path}` });
	const listed = page.locator('.document');

	await page.getByText('Turn “Paused” off').waitFor();
	await page.getByRole('button', { name: 'Show more' }).click();
	await page.getByText('Number 0', { exact: true }).waitFor();
	await write(60);
	await page.getByText('Number 60', { exact: true }).waitFor();
	assert.equal(await listed.count(), 61);
	await page.getByText('Number 0', { exact: true }).waitFor();
	assert.equal(await page.locator('.documents [role=status]').innerText(),
		'0 ready, 61 waiting, 0 failed');
});
