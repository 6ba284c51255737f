// SPDX-License-Identifier: MIT
// The language of the page, chosen before anything is drawn: the user's setting, as this
// browser saw it last, else what the browser asks for.
import { pick, setCulture } from './strings.js';
import { drop, local, read, write } from './storage.js';

const KEY = 'lamplighter.language';
const wanted = (setting) => [setting, ...navigator.languages || []].filter(Boolean);

/** Resolves as soon as the texts are there. */
export const texts = setCulture(wanted(read(local(), KEY))).then(({ lang, dir }) => {
	Object.assign(document.documentElement, { lang, dir });
});

/** The setting, as the server has it: the page begins anew if its language is another. */
export function followLanguage(setting)
{
	const before = read(local(), KEY), now = setting || '';

	if (now === before)
		return;
	if (now)
		write(local(), KEY, now);
	else
		drop(local(), KEY);
	// where nothing is kept, it would begin anew for ever
	if (read(local(), KEY) === now && pick(wanted(now)) !== pick(wanted(before)))
		location.reload();
}
