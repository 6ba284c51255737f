// SPDX-License-Identifier: MIT
// The keys of the page, which its help lists (dialogs.js). None of them works while a dialog
// is open.

/** Those with Alt, by the place of their key. */
const WITH_ALT = { KeyN: 'newChat', KeyM: 'toField', KeyP: 'places', KeyS: 'stop' };

/**
 * @typedef {'newChat' | 'toField' | 'places' | 'stop' | 'search' | 'help' | 'print' | 'begin' | 'end' |
 *          'closeDrawer' | 'toTitle' | 'closePlace'} Act
 *
 * @typedef {{drawer: boolean, place: boolean}} Shown whether the drawer is open, and a place shown
 */

/** With Ctrl, also in a field. */
function withControl({ key, shiftKey }, { place })
{
	// a key of its own on some keyboards, and Shift with 7 on others
	if (key === '/')
		return 'help';
	if (shiftKey)
		return undefined;
	// the browser alone would print what is loaded
	return { k: 'search', p: place ? undefined : 'print' }[key.toLowerCase()];
}

/** What Escape closes; in a field of a place, the field first. */
function escaped(event, { drawer, place })
{
	const { type, value } = event.target;

	if (drawer)
		return 'closeDrawer';
	// the browser empties it
	if (!place || (type === 'search' && value))
		return undefined;
	return typing(event) ? 'toTitle' : 'closePlace';
}

/** Whether a key was pressed where text is typed. */
function typing({ target })
{
	return Boolean(target.closest?.('input, textarea, select'));
}

/**
 * What a key asks for.
 * @param {KeyboardEvent & {target: any}} event
 * @param {Shown} shown
 * @returns {Act | undefined}
 */
function actOf(event, shown)
{
	const control = event.ctrlKey || event.metaKey;
	const plain = !control && !event.shiftKey && !event.getModifierState('AltGraph');

	if (event.altKey)
		return plain ? WITH_ALT[event.code] : undefined;
	if (control)
		return withControl(event, shown);
	if (event.key === 'Escape')
		return escaped(event, shown);
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
 * @param {Shown} shown
 */
export function onKey(event, acts, shown)
{
	if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]'))
		return;
	const act = actOf(event, shown);

	if (!act)
		return;
	event.preventDefault();
	acts[act]();
}
