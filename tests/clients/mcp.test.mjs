// SPDX-License-Identifier: MIT
// The official MCP clients, of both eras, against {base}/api/v1/mcp.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { api, headers, script, token } from './common.mjs';

const address = () => new URL(`${api}/mcp/lab`);
const info = { name: 'desk', version: '1' };

async function tries(client) {
	const { tools } = await client.listTools();
	const names = tools.map((t) => t.name);
	assert.ok(names.includes('query_data') && names.includes('ask_agent'));
	const rows = await client.callTool({ name: 'query_data', arguments: {
		dataset: 'tickets', select: ['id'], limit: 1 } });
	assert.match(rows.content[0].text, /1/);
	const said = await client.callTool({ name: 'ask_agent', arguments: {
		message: script({ text: 'Good day.' }) } });
	assert.equal(said.content[0].text, 'Good day.');
	const { resources } = await client.listResources();
	assert.ok(resources.some((r) => r.uri === 'lamplighter:dataset:tickets'));
	const read = await client.readResource({ uri: 'lamplighter:dataset:tickets' });
	assert.ok(read.contents[0].text);
	await client.listResourceTemplates();
	await client.listPrompts();
	await assert.rejects(client.getPrompt({ name: 'nope' }), /no such prompt/);
	const refused = await client.callTool({ name: 'query_data', arguments: { dataset: 5 } });
	assert.ok(refused.isError);
}

test('with initialize, as most programs of 2025', async () => {
	const client = new OldClient(info);
	await client.connect(new OldTransport(address(), { requestInit: { headers } }));
	assert.equal(client.getServerVersion().name, 'lamplighter');
	await client.ping();
	await tries(client);
	const no = await client.callTool({ name: 'wipe', arguments: {} });
	assert.match(no.content[0].text, /tool_not_approved/);
	await client.close();
});

test('2026-07-28: each request says all, and a form asks the user', async () => {
	const client = new Client(info, {
		capabilities: { elicitation: { form: {} } },
		versionNegotiation: { mode: 'auto' },
	});
	const asked = [];
	let answer = { action: 'accept', content: { approve: true } };
	client.setRequestHandler('elicitation/create', async (request) => {
		asked.push(request.params.message);
		return answer;
	});
	await client.connect(new StreamableHTTPClientTransport(address(), {
		requestInit: { headers } }));
	assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
	await tries(client);
	const done = await client.callTool({ name: 'wipe', arguments: {} });
	assert.equal(done.content[0].text, 'wiped');
	answer = { action: 'decline' };
	const no = await client.callTool({ name: 'wipe', arguments: {} });
	assert.match(no.content[0].text, /tool_not_approved/);
	assert.equal(asked.length, 2);
	assert.match(asked[0], /wipe/);
	await client.close();
});

test('a program that starts its servers: lamplighter mcp serve', async () => {
	const client = new OldClient(info);
	await client.connect(new StdioClientTransport({
		command: `${process.env.LAMPLIGHTER_BUILD}/lamplighter`,
		args: ['mcp', 'serve', `${api}/mcp/lab`],
		env: { LAMPLIGHTER_TOKEN: token },
	}));
	await tries(client);
	await client.close();
});

test('a wrong token is a plain refusal, without a search for an authorization server', async () => {
	for (const [Kind, Transport] of [[Client, StreamableHTTPClientTransport], [OldClient, OldTransport]]) {
		const asked = [];
		const transport = new Transport(address(), {
			requestInit: { headers: { Authorization: 'Bearer lamp_wrong' } },
			fetch: (to, init) => {
				asked.push(String(to));
				return fetch(to, init);
			},
		});
		await assert.rejects(new Kind(info).connect(transport), /401|[Uu]nauth/);
		assert.deepEqual(new Set(asked), new Set([String(address())]));
	}
});
