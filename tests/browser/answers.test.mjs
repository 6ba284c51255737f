// SPDX-License-Identifier: MIT
// What answers are made of: formulas, notes, tasks, code, directions, and lists that grow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { ask, openChat, script, withSources } from './browser.mjs';

/** Shows a text in the page as an answer does. @returns what a function says of it */
async function shown(page, text, look)
{
	const el = await page.evaluateHandle(async (source) => {
		const made = document.createElement('lamp-markdown');
		const end = performance.now() + 10000;

		document.body.append(made);
		made.source = { text: source, live: false };
		while (made.querySelector('.math:not(.math-drawn, .math-source)') && performance.now() < end)
			await new Promise((done) => { setTimeout(done, 20); });
		return made;
	}, text);
	const said = await el.evaluate(look);

	await el.evaluate((made) => made.remove());
	return said;
}

const FORMULAS = String.raw`Euler: \(e^{i\pi} + 1 = 0\). Display:

\[
\begin{pmatrix} a & b \\ c & d \end{pmatrix} = \sum_{i=1}^{n} x_i^*
\]

Inline $a_1^* + b_1^*$ and cost $5 to $10. $$\frac{1}{2}$$ and $\_x$ plus $x_{a}*y_{b}*z$.`;

test('a date or number in a table is one line', async (t) => {
	const page = await openChat(t);
	const lines = await shown(page, `| Task | Due | At | Cost | Note |\n|---|---|---|---|---|\n| ${
		'install '.repeat(9)}| 2027-01-02 | 2027-01-02 10:30 | 1 200,50 | ${'waits for the crane '.repeat(20)}|`,
	(made) => {
		made.style.width = '24rem';
		return [...made.querySelectorAll('td')].map((cell) => {
			const range = document.createRange();

			range.selectNodeContents(cell);
			return range.getClientRects().length;
		});
	});

	assert.deepEqual(lines.slice(1, 4), [1, 1, 1]);
	assert.ok(lines[0] > 1 && lines[4] > 1, `${lines}`);
});

test('formulas are MathML, prices and code are not formulas', async (t) => {
	const page = await openChat(t);
	const asked = [];

	page.on('request', (request) => asked.push(new URL(request.url()).pathname));
	await ask(page, script({ text: 'No formula: $5 to $10, `$x$`, \\$y\\$' }));
	assert.deepEqual(asked.filter((path) => /katex/.test(path)), []);
	assert.equal(await page.locator('.answer .math').count(), 0);
	await ask(page, script({ text: FORMULAS, rate: 60 }));
	await page.waitForSelector('lamp-turn[newest] .math-drawn');
	assert.equal(asked.filter((path) => /katex/.test(path)).length, 1);
	const answer = page.locator('lamp-turn[newest] .answer');

	assert.equal(await answer.locator('math').count(), 6);
	assert.equal(await answer.locator('math[display=block]').count(), 2);
	assert.equal(await answer.locator('mtr').count(), 2);
	assert.match(await answer.innerText(), /cost \$5 to \$10\./);
	assert.equal(await answer.locator('em').count(), 0);
	assert.deepEqual(await violations(page, 'answer'), []);
});

const HOSTILE = [
	String.raw`\href{javascript:alert(1)}{x}`, String.raw`\url{javascript:alert(1)}`,
	String.raw`\includegraphics{https://attacker.example/x.png}`,
	String.raw`\htmlClass{x}{y}\htmlId{x}{y}\htmlStyle{position:fixed}{y}\htmlData{a=b}{y}`,
	String.raw`\text{<img src=x onerror=alert(1)>}`, String.raw`\fcolorbox{red}{blue}{x}`,
	String.raw`\def\x{\x\x}\x`, '{'.repeat(2000) + '}'.repeat(2000), String.raw`\show\message{a}`,
	String.raw`\def\a#1{#1#1#1#1#1#1#1#1#1}\def\b#1{\a{#1}\a{#1}\a{#1}\a{#1}}\b{\b{\b{` +
		`${'x'.repeat(3000)}}}}`,
	String.raw`\newcommand{\a}[1]{#1#1#1#1#1#1#1}` + String.raw`\a{`.repeat(40) + 'x' + '}'.repeat(40),
	String.raw`\gdef\sum{pwned}`, String.raw`\rule{9999em}{9999em}`,
];

test('hostile formulas neither lead anywhere nor take long', async (t) => {
	const page = await openChat(t);

	for (const tex of HOSTILE) {
		const said = await shown(page, `$$${tex}$$\n\n$\\sum$`, (el) => ({
			bad: [...el.querySelectorAll('*')].filter(({ localName, attributes }) =>
				/^(?:a|img|script|iframe|maction)$/.test(localName) ||
				[...attributes].some(({ name }) => /^on|^(?:style|href|id|src)$/.test(name))).length,
			width: el.scrollWidth <= innerWidth,
			sum: el.querySelector('p:last-child').textContent,
		}));

		assert.equal(said.bad, 0, tex);
		assert.match(said.sum, /∑/, tex);
		const begun = Date.now();

		await shown(page, `$$ ${tex}$$`, () => 0);
		assert.ok(Date.now() - begun < 3000, `${tex.slice(0, 60)}: ${Date.now() - begun} ms`);
	}
});

test('notes, tasks, details and attachments', async (t) => {
	const page = await openChat(t);
	const id = '01234567-89ab-4def-8123-456789abcdef';
	const asked = [];

	await page.route('**/attachments/**', (route) => {
		asked.push(new URL(route.request().url()).pathname);
		return route.fulfill({ contentType: 'image/svg+xml',
			body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' });
	});
	await ask(page, script({ text: 'Text[^1], none[^2].\n\n- [ ] open\n- [x] done\n\n' +
		'<details>\n<summary>More **bold**</summary>\n\n- item\n\n```html\n</details>\n```\n\n' +
		'</details>\n\n[^1]: The note.\n\n' +
		`![A chart](attachment:${id}) ![b](https://attacker.example/${id}) ` +
		`![c](./api/v1/attachments/${id}/../me)` }));
	const answer = page.locator('.answer');

	await answer.getByRole('button', { name: 'Go to footnote 1' }).click();
	assert.equal(await page.evaluate(() => document.activeElement.className), 'note-back');
	await page.keyboard.press('Enter');
	assert.equal(await page.evaluate(() => document.activeElement.className), 'note-link');
	assert.match(await answer.innerText(), /none\[\^2\]/);
	assert.deepEqual(await answer.locator('.tick-item').allInnerTexts(), ['☐ open', '☑ done']);
	assert.equal(await answer.getByRole('img', { name: 'Done:' }).count(), 1);
	assert.equal(await answer.locator('details li').isVisible(), false);
	await answer.locator('summary').click();
	assert.equal(await answer.locator('details li').isVisible(), true);
	assert.equal(await answer.locator('details .code').count(), 1);
	assert.equal(await answer.locator('img').count(), 1);
	assert.equal(await answer.locator('.image-link').count(), 2);
	assert.deepEqual([...new Set(asked)], [`${new URL(page.url()).pathname}api/v1/attachments/${id}/content`]);
	assert.deepEqual(await violations(page, 'answer'), []);
});

test('each block has the direction of its first letter', async (t) => {
	const page = await openChat(t);
	const said = await shown(page, 'مرحبا! استخدم `git pull` ثم انتظر.\n\n`git` ثم\n\n' +
		'- أول\n- ثاني\n\n| الاسم | Age |\n|---|---|\n| أحمد | 30 |\n\nEnglish שלום\n\n1. 30\n\n' +
		'> שלום\n\n```\nشفرة\n```', (el) => [...el.querySelectorAll('[dir]')].map((block) =>
		`${block.className || block.localName} ${block.dir}`));

	assert.deepEqual(said, ['p rtl', 'p rtl', 'ul rtl', 'li rtl', 'li rtl', 'table-scroll rtl', 'table rtl', 'th rtl',
		'th ltr', 'td rtl', 'whole auto', 'p ltr', 'ol auto', 'li auto', 'blockquote rtl', 'p rtl',
		'code ltr']);
});

test('code is copied, downloaded, wrapped and numbered', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: `\`\`\`python title="a b.py"\nx = "${'long '.repeat(80)}"\ny = 2\n\`\`\`` }));
	const box = page.locator('.answer .code');
	const before = (await box.boundingBox()).height;

	await box.getByRole('button', { name: 'Wrap long lines' }).click();
	assert.ok((await box.boundingBox()).height > before);
	await box.getByRole('button', { name: 'Number the lines' }).click();
	assert.equal(await box.getByRole('button', { name: 'Wrap long lines' })
		.getAttribute('aria-pressed'), 'false');
	assert.equal(await box.locator('pre').getAttribute('data-lines'), '1\n2');
	const [download] = await Promise.all([page.waitForEvent('download'),
		box.getByRole('button', { name: 'Download this code' }).click()]);

	assert.equal(download.suggestedFilename(), 'a-b.py');
	assert.equal((await box.locator('code').innerText()).split('\n').length, 2);
});

const ITEMS = (n, make) => Array.from({ length: n }, (_, i) => make(i)).join('\n');

test('what has grown is what was shown at once', async (t) => {
	const page = await openChat(t, { init: withSources });
	const texts = [
		`Before\n\n${ITEMS(60, (i) => `- item **${i}** with some words in it`)}\n\nafter it`,
		`${ITEMS(60, (i) => `${i + 3}. item ${i} and more words in it`)}\n\n${ITEMS(20, (i) => `- [x] t ${i}`)}`,
		`${ITEMS(40, (i) => `- item ${i} and more words\n  - within\n\n    \`\`\`js\n    let a;\n    \`\`\`\n`)}\n- last`,
		`${ITEMS(50, (i) => `- tight item ${i} with words in it`)}\n\n- a loose one\n\n- [ ] and a task`,
		`| a | b |\n|--:|---|\n${ITEMS(60, (i) => `| ${i} | *cell* of row ${i} with words |`)}\n\nAfter\n\n| c |\n|---|\n| d |`,
		`${ITEMS(50, (i) => `* item ${i} with some words in it`)}\n***\n${ITEMS(50, (i) => `+ item ${i} with some words`)}\n## End`,
		`${ITEMS(50, (i) => `- item ${i} with some words in it\nlazy line`)}\ntext\n\n\n\n- other\n\n1. a\n2. b`,
		'A $x$ and\n\n\\[\n\na = b\n\nc\n\\]\n\n<details>\n<summary>s</summary>\n\ntext\n\n- a\n\n</details>\n\n[^1]: n\n\nend[^1]',
		'See [a] and [b][a].\n\n- x\n\n[a]: https://example.org',
		`${ITEMS(40, (i) => `- item ${i} with some words in it [^1] $x_${i}$`)}\n\n[^1]: note`,
		`| a |\n|---|\n${ITEMS(90, (i) => `| row ${i} with \\| bar |`)}\nno bar\n- list`,
	];
	const wrong = await page.evaluate(async (all) => {
		const { MarkdownView } = await import('./sources/js/growing.js');
		const bad = [];
		const html = (root) => root.innerHTML.trim().replace(/<math .*?<\/math>/gs, 'm')
			.replace(/math(?:-drawn|-source)? *"/g, 'math"');

		for (const text of all) {
			for (const step of [5, 400]) {
				const [grown, whole] = [document.createElement('div'), document.createElement('div')];
				const view = new MarkdownView(grown);

				for (let at = step; at < text.length; at += step)
					view.show(text.slice(0, at), true);
				view.show(text, true);
				view.show(text, false);
				new MarkdownView(whole).show(text, false);
				const clean = (root) => html(root).replace(/\s+/g, ' ').replace(/> </g, '><').trim();

				if (clean(grown) !== clean(whole)) {
					const [a, b] = [clean(grown), clean(whole)];
					let i = 0;

					while (a[i] === b[i])
						i++;
					bad.push([text.slice(0, 40), step, a.slice(Math.max(0, i - 60), i + 80), b.slice(Math.max(0, i - 60), i + 80)]);
				}
			}
		}
		return bad;
	}, texts);

	assert.deepEqual(wrong, []);
});

test('of a long list that grows, what is settled stays', async (t) => {
	const page = await openChat(t, { init: withSources });
	const said = await page.evaluate(async () => {
		const { MarkdownView } = await import('./sources/js/growing.js');
		const root = document.createElement('div');
		const view = new MarkdownView(root);
		let text = '';

		for (let i = 0; i < 100; i++) {
			text += `- item ${i} with some words\n`;
			view.show(text, true);
		}
		const kept = [...root.querySelectorAll('li')].slice(0, 90);

		for (let i = 100; i < 200; i++) {
			text += `- item ${i} with some words\n`;
			view.show(text, true);
		}
		const now = [...root.querySelectorAll('li')];

		return [now.length, kept.every((li, i) => li === now[i])];
	});

	assert.deepEqual(said, [200, true]);
});

test('colours of code are spans and text, as highlight.js has them and whatever else there is', async (t) => {
	const page = await openChat(t, { init: withSources });
	const wrong = await page.evaluate(async () => {
		const { spansOf } = await import('./sources/js/markdown.js');
		const { hljs } = await import('./sources/vendor/highlight.js');
		const bad = [];
		const codes = ['<b>&amp;"\'</b> if (a < b && c > d) return `x$\\{y}`; // <!-- \u{1f9ee} é',
			'def f(x):\n    """doc & <i>"""\n    return f"{x!r}" + r\'\\d\'\n', '<a href="x" onclick=\'y()\'>&lt;</a>',
			'SELECT \'a\'\'b\' FROM t WHERE x <> 1 -- &', '', '\n\n', '&&& <<< </span>', '{"a": [1, null, "</script>"]}'];

		for (const code of codes) {
			for (const language of ['javascript', 'python', 'xml', 'sql', 'json', 'bash', 'css']) {
				const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
				const mine = document.createElement('code');

				mine.append(spansOf(value));
				// in text, quotes need not be escaped
				if (mine.textContent !== code || mine.innerHTML !==
				    value.replaceAll('&quot;', '"').replaceAll('&#x27;', "'"))
					bad.push([language, value, mine.innerHTML]);
			}
		}
		// what it never makes is text
		for (const html of ['<img src=x onerror=alert(1)>', '</span></span>x', '<span class="a" onclick="alert(1)">x',
			'<span class="a"><script>alert(1)</script>', '<span>x</span>', '&bogus;&lt;b&gt;', '<span class="a']) {
			const root = document.createElement('code');

			root.append(spansOf(html));
			if (root.querySelector(':not(span)') || root.querySelector('[onclick]') ||
			    [...root.querySelectorAll('*')].some((el) => el.getAttributeNames().join() !== 'class'))
				bad.push([html, root.innerHTML]);
		}
		return bad;
	});

	assert.deepEqual(wrong, []);
});
