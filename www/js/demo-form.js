// SPDX-License-Identifier: MIT
// The demo of page tools: a form next to the chat that the agent fills in and
// the user submits.
import { registerTool } from './tools.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('request'));

/** Its control of that name. */
function controlOf(name)
{
	return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

registerTool({
	name: 'set_field',
	run: ({ field, value }) => {
		const control = controlOf(field);

		control.value = value;
		// a date or a choice accepts only valid values
		if (control.value !== value)
			throw new Error(`${field} cannot be "${value}".`);
		control.classList.add('filled');
		return { field, value };
	},
});

form.addEventListener('input', ({ target }) =>
	/** @type {HTMLElement} */ (target).classList.remove('filled'));
form.addEventListener('submit', (event) => {
	event.preventDefault();
	controlOf('sent').value = 'In a real page this would be sent now.';
});
