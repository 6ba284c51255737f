// SPDX-License-Identifier: MIT
// The page as it is laid out for a language that is written from the right: the text stays
// English, only the direction is turned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, openChat, PHONE, placeHashes, script } from './browser.mjs';
import { outside } from './layout.mjs';

const TEXT = 'One `code` word.\n\n- item\n  - inner\n\n> quoted\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n' +
	'```js\nlet a = 1;\n```\n\n1. first\n2. second\n';
const WIDE = `|${Array.from({ length: 20 }, (_, n) => ` column ${n} |`).join('')}\n|${'--|'.repeat(20)}\n` +
	`|${' some words |'.repeat(20)}\n`;

for (const [name, options] of [['wide', {}], ['on a phone', PHONE]]) {
	test(`all places are mirrored, ${name}`, async (t) => {
		const page = await openChat(t, options);

		await page.evaluate(() => { document.documentElement.dir = 'rtl'; });
		await ask(page, script({ text: TEXT }));
		assert.deepEqual(await page.evaluate(outside), []);
		await ask(page, script({ text: `${WIDE}\n${WIDE.replaceAll('column', 'עמודה').replaceAll('some', 'כמה')}` }));
		assert.deepEqual(await page.locator('.table-scroll:has(th:nth-child(20))').evaluateAll((all) =>
			all.map((box) => {
				const [first, whole] = [box.querySelector('th'), box].map((el) => el.getBoundingClientRect());

				return [box.scrollWidth > box.clientWidth, first.left >= whole.left - 2 && first.right <= whole.right + 2];
			})), [[true, true], [true, true]], 'a wide table begins with its first column');
		const at = (selector) => page.locator(selector).first().boundingBox();
		const send = await at('.send-button');
		const clip = await at('.composer-bar .icon-button');
		const bubble = await at('.bubble');
		const avatar = await at('.avatar');

		assert.ok(send.x < clip.x, 'the button that sends is on the left');
		assert.ok(bubble.x < avatar.x, 'questions are on the left, answers on the right');
		if (process.env.SHOT)
			await page.screenshot({ path: `${process.env.SHOT}-rtl-${name.slice(-5)}.png` });
		if (options === PHONE)
			await page.locator('.drawer-open').click();
		const side = await at('.side');

		await page.waitForFunction(() =>
			document.querySelector('.side').getBoundingClientRect().right > innerWidth - 1);
		assert.ok(side.width > 100);
		const hashes = await placeHashes(page);

		for (const hash of [...hashes, '#/agents/new', '#/prompts/new']) {
			await page.evaluate((to) => { location.hash = to; }, hash);
			await page.waitForFunction((to) => location.hash === to &&
				document.querySelector('.main h1')?.textContent.trim() &&
				!document.querySelector('.main .spinner'), hash);
			await page.waitForFunction(() => document.getAnimations().every(({ playState }) =>
				playState !== 'running'));
			assert.deepEqual(await page.evaluate(outside), [], hash);
			if (process.env.SHOT)
				await page.screenshot({ path: `${process.env.SHOT}-rtl-${name.slice(-5)}-${
					hash.replace(/\W+/g, '')}.png` });
		}
	});
}
