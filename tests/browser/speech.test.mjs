// SPDX-License-Identifier: MIT
// Reading aloud, dictation, notifications, and versions side by side. The headless browser has
// neither voices nor a microphone: stand-ins with the browsers' own interfaces take their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { ask, open, openChat, script, send, shownId, withSources } from './browser.mjs';

const ANSWER = '# Leave\n\nYou have **28** days. They end in March.\n\n```sql\nselect 1\n```\n\n' +
	'- one\n- two\n\n| Year | Days |\n|---|---|\n| 2026 | 28 |\n';

/** Voices of the device and of a service; what is said stands in window.said. */
function withVoices(page, voices)
{
	return page.addInitScript((all) => {
		const said = window.said = [];

		window.SpeechSynthesisUtterance = class {
			constructor(text)
			{
				this.text = text;
			}
		};
		Object.defineProperty(window, 'speechSynthesis', { value: {
			getVoices: () => all,
			addEventListener() {},
			now: null,
			speak(utterance)
			{
				said.push(`${utterance.voice.name}: ${utterance.text}`);
				this.now = utterance;
				if (!window.holds)
					setTimeout(() => utterance.onend());
			},
			cancel()
			{
				this.now?.onerror({ error: 'canceled' });
				this.now = null;
			},
		} });
	}, voices);
}

const VOICES = [{ name: 'far', lang: 'en-GB', localService: false },
	{ name: 'near', lang: 'en-US', localService: true },
	{ name: 'fern', lang: 'de-DE', localService: true }];

async function more(page, item)
{
	await page.locator('lamp-turn[newest] .message-assistant lamp-menu .menu-button').click();
	await page.getByRole('menuitem', { name: item }).click();
}

test('an answer is read aloud by a voice of the device, without code and marks', async (t) => {
	const page = await openChat(t, { init: (p) => withVoices(p, VOICES) });

	await ask(page, script({ text: ANSWER }));
	await more(page, 'Read aloud');
	await page.waitForFunction(() => window.said.length === 6);
	assert.deepEqual(await page.evaluate(() => window.said), ['near: Leave',
		'near: You have 28 days. They end in March.', 'near: one', 'near: two',
		'near: Year, Days', 'near: 2026, 28']);
	await page.locator('.strip').waitFor({ state: 'hidden' });

	// It ends when it is told to, and says no further sentence.
	await page.evaluate(() => { window.said.length = 0; window.holds = true; });
	await more(page, 'Read aloud');
	await page.locator('.strip').getByText('Reading aloud').waitFor();
	assert.deepEqual(await violations(page), []);
	await more(page, 'Stop reading aloud');
	await page.locator('.strip').waitFor({ state: 'hidden' });
	assert.equal(await page.evaluate(() => window.said.length), 1);
});

test('no voice of a service is used, and the page says that there is none', async (t) => {
	const page = await openChat(t, { init: (p) => withVoices(p, [VOICES[0], VOICES[2]]) });

	await ask(page, script({ text: 'It is open.' }));
	await more(page, 'Read aloud');
	await page.getByText('This device has no voice for the language of this answer.').waitFor();
	assert.deepEqual(await page.evaluate(() => window.said), []);
});

test('languages and sentences', async (t) => {
	const page = await open(t, { init: withSources });
	const { languages, sentences, nested } = await page.evaluate(async () => {
		const { languageOf, sentencesOf, spokenOf } = await import('./sources/js/speech.js');
		const box = document.createElement('div');

		box.innerHTML = '<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul>';
		return { nested: spokenOf(box),
			languages: ['Grüße', 'Привет', '你好', 'こんにちは', 'שלום', '123'].map((text) =>
				languageOf(text, ['de-AT', 'en', 'zh-Hant-TW', 'uk'])),
			sentences: [sentencesOf('One. Two! Three'), sentencesOf(`${'word '.repeat(100)}end.`),
				sentencesOf('x'.repeat(500)), sentencesOf('')] };
	});

	assert.deepEqual(nested, ['a', 'b', 'c', 'd']);
	assert.deepEqual(languages, ['de-AT', 'uk', 'zh', 'ja', 'he', 'de-AT']);
	assert.deepEqual(sentences[0], ['One. Two! Three']);
	assert.ok(sentences[1].every((one) => one.length <= 220 && !one.startsWith('ord')));
	assert.equal(sentences[1].join(' '), `${'word '.repeat(100)}end.`);
	assert.equal(sentences[2].join(''), 'x'.repeat(500));
	assert.deepEqual(sentences[3], []);
});

/** A browser that can take dictation; on: whether it says so of the device. */
function withEar(page, { on = true, there = 'available', fails = '' } = {})
{
	return page.addInitScript((how) => {
		class Ear {
			static available = async () => how.there;
			static install = async () => false;
			start()
			{
				window.ear = this;
				if (how.fails)
					setTimeout(() => {
						this.onerror({ error: how.fails });
						this.onend();
					});
			}
			stop()
			{
				this.onend();
			}
			hear(transcript, isFinal)
			{
				const result = Object.assign([{ transcript }], { isFinal });

				this.onresult({ resultIndex: 0, results: [result] });
			}
		}

		if (how.on)
			Ear.prototype.processLocally = false;
		window.webkitSpeechRecognition = Ear;
		delete window.SpeechRecognition;
	}, { on, there, fails });
}

test('a message is dictated where the caret is', async (t) => {
	const page = await openChat(t, { init: withEar });
	const field = page.locator('.composer-field');

	await field.fill('Please:  Thanks.');
	await field.evaluate((el) => el.setSelectionRange(8, 8));
	await page.getByRole('button', { name: 'Dictate' }).click();
	await page.waitForFunction(() => window.ear);
	assert.equal(await page.evaluate(() => window.ear.processLocally), true);
	await page.evaluate(() => window.ear.hear('how mini', false));
	await page.evaluate(() => window.ear.hear('how many days', true));
	await page.evaluate(() => window.ear.hear(' are left?', true));
	await page.waitForFunction(() =>
		document.querySelector('.composer-field').value === 'Please: how many days are left? Thanks.');
	assert.deepEqual(await violations(page), []);
	await page.getByRole('button', { name: 'Stop listening' }).click();
	await page.getByRole('button', { name: 'Dictate' }).waitFor();
});

test('what does not stay on the device is not offered, and a failure is said', async (t) => {
	const far = await openChat(t, { init: (p) => withEar(p, { on: false }) });

	assert.equal(await far.getByRole('button', { name: 'Dictate' }).count(), 0);
	for (const [how, text] of [[{ there: 'unavailable' }, 'cannot take dictation'],
		[{ there: 'downloadable' }, 'cannot take dictation'],
		[{ fails: 'not-allowed' }, 'may not use the microphone']]) {
		const page = await openChat(t, { init: (p) => withEar(p, how) });

		await page.getByRole('button', { name: 'Dictate' }).click();
		await page.locator('.composer-hint').getByText(text).waitFor();
		await page.getByRole('button', { name: 'Dictate' }).waitFor();
	}
});

/** Notifications stand in window.notes; granted after it was asked for. */
function withNotes(page, answer = 'granted')
{
	return page.addInitScript((said) => {
		window.notes = [];
		window.Notification = class {
			static permission = sessionStorage.getItem('permission') || 'default';
			static async requestPermission()
			{
				sessionStorage.setItem('permission', said);
				return window.Notification.permission = said;
			}
			constructor(title, { body, tag })
			{
				window.notes.push({ title, body, tag, note: this });
			}
			close() {}
		};
		window.away = false;
		Object.defineProperty(document, 'hidden', { get: () => window.away });
	}, answer);
}

test('a long answer is told of on the device, once that is wanted', async (t) => {
	const page = await openChat(t, { init: async (p) => {
		await withNotes(p);
		await p.clock.install();
	} });
	let go;
	const held = new Promise((resolve) => { go = resolve; });

	await page.route('**/stream', async (route) => {
		await held;
		await route.continue();
	});
	await send(page, script({ text: 'It took a while.' }));
	await page.waitForSelector('.message-assistant[aria-busy=true]');
	assert.equal(await page.locator('.strip').count(), 0);
	await page.clock.fastForward(9000);
	await page.getByRole('button', { name: 'Tell me when it is ready' }).click();
	await page.locator('.strip').waitFor({ state: 'hidden' });
	await page.evaluate(() => { window.away = true; });
	go();
	await page.waitForFunction(() => window.notes.length === 1);
	const [{ title, body }] = await page.evaluate(() =>
		window.notes.map(({ title: head, body: text }) => ({ title: head, body: text })));

	assert.match(title, / – answered$/);
	assert.equal(body, 'It took a while.');

	// A press on it leads there; what is in sight is not told.
	const id = shownId(page);

	await page.evaluate(() => { window.away = false; });
	await page.keyboard.press('Alt+n');
	await page.waitForFunction((old) => !location.hash.includes(old), id);
	await page.evaluate(() => window.notes[0].note.onclick());
	await page.waitForFunction((wanted) => location.hash.includes(wanted), id);
	await page.unroute('**/stream');
	await ask(page, script({ text: 'Seen.' }));
	assert.equal(await page.evaluate(() => window.notes.length), 1);
});

test('my data says whether this device tells, and that it may not', async (t) => {
	const page = await open(t, { hash: '#/mine', init: withNotes });
	const box = page.getByLabel('Tell me when an answer is ready');

	await box.check();
	assert.equal(await page.evaluate(() => localStorage.getItem('lamplighter.ready')), 'on');
	await box.uncheck();
	assert.equal(await page.evaluate(() => localStorage.getItem('lamplighter.ready')), 'off');
	const other = await open(t, { hash: '#/mine', init: (p) => withNotes(p, 'denied') });

	await other.getByLabel('Tell me when an answer is ready').click();
	await other.getByText('The browser does not allow it.').waitFor();
	assert.equal(await other.getByLabel('Tell me when an answer is ready').isChecked(), false);
});

test('two versions of an answer are compared, and one is taken', async (t) => {
	const page = await openChat(t);

	await ask(page, 'How many days of leave carry over?');
	for (const at of [2, 3]) {
		await page.getByRole('button', { name: 'Regenerate' }).click();
		await page.waitForFunction((n) => document.querySelector('.variants')
			?.innerText.includes(`${n}/${n}`), at);
	}
	await page.getByRole('button', { name: 'Compare versions' }).click();
	const dialog = page.locator('lamp-compare dialog');
	const sides = dialog.locator('.compare-side');

	await sides.first().waitFor();
	assert.equal(await sides.nth(0).locator('select').inputValue(), '1');
	assert.equal(await sides.nth(1).locator('select').inputValue(), '2');
	assert.ok(await sides.nth(1).getByRole('button', { name: 'In use' }).isDisabled());
	assert.match(await sides.nth(0).locator('lamp-markdown').innerText(), /\w/);
	assert.deepEqual(await violations(page), []);
	if (process.env.SHOT)
		await page.screenshot({ path: `${process.env.SHOT}-compare.png` });
	await sides.nth(0).locator('select').selectOption('0');
	await sides.nth(0).getByRole('button', { name: 'Use this version' }).click();
	await page.waitForFunction(() => document.querySelector('.variants')
		?.innerText.includes('1/3'));
	await dialog.waitFor({ state: 'hidden' });
});
