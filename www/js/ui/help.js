// SPDX-License-Identifier: MIT
// <lamp-help>: the keys of the page (keys.js) and of its fields.
import { html } from '../../vendor/lit.js';
import { t } from '../strings.js';
import { frame } from './dialogs.js';
import { PageElement } from './element.js';

export class LampHelp extends PageElement {
	show()
	{
		this.querySelector('dialog').showModal();
	}

	render()
	{
		const alt = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌥' : t('key.alt');
		const ctrl = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : t('key.ctrl');
		/** @type {[string, string[]][]} */
		const rows = [
			['help.new', [alt, 'N']],
			['help.search', [ctrl, 'K']],
			['help.composer', [alt, 'M']],
			['help.places', [alt, 'P']],
			['help.stop', [alt, 'S']],
			['help.last', ['↑']],
			['help.begin', [t('key.home')]],
			['help.end', [t('key.end')]],
			['help.prompts', ['/']],
			['help.mention', ['@']],
			['help.send', [t('key.enter')]],
			['help.line', [t('key.shift'), t('key.enter')]],
			['help.save', [ctrl, 'S']],
			['help.print', [ctrl, 'P']],
			['help.close', [t('key.esc')]],
			['help.help', [ctrl, '/']],
			['help.outside', ['?']],
		];

		return frame('help', t('help.title'), html`
			<dl class="keys">${rows.map(([name, keys]) => html`
				<div><dt>${t(name)}</dt>
				<dd>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dd></div>`)}
			</dl>`);
	}
}

customElements.define('lamp-help', LampHelp);
