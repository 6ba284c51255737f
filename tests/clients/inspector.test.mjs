// SPDX-License-Identifier: MIT
// The command line of the MCP Inspector against POST /mcp/{workspace}: the tools that the
// agent has in a chat (opencode.test.mjs), and the agent itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { TEXT, api, text, token } from './common.mjs';

const cli = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/@modelcontextprotocol',
	'inspector/clients/cli/build/index.js');

async function inspect(...args)
{
	const { stdout } = await promisify(execFile)(process.execPath, [cli, `${api}/mcp/lab`,
		'--transport', 'http', '--header', `Authorization: Bearer ${token}`, '--method', ...args]);

	return JSON.parse(stdout);
}

test('inspector: the tools of the agent', async () => {
	const { tools } = await inspect('tools/list', '--strict');
	const names = tools.map((t) => t.name);

	for (const name of ['describe_dataset', 'query_data', 'ask_agent'])
		assert.ok(names.includes(name), name);
	assert.ok(tools.every((t) => t.inputSchema.type === 'object' && t.annotations));
});

test('inspector: a call reads the dataset', async () => {
	const { content: [{ text: said }], isError } = await inspect('tools/call', '--tool-name',
		'query_data', '--tool-arg', 'dataset=tickets', 'limit=1');

	assert.equal(isError, false);
	assert.deepEqual(JSON.parse(said).rows, [[1, 'Ticket 1']]);
});

test('inspector: an agent is asked', async () => {
	const { content: [{ text: said }] } = await inspect('tools/call', '--tool-name', 'ask_agent',
		'--tool-arg', `message=${text}`);

	assert.equal(said, TEXT);
});

test('inspector: a resource is read', async () => {
	const { contents: [{ text: said }] } = await inspect('resources/read', '--uri',
		'lamplighter:dataset:tickets');

	assert.equal(JSON.parse(said).dataset, 'tickets');
});
