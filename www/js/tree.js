// SPDX-License-Identifier: MIT
// Trees of documents, [{id, …, children}] as the API has them: what of one is visible, and
// where a step leads. A place is {parentId: '' at the top, position}, the position among
// the others there. Independent of DOM and HTTP.

/**
 * @typedef {object} Place
 * @property {string} parentId
 * @property {number} position
 *
 * @typedef {object} Line a document that is visible
 * @property {any} node
 * @property {any} parent   null at the top
 * @property {any[]} among  its siblings and itself
 * @property {number} at    its place among them
 * @property {number} level 1 at the top
 * @property {boolean} open whether what is under it is visible, if there is something
 */

/** The visible documents in their order; closed: ids. @returns {Line[]} */
export function linesOf(root, closed = new Set())
{
	const lines = [];
	const walk = (among, parent, level) => among.forEach((node, at) => {
		const open = node.children.length > 0 && !closed.has(node.id);

		lines.push({ node, parent, among, at, level, open });
		if (open)
			walk(node.children, node, level + 1);
	});

	walk(root, null, 1);
	return lines;
}

/** @returns {Line | undefined} a document, also an invisible one */
export function lineOf(root, id)
{
	return linesOf(root).find(({ node }) => node.id === id);
}

/** Those above a document, the topmost first. @returns {any[]} */
export function pathTo(root, id)
{
	const path = [];

	for (let line = lineOf(root, id); line?.parent; line = lineOf(root, line.parent.id))
		path.unshift(line.parent);
	return path;
}

/** Whether it is the document or under it. */
export function isWithin(node, id)
{
	return node.id === id || node.children.some((child) => isWithin(child, id));
}

/** Where a step leads: 'up', 'down', 'in' or 'out'. @returns {Place | null} null: nowhere */
export function placeBeside(root, id, step)
{
	const { parent = null, among = [], at = -1 } = lineOf(root, id) || {};
	const parentId = parent?.id || '';

	switch (at < 0 ? '' : step) {
	case 'up':
		return at > 0 ? { parentId, position: at - 1 } : null;
	case 'down':
		return at < among.length - 1 ? { parentId, position: at + 1 } : null;
	case 'in':
		return at > 0 ? { parentId: among[at - 1].id,
			position: among[at - 1].children.length } : null;
	case 'out': {
		if (!parent)
			return null;
		const above = lineOf(root, parentId);

		return { parentId: above.parent?.id || '', position: above.at + 1 };
	}
	default:
		return null;
	}
}

/** Where it comes 'before', 'after' or 'into' another one. @returns {Place | null} */
export function placeNear(root, id, other, how)
{
	const moved = lineOf(root, id);
	const near = lineOf(root, other);

	if (!moved || !near || isWithin(moved.node, other))
		return null;
	const among = (how === 'into' ? near.node.children : near.among)
		.filter((node) => node.id !== id);

	if (how === 'into')
		return { parentId: other, position: among.length };
	return { parentId: near.parent?.id || '',
		position: among.indexOf(near.node) + (how === 'after' ? 1 : 0) };
}

/** The tree with a document in another place. */
export function withMoved(root, id, { parentId, position })
{
	const { node } = lineOf(root, id);
	const put = (list) => [...list.slice(0, position), node, ...list.slice(position)];
	const build = (list, under) => {
		const rest = list.filter((one) => one !== node).map((one) => ({ ...one,
			children: build(one.children, one.id) }));

		return under === parentId ? put(rest) : rest;
	};

	return build(root, '');
}
