// SPDX-License-Identifier: MIT
// Who is here and where they may chat: /me, the workspaces, their agents.
import { ApiError } from '../api.js';
import { Observable } from '../observable.js';
import { remember, remembered } from './settings.js';

export class Session extends Observable {
	#api;
	#agents = new Map();

	constructor(api)
	{
		super();
		this.#api = api;
		this.me = null;
		this.workspaces = [];
		this.workspaceId = '';
		this.ready = false;
		/** ApiError of the start, or null */
		this.error = null;
	}

	/** Loads what the page needs before it can show anything. */
	async start()
	{
		this.error = null;
		this.changed();
		try {
			const me = await this.#api.me(remembered('workspace') || undefined);

			this.me = me;
			this.workspaces = me.workspaces?.items || [];
			if (me.agents)
				this.#agents.set(me.agentsWorkspaceId, me.agents.items);
			if (this.workspaces.length === 0)
				throw new ApiError({ code: 'noWorkspace' });
			const chosen = me.settings.default_workspace;
			const wanted = [chosen === 'Auto' ? me.defaultWorkspaceId : chosen,
				remembered('workspace'), me.defaultWorkspaceId].find((id) =>
				this.workspace(id));

			await this.choose(wanted || this.workspaces[0].workspaceId, false);
			this.ready = true;
		} catch (error) {
			this.error = error;
		}
		this.changed();
	}

	/** The workspace of that id, or undefined. */
	workspace(id = this.workspaceId)
	{
		return this.workspaces.find((space) => space.workspaceId === id);
	}

	/** Switches to a workspace; keep: also next time. */
	async choose(id, keep = true)
	{
		if (keep)
			remember('workspace', id);
		this.workspaceId = id;
		this.changed();
		await this.loadAgents(id);
	}

	/** Loads the agents of a workspace, once. */
	async loadAgents(id)
	{
		if (this.#agents.has(id))
			return;
		try {
			const page = await this.#api.agents(id);

			this.#agents.set(id, page.items);
		} catch (error) {
			// Without the list there is no choice, but there is still the
			// workspace's default agent to chat with.
			if (error.code === 'unauthenticated')
				throw error;
		}
		this.changed();
	}

	/** Whether somebody has shared a chat since the page was loaded. */
	async lookForShares()
	{
		const { me } = this;

		if (me.shared || !me.permissions.includes('AIChat.Conversations.Share'))
			return;
		try {
			me.shared = (await this.#api.sharedWithMe(null)).items.length > 0;
		} catch {
			return;	// the next time
		}
		if (me.shared)
			this.changed();
	}

	/** Reloads what may have been created or deleted meanwhile. */
	async refresh()
	{
		try {
			const { items } = await this.#api.workspaces();

			if (items.length === 0)
				return;
			this.workspaces = items;
			this.#agents.clear();
			await this.choose(this.workspace() ? this.workspaceId : items[0].workspaceId, false);
		} catch {
			// what is known stays
		}
	}

	agents(id = this.workspaceId)
	{
		return this.#agents.get(id) || [];
	}

	agent(workspaceId, agentId)
	{
		return this.agents(workspaceId).find((agent) => agent.agentId === agentId);
	}

	/** The agent for a new chat, '' if there is no choice. */
	firstAgent(id = this.workspaceId)
	{
		const wanted = [this.#settledAgent(id), remembered(`agent.${id}`),
			this.workspace(id)?.defaultAgentId];

		return wanted.find((agentId) => agentId && this.agent(id, agentId)) ||
			this.agents(id).find((agent) => agent.isDefault)?.agentId ||
			this.agents(id)[0]?.agentId || '';
	}

	/** What the settings say about the default workspace. */
	#settledAgent(id)
	{
		return id === this.me.defaultWorkspaceId && this.me.settings.default_agent;
	}

	keepAgent(workspaceId, agentId)
	{
		remember(`agent.${workspaceId}`, agentId);
	}
}
