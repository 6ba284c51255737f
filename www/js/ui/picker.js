// SPDX-License-Identifier: MIT
// The list of a Picker, above the field that it belongs to, and chips of
// mentions. The focus stays in the field, which names the list and its current
// entry (aria-controls, aria-activedescendant).
import { html, nothing } from '../../vendor/lit.js';
import { LINK } from '../markdown.js';
import { MENTION_ICONS } from '../store/picker.js';
import { t } from '../strings.js';
import { icon } from './icons.js';

/**
 * The field sets its own attributes; these are the ones that change.
 * @returns controls and active, for aria-controls and aria-activedescendant
 */
export function pickerFor(picker, id)
{
	return { controls: picker.open ? id : nothing,
		active: picker.open && picker.at >= 0 ? `${id}-${picker.at}` : nothing };
}

/** @param choose gets the entry that is pressed */
export function pickerView(picker, id, choose)
{
	if (!picker.open)
		return nothing;
	const label = t(picker.kind === '/' ? 'picker.prompts' : 'picker.mentions');

	return html`<div class="picker">
		${picker.category ? html`<p class="picker-head">${icon('folder')}
			<span>${picker.category.name}</span>
			<button type="button" class="icon-button" aria-label=${t('picker.all')}
				title=${t('picker.all')} @pointerdown=${keepFocus}
				@click=${() => picker.within(null)}>${icon('close')}</button></p>` : nothing}
		<ul class="picker-list" id=${id} role="listbox" aria-label=${label} tabindex="0">
			${picker.items.map((item, at) => html`<li id="${id}-${at}" role="option"
				class="picker-item" aria-selected=${at === picker.at ? 'true' : 'false'}
				@pointerdown=${keepFocus} @click=${() => choose(item)}>
				<span class="picker-icon">${icon(item.icon)}</span>
				<span class="picker-text"><span class="picker-title" dir="auto"
					>${item.title}</span>${item.text ? html`<span class="picker-more"
					dir="auto">${item.text}</span>` : nothing}</span></li>`)}
		</ul>
		${picker.items.length === 0 ? html`<p class="picker-none">${
			t(picker.loading ? 'picker.loading' : 'picker.none')}</p>` : nothing}
	</div>`;
}

/**
 * Handles keys of the field while the list is open.
 * @returns true if handled
 */
export function pickerKey(picker, event, choose)
{
	const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];

	if (!picker.open || event.isComposing || event.keyCode === 229 || event.ctrlKey ||
	    event.metaKey || event.altKey)
		return false;
	// the list is before the field, and what scrolls can be reached
	if (event.key === 'Tab' && event.shiftKey) {
		picker.close();
		return false;
	}
	if (event.key === 'Escape')
		picker.category ? picker.within(null) : picker.close();
	else if (by && picker.items.length > 0)
		picker.move(by);
	else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey &&
		picker.current && picker.isFresh)
		choose(picker.current);
	// waits for pending results, unless the text looks ordinary
	else if (event.key !== 'Enter' || event.shiftKey || !picker.loading ||
		picker.q.includes(' '))
		return false;
	event.preventDefault();
	event.stopPropagation();
	return true;
}

/** Keeps the current entry visible. */
export function pickerScroll(element)
{
	element.querySelector('.picker-item[aria-selected=true]')
		?.scrollIntoView({ block: 'nearest' });
}

let pressed = false;

for (const type of ['pointerdown', 'pointerup', 'pointercancel'])
	addEventListener(type, () => { pressed = type === 'pointerdown'; },
		{ capture: true, passive: true });

/**
 * The field was left: closes the list, but not before a press that left it has ended, since
 * what was pressed may move when the list goes.
 */
export function pickerLeft(picker, field)
{
	const close = () => {
		if (document.activeElement !== field)
			picker.close();
	};

	if (pressed)
		addEventListener('pointerup', () => setTimeout(close, 0), { once: true });
	else
		close();
}

/** The list must not take the focus. */
export function keepFocus(event)
{
	event.preventDefault();
}

/**
 * Chips of mentions.
 * @param remove gets the mention whose cross is pressed
 */
export function mentionChips(mentions, remove)
{
	if (!mentions?.length)
		return nothing;
	return html`<ul class="mention-chips" aria-label=${t('mention.list')}>
		${mentions.map((mention) => html`<li class="mention-chip">
			${icon(MENTION_ICONS[mention.type] || 'link')}
			${mention.href && LINK.test(mention.href) ? html`<a href=${mention.href}
				target="_blank" rel="noopener noreferrer" dir="auto">${mention.label}<span
				class="sr-only"> (${t('link.newTab')})</span></a>` :
				html`<span dir="auto">${mention.label}</span>`}
			${remove ? html`<button type="button" class="mention-remove"
				aria-label=${t('mention.remove', { label: mention.label })}
				title=${t('mention.remove', { label: mention.label })}
				@click=${() => remove(mention)}>${icon('close')}</button>` : nothing}
		</li>`)}</ul>`;
}
