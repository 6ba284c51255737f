// SPDX-License-Identifier: MIT
// Emphasis beside Chinese, Japanese and Korean, which write no blanks around it: a mark
// between their punctuation and a letter opens or closes as it would between letters.
// CommonMark's rule for it needs a blank there, so that **“重点”**是 shows its asterisks.
const WIDE = /[\u1100-\u11ff\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6]/;
const QUOTE = /[\u2014\u2018-\u201d\u2026]/;
const MARK = /[\p{P}\p{S}]/u;
/** these are marks of an emphasis themselves, or hide some */
const KEPT = /[*_\\]/;

/**
 * `text`, of the same length, for deciding what an asterisk is: punctuation between it
 * and such a script is a letter.
 * @param before the character in front of the text
 */
export function asLetters(text, before = '')
{
	if (!WIDE.test(text) && !WIDE.test(before))
		return text;
	const out = text.split('');

	for (const run of text.matchAll(/\*+/g)) {
		const sides = [run.index - 1, run.index + run[0].length];
		const [left, right] = [sides[0] < 0 ? before : text[sides[0]], text[sides[1]] || ''];

		if (!WIDE.test(left + right))
			continue;
		for (const at of sides) {
			const c = text[at] || '';

			if (MARK.test(c) && !KEPT.test(c) && (WIDE.test(c) || QUOTE.test(c) ||
			    WIDE.test(at === sides[0] ? right : left)))
				out[at] = 'x';
		}
	}
	return out.join('');
}

/** The character before, in the same way. */
export function letterBefore(before, text)
{
	const [, after = ''] = /^\*+([^*])?/.exec(text) || [];

	return MARK.test(before) && !KEPT.test(before) && WIDE.test(before + after) ? 'x' : before;
}
