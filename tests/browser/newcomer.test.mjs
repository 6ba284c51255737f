// SPDX-License-Identifier: MIT
// What somebody stumbled over who knew only other chat pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, conversation, ended, open, openChat, say, script, unique } from './browser.mjs';
import { violations } from './axe.mjs';

const agents = 'workspaces/intranet/agents';

/** The texts of the list's rows. */
const row = (page, title) => page.locator('.row').filter({ hasText: title });

async function more(page, item)
{
	await page.getByRole('button', { name: 'More for the list of chats' }).click();
	await page.getByRole('menuitem', { name: item }).click();
}

test('an agent of one\'s own begins with its own message, not with those of the workspace', async (t) => {
	const [name, first, about] = [unique('Guide'), unique('<b>Where</b> do I park?'), unique('About parking')];
	const { agentId } = await api('POST', agents, { name, userPrompt: first, description: about });

	t.after(() => api('DELETE', `${agents}/${agentId}`));
	const page = await openChat(t);

	await page.locator('.suggestion').first().waitFor();
	assert.equal(await page.locator('.suggestion', { hasText: first }).count(), 0);
	await page.locator('.composer-bar select').selectOption(agentId);
	await page.getByText(about).waitFor();
	assert.deepEqual(await page.locator('.suggestion').allInnerTexts(), [first]);
	assert.deepEqual(await violations(page, 'an agent\'s first message'), []);
	await page.locator('.suggestion').click();
	await ended(page);
	assert.equal(await page.locator('.bubble').innerText(), first);
});

test('trying an agent leaves no trace in the list', async (t) => {
	const page = await open(t, { hash: '#/agents/new' });

	const tried = unique('tried');

	await page.getByLabel('Name required').fill(unique('Tried'));
	await page.getByPlaceholder('Message to try').fill(tried);
	await page.locator('lamp-try').getByRole('button', { name: 'Send' }).click();
	await page.locator('lamp-try .message-assistant[aria-busy=false]').waitFor();
	// a later message that is in the list has come by the same way
	const title = unique('later');

	await say(await conversation(title), 'hello');
	await row(page, title).first().waitFor();
	assert.equal(await row(page, tried).count(), 0);
	for (const side of ['', '&clients=true'])
		assert.deepEqual((await api('GET', `conversations?q=${tried}${side}`)).items, []);
});

test('what was moved or archived can be moved back', async (t) => {
	const titles = [unique('moved'), unique('moved'), unique('moved')];
	const folder = await api('POST', 'conversation-folders', { name: unique('Folder') });
	const ids = [];

	for (const title of titles)
		ids.push(await conversation(title));
	t.after(() => api('DELETE', `conversation-folders/${folder.id}`));
	const page = await openChat(t);
	const folderOf = async (id) => (await api('GET', `conversations/${id}`)).folderId ?? null;

	await more(page, 'Select chats');
	for (const title of titles)
		await page.getByLabel(`Select ${title}`).check();
	await page.getByRole('group', { name: 'Select chats' }).getByRole('button', { name: 'Folder' }).click();
	const dialog = page.locator('lamp-arrange dialog');

	await dialog.getByRole('heading', { name: 'Move to a folder' }).waitFor();
	await dialog.getByLabel('Folder').selectOption(folder.id);
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.locator('.list-bar').getByText('3 chats moved').waitFor();
	await page.waitForFunction(() =>
		document.querySelector('[aria-live]').textContent.includes('3 chats moved'));
	assert.equal(await page.locator('.toast').count(), 0);
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.waitForFunction(() =>
		document.querySelector('[aria-live]').textContent.includes('3 chats are as before'));
	assert.deepEqual(await Promise.all(ids.map(folderOf)), [null, null, null]);
	// they are still selected
	assert.equal(await page.locator('.row-check:checked').count(), 3);
	await page.locator('.list-bar').getByRole('button', { name: 'Done' }).click();
	assert.equal(await page.locator('.list-bar').count(), 0);

	const archive = async () => {
		await row(page, titles[2]).hover();
		await row(page, titles[2]).locator('.menu-button').click();
		await page.getByRole('menuitem', { name: 'Archive', exact: true }).click();
		await page.locator('.list-bar').getByText('1 chat archived').waitFor();
	};

	await archive();
	await page.getByRole('button', { name: 'Undo' }).click();
	await row(page, titles[2]).waitFor();
	assert.equal((await api('GET', `conversations/${ids[2]}`)).archived, false);
	await archive();
	assert.deepEqual(await violations(page, 'a chat that was archived'), []);
});

test('the open chat stays in sight in the folder that it is moved into', async (t) => {
	const title = unique('filed');
	const name = unique('Fresh');
	const page = await openChat(t, { hash: `#/c/${await conversation(title)}` });

	t.after(async () => {
		for (const { id, name: one } of (await api('GET', 'conversation-folders')).items)
			if (one === name)
				await api('DELETE', `conversation-folders/${id}`);
	});
	await row(page, title).hover();
	await row(page, title).locator('.menu-button').click();
	await page.getByRole('menuitem', { name: 'Folder and tags…' }).click();
	const dialog = page.locator('lamp-arrange dialog');

	await dialog.getByLabel('Folder', { exact: true }).selectOption('new');
	await dialog.getByLabel('Name of the new folder').fill(name);
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.locator('.folder-inside .row.current').getByText(title).waitFor();
});

test('what was done is seen, not only heard', async (t) => {
	const page = await open(t, { hash: '#/prompts/new' });
	const name = unique('Seen');

	await page.getByLabel('Name required').fill(name);
	await page.locator('.main textarea').first().fill('text');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction((text) => {
		const shown = document.querySelector('.toast');

		const { content } = getComputedStyle(shown ?? document.body, '::after');

		// Firefox computes what stands in the sheet
		return shown?.dataset.text.includes(text) && shown.getBoundingClientRect().height > 20 &&
			(content.includes(text) || /attr\(data-text\)/.test(content));
	}, name);
	assert.deepEqual(await violations(page, 'a toast'), []);
	// it is not in the way
	assert.deepEqual(await page.evaluate(() => {
		const toast = document.querySelector('.toast').getBoundingClientRect();

		return [...document.querySelectorAll('.main :is(a, button, input, textarea, summary, select)')]
			.filter((one) => one.checkVisibility()).filter((one) => {
				const box = one.getBoundingClientRect();

				return box.right > toast.left && box.left < toast.right && box.bottom > toast.top + 1 &&
					box.top < toast.bottom - 1;
			}).map((one) => one.outerHTML);
	}), []);
	await page.locator('.toast').waitFor({ state: 'detached' });
	const [made] = (await api('GET', `prompts?q=${name}`)).items;

	await api('DELETE', `prompts/${made.id}`);
});

test('the lantern beside an earlier answer is whole', async (t) => {
	const page = await openChat(t, { viewport: { width: 1280, height: 800 } });

	await ask(page, 'hello');
	await ask(page, 'hello again');
	assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('lamp-turn')].map((turn) => {
		// what is beyond its padding is not painted
		const [box, lantern] = [turn, turn.querySelector('.avatar')].map((one) => one.getBoundingClientRect());

		return lantern.width > 30 && lantern.left >= box.left && lantern.right <= box.right;
	})), [true, true]);
});

test('on paper: all of a long question, of code and of what is folded, in light colours', async (t) => {
	const id = await conversation(unique('paper'));

	await say(id, script({ text: `Below.\n\n<details><summary>More</summary>\n\nInside of it.\n\n</details>\n\n` +
		`\`\`\`js\nlet a = "${'wide '.repeat(80)}";\n\`\`\`\n\n[a page](https://example.org/there)` }));
	await say(id, 'a line\n'.repeat(60));
	const page = await openChat(t, { hash: `#/c/${id}`, colorScheme: 'dark' });

	await ended(page);
	const root = page.locator('html');

	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	assert.equal(await root.getAttribute('data-theme'), 'light');
	assert.equal(await page.getByText('Inside of it.', { exact: true }).isVisible(), true);
	assert.equal(await page.evaluate(() => [...document.querySelectorAll('.bubble, .code pre, .table-scroll')]
		.every((one) => one.scrollHeight <= one.clientHeight + 2 && one.scrollWidth <= one.clientWidth + 2)), true);
	assert.match(await page.locator('.answer a').first().evaluate((one) =>
		getComputedStyle(one, '::after').content), /example\.org|attr\(href\)/);
	await page.emulateMedia({ media: 'screen' });
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	assert.equal(await root.getAttribute('data-theme'), 'dark');
	assert.equal(await page.getByText('Inside of it.', { exact: true }).isVisible(), false);
});

test('the page begins anew, once, in the language of the setting', async (t) => {
	let language = '';
	let starts = 0;
	const page = await open(t, { init: async (fresh) => {
		fresh.on('domcontentloaded', () => { starts++; });
		await fresh.route('**/api/v1/me?*', async (route) => {
			const answer = await route.fetch();
			const me = await answer.json();

			await route.fulfill({ response: answer, json: { ...me, settings: { ...me.settings, language } } });
		});
	} });
	const shows = (dir) => page.waitForFunction((wanted) => document.documentElement.dir === wanted &&
		document.querySelector('.composer-field'), dir);

	await shows('ltr');
	assert.equal(starts, 1);
	language = 'ar-XB';
	await page.reload();
	await shows('rtl');
	assert.equal(starts, 3);
	assert.equal(await page.getAttribute('html', 'lang'), 'ar-XB');
	assert.equal(await page.getByText('New chat').count(), 0);
	// and from then on at once
	await page.reload();
	await shows('rtl');
	assert.equal(starts, 4);
	language = '';
	await page.reload();
	await shows('ltr');
	assert.equal(starts, 6);
	await page.getByText('New chat').first().waitFor();
});
