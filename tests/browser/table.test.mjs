// SPDX-License-Identifier: MIT
// Results of tools as tables and charts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { asTable, chartOf, sorted, toCsv, toTsv } from '../../www/js/table.js';
import { ask, openChat, PHONE, script } from './browser.mjs';

const table = {
	columns: [{ name: 'name', type: 'text' }, { name: 'n', type: 'integer' },
		{ name: 'when', type: 'date' }],
	rows: [['b10', 2, '2026-01-03'], ['b9', 10, null], [null, null, '2026-01-01'],
		['Ä, "x"\ny', 1, '2026-01-02']],
};

test('tables: what is one', () => {
	assert.deepEqual(asTable({ items: [{ a: 1 }, { b: 2 }], more: false }),
		{ columns: [{ name: 'a' }, { name: 'b' }], rows: [[1, undefined], [undefined, 2]],
			total: null, truncated: false });
	for (const other of [null, 'x', [], [1, 2], { a: 1 }, { a: [], b: [] }])
		assert.equal(asTable(other), null);
});

test('tables: others decide what is in them', () => {
	const evil = { toString: 1, valueOf: 2, name: { toString: 3 } };
	const found = [
		{ columns: [null, 5, evil, { name: 'n', type: evil }],
			rows: [[evil, [evil], [[evil]], evil], null, 5], totalCount: evil },
		{ columns: [{ name: 'n', type: 'integer' }, 'x'], rows: [[evil, 1], [[evil], 2n]] },
		[{ a: evil, b: [evil] }],
	].map(asTable);

	for (const one of found) {
		assert.doesNotThrow(() => one.columns.map((_, at) => sorted(one, { at }, 'en')));
		assert.doesNotThrow(() => [chartOf(one), toCsv(one, one.rows), toTsv(one, one.rows)]);
		assert.ok(one.columns.every(({ name }) => typeof name === 'string'));
	}
	assert.equal(found[0].total, null);
});

test('tables: sorting by number, by text as people do, empty ones last', () => {
	const firsts = (by) => sorted(table, by, 'en').map(([name]) => name?.slice(0, 3) ?? null);

	assert.deepEqual(firsts({ at: 0, down: false }), ['Ä, ', 'b9', 'b10', null]);
	assert.deepEqual(firsts({ at: 0, down: true }), ['b10', 'b9', 'Ä, ', null]);
	assert.deepEqual(firsts({ at: 1, down: false }), ['Ä, ', 'b10', 'b9', null]);
	assert.deepEqual(firsts({ at: 1, down: true }), ['b9', 'b10', 'Ä, ', null]);
	assert.equal(table.rows[0][0], 'b10');
});

test('tables: as text for elsewhere, without formulas', () => {
	assert.equal(toTsv(table, table.rows.slice(3)), 'name\tn\twhen\nÄ, "x" y\t1\t2026-01-02');
	assert.equal(toCsv(table, table.rows.slice(2)),
		'\ufeffname,n,when\r\n,,2026-01-01\r\n"Ä, ""x""\ny",1,2026-01-02\r\n');
	const evil = { columns: [{ name: '=1+1' }], rows: [['=cmd|x'], ['@x'], ['-5,2'], [-5], ['+a']] };

	assert.equal(toCsv(evil, evil.rows),
		'\ufeff\'=1+1\r\n\'=cmd|x\r\n\'@x\r\n"-5,2"\r\n-5\r\n\'+a\r\n');
});

test('charts: what can be drawn', () => {
	assert.equal(chartOf(table).kind, 'bar');
	assert.deepEqual(chartOf(table).series, [{ name: 'n', values: [2, 10, null, 1] }]);
	const months = { columns: [{ name: 'month' }, { name: 'ticket_id' }, { name: 'n' }],
		rows: [['2026-01', 1, 2], ['2026-02', 2, 3]] };

	assert.equal(chartOf(months).kind, 'line');
	assert.deepEqual(chartOf(months).series, [{ name: 'n', values: [2, 3] }]);
	for (const none of [{ columns: [{ name: 'a' }], rows: [[1], [2]] },
		{ columns: [{ name: 'a' }], rows: [['x'], ['y']] },
		{ ...months, rows: months.rows.slice(1) }])
		assert.equal(chartOf(none), null);
	assert.equal(chartOf({ ...months, rows: Array(100).fill(months.rows[0]) }).left, 40);
});

/** Asks for rooms and opens the result. */
async function rooms(t, options)
{
	const page = await openChat(t, options);

	await ask(page, script({ tool_calls: [{ name: 'query_data',
		args: { dataset: 'rooms', select: ['name', 'seats', 'kind'], limit: 12 } }],
	then: { text: 'Here.' } }));
	await page.locator('lamp-tool summary').click();
	await page.waitForSelector('lamp-table tbody tr');
	return page;
}

test('sort, copy, download', async (t) => {
	const page = await rooms(t, { permissions: ['clipboard-read', 'clipboard-write'] });
	const seats = () => page.locator('tbody td.number').allInnerTexts();
	const asItCame = await seats();
	const ordered = [...asItCame].sort((a, b) => a - b);

	await page.getByRole('button', { name: 'seats' }).focus();
	await page.keyboard.press('Enter');
	assert.equal(await page.locator('th.number').getAttribute('aria-sort'), 'ascending');
	assert.deepEqual(await seats(), ordered);
	await page.keyboard.press('Enter');
	assert.equal(await page.locator('th.number').getAttribute('aria-sort'), 'descending');
	assert.deepEqual(await seats(), [...ordered].reverse());
	await page.getByRole('button', { name: 'Copy the table' }).click();
	const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');

	assert.equal(copied.length, asItCame.length + 1);
	assert.equal(copied[0], 'name\tseats\tkind');
	assert.equal(copied[1].split('\t')[1], ordered.at(-1));
	const [download] = await Promise.all([page.waitForEvent('download'),
		page.getByRole('button', { name: 'Download as CSV' }).click()]);

	assert.equal(download.suggestedFilename(), 'rooms.csv');
	const csv = await readFile(await download.path(), 'utf8');

	assert.equal(csv.split('\r\n')[1], copied[1].replaceAll('\t', ','));
	await page.getByRole('button', { name: 'seats' }).click();
	assert.deepEqual(await seats(), asItCame);
});

test('a chart is offered under the answer, and long cells are cut', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ tool_calls: [{ name: 'query_data',
		args: { dataset: 'rooms', select: ['name', 'seats'], limit: 5 } }], then: { text: 'Here.' } }));
	const offer = page.getByRole('button', { name: 'Show as a chart' });

	assert.equal(await page.locator('lamp-chart').count(), 0);
	await offer.click();
	await page.locator('.answer-chart canvas').waitFor();
	await page.getByRole('button', { name: 'Hide the chart' }).click();
	assert.equal(await page.locator('lamp-chart').count(), 0);
	const long = 'word '.repeat(200);

	await page.evaluate(async (text) => {
		const el = document.createElement('lamp-table');

		el.table = { columns: [{ name: 'a' }, { name: 'b' }], rows: [[text, 'x']], total: null };
		document.querySelector('.answer').append(el);
		await el.updateComplete;
	}, long);
	const cell = page.locator('.answer td').first();

	assert.ok((await cell.innerText()).length < 210);
	await cell.locator('summary').click();
	assert.ok((await cell.innerText()).length > 900);
});

test('a chart, in both themes, on a phone too', async (t) => {
	for (const options of [{}, PHONE]) {
		const page = await rooms(t, options);
		// drawn: not all of one colour
		const drawn = () => page.waitForFunction(() => {
			const canvas = document.querySelector('lamp-chart canvas');
			const context = canvas?.getContext('2d');

			if (!canvas?.width)
				return false;
			const { data } = context.getImageData(0, 0, canvas.width, canvas.height);

			return new Set(new Uint32Array(data.buffer)).size > 2;
		});

		await page.getByRole('button', { name: 'Chart', exact: true }).click();
		await drawn();
		assert.match(await page.locator('lamp-chart canvas').getAttribute('aria-label'),
			/Chart of rooms: seats by name/);
		await page.emulateMedia({ colorScheme: 'dark' });
		await drawn();
		assert.equal(await page.evaluate(() =>
			document.querySelector('lamp-thread').scrollWidth > innerWidth), false);
		await page.getByRole('button', { name: 'Table', exact: true }).click();
		await page.waitForSelector('tbody tr');
	}
});
