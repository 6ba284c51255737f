// SPDX-License-Identifier: MIT
// For everyone: axe in each theme and width, work without a mouse, phones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings, violations } from './axe.mjs';
import { api, ask, base, conversation, ended, open, openChat, PHONE, placeHashes, say, script, send,
	unique } from './browser.mjs';

const MARKDOWN = '# Head\n\nText with `code`, [a link](https://example.org/) and **more**.\n\n' +
	'```sql\nSELECT id, \'text\' FROM ticket -- note\n WHERE n > 12;\n```\n\n' +
	'| a | b |\n|---|--:|\n| one | 2 |\n\n> quote\n\n- [x] item';

test('axe finds nothing, light and dark, wide and narrow', async (t) => {
	const page = await openChat(t);
	const found = await findings(page, 'empty');
	const look = async (where) => found.push(...await findings(page, where));

	await ask(page, script({ reasoning: 'Thinking.', narration: 'Looking.',
		tool_calls: [
			{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } },
			{ name: 'query_data', args: { dataset: 'none' } }],
		then: { text: MARKDOWN } }));
	await ask(page, script({ text: 'some words', error: { status: 400, after_tokens: 1 } }));
	for (const summary of await page.locator('lamp-turn summary').all())
		await summary.click();
	await page.locator('lamp-tool').first().getByRole('button', { name: 'Chart' }).click();
	await page.waitForSelector('lamp-chart canvas');
	await page.getByRole('button', { name: 'Try again' }).click();
	await page.waitForSelector('.variants');
	await ended(page);
	await page.locator('.message-user').first().hover();
	await page.getByRole('button', { name: 'Edit my message' }).first().click();
	await page.waitForSelector('.edit-field');
	await look('thread');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Delete' }).click();
	await page.waitForSelector('dialog[open]');
	await look('dialog');
	await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).click();
	await page.locator('.edit').getByRole('button', { name: 'Cancel' }).click();
	await send(page, script({ tokens: 3000, rate: 50 }));
	await page.waitForSelector('lamp-turn:last-of-type .answer');
	found.push(...await findings(page, 'streaming'));
	await page.click('.stop-button');
	await ended(page);
	await page.setViewportSize(PHONE.viewport);
	found.push(...await findings(page, 'narrow'));
	await page.click('.drawer-open');
	await page.waitForSelector('.side.open');
	await look('drawer');
	assert.deepEqual(found, []);
});

test('axe finds nothing in what is wider than the window, many times in an answer, nor in what is missing', async (t) => {
	const page = await openChat(t, PHONE);
	const found = [];
	const look = async (where) => found.push(...await findings(page, where));
	const words = 'some words '.repeat(12);
	const wide = `\`\`\`js\nlet a = '${words}';\n\`\`\`\n\n|${' head |'.repeat(12)}\n|${'--|'.repeat(12)}\n|${
		' some words |'.repeat(12)}\n\n$$${Array.from({ length: 14 }, (_, n) => `\\frac{a_{${n}}}{b}`).join(' + ')}$$\n\n`;

	await ask(page, script({ tool_calls: [{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } },
		{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } }], then: { text: `${wide}And\n\n${wide}` } }));
	await page.waitForSelector('.math-drawn[tabindex="0"]');
	for (const summary of await page.locator('lamp-turn summary').all())
		await summary.click();
	await look('wide');
	for (const sign of ['@', '/']) {
		await page.fill('.composer-field', sign);
		await page.waitForSelector('[role=option]');
		await look(`what ${sign} offers`);
		await page.keyboard.press('Shift+Tab');
		await page.waitForSelector('[role=option]', { state: 'detached' });
		assert.equal(await page.evaluate(() => document.activeElement.matches('a, button, [tabindex]')), true);
	}
	await page.fill('.composer-field', '');
	await page.evaluate(() => { location.hash = '#/nowhere'; });
	await page.getByRole('link', { name: 'Start a new chat' }).waitFor();
	await look('no such place');
	await page.evaluate(() => { location.hash = '#/c/01900000-0000-7000-8000-000000000000'; });
	await page.getByText('This conversation does not exist').waitFor();
	assert.equal(await page.locator('.main-title h1').innerText(), 'Not found');
	await look('no such chat');
	await page.locator('.skip').evaluate((link) => link.click());
	assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Start a new chat');
	assert.deepEqual(found, []);
});

test('a phone: drawer, nothing wider than the screen', async (t) => {
	const title = unique('pocket');

	await conversation(title);
	const page = await openChat(t, PHONE);
	const wide = () => page.evaluate(() =>
		document.scrollingElement.scrollWidth > innerWidth ||
		document.querySelector('lamp-thread')?.scrollWidth > innerWidth);

	assert.equal(await page.locator('.side').evaluate((el) => el.inert), true);
	await page.click('.drawer-open');
	await page.waitForSelector('.side.open:not([inert])');
	assert.equal(await page.locator('.main').evaluate((el) => el.inert), true);
	await page.locator('.row-link', { hasText: title }).click();
	await page.waitForSelector('.side[inert]', { state: 'attached' });
	await page.waitForFunction((text) =>
		document.querySelector('.main-title h1').textContent === text, title);
	// on a screen keyboard Enter makes a new line, the button sends
	await page.fill('.composer-field', script({ text: `${'W'.repeat(300)}\n\n${MARKDOWN}` }));
	await page.press('.composer-field', 'Enter');
	assert.match(await page.inputValue('.composer-field'), /\n$/);
	await page.click('.send-button');
	await page.waitForSelector('lamp-turn');
	await ended(page);
	assert.equal(await wide(), false);
	await page.click('.drawer-open');
	await page.keyboard.press('Escape');
	await page.waitForSelector('.side[inert]', { state: 'attached' });
	assert.equal(await page.evaluate(() =>
		document.activeElement.classList.contains('drawer-open')), true);
});

test('everything by keyboard', async (t) => {
	const title = unique('keys');

	await conversation(title);
	const page = await openChat(t);
	const { keyboard } = page;
	const focused = (selector) => page.waitForFunction((text) =>
		document.activeElement?.matches(text), selector);

	await focused('.composer-field');
	await keyboard.type('How many tickets are open?');
	await keyboard.press('Enter');
	await page.waitForSelector('lamp-turn');
	await ended(page);
	await focused('.composer-field');
	// back from the field to the tool call: open it
	while (!await page.evaluate(() => document.activeElement.closest('lamp-tool')))
		await keyboard.press('Shift+Tab');
	await keyboard.press('Enter');
	await page.waitForSelector('lamp-tool details[open] .tool-body');

	await keyboard.press('Control+k');
	await focused('.search-field');
	await keyboard.type(title);
	await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
	await keyboard.press('ArrowDown');
	await focused('.row-link');
	await keyboard.press('Enter');
	await page.waitForFunction((text) =>
		document.querySelector('.main-title h1').textContent === text, title);
	await keyboard.press('F2');
	await focused('.rename-field');
	await keyboard.type(`${title} 2`);
	await keyboard.press('Enter');
	await focused('.row-link');
	await page.waitForFunction((text) =>
		document.querySelector('.main-title h1').textContent === text, `${title} 2`);
	await keyboard.press('Tab');
	await focused('.menu-button');
	await keyboard.press('ArrowDown');
	await focused('[role=menuitem]');
	await keyboard.press('End');
	await keyboard.press('Enter');
	await page.waitForSelector('dialog[open]');
	await keyboard.press('Escape');
	await page.waitForSelector('dialog[open]', { state: 'detached' });

	await keyboard.press('Alt+n');
	await focused('.composer-field');
	await page.waitForSelector('.empty');
	await keyboard.type(script({ tokens: 3000, rate: 50 }));
	await keyboard.press('Enter');
	await page.waitForSelector('.answer');
	await keyboard.press('Alt+s');
	await ended(page);
	await page.waitForFunction(() => /stopped/i.test(
		document.querySelector('[role=status]').textContent));
	await page.locator('.brand').focus();
	await keyboard.press('?');
	await page.waitForSelector('dialog[open] .keys');
	await keyboard.press('Escape');
});

test('keys lead to the places, to their list from a field, and back', async (t) => {
	const id = await conversation(unique('keys'));

	await say(id, 'hello');
	const page = await openChat(t, { hash: `#/c/${id}` });
	const { keyboard } = page;

	await page.locator('.composer textarea').focus();
	await keyboard.press('Control+/');
	const help = page.getByRole('dialog', { name: 'Keyboard' });

	await help.getByText('Open the menu of places').waitFor();
	assert.deepEqual(await violations(page, 'shortcuts'), []);
	await keyboard.press('Escape');
	await help.waitFor({ state: 'hidden' });
	assert.equal(await page.locator('.composer textarea').inputValue(), '');
	await keyboard.press('Alt+p');
	await page.waitForFunction(() => document.activeElement.matches('.places [role=menuitem]'));
	await keyboard.press('Escape');
	// to where one was
	await page.waitForFunction(() => document.activeElement.matches('.composer textarea'));
	// a place closes, and the chat is there again
	await keyboard.press('Alt+p');
	await page.waitForFunction(() => document.activeElement.matches('.places [role=menuitem]'));
	await page.keyboard.press('p');
	await keyboard.press('Enter');
	await page.waitForFunction(() => document.activeElement.matches('.main-title h1'));
	await keyboard.press('Escape');
	await page.waitForFunction((hash) => location.hash === hash, `#/c/${id}`);
	await page.waitForFunction(() => document.activeElement.matches('.composer textarea'));
	// not from a field at once, and nothing that was typed is lost
	await page.goto(`${base}#/prompts/new`);
	const field = page.getByLabel('Name required');

	await field.fill('Half');
	await keyboard.press('Escape');
	await page.waitForFunction(() => document.activeElement.matches('.main-title h1'));
	await keyboard.press('Escape');
	const question = page.getByRole('dialog', { name: 'Leave without saving?' });

	await question.getByRole('button', { name: 'Keep editing' }).click();
	assert.equal(await field.inputValue(), 'Half');
	// whoever leaves by the button comes back, too
	await page.locator('.place-close').focus();
	await keyboard.press('Enter');
	await question.getByRole('button', { name: 'Discard changes' }).click();
	await page.waitForFunction((hash) => location.hash === hash, `#/c/${id}`);
});

test('the menu of a chat has parts, and what deletes is the last', async (t) => {
	const id = await conversation(unique('menu'));

	await say(id, 'hello');
	const page = await openChat(t, { hash: `#/c/${id}` });

	await ended(page);
	await page.locator('.main-head .menu-button').click();
	const menu = page.locator('.main-head [role=menu]');

	await menu.getByRole('menuitem').first().waitFor();
	const parts = await menu.evaluate((one) => [...one.querySelectorAll('[role]')].reduce((all, item) => {
		if (item.getAttribute('role') === 'separator')
			all.push([]);
		else
			all[all.length - 1].push(item.textContent.trim());
		return all;
	}, [[]]));

	assert.equal(parts.length, 4);
	assert.deepEqual([parts[0][0], parts[1][0], parts[3]], ['Share…', 'Rename', ['Delete']]);
	assert.deepEqual(await violations(page, 'the menu of a chat'), []);
});

test('in little room a form keeps its fields in sight, and the page does not scroll', async (t) => {
	const agents = 'workspaces/intranet/agents';
	const { agentId } = await api('POST', agents, { name: unique('Little'), systemPrompt: 'Hi' });

	t.after(() => api('DELETE', `${agents}/${agentId}`));
	for (const options of [PHONE, { viewport: { width: 800, height: 360 } }, { viewport: { width: 1280, height: 800 } }]) {
		const page = await open(t, { ...options, hash: `#/agents/${agentId}` });
		const bar = page.locator('.form-save');

		await page.getByLabel('Description').first().fill('changed');
		await page.getByRole('button', { name: 'Discard changes' }).waitFor();
		await page.locator('.place-scroll').evaluate((one) => one.scrollTo(0, 0));
		if (options.viewport.height < 800 || options.isMobile)
			assert.ok(await bar.evaluate((one) => one.offsetHeight < 70), `${options.viewport.height}`);
		const remove = page.getByRole('button', { name: 'Delete', exact: true });

		await remove.scrollIntoViewIfNeeded();
		assert.equal(await remove.evaluate((one) => {
			const { left, top, width, height } = one.getBoundingClientRect();

			return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
		}), true);
		assert.equal(await page.evaluate(() => document.scrollingElement.scrollHeight <= innerHeight), true);
		assert.deepEqual(await violations(page, 'a form in little room'), []);
	}
});

test('at 400 %, axe finds nothing in what has nothing to press', async (t) => {
	const page = await openChat(t, { viewport: { width: 320, height: 256 } });
	const found = await findings(page, 'empty');

	await page.evaluate(() => { location.hash = '#/workspaces/intranet'; });
	await page.waitForSelector('.place-scroll[tabindex="0"]');
	found.push(...await findings(page, 'a workspace'));
	assert.deepEqual(found, []);
});

test('at 400 %, the buttons of a form do not hide its fields', async (t) => {
	const page = await openChat(t, { viewport: { width: 320, height: 256 } });

	await page.evaluate(() => { location.hash = '#/prompts/new'; });
	await page.waitForSelector('.form-save');
	assert.equal(await page.locator('.form-save').evaluate((bar) => {
		const field = document.querySelector('lamp-form input').getBoundingClientRect();
		const { top } = bar.getBoundingClientRect();

		return field.bottom <= top && top > innerHeight;
	}), true);
});

test('a menu in a low window is within it, and scrolls', async (t) => {
	for (const viewport of [{ width: 800, height: 420 }, { width: 320, height: 256 }]) {
		const page = await openChat(t, { viewport });

		await ask(page, script({ text: 'one' }));
		await page.locator('.main-head .menu-button').click();
		await page.waitForSelector('.menu:popover-open [role=menuitem]');
		const box = await page.evaluate(() => {
			const { top, bottom, left, right } = document.querySelector('.menu:popover-open').getBoundingClientRect();

			return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
		});

		assert.equal(box, true);
		// the last one by keys
		await page.keyboard.press('End');
		assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Delete');
		assert.equal(await page.evaluate(() => {
			const { bottom } = document.activeElement.getBoundingClientRect();

			return bottom <= document.activeElement.closest('.menu').getBoundingClientRect().bottom;
		}), true);
	}
});

for (const [name, options] of [['wide', {}], ['on a phone', PHONE]]) {
	test(`axe finds nothing in any place, ${name}`, async (t) => {
		const page = await openChat(t, options);

		if (options === PHONE)
			await page.getByRole('button', { name: 'Show conversations' }).click();
		const offered = await placeHashes(page);
		const more = ['agents/new', 'prompts/new', 'knowledge-bases/new', 'projects/new', 'events/new',
			'provider-instances/new', 'llm-services/new', 'tokens/new', 'memories/new',
			'ratings', 'shared', 'public-links', 'plans', 'conversation-folders',
			'conversation-shares', 'prompt-categories'].map((to) => `#/${to}`);
		const found = [];

		assert.ok(offered.length >= 10, offered.join(' '));
		for (const hash of new Set([...offered, ...more])) {
			await page.evaluate((to) => { location.hash = to; }, hash);
			await page.waitForFunction((to) => location.hash === to &&
				document.querySelector('.main h1')?.textContent.trim() &&
				!document.querySelector('.main .spinner'), hash);
			found.push(...await findings(page, hash));
		}
		assert.deepEqual(found, []);
	});
}
