// SPDX-License-Identifier: MIT
// JSON whose integers keep all their digits: integers that a Number cannot hold
// exactly are read as BigInt and written unchanged. What the user approves must
// be what runs, to the last digit.
const MARK = `exact-${[...crypto.getRandomValues(new Uint32Array(4))].join('-')}:`;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MAY_BE_LONG = /\d{16}/;
const LONG = /^-?\d{16,}$/;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** @throws SyntaxError */
export function parseExact(text)
{
	if (!MAY_BE_LONG.test(text))
		return JSON.parse(text);
	const marked = text.replace(TOKEN, (token) => LONG.test(token) &&
		!Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token);

	return JSON.parse(marked, (_, value) => typeof value === 'string' &&
		value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value);
}

/** Writes a value that may contain such integers as JSON. */
export function toJson(value, indent)
{
	let found = false;
	const text = JSON.stringify(value, (_, item) => {
		if (typeof item !== 'bigint')
			return item;
		found = true;
		return `${MARK}${item}`;
	}, indent);

	return found ? text.replace(MARKED, '$1') : text;
}
