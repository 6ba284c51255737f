// SPDX-License-Identifier: MIT
// The note of docs/add-a-resource.md in the page, which has no code for it. Run by
// page_of_note.py.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, choosePlace, open } from '../browser/browser.mjs';

test('a note has a place, a list, a form; it is changed and deleted', async (t) => {
	const { conversationId } = await api('POST', 'conversations',
		{ workspaceId: 'lab', title: 'About the lamp' });
	const page = await open(t);
	const place = page.locator('lamp-place');
	const save = place.getByRole('button', { name: 'Save' });

	await choosePlace(page, 'Notes');
	await place.getByText(/There is no .* yet/).waitFor();
	await place.getByRole('link', { name: 'New' }).first().click();
	await place.getByLabel('Conversation id').selectOption({ label: 'About the lamp' });
	await place.getByLabel('Text').fill('Ask Bob');
	await place.getByLabel('Stars').fill('6');
	await place.getByLabel('Share').fill('0,7');
	await place.getByLabel('Tags').fill('1\n2\n3\n4\n5\n6');
	await place.getByLabel('State').selectOption({ label: 'Waits for others' });
	await place.getByLabel('Place').fill('{"page": 1}');
	await save.click();
	await place.getByText('Stars must be from 1 to 5.').waitFor();
	await place.getByText('Share must be a number.').waitFor();
	await place.getByText('Tags may have at most 5 lines.').waitFor();
	await place.getByLabel('Stars').fill('3');
	await place.getByLabel('Share').fill('0.7');
	await place.getByLabel('Tags').fill('bob\n today');
	await place.getByLabel('Done').selectOption('No');
	await save.click();
	await page.waitForFunction(() =>
		document.querySelector('lamp-place h1').textContent === 'Ask Bob');
	const { items: [note] } = await api('GET', 'notes');

	assert.deepEqual([note.conversationId, note.text, note.stars, note.done, note.seconds,
		note.place], [conversationId, 'Ask Bob', 3, false, null, { page: 1 }]);
	assert.deepEqual([note.share, note.state, note.tags], [0.7, 'waiting', ['bob', 'today']]);
	await place.getByLabel('Stars').fill('');
	await save.click();
	await page.waitForFunction(() => !document.querySelector('.form-state'));
	assert.equal((await api('GET', `notes/${note.id}`)).stars, null);
	await place.getByRole('link', { name: 'Back to the list' }).click();
	await place.getByRole('link', { name: 'Ask Bob' }).click();
	await place.getByRole('button', { name: 'Delete' }).click();
	await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
	await place.getByText(/There is no .* yet/).waitFor();
});
