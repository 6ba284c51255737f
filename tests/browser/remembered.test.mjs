// SPDX-License-Identifier: MIT
// What is remembered of a user in all conversations: it is switched on, a sentence is
// proposed and kept, found in another conversation, and erased.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { base, open } from './browser.mjs';

const headers = { 'Content-Type': 'application/json', Origin: new URL(base).origin };

/** The events of a message in a conversation of its own, as text. */
async function ask(content)
{
	const answer = await fetch(`${base}api/v1/chat/intranet/stream`, { method: 'POST', headers,
		body: JSON.stringify({ content }) });

	return answer.text();
}

test('a sentence is remembered in all conversations', async (t) => {
	const page = await open(t, { hash: '#/memories' });
	const place = page.locator('lamp-remembered');

	await place.locator('select').selectOption('ask');
	await page.waitForResponse((answer) => answer.url().endsWith('/settings') &&
		answer.request().method() === 'PATCH');
	await ask('I prefer answers in verse. How many tickets are open?');
	const row = place.locator('.remembered-proposed li', { hasText: 'answers in verse' });

	await row.waitFor();
	assert.deepEqual(await violations(page), []);
	if (process.env.SHOT)
		await page.screenshot({ path: process.env.SHOT });
	assert.doesNotMatch(await ask('What do you know about me?'), /verse/);
	await row.getByRole('button', { name: 'Keep' }).click();
	await place.locator('.remembered-kept li', { hasText: 'answers in verse' }).waitFor();
	assert.match(await ask('What do you know about me?'), /answers in verse/);
	await place.locator('.remembered-kept a').first().click();
	await page.locator('.form-delete').click();
	await page.locator('lamp-confirm').getByRole('button', { name: 'Delete' }).click();
	await place.locator('select').waitFor();
	assert.doesNotMatch(await ask('What do you know about me?'), /verse/);
	await place.locator('select').selectOption('off');
});
