// SPDX-License-Identifier: MIT
// What axe-core says of a page.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds; rules: these only. */
async function run(page, where, rules)
{
	// colours are measured when nothing is on its way to another one
	await page.waitForFunction(() => document.getAnimations().every((animation) =>
		animation.playState !== 'running' ||
		animation.effect.getTiming().iterations === Infinity));
	await page.evaluate(AXE);
	const { violations: found } = await page.evaluate((names) => globalThis.axe.run({
		// it is not in them; what it would send there, Firefox calls an error
		iframes: false, resultTypes: ['violations'], ...names && { runOnly: names } }), rules);

	return found.map(({ id, impact, nodes }) => ({ impact,
		text: `${where}: ${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}` }));
}

/** What axe finds serious or critical on the page as it stands. */
export async function violations(page, where)
{
	return (await run(page, where)).filter(({ impact }) => /serious|critical/.test(impact))
		.map(({ text }) => text);
}

/** All that axe finds on the page as it stands, and of its colours in the other theme, too. */
export async function findings(page, where)
{
	const other = () => page.evaluate(() => {
		const { dataset } = document.documentElement;

		dataset.theme = dataset.theme === 'dark' ? 'light' : 'dark';
	});
	const found = await run(page, where);

	await other();
	found.push(...await run(page, `${where}, the other theme`, ['color-contrast']));
	await other();
	return found.map(({ text }) => text);
}
