// SPDX-License-Identifier: MIT
// What the server has of a message whose request was cut off: its turn, or at least it.

/** A new conversation is looked for among this many. */
const NEW_AMONG = 5;

/** Whether this is the question of a turn among some rows. */
function asked(rows, turnId, content)
{
	return rows.some((row) => row.role === 'user' && row.turnId === turnId &&
		row.content === content);
}

/**
 * Whether one of the newest questions is this one.
 * @param {import('../api.js').Api} api
 * @param {{conversationId: string, workspaceId: string}} thread the first is '' for a new one
 * @param {string} content
 */
export async function arrived(api, { conversationId, workspaceId }, content)
{
	const ids = conversationId ? [conversationId] :
		(await api.conversations({ workspaceId, pageSize: NEW_AMONG })).items
			.map((item) => item.conversationId);

	for (const id of ids) {
		const { items } = await api.messages(id);

		if (items.find(({ role }) => role === 'user')?.content === content)
			return true;
	}
	return false;
}

/**
 * The id of a turn that was begun but has not reported it, or ''.
 * @param {import('../api.js').Api} api
 * @param {{conversationId: string, workspaceId: string}} thread
 * @param {Set<string>} known ids of the turns before it
 * @param {string} content
 */
export async function begun(api, { conversationId, workspaceId }, known, content)
{
	if (!conversationId)
		return begunNew(api, workspaceId, content);
	const { items } = await api.messages(conversationId);
	const { runningTurnId } = await api.conversation(conversationId);
	const turnId = runningTurnId || items[0]?.turnId || '';

	if (known.has(turnId) || (content && !asked(items, turnId, content)))
		return '';
	return turnId;
}

/** The same for a message that began a conversation. */
async function begunNew(api, workspaceId, content)
{
	const { items } = await api.conversations({ workspaceId, pageSize: NEW_AMONG });

	for (const { conversationId, runningTurnId } of items) {
		if (!runningTurnId)
			continue;
		const page = await api.messages(conversationId);

		if (page.items.length > 0 && asked(page.items, runningTurnId, content))
			return runningTurnId;
	}
	return '';
}
