// SPDX-License-Identifier: MIT
// Asking and answering against the real server and the stand-in model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, ended, openChat, PHONE, reading, script, send, shownId, unique } from './browser.mjs';

test('the question of the README: tool call, table, answer, reload', async (t) => {
	const page = await openChat(t);

	await ask(page, 'How many tickets are open?');
	const tool = page.locator('lamp-tool', { hasText: 'Look up data' });

	assert.equal(await tool.locator('details').getAttribute('open'), null);
	const shown = await reading(page);

	// the number that the tool has read is the one in the answer
	const { items } = await api('GET', `conversations/${shownId(page)}/messages?include=steps`);
	const row = items.find((item) => item.metadata.toolName === 'query_data');
	const [[count]] = JSON.parse(row.content).rows;

	assert.ok(count > 0);
	assert.match(await page.locator('.answer').innerText(),
		new RegExp(`\\b${count}\\b.*open tickets`));
	await tool.locator('summary').click();
	assert.equal(await tool.locator('tbody td').innerText(), String(count));
	assert.equal(await tool.locator('thead th').innerText(), 'count');
	// the result is first; the arguments are folded, in words
	assert.equal(await tool.locator('.tool-args dl').isVisible(), false);
	await tool.locator('.tool-args summary').click();
	assert.match(await tool.locator('.tool-args').innerText(), /Dataset\s+tickets/);
	assert.equal(await tool.locator('lamp-table ~ .tool-args').count(), 1);

	await page.reload();
	await ended(page);
	assert.equal(await reading(page), shown);
	assert.match(await page.locator('.row.current').innerText(), /tickets/i);
});

test('an empty chat offers questions of the workspace', async (t) => {
	const page = await openChat(t);
	const { items: [{ suggestions }] } = await api('GET', 'workspaces');

	assert.deepEqual(await page.locator('.suggestion').allInnerTexts(), suggestions.slice(0, 4));
	await page.locator('.suggestion').first().click();
	await reading(page);
	assert.equal(await page.locator('.bubble').innerText(), suggestions[0]);
});

test('the questions of an empty chat are never cut off by the message field', async (t) => {
	const page = await openChat(t);

	for (const [width, height] of [[1280, 800], [1280, 600], [1280, 400], [900, 500],
		[390, 844], [390, 660], [320, 560], [740, 360]]) {
		await page.setViewportSize({ width, height });
		const seen = await page.evaluate(() => {
			const end = document.querySelector('.composer').getBoundingClientRect().top;
			const bottoms = [...document.querySelectorAll('.suggestion, .empty-text')]
				.filter((one) => one.checkVisibility())
				.map((one) => one.getBoundingClientRect().bottom);

			return { over: Math.max(...bottoms) - end, wide: document.documentElement.scrollWidth };
		});

		assert.ok(seen.over <= 0, `${width} x ${height}: ${seen.over} px under the field`);
		assert.ok(seen.wide <= width, `${width} x ${height}: ${seen.wide} wide`);
	}
});

test('the buttons of the message field are one row, also on a phone', async (t) => {
	const page = await openChat(t, { ...PHONE, workspace: 'intranet' });
	const boxes = await page.locator('.composer-bar > :is(button, label)').evaluateAll((all) =>
		all.map((one) => one.getBoundingClientRect()).map(({ top, height, right }) =>
			({ middle: top + height / 2, right })));
	const { right } = await page.locator('.composer').evaluate((one) =>
		one.getBoundingClientRect());

	assert.ok(boxes.length >= 6);
	for (const box of boxes) {
		assert.ok(Math.abs(box.middle - boxes[0].middle) < 2);
		assert.ok(box.right < right - 4, 'a button sticks out');
	}
	assert.equal(await page.locator('.composer label').first().evaluate((one) =>
		one.closest('.composer-bar') !== null), true);
});

test('text shows as it comes, and ends as a reload shows it', async (t) => {
	const page = await openChat(t);
	const text = '# Title\n\nOne _long stretch of emphasis with `code` in it, so ' +
		'that many tokens come before its end_ and then more.\n\n- first\n- ' +
		'second\n  1. inner\n\n```sql\nSELECT 1;\n\nSELECT 2;\n```\n\n| a | b |\n' +
		'|---|--:|\n| one | 2 |\n\nSee [here][x].\n\n[x]: https://example.org/';

	await send(page, script({ text, rate: 15 }));
	await page.waitForFunction(() => {
		const now = document.querySelector('.answer')?.textContent.length || 0;

		window.lengths ??= [];
		if (now !== window.lengths.at(-1))
			window.lengths.push(now);
		// grown several times while it still runs
		return document.querySelector('.stop-button') && window.lengths.length > 3;
	});
	await ended(page);
	const answer = page.locator('.answer');
	const streamed = await answer.innerHTML();

	await page.reload();
	await ended(page);
	assert.equal(await answer.innerHTML(), streamed);
	assert.equal(await answer.locator('em').count(), 1);
	assert.equal(await answer.locator('.code-language').innerText(), 'sql');
	assert.ok(await answer.locator('.hljs-keyword').count() > 0);
	assert.equal(await answer.locator('td').nth(1).getAttribute('align'), 'right');
	assert.equal(await answer.locator('a').getAttribute('href'), 'https://example.org/');
});

test('stop keeps what was said', async (t) => {
	const page = await openChat(t);

	await send(page, script({ tokens: 5000, rate: 100 }));
	await page.waitForFunction(() =>
		document.querySelector('.answer')?.textContent.length > 40);
	await page.click('.stop-button');
	await ended(page);
	assert.match(await reading(page), /You stopped this answer/);
	await page.waitForSelector('.send-button');
	const { items } = await api('GET', `conversations/${shownId(page)}/messages?include=steps`);

	assert.equal(items[0].metadata.finish_reason, 'cancelled');
	assert.ok(items[0].content.length > 0);
});

test('a failed answer says why, and can be tried again', async (t) => {
	const page = await openChat(t);
	const once = script({ text: 'Now it works', id: unique('fail'), fail_times: 1,
		error: { status: 400 } });

	await ask(page, once);
	assert.equal(await page.locator('.failure p').first().innerText(),
		'The language model rejected the request.');
	assert.equal(await page.locator('.answer').count(), 0);
	await page.getByRole('button', { name: 'Try again' }).click();
	await page.waitForSelector('.answer');
	await ended(page);
	assert.equal(await page.locator('.answer').innerText(), 'Now it works');
	assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
	// the failed one stays as the other version
	assert.equal(await page.locator('.bubble').count(), 1);
	await page.getByRole('button', { name: 'Previous version' }).click();
	await page.waitForSelector('.failure');
	assert.match(await page.locator('.variants').innerText(), /1\/2/);
});

test('words before a failure stay', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'one two three four',
		error: { status: 400, after_tokens: 2 } }));
	for (const round of ['streamed', 'reloaded']) {
		assert.equal(await page.locator('.answer').innerText(), 'one two', round);
		assert.match(await page.locator('.failure').innerText(), /upstream_bad_request/);
		await page.reload();
		await ended(page);
	}
});

test('reasoning, narration, parallel calls and a failing one', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ reasoning: 'Two things to find out.',
		narration: 'Let me look.', tool_calls: [
			{ name: 'query_data', args: { dataset: 'rooms', select: ['name', 'seats'],
				limit: 3 } },
			{ name: 'query_data', args: { dataset: 'nothing' } }],
		then: { text: 'Here they are.', finish: 'length' } }));
	const shown = await reading(page);
	const tools = page.locator('lamp-tool');

	assert.equal(await tools.count(), 2);
	assert.equal(await page.locator('.narration').innerText(), 'Let me look.');
	assert.equal(await page.locator('.answer').innerText(), 'Here they are.');
	assert.match(shown, /cut off at the length limit/);
	await tools.nth(0).locator('summary').click();
	await tools.nth(0).locator('tbody tr').first().waitFor();
	assert.equal(await tools.nth(0).locator('tbody tr').count(), 3);
	assert.equal(await tools.nth(0).locator('th.number').innerText(), 'seats');
	await tools.nth(1).locator('summary').click();
	assert.match(await tools.nth(1).locator('.tool-text').innerText(), /dataset must be/);
	await page.reload();
	await ended(page);
	assert.equal(await reading(page), shown);
});

test('the agent is chosen for a new chat', async (t) => {
	const page = await openChat(t);

	await page.selectOption('.agent-select', 'service-desk');
	await ask(page, script({ text: 'Desk here' }));
	const made = await api('GET', `conversations/${shownId(page)}`);

	assert.equal(made.agentId, 'service-desk');
	assert.match(await page.locator('.main-title').innerText(), /Service desk analyst/);
});
