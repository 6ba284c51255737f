// The demo of tools of the page: a form that the agent fills in beside the chat,
// and the user sends.
import { registerTool } from './tools.js';

const form = document.getElementById('request');

registerTool({
	name: 'set_field',
	run: ({ field, value }) => {
		const control = form.elements[field];

		control.value = value;
		// a date or a choice takes only what it knows
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
