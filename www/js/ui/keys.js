// SPDX-License-Identifier: MIT
// The keys of the page, which its help lists (dialogs.js). None of them works while a dialog
// is open.

/** Those with Alt, by the place of their key. */
const WITH_ALT = { KeyN: 'newChat', KeyM: 'toField', KeyS: 'stop' };

/**
 * @typedef {'newChat' | 'toField' | 'stop' | 'search' | 'help' | 'begin' | 'end' |
 *          'closeDrawer'} Act
 */

/** Whether a key was pressed where text is typed. */
function typing({ target })
{
	return Boolean(target.closest?.('input, textarea, select'));
}

/**
 * What a key asks for.
 * @param {KeyboardEvent & {target: any}} event
 * @param {boolean} drawer whether the drawer is open
 * @returns {Act | undefined}
 */
function actOf(event, drawer)
{
	const control = event.ctrlKey || event.metaKey;
	const plain = !control && !event.shiftKey && !event.getModifierState('AltGraph');

	if (event.altKey)
		return plain ? WITH_ALT[event.code] : undefined;
	if (control)
		return !event.shiftKey && event.key.toLowerCase() === 'k' ? 'search' : undefined;
	if (event.key === 'Escape')
		return drawer ? 'closeDrawer' : undefined;
	if (typing(event))
		return undefined;
	if (event.key === '?')
		return 'help';
	if (plain && (event.target === document.body || event.target.closest?.('lamp-thread')))
		return { Home: 'begin', End: 'end' }[event.key];
	return undefined;
}

/**
 * Does what a key asks for.
 * @param {KeyboardEvent} event
 * @param {Record<Act, () => unknown>} acts
 * @param {boolean} drawer whether the drawer is open
 */
export function onKey(event, acts, drawer)
{
	if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]'))
		return;
	const act = actOf(event, drawer);

	if (!act)
		return;
	event.preventDefault();
	acts[act]();
}
