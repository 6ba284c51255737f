// SPDX-License-Identifier: MIT
// The chores of chore/ in the page, which has no code for them. Run by page_of_chore.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, open } from '../browser/browser.mjs';

test('a chore has a list, a form with its text in Markdown, and a search, in each window', async (t) => {
	const project = await api('POST', 'projects', { name: 'House' });
	const { items: [{ agentId: agent }] } = await api('GET', 'workspaces/lab/agents');
	const page = await open(t);
	const other = await open(t, { hash: `#/projects/${project.id}/chores` });
	const hasTitle = (title) => other.waitForFunction((text) =>
		document.body.innerText.includes(text), title);
	const place = page.locator('lamp-place, lamp-project').first();

	await other.getByRole('link', { name: 'New chore' }).first().waitFor();
	await page.goto(`${page.url().split('#')[0]}#/projects/${project.id}/chores`);
	await page.getByRole('link', { name: 'New chore' }).first().click();
	await page.getByLabel('Title').fill('Sweep');
	await page.getByLabel('State').selectOption({ label: 'Waits for others' });
	await page.getByRole('textbox', { name: 'Tags' }).fill('floor\ndaily');
	await page.getByLabel('Agent').fill('lab/nobody');
	await page.locator('lamp-editor textarea').fill('# How\n\n- with a *broom*');
	await page.locator('lamp-editor lamp-markdown em').waitFor();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('There is no such agent, or you cannot see it.').waitFor();
	await page.getByLabel('Agent').fill(`lab/${agent}`);
	await page.getByRole('button', { name: 'Save' }).click();
	await page.waitForFunction(() => document.body.innerText.includes('Sweep'));
	const { items: [chore] } = await api('GET', `projects/${project.id}/chores`);

	assert.deepEqual([chore.title, chore.stateKey, chore.tags, chore.agent, chore.text],
		['Sweep', 'waiting', ['floor', 'daily'], `lab/${agent}`, '# How\n\n- with a *broom*']);
	assert.ok(await place.count());
	await hasTitle('Sweep');
	await page.getByLabel('Title').fill('Sweep well');
	await page.getByRole('button', { name: 'Save' }).click();
	await hasTitle('Sweep well');
});
