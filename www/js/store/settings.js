// What this browser remembers: the colours and the last workspace and agent.
// Storage may be forbidden; then nothing is remembered and nothing breaks.
import { Observable } from '../observable.js';

const PREFIX = 'lamplighter.';

export function remembered(key)
{
	try {
		return localStorage.getItem(PREFIX + key) || '';
	} catch {
		return '';
	}
}

export function remember(key, value)
{
	try {
		if (value)
			localStorage.setItem(PREFIX + key, value);
		else
			localStorage.removeItem(PREFIX + key);
	} catch {
		// private windows may forbid it
	}
}

/** The colours: '' (as the system), 'light' or 'dark'. */
export class Theme extends Observable {
	#system = matchMedia('(prefers-color-scheme: dark)');

	constructor()
	{
		super();
		const stored = remembered('theme');

		this.choice = stored === 'light' || stored === 'dark' ? stored : '';
		this.#system.addEventListener('change', () => this.#show());
		this.#show();
	}

	set(choice)
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
