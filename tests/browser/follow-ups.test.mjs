// SPDX-License-Identifier: MIT
// Suggestions after an answer: they go into the field, and are sent by nobody but the user.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { base, open } from './browser.mjs';

/** Switches them on or off for the user of all tests. */
function set(value)
{
	return fetch(`${base}api/v1/settings`, { method: 'PATCH',
		headers: { 'Content-Type': 'application/json', Origin: new URL(base).origin },
		body: JSON.stringify({ follow_ups: value }) });
}

test('what may be said next is proposed under the last answer', async (t) => {
	t.after(() => set(null));
	const page = await open(t);
	const field = page.locator('lamp-composer textarea');
	const next = page.locator('.follow-ups button');

	assert.equal((await set(true)).status, 200);
	await field.fill('How many tickets are open?');
	await field.press('Enter');
	await next.first().waitFor();
	assert.deepEqual(await violations(page), []);
	if (process.env.SHOT)
		await page.screenshot({ path: process.env.SHOT });
	const texts = await next.allTextContents();

	assert.equal(texts.length, 2);
	assert.ok(!texts.some((text) => text.includes('How many tickets are open?')));

	// Behind what was typed, and not sent.
	await field.fill('Please:');
	await next.last().click();
	assert.equal(await field.inputValue(), `Please: ${texts[1].trim()}`);
	assert.equal(await field.evaluate((at) => document.activeElement === at), true);
	assert.equal(await page.locator('.message-user').count(), 1);

	// They are the last answer's, after a reload too, and go with the next message.
	await page.reload();
	await next.first().waitFor();
	await set(null);
	await field.fill('How many days of leave carry over?');
	await field.press('Enter');
	await page.locator('.message-user').nth(1).waitFor();
	await next.first().waitFor({ state: 'detached' });
});
