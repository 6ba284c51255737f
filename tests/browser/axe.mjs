// SPDX-License-Identifier: MIT
// What axe-core says of a page.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds serious or critical on the page as it stands. */
export async function violations(page, where)
{
	// colours are measured when nothing is on its way to another one
	await page.waitForFunction(() => document.getAnimations().every((animation) =>
		animation.playState !== 'running' ||
		animation.effect.getTiming().iterations === Infinity));
	await page.evaluate(AXE);
	const { violations: found } = await page.evaluate(() =>
		globalThis.axe.run({ resultTypes: ['violations'] }));

	return found.filter(({ impact }) => /serious|critical/.test(impact))
		.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html.slice(0, 200)} ` +
			`${nodes[0].failureSummary}`);
}
