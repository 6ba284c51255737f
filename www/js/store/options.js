// SPDX-License-Identifier: MIT
// What people can choose besides the text of a message: each row is a switch
// below the message field and a member of the request
// (docs/add-a-turn-option.md).

/**
 * {key, setting, text, title, icon, offered}: key of the request; the setting
 * with its initial value; texts of strings.js; a name of icons.js; whether the
 * switch is there for an assistant's record
 */
export const OPTIONS = [
	{ key: 'webSearch', setting: 'web_search', text: 'composer.web', title: 'composer.webTitle', icon: 'globe',
		offered: (agent) => agent?.webSearch },
];
