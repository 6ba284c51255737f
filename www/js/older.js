// SPDX-License-Identifier: MIT
// What the oldest browsers of docs/page.md lack and the page uses. Syntax is the
// bundler's matter.
function define(proto, name, value)
{
	if (!proto[name])
		Object.defineProperty(proto, name, { value, configurable: true, writable: true });
}

// Firefox 104
define(Array.prototype, 'findLastIndex',
	/** @this {unknown[]} */
	function findLastIndex(test, self)
	{
		let at = this.length - 1;

		while (at >= 0 && !test.call(self, this[at], at, this))
			at--;
		return at;
	});
define(Array.prototype, 'findLast',
	/** @this {unknown[]} */
	function findLast(test, self)
	{
		return this[this.findLastIndex(test, self)];
	});

// Safari
define(globalThis, 'requestIdleCallback',
	(run) => setTimeout(() => run({ timeRemaining: () => 0, didTimeout: false }), 50));
