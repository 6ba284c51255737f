// SPDX-License-Identifier: MIT
// A conversation that is added to a knowledge base.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { ended, openChat, send } from './browser.mjs';

test('a conversation is added to a knowledge base, and again', async (t) => {
	const page = await openChat(t);
	const dialog = page.locator('lamp-keep dialog');
	const name = `Kept ${Date.now()}`;

	await send(page, 'What is open?');
	await ended(page);
	await page.evaluate((base) => fetch('api/v1/knowledge-bases', { method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify({ name: base }) }), name);
	await page.getByRole('button', { name: 'Actions for this conversation' }).click();
	await page.getByRole('menuitem', { name: 'Add to a knowledge base' }).click();
	for (let i = 0; i < 2; i++) {
		await dialog.getByRole('button', { name: `Add to ${name}` }).click();
		await dialog.getByText(`Added to ${name}.`).waitFor();
	}
	assert.deepEqual(await violations(page), []);
});
