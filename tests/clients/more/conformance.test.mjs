// SPDX-License-Identifier: MIT
// The official suite for MCP servers: the scenarios that docs/mcp-server.md names. See
// install.mjs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { api, call, headers } from '../common.mjs';
import { install, path } from './install.mjs';

const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'tools-call-simple-text',
	'tools-call-error', 'resources-list', 'prompts-list', 'prompts-get-simple',
	'prompts-get-with-args', 'completion-complete', 'server-sse-multiple-streams'];
const PROMPTS = {
	test_simple_prompt: 'This is a simple prompt for testing.',
	test_prompt_with_arguments: 'Prompt with arguments: arg1=\'{{arg1}}\', arg2=\'{{arg2}}\'',
};

describe('MCP conformance', { timeout: 900000 }, () => {
	let dir, proxy;

	before(async () => {
		dir = install('@modelcontextprotocol/conformance@0.1.16');
		for (const [name, body] of Object.entries(PROMPTS)) {
			const { status } = await call('POST', '/prompts', { name, body, description: 'Of the suite.' });
			assert.equal(status, 201);
		}
		// The suite has no tokens.
		proxy = createServer((from, to) => {
			const there = request(api + from.url, { method: from.method,
				headers: { ...from.headers, ...headers, host: new URL(api).host } },
			(answer) => {
				to.writeHead(answer.statusCode, answer.headers);
				answer.pipe(to);
			});

			from.pipe(there);
		});
		await new Promise((done) => { proxy.listen(0, '127.0.0.1', done); });
	}, { timeout: 900000 });
	after(() => {
		proxy?.closeAllConnections();
		proxy?.close();
	});

	for (const scenario of SCENARIOS)
		test(scenario, async () => {
			const child = spawn(join(dir, 'node_modules', '.bin', 'conformance'),
				['server', '--url', `http://127.0.0.1:${proxy.address().port}/mcp/lab`,
					'--scenario', scenario],
				{ cwd: dir, env: { ...process.env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
			let out = '';

			child.stdout.on('data', (d) => { out += d; });
			child.stderr.on('data', (d) => { out += d; });
			const code = await new Promise((done) => child.on('close', done));
			assert.equal(code, 0, out);
		});
});
