// SPDX-License-Identifier: MIT
// What is in a message field: where somebody is choosing with @ or /, which of
// the known mentions the text still has, and a prompt with its blanks filled.
// Independent of the DOM.

/** Maximum length of a search; longer ones are ordinary text. */
const TYPED_MAX = 60;

/** "@" after a blank or at the beginning; "/" at the beginning of a line. */
const TRIGGERS = [
	{ kind: '@', sign: /(?:^|[\s([])@$/, typed: /^(?![\s])[^\n@]*$/ },
	{ kind: '/', sign: /(?:^|\n)\/$/, typed: /^(?![\s])[^\n/]*$/ },
];

/**
 * What is being chosen at the caret.
 * @param known mentions that are chosen already: their handles open nothing
 * @returns kind ('@' or '/'), start (where its sign stands) and q (behind it), or null
 */
export function triggerAt(text, caret, known = [])
{
	const before = text.slice(Math.max(0, caret - TYPED_MAX - 2), caret);
	const skipped = caret - before.length;
	let found = null;

	for (const { kind, sign, typed } of TRIGGERS) {
		const at = before.lastIndexOf(kind);

		// where a piece was cut off, its first character may be
		// within a word
		if (at < 0 || (at === 0 && skipped > 0) ||
		    !sign.test(before.slice(0, at + 1)) || !typed.test(before.slice(at + 1)))
			continue;
		if (!found || skipped + at > found.start)
			found = { kind, start: skipped + at, q: before.slice(at + 1) };
	}
	return found?.kind === '@' && known.some(({ handle }) =>
		handlePattern(handle).exec(`@${found.q}`)?.index === 0) ? null : found;
}

/** Matches a handle in a text, but not as part of a longer one. */
function handlePattern(handle)
{
	const plain = handle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

	return new RegExp(`@${plain}(?![\\w%/~-]|\\.\\w)`);
}

/** Those of the known mentions that the text has, each once. */
export function mentionsIn(text, known)
{
	const seen = new Set();

	return known.filter(({ ref, handle }) => !seen.has(ref) &&
		handlePattern(handle).test(text) && seen.add(ref));
}

/** The agent that a text asks, of the known mentions; or undefined. */
export function askedIn(text, known)
{
	return mentionsIn(text, known.filter(({ type }) => type === 'agent'))[0];
}

/** What answers in place of an answer by another agent begin with. */
export function lentTo({ meta })
{
	return meta.agentId ? { agentId: meta.agentId } : {};
}

/** The text without a mention. */
export function withoutMention(text, { handle })
{
	const pattern = handlePattern(handle);
	let left = text;

	while (pattern.test(left))
		left = left.replace(pattern, '').replace(/ {2,}/g, ' ');
	return left;
}

/** What a text says to the agent that it asks: without the name of that agent. */
export function saidIn(text, known)
{
	const agent = askedIn(text, known);

	return agent && withoutMention(text, agent).replace(/^[\s,:;]+|\s+$/g, '')
		.replace(/[\s,]+([.?!]+)$/, '$1') || text;
}

/** A prompt's body with values in place of its blanks. @param values by name */
export function fillBlanks(body, values)
{
	return body.replace(/\\\{\{|\{\{([^{]*?)\}\}/g, (found, inner) =>
		inner === undefined ? '{{' : values[inner.split(':')[0].trim()] ?? found);
}

/** The members of a request for a text with those known mentions that are in it. */
export function mentionsOf(content, known = [])
{
	const mentions = mentionsIn(content, known).filter(({ type }) => type !== 'agent')
		.map(({ ref }) => ref);
	const lent = askedIn(content, known);

	return { content: saidIn(content, known), ...mentions.length > 0 && { mentions },
		...lent && { answerAgentId: lent.agentId } };
}
