// The API in memory, for working on the page without a build: it serves www/
// and answers what the page asks, streams included. It is no model of the real
// server's care; the tests run against that as well.
//   node tests/browser/mock.mjs [--port N] [--base /chat] [--fill]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { play, scriptFor } from './mock-model.mjs';

const WWW = fileURLToPath(new URL('../../www/', import.meta.url));
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript',
	'.css': 'text/css', '.svg': 'image/svg+xml', '.txt': 'text/plain' };

const WORKSPACES = [
	{ workspaceId: 'intranet', name: 'Intranet', description:
		'Ask about people, tickets and assets.', source: 'config', model: 'demo',
	provider: 'openai', capabilities: ['chat', 'tools'],
	defaultAgentId: 'assistant', chatEnabled: true, suggestions: [
		'How many tickets are open?', 'Show the oldest urgent tickets',
		'Which formats can an answer have?'] },
	{ workspaceId: 'handbook', name: 'Handbook', description:
		'What the staff handbook says.', source: 'config', model: 'demo',
	provider: 'openai', capabilities: ['chat'], defaultAgentId: 'librarian',
	chatEnabled: true, suggestions: [] },
];
const AGENTS = {
	intranet: [
		{ agentId: 'assistant', name: 'Assistant', isDefault: true },
		{ agentId: 'analyst', name: 'Analyst', isDefault: false },
	],
	handbook: [{ agentId: 'librarian', name: 'Librarian', isDefault: true }],
};

class Problem extends Error {
	constructor(status, code, fields = {})
	{
		super(code);
		this.body = { type: 'about:blank', title: code, status, code,
			detail: '', requestId: randomUUID(), ...fields };
	}
}

const lost = () => new Problem(404, 'not_found');

class Mock {
	conversations = new Map();
	turns = new Map();

	makeConversation(workspaceId, agentId, title = '', at = Date.now())
	{
		const conversation = { workspaceId, agentId, title,
			conversationId: randomUUID(), knowledgeBaseIds: [],
			createdAt: new Date(at).toISOString(),
			updatedAt: new Date(at).toISOString(), messageCount: 0,
			runningTurnId: null, rows: [] };

		this.conversations.set(conversation.conversationId, conversation);
		return conversation;
	}

	addRow(conversation, turnId, row, at = Date.now())
	{
		const now = new Date(at).toISOString();
		const messageId =
			`${conversation.conversationId}.${conversation.rows.length + 1}`;
		const full = { workspaceId: conversation.workspaceId,
			agentId: conversation.agentId,
			conversationId: conversation.conversationId, turnId, messageId,
			id: messageId, createdAt: now, messageTs: now, metadata: {}, ...row };

		conversation.rows.push(full);
		conversation.messageCount = conversation.rows.length;
		conversation.updatedAt = now;
		return full;
	}

	/** Some history, for looking at. */
	fill()
	{
		const titles = ['Open tickets by department', 'Who has the spare projector',
			'Onboarding checklist for new colleagues', 'VPN on the new laptops',
			'Licences that expire this quarter', 'Draft: note about the office move',
			'Room 4.12 bookings', 'Password policy, in plain words'];

		for (let i = 0; i < 90; i++) {
			const at = Date.now() - i * i * 3600000;
			const c = this.makeConversation('intranet', 'assistant',
				i < 8 ? titles[i] : `${titles[i % 8]} (${i})`, at);
			const turn = randomUUID();

			this.addRow(c, turn, { role: 'user', content: titles[i % 8] }, at);
			this.addRow(c, turn, { role: 'assistant', content: 'Noted.',
				metadata: { model: 'demo', finish_reason: 'stop' } }, at);
		}
	}

	show({ rows, ...conversation })
	{
		return conversation;
	}

	get(id)
	{
		const conversation = this.conversations.get(id);

		if (!conversation)
			throw lost();
		return conversation;
	}

	list(params)
	{
		const q = (params.get('q') || '').toLowerCase();
		const items = [...this.conversations.values()]
			.filter((c) => !params.get('workspaceId') ||
				c.workspaceId === params.get('workspaceId'))
			.filter((c) => c.title.toLowerCase().includes(q))
			.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));

		return { ...slice(items, params, (c) => this.show(c)),
			totalCount: items.length };
	}

	/** The turn, and the events of it to whoever listens. */
	start(workspaceId, body)
	{
		const space = WORKSPACES.find((w) => w.workspaceId === workspaceId);

		if (!space)
			throw lost();
		if (typeof body.content !== 'string' || body.content === '')
			throw new Problem(422, 'invalid_field', { field: 'content' });
		const conversation = body.conversationId ? this.get(body.conversationId) :
			this.makeConversation(workspaceId, body.agentId || space.defaultAgentId,
				body.content.slice(0, 60));

		if (conversation.runningTurnId)
			throw new Problem(409, 'conversation_busy',
				{ turnId: conversation.runningTurnId });
		const turn = { turnId: randomUUID(), status: 'running',
			conversationId: conversation.conversationId,
			startedAt: new Date().toISOString(), endedAt: null,
			abort: new AbortController(), sinks: new Set() };

		this.turns.set(turn.turnId, turn);
		conversation.runningTurnId = turn.turnId;
		return { conversation, turn };
	}

	async run({ conversation, turn }, content)
	{
		const emit = (name, data) => {
			for (const sink of turn.sinks)
				sink(name, data);
		};
		let said = '';
		let end;

		emit('user-message', this.addRow(conversation, turn.turnId,
			{ role: 'user', content }));
		emit('context-usage', { inputTokens: 900, contextTokens: 128000,
			messages: conversation.rows.length });
		emit('status', { status: 'thinking' });
		try {
			end = await play(scriptFor(content), { emit, signal: turn.abort.signal,
				said: (text) => { said = text; },
				step: (row) => this.addRow(conversation, turn.turnId, row) });
		} catch {
			end = { text: said, finish: 'cancelled' };
		}
		const failed = end.finish === 'error';
		const answer = this.addRow(conversation, turn.turnId, {
			role: 'assistant', content: failed && !end.text ?
				'The language model could not be reached.' : end.text,
			metadata: { model: 'demo', provider: 'openai',
				finish_reason: end.finish, context_document_ids: [],
				usage: { inputTokens: 900, cachedTokens: 400, cacheWriteTokens: 0,
					outputTokens: end.usage || 0, reasoningTokens: 0 },
				...end.reasoning ? { reasoning: end.reasoning } : {},
				...failed ? { error: { code: 'upstream_unavailable',
					message: 'The language model could not be reached.',
					retryable: true } } : {} } });

		conversation.runningTurnId = null;
		turn.status = failed ? 'error' : end.finish === 'cancelled' ?
			'cancelled' : 'done';
		turn.endedAt = new Date().toISOString();
		emit(failed ? 'error' : 'done', answer);
		emit(null);
		if (conversation.rows[0].turnId === turn.turnId) {
			setTimeout(() => {
				conversation.title = conversation.title.startsWith('!script') ?
					'A scripted answer' : `About: ${conversation.title}`;
			}, 300);
		}
	}
}

/** One page of a list; the cursor is the number of what comes before it. */
function slice(items, params, show = (item) => item)
{
	const size = Math.min(Number(params.get('pageSize')) || 30, 100);
	const from = Number(Buffer.from(params.get('cursor') || '', 'base64url')
		.toString()) || 0;
	const next = from + size;

	return { items: items.slice(from, next).map(show), totalCount: null,
		nextCursor: next < items.length ?
			Buffer.from(String(next)).toString('base64url') : null };
}

const ROUTES = [
	['GET', /^me$/, () => ({ userId: 'u1', user: 'mara', name: 'Mara Lindqvist',
		tenantId: 'default', groups: ['staff'], roles: ['user'],
		permissions: ['AIChat.*'], identityKind: 'remote_user',
		defaultWorkspaceId: 'intranet' })],
	['GET', /^workspaces$/, (m, a, q) => slice(WORKSPACES, q)],
	['GET', /^workspaces\/([^/]+)\/agents$/, (m, [w], q) =>
		slice((AGENTS[w] || []).map((agent) => ({ workspaceId: w, ...agent })), q)],
	['GET', /^conversations$/, (m, a, q) => m.list(q)],
	['GET', /^conversations\/([^/]+)$/, (m, [c]) => m.show(m.get(c))],
	['PATCH', /^conversations\/([^/]+)$/, (m, [c], q, body) => {
		m.get(c).title = body.title;
		return m.show(m.get(c));
	}],
	['DELETE', /^conversations\/([^/]+)$/, (m, [c]) => {
		m.get(c);
		m.conversations.delete(c);
		return null;
	}],
	['GET', /^conversations\/([^/]+)\/messages$/, (m, [c], q) =>
		slice([...m.get(c).rows].reverse(), q)],
	['GET', /^turns\/([^/]+)$/, (m, [t]) => {
		if (!m.turns.has(t))
			throw lost();
		const { abort, sinks, ...turn } = m.turns.get(t);

		return turn;
	}],
	['POST', /^turns\/([^/]+)\/cancel$/, (m, [t]) => {
		if (!m.turns.has(t))
			throw lost();
		m.turns.get(t).abort.abort();
		return { turnId: t, status: m.turns.get(t).status };
	}],
];

function reply(res, status, body, type = 'application/json')
{
	res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
	res.end(body === null ? '' : JSON.stringify(body));
}

async function readBody(req)
{
	const parts = [];

	for await (const part of req)
		parts.push(part);
	const text = Buffer.concat(parts).toString();

	return text ? JSON.parse(text) : {};
}

async function api(mock, req, res, rest, params)
{
	const body = req.method === 'GET' || req.method === 'DELETE' ? {} :
		await readBody(req);
	const chat = /^chat\/([^/]+)\/stream$/.exec(rest);

	if (chat && req.method === 'POST') {
		stream(mock, res, mock.start(decodeURIComponent(chat[1]), body), body.content);
		return;
	}
	for (const [method, pattern, handler] of ROUTES) {
		const match = pattern.exec(rest);

		if (!match || method !== req.method)
			continue;
		const answer = handler(mock, match.slice(1).map(decodeURIComponent),
			params, body);

		reply(res, answer === null ? 204 : 200, answer);
		return;
	}
	throw lost();
}

function stream(mock, res, begun, content)
{
	let id = 0;
	const sink = (name, data) => {
		if (name === null)
			res.end();
		else
			res.write(`event: ${name}\nid: ${++id}\ndata: ${JSON.stringify(data)}\n\n`);
	};

	res.writeHead(200, { 'Content-Type': 'text/event-stream',
		'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' });
	res.write(': ok\nretry: 2000\n\n');
	begun.turn.sinks.add(sink);
	// the turn goes on without its listener
	res.on('close', () => begun.turn.sinks.delete(sink));
	mock.run(begun, content);
}

async function page(res, rest)
{
	const name = path.normalize(rest || 'index.html');
	const type = TYPES[path.extname(name)];

	try {
		if (name.startsWith('..') || !type)
			throw new Error(name);
		const data = await readFile(path.join(WWW, name));

		res.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache',
			'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff' });
		res.end(data);
	} catch {
		reply(res, 404, { code: 'not_found' });
	}
}

/**
 * Starts a mock server on a free port of the loopback interface.
 * @returns {url, close(), mock}; url ends with a slash
 */
export async function startMock({ base = '/chat', port = 0, fill = false } = {})
{
	const mock = new Mock();
	const server = createServer(async (req, res) => {
		const url = new URL(req.url, 'http://localhost');
		const pathname = decodeURIComponent(url.pathname);

		try {
			if (!pathname.startsWith(`${base}/`))
				reply(res, 404, { code: 'not_found' });
			else if (pathname.startsWith(`${base}/api/v1/`))
				await api(mock, req, res,
					url.pathname.slice(encodeURI(`${base}/api/v1/`).length),
					url.searchParams);
			else
				await page(res, pathname.slice(base.length + 1));
		} catch (error) {
			const problem = error instanceof Problem ? error.body :
				{ status: 500, code: 'internal', detail: String(error) };

			reply(res, problem.status, problem, 'application/problem+json');
		}
	});

	if (fill)
		mock.fill();
	await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
	return {
		mock,
		url: `http://127.0.0.1:${server.address().port}${encodeURI(base)}/`,
		close()
		{
			server.closeAllConnections();
			return new Promise((resolve) => server.close(resolve));
		},
	};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const option = (name, otherwise) => {
		const at = process.argv.indexOf(name);

		return at < 0 ? otherwise : process.argv[at + 1];
	};
	const { url } = await startMock({ base: option('--base', '/chat'),
		port: Number(option('--port', 0)), fill: process.argv.includes('--fill') });

	console.log(`listening on ${url}`);
}
