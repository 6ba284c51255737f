// SPDX-License-Identifier: MIT
// Sharing a chat: by whom, how much of it, the reader's view, and its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, base, choosePlace, conversation, ended, open, openChat, PHONE, placeHashes,
	say, script, unique } from './browser.mjs';
import { violations } from './axe.mjs';

/**
 * The caller of the tests, as somebody whose chat is shared with them.
 * @param {string} [own] id of the chat that they get by going on with it
 */
async function sharedWithMe(page, record, messages, own)
{
	const share = { id: '01900000-0000-7000-8000-00000000abcd', title: 'Theirs', owner: 'ann',
		workspaceId: 'intranet', agentId: 'assistant', live: true, tools: false, files: true,
		sharedAt: '2027-01-31T10:00:00.000Z', updatedAt: '2027-01-31T11:00:00.000Z', ...record };

	await page.route('**/api/v1/shared-conversations**', async (route) => {
		const path = new URL(route.request().url()).pathname;

		if (path.endsWith('/fork'))
			return route.fulfill({ status: 201, json: await api('GET', `conversations/${own}`) });
		return route.fulfill({ json: path.endsWith('/messages') ?
			{ items: messages, totalCount: null, nextCursor: null } :
			path.endsWith(share.id) ? share : { items: [share], totalCount: null, nextCursor: null } });
	});
	return share;
}

const ROWS = (id) => [
	{ workspaceId: 'intranet', agentId: 'assistant', conversationId: id, turnId: id, role: 'assistant',
		messageId: `${id}.2`, id: `${id}.2`, content: '**Yes** <img src=x onerror=alert(1)>',
		createdAt: '2027-01-31T10:00:00.000Z', metadata: { finish_reason: 'stop' } },
	{ workspaceId: 'intranet', agentId: 'assistant', conversationId: id, turnId: id, role: 'user',
		messageId: `${id}.1`, id: `${id}.1`, content: '<script>alert(1)</script>?',
		createdAt: '2027-01-31T10:00:00.000Z', metadata: { attachments: [{ name: '<b>a</b>.txt' }] } },
];

test('what others share is in the sidebar from the start, on a phone too', async (t) => {
	const page = await openChat(t, { ...PHONE, init: (fresh) => fresh.route('**/api/v1/me?*', async (route) => {
		const answer = await route.fetch();

		await route.fulfill({ response: answer, json: { ...await answer.json(), shared: true } });
	}) });

	await page.getByRole('button', { name: 'Show conversations' }).click();
	assert.deepEqual(await violations(page, 'the side with what is shared'), []);
	await choosePlace(page, 'Shared with me');
	await page.waitForSelector('lamp-shared h1');
});

test('on a phone the buttons of a share stand together', async (t) => {
	const id = await conversation(unique('narrow'));
	const share = await api('POST', 'conversation-shares', { conversationId: id, kind: 'named',
		group: 'staff', live: true });

	t.after(() => api('DELETE', `conversation-shares/${share.id}`));
	const page = await open(t, { ...PHONE, hash: `#/c/${id}` });

	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await page.locator('.share').waitFor();
	const [copy, revoke] = await page.locator('.share .chip-button').evaluateAll((all) =>
		all.map((one) => one.getBoundingClientRect().top));

	assert.equal(copy, revoke);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
});

test('one has a list of what one shares, where nothing is begun', async (t) => {
	const title = unique('given');
	const id = await conversation(title);
	const share = await api('POST', 'conversation-shares', { conversationId: id, kind: 'named',
		group: 'staff', live: true });

	t.after(() => api('DELETE', `conversation-shares/${share.id}`));
	const page = await open(t, { hash: '#/conversation-shares' });

	await page.waitForSelector('.rows-link');
	assert.equal(await page.locator('.main h1').innerText(), 'What I share');
	assert.match(await page.locator(`.rows-link[href$="${share.id}"]`).innerText(),
		new RegExp(`^${title} · staff\n.*with later messages`, 's'));
	await page.evaluate(() => { location.hash = '#/ratings'; });
	await page.waitForFunction(() => document.querySelector('.main h1').textContent === 'My ratings');
	assert.equal(await page.locator('.new-row').count(), 0);
});

test('a shared chat that is longer than the window is scrolled', async (t) => {
	const rows = ROWS('01900000-0000-7000-8000-00000000abcd');

	rows[0].content = 'A paragraph.\n\n'.repeat(80);
	const page = await open(t, { init: (fresh) => sharedWithMe(fresh, {}, rows),
		hash: '#/shared/01900000-0000-7000-8000-00000000abcd' });

	await page.waitForSelector('lamp-shared lamp-turn');
	const thread = page.locator('lamp-shared lamp-thread');

	assert.equal(await thread.evaluate((one) => one.clientHeight < innerHeight && one.scrollHeight > innerHeight), true);
	await thread.hover();
	const before = await thread.evaluate((one) => one.scrollTop);

	await page.mouse.wheel(0, before > 0 ? -400 : 400);
	await page.waitForFunction((was) => document.querySelector('lamp-shared lamp-thread').scrollTop !== was, before);
	await page.locator('lamp-shared lamp-turn').last().evaluate((one) => one.scrollIntoView({ block: 'end' }));
	assert.equal(await page.locator('.side').isVisible(), true);
	assert.equal(await page.evaluate(() => document.body.scrollTop), 0);
});

test('a share ends at once, and can be taken back as it was', async (t) => {
	const id = await conversation(unique('retracted'));

	await say(id, 'hello');
	const { groups: [group] } = await api('GET', 'me');
	const share = await api('POST', 'conversation-shares', { conversationId: id, group, tools: true });

	await say(id, 'what is said later is not shared');
	const page = await openChat(t, { hash: `#/c/${id}` });
	const dialog = page.locator('lamp-share dialog');
	const stored = async () => (await api('GET', `conversation-shares?conversationId=${id}`)).items;
	const read = () => api('GET', `shared-conversations/${share.id}`).then(() => true, () => false);
	const revoke = async () => {
		await dialog.getByRole('button', { name: `Revoke the share with ${group}` }).click();
		await dialog.getByText(`${group} can no longer read it.`).waitFor();
		assert.equal(await read(), false);
	};

	assert.equal(await read(), true);
	await page.waitForSelector('lamp-turn');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await revoke();
	await page.waitForFunction(() => document.activeElement.matches('.share-undo'));
	assert.deepEqual(await violations(page, 'a share that has ended'), []);
	await page.keyboard.press('Enter');
	await dialog.getByRole('button', { name: `Revoke the share with ${group}` }).waitFor();
	assert.equal(await read(), true);
	const [now] = await stored();

	for (const key of ['id', 'uptoMessage', 'tools', 'live', 'expiresAt'])
		assert.deepEqual(now[key], share[key], key);
	await revoke();
	const gone = page.waitForResponse((one) => one.request().method() === 'DELETE');

	await page.keyboard.press('Escape');
	await gone;
	assert.deepEqual(await stored(), []);
	// what is wrong with a name stands at its field
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await dialog.getByLabel('Person').fill('nobody-we-know');
	await dialog.getByRole('button', { name: 'Share', exact: true }).click();
	await dialog.locator('.field-error').getByText('Nobody with this name').waitFor();
	assert.match(await dialog.getByLabel('Person').getAttribute('aria-describedby'), /share-who-error/);
	assert.equal(await dialog.locator('.form-error').count(), 0);
});

test('a chat is shared with a person, and no longer', async (t) => {
	const id = await conversation(unique('shared'));

	await say(id, 'hello');
	const page = await openChat(t, { hash: `#/c/${id}` });
	const dialog = page.locator('lamp-share dialog');

	await page.waitForSelector('lamp-turn');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await dialog.getByText('Not shared with anyone yet.').waitFor();
	await dialog.getByRole('button', { name: 'Share', exact: true }).click();
	assert.match(await dialog.getByRole('alert').innerText(), /Enter a person/);
	await dialog.getByLabel('Person').fill('nobody-we-know');
	await dialog.getByRole('button', { name: 'Share', exact: true }).click();
	await dialog.getByRole('alert').waitFor();
	assert.deepEqual(await violations(page, 'share'), []);
	const { user } = await api('GET', 'me');

	await dialog.getByLabel('Person').fill(user);
	await dialog.getByRole('button', { name: 'Share', exact: true }).click();
	await dialog.getByText('It is yours').waitFor();

	const groups = await dialog.locator('#share-group option').count();

	if (groups > 1) {
		await dialog.getByLabel('Person').fill('');
		await dialog.locator('#share-group').selectOption({ index: 1 });
		await dialog.getByLabel('Include later messages').check();
		await dialog.getByRole('button', { name: 'Share', exact: true }).click();
		await dialog.locator('.share').waitFor();
		const [share] = (await api('GET', `conversation-shares?conversationId=${id}`)).items;

		assert.equal(share.live, true);
		assert.equal(share.tools, false);
		// a group of the caller's: they read it, too
		assert.deepEqual(await violations(page, 'shared'), []);
		await page.keyboard.press('Escape');
		await page.goto(`${base}#/shared/${share.id}`);
		await page.waitForSelector('lamp-shared lamp-turn');
		await page.waitForSelector('lamp-shared h1:focus');
		assert.equal(await page.locator('lamp-shared h1').evaluate((one) =>
			getComputedStyle(one).outlineStyle), 'none');
		await api('DELETE', `conversation-shares/${share.id}`);
		await page.reload();
		await page.getByText('This chat isn’t shared with you, or no longer is.').waitFor();
	}
});

test('what others share: read-only, as text, and to go on with', async (t) => {
	const own = await conversation(unique('own'));

	await say(own, 'what they said');
	const page = await openChat(t, { init: async (one) => {
		await sharedWithMe(one, {}, ROWS('01900000-0000-7000-8000-00000000abcd'), own);
	} });

	// nothing was shared when the page was loaded; coming back to it, there is
	assert.ok(!(await placeHashes(page)).includes('#/shared'));
	await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
	await page.waitForFunction(() => document.querySelector('lamp-app').session.me.shared);
	await choosePlace(page, 'Shared with me');
	await page.getByRole('link', { name: /Theirs/ }).waitFor();
	assert.deepEqual(await violations(page, 'shared with me'), []);
	await page.getByRole('link', { name: /Theirs/ }).click();
	await page.waitForSelector('lamp-shared lamp-turn');
	assert.match(await page.locator('lamp-shared').innerText(), /Shared by ann since/);
	assert.match(await page.locator('.message-user').innerText(), /<script>alert/);
	assert.match(await page.locator('.message-user').innerText(), /<b>a<\/b>\.txt/);
	for (const name of ['Edit', 'Regenerate', 'Try again', 'Continue'])
		assert.equal(await page.locator('lamp-shared').getByRole('button', { name, exact: true })
			.count(), 0, name);
	assert.equal(await page.locator('.composer-field').count(), 0);
	assert.deepEqual(await violations(page, 'a shared chat'), []);
	await page.getByRole('button', { name: 'Continue in a chat of my own' }).click();
	await page.waitForFunction((to) => location.hash === `#/c/${to}`, own);
	await page.waitForSelector('lamp-thread lamp-turn');
	assert.match(await page.locator('.message-user').innerText(), /what they said/);
	await page.fill('.composer-field', script({ text: 'read' }));
	await page.click('.send-button');
	await ended(page);
	assert.equal(await page.locator('lamp-turn').count(), 2);
});

/** The caller as an admin of an installation where links that need no sign-on are allowed. */
async function withLinks(page, link)
{
	const rows = [link];
	const changed = (path, change) => page.route(path, async (route) => {
		const response = await route.fetch();
		const json = await response.json();

		change(json);
		return route.fulfill({ response, json });
	});

	await changed(/api\/v1\/me(\?|$)/, (me) => {
		me.settings.public_link_days = 10;
	});
	await changed('**/api/v1/forms', ({ items }) => items.push({
		...items.find(({ name }) => name === 'rated-answers'), name: 'public-links', path: 'public-links',
		title: 'Public links', what: 'link that needs no sign-on', labelKey: 'user', fields: [] }));
	await page.route('**/api/v1/conversation-shares', (route) => route.request().method() === 'POST' ?
		route.fulfill({ status: 201, json: { ...link, ...route.request().postDataJSON() } }) : route.continue());
	await page.route('**/api/v1/public-links**', (route) => {
		if (route.request().method() === 'POST')
			return route.fulfill({ status: rows.pop() ? 204 : 404 });
		return route.fulfill({ json: { items: rows, totalCount: null, nextCursor: null } });
	});
}

test('a link that needs no sign-on, where an admin allows it', async (t) => {
	const id = await conversation(unique('linked'));
	const day = 86400000;

	await say(id, 'hello **all**');
	const page = await openChat(t, { hash: `#/c/${id}`, init: (one) => withLinks(one, {
		id: '01900000-0000-7000-8000-00000000abcd', kind: 'link', user: 'ann', group: null, live: false,
		tools: false, files: false, createdAt: new Date().toISOString(), link: `plain/links/${'A'.repeat(64)}`,
		expiresAt: new Date(Date.now() + day).toISOString() }) });
	const dialog = page.locator('lamp-share dialog');
	const asked = page.waitForRequest((request) => request.method() === 'POST' &&
		request.url().endsWith('/conversation-shares'));

	await page.waitForSelector('lamp-turn');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await dialog.locator('#share-days').waitFor();
	assert.deepEqual(await dialog.locator('#share-days option').allInnerTexts(),
		['1 day', '7 days', '10 days']);
	await dialog.getByRole('button', { name: 'Make a link' }).click();
	await dialog.getByText('Everyone who has the link', { exact: true }).waitFor();
	assert.match(await dialog.locator('.share').innerText(), /until .*messages so far/s);
	assert.deepEqual(await violations(page, 'share by a link'), []);
	const { expiresAt, ...made } = (await asked).postDataJSON();

	assert.deepEqual(made, { conversationId: id, kind: 'link', live: false, tools: false, files: false });
	assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 7 * day) < day / 24);
	await page.keyboard.press('Escape');
	// an admin ends it
	await page.goto(`${base}#/public-links`);
	const row = page.locator('.shares .share').first();

	await row.waitFor();
	assert.match(await row.innerText(), /By ann/);
	assert.deepEqual(await violations(page, 'links of all'), []);
	await row.getByRole('button', { name: /Revoke/ }).click();
	await page.getByText('The link leads nowhere now.').waitFor();
	await page.getByText('There are none.').waitFor();
});

test('what is no link says so, without a script', async (t) => {
	const page = await open(t, { url: `${base}plain/links/${'A'.repeat(64)}`, javaScriptEnabled: false });

	assert.match(await page.locator('main').innerText(), /This link leads nowhere, or no longer\./);
	assert.equal(await page.locator('main a, form, nav').count(), 0);
	assert.deepEqual(await page.context().cookies(), []);
});

test('without the setting there is no such link', async (t) => {
	const id = await conversation(unique('unlinked'));

	await say(id, 'hello');
	const page = await openChat(t, { hash: `#/c/${id}` });

	await page.waitForSelector('lamp-turn');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Share…' }).click();
	await page.getByText('Not shared with anyone yet.').waitFor();
	assert.equal(await page.locator('#share-days').count(), 0);
});

test('on a phone, dark', async (t) => {
	const id = '01900000-0000-7000-8000-00000000abcd';
	const page = await openChat(t, { ...PHONE, viewport: { width: 360, height: 640 },
		colorScheme: 'dark', hash: '#/', init: async (one) => {
			await sharedWithMe(one, { title: 'W'.repeat(150) }, ROWS(id));
		} });

	await page.goto(`${base}#/shared/${id}`);
	await page.waitForSelector('lamp-shared lamp-turn');
	assert.deepEqual(await violations(page, 'a shared chat on a phone'), []);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
	await page.goto(`${base}#/shared`);
	await page.waitForSelector('.shares a');
	assert.deepEqual(await violations(page, 'shared with me on a phone'), []);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
});
