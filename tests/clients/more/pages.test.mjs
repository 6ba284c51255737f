// SPDX-License-Identifier: MIT
// Libraries of chat pages in a real browser, unchanged: see install.mjs.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { TEXT, api, call, endless, headers, text, tools } from '../common.mjs';
import { bundled, open } from '../page.mjs';
import { install } from './install.mjs';

// A page that stands beside this file, bundled with packages of such a folder.
async function packed(dir, name)
{
	copyFileSync(new URL(name, import.meta.url), join(dir, name));
	return bundled(pathToFileURL(join(dir, name)).href);
}

describe('assistant-ui', { timeout: 900000 }, () => {
	let shown, page;

	before(async () => {
		const dir = install('@assistant-ui/react@0.15.22', '@assistant-ui/react-ai-sdk@1.4.12',
			'react@19.2.0', 'react-dom@19.2.0');

		shown = await open(await packed(dir, 'assistant-ui.page.mjs'),
			{ api: `${api}/ai-sdk/lab?sdk=6`, headers });
		({ page } = shown);
	}, { timeout: 900000 });
	after(() => shown?.close());

	const send = async (message) => {
		await page.getByPlaceholder('Message').fill(message);
		await page.getByRole('button', { name: 'Send' }).click();
	};
	const answer = (number, words) => page.locator('.message').nth(number)
		.getByText(words).last().waitFor();

	test('two messages, the second with tools of the server', async () => {
		await send(text);
		await answer(1, TEXT);
		await send(tools);
		await answer(3, 'It is ticket 1.');
		assert.equal(await page.locator('.message').nth(3).getByText('query_data: done').count(), 2);
		assert.deepEqual(shown.faults, []);
	});

	test('an answer again', async () => {
		await page.locator('.message').nth(3).getByRole('button', { name: 'Again' }).click();
		const { body: { items: [{ conversationId }] } } = await call('GET',
			'/conversations?pageSize=1');
		const last = async () => (await call('GET',
			`/conversations/${conversationId}/messages`)).body.items[0];

		for (const end = Date.now() + 20000; (await last()).variantCount !== 2;)
			assert.ok(Date.now() < end, 'the answer has no second variant');
		await answer(3, 'It is ticket 1.');
		assert.equal(await page.locator('.message').count(), 4);
	});

	test('Stop, and the next message', async () => {
		await send(endless);
		await answer(5, /\w{3}/);
		await page.getByRole('button', { name: 'Stop' }).click();
		await send(text);
		await answer(7, TEXT);
		assert.deepEqual(shown.faults, []);
	});
});
