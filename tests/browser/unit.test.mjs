// SPDX-License-Identifier: MIT
// Modules of the page that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, ApiError } from '../../www/js/api.js';
import { parseExact, toJson } from '../../www/js/exact.js';
import { tableOfCsv, titleOf, versionsOf } from '../../www/js/artifacts.js';
import { fileName, kindOfCode } from '../../www/js/code.js';
import { dayText, prettyJson, saysAll, toolName } from '../../www/js/format.js';
import { densest, hitsOf } from '../../www/js/highlight.js';
import { lastBlock, toHtml } from '../../www/js/markdown.js';
import { fillBlanks, mentionsIn, triggerAt, withoutMention } from '../../www/js/mentions.js';
import { cardBeside, groupsOf, isLate, joinTexts, kindOf, listPath, severity, shortName,
	stateBeside, timelineOf, today } from '../../www/js/projects.js';
import { confined, withoutFrames } from '../../www/js/sandbox.js';
import { readEvents, SseParser } from '../../www/js/sse.js';
import { Drafts } from '../../www/js/store/drafts.js';
import { Order } from '../../www/js/store/order.js';
import { Pages } from '../../www/js/store/pages.js';
import { Tree } from '../../www/js/store/tree.js';
import { Unstored } from '../../www/js/store/unstored.js';
import { setCulture } from '../../www/js/strings.js';
import { registerTool, runCall } from '../../www/js/tools.js';
import { linesOf, pathTo, placeBeside, placeNear, withMoved } from '../../www/js/tree.js';
import { diffArrays } from '../../www/vendor/diff.js';

const STREAM = ': ok\n\nretry: 2000\nevent: token\nid: 1\ndata: {"delta":"a"}\n\n' +
	': ka\n\nevent: token\r\nid: 2\r\ndata: first\r\ndata:second\r\n\r\n' +
	'data\r\rid\ndata:  x\n\nevent: lost\n\n';
const EVENTS = [
	{ type: 'token', data: '{"delta":"a"}', id: '1' },
	{ type: 'token', data: 'first\nsecond', id: '2' },
	{ type: 'message', data: '', id: '2' },
	{ type: 'message', data: ' x', id: '' },
];

test('words are found as whole ones, else within others', () => {
	const found = (text, ...words) => hitsOf(text, words).map(({ at, end }) => text.slice(at, end));

	assert.deepEqual(found('Leave, leaves; LEAVE leave', 'leave'), ['Leave', 'LEAVE', 'leave']);
	assert.deepEqual(found('leave leave', 'leave'), ['leave', 'leave']);
	assert.deepEqual(found('Über über x', 'über'), ['Über', 'über']);
	assert.deepEqual(found('Abschlussbericht', 'bericht'), ['bericht']);
	assert.deepEqual(found('a.b (c)', 'a.b', '(c)'), ['a.b', '(c)']);
	assert.deepEqual(hitsOf('x leave', ['leave']), [{ at: 2, end: 7, word: 'leave' }]);
});

test('of many hits, the place where most of the words are together', () => {
	const hits = (...all) => all.map(([at, word]) => ({ at, word }));

	assert.equal(densest([]), 0);
	assert.equal(densest(hits([5, 'a'], [900, 'a'], [1000, 'b'], [2000, 'b'])), 1);
	assert.equal(densest(hits([0, 'a'], [10, 'a'], [20, 'b'], [250, 'c'], [900, 'a'])), 0);
	assert.equal(densest(hits([0, 'a'], [299, 'b'], [599, 'c'])), 0);
	assert.equal(densest(hits([0, 'a'], [300, 'b'], [599, 'c'])), 1);
	// as many as a long message may have
	assert.equal(densest([...Array(50000)].map((_, i) => ({ at: 2 * i, word: i < 49999 ? 'a' : 'b' }))), 49850);
});

test('whether to try again is what the server says, else by the status', () => {
	const retryable = (fields) => new ApiError(fields).retryable;

	assert.equal(retryable({ status: 502, code: 'upstream_auth', retryable: false }), false);
	assert.equal(retryable({ status: 503, code: 'chat_disabled', retryable: false }), false);
	assert.equal(retryable({ status: 429, code: 'any', retryable: true }), true);
	assert.equal(retryable({ status: 409, code: 'conversation_busy', retryable: true }), true);
	// a proxy's answer, or none
	assert.equal(retryable({ status: 504, code: 'server_unreachable' }), true);
	assert.equal(retryable({ status: 403, code: 'forbidden' }), false);
	assert.equal(retryable({ code: 'network' }), true);
});

test('what is asked all the time is asked less often after errors, or no more', () => {
	const rests = (fields) => [1, 2, 3, 20].map((n) => new ApiError(fields).restMs(n, 1500));

	assert.deepEqual(rests({ code: 'network' }), [3000, 6000, 12000, 60000]);
	assert.deepEqual(rests({ status: 503, retryAfter: 30 }), [30000, 30000, 30000, 60000]);
	assert.deepEqual(rests({ status: 404, code: 'not_found', retryable: false }), [null, null, null, null]);
});

/** Answers of a server in front: allowed(method) says what gets through. */
function inFront(t, allowed, status = 405)
{
	const asked = [];
	const problem = { status: 404, headers: { 'X-Request-Id': 'r',
		'Content-Type': 'application/problem+json' } };

	t.mock.method(globalThis, 'fetch', async (url, { method, headers }) => {
		const meant = headers['X-HTTP-Method-Override'];

		asked.push(meant ? `${method} as ${meant}` : method);
		if (!allowed(method))
			return new Response('<h1>No</h1>', { status, headers: { 'Content-Type': 'text/html' } });
		return url.endsWith('/none') ? new Response('{"code":"not_found"}', problem) :
			new Response('{}', { headers: { 'X-Request-Id': 'r' } });
	});
	return asked;
}

test('api: where only GET and POST get through, others go as POST', async (t) => {
	for (const status of [403, 405, 501]) {
		const asked = inFront(t, (method) => ['GET', 'POST'].includes(method), status);
		const api = new Api('https://example.org/chat/');

		await api.rename('a', 'b');
		await api.remove('a');
		await api.upload('a', new Blob(['x']), { name: 'x', offset: 0, last: true, length: 1 });
		assert.deepEqual(asked, ['PATCH', 'POST as PATCH', 'POST as DELETE', 'POST as PATCH']);
		await api.me();
		assert.equal(asked.at(-1), 'GET');
		t.mock.restoreAll();
	}
});

test('api: the responder\'s own refusals are not asked again', async (t) => {
	const asked = inFront(t, () => true);

	await assert.rejects(new Api('https://example.org/chat/').remove('none'),
		{ code: 'not_found', status: 404 });
	assert.deepEqual(asked, ['DELETE']);
});

test('api: a refusal of somebody in front is called that', async (t) => {
	for (const status of [403, 405, 406, 501]) {
		inFront(t, () => false, status);
		const api = new Api('https://example.org/chat/');

		await assert.rejects(api.stream('w', { content: 'union select' }),
			{ code: 'blocked', status, retryable: false });
		await assert.rejects(api.rename('a', 'b'), { code: 'blocked', status });
		t.mock.restoreAll();
	}
	inFront(t, () => false, 401);
	await assert.rejects(new Api('https://example.org/chat/').me(), { code: 'unauthenticated' });
});

function parse(pieces)
{
	const events = [];
	const parser = new SseParser((event) => events.push(event));

	for (const piece of pieces)
		parser.push(piece);
	parser.end();
	return { events, parser };
}

test('sse: a stream, whole and cut at every place', () => {
	assert.deepEqual(parse([STREAM]).events, EVENTS);
	assert.deepEqual(parse([...STREAM]).events, EVENTS);
	for (let at = 1; at < STREAM.length; at++) {
		const { events } = parse([STREAM.slice(0, at), STREAM.slice(at)]);

		assert.deepEqual(events, EVENTS, `cut at ${at}`);
	}
	assert.equal(parse([STREAM]).parser.retryMs, 2000);
});

test('sse: an end without its empty line', () => {
	assert.equal(parse(['data: {"a":1}']).events.length, 1);
	assert.equal(parse(['data: {"a":']).events.length, 0);
});

test('sse: an event without end is refused', () => {
	const piece = `data: ${'x'.repeat(1 << 20)}\n`;

	assert.throws(() => parse(Array(9).fill(piece)), /too large/);
});

test('sse: characters cut in the middle, and a silent stream', async () => {
	const bytes = new TextEncoder().encode('data: Grüße ☂ 🏮\n\n');
	const events = [];

	await readEvents(new ReadableStream({
		start(to)
		{
			for (const byte of bytes)
				to.enqueue(Uint8Array.of(byte));
			to.close();
		},
	}), (event) => events.push(event.data));
	assert.deepEqual(events, ['Grüße ☂ 🏮']);
	await assert.rejects(readEvents(new ReadableStream(), () => {}, { idleMs: 20 }),
		{ name: 'IdleError' });
});

test('markdown: no HTML of the model survives the first barrier', () => {
	const attacks = [
		'<script>alert(1)</script>', 'a <img src=x onerror=alert(1)> b',
		'<svg/onload=alert(1)>', '<iframe src="https://example.org"></iframe>',
		'<b onclick="alert(1)">x</b>', '<style>*{display:none}</style>',
		'<details open ontoggle=alert(1)>', '<!-- <img src=x> -->',
		'```x" onmouseover="alert(1)\ncode\n```', '| <img src=x onerror=1> |\n|---|',
		'# <math><mi xlink:href="javascript:alert(1)">', '<a href="javascript:1">x</a>',
	];

	for (const attack of attacks) {
		const html = toHtml(attack);

		assert.doesNotMatch(html,
			/<(?:script|img|svg|iframe|style|details|math|!--)|<\w+[^>]* on\w+=|<a /i,
			`${attack} -> ${html}`);
	}
});

test('markdown: links lead to known kinds of places only', () => {
	for (const href of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)',
		'&#106;avascript:alert(1)', 'data:text/html,x', 'vbscript:x',
		'//example.org/x', 'file:///etc/passwd']) {
		assert.doesNotMatch(toHtml(`[x](${href})`), /<a/, href);
		assert.doesNotMatch(toHtml(`![x](${href})`), /<a|<img/, href);
	}
	assert.match(toHtml('[x](https://example.org/ "t")'),
		/<a href="https:\/\/example\.org\/" title="t">x<\/a>/);
	assert.match(toHtml('![x](https://example.org/i.png)'), /<a class="image-link"/);
});

test('markdown: tags stay in pairs only; a comparison is a text', () => {
	for (const [text, html] of [
		['if a<b>c then', /^<p>if a&#60;b&#62;c then<\/p>/],
		['x<i>y, List<u>', /^<p>x&#60;i&#62;y, List&#60;u&#62;<\/p>/],
		['a<b>c and <b>bold</b>', /a&#60;b&#62;c and <b>bold<\/b>/],
		['**a<b>c** d</b>', /<strong>a&#60;b&#62;c<\/strong> d&#60;\/b&#62;/],
		['H<sub>2</sub>O<br>x<sup>2</SUP>', /H<sub>2<\/sub>O<br>x<sup>2<\/SUP>/],
		['<b>x<i>y</b>z</i>', /<b>x&#60;i&#62;y<\/b>z&#60;\/i&#62;/],
		['vector<string> v; a<b, c>d', /vector&#60;string&#62; v; a&lt;b, c&gt;d/],
		['<b>\n\ntext', /&#60;b&#62;/],
		['| a<b>c | <b>d</b> |\n|---|---|', /a&#60;b&#62;c.*<b>d<\/b>/s],
	])
		assert.match(toHtml(text), html, `${text} -> ${toHtml(text)}`);
});

test('markdown: bare addresses end where they end, without blanks too', () => {
	const address = (text) => /<a href="([^"]*)"/.exec(toHtml(text))?.[1];

	for (const [text, want] of [
		['请看https://example.org/docs。谢谢', 'https://example.org/docs'],
		['访问https://example.org/docs了解更多', 'https://example.org/docs'],
		['访问https://example.org/查看', 'https://example.org/'],
		['（https://example.org/a?b=c）を参照', 'https://example.org/a?b=c'],
		['詳細はhttps://example.org/aをご覧ください', 'https://example.org/a'],
		['자세한 내용은 https://example.org/a에서', 'https://example.org/a'],
		['見てwww.example.org、次', 'http://www.example.org'],
		['「https://example.org/x」', 'https://example.org/x'],
		['https://example.org/a,https://example.org/b', 'https://example.org/a,https://example.org/b'],
		['https://zh.wikipedia.org/wiki/人工智能，其', 'https://zh.wikipedia.org/wiki/人工智能'],
		['https://example.org/s?q=東京！', 'https://example.org/s?q=東京'],
		['see https://example.org/grüße. Then', 'https://example.org/grüße'],
		['(https://example.org/a_(b))', 'https://example.org/a_(b)'],
		['[https://example.org/查](https://example.org/查)', 'https://example.org/查'],
		// hosts of other scripts
		['siehe https://österreich.example/büro.', 'https://österreich.example/büro'],
		['(https://пример.рф/а?б=в)', 'https://пример.рф/а?б=в'],
		['https://παράδειγμα.δοκιμή, και', 'https://παράδειγμα.δοκιμή'],
		['見てhttps://例え.jp/aを', 'https://例え.jp/a'],
		['见https://例子.测试。', 'https://例子.测试'],
		['见www.例子.cn/a/路径，其', 'http://www.例子.cn/a/路径'],
		['https://shop.例え.jp', 'https://shop.例え.jp'],
		['访问https://example.org.了解', 'https://example.org'],
		['https://उदाहरण.भारत/क', 'https://उदाहरण.भारत/क'],
		['https://example.org/路径/文件.pdf，请下载', 'https://example.org/路径/文件.pdf'],
		['見てhttps://example.org/案内.html。', 'https://example.org/案内.html'],
		['https://example.org/查看，详见/docs', 'https://example.org/'],
		['https://example.org/查看。另见https://example.org/b', 'https://example.org/'],
		['โปรดดูhttps://example.org/aครับ', 'https://example.org/a'],
		['ดูที่https://example.orgได้', 'https://example.org'],
		['https://th.example.org/wiki/ไทย', 'https://th.example.org/wiki/ไทย'],
		['ເບິ່ງhttps://example.org/aໄດ້', 'https://example.org/a'],
		['https://ตัวอย่าง.ไทย/ก/ข', 'https://ตัวอย่าง.ไทย/ก/ข'],
		// what ends a sentence, a quotation or a word elsewhere
		['«https://example.org/a»', 'https://example.org/a'],
		['‹https://example.org›', 'https://example.org'],
		['»https://example.org/a?b«', 'https://example.org/a?b'],
		['https://example.org—then', 'https://example.org'],
		['https://example.org/a—then', 'https://example.org/a'],
		['https://example.org–then', 'https://example.org'],
		['https://en.example.org/wiki/Michelson–Morley', 'https://en.example.org/wiki/Michelson–Morley'],
		['انظر https://example.org، ثم', 'https://example.org'],
		['هل رأيت https://example.org/a؟', 'https://example.org/a'],
		['https://example.org/a؛', 'https://example.org/a'],
		['دیکھیں https://example.org/a۔', 'https://example.org/a'],
		['https://ar.example.org/wiki/سلام، ثم', 'https://ar.example.org/wiki/سلام'],
		['देखें https://example.org/a।', 'https://example.org/a'],
		['https://example.org/क॥', 'https://example.org/क'],
		['https://example.org/a։', 'https://example.org/a'],
		['https://example.org/a።', 'https://example.org/a'],
		['https://example.org/a\u200bthen', 'https://example.org/a'],
		['https://example.org/a\u200f then', 'https://example.org/a'],
		['\u202ahttps://example.org/a\u202c', 'https://example.org/a'],
		['\u2068https://example.org\u2069.', 'https://example.org'],
		['https://example.org/نیم\u200cفاصله', 'https://example.org/نیم\u200cفاصله'],
		['see http://[2001:db8::1]:8080/x, ok', 'http://[2001:db8::1]:8080/x'],
		['(https://[::ffff:10.0.0.1])', 'https://[::ffff:10.0.0.1]'],
		['http://[not one]', undefined],
		['https://了解更多', undefined],
		['https://は。', undefined],
	])
		assert.equal(address(text), want, text);
});

test('markdown: a text of any length takes a time like its length', () => {
	for (const text of ['*www.', '<b>', '\\']) {
		const begun = process.cpuUsage().user;

		toHtml(text.repeat(390000 / text.length));
		// of seconds: without the bounds it is 27 to 88
		assert.ok(process.cpuUsage().user - begun < 15e6, text);
	}
	const long = `**${'word '.repeat(9)}word** and https://example.org/a. `.repeat(200);

	assert.ok(toHtml(long).split('<a ').length > 195);
	assert.ok(toHtml(long).split('<strong>').length > 190);
	assert.match(toHtml(`- ${'> '.repeat(50)}x`), /<blockquote>/);
});

test('markdown: links without an end are not looked for again and again', () => {
	for (const text of ['[](', '([a](', '*[a](\n', '[a]( ', '![a](<']) {
		const html = toHtml(text.repeat(2500));

		assert.ok(html.startsWith('<p>') && !html.includes('<a ') && !html.includes('<em>'));
	}
	for (const text of ['- [a](https://a.example/b_(c)_d "t")\n', '[a](https://a.example) and ',
		'|[a](/b)|[c](/d \'e\')|\n|-|-|\n'])
		assert.ok(toHtml(text.repeat(500)).split('<a ').length > 500, text);
});

test('markdown: marks without an end are bounded, and depth is no error', () => {
	for (const text of ['a*', 'a_', '\n*x', '~~a', ' *b ']) {
		const begun = process.cpuUsage().user;
		const html = toHtml(text.repeat(64 * 1024));

		assert.ok(html.startsWith('<p>') && html.length > text.length * 32 * 1024, text);
		// of seconds: without the bound it is more than a minute
		assert.ok(process.cpuUsage().user - begun < 15e6, text);
	}
	for (const text of ['> ', '>', '+ ', '1. '])
		assert.ok(toHtml(text.repeat(8192)).length > 8192, text);
	const bold = '**Word** and _more_, a * b and snake_case. '.repeat(40);
	const long = `${bold}\n\n`.repeat(100);

	assert.equal(toHtml(long).split('<strong>').length, 4001);
});

test('markdown: where an answer grows, its blocks are told apart without their marks', () => {
	const begun = process.cpuUsage().user;

	for (const text of ['[](', 'a_', '![a](<'])
		assert.equal(lastBlock(`**a**\n\n- b\n\n${text.repeat(4096)}`), 12);
	// of seconds: one alone took 18
	assert.ok(process.cpuUsage().user - begun < 5e6);
	assert.equal(lastBlock('> '.repeat(8192)), 0);
	assert.equal(lastBlock('a\n\n```c\nint *b;\n\nint c'), 3);
	assert.equal(lastBlock('|a|\n|-|\n|b|\n\nlast'), 13);
});

test('markdown: one ~ is a character, two strike through', () => {
	assert.doesNotMatch(toHtml('押金 5~7U，杠杆 100~200倍。Between ~5 and ~10. 20~30°C, then 3~4 hours. ' +
		'Path ~/a and ~/b.'), /<del>/);
	assert.match(toHtml('~~x y~~ and ~~**z**~~'), /<del>x y<\/del> and <del><strong>z/);
});

test('markdown: emphasis beside Chinese, Japanese and Korean', () => {
	for (const [text, bold] of [
		['**“关键点”**是这个。', '“关键点”'], ['请看**注意：**必须。', '注意：'],
		['**第一步（准备）**然后。', '第一步（准备）'], ['これは**「重要」**です', '「重要」'],
		['**중요(필수)**입니다', '중요(필수)'], ['使用**`code`**命令', '<code>code</code>'],
		['**注意事项：**\n\n文', '注意事项：'], ['价格**100%**以上', '100%'],
		['中文**bold.**后', 'bold.'], ['a **b** 中', 'b'],
	])
		assert.ok(toHtml(text).includes(`<strong>${bold}</strong>`), `${text} -> ${toHtml(text)}`);
	for (const text of ['2 ** 3 ** 4', '** 中文 **', '**(a)**b', '中文 ** 中文'])
		assert.doesNotMatch(toHtml(text), /<strong>/, text);
});

test('markdown: what a formula is, and what is not', () => {
	const tex = (text) => [...toHtml(text).matchAll(/class="math[^"]*">([^<]*)</g)]
		.map(([, one]) => one);

	for (const [text, ...want] of [
		['\\(a\\) and $b$ and $$c$$', '\\(a\\)', '$b$', '$$c$$'],
		['\\[\na \\\\\nb\n\\]', '\\[\na \\\\\nb\n\\]'],
		['text\n$$\na\n\nb\n$$\nmore', '$$\na\n\nb\n$$'],
		['- item\n\n  $$\n  x\n  $$\n', '$$\nx\n$$'],
		['\\begin{align}\na\n\\end{align}', '\\begin{align}\na\n\\end{align}'],
		['$x$, $y$. ($z$) **$w$**', '$x$', '$y$', '$z$', '$w$'],
		['| $a$ | b |\n|---|---|\n| $c_1$ | $5 |', '$a$', '$c_1$'],
		['**x $a**b$ y**', '$a**b$'], ['$a_1$ and $b_2$ _em_', '$a_1$', '$b_2$'],
		['中文$E=mc^2$公式', '$E=mc^2$'], ['$\\$5$', '$\\$5$'], ['$10^{-3}$', '$10^{-3}$'],
		['$n$-th', '$n$'], ['and $ D_i $', '$ D_i $'], ['$ a $, $ 5^2 and $ 6'], ['$0.05$', '$0.05$'], ['# $x$', '$x$'], ['[a $x$](https://a.example)', '$x$'],
		// money, shells, code and what has no end
		['$5 to $10'], ['$5-$10'], ['$5/$10'], ['US$5 and CA$7'], ['between $5 and 10$ dollars'],
		['$1,000–$2,000'], ['costs $20 million and then (20$)'], ['$HOME and $PATH'], ['$HOME/$USER'],
		['`$x$`'], ['```\n$x$\n\\(y\\)\n```'], ['\\$x\\$'], ['$x'], ['$$x'], ['\\(x'], ['\\[x'],
		['$ x $'], ['a$b$c'], ['$ 5 $'], ['**$5**/**$10**'], ['$100K, $2M and $3'], ['$$'], ['$$$$'],
		['\\[a\\](https://a.example) \\*b\\*'.slice(0, 3)], ['A$5 b$ c'],
		['$$\n```\n$$\n```'], ['See:\n```latex\n$$\nx\n$$\n```'],
	])
		assert.deepEqual(tex(text), want, `${text} -> ${toHtml(text)}`);
	const begun = process.cpuUsage().user;

	for (const text of ['$a ', '$$a ', '\\(a', '\\[a', '$$\na\n\n', '\\[\na\n\n', '\\begin{align}\n\n',
		'[^a', '[^a]: b\n', '<details>\n', '<details><summary>', '**$a', '**中（', '- $'])
		toHtml(text.repeat(8192), true);
	assert.ok(process.cpuUsage().user - begun < 20e6, `${process.cpuUsage().user - begun}`);
});

test('markdown: notes, tasks and details', () => {
	assert.match(toHtml('a[^1]\n\n[^1]: b\n    c\n\nd'),
		/a<sup class="note-mark" data-note="1">1<\/sup>.*data-note="1"><p>b<br>c<\/p>\n<\/div>\n<p>d/s);
	assert.match(toHtml('[^"><img src=x>]'), /^<p>\[\^&quot;&gt;&#60;img src=x&#62;\]/);
	assert.match(toHtml('[^"a]: b'), /data-note="&#34;a"/);
	assert.match(toHtml('- [ ] a\n- [x] b'), /<span class="tick">☐<\/span> a.*tick-done">☑<\/span> b/s);
	assert.match(toHtml('<details open>\n<summary>A **b** <img src=x></summary>\n\nc\n\n</details>\nd'),
		/^<details open><summary>A <strong>b<\/strong> &#60;img src=x&#62;<\/summary><p>c<\/p>\n<\/details>\n<p>d/);
	// nested, in code, without an end
	assert.match(toHtml('<details>\n\n<details>\n\na\n\n</details>\n\n</details>\nb'),
		/^<details><summary>Details<\/summary><details>.*<p>a<\/p>\n<\/details>\n<\/details>\n<p>b/s);
	assert.match(toHtml('```\n<details>\n```'), /<pre/);
	assert.match(toHtml('<details>\na'), /^&#60;details&#62;/);
	assert.match(toHtml('<details>\n\na', true), /^<details>/);
	assert.match(toHtml('<details onclick=alert(1)>a</details>'), /&#60;details onclick/);
});

test('markdown: a document in a fence, with code in fences as long', () => {
	const blocks = (text) => [...toHtml(text).matchAll(/<pre data-language="(\w*)"[^>]*><code>([^<]*)/g)]
		.map(([, language, code]) => [language, code.replaceAll('&#96;', '`')]);

	assert.deepEqual(blocks('```markdown\n# Head\n```bash\nls\n```\nend\n```\n\nafter'),
		[['markdown', '# Head\n```bash\nls\n```\nend']]);
	assert.match(toHtml('```markdown\n# Head\n```bash\nls\n```\nend\n```\n\nafter'), /<p>after<\/p>\n$/);
	assert.deepEqual(blocks('```md\na\n```\nb\n```js\nc\n```'), [['md', 'a'], ['js', 'c']]);
	assert.deepEqual(blocks('````md\n```js\na\n```\n````'), [['md', '```js\na\n```']]);
	assert.deepEqual(blocks('```md\n```js\na\n```\nno end'), [['md', '```js\na']]);
	assert.deepEqual(blocks('```js\n```js\na\n```\n```'), [['js', '```js\na'], ['', '']]);
});

test('markdown: only attachments are images', () => {
	const id = '01234567-89ab-4def-8123-456789abcdef';

	for (const href of [`attachment:${id}`, `api/v1/attachments/${id}/content`, `./api/v1/attachments/${id}`])
		assert.match(toHtml(`![a](${href})`), new RegExp(`<img [^>]*src="./api/v1/attachments/${id}/content"`));
	for (const href of [`https://a.example/api/v1/attachments/${id}/content`, `/api/v1/attachments/${id}/../me`,
		`attachment:${id}?x`, '//a.example/x', 'data:image/png;base64,AA'])
		assert.doesNotMatch(toHtml(`![a](${href})`), /<img/, href);
});

test('code: names of files and what can be opened', () => {
	assert.equal(fileName('python'), 'code.py');
	assert.equal(fileName('js', '../../a b?.mjs'), 'a-b-.mjs');
	assert.equal(fileName('', '.htaccess'), 'htaccess.txt');
	assert.equal(fileName('<b>', 'x/..'), 'code.txt');
	assert.equal(kindOfCode('xml', '<?xml version="1.0"?>\n<svg xmlns="x"/>'), 'svg');
	assert.equal(kindOfCode('xml', '<a><svg/></a>'), '');
	assert.equal(kindOfCode('html', ''), 'html');
	assert.equal(kindOfCode('constructor', ''), '');
});

test('artifacts: which blocks are versions of one another', () => {
	const block = (kind, text, name = '') => ({ kind, name, text });
	const page = (title, more) => block('html', `<title>${title}</title>\n<p>one</p>\n<p>two</p>\n${more}`);
	const all = [page('A', 'x'), block('csv', 'a,b'), page('B', '<b>\nlong\n</b>'), page('A', 'changed all'),
		block('html', '<i>other thing</i>'), block('html', '<u>named</u>', 'a.html'),
		block('html', '<s>unlike</s>', 'a.html'), block('html', '<u>named</u>', 'b.html')];

	assert.deepEqual(versionsOf(all, 0), [0, 2, 3]);
	assert.deepEqual(versionsOf(all, 1), [1]);
	assert.deepEqual(versionsOf(all, 4), [4]);
	assert.deepEqual(versionsOf(all, 6), [5, 6]);
	assert.equal(titleOf(block('markdown', 'x\n## A title  \n')), 'A title');
	assert.equal(titleOf(block('html', '<b>')), '');
});

test('artifacts: CSV as a table', () => {
	const cells = (text) => {
		const { columns, rows } = tableOfCsv(text);

		return [columns.map(({ name }) => name), ...rows];
	};

	assert.deepEqual(cells('a,b\r\n1,"x, ""y""\nz"\r\n'), [['a', 'b'], [1, 'x, "y"\nz']]);
	assert.deepEqual(cells('a;b\n1,5;2\n\n3'), [['a', 'b'], ['1,5', 2], [3]]);
	assert.deepEqual(cells('a\tb\n12345678901234567890\t-0.5'), [['a', 'b'], ['12345678901234567890', -0.5]]);
	assert.deepEqual(cells(''), [['']]);
	assert.equal(tableOfCsv('a\n' + 'b\n'.repeat(6000)).rows.length, 5000);
});

test('sandbox: elements that lead out of a document are unknown ones', () => {
	for (const [html, want] of [
		['<iframe src=x></iframe>', '<x-iframe src=x></x-iframe>'], ['<IFRAME\n>', '<x-IFRAME\n>'],
		['<h:iframe/>', '<x-h:iframe/>'], ['<object><embed/><link>', '<x-object><x-embed/><x-link>'],
		['<meta charset=x><base><frameset>', '<x-meta charset=x><x-base><x-frameset>'],
		['<metadata><linearGradient><basefont><frames>', '<metadata><linearGradient><basefont><frames>'],
		['a < iframe', 'a < iframe'],
	])
		assert.equal(withoutFrames(html), want);
	const html = confined('<b>');

	// the first script is whole, and is first
	assert.match(html, /^<!doctype html><meta charset="utf-8"><script>\(function confine/);
	assert.equal(html.split('</script>').length, 2);
});

test('markdown: lines of an answer are lines', () => {
	assert.match(toHtml('Anna Beispiel\nMusterweg 1\n12345 Ort'),
		/^<p>Anna Beispiel<br>Musterweg 1<br>12345 Ort<\/p>/);
	assert.doesNotMatch(toHtml('- a\n- b\n\n```\nx\ny\n```\n'), /<br>/);
});

test('json: short things stay on a line, and it stays the same json', () => {
	const args = { dataset: 'tickets', select: ['id', 'subject'], none: [], deep: {},
		filters: [{ column: 'status', op: 'eq', value: 'open' },
			{ column: 'subject', op: 'contains', value: 'a "quoted" text\n' }] };

	assert.deepEqual(JSON.parse(prettyJson(args)), args);
	assert.match(prettyJson(args), /^  "select": \["id", "subject"\],$/m);
	assert.match(prettyJson(args), /^    \{ "column": "status", "op": "eq", "value": "open" \},$/m);
	assert.equal(prettyJson('x'), '"x"');
	assert.match(prettyJson(JSON.parse('['.repeat(30000) + ']'.repeat(30000))), /…/);
	assert.equal(prettyJson(null), 'null');
});

/** A page that is to store an answer, and what its server answers: then `last`, for ever. */
function unstoredPage({ user = 'ada', signedIn = user, answers = [], last = null, storage })
{
	const page = { sent: 0, pauses: [], now: 0, ended: null };
	const api = { base: '/', async storeTurn() {
		const fields = answers.length > 0 ? answers.shift() : last;

		page.sent++;
		if (fields)
			throw new ApiError(fields);
	}, async me() {
		page.asked = true;
		return { userId: signedIn };
	} };
	const link = { async pause(ms) {
		page.pauses.push(ms);
		page.now += ms;
	} };

	globalThis.sessionStorage = storage || fakeStorage();
	page.done = new Promise((resolve) => {
		page.unstored = new Unstored(api, link, () => user, (id, turn, stored) => {
			page.ended = stored;
			resolve(stored);
		}, () => page.now);
	});
	return page;
}

function fakeStorage()
{
	return Object.create({
		setItem(key, value) { this[key] = value; },
		removeItem(key) { delete this[key]; },
	});
}

test('an answer to store is given up only when that is final', async () => {
	const page = unstoredPage({ answers: [
		{ status: 503, code: 'database_timeout', retryable: false },
		{ status: 500, code: 'internal', retryable: false },
		{ status: 409, code: 'conversation_busy', retryable: true }, { code: 'network' }] });

	page.unstored.add('c', 't', 'sealed', 'text');
	assert.equal(await page.done, true);
	assert.equal(page.sent, 5);
	assert.deepEqual(Object.keys(sessionStorage), []);
	for (const status of [404, 409, 413, 422]) {
		const refused = unstoredPage({ answers: [{ status, retryable: false }] });

		refused.unstored.add('c', 't', 'sealed', 'text');
		assert.equal(await refused.done, false);
		assert.equal(refused.sent, 1);
	}
});

test('an answer is not lost to whoever signs in in another tab', async () => {
	const page = unstoredPage({ signedIn: 'bob', answers: [{ status: 404 }] });

	page.unstored.add('c', 't', 'sealed', 'text');
	// all that it waits for is promises
	await new Promise((done) => setImmediate(done));
	assert.equal(page.asked, true);
	assert.equal(page.ended, null);
	const again = unstoredPage({ storage: sessionStorage });

	again.unstored.resume();
	assert.equal(await again.done, true);
	assert.deepEqual(Object.keys(sessionStorage), []);
});

test('an answer that nobody takes is given up after a while, more and more slowly', async () => {
	for (const [last, least, most] of [
		[{ status: 500, code: 'internal', retryable: false }, 10, 20],
		[{ status: 400, code: 'bad_request', retryable: false }, 10, 20],
		[{ code: 'network' }, 12 * 60, 13 * 60]]) {
		const page = unstoredPage({ last });

		page.unstored.add('c', 't', 'sealed', 'text');
		assert.equal(await page.done, false);
		assert.ok(page.now >= least * 60000 && page.now <= most * 60000, `${page.now} ms`);
		assert.ok(page.pauses.every((ms, i) => i === 0 || ms >= page.pauses[i - 1]));
		assert.deepEqual(page.unstored.lost('t'), { text: 'text', reason: 'gaveUp' });
	}
});

test('what a proxy takes for too large is kept as text over a reload', async () => {
	const page = unstoredPage({ last: { status: 413 } });

	page.unstored.add('c', 't', 'sealed', 'text');
	assert.equal(await page.done, false);
	const again = unstoredPage({ storage: sessionStorage });

	again.unstored.resume();
	assert.equal(await again.done, false);
	assert.equal(again.sent, 0);
	assert.deepEqual(again.unstored.lost('t'), { text: 'text', reason: 'tooLarge' });
});

test('an answer of another user is neither sent nor shown', async () => {
	const page = unstoredPage({ last: { status: 401 } });

	page.unstored.add('c', 't', 'sealed', 'text');
	const storage = sessionStorage;
	const other = unstoredPage({ user: 'bob', storage });

	other.unstored.resume();
	assert.equal(other.sent, 0);
	assert.equal(other.unstored.lost('t'), null);
	const mine = unstoredPage({ storage });

	mine.unstored.resume();
	assert.equal(await mine.done, true);
	assert.deepEqual(Object.keys(storage), []);
});

test('json: integers keep all their digits', () => {
	for (const text of ['{"a":9007199254740993,"b":[-9223372036854775808],"c":1}',
		'{"a":"9007199254740993","\\"9007199254740993":0.12345678901234568}',
		'["\\\\",12345678901234567890,"x"]', '9007199254740993', 'null', '[1,"",{}]',
		'{"__proto__":9007199254740993}'])
		assert.equal(toJson(parseExact(text)), text);
	assert.equal(parseExact('[9007199254740991]')[0], 9007199254740991);
	assert.equal(parseExact('[12345678901234567e2]')[0], 1234567890123456700);
	assert.equal(prettyJson(parseExact('[9007199254740993]')), '[9007199254740993]');
	assert.throws(() => parseExact('{"a":9007199254740993'), SyntaxError);
});

test('tools: a name for people', () => {
	for (const [name, wanted] of [['query_data', 'Look up data'], ['files_searchAll',
		'Files search all'], ['get-PDF', 'Get PDF'], ['wipe', 'Wipe'], ['__', ''], ['', ''],
	[undefined, '']])
		assert.equal(toolName(name), wanted);
	assert.ok(saysAll('wipe') && !saysAll('query_data') && !saysAll('keep_note'));
});

test('tools of the page: whatever they return is an answer', async () => {
	const circle = {};
	const ask = (run) => {
		registerTool({ name: 'odd', run });
		return runCall({ toolCallId: 'c', tool: 'odd', arguments: {} });
	};

	circle.circle = circle;
	for (const [given, result] of [[undefined, { ok: true }], [() => 1, { ok: true }],
		[null, null], [0, 0], [{ at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
		[9007199254740993n, 9007199254740993n]])
		assert.deepEqual(await ask(() => given), { toolCallId: 'c', result });
	for (const given of [circle, 'x'.repeat(262143), 'ä'.repeat(131072)])
		assert.equal(typeof (await ask(async () => given)).error, 'string');
	assert.equal((await ask(() => 'x'.repeat(262142))).error, undefined);
	assert.deepEqual(await ask(() => { throw new Error('no row'); }),
		{ toolCallId: 'c', error: 'no row' });
});

test('mentions: what is being chosen at the caret', () => {
	const at = (text, known) => {
		const found = triggerAt(text, text.length, known);

		return found && `${found.kind}${found.start} ${found.q}`;
	};
	const known = [{ ref: 'record:t/4', handle: 't/4' }];

	assert.equal(at('@'), '@0 ');
	assert.equal(at('see @pri jam'), '@4 pri jam');
	assert.equal(at('(@a'), '@1 a');
	assert.equal(at('mail a@b'), null);
	assert.equal(at('at @ 5'), null);
	assert.equal(at('@a\nb'), null);
	assert.equal(at('/'), '/0 ');
	assert.equal(at('x\n/re w'), '/2 re w');
	assert.equal(at('1 /2'), null);
	assert.equal(at('/etc/passwd'), null);
	assert.equal(at('/a @b'), '@3 b');
	assert.equal(at('@t/4', known), null);
	assert.equal(at('@t/4 and', known), null);
	assert.equal(at('@t/42', known), '@0 t/42');
	assert.equal(at(`${'x'.repeat(200)}@`), null);
	assert.equal(at(`/${'x'.repeat(100)}`), null);
	assert.equal(triggerAt('@ab', 2).q, 'a');
});

test('mentions: those that a text has, and a text without one', () => {
	const known = [{ ref: 'record:t/4', handle: 't/4' }, { ref: 'person:a.b', handle: 'a.b' },
		{ ref: 'record:t/4', handle: 't/4' }];
	const refs = (text) => mentionsIn(text, known).map(({ ref }) => ref);

	assert.deepEqual(refs('@t/4 and @a.b.'), ['record:t/4', 'person:a.b']);
	assert.deepEqual(refs('@t/42 @t/4/5 @t/4%20 @t/4-x @axb @a.b.c'), []);
	assert.deepEqual(refs('(@t/4).'), ['record:t/4']);
	assert.equal(withoutMention('a @t/4 b @t/42 @t/4', known[0]), 'a b @t/42 ');
});

test('mentions: a prompt with its blanks filled', () => {
	assert.equal(fillBlanks('{{A}} {{ B : choice: x | y }} \\{{C}} {{A}} {{D}}',
		{ A: '$& {{B}}', B: 'y' }), '$& {{B}} y {{C}} $& {{B}} {{D}}');
});

const choices = (...values) => values.map((value) => ({ value, label: value.toUpperCase() }));
const TASKS = { name: 'projects/tasks', path: 'projects/{parent}/tasks',
	fields: [{ key: 'stateKey', choices: [...choices('todo', 'doing'), { value: 'done', closed: true }] }] };

test('projects: what is known of a kind, and its addresses', () => {
	assert.equal(kindOf(TASKS).view, 'board');
	assert.equal(kindOf({ name: 'projects/others' }).view, 'rows');
	assert.equal(shortName(TASKS), 'tasks');
	assert.equal(listPath(TASKS, 'a/b'), 'projects/a%2Fb/tasks');
	assert.equal(listPath(TASKS, '1', { order: 'dueDate', stateKey: '', q: 'a b' }),
		'projects/1/tasks?order=dueDate&q=a+b');
	assert.deepEqual([stateBeside(TASKS, 'todo', 1), stateBeside(TASKS, 'todo', -1),
		stateBeside(TASKS, 'done', 1), stateBeside(TASKS, 'doing', -1)],
	['doing', '', '', 'todo']);
});

test('projects: a day is over the day after, if something is left to do', () => {
	const late = (fields) => isLate(kindOf(TASKS), { stateKey: 'todo', ...fields }, '2027-01-31');

	assert.equal(today(new Date(2027, 0, 5, 23, 59)), '2027-01-05');
	assert.equal(late({ dueDate: '2027-01-30' }), true);
	assert.equal(late({ dueDate: '2027-01-31' }), false);
	assert.equal(late({ dueDate: '2027-01-30', stateKey: 'done' }), false);
	assert.equal(late({ dueDate: null }), false);
	assert.equal(isLate(kindOf({ name: 'projects/risks' }), { dueDate: '2000-01-01' }), false);
	setCulture(['en-GB']);
	assert.equal(dayText('2027-02-26', new Date(2027, 5, 1)), '26 Feb');
	assert.equal(dayText('2027-02-26', new Date(2026, 5, 1)), '26 Feb 2027');
});

test('projects: risks by severity, requirements by priority', () => {
	const all = ['low', 'medium', 'high'].map((likelihood) =>
		['low', 'medium', 'high', 'critical'].map((impact) => severity({ likelihood, impact })));

	assert.deepEqual(all, [['low', 'low', 'medium', 'high'],
		['low', 'medium', 'high', 'critical'], ['medium', 'high', 'critical', 'critical']]);
	assert.equal(severity({ likelihood: 'high', impact: null }), '');
	assert.equal(severity({ likelihood: null, impact: 'high' }), 'high');
	const risks = groupsOf({ fields: [] }, [{ id: 1, impact: 'low' }, { id: 2 },
		{ id: 3, impact: 'critical' }, { id: 4, impact: 'low' }]);

	assert.deepEqual(risks.map(({ key, items }) => [key, items.map(({ id }) => id)]),
		[['critical', [3]], ['low', [1, 4]], ['', [2]]]);
	const wanted = groupsOf({ fields: [{ key: 'priority', choices: choices('must', 'should') }] },
		[{ id: 1, priority: null }, { id: 2, priority: 'should' }]);

	assert.deepEqual(wanted.map(({ key }) => key), ['should', '']);
});

test('projects: a time line has months, today, and what has no day', () => {
	const line = (days, day) => timelineOf(kindOf({ name: 'projects/milestones' }),
		days.map((dueDate) => ({ dueDate })), day).map(({ month, items, now }) =>
		[month, items.length, now]);

	assert.deepEqual(line(['2027-03-01', null, '2027-01-02', '2027-01-01'], '2027-01-02'),
		[['2027-01', 2, 1], ['2027-03', 1, null], ['', 1, null]]);
	assert.deepEqual(line(['2027-03-01', '2027-01-01'], '2027-02-02'),
		[['2027-01', 1, null], ['2027-02', 0, 0], ['2027-03', 1, null]]);
	assert.deepEqual(line(['2027-01-01'], '2027-01-31'), [['2027-01', 1, 1]]);
	assert.deepEqual(line(['2027-01-01'], '2027-02-01'), [['2027-01', 1, null]]);
	assert.deepEqual(line([], '2027-02-01'), []);
});

/** "a(b c(d))": a tree; and a tree as such a text. */
const leaf = (id, ...children) => ({ id, title: id, children });
const treeText = (nodes) => nodes.map(({ id, children }) => id + (children.length ?
	`(${treeText(children)})` : '')).join(' ');
const TREE = [leaf('a', leaf('b'), leaf('c', leaf('d'))), leaf('e')];

test('a tree of documents: what is visible, and where steps and drops lead', () => {
	assert.deepEqual(linesOf(TREE, new Set(['c'])).map(({ node, level, at, open }) =>
		[node.id, level, at, open]), [['a', 1, 0, true], ['b', 2, 0, false], ['c', 2, 1, false],
		['e', 1, 1, false]]);
	assert.deepEqual(pathTo(TREE, 'd').map(({ id }) => id), ['a', 'c']);
	for (const [id, step, wanted] of [['b', 'up', null], ['c', 'up', 'a(c(d) b) e'],
		['b', 'down', 'a(c(d) b) e'], ['c', 'down', null], ['a', 'in', null],
		['e', 'in', 'a(b c(d) e)'], ['c', 'in', 'a(b(c(d))) e'], ['c', 'out', 'a(b) c(d) e'],
		['d', 'out', 'a(b c d) e'], ['a', 'out', null], ['none', 'up', null]]) {
		const place = placeBeside(TREE, id, step);

		assert.equal(place && treeText(withMoved(TREE, id, place)), wanted, `${id} ${step}`);
	}
	for (const [id, other, how, wanted] of [['e', 'b', 'before', 'a(e b c(d))'],
		['b', 'c', 'after', 'a(c(d) b) e'], ['e', 'd', 'into', 'a(b c(d(e)))'],
		['a', 'd', 'into', null], ['a', 'a', 'before', null], ['a', 'e', 'after', 'e a(b c(d))']]) {
		const place = placeNear(TREE, id, other, how);

		assert.equal(place && treeText(withMoved(TREE, id, place)), wanted, `${id} ${how} ${other}`);
	}
});

test('moves in a tree go one after the other, each from the newest version', async () => {
	const sent = [];
	let version = 4;
	const api = { json: async (method, path, { body } = {}) => {
		await null;
		if (method === 'GET')
			return { version, root: TREE };
		sent.push(body.version);
		if (body.documentId === 'b')
			throw new Error('late');
		return { version: ++version };
	} };
	const tree = new Tree(api, 'tree');

	await tree.load();
	const moves = ['e', 'c', 'b'].map((id) => tree.move(id, { parentId: '', position: 0 }));

	// what will be is shown at once
	assert.equal(treeText(tree.root), 'b c(d) e a');
	assert.deepEqual((await Promise.all(moves)).map((error) => error?.message),
		[undefined, undefined, 'late']);
	assert.deepEqual(sent, [4, 5, 6]);
	assert.equal(treeText(tree.root), treeText(TREE));
});

test('projects: arrow keys on a board', () => {
	const columns = [['a', 'b', 'c'], [], ['d']];
	const at = (id, key) => cardBeside(columns, id, key);

	assert.deepEqual([at('a', 'ArrowDown'), at('c', 'ArrowDown'), at('a', 'ArrowUp'),
		at('b', 'ArrowUp')], ['b', '', '', 'a']);
	assert.deepEqual([at('c', 'ArrowRight'), at('d', 'ArrowLeft'), at('d', 'ArrowRight'),
		at('a', 'ArrowLeft'), at('x', 'ArrowDown')], ['d', 'a', '', '', '']);
});

test('two changes of one text are joined, unless they touch', () => {
	const join = (base, mine, theirs) => joinTexts(base, mine, theirs, diffArrays);

	assert.equal(join('a\nb\nc', 'A\nb\nc', 'a\nb\nC'), 'A\nb\nC');
	assert.equal(join('a\nb\nc', 'a\nb\nc\nd', 'a\nx\nb\nc'), 'a\nx\nb\nc\nd');
	assert.equal(join('a\nb\nc', 'b\nc', 'a\nb'), 'b');
	assert.equal(join('a\nb\nc', 'a\nX\nc', 'a\nY\nc'), null);
	assert.equal(join('a\nb', 'A\nb', 'a\nB'), null);	// beside each other
	assert.equal(join('a', 'a\nx', 'a\ny'), null);
	assert.equal(join('a\nb\nc\nd\ne', 'A\nb\nc\nd\nE', 'A\nb\nc\nd\ne'), 'A\nb\nc\nd\nE');
	assert.equal(join('a\nb', 'A\nb', 'A\nb'), 'A\nb');
	assert.equal(join('', 'mine', ''), 'mine');
	assert.equal(join('a', '', 'a'), '');

	// whatever the two do: all lines of both are there, and it does not matter who asks
	let seed = 7;
	const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
	const edited = (lines, who) => lines.flatMap((line, i) => [[line], [line], [line], [line], [],
		[`${who}${i}`], [line, `${who}${i}`]][random(7)]);
	let joined = 0;

	for (let n = 0; n < 500; n++) {
		const base = Array.from({ length: random(30) }, (_, i) => `line ${i}`);
		const [mine, theirs] = [edited(base, 'm'), edited(base, 't')];
		const [one, two] = [join(base.join('\n'), mine.join('\n'), theirs.join('\n')),
			join(base.join('\n'), theirs.join('\n'), mine.join('\n'))];

		assert.equal(one, two);
		if (one === null)
			continue;
		joined++;
		const has = one.split('\n');

		for (const line of base)
			assert.equal(has.includes(line), mine.includes(line) && theirs.includes(line));
		for (const line of [...mine, ...theirs])
			assert.ok(base.includes(line) || has.includes(line), line);
	}
	assert.ok(joined > 20);
});

test('another workspace begins without what was selected, pinned or open in the last one', async () => {
	const list = { workspaceId: 'a', pinned: Promise.resolve([{ conversationId: 'p' }]) };
	const answers = [];
	const order = new Order({ folders: async () => ({ nextCursor: null,
		items: [{ id: 'folder', name: 'Folder', parentId: null }] }),
		conversations: ({ workspaceId }) => new Promise((done) => {
			answers.push(() => done({ items: [{ conversationId: `of ${workspaceId}` }],
				nextCursor: null }));
		}) }, list);

	await order.begin();
	order.select(true);
	order.toggle('p');
	const late = order.open('folder', true);
	Object.assign(list, { workspaceId: 'b', pinned: Promise.resolve([]) });
	const begun = order.begin();
	assert.deepEqual([order.selected, order.pinned], [null, []]);
	await new Promise((done) => { setTimeout(done, 0); });
	answers[1]();
	await begun;
	answers[0]();
	await late;
	assert.deepEqual(order.inside.get('folder'), [{ conversationId: 'of b' }]);
});

test('a deletion that has begun is not offered to be undone, and an old error not shown', async () => {
	const gone = [];
	let answer;
	const order = new Order({ remove: async (id) => {
		gone.push(id);
		if (id === 'bad')
			throw new ApiError({ status: 500, code: 'internal' });
		if (id === 'slow')
			await new Promise((done) => { answer = done; });
	} }, { forget: () => {} });
	const hidden = (id) => order.left([{ conversationId: id }]).length === 0;

	order.doom(['bad']);
	await order.flush();
	assert.equal(order.error?.code, 'internal');
	assert.equal(hidden('bad'), false);
	order.doom(['slow']);
	assert.equal(order.error, null);
	assert.equal(order.doomed.size, 1);
	const flushed = order.flush();

	assert.equal(order.doomed.size, 0);
	assert.ok(hidden('slow'));
	// another one meanwhile: both stay hidden, and only that one is left to be undone
	order.doom(['other']);
	assert.ok(hidden('slow') && hidden('other'));
	order.undo();
	answer();
	await flushed;
	assert.deepEqual(gone, ['bad', 'slow']);
	assert.equal(hidden('other'), false);
});

/** What browsers have. */
function storage()
{
	const all = new Map();

	return { getItem: (key) => all.get(key) ?? null, key: (n) => [...all.keys()][n] ?? null,
		setItem: (key, value) => all.set(key, String(value)), removeItem: (key) => all.delete(key),
		get length() { return all.size; } };
}

test('a draft stays however many others were sent', () => {
	Object.assign(globalThis, { localStorage: storage(), sessionStorage: storage() });
	try {
		const drafts = new Drafts('/chat/api/');

		drafts.open({ tenantId: 't', userId: 'u' });
		drafts.write('first', { text: 'stays' });
		for (let n = 0; n < 150; n++) {
			drafts.write(`c${n}`, { text: 'sent' });
			drafts.write(`c${n}`, null);
		}
		assert.equal(drafts.read('first').text, 'stays');
	} finally {
		delete globalThis.localStorage;
		delete globalThis.sessionStorage;
	}
});

test('all older pages are loaded although one is on its way', { timeout: 5000 }, async () => {
	const pages = new Pages({ messages: async () => {
		await new Promise((done) => { setTimeout(done, 20); });
		return { items: [], nextCursor: --left ? 'more' : null };
	} }, { conversationId: 'c' });
	let left = 3;

	pages.nextCursor = 'more';
	const first = pages.loadOlder();

	await pages.loadUntil(() => false);
	await first;
	assert.equal(left, 0);
	assert.equal(pages.nextCursor, null);
});
