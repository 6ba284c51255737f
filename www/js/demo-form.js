// The demo of page tools: a form next to the chat that the agent fills in and
// the user submits.
import { registerTool } from './tools.js';

const form = document.getElementById('request');

registerTool({
	name: 'set_field',
	run: ({ field, value }) => {
		const control = form.elements[field];

		control.value = value;
		// a date or a choice accepts only valid values
		if (control.value !== value)
			throw new Error(`${field} cannot be "${value}".`);
		control.classList.add('filled');
		return { field, value };
	},
});

form.addEventListener('input', ({ target }) => target.classList.remove('filled'));
form.addEventListener('submit', (event) => {
	event.preventDefault();
	form.elements.sent.value = 'In a real page this would be sent now.';
});
