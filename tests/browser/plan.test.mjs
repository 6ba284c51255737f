// SPDX-License-Identifier: MIT
// The board of a plan: live, as a proposal that is changed, and after a reload.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turn } from '../../www/js/store/turn.js';
import { violations } from './axe.mjs';
import { ended, openChat, send } from './browser.mjs';

test('a turn keeps the board of its plan, and knows when nobody works on it', () => {
	const turn = new Turn('x');
	const plan = { goal: 'g', stages: [] };
	const call = { role: 'assistant', turnId: 't', metadata: { step: true,
		toolCalls: [{ callId: 'c', toolName: 'plan', args: {} }] } };

	turn.apply('tool-call', { callId: 'c', toolName: 'plan', args: {} });
	for (const status of ['running', 'waiting'])
		turn.apply('plan', { planId: 'p', callId: 'c', status, plan, progress: [] });
	turn.setRows([call]);
	assert.equal(turn.boards.get('c').status, 'waiting');
	turn.apply('plan', { planId: 'p', callId: 'c', status: 'waiting', plan,
		progress: [{ id: 'a', status: 'running' }, { id: 'b', status: 'ready' }] });
	turn.skipStep('p', 'a', 'stopping', []);
	assert.deepEqual(turn.boards.get('c').progress.map((one) => one.status),
		['stopping', 'ready']);
	// told before its process knew of it
	for (const [told, shown] of [['running', 'stopping'], ['skipped', 'skipped']]) {
		turn.apply('plan', { planId: 'p', callId: 'c', status: 'running', plan,
			progress: [{ id: 'a', status: told }, { id: 'b', status: 'running' }] });
		assert.deepEqual(turn.boards.get('c').progress.map((one) => one.status),
			[shown, 'running']);
	}

	for (const [waits, sleeps] of [[[{ type: 'approval' }], false], [[], true]]) {
		const copy = turn.catchUp('t');

		copy.apply('waiting', { for: waits });
		turn.adopt(copy);
		assert.deepEqual([turn.running, turn.sleeps, turn.boards.size, turn.failed],
			[false, sleeps, 1, false]);
	}
	assert.equal(turn.cut, true);
	turn.resume([]);
	assert.deepEqual([turn.running, turn.sleeps], [true, false]);
});

test('what a step waits for is asked while its turn runs', () => {
	const turn = new Turn('x');
	const board = (...states) => ({ planId: 'p', callId: 'c', status: 'running',
		plan: { goal: 'g', stages: [] }, progress: states.map((status) => ({ status })) });
	const ask = (step) => ({ type: 'approval', toolCallId: `plan-p-${step * 2 ** 20 + 3}` });

	turn.running = true;
	turn.apply('approval-request', ask(0));
	turn.apply('clarification', ask(1));
	turn.apply('clarification', ask(1));
	turn.apply('plan', board('waiting', 'waiting', 'running'));
	assert.equal(turn.running, true);
	assert.deepEqual(turn.waiting, [ask(0), ask(1)]);
	// answered by another page
	turn.apply('plan', board('running', 'waiting', 'running'));
	assert.deepEqual(turn.waiting, [ask(1)]);
	turn.answered(turn.waiting);
	assert.deepEqual([turn.running, turn.waiting.length], [true, 0]);
	// its process has ended: what ran goes on before the answer
	turn.apply('waiting', { for: [ask(1)] });
	assert.deepEqual([turn.running, turn.sleeps, turn.waiting.length], [false, true, 1]);
	turn.resume([]);
	turn.apply('plan', board('done', 'waiting', 'done'));
	turn.apply('plan', { ...board('done', 'waiting', 'done'), status: 'waiting' });
	turn.apply('waiting', { for: [ask(1)] });
	assert.deepEqual([turn.sleeps, turn.waiting.length], [false, 1]);
});

test('a proposed plan is changed and run; a step asks; a reload shows the same', async (t) => {
	const page = await openChat(t, { viewport: { width: 360, height: 800 } });
	const card = page.locator('lamp-approval');
	const button = (name) => card.getByRole('button', { name });

	await send(page, 'Prepare the audit of the pilot project');
	await page.getByText('Run this plan?').waitFor();
	assert.equal(await card.locator('dd').count(), 0);	// no JSON
	// what a step uses leaves room for what it does, also in the narrowest window
	assert.ok(await card.locator('.plan-title').evaluateAll((all) => all.every((title) =>
		title.offsetWidth > title.closest('.plan-step').offsetWidth * 0.9)));
	assert.equal((await card.locator('ul.ask-origins').innerText()).trim(),
		'What is in the project');
	await button('Edit the steps').click();
	assert.ok(await card.locator('.plan-step textarea').evaluateAll((all) => all.every((field) =>
		field.offsetWidth > field.closest('.plan-step').offsetWidth * 0.7)));
	await button('Remove step 5').click();
	await button('Remove step 3').click();
	await button('Remove step 2').click();
	await card.getByRole('textbox', { name: 'Step 1' }).fill(' ');
	await card.getByRole('alert').waitFor();
	await card.getByRole('textbox', { name: 'Step 1' }).fill('What is open?');
	await button('Run').click();

	const board = page.getByRole('region', { name: /^Plan: The audit/ });

	await board.getByRole('button', { name: 'See what it asks' }).click();
	assert.match(await card.innerText(), /For the step “Open a ticket/);
	assert.deepEqual(await board.locator('.plan-title').allInnerTexts(), ['What is open?',
		'Open a ticket: the calibration papers of the pilot for the audit']);
	assert.equal(await page.evaluate(() =>
		document.documentElement.scrollWidth > innerWidth), false);
	await button('Deny').click();
	await ended(page);
	await board.getByText('2 of 2 steps done').waitFor();
	assert.deepEqual(await violations(page), []);
	const shown = await board.innerText();

	await page.reload();
	await board.waitFor();
	assert.equal(await board.innerText(), shown);
});

test('a step is skipped, and run again later', async (t) => {
	const page = await openChat(t);
	const boards = page.getByRole('region', { name: /^Plan: The audit/ });
	const last = boards.last();

	await send(page, 'Prepare the audit of the pilot project');
	await page.locator('lamp-approval').getByRole('button', { name: 'Run' }).click();
	await boards.getByRole('button', { name: 'See what it asks' }).waitFor();
	await boards.getByRole('button', { name: /^Skip step/ }).first().click();
	await ended(page);
	assert.equal(await page.locator('lamp-approval').count(), 0);
	const skipped = boards.locator('.plan-skipped').first();

	await skipped.locator('.plan-meta', { hasText: 'skipped' }).waitFor();
	assert.deepEqual(await violations(page), []);
	await skipped.getByRole('button', { name: /^Run again: step \d+$/ }).click();
	await boards.nth(1).or(page.getByText('Run this plan?').last()).waitFor();
	await page.locator('lamp-approval').last().waitFor();
	for (let n = await boards.count(); n < 2; n = await boards.count()) {
		await page.locator('lamp-approval').last().getByRole('button', { name: 'Run' }).click();
		await boards.nth(1).waitFor();
	}
	await last.getByRole('button', { name: 'See what it asks' }).waitFor();
	await page.locator('lamp-approval').last().getByRole('button', { name: 'Deny' }).click();
	await ended(page);
	await last.getByRole('button', { name: 'Run the plan again' }).waitFor();
});

test('what a step asks is answered while its turn runs', async (t) => {
	const page = await openChat(t);
	const card = page.locator('lamp-approval');

	await send(page, 'hello');
	await ended(page);
	// a turn that runs on, as its events would make it
	await page.locator('lamp-turn').evaluate((element) => {
		element.busy = element.turn.running = true;
		element.turn.ask([{ type: 'approval', approvalId: 'a', toolCallId: 'plan-p-1',
			turnId: element.turn.turnId, tool: 'create_ticket', effect: 'write', arguments: {},
			editable: false, rememberable: false, reason: 'policy', origins: [],
			expiresAt: new Date(Date.now() + 3600000).toISOString() }]);
	});
	await card.getByRole('button', { name: 'Allow' }).click({ trial: true });	// waits
	assert.deepEqual(await violations(page), []);
});

test('what the user wants, as the turn has taken it, is a chip', async (t) => {
	const page = await openChat(t);
	const chip = page.locator('.mode-chip');

	await send(page, 'hello');
	await ended(page);
	assert.equal(await chip.count(), 0);
	for (const [mode, text] of Object.entries({ clarify: 'Clarifies', inform: 'Informs',
		act: 'Acts' })) {
		await page.locator('lamp-turn').evaluate((element, name) =>
			element.turn.apply('agent-state', { agentStateUpdates: {}, mode: name }), mode);
		await chip.getByText(text).waitFor();
	}
	assert.deepEqual(await violations(page), []);
});
