// SPDX-License-Identifier: MIT
// Order in many conversations: pinned, archived, in folders, tagged, several at once, and as
// files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { api, base, conversation, open, openChat, PHONE, say, script, unique } from './browser.mjs';
import { violations } from './axe.mjs';

const row = (page, text) => page.locator('.row', { has: page.locator('.row-title',
	{ hasText: text }) });
const record = (id) => api('GET', `conversations/${id}`);

async function choose(page, text, item)
{
	const at = row(page, text).first();

	await at.hover();
	await at.locator('.menu-button').click();
	await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function more(page, item)
{
	await page.getByRole('button', { name: 'More for the list of chats' }).click();
	await page.getByRole('menuitem', { name: item, exact: true }).click();
}

const said = (page, text) => page.waitForFunction((words) =>
	document.querySelector('[aria-live]').textContent.includes(words), text);

/** Titles below a heading of the list. */
const below = (page, heading) => page.evaluate((text) => {
	const head = [...document.querySelectorAll('.list-group')].find((one) => one.textContent === text);

	return [...head?.nextElementSibling.querySelectorAll('.row-title') || []]
		.map((one) => one.textContent);
}, heading);

test('pinned ones are on top, archived ones in a list of their own', async (t) => {
	const [one, two] = [unique('pin'), unique('other')];
	const id = await conversation(one);

	await conversation(two);
	const page = await openChat(t);

	await choose(page, one, 'Pin');
	await page.waitForFunction((text) => [...document.querySelectorAll('.list-group')]
		.some((head) => head.textContent === 'Pinned' &&
			head.nextElementSibling.textContent.includes(text)), one);
	assert.equal(await row(page, one).count(), 1);
	await page.reload();
	await row(page, one).waitFor();
	assert.ok((await below(page, 'Pinned')).includes(one));
	await choose(page, one, 'Archive');
	await row(page, one).waitFor({ state: 'detached' });
	assert.equal((await record(id)).archived, true);
	await more(page, 'Archived chats');
	await row(page, one).waitFor();
	assert.equal(await row(page, two).count(), 0);
	assert.deepEqual(await violations(page, 'archive'), []);
	await choose(page, one, 'Move out of the archive');
	await row(page, one).waitFor({ state: 'detached' });
	await page.getByRole('button', { name: 'All chats' }).click();
	await row(page, one).waitFor();
	// it is where it was before
	assert.ok((await below(page, 'Pinned')).includes(one));
	await choose(page, one, 'Unpin');
	await page.waitForFunction((text) => ![...document.querySelectorAll('.list-group')]
		.some((head) => head.textContent === 'Pinned' &&
			head.nextElementSibling.textContent.includes(text)), one);
});

test('folders, nested once, and tags', async (t) => {
	const [title, name, inner, tag] = [unique('filed'), unique('Folder'), unique('Inner'), unique('tag')];
	const id = await conversation(title);
	const page = await openChat(t);

	await more(page, 'New folder');
	await page.locator('.folder-field').fill(name);
	await page.keyboard.press('Enter');
	await row(page, name).waitFor();
	await choose(page, name, 'New folder inside');
	await page.locator('.folder-field').fill(inner);
	await page.keyboard.press('Enter');
	await row(page, inner).waitFor();
	await page.waitForFunction((text) => document.activeElement.matches('.folder-button') &&
		document.activeElement.textContent.includes(text), name);
	await row(page, inner).hover();
	await row(page, inner).locator('.menu-button').click();
	assert.equal(await page.getByRole('menuitem', { name: 'New folder inside' }).count(), 0);
	await page.keyboard.press('Escape');

	await choose(page, title, 'Folder and tags…');
	const dialog = page.locator('lamp-arrange dialog');

	await dialog.getByLabel('Folder', { exact: true }).selectOption({ label: `${name} / ${inner}` });
	await dialog.getByLabel('Tags').fill(`#${tag}, second, ${tag}`);
	assert.deepEqual(await violations(page, 'folder and tags'), []);
	await dialog.getByRole('button', { name: 'Save' }).click();
	await row(page, title).waitFor({ state: 'detached' });
	assert.deepEqual((await record(id)).tags, [tag, 'second']);
	await row(page, inner).locator('.folder-button').click();
	await row(page, title).waitFor();
	assert.deepEqual(await violations(page, 'folders'), []);

	await page.fill('.search-field', `#${tag}`);
	await page.waitForFunction((text) => [...document.querySelectorAll('.row-title')]
		.map((one) => one.textContent).join() === text, title);
	await page.fill('.search-field', '');
	await row(page, name).waitFor();
	// another tab, which has the folder open, learns of it
	await choose(page, name, 'Delete');
	await page.getByText('Its chats are kept.').waitFor();
	await page.locator('lamp-confirm').getByRole('button', { name: 'Delete' }).click();
	await row(page, name).waitFor({ state: 'detached' });
	await row(page, inner).waitFor();
	assert.equal((await record(id)).title, title);
	for (const { id: folder } of (await api('GET', 'conversation-folders')).items)
		await api('DELETE', `conversation-folders/${folder}`);
});

test('several at once are pinned, by buttons that say what they do', async (t) => {
	const word = unique('pins');
	const ids = await Promise.all([1, 2].map((n) => conversation(`${word} ${n}`)));
	const page = await openChat(t);
	const bar = page.locator('.list-bar');
	const select = async () => {
		await more(page, 'Select chats');
		for (const n of [1, 2])
			await page.getByLabel(`Select ${word} ${n}`).check();
	};

	await row(page, `${word} 1`).waitFor();
	await row(page, `${word} 2`).waitFor();
	await more(page, 'Select chats');
	assert.deepEqual((await bar.locator('.list-bar-acts button').allInnerTexts()).map((one) => one.trim()),
		['Select all', 'Pin', 'Folder', 'Archive', 'Export', 'Delete']);
	assert.equal(await bar.locator('.list-bar-acts button:enabled').count(), 1);
	await bar.getByRole('button', { name: 'Done' }).click();
	await select();
	assert.deepEqual(await violations(page, 'what can be done with several'), []);
	await bar.getByRole('button', { name: 'Pin', exact: true }).click();
	await page.waitForFunction((text) => [...document.querySelectorAll('.list-group')].some((head) =>
		head.textContent === 'Pinned' && [1, 2].every((n) =>
			head.nextElementSibling.textContent.includes(`${text} ${n}`))), word);
	const pins = async () => (await Promise.all(ids.map(record))).map(({ pinned }) => pinned);

	assert.deepEqual(await pins(), [true, true]);
	// they stay selected, and it can be undone
	await said(page, '2 chats pinned');
	await page.getByText('2 chats selected').waitFor();
	assert.deepEqual(await violations(page, 'what was done to several'), []);
	await page.getByRole('button', { name: 'Undo' }).click();
	await said(page, '2 chats are as before');
	assert.deepEqual(await pins(), [false, false]);
	await bar.getByRole('button', { name: 'Pin', exact: true }).click();
	await bar.getByRole('button', { name: 'Unpin' }).click();
	await said(page, '2 chats unpinned');
	await page.waitForFunction((text) => ![...document.querySelectorAll('.list-group')].some((head) =>
		head.textContent === 'Pinned' && head.nextElementSibling.textContent.includes(text)), word);
	assert.deepEqual(await pins(), [false, false]);
	assert.ok(await page.getByLabel(`Select ${word} 2`).isChecked());
	await bar.getByRole('button', { name: 'Archive' }).click();
	await page.getByText('2 chats selected').waitFor({ state: 'detached' });
});

test('what is pinned and in a folder stands once; folders stay open, selected chats selected', async (t) => {
	const [word, name] = [unique('once'), unique('Folder')];
	const ids = await Promise.all([1, 2].map((n) => conversation(`${word} ${n}`)));
	const page = await openChat(t, { hash: `#/c/${ids[0]}` });
	const bar = page.locator('.list-bar');
	const dialog = page.locator('lamp-arrange dialog');

	await row(page, `${word} 2`).waitFor();
	await more(page, 'Select chats');
	for (const n of [1, 2])
		await page.getByLabel(`Select ${word} ${n}`).check();
	await bar.getByRole('button', { name: 'Folder' }).click();
	await dialog.getByLabel('Folder', { exact: true }).selectOption({ label: 'New folder…' });
	await dialog.getByLabel('Name of the new folder').fill(name);
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.locator('.folder-inside', { hasText: `${word} 2` }).waitFor();
	await page.getByText('2 chats selected').waitFor();
	await page.getByLabel(`Select ${word} 2`).uncheck();
	await bar.getByRole('button', { name: 'Pin', exact: true }).click();
	await said(page, '1 chat pinned');
	await bar.getByRole('button', { name: 'Done' }).click();
	const stands = async () => {
		await page.locator('.folder-inside', { hasText: `${word} 2` }).waitFor();
		assert.deepEqual(await page.locator('.row-title', { hasText: word }).allInnerTexts(),
			[`${word} 1`, `${word} 2`]);
		assert.equal(await page.locator('.row [aria-current=page]').count(), 1);
		assert.ok((await below(page, 'Pinned')).includes(`${word} 1`));
	};

	await stands();
	await page.reload();
	await stands();
	await choose(page, `${word} 2`, 'Pin');
	await page.locator('.folder-inside').getByText('Its chats are pinned').waitFor();
	await row(page, name).locator('.folder-button').click();
	await page.reload();
	await row(page, name).waitFor();
	assert.equal(await row(page, name).locator('.folder-button').getAttribute('aria-expanded'), 'false');
	for (const { id: folder } of (await api('GET', 'conversation-folders')).items)
		await api('DELETE', `conversation-folders/${folder}`);
});

test('several at once: deleted with undo, archived, filed', async (t) => {
	const word = unique('bulk');
	const ids = await Promise.all([1, 2, 3].map((n) => conversation(`${word} ${n}`)));
	const page = await openChat(t);
	const check = (n) => page.getByLabel(`Select ${word} ${n}`).check();

	await page.fill('.search-field', word);
	await page.waitForFunction(() => document.querySelectorAll('.row-title').length === 3);
	await more(page, 'Select chats');
	await check(1);
	const before = page.url();

	// a title is part of its box
	await page.locator('.row-link', { hasText: `${word} 2` }).click();
	await page.getByText('2 chats selected').waitFor();
	assert.ok(await page.getByLabel(`Select ${word} 2`).isChecked());
	assert.equal(page.url(), before);
	assert.deepEqual(await violations(page, 'selecting'), []);
	await page.locator('.list-bar').getByRole('button', { name: 'Delete' }).click();
	await row(page, `${word} 1`).waitFor({ state: 'detached' });
	await page.getByRole('button', { name: 'Undo' }).click();
	await row(page, `${word} 1`).waitFor();
	await record(ids[0]);

	await more(page, 'Select chats');
	await check(1);
	await page.locator('.list-bar').getByRole('button', { name: 'Delete' }).click();
	// the page ends: it is deleted then
	await page.goto('about:blank');
	for (;;) {
		const gone = await record(ids[0]).then(() => false, () => true);

		if (gone)
			break;
	}
	await page.goto(base);
	await page.fill('.search-field', word);
	await page.waitForFunction(() => document.querySelectorAll('.row-title').length === 2);
	await more(page, 'Select chats');
	await page.getByRole('button', { name: 'Select all' }).click();
	await page.getByText('2 chats selected').waitFor();
	await page.locator('.list-bar').getByRole('button', { name: 'Archive' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.row-title').length === 0);
	assert.equal((await record(ids[1])).archived, true);
});

/** What the browser saves. */
async function saved(page, act)
{
	const [download] = await Promise.all([page.waitForEvent('download'), act()]);

	return { name: download.suggestedFilename(),
		text: await readFile(await download.path(), 'utf8') };
}

test('a chat as Markdown, JSON and a web page, without what would run', async (t) => {
	const title = `${unique('export')} <img src=x onerror=alert(1)>`;
	const id = await conversation(title);

	await say(id, '<script>alert(1)</script> & # not a heading');
	await say(id, script({ text: '# Heading\n\n**bold** <img src=x onerror=alert(1)> ' +
		'[link](javascript:alert(1))\n\n```js\nlet a = "<b>";\n```' }));
	const page = await openChat(t, { hash: `#/c/${id}` });
	const act = (name) => async () => {
		await page.locator('.main-head .menu-button').click();
		await page.getByRole('menuitem', { name }).click();
	};

	await page.waitForSelector('lamp-turn');
	const markdown = await saved(page, act('Export as Markdown'));

	assert.match(markdown.name, /^export.*\.md$/);
	assert.match(markdown.text, /\*\*bold\*\*/);
	assert.match(markdown.text, /## You/);
	const json = JSON.parse((await saved(page, act('Export as JSON'))).text);

	assert.equal(json.conversationId, id);
	assert.equal(json.messages.filter(({ role }) => role === 'user').length, 2);
	const web = await saved(page, act('Export as a web page'));

	assert.deepEqual(await page.evaluate((text) => [...new window.DOMParser()
		.parseFromString(text, 'text/html').querySelectorAll('*')].filter((one) =>
		/^(script|img|button|iframe|form)$/.test(one.localName) ||
		[...one.attributes].some(({ name, value }) => /^on|^style$/.test(name) ||
			/javascript:/i.test(value))).map((one) => one.outerHTML), web.text.replace(/<style>[^<]*<\/style>/, '')), []);
	assert.match(web.text, /<strong>bold<\/strong>/);
	assert.match(web.text, /Content-Security-Policy/);

	await page.evaluate(() => { window.print = () => { window.printed = true; }; });
	await act('Print')();
	await page.waitForFunction(() => window.printed);
	await page.emulateMedia({ media: 'print' });
	assert.equal(await page.locator('.side').isVisible(), false);
	assert.equal(await page.locator('lamp-turn').first().isVisible(), true);
	assert.equal(await page.locator('.code pre').first().isVisible(), true);
	assert.equal(await page.locator('.code-button').first().isVisible(), false);
});

test('on a phone, dark, by the keyboard', async (t) => {
	const title = unique('phone');

	await conversation(title);
	const page = await openChat(t, { ...PHONE, viewport: { width: 360, height: 640 },
		colorScheme: 'dark' });

	await page.locator('.drawer-open').click();
	await row(page, title).waitFor();
	await more(page, 'Select chats');
	await page.getByLabel(`Select ${title}`).check();
	assert.deepEqual(await violations(page, 'selecting on a phone'), []);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
	await page.locator('.list-bar').getByRole('button', { name: 'Done' }).click();
	await row(page, title).locator('.row-link').focus();
	await page.keyboard.press('ArrowDown');
	await page.waitForFunction(() => document.activeElement.matches('.row-link'));
});

test('a chat is shared from its row of the list', async (t) => {
	const title = unique('row');

	await conversation(title);
	const page = await openChat(t);

	await choose(page, title, 'Share…');
	await page.locator('dialog[open] h2').getByText('Share this chat').waitFor();
});

test('the side of a wide window is put away, and is there again for what needs it', async (t) => {
	const page = await openChat(t);
	const side = page.locator('.side');

	await page.getByRole('button', { name: 'Hide conversations' }).click();
	await side.waitFor({ state: 'hidden' });
	await page.waitForFunction(() => document.activeElement.classList.contains('drawer-open'));
	assert.deepEqual(await violations(page, 'folded'), []);
	await page.reload();
	await page.waitForSelector('.composer-field');
	assert.equal(await side.isVisible(), false);
	assert.equal(await page.getByRole('button', { name: 'New chat' }).isVisible(), true);
	await page.keyboard.press('Control+k');
	await page.waitForFunction(() => document.activeElement.matches('.search-field'));
	await page.getByRole('button', { name: 'Hide conversations' }).click();
	await page.evaluate(() => { location.hash = '#/settings'; });
	await page.locator('lamp-place').getByRole('button', { name: 'Show conversations' }).click();
	await side.waitFor();
	await page.reload();
	await side.waitFor();
});

test('my data: where it is, all chats as a file, and their deletion', async (t) => {
	const id = await conversation(unique('mine')), theirs = await conversation(unique('theirs'));
	const page = await open(t, { hash: '#/mine', init: (one) =>
		// of the chats of all tests, one and one as if it were a program's
		one.route(/\/conversations\?(?!.*include=)(?=.*pageSize=100)(?!.*pinned)/, async (route) => {
			const url = route.request().url();
			const ids = url.includes('archived=true') ? [] : [url.includes('clients=true') ? theirs : id];

			await route.fulfill({ json: { items: ids.map((one) => ({ conversationId: one })), nextCursor: null } });
		}) });
	const mine = page.locator('lamp-mine');

	assert.deepEqual(await violations(page, 'my data'), []);
	await mine.getByRole('link', { name: 'Files' }).waitFor();
	const [file] = await Promise.all([page.waitForEvent('download'),
		mine.getByRole('button', { name: 'All chats as a file' }).click()]);

	const text = await readFile(await file.path(), 'utf8');

	assert.ok(text.includes(id) && text.includes(theirs));
	await mine.getByRole('button', { name: 'Delete all chats' }).click();
	await page.getByText('2 chats will be deleted').waitFor();
	await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('button', { name: 'Undo' }).click();
	assert.equal((await record(id)).conversationId, id);
});
