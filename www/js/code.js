// SPDX-License-Identifier: MIT
// The box of a block of code: its language, and buttons that copy, download, wrap, number
// and open it. Wrapping and numbers hold for all blocks of the page.
import { copyText, save } from './clipboard.js';
import { t } from './strings.js';

/** languages whose code can be opened beside the chat, and what it is then */
const OPENS = { html: 'html', htm: 'html', svg: 'svg', markdown: 'markdown', md: 'markdown',
	csv: 'csv', mermaid: 'mermaid' };

const ENDINGS = { bash: 'sh', shell: 'sh', sh: 'sh', javascript: 'js', typescript: 'ts',
	python: 'py', markdown: 'md', mermaid: 'mmd', csharp: 'cs', ruby: 'rb', rust: 'rs',
	powershell: 'ps1', 'c++': 'cpp', yaml: 'yml', text: 'txt', '': 'txt' };

/** 'wrap', 'lines' or '' */
let view = '';

/** What a block of code is when it is opened beside the chat; '' if it cannot be. */
export function kindOfCode(language, text)
{
	return (Object.hasOwn(OPENS, language) && OPENS[language]) || (language === 'xml' && /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/.test(text) ?
		'svg' : '');
}

/** A name for a file with this code. */
export function fileName(language, name = '')
{
	const plain = name.split(/[\\/]/).at(-1).replace(/[^\p{L}\p{N}._-]+/gu, '-')
		.replace(/^[.-]+/, '');
	const ending = (Object.hasOwn(ENDINGS, language) ? ENDINGS[language] : null) ?? (/^[a-z0-9]{1,8}$/.test(language) ? language : 'txt');

	return !plain ? `code.${ending}` : plain.includes('.') ? plain : `${plain}.${ending}`;
}

function button(className, text, label, pressed = null)
{
	const el = document.createElement('button');

	el.type = 'button';
	el.className = `code-button ${className}`;
	el.textContent = text;
	el.setAttribute('aria-label', label);
	if (pressed !== null)
		el.setAttribute('aria-pressed', String(pressed));
	return el;
}

function number(pre)
{
	const lines = pre.textContent.replace(/\n$/, '').split('\n').length;

	if (view === 'lines')
		pre.dataset.lines = Array.from({ length: lines }, (_, i) => i + 1).join('\n');
	else
		delete pre.dataset.lines;
	pre.classList.toggle('wrapped', view === 'wrap');
}

/**
 * Puts a <pre> into its box.
 * @param live more of the text may come: it is drawn again, so it gets no buttons but copy
 */
export function codeBox(pre, live)
{
	const { language = '', name = '' } = pre.dataset;
	const box = document.createElement('div');
	const bar = document.createElement('div');
	const label = document.createElement('span');
	const kind = kindOfCode(language, pre.textContent);

	box.className = 'code';
	box.dir = 'ltr';
	bar.className = 'code-bar';
	label.className = 'code-language';
	label.textContent = name || language;
	bar.append(label);
	if (!live) {
		if (kind) {
			box.dataset.kind = kind;
			bar.append(button('code-open', t('code.open'), t('code.openLabel')));
		}
		bar.append(button('code-lines', t('code.lines'), t('code.linesLabel'), view === 'lines'),
			button('code-wrap', t('code.wrap'), t('code.wrapLabel'), view === 'wrap'),
			button('code-save', t('code.save'), t('code.saveLabel')));
		number(pre);
	}
	if (!live && kind === 'mermaid')
		bar.append(button('code-text', t('code.text'), t('code.textLabel'), false));
	bar.append(button('code-copy', t('code.copy'), t('code.copyLabel')));
	pre.replaceWith(box);
	pre.tabIndex = 0;
	pre.setAttribute('role', 'group');
	pre.setAttribute('aria-label', t('code.region'));
	box.append(bar);
	if (!live && kind === 'mermaid')
		box.append(diagram(box, pre.textContent));
	box.append(pre);
}

/** Its text is hidden behind it. */
function diagram(box, text)
{
	/** @type {any} */
	const el = document.createElement('lamp-diagram');

	el.source = text;
	box.classList.add('drawn');
	return el;
}

/** Switches between a view and the plain one, in all blocks of the page. */
function switchView(to)
{
	view = view === to ? '' : to;
	for (const box of document.querySelectorAll('.code')) {
		box.querySelector('.code-lines')?.setAttribute('aria-pressed', String(view === 'lines'));
		box.querySelector('.code-wrap')?.setAttribute('aria-pressed', String(view === 'wrap'));
		number(box.querySelector('pre'));
	}
}

/** Follows a press on a button of a box. @returns whether it was one */
export function pressCode(target)
{
	const pressed = target.closest('.code-button');
	const box = pressed?.closest('.code');
	const code = box?.querySelector('code');

	if (!code)
		return false;
	const { language = '', name = '' } = code.closest('pre').dataset;
	const text = code.textContent;

	if (pressed.classList.contains('code-copy'))
		copy(pressed, text);
	else if (pressed.classList.contains('code-save'))
		save({ name: fileName(language, name), type: 'text/plain', text });
	else if (pressed.classList.contains('code-lines'))
		switchView('lines');
	else if (pressed.classList.contains('code-wrap'))
		switchView('wrap');
	else if (pressed.classList.contains('code-text'))
		pressed.setAttribute('aria-pressed', String(box.classList.toggle('as-text')));
	else {
		box.dispatchEvent(new CustomEvent('lamp-artifact', { bubbles: true,
			detail: { box } }));
	}
	return true;
}

async function copy(button, text)
{
	const done = await copyText(text);

	button.textContent = done ? t('message.copied') : t('message.copyFailed');
	setTimeout(() => {
		button.textContent = t('code.copy');
	}, 1800);
}
