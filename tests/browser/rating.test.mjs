// SPDX-License-Identifier: MIT
// An answer is rated with its reasons, which those who look after the assistants see.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { base, open } from './browser.mjs';

test('an answer is rated, with reasons, and the rating is taken back', async (t) => {
	const page = await open(t);
	const field = page.locator('lamp-composer textarea');

	await field.fill('How many tickets are open?');
	await field.press('Enter');
	const actions = page.locator('.message-assistant .message-actions');
	const bad = actions.getByRole('button', { name: 'Bad answer' });
	const good = actions.getByRole('button', { name: 'Good answer' });

	await bad.click();
	const dialog = page.locator('lamp-rating dialog');

	await dialog.getByRole('button', { name: 'Incomplete' }).click();
	await dialog.getByLabel('In your own words').fill('It says not which ones.');
	await dialog.getByLabel('Show my question and this answer to them').check();
	assert.deepEqual(await violations(page), []);
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-dialog.png` });
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'hidden' });
	assert.equal(await bad.getAttribute('aria-pressed'), 'true');

	// After a reload it is known as soon as its buttons are reached, and not before.
	const asked = [];

	page.on('request', (request) => {
		if (request.url().includes('/ratings'))
			asked.push(request.url());
	});
	await page.reload();
	await actions.waitFor();
	assert.deepEqual(asked, []);
	await good.focus();
	await page.locator('.thumb-bad[aria-pressed=true]').waitFor();
	assert.equal(asked.length, 1);
	await actions.getByRole('button', { name: 'More' }).click();
	await page.getByRole('menuitem', { name: 'Say why' }).click();
	assert.equal(await dialog.getByRole('button', { name: 'Incomplete' })
		.getAttribute('aria-pressed'), 'true');
	assert.equal(await dialog.getByLabel('In your own words').inputValue(),
		'It says not which ones.');
	await page.keyboard.press('Escape');

	await page.evaluate(() => { location.hash = '#/rated-answers'; });
	const row = page.locator('.rows-link', { hasText: 'It says not which ones.' });

	await row.first().waitFor();
	assert.match(await row.first().textContent(), /Bad answer[^]*Incomplete/);
	assert.deepEqual(await violations(page), []);
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-list.png` });
	const [file] = await Promise.all([page.waitForEvent('download'),
		page.getByRole('button', { name: 'Download as CSV' }).click()]);
	const [head, ...lines] = (await readFile(await file.path(), 'utf8')).split('\r\n');

	assert.equal(file.suggestedFilename(), 'rated-answers.csv');
	for (const column of ['createdAt', 'user', 'value', 'reasons', 'comment', 'agentId', 'model'])
		assert.ok(head.split(',').includes(column), `${column} in ${head}`);
	assert.ok(lines.some((one) => one.includes('bad') && one.includes('incomplete') &&
		one.includes('It says not which ones.')), lines[0]);
	await row.first().click();
	await page.getByText('How many tickets are open?').first().waitFor();
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-row.png` });
	await page.goBack();
	await page.goBack();

	await bad.click();
	await page.locator('.thumb-bad[aria-pressed=false]').waitFor();
	await good.click();
	await page.locator('.thumb-good[aria-pressed=true]').waitFor();
	assert.equal(await dialog.isVisible(), false);

	// Another window takes it back, and rates it: this one does not know, and is not stopped.
	const api = `${base}api/v1/ratings`;
	const origin = { Origin: new URL(base).origin };
	const [{ id, conversationId, messageId }] = (await (await page.request.get(api)).json()).items;

	await page.request.delete(`${api}/${id}`, { headers: origin });
	await bad.click();
	await page.locator('.thumb-bad[aria-pressed=true]').waitFor();
	await page.keyboard.press('Escape');
	await bad.click();
	await page.locator('.thumb-bad[aria-pressed=false]').waitFor();
	await page.request.post(api, { headers: origin,
		data: { conversationId, messageId, value: 'bad' } });
	await good.click();
	await page.locator('.thumb-good[aria-pressed=true]').waitFor();
});
