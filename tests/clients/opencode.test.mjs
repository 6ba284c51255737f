// SPDX-License-Identifier: MIT
// opencode, an agent that edits files, with an agent of Lamplighter as its model: the
// tools of the editor run at the client, the dataset's on the server, in one turn.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { call, token, url } from './common.mjs';

const opencode = join(dirname(createRequire(import.meta.url).resolve(
	`opencode-linux-${process.arch}/package.json`)), 'bin', 'opencode');

const CONFIG = {
	autoupdate: false,
	share: 'disabled',
	model: 'lamplighter/lab/editor',
	permission: { edit: 'allow' },
	provider: { lamplighter: {
		npm: '@ai-sdk/openai-compatible',
		options: { baseURL: `${url}/openai/v1`, apiKey: token },
		models: { 'lab/editor': { name: 'Editor', tool_call: true } },
	} },
};

// One run in a directory of its own: what it printed, as events.
async function run(dir, message)
{
	const child = spawn(opencode, ['run', '--format', 'json', '--title', 'Test', message], {
		cwd: dir, stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: join(dir, 'data'),
			XDG_CONFIG_HOME: join(dir, 'config'), XDG_CACHE_HOME: join(dir, 'cache'),
			XDG_STATE_HOME: join(dir, 'state'), OPENCODE_DISABLE_MODELS_FETCH: '1',
			OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
			OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' },
	});
	let out = '', err = '';

	child.stdout.on('data', (d) => { out += d; });
	child.stderr.on('data', (d) => { err += d; });
	const code = await new Promise((done) => child.on('close', done));
	assert.equal(code, 0, `${code}\n${out}\n${err}`);
	return out.trim().split('\n').map((line) => JSON.parse(line));
}

test('opencode: a file is edited by what the dataset says', { timeout: 120000 }, async () => {
	const dir = await mkdtemp(join(tmpdir(), 'opencode-'));
	const file = join(dir, 'notes.md');

	try {
		await writeFile(join(dir, 'opencode.json'), JSON.stringify(CONFIG));
		const events = await run(dir, 'Write the first ticket down.');
		assert.equal(await readFile(file, 'utf8'), 'T1');
		const parts = events.map(({ part }) => part);
		// The dataset was asked on the server: the editor knows of its own tool only.
		assert.deepEqual(parts.filter((p) => p.type === 'tool').map((p) => p.tool), ['write']);
		assert.deepEqual(parts.filter((p) => p.type === 'text').map((p) => p.text.trim()).at(-1),
			'Done.');
		const { body: { items: [made] } } = await call('GET', '/conversations?clients=true&agentId=editor');
		const { body: { items } } = await call('GET',
			`/conversations/${made.conversationId}/messages?include=steps`);
		assert.deepEqual(items.filter((m) => m.role === 'tool').map((m) => m.toolName ?? m.metadata.toolName)
			.toSorted(), ['query_data', 'write']);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
});
