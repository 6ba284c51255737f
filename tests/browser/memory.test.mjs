// SPDX-License-Identifier: MIT
// What is remembered of a conversation: a long one folds, and the user corrects and
// removes what is left of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { base, open } from './browser.mjs';

/** Sends n messages, each beside its answer, in one conversation. */
async function talk(n)
{
	let id = null;

	for (let i = 0; i < n; i++) {
		const answer = await fetch(`${base}api/v1/chat/intranet/stream`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Origin: new URL(base).origin },
			body: JSON.stringify({ content: `!script ${JSON.stringify(
				{ text: `Noted, number ${i}. ${'So it is. '.repeat(60)}` })}`,
			...(id && { conversationId: id }) }),
		});

		assert.equal(answer.status, 200, await (answer.ok ? '' : answer.text()));
		id = /"conversationId":"([^"]+)"/.exec(await answer.text())[1];
	}
	return id;
}

async function folded(id)
{
	for (let i = 0; i < 100; i++) {
		const memory = await (await fetch(`${base}api/v1/conversations/${id}/memory`)).json();

		if (memory.version > 0)
			return memory;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error('it was not folded');
}

test('a long conversation is remembered, corrected and forgotten', async (t) => {
	const id = await talk(9);
	const memory = await folded(id);

	assert.match(memory.summary, /The user said: /);
	const state = [{ op: 'add', item: { kind: 'question', title: 'Which red?' } }];

	await fetch(`${base}api/v1/conversations/${id}/memory`, { method: 'PATCH',
		headers: { 'Content-Type': 'application/json', Origin: new URL(base).origin },
		body: JSON.stringify({ agent_state_item_updates: state, agent_state_updates: {
			assumptions: [{ hypothesis: 'It is a house', confidence: 0.6 }] } }) });
	const page = await open(t, { hash: `#/c/${id}` });

	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Memory' }).click();
	const dialog = page.locator('lamp-memory dialog');

	await dialog.locator('text=It is a house').waitFor();
	assert.deepEqual(await violations(page), []);
	await dialog.locator('button:has-text("Discard")').first().click();
	await dialog.locator('text=It is a house').waitFor({ state: 'detached' });
	await dialog.locator('button:has-text("Resolve")').click();
	await dialog.locator('text=Which red?').waitFor({ state: 'detached' });
	assert.equal(await dialog.locator('text=Clear assumptions').count(), 0);
	await fetch(`${base}api/v1/conversations/${id}/memory`, { method: 'PATCH',
		headers: { 'Content-Type': 'application/json', Origin: new URL(base).origin },
		body: JSON.stringify({ agent_state_item_updates: [
			{ op: 'add', item: { kind: 'task', title: 'Paint it' } }] }) });
	await page.keyboard.press('Escape');
	await page.locator('.main-head .menu-button').click();
	await page.getByRole('menuitem', { name: 'Memory' }).click();
	await dialog.locator('text=Paint it').waitFor();
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-clear.png` });
	await dialog.locator('text=Clear assumptions and open items').click();
	await dialog.locator('text=Paint it').waitFor({ state: 'detached' });
	assert.match(await dialog.locator('.memory-summary').innerText(), /The user said: /);
	await dialog.locator('text=Edit summary').click();
	await dialog.locator('textarea').fill('They like blue.');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.locator('.memory-summary:has-text("They like blue.")').waitFor();
	if (process.env.SHOT)
		await page.screenshot({ path: process.env.SHOT });
	await dialog.locator('summary').click();
	assert.match(await dialog.locator('details').innerText(), /after much text/);
	await dialog.locator('text=Remove all of this').click();
	await page.locator('lamp-confirm').getByRole('button', { name: 'Remove' }).click();
	await dialog.locator('text=There is no summary.').waitFor();
	const after = await (await fetch(`${base}api/v1/conversations/${id}/memory`)).json();

	assert.equal(after.summary, '');
	assert.equal(after.why, 'removed');
});
