// SPDX-License-Identifier: MIT
// The calendar of a project: a month, events by form, on a phone a list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { api, base, open, PHONE, unique } from './browser.mjs';

async function project(t)
{
	const made = await api('POST', 'projects', { name: unique('Roof') });

	t.after(() => fetch(`${base}api/v1/projects/${made.id}`, { method: 'DELETE',
		headers: { 'X-Requested-With': 'test', 'If-Match': '*' } }));
	return made;
}

const two = (n) => String(n).padStart(2, '0');
const now = new Date();
const month = `${now.getFullYear()}-${two(now.getMonth() + 1)}`;

async function openMonth(t, { id }, options)
{
	const page = await open(t, { hash: `#/projects/${id}/events`, ...options });

	await page.waitForSelector('lamp-month .month-bar');
	return page;
}

test('a month shows what takes place, and events are made by form', async (t) => {
	const made = await project(t);

	await api('POST', `projects/${made.id}/events`, { title: 'Stand-up',
		start: `${month}-10T09:00`, recurrence: 'FREQ=DAILY;COUNT=3' });
	const page = await openMonth(t, made);

	await page.waitForFunction(() => document.querySelectorAll('.month-event').length === 3);
	assert.deepEqual(await violations(page), []);
	await page.keyboard.press('Tab');
	await page.getByRole('button', { name: 'Next month' }).press('Enter');
	await page.waitForFunction(() => document.querySelector('.month-none') !== null);
	await page.getByRole('button', { name: 'Today' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.month-event').length === 3);
	await page.locator('.new-item').click();
	await page.locator('lamp-form').getByLabel('Title').fill('Review');
	await page.locator('lamp-form').getByLabel('Start').fill(`${month}-11`);
	await page.locator('lamp-form [type=submit]').click();
	await page.waitForFunction(() => document.querySelector('lamp-project h2')?.textContent ===
		'Review');
	await page.goBack();
	await page.waitForFunction(() => [...document.querySelectorAll('.month-event')].some((one) =>
		one.textContent.includes('Review')));
	await page.locator('.month-event', { hasText: 'Review' }).click();
	await page.waitForFunction(() => document.querySelector('lamp-project h2')?.textContent ===
		'Review');
});

test('week and agenda; one of what is repeated, or those that follow; files', async (t) => {
	const made = await project(t);

	await api('POST', `projects/${made.id}/events`, { title: 'Stand-up', timeZone: 'UTC',
		start: `${month}-10T09:00`, recurrence: 'FREQ=DAILY;COUNT=4' });
	const page = await openMonth(t, made, { timezoneId: 'UTC' });
	const shown = () => page.locator('.month-event').allInnerTexts();
	const occurrence = page.getByRole('dialog', { name: 'Stand-up' });
	const waitFor = (n, text) => page.waitForFunction(([count, words]) => [...document
		.querySelectorAll('.month-event')].filter((one) => one.textContent.includes(words))
		.length === count, [n, text]);

	await waitFor(4, 'Stand-up');
	await page.locator('.month-event').nth(1).press('Enter');
	await occurrence.getByLabel('Title').fill('Planning');
	assert.deepEqual(await violations(page), []);
	await occurrence.getByRole('button', { name: 'Save' }).click();
	await waitFor(1, 'Planning');
	await page.locator('.month-event').nth(2).click();
	await occurrence.getByLabel('This one and all that follow').check();
	await occurrence.getByRole('button', { name: 'Delete' }).click();
	await waitFor(0, 'Nothing');
	await waitFor(1, 'Stand-up');
	assert.deepEqual((await shown()).map((text) => text.trim()), ['09:00Stand-up', '09:00Planning']);
	await page.getByRole('button', { name: 'Week', exact: true }).click();
	assert.equal(await page.locator('.month-day').count(), 7);
	await page.getByRole('button', { name: 'Agenda' }).click();
	await page.getByRole('button', { name: 'Earlier' }).click();
	assert.deepEqual(await violations(page), []);
	await page.setInputFiles('.month-files input', { name: 'a.ics', mimeType: 'text/calendar',
		buffer: Buffer.from(['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:one',
			'SUMMARY:Fair', `DTSTART;VALUE=DATE:${month.replace('-', '')}12`, 'END:VEVENT',
			'END:VCALENDAR', ''].join('\r\n')) });
	await page.getByText('Imported 1 event.').waitFor();
	await page.getByRole('button', { name: 'Month', exact: true }).click();
	await page.getByRole('button', { name: 'Today' }).click();
	await waitFor(1, 'Fair');
	const [file] = await Promise.all([page.waitForEvent('download'),
		page.getByRole('link', { name: 'Download' }).click()]);

	assert.match(file.suggestedFilename(), /\.ics$/);
	// one's own calendar has it, too
	await page.goto(`${base}#/events`);
	await waitFor(1, 'Fair');
});

test('on a phone it is a list of days', async (t) => {
	const made = await project(t);

	await api('POST', `projects/${made.id}/events`, { title: 'Only',
		start: `${month}-10`, end: `${month}-11` });
	const page = await openMonth(t, made, PHONE);

	await page.waitForFunction(() => document.querySelectorAll('.month-event').length === 2);
	assert.equal(await page.locator('.month-day:visible').count(), 2);
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth >
		document.documentElement.clientWidth), false);
	assert.deepEqual(await violations(page), []);
});
