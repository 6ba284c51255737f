// SPDX-License-Identifier: MIT
// Every text the page shows, in English; those of other languages come from catalogues
// (docs/translating.md), and what they lack stays English. {name} is replaced; a text that
// depends on a count is { one, other } and needs `n`.
import { LANGUAGES } from '../vendor/lang/index.js';
import { dialogs } from './strings-dialogs.js';
import { page } from './strings-page.js';

const en = { ...page, ...dialogs };

/** Texts of what is loaded when it is first needed (ui/later.js). */
export function addTexts(texts)
{
	Object.assign(en, texts);
}

/** Of the chosen language: its texts by key, and its rule for plurals; null: English. */
let words = null;
let culture = 'en';
let formats = culture;

function isKnown(tag)
{
	try {
		return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
	} catch {	// no language tag: "en-US@posix" is what some browsers say
		return false;
	}
}

/** The language that a tag finds, "de" for "de-CH"; undefined: there is none. */
function languageOf(tag)
{
	for (let range = tag.toLowerCase(); range; range = range.replace(/-?[^-]*$/, '')) {
		const found = ['en', ...Object.keys(LANGUAGES)].find((known) => known.toLowerCase() === range);

		if (found)
			return found;
	}
	return undefined;
}

/** The first language of those that are wanted which there are texts in. */
export function pick(wanted)
{
	return wanted.map(languageOf).find(Boolean) ?? 'en';
}

/**
 * Chooses the language of the texts, e.g. from navigator.languages; what can't be loaded
 * stays English. Dates and numbers have the form of the first language of all.
 * @returns {Promise<{lang: string, dir: string}>} for <html>
 */
export async function setCulture(wanted)
{
	const chosen = pick(wanted);

	formats = wanted.find(isKnown) ?? chosen;
	words = chosen === 'en' ? null : await LANGUAGES[chosen].load().catch(() => null);
	culture = words ? chosen : 'en';
	return { lang: culture, dir: words && LANGUAGES[culture].rtl ? 'rtl' : 'ltr' };
}

/** The language of the texts. */
export function language()
{
	return culture;
}

/** The language for number and date formats, with its region: the browser's first. */
export function locale()
{
	return formats;
}

/** True when there is a text of that name. */
export function has(key)
{
	return key in en;
}

/** The text of that name with its {placeholders} filled in. */
export function t(key, values = {})
{
	let text = words?.texts[key] ?? en[key];

	if (text === undefined)
		return key;
	if (Array.isArray(text))
		text = text[words.plural(values.n)];
	else if (typeof text === 'object')
		text = Number(values.n) === 1 ? text.one : text.other;
	return text.replace(/\{(\w+)\}/g, (whole, name) => {
		const value = values[name];

		if (value === undefined)
			return whole;
		return typeof value === 'number' ? value.toLocaleString(formats) : value;
	});
}
