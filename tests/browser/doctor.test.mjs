// SPDX-License-Identifier: MIT
// doctor.html: the deployment measured from a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './browser.mjs';

/** it waits for a stream that is silent for 15 s */
const SILENCE = { timeout: 90000 };

test('doctor measures and shows findings, what is wrong first', async (t) => {
	const page = await open(t, { hash: 'doctor.html' });

	await page.waitForSelector('#findings li', SILENCE);
	const text = await page.locator('#status').innerText();

	assert.match(text, /on lighttpd: \d+ fine, \d+ to look at\./);
	const findings = await page.locator('#findings').innerText();

	assert.match(findings, /Fine: Answers stream\s+Events arrive as they are sent\./);
	assert.match(findings, /Fine: Forged user names are not accepted/);
	assert.match(findings, /Fine: Bodies up to the limit arrive/);
	assert.match(findings, /MariaDB/);
	assert.equal(await page.locator('#findings li.problem').count(), 0);
	await page.click('#again');
	await page.waitForFunction(() =>
		document.querySelector('#findings').childElementCount === 0);
	await page.waitForSelector('#findings li', SILENCE);
});

test('who may not look is told so', async (t) => {
	const page = await open(t, {
		hash: 'doctor.html',
		init: (fresh) => fresh.route('**/api/v1/doctor/request', (route) =>
			route.fulfill({ status: 403, contentType: 'application/problem+json',
				headers: { 'X-Request-Id': 'x' }, body: JSON.stringify({
					detail: 'This needs the permission AI.Admin.Doctor.' }) })),
	});

	await page.waitForFunction(() => document.querySelector('#status')
		.textContent.includes('AI.Admin.Doctor'));
	assert.equal(await page.locator('#findings li').count(), 0);
});

test('a sign-in page in front, which answers everything, is called that', async (t) => {
	for (const path of ['doctor/request', 'doctor']) {
		const page = await open(t, {
			hash: 'doctor.html',
			init: (fresh) => fresh.route(`**/api/v1/${path}`, (route) =>
				route.fulfill({ contentType: 'text/html', body: '<form>Sign in</form>' })),
		});

		await page.waitForFunction(() => document.querySelector('#status').textContent
			.includes('does not answer as it should (200)'), null, SILENCE);
		assert.equal(await page.locator('#findings li').count(), 0);
	}
});
