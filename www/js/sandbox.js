// SPDX-License-Identifier: MIT
// What a model has written as HTML, SVG or a diagram, confined: in the page of GET /frame,
// whose policy gives it an origin of its own and no network (fcgi-app/api/frame.c). This
// takes from the content what no policy forbids: WebRTC, and hints by which browsers look
// up hosts ahead of time. A frame within the content would have all of it again, so there
// is no way to make one that can run anything.

/** Elements that lead out of a document, or change what is in it. */
const NAMES = 'i?frame|frameset|object|embed|portal|fencedframe|link|meta|base';

/** With the prefix that a name may have in XML. */
const TAG = new RegExp(`<(/?)(?=(?:[^\\s<>/:]*:)?(?:${NAMES})(?![\\w-]))`, 'gi');

/** HTML in which such elements are unknown ones. */
export function withoutFrames(html)
{
	return html.replace(TAG, '<$1x-');
}

/**
 * Runs in the content, before anything of it: this function's text is its first script,
 * so it must not use anything from around it. RegExp.prototype is frozen, because replace
 * and test look their parts up in it; whatever else is used is kept from before the content
 * could change it. own: the scripts are the page's libraries, which need a parser, whose
 * text passes the same policy, and must not ask for a policy of their own.
 */
function confine(names, own)
{
	const tag = new RegExp(`<(/?)(?=(?:[^\\s<>/:]*:)?(?:${names})(?![\\w-]))`, 'gi');
	const whole = new RegExp(`^(?:[^:]*:)?(?:${names})$`, 'i');
	const { apply, defineProperty } = Reflect;
	const { replace, startsWith } = String.prototype;
	const { test } = RegExp.prototype;
	const text = String;
	/** @type {any} */
	const self = globalThis;

	Object.freeze(RegExp.prototype);
	self.trustedTypes?.createPolicy('default', {
		createHTML: (html) => apply(replace, text(html), [tag, '<$1x-']),
		// of elements and their handlers; not javascript: addresses, eval
		createScript: (code, type, sink) => apply(startsWith, text(sink), ['HTMLScriptElement']) ||
			apply(startsWith, text(sink), ['Element on']) ? code : null,
		createScriptURL: () => null,
	});
	for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport',
		'XSLTProcessor', own ? '' : 'DOMParser'])
		delete self[name];
	if (own)
		defineProperty(self, 'trustedTypes', { value: undefined });
	// by pieces, a tag can be written that no piece has
	for (const name of ['write', 'writeln', 'open', 'execCommand'])
		delete Document.prototype[name];
	['createElement', 'createElementNS'].forEach((name, at) => {
		const make = Document.prototype[name];

		defineProperty(Document.prototype, name, {
			configurable: false, writable: false,
			value: function create(first, second, third)
			{
				const asked = text(at ? second : first);
				const made = apply(test, whole, [asked]) ? 'x-frame' : asked;

				return at ? apply(make, this, [first, made, third]) :
					apply(make, this, [made, second]);
			},
		});
	});
	document.currentScript?.remove();
}

/**
 * The document that is shown for the content: HTML, SVG within HTML, or anything else that
 * a browser reads as HTML.
 */
export function confined(html)
{
	return first(false) + withoutFrames(html);
}

/** The same for scripts of the page, in the same order. */
export function confinedScripts(scripts)
{
	return `${first(true)}<body>${scripts.map((code) => `<script>${code}</script>`).join('')}`;
}

function first(own)
{
	return `<!doctype html><meta charset="utf-8"><script>(${confine})(${
		JSON.stringify(NAMES)}, ${own})</script>`;
}

/**
 * Puts the frame into an element and shows content in it.
 * @param {Element} box
 * @param {string} html as confined() makes it; with `own`, as confinedScripts() does
 * @param {object} how
 * @param {boolean} [how.own]
 * @param {string} how.title
 * @param {(data: any) => void} [how.said] gets what the content says to its parent: of any
 *        shape, from anyone
 * @param {(scripts: boolean) => void} [how.ready] is told once whether its scripts run
 * @returns the function that removes it
 */
export function openSandbox(box, html, { own = false, title, said, ready })
{
	const frame = document.createElement('iframe');
	const { port1: port, port2: theirs } = new MessageChannel();

	frame.className = 'sandbox';
	frame.title = title;
	// the same as its policy says, for as long as there is another document in it
	frame.setAttribute('sandbox', 'allow-scripts');
	frame.setAttribute('allow', '');
	frame.setAttribute('referrerpolicy', 'no-referrer');
	frame.src = './api/v1/frame';
	port.onmessage = ({ data }) => {
		if ('scripts' in data) {
			ready?.(data.scripts);
			port.postMessage({ html, own });
		} else {
			said?.(data.said);
		}
	};
	frame.addEventListener('load', () =>
		frame.contentWindow?.postMessage('', '*', [theirs]), { once: true });
	box.replaceChildren(frame);

	return () => {
		port.close();
		frame.remove();
	};
}
