// SPDX-License-Identifier: MIT
// Debian's Firefox over WebDriver BiDi. Playwright 1.60 drives it, and leaves out what the
// tests need: bodies of requests, media, touch, pages without scripts, text at once, where a
// download is. All of that is here, so that a test is the same in each browser. It reaches
// into Playwright, whose version tests/package-lock.json holds; what a later one can do by
// itself goes from here.
import { firefox } from 'playwright-core';

const PREFS = {
	// what is heard on this machine is what WebRTC can reach
	'media.peerconnection.ice.loopback': true,
	// what it takes over TLS, also without
	'network.http.accept-encoding': 'gzip, deflate, br, zstd',
};
const BODY_BYTES = 2e7;

/**
 * Runs in the browser's own process: sets fields of a page's browsing context, and of those
 * that come in its place (our policy of openers makes the browser do so). Outside of any
 * window, since it outlives the one that it is called in.
 */
const SET_CONTEXT = `(id, fields) => {
	const { NavigableManager } = ChromeUtils.importESModule(
		'chrome://remote/content/shared/NavigableManager.sys.mjs');

	if (!NavigableManager.emulation) {
		const box = new Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal());

		box.Services = Services;
		Cu.evalInSandbox(\`
			const all = new Map();
			const apply = (context) => Object.assign(context, JSON.parse(all.get(context.browserId)));

			function set(context, fields)
			{
				all.set(context.browserId, fields);
				apply(context);
			}
			Services.obs.addObserver((context) => {
				if (!context.parent && all.has(context.browserId))
					apply(context);
			}, 'browsing-context-attached');\`, box);
		NavigableManager.emulation = box;
	}
	NavigableManager.emulation.set(NavigableManager.getBrowsingContextById(id), fields);
}`;

/** Runs a function, given as text, in the browser's own process, with strings. @returns a string */
async function inBrowser(session, functionDeclaration, ...values)
{
	const { contexts: [{ context }] } = await session.send('browsingContext.getTree',
		{ 'moz:scope': 'chrome', maxDepth: 0 });
	const { type, exceptionDetails, result } = await session.send('script.callFunction', {
		functionDeclaration, awaitPromise: true, target: { context },
		arguments: values.map((value) => ({ type: 'string', value })) });

	if (type === 'exception')
		throw new Error(exceptionDetails.text);
	return result.value;
}

const setContext = (session, fields) =>
	inBrowser(session, SET_CONTEXT, session.sessionId, JSON.stringify(fields));

/** Runs in the browser's own process: the tree for accessibility, when it no longer changes. */
const TREE = `async (id) => {
	const { NavigableManager } = ChromeUtils.importESModule(
		'chrome://remote/content/shared/NavigableManager.sys.mjs');
	const service = Cc['@mozilla.org/accessibilityService;1'].getService(Ci.nsIAccessibilityService);
	const { STATE_BUSY, EXT_STATE_MODAL } = Ci.nsIAccessibleStates;
	const property = (one, name) => {
		try {
			return one.attributes.getStringProperty(name);
		} catch {
			return '';
		}
	};
	const states = (one) => {
		const [state, extra] = [{}, {}];

		one.getState(state, extra);
		return { busy: Boolean(state.value & STATE_BUSY), modal: Boolean(extra.value & EXT_STATE_MODAL) };
	};
	const told = (one, all) => {
		const level = Number(property(one, 'level'));

		all.push({ role: property(one, 'xml-roles').split(' ')[0] || service.getStringRole(one.role),
			name: one.name ?? '', level, live: property(one, 'live'), modal: states(one).modal });
		for (let child = one.firstChild; child; child = child.nextSibling)
			told(child, all);
		return all;
	};
	let last = '';

	for (;;) {
		const root = service.getAccessibleFor(NavigableManager.getBrowserById(id))?.firstChild;
		const now = root && !states(root).busy ? JSON.stringify(told(root, [])) : '';

		if (now && now === last)
			return now;
		last = now;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}`;
const ROLES = { entry: 'textbox', pushbutton: 'button', checkbutton: 'checkbox', radiobutton: 'radio',
	'editable combobox': 'combobox' };

/** What a screen reader is told of a page: {role, name, level, live, modal} in its order. */
export async function accessible(page)
{
	const { _session: session } = page._connection.toImpl(page).delegate;

	return JSON.parse(await inBrowser(session, TREE, session.sessionId)).map((one) =>
		({ ...one, role: ROLES[one.role] ?? one.role }));
}

/** The clipboard without the browser's own question, which is what its permission is. */
const READ_CLIPBOARD = `() => Services.prefs.setBoolPref('dom.events.testing.asyncClipboard', true)`;

/** Media and scripts of a page (a BidiPage), as its context and emulateMedia() want them. */
async function emulate(bidiPage)
{
	const { media, colorScheme } = bidiPage._page.emulatedMedia();
	const { hasTouch, javaScriptEnabled, permissions = [] } = bidiPage._browserContext._options;
	const set = (value) => (value && value !== 'no-override' ? value : null);

	if (permissions.includes('clipboard-read'))
		await inBrowser(bidiPage._session, READ_CLIPBOARD);
	await setContext(bidiPage._session, {
		allowJavascript: javaScriptEnabled !== false,
		mediumOverride: set(media) ?? '',
		prefersColorSchemeOverride: set(colorScheme) ?? 'none',
		touchEventsOverride: hasTouch ? 'enabled' : 'none',
	});
}

/** Requests have their bodies, which are asked for before a request is told of. */
function giveBodies(manager)
{
	const late = new Map();	// id of a request: until it has been told of
	const { _onBeforeRequestSent: begin } = manager;

	manager._onBeforeRequestSent = function (event) {
		const { request: id, bodySize } = event.request;

		if (!bodySize)
			return begin.call(this, event);
		return late.set(id, this._session.send('network.getData', { request: id, dataType: 'request' })
			.then(({ bytes }) => Buffer.from(bytes.value, bytes.type === 'base64' ? 'base64' : 'utf8'),
				() => null)
			.then((body) => {
				const { frameManager } = this._page;

				frameManager.requestStarted = function (request, route) {
					delete frameManager.requestStarted;
					request._postData = body;
					frameManager.requestStarted(request, route);
				};
				begin.call(this, event);
				delete frameManager.requestStarted;
			}));
	};
	for (const name of ['_onResponseStarted', '_onResponseCompleted', '_onFetchError']) {
		const tell = manager[name];

		manager[name] = async function (event) {
			await late.get(event.request.request);
			if (name !== '_onResponseStarted')
				late.delete(event.request.request);
			tell.call(this, event);
		};
	}
}

/**
 * Keys and presses work in each page, as in the other browsers: Firefox has one window that
 * is active, and others do not hear them.
 */
function activate(page, inputs)
{
	const { _initialize: initialize } = page;
	let active = '';

	page._initialize = function () {
		active = this._session.sessionId;
		return initialize.call(this);
	};
	for (const input of inputs) {
		const { _performActions: perform } = input;

		input._performActions = async function (progress, actions) {
			const { sessionId: context } = this._session;

			if (active !== context)
				await this._session.send('browsingContext.activate', { context });
			active = context;
			await perform.call(this, progress, actions);
		};
	}
}

/** Fills in what a page lacks, for all pages that are made after this one. */
function complete(bidiPage)
{
	const [page, keyboard, mouse, touchscreen, manager] = [bidiPage, bidiPage.rawKeyboard,
		bidiPage.rawMouse, bidiPage.rawTouchscreen, bidiPage._networkManager].map(Object.getPrototypeOf);
	const { _initialize: initialize } = page;

	giveBodies(manager);
		page._initialize = async function () {
		await initialize.call(this);
		await emulate(this);
	};
	activate(page, [keyboard, mouse]);
	page.updateEmulateMedia = function () {
		return emulate(this);
	};
	const { addInitScript } = page;

	// not in the empty document that is there first where one context takes another's place
	page.addInitScript = function (script) {
		script.source = `(window === top && origin === 'null') || (() => { ${script.source} })()`;
		return addInitScript.call(this, script);
	};
	// as the other browsers do: only what is out of sight is moved
	page.scrollRectIntoViewIfNeeded = (handle) => handle.evaluateInUtility(async ([, element]) => {
		if (!element.isConnected)
			return 'error:notconnected';
		const { ratio, hidden } = await new Promise((resolve) => {
			const observer = new IntersectionObserver(([{ intersectionRatio, isIntersecting }]) => {
				observer.disconnect();
				resolve({ ratio: intersectionRatio, hidden: !isIntersecting });
			});

			observer.observe(element);
		});
		const block = hidden ? 'center' : 'nearest';

		if (ratio < 1)
			element.scrollIntoView({ block, inline: block, behavior: 'instant' });
		return 'done';
	}, null);
	// the text at once, as from an input method: no key is pressed for it
	keyboard.sendText = async function (progress, text) {
		await this._session.send('script.callFunction', { awaitPromise: false,
			functionDeclaration: '(text) => document.execCommand("insertText", false, text)',
			target: { context: this._session.sessionId }, arguments: [{ type: 'string', value: text }] });
	};
	touchscreen.tap = async function (progress, x, y) {
		await this._session.send('input.performActions', { context: this._session.sessionId, actions: [{
			type: 'pointer', id: 'touch', parameters: { pointerType: 'touch' }, actions: [
				{ type: 'pointerMove', x: Math.floor(x), y: Math.floor(y) },
				{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }] });
	};
	// a download need not be a navigation, and is where Firefox has put it
	const { _onDownloadWillBegin: begin, _onDownloadEnded: end } = page;
	const named = (event) => ({ ...event, navigation: event.navigation ?? event.url });

	page._onDownloadWillBegin = function (event) {
		begin.call(this, named(event));
	};
	page._onDownloadEnded = function (event) {
		const { navigation, filepath } = named(event);
		const download = this._browserContext._browser._downloads.get(navigation);

		if (download && filepath)
			download.artifact._localPath = filepath;
		end.call(this, named(event));
	};
}

/** Starts it. @returns a Playwright browser */
export async function launchFirefox()
{
	const browser = await firefox.launch({
		channel: 'moz-firefox',
		executablePath: process.env.FIREFOX || '/usr/bin/firefox-esr',
		args: ['--remote-allow-system-access'],
		firefoxUserPrefs: PREFS,
	});
	const { toImpl } = browser._connection;
	const context = await browser.newContext();

	await toImpl(browser)._browserSession.send('network.addDataCollector',
		{ dataTypes: ['request'], maxEncodedDataSize: BODY_BYTES });
	complete(toImpl(await context.newPage()).delegate);
	await context.close();
	return browser;
}
