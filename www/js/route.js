// SPDX-License-Identifier: MIT
// What is shown is in the address: #/c/{conversationId}, with ?m={number} at one of
// its messages, a place beside the chat
// (#/prompts, #/prompts/new, #/prompts/{id}; what is below a row of some has the
// address #/projects/{id}/{kind}/{item}), and anything else is a new chat.

/**
 * @typedef {object} Place a row of PLACES
 * @property {string} form   its name
 * @property {string} [text] of strings.js. Texts with its end: none.… of an empty list,
 *           gone.… what is deleted with a row
 * @property {string} [hint] of strings.js
 * @property {string} icon   a name of icons.js
 * @property {string} [view] another list than the ordinary one (ui/rows.js)
 * @property {boolean} [deep] what is below a row has addresses, too
 * @property {string} [part] pieces of a record's page (ui/parts.js)
 * @property {string} [group] its heading in the menu of places (ui/side.js)
 * @property {string} [under] the place whose head leads there
 * @property {string} [what] what one of its rows is called, of strings.js, if not as the
 *           form says
 * @property {string} [permission] of a place that is no resource
 * @property {boolean} [find]  its list is searched with all that is in its rows
 * @property {boolean} [reload] the chat shows them
 * @property {Record<string, unknown>} [begins] values of a new row
 * @property {string} [described] the context type of chats that make one
 * @property {boolean} [imports] one can be made of a file
 * @property {boolean} [bin]   what was deleted can be restored
 * @property {string} [mark] a yes or no that its list shows
 * @property {string} [label] the member that names a row, if not as the form says
 * @property {boolean} [elsewhere] its rows are not begun here
 */

/**
 * The places that are more than what GET /forms says of them, in their order in
 * the menu of the side; a form without a row is a place, too, behind them. Of rows that belong
 * to another one, whose page is their place: what else is said of them.
 * @type {Place[]}
 */
export const PLACES = [
	{ form: 'agents', text: 'place.agents', hint: 'place.agentsHint', group: 'make', icon: 'agent',
		view: 'agents', part: 'agent', reload: true },
	{ form: 'prompts', text: 'place.prompts', hint: 'place.promptsHint', group: 'make', icon: 'prompt',
		view: 'gallery', part: 'prompt' },
	{ form: 'prompt-categories', text: 'place.categories', icon: 'tag', under: 'prompts' },
	{ form: 'mine', text: 'place.mine', group: 'own', icon: 'person', view: 'mine',
		permission: 'AIChat.Settings.Read' },
	{ form: 'settings', text: 'place.settings', group: 'own', icon: 'gear', part: 'setting',
		permission: 'AIChat.Settings.Read' },
	{ form: 'memories', text: 'place.memories', hint: 'place.memoriesHint', group: 'own', icon: 'thought',
		view: 'remembered', what: 'place.memory' },
	{ form: 'provider-instances', text: 'place.keys', hint: 'place.keysHint', group: 'own', icon: 'key',
		part: 'service', what: 'place.key', begins: { active: true }, mark: 'active' },
	{ form: 'tokens', text: 'place.tokens', hint: 'place.tokensHint', group: 'own', icon: 'code',
		what: 'place.token' },
	{ form: 'llm-services', text: 'place.models', hint: 'place.modelsHint', group: 'manage', icon: 'model',
		part: 'service', what: 'place.model' },
	{ form: 'workspaces', text: 'place.workspaces', group: 'manage', icon: 'rooms', reload: true },
	{ form: 'workspaces/services', text: 'place.models', icon: 'model', part: 'service',
		what: 'place.model' },
	{ form: 'knowledge-bases', text: 'place.knowledge', hint: 'place.knowledgeHint', group: 'make', icon: 'book',
		part: 'documents' },
	{ form: 'projects', text: 'place.projects', hint: 'place.projectsHint', group: 'work', icon: 'folder',
		view: 'projects', deep: true, find: true, described: 'project_create', imports: true,
		bin: true },
	{ form: 'events', text: 'place.myCalendar', hint: 'place.myCalendarHint', group: 'work', icon: 'calendar',
		view: 'calendar' },
	{ form: 'projects/members', text: 'place.members', icon: 'person' },
	{ form: 'projects/documents', text: 'place.documents', icon: 'notes', what: 'place.document' },
	{ form: 'documents/versions', text: 'place.versions', icon: 'list' },
	{ form: 'projects/tasks', text: 'place.tasks', icon: 'check' },
	{ form: 'projects/goals', text: 'place.goals', icon: 'flag' },
	{ form: 'projects/plans', text: 'place.plans', icon: 'list' },
	{ form: 'projects/milestones', text: 'place.milestones', icon: 'calendar' },
	{ form: 'projects/events', text: 'place.calendar', icon: 'calendar', what: 'place.event' },
	{ form: 'projects/calendars', text: 'place.calendars', icon: 'calendar' },
	{ form: 'projects/risks', text: 'place.risks', icon: 'warning' },
	{ form: 'projects/requirements', text: 'place.requirements', icon: 'scale' },
	{ form: 'shared', text: 'share.withMe', group: 'work', icon: 'person', under: 'mine',
		permission: 'AIChat.Conversations.Share' },
	{ form: 'conversation-shares', text: 'place.shares', icon: 'person', view: 'shares', under: 'mine',
		elsewhere: true },
	{ form: 'public-links', text: 'place.links', hint: 'place.linksHint', icon: 'link', view: 'links',
		under: 'settings' },
	{ form: 'conversation-folders', text: 'place.folders', icon: 'folder', under: 'mine',
		what: 'place.folder' },
	{ form: 'ratings', text: 'place.ratings', icon: 'thumb', view: 'rated', under: 'mine',
		elsewhere: true },
	{ form: 'rated-answers', text: 'place.rated', hint: 'place.ratedHint', group: 'manage', icon: 'thumb',
		view: 'rated' },
	{ form: 'plans', text: 'place.plans', icon: 'list', under: 'mine', label: 'goal' },
	{ form: 'attachments', text: 'place.files', hint: 'place.filesHint', group: 'work', icon: 'clip' },
];

export function conversationHash(id)
{
	return id ? `#/c/${encodeURIComponent(id)}` : '#/';
}

/**
 * The address of a place. parts: the id of a row, 'new', or '' for its list; of some,
 * what is below the row.
 * @param {string} name
 * @param {string[]} parts
 */
export function placeHash(name, ...parts)
{
	return `#/${[name, ...parts.filter(Boolean)].map(encodeURIComponent).join('/')}`;
}

/** The address of something in a project, or of a project, by its kind: "task". */
export function entityHash(kind, id, projectId)
{
	return kind === 'project' ? placeHash('projects', id) :
		placeHash('projects', projectId, `${kind}s`, id);
}

/** The name of a kind's icon. */
export function iconOfKind(kind)
{
	return PLACES.find(({ form }) => form === (kind === 'project' ? 'projects' :
		`projects/${kind}s`))?.icon || 'list';
}

function decoded(text)
{
	try {
		return decodeURIComponent(text);
	} catch {
		return '';
	}
}

/** @returns the conversation's id, '' for a new chat */
export function readHash(hash = location.hash)
{
	const match = /^#\/c\/([^/?]+)(?:\?m=\d+(?:&w=[^&]*)?)?$/.exec(hash);

	return match ? decoded(match[1]) : '';
}

/**
 * The address of a message, by its id.
 * @param {string[]} [words] that were found in it, to be shown
 */
export function messageHash(id, words = [])
{
	const [conversation, number] = id.split('.');
	const also = words.length === 0 ? '' : `&w=${encodeURIComponent(words.join(' '))}`;

	return `${conversationHash(conversation)}?m=${number}${also}`;
}

/** @returns the words that the address says were found in its message */
export function readWords(hash = location.hash)
{
	const match = /\?m=\d+&w=([^&]*)$/.exec(hash);

	return decoded(match?.[1] || '').split(' ').filter(Boolean);
}

/** @returns the id of the message that the address names, or '' */
export function readMessage(hash = location.hash)
{
	const match = /\?m=(\d+)(?:&w=[^&]*)?$/.exec(hash);

	return match && readHash(hash) ? `${readHash(hash)}.${match[1]}` : '';
}

/**
 * @returns {{name: string, id: string, kind?: string, item?: string} | null} name and id
 * of a place; kind and item: what is shown below the row; or null for a chat
 */
export function readPlace(hash = location.hash)
{
	const match = /^#\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?(?:\/([^/?]+))?$/.exec(hash);
	const [name, id, kind, item] = (match || []).slice(1).map((part) => decoded(part ?? ''));

	if (!name || name === 'c' || (kind && !PLACES.find(({ form }) => form === name)?.deep))
		return null;
	return kind ? { name, id, kind, item } : { name, id };
}

/** Goes to a conversation; back leads to where we were. */
export function go(id)
{
	location.hash = conversationHash(id);
}

/** Goes to a place. */
export function goPlace(name, ...parts)
{
	location.hash = placeHash(name, ...parts);
}

/** The same place under another address; back skips the old one. */
export function become(id)
{
	history.replaceState(history.state, '', conversationHash(id));
}

export function becomePlace(name, ...parts)
{
	history.replaceState(history.state, '', placeHash(name, ...parts));
}

/**
 * Where we are in the history, so that a step, forwards or back, can be undone
 * if the user prefers to stay.
 */
export class Trail {
	#at = 0;
	#undoing = false;

	constructor()
	{
		this.#at = history.state?.at ?? 0;
		this.#mark();
	}

	#mark()
	{
		history.replaceState({ at: this.#at }, '');
	}

	/** To be called at each hashchange. @returns false: it is an undone step */
	moved()
	{
		if (this.#undoing) {
			this.#undoing = false;
			return false;
		}
		return true;
	}

	/** Confirms the step. */
	accept()
	{
		// an entry that nobody has marked is a new one
		this.#at = history.state?.at ?? this.#at + 1;
		this.#mark();
	}

	/** Undoes the step; the page keeps showing the same. */
	undo()
	{
		const to = history.state?.at;

		this.#undoing = true;
		history.go(to === undefined ? -1 : this.#at - to);
	}
}
