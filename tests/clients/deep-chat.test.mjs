// SPDX-License-Identifier: MIT
// deep-chat, a chat for any page, in a real browser with OpenAI's Responses API, which is
// its default, and with chat completions.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TEXT, script, token, url } from './common.mjs';
import { open, packaged } from './page.mjs';

// It loses an answer that is there at once ("No valid stream events were sent").
const paced = script({ text: TEXT, rate: 20 });
const PAGE = `
const chat = document.createElement('deep-chat');
Object.assign(chat, globalThis.given);
chat.onMessage = ({ message }) => {
	globalThis.said = [...globalThis.said || [], [message.role, message.text]];
};
chat.onError = (error) => { globalThis.failed = String(error); };
document.getElementById('root').append(chat);
globalThis.ready = () => !!chat.submitUserMessage;
globalThis.send = (text) => chat.submitUserMessage({ text });
`;

test('deep-chat', async (t) => {
	const page = await packaged('deep-chat/dist/deepChat.bundle.js') + PAGE;

	for (const [what, path, service] of [
		['Responses', 'responses', { chat: { model: 'lab/helper' } }],
		// It reads the model of these from `chat`, too.
		['chat completions', 'chat/completions', { completions: true, chat: { model: 'lab/helper' } }],
	])
		for (const stream of [true, false])
			await t.test(`${what}${stream ? ', streamed' : ''}`, async () => {
				const { page: shown, faults, close } = await open(page, {
					directConnection: { openAI: { key: token, ...service } },
					connect: { url: `${url}/openai/v1/${path}`, stream },
				});

				try {
					await shown.waitForFunction(() => globalThis.ready?.());
					for (let n = 2; n <= 4; n += 2) {
						await shown.evaluate((said) => globalThis.send(said), paced);
						await shown.waitForFunction((all) => globalThis.failed ||
							globalThis.said?.length >= all, n);
						assert.equal(await shown.evaluate(() => globalThis.failed), undefined);
						const said = await shown.evaluate(() => globalThis.said);
						assert.deepEqual(said.at(-1), ['ai', TEXT]);
					}
					assert.deepEqual(faults, []);
				} finally {
					await close();
				}
			});
});
