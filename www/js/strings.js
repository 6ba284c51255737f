// Every text the page shows. A culture is one more object in `cultures`; what
// it lacks is taken from English. {name} is replaced; a text that depends on a
// count is an object by plural category (Intl.PluralRules) and needs `n`.

const en = {
	'app.name': 'Lamplighter',
	'app.skip': 'Skip to the message field',
	'app.loading': 'Loading',
	'app.retry': 'Try again',
	'app.close': 'Close',
	'app.cancel': 'Cancel',
	'app.offline': 'You are offline. Messages can be sent when the connection is back.',

	'list.label': 'Conversations',
	'list.open': 'Show conversations',
	'list.close': 'Hide conversations',
	'list.new': 'New chat',
	'list.search': 'Search titles',
	'list.empty': 'Your conversations will appear here.',
	'list.none': 'No title contains “{q}”.',
	'list.more': 'Loading more',
	'list.failed': 'Couldn’t load the list.',
	'list.found': { one: '{n} conversation found', other: '{n} conversations found' },
	'list.foundMany': 'More than {n} conversations found',
	'list.running': 'answering',
	'list.waiting': 'waiting for you',
	'list.untitled': 'Untitled',
	'list.actions': 'Actions for “{title}”',
	'list.rename': 'Rename',
	'list.delete': 'Delete',
	'list.renameLabel': 'Title',
	'list.renamed': 'Renamed to “{title}”',
	'list.deleted': 'Deleted “{title}”',

	'group.today': 'Today',
	'group.yesterday': 'Yesterday',
	'group.week': 'Previous 7 days',
	'group.month': 'Previous 30 days',

	'delete.title': 'Delete this conversation?',
	'delete.text': '“{title}” and all its messages will be permanently deleted.',
	'delete.confirm': 'Delete',

	'workspace.label': 'Workspace',
	'agent.label': 'Assistant',

	'theme.label': 'Theme',
	'theme.system': 'Match system',
	'theme.light': 'Light',
	'theme.dark': 'Dark',

	'empty.morning': 'Good morning',
	'empty.day': 'Good afternoon',
	'empty.evening': 'Good evening',
	'empty.night': 'Still up?',
	'empty.named': '{greeting}, {name}',
	'empty.text': 'Ask a question to begin.',
	'empty.suggestions': 'Suggestions',

	'thread.label': 'Conversation',
	'thread.older': 'Loading earlier messages',
	'thread.olderFailed': 'Couldn’t load earlier messages.',
	'thread.latest': 'Go to the latest message',
	'thread.opened': 'Opened “{title}”',
	'thread.actions': 'Actions for this conversation',

	'message.youSaid': 'You said',
	'message.assistantSaid': '{name} said',
	'message.assistant': 'Assistant',
	'message.copied': 'Copied',
	'message.copyFailed': 'The browser blocked copying',
	'message.copyMine': 'Copy my message',
	'message.copyAnswer': 'Copy the answer',
	'message.copyUnsaved': 'Copy the unsaved answer',
	'message.retry': 'Try again',
	'message.suggested': 'Suggested links',
	'message.reasoning': 'Reasoning',
	'message.reasoningNow': 'Reasoning…',
	'message.tokens': { one: '{n} token', other: '{n} tokens' },
	'message.usage': '{input} tokens read ({cached} of them cached), {output} written',
	'message.actions': 'Actions for my message',
	'message.moreActions': 'More actions for this answer',
	'message.edit': 'Edit my message',
	'message.continue': 'Continue',
	'message.regenerate': 'Regenerate',
	'message.regenerateHere': 'Regenerate from here',
	'message.fork': 'New chat from here',
	'message.showMore': 'Show more',
	'message.showLess': 'Show less',

	'status.sending': 'Sending',
	'status.thinking': 'Thinking',
	'status.executing': 'Using tools',
	'status.answering': 'Writing',
	'status.stopping': 'Stopping',
	'status.reconnecting': 'Reconnecting',

	'note.length': 'The answer was cut off at the length limit.',
	'note.refusal': 'The model declined to answer this.',
	'note.content_filter': 'The answer was withheld by the provider’s content filter.',
	'note.cancelled': 'You stopped this answer.',
	'note.interrupted': 'The answer was interrupted before it was complete.',
	'note.capped': 'The tool call limit was reached. This answer uses what was found so far.',
	'note.missing': 'No answer was stored for this message.',
	'note.unstored': 'This answer could not be stored. Copy it if you need it: it will be gone after a reload.',
	'note.refused': 'This answer could not be saved. Copy it if you need it: it will be gone when you close this tab.',
	'note.tooLarge': 'This answer could not be saved because it is too large for the web server (413). Copy it if you need it: it will be gone when you close this tab.',
	'note.gaveUp': 'This answer could not be saved, and the page has stopped trying. Reload the page to try again, or copy the answer.',
	'note.storing': 'This answer is not saved yet. It will be saved when the server can do so.',
	'note.context': 'This conversation is close to the model’s limit. The oldest messages may be left out.',
	'note.error': 'Something went wrong. Try again.',

	'approval.label': 'Approval of {tool}',
	'approval.title': 'Allow this action?',
	'approval.tainted': 'This conversation contains text written by others. Check that this is what you asked for.',
	'allowed.menu': 'Allowed tools',
	'allowed.title': 'Allowed in this conversation',
	'allowed.text': 'These tools run in this conversation without asking you.',
	'allowed.none': 'No tool runs here without asking you first.',
	'allowed.revoke': 'Ask again',
	'allowed.revokeOf': 'Ask again about {tool}',
	'approval.origins': 'The model has read text from:',
	'origin.mcp': 'MCP server',
	'origin.web': 'Website',
	'origin.dataset': 'Dataset',
	'origin.tool': 'Tool',
	'origin.page': 'Tool on this page',
	'origin.client': 'Earlier messages sent by the client',
	'approval.remember': 'Don’t ask again for this tool in this conversation',
	'approval.approve': 'Allow',
	'approval.deny': 'Deny',
	'approval.edit': 'Edit arguments',
	'approval.all': 'Show all {n} characters',
	'approval.notJson': 'This is not valid JSON.',
	'approval.until': 'Expires {when}',
	'effect.read': 'This only reads data.',
	'effect.write': 'This changes data.',
	'effect.destructive': 'This deletes or overwrites data. It may not be possible to undo it.',

	'question.label': 'Question',
	'question.other': 'Something else',
	'question.answer': 'Your answer',
	'question.answered': 'Your answer:',
	'question.passed': 'Not answered',
	'question.pageLabel': 'Waiting for another page',
	'question.page': 'Another open page needs to run',
	'question.here': 'Run it on this page',
	'question.without': 'Continue without it',

	'edit.label': 'Edit my message',
	'edit.hint': 'The messages after this one are kept as an earlier version.',

	'variant.label': 'Versions',
	'variant.at': 'Version {at} of {of}',
	'variant.previous': 'Previous version',
	'variant.next': 'Next version',
	'variant.shown': 'Version {at} is shown',

	'tool.name.analyse_log': 'Analyse a log',
	'tool.name.ask_user': 'Ask you',
	'tool.name.describe_dataset': 'Describe a dataset',
	'tool.name.find_pii': 'Find personal data',
	'tool.name.list_datasets': 'List the datasets',
	'tool.name.query_data': 'Look up data',
	'tool.name.read_result': 'Read more of a result',
	'tool.name.suggest_action': 'Suggest a link',
	'tool.name.summarize': 'Summarise a text',
	'tool.name.translate': 'Translate a text',
	'tool.name.web_search': 'Search the web',
	'tool.name.web_visit': 'Read a web page',
	'tool.running': 'running',
	'tool.waiting': 'waiting for you',
	'tool.done': 'done',
	'tool.failed': 'failed',
	'tool.stopped': 'no result',
	'tool.steps': 'Steps',
	'tool.stepCount': { one: '{n} step', other: '{n} steps' },
	'tool.called': 'Tool',
	'tool.args': 'Arguments',
	'tool.result': 'Result',
	'tool.noArgs': 'No arguments',
	'tool.empty': 'Nothing was found.',
	'tool.rows': { one: '{n} row', other: '{n} rows' },
	'table.asTable': 'Table',
	'table.asChart': 'Chart',
	'table.view': 'View of the result',
	'table.copy': 'Copy the table',
	'table.download': 'Download as CSV',
	'table.sortBy': 'Sort by {name}',
	'table.chart': 'Chart of {name}: {series} by {label}',
	'table.chartFirst': { one: 'The first {n} row is drawn.', other: 'The first {n} rows are drawn.' },
	'table.chartFailed': 'Couldn’t draw the chart.',
	'tool.rowsOf': { one: '{n} row of {total}', other: '{n} rows of {total}' },
	'tool.items': { one: '{n} entry', other: '{n} entries' },
	'tool.truncated': 'The result was shortened.',
	'tool.showAll': 'Show all {n} rows',
	'tool.table': 'Result of {name}',

	'code.copy': 'Copy',
	'code.copyLabel': 'Copy this code',
	'code.region': 'Code',
	'code.table': 'Table',
	'image.link': 'Image: {alt}',
	'image.none': 'Image',
	'link.newTab': 'Opens in a new tab',

	'file.add': 'Attach',
	'file.title': 'Attach files; you can also drop or paste them',
	'file.sending': 'Uploading {name}',
	'file.remove': 'Remove {name}',
	'file.list': 'Attachments',
	'composer.label': 'Message',
	'composer.placeholder': 'Ask {name} something',
	'composer.placeholderPlain': 'Ask something',
	'composer.send': 'Send',
	'composer.stop': 'Stop',
	'composer.web': 'Web',
	'composer.webTitle': 'Let the assistant search the web for this message',
	'composer.hint': 'Enter to send, Shift + Enter for a new line, / for prompts, @ to mention',
	'composer.hintCtrl': 'Ctrl + Enter to send, Enter for a new line, / for prompts, @ to mention',
	'composer.mention': 'Mention something',
	'composer.prompt': 'Choose a prompt',
	'composer.left': { one: '{n} character left', other: '{n} characters left' },
	'composer.over': { one: '{n} character too many', other: '{n} characters too many' },
	'composer.disabled': 'Chat is turned off',

	'picker.prompts': 'Prompts',
	'picker.mentions': 'What to mention',
	'picker.all': 'All prompts',
	'picker.none': 'Nothing found',
	'picker.loading': 'Loading',
	'picker.count': { one: '{n} suggestion', other: '{n} suggestions' },
	'mention.list': 'Mentions',
	'mention.remove': 'Remove {label}',
	'blanks.use': 'Use prompt',
	'blanks.fill': 'Fill this in.',
	'blanks.chooseDate': 'Choose a date.',
	'blanks.record': 'Search {dataset}',
	'blanks.chooseRecord': 'Choose one of {dataset} from the list.',

	'live.answering': '{name} is answering',
	'live.finished': '{name} has answered: {text}',
	'live.stopped': 'The answer was stopped',
	'live.failed': 'The answer failed: {text}',
	'live.reconnecting': 'Connection lost. Reconnecting',
	'live.forked': 'A new chat with the messages up to here',
	'live.approval': '{tool} needs your approval',
	'live.question': 'The assistant asks: {text}',
	'live.older': 'Earlier messages loaded',

	'error.network': 'Couldn’t reach the server. Check your connection and try again.',
	'error.unauthenticated': 'You’re not signed in, or your session has ended. Sign in and reload this page.',
	'error.forbidden': 'Your account doesn’t have access to this chat. Ask an administrator for access.',
	'error.csrf_failed': 'The server couldn’t confirm that this request came from its own page. Reload, and check that you opened the site at its usual address.',
	'error.not_found': 'This conversation does not exist, or it belongs to someone else.',
	'error.conversation_busy': 'This conversation is already being answered, perhaps in another tab. Your message stays here until that is finished.',
	'error.chat_disabled': 'Chat isn’t set up yet: no language model is configured. An administrator can add one in the configuration.',
	'error.llm_provider_unsupported': 'This installation doesn’t support the configured model provider.',
	'error.llm_credential_missing': 'The language model has no API key. An administrator can add one in the configuration.',
	'error.overloaded': 'Many people are chatting right now. Try again in a moment.',
	'error.overloadedAfter': { one: 'Many people are chatting right now. Try again in {n} second.', other: 'Many people are chatting right now. Try again in {n} seconds.' },
	'error.database_unavailable': 'The server couldn’t reach its database. Try again in a moment.',
	'error.approval_expired': 'This request has expired. You can only deny it now.',
	'error.too_large': 'The message is too long for this server.',
	'error.invalid_field': 'The server did not accept this: {detail}',
	'error.invalid_utf8': 'The message contains characters that the server can’t store.',
	'error.upstream': 'Couldn’t reach the model. Try again in a moment.',
	'error.internal': 'Something went wrong on the server.',
	'error.ref': 'Reference: {id}',
	'error.reload': 'Reload',
	'error.startTitle': 'Couldn’t start the chat',
	'error.lostTitle': 'Not found',
	'error.noWorkspace': 'You don’t have access to any workspace.',
	'error.toNew': 'Start a new chat',
	'error.dismiss': 'Dismiss',

	'help.title': 'Keyboard',
	'help.open': 'Keyboard shortcuts',
	'help.new': 'New chat',
	'help.search': 'Search conversations',
	'help.composer': 'Go to the message field',
	'help.stop': 'Stop the answer',
	'help.help': 'Show this list',
	'help.close': 'Close a dialog, menu or the list',
	'help.prompts': 'Choose a prompt',
	'help.mention': 'Mention something',
	'help.send': 'Send the message',
	'help.line': 'New line',
	'key.enter': 'Enter',
	'key.shift': 'Shift',
	'key.esc': 'Esc',
	'key.alt': 'Alt',
	'key.ctrl': 'Ctrl',
};

const cultures = { en };

let culture = 'en';
let plurals = new Intl.PluralRules(culture);

/** Picks the first culture that exists, e.g. from navigator.languages. */
export function setCulture(wanted)
{
	for (const tag of wanted) {
		const short = tag.toLowerCase().split('-')[0];

		if (cultures[short]) {
			culture = short;
			break;
		}
	}
	plurals = new Intl.PluralRules(culture);
	return culture;
}

/** The language for number and date formats: the texts' one. */
export function locale()
{
	return culture;
}

/** True when there is a text of that name. */
export function has(key)
{
	return key in en;
}

/** The text of that name with its {placeholders} filled in. */
export function t(key, values = {})
{
	let text = cultures[culture][key] ?? en[key];

	if (text === undefined)
		return key;
	if (typeof text === 'object')
		text = text[plurals.select(values.n)] ?? text.other;
	return text.replace(/\{(\w+)\}/g, (whole, name) => {
		const value = values[name];

		if (value === undefined)
			return whole;
		return typeof value === 'number' ? value.toLocaleString(culture) : value;
	});
}
