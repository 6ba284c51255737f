// SPDX-License-Identifier: MIT
// Work in a project from a question on, in one sitting: what is open, tasks of that, a
// document that is moved by asking, and a project that is made by describing it; beside a
// second window that is never reloaded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { api, base, open, unique } from './browser.mjs';

const button = (page, name) => page.getByRole('button', { name, exact: true });
const add = (id, kind, fields) => api('POST', `projects/${id}/${kind}`, fields);

async function shot(page, name)
{
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-${name}.png` });
}

const remove = (id) => fetch(`${base}api/v1/projects/${id}`, { method: 'DELETE',
	headers: { 'X-Requested-With': 'test', 'If-Match': '*' } });

/** Sends a message, allows what is asked about, and waits for the end. @returns the answer */
async function ask(page, text)
{
	const before = await page.locator('lamp-turn').count();
	let allowed = 0;

	await page.locator('.composer-field').fill(text);
	await page.keyboard.press('Enter');
	for (;;) {
		const state = await page.waitForFunction((n) => {
			const newest = document.querySelector('lamp-turn[newest]');

			if (!newest || document.querySelectorAll('lamp-turn').length <= n)
				return '';
			if (newest.querySelector('lamp-approval .button-main:not([disabled])'))
				return 'asks';
			return newest.querySelector('.message-assistant[aria-busy=false]') &&
				!document.querySelector('.stop-button') &&
				newest.querySelector('.answer')?.textContent ? 'over' : '';
		}, before);

		if (await state.jsonValue() === 'over')
			break;
		await shot(page, `asks-${before}-${allowed}`);
		const main = page.locator('lamp-turn[newest] lamp-approval .button-main:not([disabled])');
		const many = await main.count();

		assert.equal(await main.first().innerText(), 'Allow');
		await main.first().click();
		await page.waitForFunction((n) => document.querySelectorAll(
			'lamp-turn[newest] lamp-approval .button-main:not([disabled])').length < n, many);
		allowed++;
	}
	return { text: await page.locator('lamp-turn[newest] .answer').last().innerText(), allowed };
}

test('from a question about a project to tasks, a moved document and a new project', async (t) => {
	const name = unique('Pilot: flow meters');
	const { id } = await api('POST', 'projects', { name, description: 'Meters in the west hall.' });
	const firmware = await add(id, 'tasks', { title: 'Firmware', dueDate: '2031-03-01' });
	const hall = await add(id, 'tasks', { title: 'Read the west hall', stateKey: 'blocked' });
	const permit = await add(id, 'risks', { title: 'The permit comes late' });

	t.after(() => remove(id));
	// others work on it, too, so what it says is their text: an agent asks before it writes
	await add(id, 'members', { group: 'service-desk', role: 'editor' });
	for (const one of [firmware, permit])
		await add(id, 'edges', { fromId: one.id, toId: hall.id, relation: 'blocks' });
	for (const title of ['Context', 'Installation plan'])
		await add(id, 'documents', { title });

	// the second window shows the tasks, a third one the documents
	const beside = await open(t, { hash: `#/projects/${id}/tasks` });
	const papers = await open(t, { hash: `#/projects/${id}/documents` });
	const toDo = beside.getByRole('region', { name: /^To do/ });

	await toDo.getByRole('link', { name: 'Firmware', exact: true }).waitFor();

	const page = await open(t, { hash: '#/projects' });

	await page.locator('.item-link', { hasText: name }).click();
	await page.waitForFunction((wanted) =>
		document.querySelector('lamp-project h1')?.textContent === wanted, name);
	await button(page, 'Ask').click();
	await page.locator('.mention-chip').getByText(name).waitFor();

	const { text: answer } = await ask(page, 'What is open for the pilot, and what blocks it?');

	assert.match(answer, /2 tasks/);
	assert.match(answer, /Blocked by Firmware/);
	assert.match(answer, /Blocked by The permit comes late/);
	await shot(page, 'open');
	assert.deepEqual(await violations(page), []);

	assert.ok((await ask(page, 'Turn that into tasks')).allowed > 0);
	for (const title of ['Resolve: Firmware', 'Resolve: The permit comes late']) {
		await page.locator('.effect').getByText(`Created the task “${title}”`).waitFor();
		await toDo.getByRole('link', { name: title, exact: true }).waitFor();
	}
	await shot(page, 'tasks');
	await shot(beside, 'beside');
	assert.deepEqual(await violations(page), []);

	assert.ok((await ask(page, 'Move the installation plan under Context')).allowed > 0);
	await shot(page, 'moved');
	await page.locator('.effect').getByText('Moved the document “Installation plan”').waitFor();
	await papers.locator('[aria-level="2"]', { hasText: 'Installation plan' }).waitFor();
	await shot(papers, 'papers');

	// and in the list of the window that asked
	const chat = page.url();

	await page.goto(`${base}#/projects/${id}/tasks`);
	await page.getByRole('region', { name: /^To do/ })
		.getByRole('link', { name: 'Resolve: Firmware', exact: true }).waitFor();
	await page.goto(chat);
	await page.locator('.effect').first().waitFor();

	const tyres = unique('Winter tyres');

	await page.goto(`${base}#/projects`);
	await button(page, 'Describe one').click();
	await page.locator('.mention-chip').getByText('A new project').waitFor();
	const { text } = await ask(page,
		`I want a new project called ${tyres}, to have all cars ready by November.`);

	assert.match(text, /is there, with a context document/);
	const { items: [made] } = await api('GET', `projects?q=${encodeURIComponent(tyres)}`);

	t.after(() => remove(made.id));
	await shot(page, 'made');
	const { items: [context] } = await api('GET', `projects/${made.id}/documents`);

	assert.equal(context.typeKey, 'context');
	await page.goto(`${base}#/projects/${made.id}/documents/${context.id}`);
	await page.getByText('all cars ready by November').first().waitFor();
	await shot(page, 'context');
	assert.deepEqual(await violations(page), []);
});
