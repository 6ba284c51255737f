// SPDX-License-Identifier: MIT
// What a blind person hears: Firefox and the screen reader Orca on a display of their own,
// used with the keyboard. Orca writes what it says into its log. Not part of the tests: the
// packages are large, and speech takes its time. tests/browser/reader.test.mjs asks
// Chromium's tree for accessibility for the same, in seconds.
//
//     LAMPLIGHTER_URL=http://127.0.0.1:8080/chat/ node tests/browser/orca.mjs
//
// beside `./lamp up --llm demo`, with the Node.js of the tests. Packages of Debian: orca
// at-spi2-core dbus firefox-esr xdotool xvfb
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const url = process.env.LAMPLIGHTER_URL;
if (!url)
	throw new Error('LAMPLIGHTER_URL is not set: the address of ./lamp up, with its final slash');
const WAIT_MS = 60000;

// a bus of its own, on which nobody else speaks
if (!process.env.LAMPLIGHTER_ORCA_BUS) {
	const { status } = await new Promise((resolve) => {
		spawn('dbus-run-session', ['--', process.execPath, process.argv[1]], { stdio: 'inherit',
			env: { ...process.env, LAMPLIGHTER_ORCA_BUS: '1' } }).on('exit', (code) => resolve({ status: code }));
	});

	process.exit(status ?? 1);
}

const home = mkdtempSync(path.join(tmpdir(), 'lamp-orca-'));
const log = path.join(home, 'orca.log');
const started = [];
const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home,
	GNOME_ACCESSIBILITY: '1', GTK_MODULES: 'gail:atk-bridge', LC_ALL: 'C.UTF-8', MOZ_CRASHREPORTER_DISABLE: '1' };

async function until(what, test)
{
	const end = Date.now() + WAIT_MS;

	for (;;) {
		const found = await test();

		if (found)
			return found;
		if (Date.now() > end)
			throw new Error(`${what}: it did not come`);
		await pause(50);
	}
}

function start(program, args, options = {})
{
	const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'], ...options });

	started.push(child);
	return child;
}

const run = (program, ...args) => execFileSync(program, args, { env, encoding: 'utf8' });
const key = (...names) => run('xdotool', 'key', '--delay', '60', ...names);
const type = (text) => run('xdotool', 'type', '--delay', '15', text);

/** All that Orca has said, one utterance a line. */
function said()
{
	try {
		return [...readFileSync(log, 'utf8').matchAll(/SPEECH OUTPUT: '(.*?)'(?: \{|$)/gm)].map(([, text]) => text);
	} catch {
		return [];
	}
}

/** What Orca says from now on, until it has said that. */
async function hears(pattern, act)
{
	const before = said().length;

	await act();
	await until(`Orca says ${pattern}, not only ${said().slice(-8).join(' | ')}`, () =>
		said().slice(before).some((text) => pattern.test(text)));
	return said().slice(before);
}

// -- the display, the browser, the screen reader -------------------------------------------

async function display()
{
	const server = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
		{ stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
	let number = '';

	server.stdio[3].on('data', (data) => { number += data; });
	await until('Xvfb', () => number.includes('\n'));
	env.DISPLAY = `:${number.trim()}`;
}

/** WebDriver BiDi, as far as it is needed here. */
async function firefox()
{
	const profile = path.join(home, 'firefox');
	let out = '';

	mkdirSync(profile);
	writeFileSync(path.join(profile, 'user.js'), ['"accessibility.force_disabled", -1',
		'"browser.shell.checkDefaultBrowser", false', '"browser.aboutwelcome.enabled", false',
		'"datareporting.policy.dataSubmissionEnabled", false', '"toolkit.telemetry.enabled", false',
		'"app.normandy.enabled", false', '"extensions.getAddons.cache.enabled", false',
		'"browser.sessionstore.resume_from_crash", false', '"network.captive-portal-service.enabled", false',
	].map((pref) => `user_pref(${pref});\n`).join(''));
	start('firefox-esr', ['--no-remote', '--profile', profile, '--remote-debugging-port', '0',
		'--width', '1280', '--height', '900', 'about:blank']).stderr.on('data', (data) => { out += data; });
	const [, address] = await until('Firefox', () => /WebDriver BiDi listening on (ws:\S+)/.exec(out));
	const socket = new globalThis.WebSocket(`${address}/session`);
	const waiting = new Map();
	let id = 0;

	await new Promise((resolve, reject) => {
		socket.onopen = resolve;
		socket.onerror = reject;
	});
	socket.onmessage = ({ data }) => {
		const { id: of, type: how, result, message } = JSON.parse(data);
		const { resolve, reject } = waiting.get(of) ?? {};

		if (how === 'success')
			resolve?.(result);
		else if (how === 'error')
			reject?.(new Error(message));
	};
	return (method, params) => new Promise((resolve, reject) => {
		waiting.set(++id, { resolve, reject });
		socket.send(JSON.stringify({ id, method, params }));
	});
}

async function orca()
{
	// as the settings of a desktop do: programs describe themselves, and to whom
	for (const name of ['IsEnabled', 'ScreenReaderEnabled'])
		run('dbus-send', '--session', '--print-reply', '--dest=org.a11y.Bus', '/org/a11y/bus',
			'org.freedesktop.DBus.Properties.Set', 'string:org.a11y.Status', `string:${name}`,
			'variant:boolean:true');
	start('orca', ['--replace', '--disable', 'braille', '--debug-file', log, '--user-prefs', home]);
	// without a speech server it only writes what it would say
	await until('Orca', () => /SPEECH: Initialized/.test(readFileSync(log, { encoding: 'utf8', flag: 'a+' })));
}

// -- what is heard --------------------------------------------------------------------------

async function listen()
{
	await display();
	run('dbus-send', '--session', '--print-reply', '--dest=org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus.GetAddress');
	await orca();
	const ask = await firefox();

	await ask('session.new', { capabilities: {} });
	const { contexts: [{ context }] } = await ask('browsingContext.getTree', {});
	const evaluate = async (expression) => (await ask('script.evaluate', { expression, awaitPromise: true,
		target: { context } })).result.value;
	const [window] = (await until('the window', () => {
		try {
			return run('xdotool', 'search', '--onlyvisible', '--class', 'firefox');
		} catch {
			return '';
		}
	})).split('\n');

	run('xdotool', 'windowfocus', window);
	const report = [];
	const note = (what, texts) => {
		report.push(`${what}:`, ...texts.map((text) => `    ${text}`));
		return texts.join('\n');
	};

	note('the page opens', await hears(/Message|message/, async () => {
		await ask('browsingContext.navigate', { context, url, wait: 'complete' });
		await until('the field', () => evaluate('Boolean(document.querySelector(".composer-field"))'));
		key('F6');	// from the address to the page
		await evaluate('document.querySelector(".composer-field").blur(), document.querySelector(".composer-field").focus()');
	}));

	const answer = note('an answer that streams', await hears(/has answered: .*third word/, async () => {
		type('!script {"text":"First **strong** word.\\n\\n| a | b |\\n|---|---|\\n| one | two |\\n\\nThe third word.","rate":30}');
		key('Return');
		await until('the end', () => evaluate('Boolean(document.querySelector("lamp-turn .answer")) && !document.querySelector(".stop-button")'));
	}));

	assert.doesNotMatch(answer.split('\n').filter((text) => !/script \{/i.test(text)).join('\n'), /\|---|\*\*/,
		'marks of Markdown are not read');
	note('a dialog', await hears(/Keyboard/, async () => {
		await evaluate('document.querySelector("lamp-help").show()');
	}));
	key('Escape');
	for (const [name, letter] of [['landmarks', 'm'], ['headings', 'h'], ['buttons', 'b']]) {
		await evaluate('document.querySelector("main h1, h1").scrollIntoView(), document.activeElement.blur()');
		note(name, await hears(/./, async () => {
			for (let i = 0; i < 6; i++) {
				key(letter);
				await pause(400);
			}
		}));
	}
	console.log(report.join('\n'));
}

try {
	await listen();
} catch (error) {
	console.error(error, '\nOrca has said:\n', said().join('\n'));
	process.exitCode = 1;
} finally {
	for (const child of started.reverse())
		child.kill();
	rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
