// SPDX-License-Identifier: MIT
// The list of conversations, and long threads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, base, conversation, open, openChat, say, script, unique } from './browser.mjs';
import { violations } from './axe.mjs';
import { Conversations } from '../../www/js/store/conversations.js';
import { Pages } from '../../www/js/store/pages.js';

const titles = (page) => page.locator('.row-title').allInnerTexts();

test('a hit of the search is shown where its words stand, and they are marked', async (t) => {
	const word = unique('kingfisher');
	const lines = Array.from({ length: 150 }, (_, n) => `Line ${n} of it, which is about a heron.`);
	const id = await conversation(unique('birds'));

	lines[120] = `Here a **${word}** and a \`heron\` meet, as ${word}s do.`;
	const asked = unique('osprey');

	await say(id, script({ text: lines.join('\n\n') }));
	await say(id, `${'a line\n'.repeat(80)}${asked} & <b>heron</b>`);
	const page = await openChat(t);
	const see = async (word, ...others) => {
		await page.fill('.search-field', [word, ...others].join(' '));
		await page.locator('.found mark', { hasText: word }).first().waitFor();
		await page.locator('.found .row-link').first().click();
		await page.waitForFunction(() => CSS.highlights.get('found')?.size > 0);
		await page.waitForFunction((text) => [...CSS.highlights.get('found')].some((range) => {
			const { top, bottom, height } = range.getBoundingClientRect();
			const view = document.querySelector('lamp-thread').getBoundingClientRect();

			return range.toString().toLowerCase() === text && height > 0 && top > view.top && bottom < view.bottom;
		}), word);
		return page.evaluate(() => [...CSS.highlights.get('found')].map((range) => range.toString()));
	};

	assert.deepEqual([...new Set(await see(word, 'heron'))].sort(), ['heron', word]);
	// a long question is folded
	assert.deepEqual(await see(asked), [asked]);
	assert.equal(await page.locator('.message-user.shown .bubble.folded').count(), 0);
	// it is marked as long as it is what the address says
	await page.reload();
	await page.waitForFunction(() => CSS.highlights.get('found')?.size > 0);
	await page.getByRole('button', { name: 'New chat' }).first().click();
	await page.waitForSelector('.suggestion');
	assert.equal(await page.evaluate(() => CSS.highlights.has('found')), false);
});

test('rename and delete from the menu of a row', async (t) => {
	const title = unique('rename');
	const id = await conversation(title);
	const page = await openChat(t);
	const row = page.locator('.row', { hasText: title });

	await row.hover();
	await row.getByRole('button', { name: /Actions for/ }).click();
	await page.getByRole('menuitem', { name: 'Rename' }).click();
	const renamed = `${title} <b>&amp;</b>`;

	await page.fill('.rename-field', renamed);
	await page.press('.rename-field', 'Enter');
	const fresh = page.locator('.row', { hasText: renamed });

	await fresh.waitFor();
	await page.waitForFunction((text) => document.querySelector('[role=status]')
		.textContent.includes(text), renamed);
	assert.equal((await api('GET', `conversations/${id}`)).title, renamed);

	await fresh.locator('.row-link').click();
	await page.waitForFunction((text) =>
		document.querySelector('.main-title h1').textContent === text, renamed);
	await page.locator('.main-head').getByRole('button', { name: /Actions/ }).click();
	await page.getByRole('menuitem', { name: 'Delete' }).click();
	await page.getByRole('button', { name: 'Cancel' }).click();
	assert.equal(await fresh.count(), 1);
	await page.locator('.main-head').getByRole('button', { name: /Actions/ }).click();
	await page.getByRole('menuitem', { name: 'Delete' }).click();
	await page.getByRole('button', { name: 'Delete', exact: true }).click();
	await fresh.waitFor({ state: 'detached' });
	// the deleted one was open: a new chat takes its place
	await page.waitForSelector('.empty');
	await assert.rejects(api('GET', `conversations/${id}`), /404/);
});

test('a new title that is refused goes back, also where it is pinned', async (t) => {
	const title = unique('kept');
	const id = await conversation(title);

	await api('PATCH', `conversations/${id}`, { pinned: true });
	const page = await openChat(t);
	const row = page.locator('.row', { hasText: title });

	await page.route('**/conversations/*', (route) => (route.request().method() === 'PATCH' ?
		route.fulfill({ status: 500, json: { code: 'internal', detail: 'no' } }) : route.continue()));
	await row.locator('.row-link').press('F2');
	await page.fill('.rename-field', 'other');
	await page.press('.rename-field', 'Enter');
	await page.waitForSelector('.send-error, [role=alert]');
	assert.deepEqual(await row.count(), 1);
});

test('search by title, and the list loads on as it is scrolled', async (t) => {
	const word = unique('drawer');

	await Promise.all(Array.from({ length: 45 }, (_, i) => conversation(`${word}${i}`)));
	const page = await openChat(t);

	await page.fill('.search-field', word);
	await page.waitForFunction((text) => {
		const rows = [...document.querySelectorAll('.row-title')];

		return rows.length >= 40 && rows.every((row) => row.textContent.includes(text));
	}, word);
	// the list scrolls by itself and ends above the foot
	assert.ok(await page.evaluate(() => {
		const list = document.querySelector('.list-scroll');
		const foot = document.querySelector('.side-foot').getBoundingClientRect();

		return list.scrollHeight > list.clientHeight &&
			list.getBoundingClientRect().bottom <= foot.top;
	}));
	await page.locator('.row-title').last().scrollIntoViewIfNeeded();
	await page.waitForFunction(() => document.querySelectorAll('.row').length === 45);
	assert.equal(new Set(await titles(page)).size, 45);

	// one word: messages of other tests have a 4, too
	const heard = await page.evaluateHandle(() => {
		const region = document.querySelector('[role=status]');
		const all = [];

		new MutationObserver(() => all.push(region.textContent)).observe(region,
			{ childList: true, characterData: true, subtree: true });
		return all;
	});

	await page.fill('.search-field', `${word}4`);
	await page.waitForFunction(() => document.querySelectorAll('.row').length === 6);
	await page.waitForFunction((all) => all.some((text) => text.includes('6 conversations found')), heard);
	// not a word that messages of tests beside this one have
	await page.fill('.search-field', unique('nothing'));
	await page.waitForSelector('text=No title or message contains');
	await page.press('.search-field', 'Escape');
	await page.waitForFunction(() => document.querySelectorAll('.row').length >= 40);
});

test('chats of programs have a list of their own', async (t) => {
	const mine = unique('mine'), theirs = unique('theirs');

	await conversation(mine);
	const answer = await fetch(new URL('openai/v1/chat/completions', base), {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', 'X-Title': 'Some UI',
			'X-Requested-With': 'test' },
		body: JSON.stringify({ model: 'intranet',
			messages: [{ role: 'user', content: `${theirs} ${script({ text: 'Hello.' })}` }] }),
	});

	assert.equal(answer.status, 200);
	const page = await openChat(t);
	const shown = (title) => page.waitForSelector(`.row-title:has-text("${title}")`);

	await shown(mine);
	assert.equal(await page.locator(`.row-title:has-text("${theirs}")`).count(), 0);
	await page.click('.list-sides button:has-text("From programs")');
	await shown(theirs);
	assert.equal(await page.locator(`.row-title:has-text("${mine}")`).count(), 0);
	assert.match(await page.locator(`.row:has-text("${theirs}")`).first().innerText(), /Some UI/);
	await page.click(`.row-link:has-text("${theirs}")`);
	await page.waitForSelector('lamp-turn .answer:has-text("Hello.")');
	await page.click('.list-sides button:has-text("Mine")');
	await shown(mine);
	assert.equal(await page.locator(`.row-title:has-text("${theirs}")`).count(), 0);
});

test('search in messages leads to the message, however old it is', async (t) => {
	const word = unique('zebra');
	const id = await conversation(unique('animals'));

	await say(id, `${script({ text: 'It has stripes.' })}\nWhat of the ${word} <b>&amp;</b>?`);
	for (let n = 1; n <= 20; n++)
		await say(id, script({ text: `Answer ${n}.\n\nIts second line.` }));
	// They are indexed while the page waits.
	const page = await openChat(t);

	await page.fill('.search-field', word);
	await page.waitForSelector('.found mark');
	assert.equal(await page.locator('.found mark').innerText(), word);
	assert.match(await page.locator('.found-text').innerText(), /<b>&amp;<\/b>\?/);
	// when it was said
	assert.match(await page.locator('.found-when').innerText(), /\w{3}/);
	await page.waitForFunction(() =>
		/1 in messages/.test(document.querySelector('[role=status]').textContent));
	await page.press('.search-field', 'ArrowDown');
	await page.keyboard.press('Enter');
	await page.waitForSelector('.message-user.shown');
	assert.match(await page.locator('.message-user.shown').innerText(), new RegExp(word));
	await page.waitForFunction(() => {
		const { top, bottom } = document.querySelector('.shown').getBoundingClientRect();

		return top >= 0 && bottom <= innerHeight;
	});
	await page.press('.search-field', 'Escape');
	await page.waitForSelector('.found', { state: 'detached' });
});

test('a hit in a message is plain text, without the marks of Markdown', async (t) => {
	const word = unique('lynx');
	const id = await conversation(unique('marks'));

	await say(id, script({ text: `## Of cats\n\n- The **${word} has 96** in snake_case_name, _I am told ` +
		'by [the keeper](https://example.com/a_b_c)_, `code` <b>&amp;</b>.' }));
	const page = await openChat(t);

	await page.fill('.search-field', `"${word}"`);
	await page.waitForSelector('.found mark');
	assert.equal(await page.locator('.found mark').first().textContent(), word);
	assert.match((await page.locator('.found-text').first().textContent()).trim(), new RegExp(
		`The ${word} has 96 in snake_case_name, I am told by the keeper, code <b>&amp;</b>\\.`));
	assert.doesNotMatch(await page.locator('.found-text').first().textContent(), /[*`\u{10380}\u{10381}]|_I/u);
});

test('the list shows where something waits to be sent, and who comes back by it goes on writing', async (t) => {
	const [one, two] = [unique('kept'), unique('other')];
	const ids = [await conversation(one), await conversation(two)];
	const page = await openChat(t, { hash: `#/c/${ids[0]}` });
	const draft = (title) => page.locator('.row', { hasText: title }).getByRole('img', { name: 'not sent yet' });
	const field = page.locator('.composer-field');
	const focused = () => page.waitForFunction(() => document.activeElement.matches('.composer-field'));

	await field.fill('Not yet');
	await page.click(`.row-link:has-text("${two}")`);
	await draft(one).waitFor();
	await page.locator('.main-title', { hasText: two }).waitFor();
	await focused();
	assert.equal(await draft(two).count(), 0);
	assert.deepEqual(await violations(page, 'a list with a draft'), []);
	await page.reload();
	await draft(one).waitFor();
	await page.click(`.row-link:has-text("${one}")`);
	await focused();
	assert.equal(await field.inputValue(), 'Not yet');
	await draft(one).waitFor({ state: 'detached' });
	// back from a place, too
	await page.evaluate(() => { location.hash = '#/settings'; });
	await draft(one).waitFor();
	await page.click(`.row-link:has-text("${one}")`);
	await focused();
	// another tab sends it
	await page.click(`.row-link:has-text("${two}")`);
	await draft(one).waitFor();
	const other = await page.context().newPage();

	await other.goto(`${base}#/c/${ids[0]}`);
	await other.locator('.composer-field').fill('');
	await draft(one).waitFor({ state: 'detached' });
});

test('the end of a list in view loads nothing while something else is searched', async (t) => {
	const asked = [];
	const list = new Conversations({
		conversations: async ({ q, cursor }) => {
			asked.push([q, cursor]);
			return { items: [{ conversationId: `${q}${cursor}`, title: q }], nextCursor: 'next' };
		},
		searchConversations: async () => ({ pending: false, items: [] }),
	});

	t.mock.timers.enable({ apis: ['setTimeout'] });
	list.q = 'a';
	await list.reload();
	list.search('b');
	await list.more();
	assert.deepEqual(asked, [['a', '']]);
	t.mock.timers.tick(1000);
	for (let i = 0; i < 9; i++)
		await null;
	await list.more();
	assert.deepEqual(asked, [['a', ''], ['b', ''], ['b', 'next']]);
	assert.deepEqual(list.items.map(({ title }) => title), ['b', 'b']);
});

test('messages that are indexed late are found, while the list goes on', async (t) => {
	let asked = 0;
	const list = new Conversations({
		conversations: async ({ cursor }) => ({ items: [{ conversationId: cursor || 'first', title: 'x' }],
			nextCursor: cursor ? null : 'second' }),
		searchConversations: async () => (++asked < 9 ? { pending: true, items: [] } :
			{ pending: false, items: [{ messageId: 'm' }] }),
	});
	const later = async () => {
		t.mock.timers.tick(16000);
		for (let i = 0; i < 9; i++)
			await null;
	};

	t.mock.timers.enable({ apis: ['setTimeout'] });
	list.q = 'x';
	await list.reload();
	await list.more();
	assert.equal(list.items.length, 2);
	for (let i = 0; i < 20; i++)
		await later();
	assert.deepEqual([list.said.length, asked], [1, 9]);
	// what is not searched any more is not asked for
	asked = 0;
	await list.reload();
	list.q = 'y';
	await later();
	await later();
	assert.ok(asked <= 2);
});

test('a hit in a chat that is shown whole covers nothing of it', async (t) => {
	const word = unique('okapi');
	const id = await conversation(unique('short'));

	await say(id, `${script({ text: 'It has stripes, too.' })}\nWhat of the ${word}?`);
	const page = await openChat(t);

	await page.fill('.search-field', word);
	await page.waitForSelector('.found mark');
	await page.press('.search-field', 'ArrowDown');
	await page.keyboard.press('Enter');
	await page.waitForSelector('.message-user.shown');
	await page.locator('lamp-thread').evaluate((thread) => thread.updateComplete);
	assert.equal(await page.locator('.to-latest').count(), 0);
});

test('a long thread pages backwards and stays in place', async (t) => {
	const id = await conversation(unique('long'));
	const turns = 40;

	for (let n = 1; n <= turns; n++)
		await say(id, script({ text: `Answer ${n}.\n\nIts second line.` }));
	const page = await open(t, { hash: `#/c/${id}` });

	await page.waitForSelector('lamp-turn[newest] .answer');
	// opened at its end
	await page.waitForFunction(() => {
		const thread = document.querySelector('lamp-thread');

		return thread.scrollHeight - thread.scrollTop - thread.clientHeight < 4;
	});
	const count = () => page.locator('lamp-turn').count();

	assert.ok(await count() < turns);
	let moved = 0;

	for (let before = await count(); before < turns; before = await count()) {
		// the place of the turn that is read, before and after older ones come
		moved = Math.max(moved, await page.evaluate(() => new Promise((done) => {
			const thread = document.querySelector('lamp-thread');
			const held = document.querySelector('lamp-turn');
			const n = document.querySelectorAll('lamp-turn').length;
			let y = 0;
			const look = () => {
				if (document.querySelectorAll('lamp-turn').length > n) {
					// one frame later everything has its size
					requestAnimationFrame(() => requestAnimationFrame(() =>
						done(Math.abs(held.getBoundingClientRect().top - y))));
				} else {
					y = held.getBoundingClientRect().top;
					requestAnimationFrame(look);
				}
			};

			thread.scrollTop = 5;
			look();
		})));
	}
	assert.ok(moved < 3, `moved by ${moved} px`);
	assert.equal(await count(), turns);
	// those that nobody has come near to are drawn when the browser has time
	await page.waitForFunction((n) => document.querySelectorAll('.answer').length === n, turns);
	const answers = await page.locator('.answer p:first-child').allTextContents();

	assert.deepEqual(answers, Array.from({ length: turns }, (_, i) => `Answer ${i + 1}.`));
	await page.getByRole('button', { name: 'Go to the latest message' }).click();
	await page.waitForFunction(() => {
		const thread = document.querySelector('lamp-thread');

		return thread.scrollHeight - thread.scrollTop - thread.clientHeight < 4;
	});
});

test('of a long thread, what is near is drawn at once, and the rest when nobody scrolls', async (t) => {
	const id = await conversation(unique('far'));
	const turns = 80;

	for (let n = 1; n <= turns; n++)
		await say(id, script({ text: `Answer ${n}.\n\n${'It has some lines. '.repeat(n % 7 * 20)}` }));
	const page = await open(t, { hash: `#/c/${id}`, init: (one) => one.addInitScript(() => {
		const idle = [];

		globalThis.requestIdleCallback = (run) => idle.push(run);
		globalThis.beIdle = () => idle.splice(0).forEach((run) =>
			run({ timeRemaining: () => 50, didTimeout: false }));
		globalThis.isIdle = () => idle.length > 0;
	}) });
	const seen = () => page.evaluate(() => {
		const thread = document.querySelector('lamp-thread');
		const { top, bottom } = thread.getBoundingClientRect();

		return [...document.querySelectorAll('lamp-turn')].filter((turn) => {
			const box = turn.getBoundingClientRect();

			return box.bottom > top && box.top < bottom;
		}).map((turn) => turn.querySelectorAll('.answer').length);
	});
	const far = () => page.evaluate(() => [...document.querySelectorAll('lamp-turn')]
		.filter((turn) => !turn.querySelector('.answer')).length);

	await page.waitForSelector('lamp-turn[newest] .answer');
	// to the top as fast as it loads; what is seen there is drawn in the same frame
	await page.evaluate(() => new Promise((done) => {
		const thread = document.querySelector('lamp-thread');
		const next = () => {
			if (!thread.querySelector('.thread-top') && thread.scrollTop === 0) {
				done();
				return;
			}
			thread.scrollTop = 0;
			requestAnimationFrame(next);
		};

		next();
	}));
	await page.getByText('Answer 1.', { exact: true }).waitFor();
	assert.ok(await far() > 10, `${await far()} are not drawn`);
	assert.ok((await seen()).every((n) => n === 1));
	// anywhere else, too
	for (const place of [0.5, 0.3, 0.7]) {
		const drawn = await page.evaluate((at) => new Promise((done) => {
			const thread = document.querySelector('lamp-thread');

			thread.scrollTop = thread.scrollHeight * at;
			requestAnimationFrame(() => requestAnimationFrame(() => {
				const { top, bottom } = thread.getBoundingClientRect();

				done([...document.querySelectorAll('lamp-turn')].filter((turn) => {
					const box = turn.getBoundingClientRect();

					return box.bottom > top && box.top < bottom;
				}).every((turn) => turn.querySelector('.answer')));
			}));
		}), place);

		assert.ok(drawn);
	}
	// and what is read stays in place while the rest is drawn
	const place = () => page.evaluate(() => {
		const { top, bottom } = document.querySelector('lamp-thread').getBoundingClientRect();
		const turn = [...document.querySelectorAll('lamp-turn')].find((one) =>
			one.getBoundingClientRect().bottom > (top + bottom) / 2);

		return [turn.turn.key, Math.round(turn.getBoundingClientRect().top)];
	});
	const before = await place();

	while (await far() > 0) {
		await page.waitForFunction(() => globalThis.isIdle());
		await page.evaluate(() => globalThis.beIdle());
	}
	const after = await place();

	assert.equal(after[0], before[0]);
	assert.ok(Math.abs(after[1] - before[1]) < 3, `moved from ${before[1]} to ${after[1]}`);
	assert.equal(await page.locator('.answer').count(), turns);
});

test('all of a thread is drawn for paper', async (t) => {
	const id = await conversation(unique('paper'));

	for (let n = 1; n <= 70; n++)
		await say(id, script({ text: `Answer ${n}.` }));
	const page = await open(t, { hash: `#/c/${id}`, init: (one) => one.addInitScript(() => {
		globalThis.requestIdleCallback = () => 0;
	}) });

	await page.waitForSelector('lamp-turn[newest] .answer');
	await page.locator('.composer-field').evaluate((field) => field.blur());
	await page.keyboard.press('Home');
	await page.getByText('Answer 1.', { exact: true }).waitFor();
	const count = () => page.evaluate(() => [...document.querySelectorAll('lamp-turn')]
		.filter((turn) => !turn.querySelector('.answer')).length);

	assert.ok(await count() > 0);
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	assert.equal(await count(), 0);
});

/** A thread of turns with a question, a step, a tool row and an answer each, as the API pages it. */
function longThread(turns)
{
	const rows = Array.from({ length: turns * 4 }, (_, i) => ({
		messageId: `c.${i + 1}`, turnId: `t${i >> 2}`, content: `${i + 1}`, metadata: {},
		role: ['user', 'assistant', 'tool', 'assistant'][i % 4] }));
	const asked = [];

	return { rows, asked, messages: async (id, { cursor, before, pageSize = 50, include } = {}) => {
		const end = before ? before - 1 : cursor ? Number(cursor) - 1 : rows.length;
		const begin = Math.max(0, Math.min(end, rows.length) - pageSize);

		asked.push({ before, cursor });
		return { items: rows.slice(begin, end).reverse(),
			nextCursor: begin > 0 ? String(begin + 1) : null,
			...include.includes('conversation') && { conversation: { title: '', workspaceId: 'w' } } };
	} };
}

test('around a message far above nothing else is loaded; the gap fills to one thread', async () => {
	const numbers = (pages) => pages.turns.flatMap(({ rows }) =>
		rows.map(({ content }) => Number(content)));
	const api = longThread(250);
	const whole = Array.from({ length: 1000 }, (_, i) => i + 1);
	const messages = (id, page = {}) => api.messages(id, { include: 'steps', ...page });
	const pages = new Pages({ messages }, { conversationId: 'c' });

	await pages.load();
	await pages.loadAround(3);
	assert.equal(api.asked.length, 2);
	assert.deepEqual(numbers(pages).slice(0, 60), [...whole.slice(0, 52), ...whole.slice(950, 958)]);
	assert.equal(pages.nextCursor, null);
	assert.equal(pages.gap.at, pages.turns.find(({ rows }) => rows[0].content === '951'));
	// another one: the passage moves
	await pages.loadAround(500);
	assert.ok(numbers(pages).includes(500) && !numbers(pages).includes(3));
	await pages.loadOlder();
	const first = numbers(pages)[0];

	while (pages.gap)
		await pages.loadBetween();
	assert.deepEqual(numbers(pages), whole.slice(first - 1));
	await pages.loadUntil(() => false);
	assert.deepEqual(numbers(pages), whole);
	assert.equal(pages.turns.length, 250);
	// what is near is loaded page by page; a gap closes for who wants all of it
	const near = new Pages({ messages }, { conversationId: 'c' });

	await near.load();
	await near.loadAround(900);
	assert.equal(near.gap, null);
	await near.loadAround(10);
	await near.loadUntil(() => false);
	assert.deepEqual(numbers(near), whole);
	assert.equal(near.turns.length, 250);
});

test('the beginning of a long thread by a key, and by what is at its top', async (t) => {
	const id = await conversation(unique('long'));

	for (let i = 1; i <= 90; i++)
		await say(id, script({ text: `answer ${i}.` }));
	const page = await open(t, { hash: `#/c/${id}` });
	const pages = [];

	await page.getByText('answer 90.', { exact: true }).waitFor();
	page.on('request', (request) => {
		if (request.url().includes(`${id}/messages`))
			pages.push(request.url());
	});
	await page.locator('.composer-field').evaluate((field) => field.blur());
	await page.keyboard.press('Home');
	await page.getByText('answer 1.', { exact: true }).waitFor();
	assert.equal(await page.locator('lamp-thread').evaluate(({ scrollTop }) => scrollTop), 0);
	assert.equal(pages.length, 1);
	await page.keyboard.press('End');
	await page.getByText('answer 90.', { exact: true }).click();
	// In the field, the keys are the field's.
	await page.locator('.composer-field').fill('text');
	await page.keyboard.press('Home');
	assert.equal(await page.locator('.composer-field').evaluate(
		({ selectionStart }) => selectionStart), 0);
	await page.locator('.to-latest').waitFor({ state: 'detached' });

	await page.reload();
	await page.getByText('answer 90.', { exact: true }).waitFor();
	await page.locator('.thread-top button').evaluate((button) => button.click());
	await page.getByText('answer 1.', { exact: true }).waitFor();
});
