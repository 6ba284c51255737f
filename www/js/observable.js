// SPDX-License-Identifier: MIT
// State that notifies its watchers of changes, and the lit controller that
// redraws an element for it.

export class Observable {
	#watchers = new Set();

	/** Calls fn after each change. @returns the function that ends it */
	watch(fn)
	{
		this.#watchers.add(fn);
		return () => this.#watchers.delete(fn);
	}

	/** To be called by the state itself after it has changed. */
	changed()
	{
		for (const fn of [...this.#watchers])
			fn(this);
	}
}

/**
 * Redraws a lit element when what it shows changes. `pick` names the
 * observable; it is called before each drawing, so the element may get another
 * one.
 */
export class Watch {
	#host;
	#pick;
	#seen = null;
	#end = null;

	constructor(host, pick)
	{
		this.#host = host;
		this.#pick = pick;
		host.addController(this);
	}

	hostUpdate()
	{
		const now = this.#host.isConnected ? this.#pick() : null;

		if (now === this.#seen)
			return;
		this.#end?.();
		this.#seen = now || null;
		this.#end = now ? now.watch(() => this.#host.requestUpdate()) : null;
	}

	hostConnected()
	{
		this.#host.requestUpdate();
	}

	hostDisconnected()
	{
		this.#end?.();
		this.#end = null;
		this.#seen = null;
	}
}
