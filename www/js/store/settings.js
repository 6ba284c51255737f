// SPDX-License-Identifier: MIT
// What this browser remembers: the colours and the last workspace and agent;
// and what the user's settings (GET /me) say about the page. If storage is
// forbidden, nothing is remembered and nothing breaks.
import { followLanguage } from '../culture.js';
import { Observable } from '../observable.js';
import { drop, local, read, write } from '../storage.js';

const PREFIX = 'lamplighter.';

export function remembered(key)
{
	return read(local(), PREFIX + key);
}

/** What the settings say about the page as a whole. */
export function applySettings(settings, theme)
{
	followLanguage(settings.language);
	if (settings.theme)
		theme.follow(settings.theme);
	document.documentElement.dataset.density = settings.density || 'comfortable';
}

export function remember(key, value)
{
	if (value)
		write(local(), PREFIX + key, value);
	else
		drop(local(), PREFIX + key);
}

/** The colours: '' (as the system), 'light' or 'dark'. */
export class Theme extends Observable {
	#system = matchMedia('(prefers-color-scheme: dark)');
	#save;

	/** @param {(theme: string) => Promise<unknown>} save stores the setting theme */
	constructor(save = async () => {})
	{
		super();
		this.#save = save;
		const stored = remembered('theme');

		this.choice = stored === 'light' || stored === 'dark' ? stored : '';
		this.#system.addEventListener('change', () => this.#show());
		this.#show();
	}

	/** The user's choice on this page. */
	set(choice)
	{
		const setting = choice || 'system';

		this.#take(choice);
		this.#save(setting).then(() => remember('theme.setting', setting),
			() => {});	// then only this browser remembers it
	}

	/**
	 * The setting, as the server has it: if it has changed since this
	 * browser saw it, it takes precedence over the choice made here.
	 */
	follow(setting)
	{
		if (setting === (remembered('theme.setting') || 'system'))
			return;
		remember('theme.setting', setting);
		this.#take(setting === 'system' ? '' : setting);
	}

	#take(choice)
	{
		this.choice = choice;
		remember('theme', choice);
		this.#show();
		this.changed();
	}

	#show()
	{
		const dark = this.choice ? this.choice === 'dark' : this.#system.matches;

		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	}
}
