// The open conversation is in the address: #/c/{conversationId}. Anything
// else is a new chat.

export function conversationHash(id)
{
	return id ? `#/c/${encodeURIComponent(id)}` : '#/';
}

/** @returns the conversation's id, '' for a new chat */
export function readHash(hash = location.hash)
{
	const match = /^#\/c\/([^/?]+)$/.exec(hash);

	if (!match)
		return '';
	try {
		return decodeURIComponent(match[1]);
	} catch {
		return '';
	}
}

/** Goes to a conversation; back leads to where we were. */
export function go(id)
{
	location.hash = conversationHash(id);
}

/** The same place under another address; back skips the old one. */
export function become(id)
{
	history.replaceState(null, '', conversationHash(id));
}
