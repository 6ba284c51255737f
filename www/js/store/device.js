// SPDX-License-Identifier: MIT
// What this browser keeps for the page, over all of its parts: how much of it there is, and
// its end. Independent of the DOM.
import { drop, local, read, session } from '../storage.js';

const ALL = 'lamplighter.';
const DRAFTS = 'lamplighter.draft ';
const ANSWERS = 'lamplighter.unstored.';
const FOLDERS = 'lamplighter.folders ';

const stores = () => [local(), session()].filter((store) => store !== null);

/** Whether it is of this installation: another one of the host has its own. */
function isOf(base, store, key)
{
	if (key.startsWith(ANSWERS)) {
		try {
			return JSON.parse(read(store, key)).base === base;
		} catch {
			return true;
		}
	}
	return key.startsWith(ALL) && (!key.includes(' ') || `${key} `.includes(` ${base} `));
}

/** [store, key] of all of it. */
const keys = (base) => stores().flatMap((store) => Object.keys(store)
	.filter((key) => isOf(base, store, key)).map((key) => [store, key]));

/**
 * How much of it there is.
 * @param {string} base of the API
 * @returns {{drafts: number, answers: number, choices: number}} drafts: not sent yet; answers:
 *          that the server could not store; choices: of the page
 */
export function kept(base)
{
	const names = new Set(keys(base).map(([, key]) => key));
	const count = (test) => [...names].filter(test).length;

	return {
		drafts: count((key) => key.startsWith(DRAFTS) && !key.endsWith(' .order')),
		answers: count((key) => key.startsWith(ANSWERS)),
		choices: count((key) => (!key.includes(' ') || key.startsWith(FOLDERS)) &&
			!key.startsWith(ANSWERS) && read(local(), key) !== ''),
	};
}

/** Removes all of it. */
export function forget(base)
{
	for (const [store, key] of keys(base))
		drop(store, key);
}
