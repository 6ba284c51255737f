// SPDX-License-Identifier: MIT
// Agents that write programs, with an agent of Lamplighter as their model: its answer asks
// the dataset on the server, then has the client write that down with its own tool. See
// install.mjs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { token, url } from '../common.mjs';
import { install, path } from './install.mjs';

const base = `${url}/openai/v1`;
const options = { timeout: 900000 };	// npm installs hundreds of packages
// Where the scripts of run have the clients write: a file each.
const work = process.env.LAMPLIGHTER_WORK;

// Runs a program of a package in a home of its own with these files. Returns what it printed.
async function run(name, dir, program, args, files, env = {})
{
	const home = join(work, `${name}-home`);

	for (const [file, text] of Object.entries(files)) {
		await mkdir(dirname(join(home, file)), { recursive: true });
		await writeFile(join(home, file), text);
	}
	await mkdir(home, { recursive: true });
	const child = spawn(join(dir, 'node_modules', '.bin', program), args, {
		cwd: work, stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: path, HOME: home, LAMPLIGHTER_TOKEN: token, CI: 'true', ...env },
	});
	const timer = setTimeout(() => child.kill('SIGKILL'), 120000);
	let out = '';

	child.stdout.on('data', (d) => { out += d; });
	child.stderr.on('data', (d) => { out += d; });
	const code = await new Promise((done) => child.on('close', done));
	clearTimeout(timer);
	await rm(home, { recursive: true, force: true });
	assert.equal(code, 0, out);
	return out;
}

async function wrote(name)
{
	const file = join(work, name);
	const text = await readFile(file, 'utf8');

	await rm(file);
	return text.trim();
}

test('Codex: through Responses, with a command', options, async () => {
	const out = await run('codex', install('@openai/codex@0.171.0'), 'codex', ['exec',
		'--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox',
		'Write the first ticket down.'], { '.codex/config.toml': `
model = "lab/codex"
model_provider = "lamplighter"
[model_providers.lamplighter]
name = "Lamplighter"
base_url = "${base}"
env_key = "LAMPLIGHTER_TOKEN"
wire_api = "responses"
` });

	assert.equal(await wrote('codex.md'), 'T1', out);
	assert.match(out, /Done\./);
});

for (const api of ['openai-completions', 'openai-responses'])
	test(`pi: ${api}`, options, async () => {
		const models = { providers: { lamplighter: { baseUrl: base, api, apiKey: token, models: [{
			id: 'lab/pi', name: 'Pi', reasoning: false, input: ['text'], contextWindow: 128000,
			maxTokens: 4096, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }] } } };
		const out = await run('pi', install('@earendil-works/pi-coding-agent@1.6.0'), 'pi',
			['-p', '--provider', 'lamplighter', '--model', 'lab/pi', 'Write the first ticket down.'],
			{ '.pi/agent/models.json': JSON.stringify(models) });

		assert.equal(await wrote('pi.md'), 'T1', out);
		assert.match(out, /Done\./);
	});

test('Qwen Code', options, async () => {
	const out = await run('qwen', install('@qwen-code/qwen-code@0.24.4'), 'qwen',
		['--yolo', '--auth-type', 'openai', '-p', 'Write the first ticket down.'], {},
		{ OPENAI_BASE_URL: base, OPENAI_API_KEY: token, OPENAI_MODEL: 'lab/qwen' });

	assert.equal(await wrote('q'), 'T1', out);
	assert.match(out, /Done\./);
});

test('Continue\'s command line', options, async () => {
	const out = await run('continue', install('@continuedev/cli@1.5.47'), 'cn',
		['--auto', '-p', 'Write the first ticket down.'], { '.continue/config.yaml': `
name: Lamplighter
version: 1.0.0
schema: v1
models:
  - name: Lamplighter
    provider: openai
    model: lab/cn
    apiBase: ${base}
    apiKey: ${token}
    roles: [chat, edit]
    capabilities: [tool_use]
` });

	assert.equal(await wrote('cn.md'), 'T1', out);
	assert.match(out, /Done\./);
});

test('promptfoo: chat completions, Responses, vectors', options, async () => {
	const config = { apiBaseUrl: base, apiKey: token };
	const out = await run('promptfoo', install('promptfoo@0.123.1'), 'promptfoo', ['eval',
		'--no-cache', '--no-progress-bar', '--no-table', '-c', join(work, 'promptfoo-home/eval.json')], {
		'eval.json': JSON.stringify({
			prompts: ['file://prompt.txt'],
			providers: ['chat', 'responses'].map((kind) => ({
				id: `openai:${kind}:lab/helper`, config })),
			defaultTest: { options: { provider: { embedding: {
				id: 'openai:embedding:vectors', config } } } },
			tests: [{ assert: [{ type: 'contains', value: 'Paris' },
				{ type: 'similar', value: 'Paris is the capital.', threshold: 0.9 }] }],
		}),
		'prompt.txt': '!script {"text":"Paris is the capital."}',
	}, { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1' });

	assert.match(out, /2 passed/);
});
