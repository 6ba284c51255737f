// SPDX-License-Identifier: MIT
// Pages that use a client in a real browser, at an origin of their own, so that they reach
// the server by CORS with a token.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const origins = process.env.LAMPLIGHTER_PAGES.split(' ');
const modules = new URL('../node_modules/', import.meta.url);

/** A file of a package in tests/node_modules. */
export const packaged = (path) => readFile(new URL(path, modules), 'utf8');

/** A module of tests/clients as one script, with the packages that it imports. */
export async function bundled(name)
{
	// The bundler of the page itself, which runs on the Node.js of any system.
	const { default: esbuild } = await import(
		new URL('../../node_modules/esbuild/lib/main.js', import.meta.url).href);
	const { outputFiles: [{ text }] } = await esbuild.build({
		entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
		bundle: true, write: false, format: 'esm', platform: 'browser', logLevel: 'silent',
		define: { 'process.env.NODE_ENV': '"production"' },
	});

	return text;
}

/** Serves at the first origin that no other file's page has. */
async function listen(server)
{
	for (const origin of origins) {
		const { hostname, port } = new URL(origin);

		if (await new Promise((resolve) => {
			server.once('error', () => resolve(false));
			server.listen(Number(port), hostname, () => resolve(true));
		}))
			return origin;
	}
	throw new Error('no origin for a page is free');
}

/**
 * Opens a page with this script, a module, and `<div id="root">`.
 * @param {string} script
 * @param {object} given what the script finds in globalThis.given
 * @returns {Promise<{page: import('playwright-core').Page, faults: string[], close: () => Promise<void>}>}
 */
export async function open(script, given)
{
	const server = createServer((request, response) => {
		const js = request.url === '/page.js';

		response.setHeader('Content-Type', js ? 'text/javascript' : 'text/html; charset=utf-8');
		response.end(js ? script : `<!doctype html><div id="root"></div>
<script>globalThis.given = ${JSON.stringify(given)}</script><script type="module" src="/page.js"></script>`);
	});

	const origin = await listen(server);
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
		args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
	});
	const page = await browser.newPage();
	const faults = [];

	page.on('pageerror', (error) => faults.push(String(error.stack)));
	page.setDefaultTimeout(60000);
	await page.goto(origin);
	return {
		page, faults,
		async close() {
			await browser.close();
			server.closeAllConnections();
			await new Promise((resolve) => { server.close(resolve); });
		},
	};
}
