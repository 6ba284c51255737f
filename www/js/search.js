// SPDX-License-Identifier: MIT
// Search by any words, in any order, or parts of them. Independent of DOM and HTTP.

/** As it is compared: without capitals and accents. */
function plain(text)
{
	return String(text ?? '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether each word of q is in one of the texts. */
export function matches(q, ...texts)
{
	const all = texts.map(plain).join('\n');

	return plain(q).split(/\s+/).filter(Boolean).every((word) => all.includes(word));
}
