// SPDX-License-Identifier: MIT
// The browser's own speech: reading aloud, and dictation. Where it would leave the device is
// said by the setting `speech`: "device" takes only what stays on it, "services" also what
// the browser's maker offers, "off" neither.

/** A longer sentence is cut: some voices fall silent in the middle of long ones. */
const SPOKEN_CHARS = 220;

/** A language that is written in a script, for text that is in none of the user's. */
/** @type {[string, RegExp][]} */
const SCRIPTS = [
	['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u], ['ko', /\p{Script=Hangul}/u],
	['zh', /\p{Script=Han}/u], ['ru', /\p{Script=Cyrillic}/u], ['el', /\p{Script=Greek}/u],
	['ar', /\p{Script=Arabic}/u], ['he', /\p{Script=Hebrew}/u], ['th', /\p{Script=Thai}/u],
	['hi', /\p{Script=Devanagari}/u],
];

function scriptOf(language)
{
	return new Intl.Locale(language).maximize().script;
}

/** Which of the user's languages a text is read in: the first one of its script. */
export function languageOf(text, languages = navigator.languages)
{
	const [code] = SCRIPTS.find(([, letters]) => letters.test(text)) || ['en'];
	const script = scriptOf(code);

	return languages.find((one) => {
		try {
			return scriptOf(one) === script;
		} catch {
			return false;	// no language tag
		}
	}) || code;
}

/** What is read one after the other. */
const BLOCKS = 'p, li, h1, h2, h3, h4, h5, h6, tr, dt, dd, summary';

/** What is said of a rendered answer: its words, block by block, without code and marks. */
export function spokenOf(element)
{
	const copy = element.cloneNode(true);

	for (const part of copy.querySelectorAll('pre, button, svg, .cite, .cite-note, .sr-only, annotation'))
		part.remove();
	return [...copy.querySelectorAll(BLOCKS)].map((block) => {
		for (const inner of block.querySelectorAll(BLOCKS))
			inner.remove();
		const cells = [...block.querySelectorAll('th, td')];

		return (cells.length ? cells.map((cell) => cell.textContent.trim()).join(', ') :
			block.textContent).replace(/\s+/g, ' ').trim();
	}).filter(Boolean);
}

/** Sentences of at most SPOKEN_CHARS characters. */
export function sentencesOf(text)
{
	const parts = text.match(/[^.!?。！？…]+[.!?。！？…]*\s*/gu) || [text];
	const out = [];

	for (const part of parts) {
		const last = out[out.length - 1];

		if (last !== undefined && last.length + part.length <= SPOKEN_CHARS)
			out[out.length - 1] = last + part;
		else
			for (let rest = part; rest;) {
				const cut = rest.length <= SPOKEN_CHARS ? rest.length :
					rest.lastIndexOf(' ', SPOKEN_CHARS) + 1 || SPOKEN_CHARS;

				out.push(rest.slice(0, cut));
				rest = rest.slice(cut);
			}
	}
	return out.map((one) => one.trim()).filter(Boolean);
}

/** @returns {Promise<SpeechSynthesisVoice[]>} some browsers find them late */
function voices()
{
	const found = speechSynthesis.getVoices();

	return found.length ? Promise.resolve(found) : new Promise((resolve) => {
		const done = () => resolve(speechSynthesis.getVoices());

		speechSynthesis.addEventListener('voiceschanged', done, { once: true });
		setTimeout(done, 1000);
	});
}

/** The voice for a language, or undefined. */
function voiceFor(all, language)
{
	const short = language.split('-')[0];

	return all.find(({ lang }) => lang.replace('_', '-') === language) ||
		all.find(({ lang }) => lang.split(/[-_]/)[0] === short);
}

/** Resolves when it is said: false if it was cancelled. */
function sayOne(sentence, voice)
{
	return new Promise((resolve) => {
		const said = new SpeechSynthesisUtterance(sentence);

		said.voice = voice;
		said.lang = voice.lang;
		said.onend = () => resolve(true);
		said.onerror = ({ error }) => resolve(!['canceled', 'interrupted'].includes(error));
		speechSynthesis.speak(said);
	});
}

/** how often it was begun */
let reading = 0;

/**
 * Reads texts aloud, one after the other, instead of what is read now. That ends when the
 * browser's speech is cancelled, too.
 * @param {string[]} blocks
 * @param {string} mode of the setting
 * @returns {Promise<boolean>} false: there is no voice for it
 */
export async function speak(blocks, mode)
{
	const mine = ++reading;

	speechSynthesis.cancel();
	const language = languageOf(blocks.join(' '));
	const all = (await voices()).filter(({ localService }) => localService || mode === 'services');
	const voice = voiceFor(all, language);

	if (!voice)
		return false;
	for (const sentence of blocks.flatMap(sentencesOf))
		if (mine !== reading || !await sayOne(sentence, voice))
			break;
	return true;
}

function recogniser()
{
	const all = /** @type {any} */ (globalThis);

	return all.SpeechRecognition || all.webkitSpeechRecognition;
}

/**
 * Listens until stop() or a long silence.
 * @param {string} mode of the setting
 * @param {(text: string, final: boolean) => void} heard what was said since the last final text
 * @returns {Promise<{stop: () => void, ended: Promise<string>}>} ended: '' or why it failed, as the
 *          browser names it ('language-not-supported': nothing on the device can)
 */
export async function listen(mode, heard)
{
	const Recogniser = recogniser();
	const [lang] = navigator.languages;

	if (mode !== 'services') {
		const on = { langs: [lang], processLocally: true };
		const there = await Recogniser.available(on);

		if (there !== 'available' &&
		    (there === 'unavailable' || !await Recogniser.install(on)))
			return { stop() {}, ended: Promise.resolve('language-not-supported') };
	}
	const ear = new Recogniser();

	ear.lang = lang;
	ear.continuous = true;
	ear.interimResults = true;
	if (mode !== 'services')
		ear.processLocally = true;
	ear.onresult = (event) => {
		for (let i = event.resultIndex; i < event.results.length; i++)
			heard(event.results[i][0].transcript, event.results[i].isFinal);
	};
	const ended = new Promise((resolve) => {
		let why = '';

		ear.onerror = ({ error }) => { why = error; };
		ear.onend = () => resolve(['aborted', 'no-speech'].includes(why) ? '' : why);
	});

	ear.start();
	return { stop: () => ear.stop(), ended };
}
