// SPDX-License-Identifier: MIT
// The drawings of buttons, 24 by 24, in the colour of the text beside them.
import { svg, html } from '../../vendor/lit.js';

const paths = {
	plus: svg`<path d="M12 5v14M5 12h14"/>`,
	clip: svg`<path d="m8 12.5 6.2-6.2a2.6 2.6 0 0 1 3.7 3.7l-8.1 8.1a4.3 4.3 0 0 1-6.1-6.1L11 4.7"/>`,
	search: svg`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>`,
	more: svg`<path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="2.8"/>`,
	menu: svg`<path d="M4 7h16M4 12h16M4 17h10"/>`,
	close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
	send: svg`<path d="M12 19V5M5.5 11.5 12 5l6.5 6.5"/>`,
	stop: svg`<rect x="7" y="7" width="10" height="10" rx="1.8" fill="currentColor" stroke="none"/>`,
	copy: svg`<rect x="9" y="9" width="11" height="11" rx="2.2"/><path d="M5 15.2A2 2 0 0 1 4 13.5V6a2 2 0 0 1 2-2h7.5a2 2 0 0 1 1.7 1"/>`,
	check: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
	retry: svg`<path d="M4.5 12a7.5 7.5 0 1 1 2.2 5.3"/><path d="M4 20v-4.5h4.5"/>`,
	play: svg`<path d="M8 5.5v13l10.5-6.5z"/>`,
	fork: svg`<circle cx="6.5" cy="5.5" r="2"/><circle cx="6.5" cy="18.5" r="2"/><circle cx="17.5" cy="8.5" r="2"/><path d="M6.5 7.5v9M17.5 10.5c0 4.5-11 2.5-11 6"/>`,
	chevron: svg`<path d="m9 6 6 6-6 6"/>`,
	download: svg`<path d="M12 4v10.5M7 10l5 5 5-5M5 19.5h14"/>`,
	question: svg`<circle cx="12" cy="12" r="8.5"/><path d="M9.6 9.6a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.2.9-1.2 1.7M12 16.6h.01"/>`,
	shield: svg`<path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.6 7 9 4.1-1.4 7-4.7 7-9V6z"/>`,
	link: svg`<path d="M14 5h5v5M19 5l-8 8M17 13.5V18a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 5 18V9a1.5 1.5 0 0 1 1.5-1.5H11"/>`,
	chart: svg`<path d="M4.5 4v15.5H20M9 15.5V11M13 15.5V7M17 15.5V9.5"/>`,
	table: svg`<rect x="3.5" y="5" width="17" height="14" rx="2"/><path d="M3.5 10h17M10 10v9"/>`,
	globe: svg`<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c2.4 2.3 3.6 5.1 3.6 8.5s-1.2 6.2-3.6 8.5c-2.4-2.3-3.6-5.1-3.6-8.5s1.2-6.2 3.6-8.5z"/>`,
	up: svg`<path d="M12 19V5M5.5 11.5 12 5l6.5 6.5"/>`,
	inward: svg`<path d="M4 12h10M9.5 6.5 15 12l-5.5 5.5M19.5 5v14"/>`,
	outward: svg`<path d="M20 12H10M14.5 6.5 9 12l5.5 5.5M4.5 5v14"/>`,
	down: svg`<path d="M12 5v14M5.5 12.5 12 19l6.5-6.5"/>`,
	pencil: svg`<path d="m14.5 6 3.5 3.5M5 19l.7-3.7L16 5a1.7 1.7 0 0 1 2.4 0l.6.6a1.7 1.7 0 0 1 0 2.4L8.7 18.3z"/>`,
	trash: svg`<path d="M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7M10.5 11v4.5M13.5 11v4.5"/>`,
	sun: svg`<circle cx="12" cy="12" r="3.8"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4"/>`,
	moon: svg`<path d="M19.5 14.2A7.7 7.7 0 0 1 9.8 4.5a7.7 7.7 0 1 0 9.7 9.7z"/>`,
	system: svg`<rect x="3.5" y="5" width="17" height="11.5" rx="2"/><path d="M9 20h6M12 16.5V20"/>`,
	keyboard: svg`<rect x="2.5" y="6" width="19" height="12" rx="2.2"/><path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8"/>`,
	person: svg`<circle cx="12" cy="8" r="3.6"/><path d="M5 19.5c.6-3.6 3.3-5.5 7-5.5s6.4 1.9 7 5.5"/>`,
	prompt: svg`<path d="M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-6l-4 3.5V16H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM8 9h8M8 12h5"/>`,
	folder: svg`<path d="M3.5 7a1.5 1.5 0 0 1 1.5-1.5h4l2 2.5h8a1.5 1.5 0 0 1 1.5 1.5V17a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 17z"/>`,
	at: svg`<circle cx="12" cy="12" r="3.5"/><path d="M15.5 8.5v5a2.3 2.3 0 0 0 4.6 0V12a8.1 8.1 0 1 0-3.2 6.5"/>`,
	slash: svg`<path d="M15 5 9 19"/>`,
	warning: svg`<path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2h.01"/>`,
	agent: svg`<rect x="5" y="8" width="14" height="11" rx="3"/><path d="M12 8V4.5M9.5 12.5v1.5M14.5 12.5v1.5M2.8 12.5v2M21.2 12.5v2"/>`,
	code: svg`<path d="m8.5 8-4 4 4 4M15.5 8l4 4-4 4M13.5 5.5l-3 13"/>`,
	gear: svg`<circle cx="12" cy="12" r="3"/><path d="M12 3.5v2.5M12 18v2.5M3.5 12H6M18 12h2.5M6 6l1.8 1.8M16.2 16.2 18 18M6 18l1.8-1.8M16.2 7.8 18 6"/>`,
	model: svg`<rect x="6.5" y="6.5" width="11" height="11" rx="2"/><path d="M10 6.5V3.5M14 6.5V3.5M10 20.5v-3M14 20.5v-3M6.5 10h-3M6.5 14h-3M20.5 10h-3M20.5 14h-3"/>`,
	rooms: svg`<rect x="4" y="4" width="7" height="7" rx="1.5"/><rect x="13" y="4" width="7" height="7" rx="1.5"/><rect x="4" y="13" width="7" height="7" rx="1.5"/><rect x="13" y="13" width="7" height="7" rx="1.5"/>`,
	calendar: svg`<rect x="4" y="5.5" width="16" height="14.5" rx="2"/><path d="M4 10h16M8 3.5v4M16 3.5v4"/>`,
	mail: svg`<rect x="3.5" y="5.5" width="17" height="13" rx="2"/><path d="m4 7 8 6 8-6"/>`,
	notes: svg`<path d="M6 4h12v16H6zM9 8.5h6M9 12h6M9 15.5h4"/>`,
	scale: svg`<path d="M12 4v16M7.5 20h9M5 7h14M5 7l-2.5 6h5zM19 7l-2.5 6h5z"/>`,
	ticket: svg`<path d="M4 7h16v3.5a1.5 1.5 0 0 0 0 3V17H4v-3.5a1.5 1.5 0 0 0 0-3zM14 7v10"/>`,
	eye: svg`<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>`,
	archive: svg`<path d="M4 5h16v4H4zM5.5 9v10h13V9M10 13h4"/>`,
	printer: svg`<path d="M7 9V4h10v5M7 16H4V9h16v7h-3M7 13h10v7H7z"/>`,
	back: svg`<path d="M15 6l-6 6 6 6"/>`,
	book: svg`<path d="M5 5.5A1.5 1.5 0 0 1 6.5 4H19v13H6.5A1.5 1.5 0 0 0 5 18.5zM5 18.5A1.5 1.5 0 0 0 6.5 20H19v-3M9 8h6"/>`,
	key: svg`<circle cx="8.5" cy="15.5" r="4"/><path d="m11.5 12.5 8-8M16 8l2.5 2.5"/>`,
	flag: svg`<path d="M6 20.5V4.5M6 5h11.5l-2.5 4 2.5 4H6"/>`,
	list: svg`<path d="M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01"/>`,
	tag: svg`<path d="M4 5.5A1.5 1.5 0 0 1 5.5 4H12l8 8-7.5 7.5L4 11.5zM8.5 8.5h.01"/>`,
	thumb: svg`<path d="M8 11v9H5a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zm0 0 3.3-6.6a1.9 1.9 0 0 1 3.6 1.2L14.2 9H18a2 2 0 0 1 2 2.3l-1 7a2 2 0 0 1-2 1.7H8"/>`,
	tool: svg`<path d="M14.5 6.5a4 4 0 0 1 5-1l-2.7 2.7 1 1 2.7-2.7a4 4 0 0 1-5.4 5l-6.8 6.8a1.8 1.8 0 0 1-2.6-2.6l6.8-6.8a4 4 0 0 1 2-2.4z"/>`,
	microphone: svg`<rect x="9" y="3.5" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v2.5"/>`,
	speaker: svg`<path d="M4.5 9.5v5H8l5 4V5.5l-5 4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"/>`,
	columns: svg`<rect x="3.5" y="5" width="17" height="14" rx="2"/><path d="M12 5v14"/>`,
	thought: svg`<path d="M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.7 10.7c.8.7 1.2 1.4 1.2 2.3h5c0-.9.4-1.6 1.2-2.3A6 6 0 0 0 12 3z"/>`,
};

/** True when there is a drawing of that name. */
export function hasIcon(name)
{
	return Object.hasOwn(paths, name);
}

/** Those that point along the line: to the other side where text runs to the left. */
const TURNING = new Set(['chevron', 'back', 'inward', 'outward']);

/** An icon; it says nothing to a screen reader, its button does. */
export function icon(name)
{
	return html`<svg class=${TURNING.has(name) ? 'icon icon-turns' : 'icon'} viewBox="0 0 24 24" aria-hidden="true"
		focusable="false">${paths[name]}</svg>`;
}

/** The lantern. Its flame moves while .lit (see css/base.css). */
export function lantern(className = '')
{
	return html`<svg class="lantern ${className}" viewBox="0 0 32 32"
		aria-hidden="true" focusable="false">
		<path class="lantern-glow" d="M9 13h14l-1.7 12.5H10.7z"/>
		<path class="lantern-flame" d="M16 14.2c2.3 2.5 3.4 4.3 3.4 6.2a3.4
			3.4 0 0 1-6.8 0c0-1.2.6-2.2 1.5-3.1.2.7.5 1.1.9 1.3
			-.1-1.7.2-3.2 1-4.4z"/>
		<path class="lantern-frame" d="M12.5 6.5a3.5 3.5 0 0 1 7 0M8
			12.5l3.5-4.5h9l3.5 4.5zM9 13l1.7 12.5M23 13l-1.7
			12.5M8.5 26h15"/>
	</svg>`;
}
