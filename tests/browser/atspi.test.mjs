// SPDX-License-Identifier: MIT
// The page as a screen reader of Linux has it: Firefox with AT-SPI, the platform's interface,
// on a display and a session bus of their own. tests/browser/atspi.py reads, writes and
// presses as a screen reader does; nothing here drives the browser in any other way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { base, script } from './browser.mjs';

const FIREFOX = process.env.FIREFOX || '/usr/bin/firefox-esr';
const HELPER = fileURLToPath(new URL('atspi.py', import.meta.url));
/** Of Debian's packages firefox-esr, xvfb, dbus-daemon, at-spi2-core; with python3-gi and gir1.2-atspi-2.0. */
const NEEDED = [FIREFOX, '/usr/bin/Xvfb', '/usr/bin/dbus-run-session',
	'/usr/libexec/at-spi-bus-launcher'];
const PREFS = { 'accessibility.force_disabled': -1, 'app.update.enabled': false,
	'browser.aboutwelcome.enabled': false, 'browser.shell.checkDefaultBrowser': false,
	'browser.startup.homepage_override.mstone': 'ignore', 'browser.tabs.warnOnClose': false,
	'datareporting.policy.dataSubmissionEnabled': false, 'intl.accept_languages': 'en-GB',
	'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
	'toolkit.telemetry.reportingpolicy.firstRun': false, 'ui.prefersReducedMotion': 1 };

const missing = NEEDED.filter((file) => !existsSync(file));
const started = [];
let profile = '';
let ask = null;

/** A program that ends with the tests. */
function start(program, args, options)
{
	const child = spawn(program, args, options);

	started.unshift(child);
	return child;
}

before(async () => {
	if (missing.length > 0)
		return;
	profile = await mkdtemp(path.join(tmpdir(), 'lamp-atspi-'));
	await writeFile(path.join(profile, 'user.js'), Object.entries(PREFS).map(([name, value]) =>
		`user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
	const display = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'],
		{ stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
	const number = await new Promise((done, failed) => {
		display.stdio[3].once('data', (data) => done(String(data).trim()));
		display.once('exit', () => failed(new Error('Xvfb does not start')));
	});
	const helper = start('dbus-run-session', ['--', '/usr/bin/python3', HELPER, FIREFOX, profile, base],
		{ stdio: ['pipe', 'ignore', 'ignore', 'pipe'], env: { ...process.env, DISPLAY: `:${number}`, HOME: profile,
			XDG_RUNTIME_DIR: profile, GNOME_ACCESSIBILITY: '1',
			MOZ_ENABLE_WAYLAND: '0', MOZ_CRASHREPORTER_DISABLE: '1', LC_ALL: 'C.UTF-8' } });
	const lines = createInterface({ input: helper.stdio[3] })[Symbol.asyncIterator]();

	ask = async (command, fields = {}) => {
		helper.stdin.write(`${JSON.stringify({ do: command, ...fields })}\n`);
		const { value } = await lines.next();
		const answer = JSON.parse(value);

		assert.equal(answer.error, undefined, `${command} ${JSON.stringify(fields)}`);
		return answer;
	};
});

after(async () => {
	for (const child of started) {
		const ended = child.exitCode === null ? new Promise((done) => { child.once('exit', done); }) : null;

		if (child.stdin)
			child.stdin.end();
		else
			child.kill();
		await ended;
	}
	if (profile)
		await rm(profile, { recursive: true, force: true, maxRetries: 10 });
});

/** A test that needs all of NEEDED (`./lamp deps` installs them). */
function reads(name, run)
{
	test(name, async (t) => {
		assert.deepEqual(missing, [], 'run ./lamp deps');
		await run(t);
	});
}

async function say(text, end)
{
	await ask('write', { role: 'entry', name: 'Message', text });
	await ask('press', { role: 'button', name: 'Send' });
	return (await ask('said', { until: end })).said;
}

const LANDMARKS = ['banner', 'complementary', 'contentinfo', 'form', 'main', 'navigation', 'region', 'search'];
const CONTROLS = ['button', 'toggle-button', 'link', 'entry', 'combo-box', 'check-box', 'radio-button', 'menu-item'];

reads('an answer is told while it streams, in words, politely, each of them once', async () => {
	await ask('await', { role: 'entry', name: 'Message' });
	await ask('said');
	const said = await say(script({ rate: 40, text: 'First **strong** sentence.\n\n' +
		'| kind | number |\n|------|-------:|\n| red | 12 |\n| blue | 7 |\n\n- item `code`\n\nThe very last words.' }),
	'very last words');
	const all = said.map(({ text }) => text).join('\n');

	assert.deepEqual(said.filter(({ live }) => live !== 'polite'), []);
	for (const mark of [/\|/, /\*\*/, /`/, /---/])
		assert.doesNotMatch(all, mark);
	for (const words of ['First strong sentence', 'very last words'])
		assert.equal(all.split(words).length, 2, all);
});

reads('landmarks, the order of headings, names of controls', async () => {
	const { nodes } = await ask('tree');
	const marks = nodes.filter(({ role, kind }) => kind === 'landmark' || LANDMARKS.includes(role));

	assert.equal(marks.filter(({ role }) => role === 'main').length, 1);
	assert.ok(marks.some(({ role, name }) => role === 'navigation' && name === 'Sections'));
	const names = marks.map(({ role, name }) => `${role} ${name}`);

	assert.deepEqual([...new Set(names)], names);
	const levels = nodes.filter(({ kind }) => kind === 'heading').map(({ level }) => Number(level));

	assert.equal(levels.filter((level) => level === 1).length, 1);
	levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? level) + 1, levels.join(' ')));
	assert.deepEqual(nodes.filter(({ kind, name, states }) => CONTROLS.includes(kind) &&
		states.includes('showing') && !name.trim()), []);
	const field = nodes.find(({ kind, name }) => kind === 'entry' && name === 'Message');

	assert.ok(field.states.includes('multi_line'));
	assert.ok(nodes.some(({ kind, name }) => kind === 'heading' && name === 'You said'));
	assert.deepEqual(nodes.filter(({ live }) => live && !['polite', 'off'].includes(live)), []);
});

reads('a table is a table of headings and cells', async () => {
	assert.deepEqual((await ask('table')).rows, [
		[['column-header', 'kind'], ['column-header', 'number']],
		[['table-cell', 'red'], ['table-cell', '12']],
		[['table-cell', 'blue'], ['table-cell', '7']]]);
});

reads('a menu and a dialog take the focus, and give it back', async () => {
	const menu = { role: 'button', name: 'Actions for this conversation' };

	await ask('focus', menu);
	await ask('press', menu);
	await ask('press', { role: 'menuitem', name: 'Delete' });

	await ask('await', { role: 'dialog', name: 'Delete this conversation?', state: 'modal' });
	await ask('await', { role: 'button', state: 'focused' });
	assert.equal((await ask('tree')).nodes.filter(({ role }) => role === 'main').length, 0,
		'the page behind it');
	await ask('press', { role: 'button', name: 'Cancel' });
	await ask('await', { ...menu, state: 'focused' });
});
