// SPDX-License-Identifier: MIT
// Code that is opened beside the chat, its versions, and diagrams.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { ask, openChat, PHONE, script } from './browser.mjs';

const PAGE = (n) => '```html\n<!doctype html>\n<html><head><title>Counter</title></head>\n<body>\n' +
	`<button id="b" onclick="this.textContent = Number(this.textContent) + ${n}">0</button>\n` +
	'<p>\nwith some\nmore lines\n</p>\n</body></html>\n```\n';

/** The document of the content in the panel. */
function content(page)
{
	return page.frameLocator('lamp-artifact .sandbox').frameLocator('iframe');
}

test('HTML opens beside the chat, runs, and has versions', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: `Here:\n\n${PAGE(1)}` }));
	await page.getByRole('button', { name: 'Open beside the chat' }).click();
	const panel = page.locator('lamp-artifact');

	assert.equal(await panel.locator('h2').innerText(), 'Counter');
	await content(page).locator('#b').click();
	assert.equal(await content(page).locator('#b').innerText(), '1');
	assert.deepEqual(await violations(page, 'panel'), []);
	await ask(page, script({ text: `Changed:\n\n${PAGE(5)}\n\n\`\`\`html\n<p>other</p>\n\`\`\`` }));
	await panel.getByText('2 of 2').waitFor();
	await content(page).locator('#b').click();
	assert.equal(await content(page).locator('#b').innerText(), '5');
	await panel.getByRole('button', { name: 'Earlier version' }).click();
	await content(page).locator('#b').click();
	assert.equal(await content(page).locator('#b').innerText(), '1');
	await panel.getByRole('button', { name: 'Code', exact: true }).click();
	assert.match(await panel.locator('pre').innerText(), /<title>Counter/);
	assert.equal(await page.locator('iframe').count(), 0);
	await page.keyboard.press('Escape');
	assert.equal(await panel.locator('section').count(), 0);
	assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Open');
});

test('SVG, Markdown and CSV open, on a phone too', async (t) => {
	const page = await openChat(t, PHONE);

	await ask(page, script({ text: '```svg\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>Dot</title><circle r="3"/></svg>\n```\n\n' +
		'```markdown\n# Head\n\n- **x** <script>alert(1)</script>\n```\n\n```csv\nName;Sum\n"A; ""B""";3\nC;=1+1\n```' }));
	const open = page.getByRole('button', { name: 'Open beside the chat' });
	const panel = page.locator('lamp-artifact');

	await open.nth(0).click();
	await content(page).locator('circle').waitFor({ state: 'attached' });
	const box = await panel.boundingBox();

	assert.ok(box.width > 380 && box.height > 800);
	assert.deepEqual(await violations(page, 'phone'), []);
	await panel.getByRole('button', { name: 'Close' }).click();
	await open.nth(1).click();
	assert.equal(await panel.locator('h3').innerText(), 'Head');
	assert.equal(await panel.locator('script').count(), 0);
	await panel.getByRole('button', { name: 'Close' }).click();
	await open.nth(2).click();
	assert.deepEqual(await panel.locator('td').allInnerTexts(), ['A; "B"', '3', 'C', '=1+1']);
});

test('diagrams are pictures; hostile ones are nothing more', async (t) => {
	const page = await openChat(t);

	await ask(page, script({ text: '```mermaid\ngraph TD\n  A[Start] --> B{Choice}\n  B --> C[End]\n```\n\n' +
		'```mermaid\nnot a diagram\n```\n\n' +
		'```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "*{background:url(https://attacker.example/)}"}}%%\n' +
		'graph TD\n  A["<img src=https://attacker.example/x onerror=alert(1)><script>alert(1)</script>"] --> B\n' +
		'  click A href "javascript:alert(1)"\n  click B call alert(1)\n```\n\n' +
		'```mermaid\nsequenceDiagram\n  A->>B: <iframe src="https://attacker.example"></iframe>\n  link A: x @ javascript:alert(1)\n```' }));
	const diagrams = page.locator('.answer lamp-diagram');

	for (let i = 0; i < 4; i++) {
		await diagrams.nth(i).scrollIntoViewIfNeeded();
		await diagrams.nth(i).locator('img, p').waitFor({ timeout: 30000 });
	}
	assert.equal(await diagrams.nth(0).locator('img').getAttribute('alt'), 'Diagram: graph');
	assert.ok(await diagrams.nth(0).locator('img').evaluate((img) => img.naturalWidth > 50));
	assert.match(await diagrams.nth(1).innerText(), /^Couldn’t draw this diagram/);
	assert.equal(await page.locator('.answer .code pre:visible').count(), 1);
	await page.getByRole('button', { name: 'Show the text of the diagram' }).first().click();
	assert.equal(await page.locator('.answer .code pre:visible').count(), 2);
	assert.equal(await page.locator('iframe').count(), 0);
	assert.deepEqual(await violations(page, 'diagrams'), []);
});

test('a diagram during which the page was left is drawn when asked for', async (t) => {
	const page = await openChat(t);

	// the library never answers, as if it ran without an end
	await page.route('**/page/mermaid-*.js', (route) => route.fulfill({
		contentType: 'text/javascript', body: 'globalThis.mermaid = { initialize() {}, render: () => new Promise(() => {}) };' }));
	await ask(page, script({ text: '```mermaid\ngraph TD\n  A --> B\n```' }));
	await page.waitForFunction(() => sessionStorage.getItem('lamplighter.drawing'));
	await page.unroute('**/page/mermaid-*.js');
	await page.reload();
	await page.getByRole('button', { name: 'Draw this diagram' }).click();
	await page.locator('lamp-diagram img').waitFor();
	assert.equal(await page.evaluate(() => sessionStorage.getItem('lamplighter.drawing')), null);
});
