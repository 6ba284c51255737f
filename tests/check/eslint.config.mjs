// SPDX-License-Identifier: MIT
// What the linter looks for in JavaScript (js.py beside this file): faults, not form.

/** Of browsers and of Node.js; a name that is misspelt is in neither. */
const globals = `AbortController Blob BroadcastChannel Buffer CSS ClipboardEvent CustomEvent DataTransfer
	Document DragEvent Event File FormData HTMLButtonElement HTMLElement Headers Highlight Image
	IntersectionObserver KeyboardEvent MessageChannel MouseEvent MutationObserver NodeFilter
	Notification OffscreenCanvas ReadableStream SpeechSynthesisUtterance speechSynthesis
	ResizeObserver Response TextDecoder TextDecoderStream TextEncoder URL URLSearchParams
	XMLHttpRequest XMLSerializer addEventListener cancelAnimationFrame clearInterval clearTimeout console
	createImageBitmap crypto customElements dispatchEvent document fetch getComputedStyle
	history innerHeight innerWidth localStorage location matchMedia navigator parent performance
	process requestAnimationFrame sessionStorage setImmediate setInterval setTimeout
	structuredClone window`;

const faults = `array-callback-return constructor-super eqeqeq for-direction getter-return
	no-async-promise-executor no-class-assign no-compare-neg-zero no-cond-assign no-const-assign
	no-constant-binary-expression no-constant-condition no-constructor-return no-debugger
	no-dupe-args no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case
	no-duplicate-imports no-empty-character-class no-empty-pattern no-eval no-ex-assign
	no-fallthrough no-func-assign no-implied-eval no-import-assign no-invalid-regexp
	no-irregular-whitespace no-misleading-character-class no-new-func
	no-new-native-nonconstructor no-obj-calls no-prototype-builtins no-self-assign
	no-self-compare no-setter-return no-shadow-restricted-names no-sparse-arrays
	no-template-curly-in-string no-this-before-super no-unassigned-vars no-undef
	no-unexpected-multiline no-unmodified-loop-condition no-unreachable no-unreachable-loop
	no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining
	no-unused-private-class-members no-useless-backreference no-useless-escape no-var
	prefer-const require-yield use-isnan valid-typeof`;

const words = (text) => text.trim().split(/\s+/);

export default [{
	linterOptions: { reportUnusedDisableDirectives: 'error' },
	languageOptions: {
		globals: Object.fromEntries(words(globals).map((name) => [name, 'readonly'])),
	},
	rules: {
		...Object.fromEntries(words(faults).map((rule) => [rule, 'error'])),
		// a method that others write may have arguments that it does not need itself
		'no-unused-vars': ['error', { args: 'none', caughtErrors: 'all' }],
	},
}, {
	// tests run in Node.js
	ignores: ['tests/**'],
	rules: {
		// Safari has them since 16.4 only, and throws where it meets one
		'no-restricted-syntax': ['error', ...['Literal[regex.pattern', 'Literal[value', 'TemplateElement[value.raw']
			.map((what) => ({ selector: `${what}=/\\(\\?<[=!]/]`, message: 'a look behind, which older browsers lack' }))],
	},
}];
