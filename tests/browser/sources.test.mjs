// SPDX-License-Identifier: MIT
// Sources of an answer: numbers in it, the list below it, the panel beside it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ended, open, openChat, PHONE, reading, script, send, unique } from './browser.mjs';
import { violations } from './axe.mjs';

const TEXT = '# Pay\n\nMonthly.\n\f# Leave\n\nFive days *carry* over to the next year.\n\n\f# Travel\n\nBy train.';

/** A base with one document, and an agent of the user's that searches it. */
async function knowledge(t, fields = {})
{
	const base = await api('POST', 'knowledge-bases', { name: unique('Handbook') });
	const path = `knowledge-bases/${base.id}`;
	const made = await api('POST', `${path}/documents`, { title: 'Handbook', text: TEXT,
		url: 'https://intranet.example/hb', ...fields });

	t.after(() => api('DELETE', path));
	while ((await api('GET', `${path}/progress`)).queued > 0)
		continue;
	const agent = await api('POST', 'workspaces/intranet/agents', { name: unique('Clerk'),
		toolIds: ['search_knowledge'] });

	t.after(() => api('DELETE', `workspaces/intranet/agents/${agent.agentId}`));
	return { base, path, document: made.id, agent: agent.agentId };
}

/** A conversation whose answer says text after a search. @returns its id */
async function answered({ base, agent }, text)
{
	const at = `workspaces/intranet/agents/${agent}/conversations`;
	const { conversationId } = await api('POST', at, { title: unique('Sources') });

	await api('POST', `${at}/${conversationId}/messages`, { content: script({
		tool_calls: [{ name: 'search_knowledge', args: { query: 'days carry', base: base.name } }],
		then: { text } }).replace('ten days', 't\\u0065n days') });
	return conversationId;
}

const ANSWER = 'They carry over [1], not [4]. "For ten days it was so" they say, and `v[1]`.';

test('an answer shows its sources, and each opens in its document', async (t) => {
	const known = await knowledge(t);
	const page = await openChat(t, { hash: `#/c/${await answered(known, ANSWER)}` });

	await ended(page);
	const answer = page.locator('.answer');

	assert.equal(await answer.locator('button.cite').count(), 1);
	assert.equal(await answer.locator('.cite-unknown').innerText(), '4');
	assert.equal(await answer.locator('code').innerText(), 'v[1]');
	assert.match(await answer.locator('.cite-note').innerText(), /Not found.*ten days/);
	await page.locator('.sources summary').click();
	const listed = page.locator('.source-button');

	await page.waitForFunction(() =>
		document.querySelector('.source-button')?.innerText.includes('Handbook · page 2'));
	assert.equal(await listed.count(), 1);
	const chip = answer.getByRole('button', { name: 'Show source 1' });

	await chip.focus();
	await page.keyboard.press('Enter');
	const panel = page.getByRole('dialog', { name: 'Handbook' });

	await panel.locator('.source-passage').waitFor();
	assert.equal((await panel.locator('.source-passage').innerText()).trim(),
		'Five days carry over to the next year.');
	assert.match(await panel.innerText(), /Page 2 of 3/);
	const link = panel.getByRole('link', { name: 'Open the original page' });

	assert.equal(await link.getAttribute('href'), 'https://intranet.example/hb');
	assert.deepEqual(await violations(page, 'panel'), []);
	await panel.getByRole('button', { name: 'Next page' }).click();
	await panel.getByText('By train.').waitFor();
	assert.equal(await panel.locator('.source-passage').count(), 0);
	await page.keyboard.press('Escape');
	await panel.waitFor({ state: 'hidden' });
	assert.ok(await chip.evaluate((el) => el === document.activeElement));
});

test('on paper an answer has its sources as notes: names, addresses and passages', async (t) => {
	const known = await knowledge(t);
	const page = await openChat(t, { hash: `#/c/${await answered(known, 'So it is [1].')}` });

	await ended(page);
	await page.evaluate(() => { window.print = () => { window.printed = true; }; });
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Print' }).click();
	await page.waitForFunction(() => window.printed);
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	assert.equal(await page.getByText('Five days *carry* over').isVisible(), false);
	await page.emulateMedia({ media: 'print' });
	const note = page.locator('.sources li').first();

	await note.getByText('Handbook · page 2').waitFor();
	await note.getByText('https://intranet.example/hb').waitFor();
	await note.getByText('Five days *carry* over to the next year.').waitFor();
});

test('Ctrl and P print the same as the menu', async (t) => {
	const known = await knowledge(t);
	const page = await openChat(t, { hash: `#/c/${await answered(known, 'So it is [1].')}` });

	await ended(page);
	await page.evaluate(() => { window.print = () => { window.printed = true; }; });
	await page.focus('.composer-field');
	await page.keyboard.press('Control+p');
	await page.waitForFunction(() => window.printed);
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	await page.emulateMedia({ media: 'print' });
	await page.locator('.sources li').first().getByText('Five days *carry* over').waitFor();
});

test('what was looked at and is not cited is no source', async (t) => {
	const known = await knowledge(t);
	const page = await openChat(t, { hash: `#/c/${await answered(known, 'It does not say.')}` });

	await ended(page);
	assert.match(await page.locator('.sources summary').innerText(), /1 passage was looked at, and is not cited/);
	await page.locator('.sources summary').click();
	await page.locator('.source-button').getByText('Handbook · page 2').waitFor();
	assert.deepEqual(await violations(page, 'passages that are not cited'), []);
	await page.emulateMedia({ media: 'print' });
	assert.equal(await page.locator('.sources').isVisible(), false);
});

test('an answer that was copied by a fork opens its sources', async (t) => {
	const known = await knowledge(t);
	const original = await answered(known, 'So it is [1].');
	const { items } = await api('GET', `conversations/${original}/messages`);
	const fork = await api('POST', `conversations/${original}/fork`,
		{ messageId: items[0].messageId });

	await api('DELETE', `conversations/${original}`);
	const page = await openChat(t, { hash: `#/c/${fork.conversationId}` });

	await ended(page);
	await page.locator('.sources summary').click();
	await page.waitForFunction(() =>
		document.querySelector('.source-button')?.innerText.includes('Handbook · page 2'));
	await page.locator('button.cite').click();
	const passage = page.locator('.source-panel .source-passage');

	await passage.waitFor();
	assert.equal((await passage.innerText()).trim(), 'Five days carry over to the next year.');
});

test('a source that is gone, or changed, is not shown as it was', async (t) => {
	const known = await knowledge(t);
	const page = await openChat(t, { ...PHONE, colorScheme: 'dark',
		hash: `#/c/${await answered(known, 'So it is [1].')}` });

	await ended(page);
	await page.locator('button.cite').tap();
	const panel = page.locator('.source-panel');

	await panel.locator('.source-passage').waitFor();
	assert.deepEqual(await panel.evaluate((el) => {
		const { width, height, left } = el.getBoundingClientRect();

		return [left, width === innerWidth, height === innerHeight];
	}), [0, true, true]);
	assert.deepEqual(await violations(page, 'dark'), []);
	await panel.getByRole('button', { name: 'Close' }).tap();
	await api('DELETE', `${known.path}/documents/${known.document}`);
	await page.locator('button.cite').tap();
	await panel.getByText('not available').waitFor();
	assert.equal(await panel.locator('.source-passage').count(), 0);
	await page.keyboard.press('Escape');
	await page.locator('.sources summary').tap();
	await page.waitForSelector('.source-button:disabled');
	assert.doesNotMatch(await page.locator('.sources').innerText(), /Handbook/);
});

test('readers of a shared chat open the sources that they may see', async (t) => {
	const known = await knowledge(t);
	const mine = await answered(known, ANSWER);
	const theirs = '01900000-0000-7000-8000-00000000abcd';
	const share = (id) => id?.replace(mine, theirs);
	const { items: rows } = await api('GET', `conversations/${mine}/messages`);
	const answer = rows.find(({ metadata }) => metadata.sources);
	let { items: seen } = await api('GET', `conversations/${mine}/sources?messageId=${answer.messageId}`);
	const page = await open(t, { init: async (one) => {
		await one.route('**/api/v1/shared-conversations/**', async (route) => {
			const { pathname, searchParams } = new URL(route.request().url());

			if (pathname.endsWith('/sources')) {
				assert.ok(searchParams.get('messageId').startsWith(theirs));
				return route.fulfill({ json: { items: seen } });
			}
			if (!pathname.endsWith('/messages'))
				return route.fulfill({ json: { id: theirs, title: 'Theirs', owner: 'ann',
					workspaceId: 'intranet', agentId: known.agent, live: false, tools: false,
					files: false, sharedAt: '2027-01-31T10:00:00.000Z', updatedAt: null } });
			return route.fulfill({ json: { totalCount: null, nextCursor: null, items: rows.map((row) => ({ ...row,
				id: share(row.id), messageId: share(row.messageId), conversationId: theirs,
				metadata: { ...row.metadata,
					sources: row.metadata.sources?.map(({ number }) => ({ number })) } })) } });
		});
	}, hash: `#/shared/${theirs}` });

	await page.locator('lamp-shared .sources summary').click();
	await page.waitForFunction(() =>
		document.querySelector('.source-button')?.innerText.includes('Handbook · page 2'));
	await page.locator('lamp-shared .answer').getByRole('button', { name: 'Show source 1' }).click();
	await page.waitForSelector('lamp-source dialog[open] .source-passage');
	assert.match(await page.locator('.source-passage').innerText(), /Five days/);
	await page.keyboard.press('Escape');
	// what they may not see any more cannot be opened
	seen = [];
	await page.locator('lamp-shared .answer').getByRole('button', { name: 'Show source 1' }).click();
	await page.waitForFunction(() => /not available/.test(
		document.querySelector('lamp-source dialog[open]')?.innerText));
});

test('a mark in what is tried beside the form of an agent opens its source', async (t) => {
	const { agent, base } = await knowledge(t);
	const page = await open(t, { hash: `#/agents/${agent}` });

	await page.fill('.try-form textarea', script({ tool_calls: [{ name: 'search_knowledge',
		args: { query: 'days carry', base: base.name } }], then: { text: 'They do [1].' } }));
	await page.click('.try-form button[type=submit]');
	await page.locator('.try-turns').getByRole('button', { name: 'Show source 1' }).click();
	await page.waitForSelector('lamp-source dialog[open] .source-passage');
	assert.match(await page.locator('.source-passage').innerText(), /Five days/);
});

test('a document cannot bring markup or links into the page', async (t) => {
	const evil = '<img src=x onerror=alert(1)>';
	const known = await knowledge(t, { title: `${evil} [x](javascript:alert(1))`,
		url: 'javascript:alert(1)',
		text: `days carry ${evil} <script>alert(1)</script> [go](javascript:alert(1)) ![](https://elsewhere.example/x.png)` });
	const page = await openChat(t, { hash: `#/c/${await answered(known, 'So [1].')}` });

	await ended(page);
	await page.locator('.sources summary').click();
	await page.locator('.source-button').getByText('<img src=x').waitFor();
	await page.locator('button.cite').click();
	await page.locator('.source-passage').waitFor();
	assert.equal(await page.locator('.source-panel img, .source-panel script').count(), 0);
	assert.equal(await page.locator('[href^="javascript"], [src^="javascript"]').count(), 0);
	assert.equal(await page.locator('.source-bar a').count(), 0);
});

test('an attached file is a source of the answer at once', async (t) => {
	const page = await openChat(t);

	await page.locator('.file-button input').setInputFiles([{ name: 'rules.txt',
		mimeType: 'text/plain', buffer: Buffer.from('Ten days carry over.\n') }]);
	await page.waitForSelector('.file-card.ready');
	await send(page, script({ text: 'Ten days [1].' }));
	await ended(page);
	await page.locator('button.cite').click();
	await page.locator('.source-passage').getByText('Ten days carry over.').waitFor();
	const [download] = await Promise.all([page.waitForEvent('download'),
		page.getByRole('link', { name: 'Download the file' }).click()]);

	assert.equal(download.suggestedFilename(), 'rules.txt');
	assert.match(await reading(page), /1 source/);
});

test('a conversation and an agent are limited to bases from a list', async (t) => {
	const known = await knowledge(t);
	const id = await answered(known, ANSWER);
	const page = await openChat(t, { hash: `#/c/${id}` });
	const used = async () => (await api('GET', `conversations/${id}`)).knowledgeBaseIds;

	await ended(page);
	await page.getByRole('button', { name: 'Actions for this conversation' }).click();
	await page.getByRole('menuitem', { name: 'Knowledge bases' }).click();
	const dialog = page.getByRole('dialog', { name: 'Knowledge for this chat' });
	const box = dialog.getByRole('checkbox', { name: known.base.name });

	assert.equal(await box.isChecked(), false);
	for (const [ids, act] of [[[known.base.id], () => box.check()], [[], () => box.uncheck()]]) {
		const answer = page.waitForResponse((r) => r.request().method() === 'PATCH');

		await act();
		assert.equal((await answer).status(), 200);
		assert.deepEqual(await used(), ids);
	}
	assert.deepEqual(await violations(page), []);
	await dialog.getByRole('button', { name: 'Close' }).click();

	const agent = `workspaces/intranet/agents/${known.agent}`;

	await page.goto(new URL(`#/agents/${known.agent}`, page.url()).href);
	const form = page.getByRole('group', { name: 'Knowledge bases' });

	await form.getByRole('checkbox', { name: known.base.name }).check();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved').first().waitFor();
	assert.deepEqual((await api('GET', agent)).knowledgeBaseIds, [known.base.id]);
});
