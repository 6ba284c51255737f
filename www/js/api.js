// SPDX-License-Identifier: MIT
// The HTTP API, {base}/api/v1. The base is where the page was loaded from, so
// that an installation works under any path. Every failure becomes an
// ApiError; a request that got no answer has code "network".
import { parseExact, toJson } from './exact.js';
import { language } from './strings.js';

/**
 * @typedef {object} Options of a request
 * @property {unknown} [body] sent as JSON
 * @property {Blob} [bytes] sent as they are
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {string} [accept]
 * @property {boolean} [keepalive] it is sent although the page ends
 *
 * @typedef {object} Page which part of a list, and of what
 * @property {string} [q] a search text
 * @property {string} [workspaceId]
 * @property {boolean} [clients] those of programs
 * @property {string} [dataset]
 * @property {string} [category]
 * @property {boolean} [archived]
 * @property {boolean} [pinned]
 * @property {string} [folderId]
 * @property {string} [tag]
 * @property {string} [conversationId]
 * @property {string} [include] what else the answer has, separated by commas
 * @property {string | null} [cursor]
 * @property {number} [before] number of a message
 * @property {number} [pageSize]
 * @property {string | number} [after] number of an event
 * @property {number} [wait] seconds
 * @property {AbortSignal} [signal]
 */

const MOST_REST_MS = 60000;

/** A request that failed. code is stable, detail is for people. */
export class ApiError extends Error {
	/** from the server; undefined if a proxy answered, or nobody did */
	#retryable;

	constructor(fields)
	{
		super(fields.detail || fields.title || fields.code);
		this.name = 'ApiError';
		/** HTTP status, 0 without an answer */
		this.status = fields.status || 0;
		this.code = fields.code || 'internal';
		this.detail = fields.detail || '';
		this.#retryable = fields.retryable;
		this.field = fields.field || '';
		this.requestId = fields.requestId || '';
		/** seconds, or null */
		this.retryAfter = fields.retryAfter ?? null;
		/** of conversation_busy: the running turn */
		this.turnId = fields.turnId || '';
	}

	/** The same request may well succeed a little later. */
	get retryable()
	{
		return this.#retryable ?? (this.code === 'network' ||
			[429, 502, 503, 504].includes(this.status));
	}

	/**
	 * How long one rests before what is asked all the time is asked again.
	 * @param {number} failures so many in a row
	 * @param {number} ms what lies between two questions that are answered
	 * @returns {number | null} ms, null: the answer will be the same
	 */
	restMs(failures, ms)
	{
		return this.retryable ?
			Math.max(Math.min(ms * 2 ** failures, MOST_REST_MS), 1000 * (this.retryAfter ?? 0)) : null;
	}
}

/** statuses with which web servers and firewalls refuse a method or a text */
const REFUSALS = [400, 403, 404, 405, 406, 501];

/** What others in front answered; the responder names every request. */
function isForeign(response)
{
	return !response.headers.has('X-Request-Id') &&
		!/^application\/problem\+json/i.test(response.headers.get('Content-Type') || '');
}

/** Reads an error response: problem+json, or whatever a proxy sent. */
async function errorFrom(response)
{
	const foreign = isForeign(response);
	let body = {};

	try {
		body = (!foreign && JSON.parse(await response.text())) || {};
	} catch {
		body = {};
	}
	const after = retryAfter(response);

	return new ApiError({
		...body,
		status: response.status,
		code: body.code || statusCode(response.status, foreign),
		retryAfter: after > 0 ? after : null,
	});
}

/**
 * The headers of an XMLHttpRequest's answer that errors are told from.
 * @returns {[string, string][]}
 */
function answered(request)
{
	return ['X-Request-Id', 'Content-Type', 'Retry-After'].flatMap((name) => {
		const value = request.getResponseHeader(name);

		return value === null ? [] : [[name, value]];
	});
}

/** The seconds after which a response asks to come again; 0: it does not. */
export function retryAfter(response)
{
	return Number(response.headers.get('Retry-After')) || 0;
}

/** The code for a response that has none (usually from a proxy). */
function statusCode(status, foreign)
{
	const codes = {
		401: 'unauthenticated', 403: 'forbidden', 404: 'not_found',
		409: 'conflict', 413: 'too_large', 429: 'overloaded',
		502: 'server_unreachable', 503: 'overloaded',
		504: 'server_unreachable',
	};

	if (foreign && REFUSALS.includes(status) && status !== 404)
		return 'blocked';
	return codes[status] || 'internal';
}

/** Leaves out members that are undefined, null or empty. */
function query(params)
{
	const search = new URLSearchParams();

	for (const [key, value] of Object.entries(params)) {
		if (value !== undefined && value !== null && value !== '')
			search.set(key, String(value));
	}
	const text = search.toString();

	return text ? `?${text}` : '';
}

const enc = encodeURIComponent;

export class Api {
	/** true once a PATCH, PUT or DELETE got through only as a POST */
	#postsOnly = false;

	/** @param page URL of the page; the API lives beside it */
	constructor(page = document.baseURI)
	{
		this.base = new URL('./api/v1/', page).href.replace(/[?#].*$/, '');
	}

	/**
	 * A PATCH, PUT or DELETE goes as a POST that names it where the web server lets
	 * only GET and POST through. What it refuses has not reached the responder.
	 */
	async #fetch(method, path, init)
	{
		const url = this.base + path;
		const asPost = () => fetch(url, { ...init, method: 'POST',
			headers: { ...init.headers, 'X-HTTP-Method-Override': method } });

		if (['GET', 'POST'].includes(method))
			return fetch(url, { ...init, method });
		if (this.#postsOnly)
			return asPost();
		const first = await fetch(url, { ...init, method });

		if (!REFUSALS.includes(first.status) || !isForeign(first))
			return first;
		const second = await asPost();

		this.#postsOnly = !isForeign(second);
		return this.#postsOnly ? second : first;
	}

	/**
	 * One request.
	 * @param {string} method
	 * @param {string} path
	 * @param {Options} options
	 * @returns the Response, its status a 2xx
	 * @throws ApiError; an aborted request throws the AbortError as it is
	 */
	async request(method, path, { body, bytes, headers: more, signal, accept,
		keepalive = false } = {})
	{
		const headers = { Accept: accept || 'application/json',
			'Accept-Language': language(), ...more };
		let response;

		if (body !== undefined)
			headers['Content-Type'] = 'application/json';
		try {
			response = await this.#fetch(method, path, {
				headers,
				body: body === undefined ? bytes : toJson(body),
				signal,
				keepalive,
				cache: 'no-store',
				credentials: 'same-origin',
				redirect: 'manual',
			});
		} catch (error) {
			if (error.name === 'AbortError')
				throw error;
			throw new ApiError({ code: 'network', detail: error.message });
		}
		// The API never redirects: this is a sign-in page in front of it.
		if (response.type === 'opaqueredirect')
			throw new ApiError({ status: 401, code: 'unauthenticated' });
		if (!response.ok)
			throw await errorFrom(response);
		const type = response.headers.get('Content-Type') || '';

		if (response.status !== 204 && /^text\/html/i.test(type))
			throw new ApiError({ status: 401, code: 'unauthenticated' });
		return response;
	}

	/** One request with a JSON answer; null for 204. */
	async json(method, path, options)
	{
		return this.#parsed(await this.request(method, path, options));
	}

	/** The same for one record. */
	async record(method, path, options)
	{
		const response = await this.request(method, path, options);

		return { record: await this.#parsed(response),
			etag: response.headers.get('ETag') || '' };
	}

	async #parsed(response)
	{
		if (response.status === 204)
			return null;
		try {
			return parseExact(await response.text());
		} catch (error) {
			if (error.name === 'AbortError')
				throw error;
			throw new ApiError({
				status: response.status,
				code: error.name === 'TypeError' ? 'network' : 'internal',
				detail: error.message,
			});
		}
	}

	/** The resources that the caller can read, field by field: {items}. */
	forms()
	{
		return this.json('GET', 'forms');
	}

	/** A page of a resource's list: {items, totalCount, nextCursor}; path may have a query. */
	list(path, params)
	{
		const asked = query(params);

		return this.json('GET', path + (path.includes('?') ? asked.replace('?', '&') : asked));
	}

	/** The blanks of a text that is not stored: {blanks}. */
	checkPrompt(body)
	{
		return this.json('POST', 'prompts/check', { body: { body } });
	}

	/** A copy of a prompt that is the caller's own. @returns it */
	copyPrompt(id)
	{
		return this.json('POST', `prompts/${enc(id)}/copy`, { body: {} });
	}

	/** The user with their settings, which are {} while the database is away. */
	async me(workspaceId)
	{
		try {
			return await this.json('GET', `me${query({ workspaceId,
				include: 'settings,workspaces,agents,forms,folders,shared' })}`);
		} catch (error) {
			if (error.status !== 503)
				throw error;
			const [me, workspaces] = await Promise.all([this.json('GET', 'me'),
				this.workspaces()]);

			return { ...me, workspaces, settings: {} };
		}
	}

	/** Changes settings of the user: {name: value or null}. */
	changeSettings(values)
	{
		return this.json('PATCH', 'settings', { body: values });
	}

	workspaces()
	{
		return this.json('GET', 'workspaces');
	}

	agents(workspaceId)
	{
		return this.json('GET',
			`workspaces/${enc(workspaceId)}/agents?pageSize=100`);
	}

	/**
	 * A page of my conversations, newest first: {items, nextCursor}.
	 * @param {Page} page
	 */
	conversations({ workspaceId, q, archived, pinned, folderId, tag, clients, include, cursor,
		pageSize, signal } = {})
	{
		return this.json('GET', `conversations${query({ workspaceId, q, archived, pinned,
			folderId, tag, clients, include, cursor, pageSize })}`, { signal });
	}

	/** Changes pinned, archived, folderId or tags of a conversation. */
	arrange(id, fields)
	{
		return this.json('PATCH', `conversations/${enc(id)}`, { body: fields });
	}

	/** A page of my folders, by name. */
	folders(cursor)
	{
		return this.json('GET', `conversation-folders${query({ cursor, pageSize: 100 })}`);
	}

	/** Who may read a conversation of mine. */
	shares(conversationId)
	{
		return this.json('GET', `conversation-shares${query({ conversationId, pageSize: 200 })}`);
	}

	share(fields)
	{
		return this.json('POST', 'conversation-shares', { body: fields });
	}

	changeShare(id, fields)
	{
		return this.json('PATCH', `conversation-shares/${enc(id)}`, { body: fields });
	}

	revokeShare(id)
	{
		return this.json('DELETE', `conversation-shares/${enc(id)}`);
	}

	/** A page of what others let me read. */
	sharedWithMe(cursor)
	{
		return this.json('GET', `shared-conversations${query({ cursor })}`);
	}

	/** One of them. */
	shared(id)
	{
		return this.json('GET', `shared-conversations/${enc(id)}`);
	}

	/**
	 * Its messages, newest first.
	 * @param {string} id
	 * @param {Page} page
	 */
	sharedMessages(id, { cursor, pageSize, signal } = {})
	{
		return this.json('GET', `shared-conversations/${enc(id)}/messages${query(
			{ cursor, pageSize })}`, { signal });
	}

	/** Makes a chat of mine of it. @returns its record */
	forkShared(id)
	{
		return this.json('POST', `shared-conversations/${enc(id)}/fork`, { body: {} });
	}

	/** Ends somebody's link that needs no sign-on. */
	revokePublicLink(id)
	{
		return this.json('POST', `public-links/${enc(id)}/revoke`);
	}

	newFolder(fields)
	{
		return this.json('POST', 'conversation-folders', { body: fields });
	}

	changeFolder(id, fields)
	{
		return this.json('PATCH', `conversation-folders/${enc(id)}`, { body: fields });
	}

	removeFolder(id)
	{
		return this.json('DELETE', `conversation-folders/${enc(id)}`);
	}

	/**
	 * My conversations that contain words of q, best first: {items,
	 * nextCursor}.
	 */
	searchConversations({ workspaceId, q, pageSize })
	{
		return this.json('GET',
			`conversations/search${query({ workspaceId, q, pageSize })}`);
	}

	/**
	 * @param {string} id
	 * @param {Page} page
	 */
	conversation(id, { signal } = {})
	{
		return this.json('GET', `conversations/${enc(id)}`, { signal });
	}

	rename(id, title)
	{
		return this.json('PATCH', `conversations/${enc(id)}`,
			{ body: { title } });
	}

	/** What a message about a place will need is read in advance. */
	prewarm({ contextType, projectId, focusId })
	{
		return this.json('POST', 'agent/prewarm', { body: { contextType, projectId, focusId } });
	}

	/** @param place what it is about; null: nothing in particular */
	placeConversation(id, place)
	{
		const { projectId = null, focusId = null, contextType = null } =
			/** @type {{projectId?: string, focusId?: string, contextType?: string}} */ (
				place || {});

		return this.json('PATCH', `conversations/${enc(id)}`,
			{ body: { projectId, focusId, contextType } });
	}

	/** Projects to choose from: {items}. */
	projects()
	{
		return this.json('GET', 'projects?pageSize=20');
	}

	/** @param keepalive whether the page may end before the answer */
	remove(id, keepalive = false)
	{
		return this.json('DELETE', `conversations/${enc(id)}`, { keepalive });
	}

	/** @param bases ids of the knowledge bases it is limited to; [], null: as its agent says */
	useKnowledge(id, bases)
	{
		return this.json('PATCH', `conversations/${enc(id)}`,
			{ body: { knowledgeBaseIds: bases } });
	}

	/** Makes it a document of a knowledge base, or that document new. */
	keepConversation(id, knowledgeBaseId)
	{
		return this.json('POST', `conversations/${enc(id)}/document`,
			{ body: { knowledgeBaseId } });
	}

	/** What the user stores and takes, with its limits: {items}. */
	limits()
	{
		return this.json('GET', 'me/limits');
	}

	/** What is remembered of a conversation before its newest messages. */
	memory(id)
	{
		return this.json('GET', `conversations/${enc(id)}/memory`);
	}

	memoryVersions(id)
	{
		return this.json('GET', `conversations/${enc(id)}/memory/versions`);
	}

	memoryFacts(id)
	{
		return this.json('GET', `conversations/${enc(id)}/memory/facts`);
	}

	/** @param version that the user saw: another one is a 412 */
	changeMemory(id, version, body)
	{
		return this.json('PATCH', `conversations/${enc(id)}/memory`,
			{ body, headers: { 'If-Match': `"${version}"` } });
	}

	/** Makes an item of the agent state a task of the conversation's project. */
	promoteMemory(id, itemId)
	{
		return this.json('POST', `conversations/${enc(id)}/memory/promote`,
			{ body: { id: itemId } });
	}

	removeMemory(id)
	{
		return this.json('DELETE', `conversations/${enc(id)}/memory`);
	}

	/** Tools that run in a conversation without asking: {items}. */
	allowedTools(id)
	{
		return this.json('GET', `conversations/${enc(id)}/allowed-tools`);
	}

	revokeTool(id, tool)
	{
		return this.json('DELETE',
			`conversations/${enc(id)}/allowed-tools/${enc(tool)}`);
	}

	/**
	 * A page of a thread with its steps, newest first: {items, nextCursor}.
	 * @param {string} id
	 * @param {Page} page
	 */
	messages(id, { cursor, before, pageSize, signal, include = 'steps' } = {})
	{
		return this.json('GET',
			`conversations/${enc(id)}/messages${query(
				{ cursor, before, pageSize, include })}`,
			{ signal });
	}

	/** A page of the plans of a conversation, newest first. @param {Page} page */
	plans({ conversationId, cursor, pageSize })
	{
		return this.json('GET', `plans${query({ conversationId, cursor, pageSize })}`);
	}

	/**
	 * @param {string} turnId
	 * @param {Page} page
	 */
	turn(turnId, { signal } = {})
	{
		return this.json('GET', `turns/${enc(turnId)}`, { signal });
	}

	/**
	 * The passages that an answer used and that I may still see: {items}.
	 * @param {string} messageId
	 * @param {boolean} [shared] whether it is of a share
	 */
	sources(messageId, shared)
	{
		return this.json('GET', `${shared ? 'shared-' : ''}conversations/${
			enc(messageId.split('.')[0])}/sources${query({ messageId })}`);
	}

	/** The part of a document that has a passage, or a page of it. */
	excerpt(base, document, { chunk, page })
	{
		return this.json('GET', `knowledge-bases/${enc(base)}/documents/${enc(document)}/text${
			query({ chunk, page })}`);
	}

	/** Stores the end of a turn that the server has handed to us. */
	storeTurn(turnId, unstored)
	{
		return this.json('POST', `turns/${enc(turnId)}/store`, { body: { unstored } });
	}

	/** Skips a step of a plan that runs or waits: {turnStatus, …}. */
	skipStep(planId, stepId)
	{
		return this.json('POST', `plans/${enc(planId)}/skip`, { body: { stepId } });
	}

	cancel(turnId)
	{
		return this.json('POST', `turns/${enc(turnId)}/cancel`, { body: {} });
	}

	/**
	 * The events of a turn after number `after`, then live.
	 * @param {string} turnId
	 * @param {Page} page
	 * @returns the
	 * Response
	 */
	events(turnId, { after, signal } = {})
	{
		return this.request('GET', `turns/${enc(turnId)}/events${query({ after })}`,
			{ signal, accept: 'text/event-stream' });
	}

	/**
	 * The same as a long poll of `wait` seconds: {items, done, retryAfter}.
	 * @param {string} turnId
	 * @param {Page} page
	 */
	eventsPage(turnId, { after, wait, signal } = {})
	{
		return this.#polled(`turns/${enc(turnId)}/events${query({ after, wait })}`,
			signal);
	}

	/**
	 * Sends a message and opens the stream of its answer.
	 * @param {string} workspaceId
	 * @param {object} body with content, and conversationId, agentId, client, webSearch, mentions if any
	 * @param {Page} page
	 * @returns the Response, its body an event stream
	 */
	stream(workspaceId, body, { signal } = {})
	{
		return this.#begin(`chat/${enc(workspaceId)}/stream`, body, signal);
	}

	/**
	 * Continues a turn that was cut short; a stream like that of stream().
	 * @param {string} turnId
	 * @param {object} body
	 * @param {Page} page
	 */
	goOn(turnId, body, { signal } = {})
	{
		return this.#begin(`turns/${enc(turnId)}/continue`, body, signal);
	}

	/**
	 * Regenerates the answer messageId; a stream.
	 * @param {string} id
	 * @param {object} body
	 * @param {Page} page
	 */
	regenerate(id, body, { signal } = {})
	{
		return this.#begin(`conversations/${enc(id)}/regenerate`, body, signal);
	}

	/**
	 * Edits a message and answers it; a stream.
	 * @param {string} id
	 * @param {object} body
	 * @param {Page} page
	 */
	edit(id, body, { signal } = {})
	{
		return this.#begin(`conversations/${enc(id)}/edit`, body, signal);
	}

	/**
	 * Decides about a waiting call, and streams the rest of the turn.
	 * @param {string} turnId
	 * @param {object} body
	 * @param {Page} page
	 */
	decide(turnId, body, { signal } = {})
	{
		return this.#begin(`turns/${enc(turnId)}/approvals`, body, signal);
	}

	/**
	 * Answers questions and calls of the page's tools; the same stream.
	 * @param {string} turnId
	 * @param {object[]} results
	 * @param {Page} page
	 */
	reply(turnId, results, { signal } = {})
	{
		return this.#begin(`turns/${enc(turnId)}/tool-results`, { results }, signal);
	}

	#begin(path, body, signal)
	{
		return this.request('POST', path,
			{ body, signal, accept: 'text/event-stream' });
	}

	/**
	 * The variants at a message's place, oldest first: {items, nextCursor}.
	 */
	variants(id, messageId, cursor)
	{
		return this.json('GET',
			`conversations/${enc(id)}/variants${query({ messageId, cursor })}`);
	}

	/** Switches the thread to a variant. */
	restore(id, variantId)
	{
		return this.json('POST', `conversations/${enc(id)}/variants`,
			{ body: { variantId } });
	}

	/** Stores an answer as the user has written it. @returns the message */
	correct(id, messageId, content)
	{
		return this.json('POST', `conversations/${enc(id)}/correct`,
			{ body: { messageId, content } });
	}

	/** A new conversation with the thread up to a message. @returns its record */
	fork(id, messageId)
	{
		return this.json('POST', `conversations/${enc(id)}/fork`,
			{ body: { messageId } });
	}

	/** What a message would send to the model. @param body as of stream() */
	preview(workspaceId, body)
	{
		return this.json('POST', `workspaces/${enc(workspaceId)}/preview`, { body });
	}

	/**
	 * What can be mentioned and begins with q: {items, more}.
	 * @param {Page} page
	 */
	mentions({ q, workspaceId, dataset, pageSize, signal } = {})
	{
		return this.json('GET',
			`mentions${query({ q, workspaceId, dataset, pageSize })}`, { signal });
	}

	/**
	 * Prompts whose name begins with q, without their bodies: {items, nextCursor}.
	 * @param {Page} page
	 */
	prompts({ q, category, pageSize, signal } = {})
	{
		return this.json('GET', `prompt-picker${query({ q, category, pageSize })}`,
			{ signal });
	}

	/** One prompt with its body and blanks. */
	prompt(id)
	{
		return this.json('GET', `prompts/${enc(id)}`);
	}

	/** All of them. */
	async promptCategories()
	{
		const all = [];
		let cursor = '';

		do {
			const { items, nextCursor } = await this.json('GET',
				`prompt-categories${query({ pageSize: 100, cursor })}`);

			all.push(...items);
			cursor = nextCursor;
		} while (cursor);
		return { items: all };
	}

	/**
	 * The next part of a file; id undefined: its first. length: of the whole file, so that
	 * one that is too large is refused with its first part. @returns the record
	 */
	upload(id, bytes, { name, offset, last, length, signal })
	{
		const headers = { 'Content-Type': 'application/octet-stream',
			'Upload-Complete': last ? '?1' : '?0', 'Upload-Length': String(length) };

		return id
			? this.json('PATCH', `attachments/${enc(id)}`, { bytes, signal,
				headers: { ...headers, 'Upload-Offset': String(offset) } })
			: this.json('POST', `attachments${query({ name })}`,
				{ bytes, signal, headers });
	}

	/**
	 * A page of a base's documents, newest first: {items, nextCursor}.
	 * @param {string} base
	 * @param {Page} page
	 */
	documents(base, { cursor, pageSize } = {})
	{
		return this.json('GET',
			`knowledge-bases/${enc(base)}/documents${query({ cursor, pageSize })}`);
	}

	/** The address of a project as a file: 'json' or 'markdown'. */
	projectFile(project, format)
	{
		return `${this.base}projects/${enc(project)}/export${query({ format })}`;
	}

	/** Makes a project of a file: {projectId, name, made, notes}. */
	importProject(file)
	{
		return this.json('POST', 'projects/import', { bytes: file,
			headers: { 'Content-Type': 'application/octet-stream' } });
	}

	/** What was deleted from a list and the caller can restore: {items}. */
	deleted(path)
	{
		return this.json('GET', `${path}/deleted`);
	}

	restoreDeleted(path, id)
	{
		return this.json('POST', `${path}/deleted/${enc(id)}/restore`);
	}

	deleteForGood(path, id)
	{
		return this.json('DELETE', `${path}/deleted/${enc(id)}`);
	}

	/** Takes back a change in a project. */
	undo(project, change)
	{
		return this.json('POST', `projects/${enc(project)}/changes/${enc(change)}/undo`);
	}

	/** {queued, ready, failed} */
	documentCounts(base)
	{
		return this.json('GET', `knowledge-bases/${enc(base)}/progress`);
	}

	/** The address of its file. */
	documentUrl(base, id)
	{
		return `${this.base}knowledge-bases/${enc(base)}/documents/${enc(id)}/content`;
	}

	/** Sends a file; fetch cannot report progress. progress(percent) */
	writeDocument(base, file, { signal, progress })
	{
		return new Promise((resolve, reject) => {
			const request = new XMLHttpRequest();
			const failed = () => reject(new ApiError({ code: 'network' }));

			request.open('POST', `${this.base}knowledge-bases/${enc(base)}/documents${
				query({ name: file.name })}`);
			request.setRequestHeader('Content-Type', 'application/octet-stream');
			request.setRequestHeader('Accept', 'application/json');
			request.upload.onprogress = ({ loaded, total }) =>
				progress(total ? Math.floor(100 * loaded / total) : 100);
			request.onload = async () => {
				const response = new Response(request.responseText,
					{ status: request.status, headers: answered(request) });

				if (response.ok)
					resolve(await this.#parsed(response));
				else
					reject(await errorFrom(response));
			};
			request.onerror = request.ontimeout = request.onabort = failed;
			signal.addEventListener('abort', () => request.abort());
			request.send(file);
		});
	}

	retryDocument(base, id)
	{
		return this.json('POST', `knowledge-bases/${enc(base)}/documents/${enc(id)}/retry`);
	}

	removeDocument(base, id)
	{
		return this.json('DELETE', `knowledge-bases/${enc(base)}/documents/${enc(id)}`);
	}

	attachment(id)
	{
		return this.json('GET', `attachments/${enc(id)}`);
	}

	removeAttachment(id)
	{
		return this.json('DELETE', `attachments/${enc(id)}`);
	}

	/**
	 * Notices about my conversations after number `after`.
	 * @param {Page} page
	 * @returns the
	 * Response
	 */
	notices({ after, signal } = {})
	{
		return this.request('GET', `notifications${query({ after })}`,
			{ signal, accept: 'text/event-stream' });
	}

	/**
	 * The same as a long poll of `wait` seconds, with retryAfter.
	 * @param {Page} page
	 */
	noticesPage({ after, wait, signal } = {})
	{
		return this.#polled(`notifications${query({ after, wait })}`, signal);
	}

	/** The answer to a poll, and for how long the server asks not to poll. */
	async #polled(path, signal)
	{
		const response = await this.request('GET', path, { signal });

		return { ...await this.#parsed(response), retryAfter: retryAfter(response) };
	}
}
