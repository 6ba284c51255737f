// SPDX-License-Identifier: MIT
// All places and plain pages in the pseudo-locales (docs/translating.md): ar-XB, which is
// written from the right and has no Latin letters, shows what does not come from a
// catalogue; en-XA, which is longer, what does not fit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, base, openChat, PHONE, placeHashes, script, unique, withoutNotices } from './browser.mjs';
import { cut, outside, untranslated } from './layout.mjs';

/** Members of answers that are texts of ours, in the language that was asked for. */
const OURS = ['label', 'help', 'what', 'heading', 'detail'];

/** Names and texts of people and the configuration, out of what the API answers. */
class Data {
	#found = new Set(['Lamplighter', 'Done.', 'rooms', 'none', 'query_data']);

	add(value, key = '')
	{
		if (typeof value === 'string' && !OURS.includes(key))
			this.#found.add(value.trim()).add(value.trim().replace(/\s+/g, ' '));	// as lists show it
		if (value && typeof value === 'object')
			for (const [name, one] of Object.entries(value))
				this.add(one, Array.isArray(value) ? key : name);
	}

	/** Before the page has an answer: events of the network may come after what it shows. */
	async watch(page)
	{
		await page.exposeFunction('dataCame', (text) => this.add(JSON.parse(text)));
		await page.addInitScript(() => {
			const { fetch } = globalThis;

			globalThis.fetch = async (...asked) => {
				const response = await fetch(...asked);

				if (/^application\/json/.test(response.headers.get('content-type') ?? ''))
					await globalThis.dataCame(await response.clone().text());
				return response;
			};
		});
	}

	all()
	{
		return [...this.#found].filter((text) => text.length > 1).sort((a, b) => b.length - a.length);
	}
}

/** But for what moves without an end, as the mark of a chat of another test that is running. */
const still = (page) => page.waitForFunction(() => document.getAnimations().every(({ playState, effect }) =>
	playState !== 'running' || effect.getComputedTiming().iterations === Infinity));

/** Goes to a place and waits until it stands. */
async function go(page, hash)
{
	await page.evaluate((to) => { location.hash = to; }, hash);
	await page.waitForFunction((to) => location.hash === to &&
		document.querySelector('.main h1')?.textContent.trim() &&
		// a list is there, so that what it names is known
		!document.querySelector('.main .spinner, .main .skeleton'), hash);
	await still(page);
}

async function shot(page, name)
{
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-${name.replace(/\W+/g, '-')}.png` });
}

const NEW = ['#/agents/new', '#/prompts/new', '#/knowledge-bases/new', '#/tasks/new', '#/tokens/new'];

for (const [locale, name, options] of [['ar-XB', 'wide', {}], ['ar-XB', 'phone', PHONE],
	['en-XA', 'wide', {}], ['en-XA', 'phone', PHONE]]) {
	test(`${locale}, ${name}: every text is of a catalogue, everything fits`, async (t) => {
		const data = new Data();
		const found = [];
		const page = await openChat(t, { ...options, locale, init: async (one) => {
			await withoutNotices(one);	// of what tests beside this one make
			await data.watch(one);
		} });
		const look = async (where) => {
			const problems = [...await page.evaluate(outside), ...await page.evaluate(cut),
				...locale === 'ar-XB' ? await page.evaluate(untranslated, data.all()) : []];

			found.push(...problems.map((one) => `${where}: ${one}`));
			await shot(page, `${locale}-${name}-${where}`);
		};

		assert.deepEqual(await page.evaluate(() => [document.documentElement.lang,
			document.documentElement.dir]), [locale, locale === 'ar-XB' ? 'rtl' : 'ltr']);
		await look('empty');
		await ask(page, script({ reasoning: 'Thinking.', tool_calls: [
			{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } },
			{ name: 'query_data', args: { dataset: 'none' } }], then: { text: 'Done.' } }));
		await look('thread');
		if (options === PHONE)
			await page.locator('.drawer-open').click();
		await still(page);
		await look('side');
		await page.locator('.places .menu-button').click();
		await page.locator('.places [role=menuitem]').first().waitFor();
		await look('places');
		await page.keyboard.press('Escape');
		for (const hash of [...await placeHashes(page), ...NEW]) {
			await go(page, hash);
			await look(hash);
		}
		assert.deepEqual([...new Set(found)], []);
	});
}

test('what people wrote keeps its own direction, and its beginning, in lists too', async (t) => {
	const page = await openChat(t, { locale: 'ar-XB' });

	await ask(page, script({ text: 'Done.' }));
	const title = page.locator('.row-title').first();

	assert.deepEqual(await title.evaluate((el) => [getComputedStyle(el).direction,
		// in a list of another direction
		getComputedStyle(el.parentElement).direction]), ['ltr', 'rtl']);
	assert.ok(await title.evaluate((el) => {
		const range = document.createRange();

		range.setStart(document.createTreeWalker(el, NodeFilter.SHOW_TEXT).nextNode(), 0);
		return range.getBoundingClientRect().left >= el.getBoundingClientRect().left - 1;
	}));
	assert.equal(await page.locator('.composer-field').evaluate((el) =>
		getComputedStyle(el).direction), 'rtl');
	await page.fill('.composer-field', 'Latin');
	assert.equal(await page.locator('.composer-field').evaluate((el) =>
		getComputedStyle(el).direction), 'ltr');
});

test('plain pages: every text is of a catalogue, and they are mirrored', async (t) => {
	const data = new Data();
	const found = [];
	const page = await openChat(t, { locale: 'ar-XB', init: (one) => data.watch(one) });

	await ask(page, script({ tool_calls: [{ name: 'query_data', args: { dataset: 'rooms', limit: 3 } }],
		then: { text: 'Done.' } }));
	const id = /#\/c\/([-0-9a-f]{36})/.exec(page.url())[1];
	const project = await api('POST', 'projects', { name: unique('plain') });

	// the demo's own fields, whose names come with our own
	data.add([project, 'Effort', 'Hours of work.', 'Area', 'Who it is for.']);
	for (const hash of await placeHashes(page))
		await go(page, hash);
	for (const path of ['', 'new', 'prompts?conversation=', 'projects', `projects/${project.id}`,
		`projects/${project.id}/tasks`, 'memories', 'settings', `conversations/${id}`,
		`conversations/${id}/edit`, `conversations/${id}/change?message=1`, 'mentions?conversation=&q=zzzz',
		'conversations/00000000-0000-4000-8000-000000000000', 'nowhere']) {
		await page.goto(`${base}plain/${path}`);
		for (const list of ['projects', 'prompts', 'memories'])
			data.add(await api('GET', `${list}?pageSize=100`));	// of tests beside this one, too
		assert.deepEqual(await page.evaluate(() => [document.documentElement.lang,
			document.documentElement.dir]), ['ar-XB', 'rtl']);
		found.push(...[...await page.evaluate(untranslated, data.all()), ...await page.evaluate(outside)]
			.map((one) => `${path}: ${one}`));
		await shot(page, `plain-${path}`);
	}
	assert.deepEqual([...new Set(found)], []);
});
