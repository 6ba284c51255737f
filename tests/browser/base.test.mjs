// The page below a path of its own, one with a blank in it: an instance of its
// own, which lamp starts for this test.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ask, ended, openChat, reading } from './browser.mjs';

const LAMP = fileURLToPath(new URL('../../lamp', import.meta.url));
const run = promisify(execFile);
let state = '';
let url = '';

function lamp(...args)
{
	return run(LAMP, args, { env: { ...process.env, LAMP_VAR: state } });
}

before(async () => {
	state = await mkdtemp(path.join(tmpdir(), 'lamp-page-'));
	const { stdout } = await lamp('up', '--yes', '--llm', 'demo',
		'--base', '/intranet/ai chat');

	[, url] = /running: (\S+)/.exec(stdout);
});

after(async () => {
	await lamp('down');
	await rm(state, { recursive: true, force: true });
});

test('chat, reload and address under /intranet/ai chat/', async (t) => {
	assert.match(url, /\/intranet\/ai%20chat\/$/);
	const page = await openChat(t, { url });

	await ask(page, 'How many tickets are open?');
	const shown = await reading(page);

	assert.match(shown, /open tickets/);
	assert.match(page.url(), /\/intranet\/ai%20chat\/#\/c\/[0-9a-f-]{36}$/);
	await page.reload();
	await ended(page);
	assert.equal(await reading(page), shown);
	await page.goto(url.slice(0, -1));
	await page.waitForSelector('.composer-field');
	assert.ok(page.url().startsWith(url));
});
