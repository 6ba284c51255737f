// SPDX-License-Identifier: MIT
// An MCP server of both protocol eras on the official SDK: over HTTP on a free
// port (prints "listening on PORT"), or with the argument stdio over stdio.
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const schema = (properties, required = Object.keys(properties)) =>
	fromJsonSchema({ type: 'object', properties, required });

function build({ era, requestInfo }) {
	const server = new McpServer({ name: 'dual', version: '1.0.0' });

	server.registerTool('era', { description: 'Says in which era it was asked.',
		inputSchema: schema({}), annotations: { readOnlyHint: true } },
	async () => ({ content: [{ type: 'text', text: era }] }));
	server.registerTool('add', { description: 'Adds two numbers.',
		inputSchema: schema({ a: { type: 'number' }, b: { type: 'number' } }) },
	async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
	server.registerTool('region', { description: 'Echoes the header of its argument.',
		inputSchema: schema({ region: { type: 'string', 'x-mcp-header': 'Region' } }) },
	async ({ region }) => ({ content: [{ type: 'text', text: JSON.stringify(
		[region, requestInfo?.headers.get('mcp-param-region') ?? null,
			requestInfo?.headers.get('mcp-name') ?? null]) }] }));
	server.registerTool('slow', { description: 'Tells its progress.', inputSchema: schema({}) },
	async (_, ctx) => {
		const progressToken = ctx.mcpReq._meta?.progressToken;
		for (const progress of [1, 2, 3])
			await ctx.mcpReq.notify({ method: 'notifications/progress',
				params: { progressToken, progress, total: 3, message: `step ${progress}` } });
		return { content: [{ type: 'text', text: 'slowly done' }] };
	});
	server.registerTool('fail', { description: 'Fails.', inputSchema: schema({}) },
	async () => ({ isError: true, content: [{ type: 'text', text: 'it did not work' }] }));
	return server;
}

if (process.argv[2] === 'stdio') {
	serveStdio(build);
} else {
	const server = createServer(toNodeHandler(createMcpHandler(build)));
	server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
}
