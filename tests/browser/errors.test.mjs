// SPDX-License-Identifier: MIT
// What people see when something is wrong: refusals, lost connections, things
// that are not there. Answers that the server gives only when it is broken are
// put in by the test, in the shapes of docs/api.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, conversation, ended, open, openChat, say, script, send, shownId,
	unique, withoutNotices } from './browser.mjs';

/** /me, with its query or without */
const ME = /\/api\/v1\/me(\?|$)/;
/** as in lib/base/err.def */
const RETRYABLE = ['conversation_busy', 'database_unavailable', 'overloaded',
	'upstream_unreachable'];
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

/** Lets requests to a path get a problem as their answer. */
function refuse(page, pattern, status, code, fields = {}, headers = {})
{
	return page.route(pattern, (route) => route.fulfill({ status,
		headers: { 'Content-Type': 'application/problem+json', ...headers },
		body: JSON.stringify({ type: 'about:blank', title: code, status, code,
			detail: 'From a test.', requestId: 'request-1',
			retryable: RETRYABLE.includes(code), ...fields }) }));
}

const banner = (page) => page.locator('.banner').innerText();

test('the page cannot start, says why, and can be tried again', async (t) => {
	const page = await openChat(t);

	for (const [status, code, text] of [
		[401, 'unauthenticated', /not signed in/],
		[403, 'forbidden', /doesn’t have access to this chat/],
		[503, 'database_unavailable', /couldn’t reach its database/],
		[503, 'overloaded', /in 7 seconds/],
	]) {
		await refuse(page, ME, status, code, {}, { 'Retry-After': '7' });
		await page.reload();
		const alert = page.locator('[role=alert]');

		await alert.waitFor();
		assert.match(await alert.innerText(), text);
		assert.match(await alert.innerText(), /request-1/);
		await page.unroute(ME);
		await alert.locator('button').click();
		await page.waitForSelector('.composer-field');
	}
});

test('a sign-in page in front of the API', async (t) => {
	const page = await open(t, { init: (p) => p.route(ME, (route) =>
		route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' })) });

	await page.waitForSelector('[role=alert]');
	assert.match(await page.locator('[role=alert]').innerText(), /not signed in/);
});

test('chat is switched off', async (t) => {
	const page = await openChat(t, { init: (p) => p.route(ME,
		async (route) => {
			const response = await route.fetch();
			const me = await response.json();

			for (const item of me.workspaces.items)
				item.chatEnabled = false;
			await route.fulfill({ response, json: me });
		}) });

	assert.equal(await page.locator('.composer-field').isDisabled(), true);
	assert.match(await banner(page), /no language model is configured/);
	assert.equal(await page.locator('.suggestion').count(), 0);
});

test('refused messages go back into the field', async (t) => {
	const page = await openChat(t);

	for (const [status, code, text] of [
		[503, 'chat_disabled', /isn’t set up yet/],
		[403, 'csrf_failed', /its own page/],
		[422, 'llm_credential_missing', /has no API key/],
		[422, 'invalid_field', /From a test/],
		[500, 'internal', /went wrong/],
		[502, 'upstream_unreachable', /reach the model/],
	]) {
		await refuse(page, '**/stream', status, code);
		await send(page, 'not lost');
		await page.waitForSelector('.banner');
		assert.match(await banner(page), text);
		assert.equal(await page.inputValue('.composer-field'), 'not lost');
		assert.equal(await page.locator('lamp-turn').count(), 0);
		await page.unroute('**/stream');
		await page.getByRole('button', { name: 'Dismiss' }).click();
		await page.waitForSelector('.banner', { state: 'detached' });
	}
	await page.press('.composer-field', 'Enter');
	await page.waitForSelector('lamp-turn');
	await ended(page);
});

test('the conversation is being answered already', async (t) => {
	const id = await conversation(unique('busy'));
	const page = await openChat(t, { hash: `#/c/${id}`, init: withoutNotices });

	await page.waitForFunction(() =>
		document.querySelector('.main-title h1').textContent.startsWith('busy'));
	const answer = say(id, script({ tokens: 100000, rate: 20 }));

	let turnId = null;

	while (!turnId)
		({ runningTurnId: turnId } = await api('GET', `conversations/${id}`));
	await send(page, 'too early');
	await page.waitForSelector('.banner');
	assert.match(await banner(page), /still being written/);
	assert.equal(await page.inputValue('.composer-field'), 'too early');
	// the other answer is shown as soon as it is there
	await api('POST', `turns/${turnId}/cancel`);
	await answer;
	await page.waitForSelector('.note');
	await page.press('.composer-field', 'Enter');
	await page.waitForFunction(() => document.querySelectorAll('lamp-turn').length === 2);
	await ended(page);
});

test('an address that leads nowhere', async (t) => {
	const page = await open(t, { hash: `#/c/${UNKNOWN}` });

	await page.waitForSelector('text=Not found');
	await page.getByRole('button', { name: 'Start a new chat' }).click();
	await page.waitForSelector('.empty');
});

test('no network: nothing is lost, and it continues', async (t) => {
	const page = await openChat(t);

	await page.context().setOffline(true);
	await page.waitForSelector('.strip');
	await send(page, 'later');
	await page.waitForSelector('.banner');
	assert.match(await banner(page), /Couldn’t reach the server/);
	assert.equal(await page.inputValue('.composer-field'), 'later');
	await page.context().setOffline(false);
	await page.waitForSelector('.strip', { state: 'detached' });
	await page.locator('#composer').getByRole('button', { name: 'Try again' }).click();
	await page.waitForSelector('lamp-turn');
	await ended(page);
	assert.equal(await page.locator('.bubble').innerText(), 'later');
});

test('a stream that breaks: the answer comes all the same', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: 'first' }));
	// the first bytes only, then the end of the connection
	await page.route('**/stream', async (route) => {
		const response = await route.fetch();
		const body = await response.text();

		await route.fulfill({ response, body: body.slice(0, body.indexOf('event: token')) });
	});
	await send(page, script({ text: 'whole and sound' }));
	await page.waitForFunction(() => document.querySelectorAll('.answer').length === 2);
	await ended(page);
	assert.equal(await page.locator('.answer').last().innerText(), 'whole and sound');
	assert.equal((await api('GET', `conversations/${shownId(page)}/messages`)).items.length, 4);
});
