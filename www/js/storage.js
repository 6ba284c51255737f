// SPDX-License-Identifier: MIT
// What the browser keeps for the page, where that is not forbidden and there is room.

/** @returns {Storage | null} it may be forbidden */
export function local()
{
	try {
		return localStorage;
	} catch {
		return null;
	}
}

/** @returns {Storage | null} */
export function session()
{
	try {
		return sessionStorage;
	} catch {
		return null;
	}
}

/** @returns {string} '' if there is none */
export function read(store, name)
{
	try {
		return store?.getItem(name) || '';
	} catch {
		return '';
	}
}

export function drop(store, name)
{
	try {
		store?.removeItem(name);
	} catch {
		// was never there
	}
}

/** @returns false if there is no room */
export function write(store, name, text)
{
	try {
		store.setItem(name, text);
		return true;
	} catch {
		return false;
	}
}
