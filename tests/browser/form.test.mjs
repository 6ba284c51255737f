// SPDX-License-Identifier: MIT
// What a form makes of a record and of what is typed, and the addresses of
// places: modules of the page that need no browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asked, bodyOf, changedKeys, differences, fieldError, fillPath, grouped, inWords, leftOver,
	localTime, rowName, settingsForm, told, valueAt, valuesOf, withStored } from '../../www/js/form.js';
import { askedIn, mentionsOf } from '../../www/js/mentions.js';
import { matches } from '../../www/js/search.js';
import { conversationHash, placeHash, readHash, readPlace } from '../../www/js/route.js';
import { Draft } from '../../www/js/store/draft.js';
import { addTexts } from '../../www/js/strings.js';
import { making } from '../../www/js/strings-making.js';

addTexts(making);

const FIELD = { label: 'It', help: '', mode: 'edit', required: false, nullable: true,
	min: null, max: null, multiline: false, choices: null, only: null, of: null };

function form(...fields)
{
	return { what: 'lamp', labelKey: 'name', fields: fields.map((field) =>
		({ ...FIELD, ...field })) };
}

const LAMP = form({ key: 'name', type: 'text', required: true, nullable: false, max: 5 },
	{ key: 'watts', type: 'integer', min: 1, max: 60 }, { key: 'lit', type: 'boolean' },
	{ key: 'on', type: 'boolean', nullable: false }, { key: 'from', type: 'time' },
	{ key: 'room', type: 'json' }, { key: 'tags', type: 'ids', nullable: false, max: 2 },
	{ key: 'lines', type: 'lines', max: 2 }, { key: 'key', type: 'secret' },
	{ key: 'warm', type: 'number', min: 0, max: 2 }, { key: 'due', type: 'date' },
	{ key: 'note', type: 'text', multiline: true },
	{ key: 'kind', type: 'text', mode: 'once', choices: [{ value: 'oil' }, { value: 'gas' }] },
	{ key: 'bottle', type: 'text', only: { key: 'kind', value: 'gas' } },
	{ key: 'since', type: 'time', mode: 'given' });

test('a new row: what is filled in is sent, in the types of its fields', () => {
	const values = { ...valuesOf(LAMP, null), name: ' Hall ', watts: '40', lit: false,
		from: '2026-11-23T10:15', room: '{"a": [1]}', tags: ['x'], lines: ' a \n\nb',
		key: ' k ', note: ' two\n', warm: ' 0.7 ', due: '2028-02-29' };
	const { body, errors } = bodyOf(LAMP, values, null);

	assert.deepEqual(errors, {});
	assert.deepEqual(body, { name: 'Hall', watts: 40, lit: false, on: false,
		from: new Date(2026, 10, 23, 10, 15).toISOString(), room: { a: [1] }, tags: ['x'],
		lines: ['a', 'b'], key: ' k ', note: ' two\n', warm: 0.7, due: '2028-02-29',
		kind: 'oil' });
});

test('a change: only what is another value, null for what is taken away', () => {
	const record = { name: 'Hall', watts: 9007199254740993n, lit: true, on: true,
		from: '2026-11-23T10:15:30.250Z', room: [1], tags: ['x', 'y'], lines: ['a'],
		note: null, kind: 'gas', bottle: 'b', keySet: true, warm: 0.5, due: '2027-01-31' };
	const values = valuesOf(LAMP, record);

	assert.deepEqual(bodyOf(LAMP, values, record), { body: {}, errors: {} });
	// the order of ids says nothing
	assert.deepEqual(changedKeys(LAMP, { ...values, tags: ['y', 'x'] }, record), []);
	assert.deepEqual(bodyOf(LAMP, { ...values, watts: '', lit: '', from: '', room: '', tags: [],
		lines: '', key: null, note: 'n', bottle: '', warm: '', due: '' }, record).body,
	{ watts: null, lit: null, from: null, room: null, tags: [], lines: null, key: null,
		note: 'n', bottle: null, warm: null, due: null });
	assert.equal(bodyOf(LAMP, { ...values, watts: '60' }, record).body.watts, 60);
});

test('what is asked for depends on the row and on other fields', () => {
	const keys = (values, isNew) => asked(LAMP, values, isNew).map(({ key }) => key);

	assert.ok(keys({ kind: 'oil' }, true).includes('kind'));
	assert.ok(!keys({ kind: 'oil' }, true).includes('bottle'));
	assert.ok(keys({ kind: 'gas' }, true).includes('bottle'));
	assert.ok(!keys({ kind: 'gas' }, false).includes('kind'));
	assert.ok(!keys({}, true).includes('since'));
});

test('what does not fit is told by its field', () => {
	const of = (key) => LAMP.fields.find((field) => field.key === key);

	for (const [key, bad, good] of [
		['name', '  ', 'x'], ['name', 'sixsix', '☂☂☂☂☂'], ['watts', '0', '1'],
		['watts', '61', '60'], ['watts', '1.5', ''], ['watts', '1e1', '+7'],
		['watts', '99999999999999999999', ' 8 '], ['room', '{', 'null'],
		['lines', 'a\nb\nc', ' a \n\nb\n'],
		['warm', '2.1', '2'], ['warm', '-1', '.5'], ['warm', '0,5', '1e0'], ['warm', 'x', ''],
		['tags', ['a', 'b', 'c'], ['a', 'b']], ['from', 'never', '2026-11-23T10:15']]) {
		assert.ok(fieldError(of(key), bad), `${key}: ${bad}`);
		assert.equal(fieldError(of(key), good), '', `${key}: ${good}`);
	}
	// of a field that nobody has touched nothing is said
	assert.deepEqual(bodyOf(LAMP, valuesOf(LAMP, { name: 'longer than five' }),
		{ name: 'longer than five' }).errors, {});
	assert.deepEqual(Object.keys(bodyOf(LAMP, valuesOf(LAMP, null), null).errors), ['name']);
});

test('where two have changed a row', () => {
	const before = { name: 'a', note: 'n', watts: 1 };
	const now = { name: 'b', note: 'm', watts: 1 };
	const values = { ...valuesOf(LAMP, before), note: 'mine', watts: '2' };

	assert.deepEqual(differences(LAMP, { before, now, values }).map(
		({ field: { key }, theirs, mine }) => [key, theirs, mine]),
	[['name', 'b', undefined], ['note', 'm', 'mine']]);
});

/** The keys of the settings, of lib/setting/setting.def. */
const SETTING_KEYS = [...readFileSync(new URL('../../lib/setting/setting.def', import.meta.url), 'utf8')
	.matchAll(/^SETTING\(\w+, "(\w+)"(?!.*INTERNAL)/gm)].map(([, key]) => key);

test('settings at a level are a form, null where another level says the value', () => {
	const item = { help: '', levels: [], value: 2, from: 'tenant', editable: true };
	const items = [
		{ ...item, key: 'n', label: 'N', type: 'integer', minimum: 0, maximum: 9,
			says: { user: null, team: [{ group: 'it', value: 3 }], tenant: 2 } },
		{ ...item, key: 'no', label: 'No', type: 'boolean', editable: false, says: {} },
		{ ...item, key: 'key', label: 'Key', type: 'choice',
			choices: [{ value: 'ctrl-enter', label: 'Ctrl and Enter' }],
			from: 'team', says: {} }];
	const at = (level, group = null) => settingsForm({ level, group, items });

	assert.deepEqual(at('user').record, { n: null, key: null });
	assert.deepEqual(at('team', 'it').record, { n: 3, key: null });
	assert.deepEqual(at('team', 'hr').record, { n: null, key: null });
	assert.deepEqual(at('tenant').record, { n: 2, key: null });
	assert.deepEqual(at('user').form.fields.map(({ key, type, min, max, inForce }) =>
		[key, type, min, max, inForce?.from]),
	[['n', 'integer', 0, 9, 'tenant'], ['key', 'text', null, null, 'team']]);
	assert.equal(at('team', 'it').form.fields[1].inForce, null);
	// each setting of the server has a group
	const { form: all } = settingsForm({ level: 'user', items: SETTING_KEYS.map((key) => ({ ...items[0], key })) });

	assert.deepEqual(grouped(all, all.fields).map(({ heading }) => heading), ['The page', 'Answers',
		'New chats and models', 'What is remembered of you', 'Long chats and limits']);
	assert.equal(at('user').form.fields[1].choices[0].label, 'Ctrl and Enter');
});

test('a choice begins as the server says; a text in Markdown stands behind the name', () => {
	const document = form({ key: 'owner', type: 'text' },
		{ key: 'state', type: 'text', nullable: false, default: 'draft',
			choices: [{ value: 'draft' }, { value: 'ready' }] },
		{ key: 'name', type: 'text' }, { key: 'content', type: 'text', markdown: true });
	const values = valuesOf(document, null);

	assert.equal(values.state, 'draft');
	assert.deepEqual(changedKeys(document, values, null), []);
	assert.deepEqual(asked(document, values, true).map(({ key }) => key),
		['name', 'content', 'owner', 'state']);
	assert.equal(document.fields[0].key, 'owner');
	// nobody types an id
	const under = { key: 'under', type: 'id', mode: 'once' };

	assert.deepEqual(asked(form(under), {}, true), []);
	assert.deepEqual(told(form(under), { under: '1' }, false), []);
	assert.equal(asked(form({ ...under, of: 'lamps' }), {}, true).length, 1);
	assert.equal(told(form({ ...under, of: 'lamps' }), { under: '1' }, false).length, 1);
});

test('names and paths of rows', () => {
	assert.equal(rowName(LAMP, { name: 'Hall\nmore' }), 'Hall');
	assert.match(rowName(LAMP, { name: null }), /lamp/);
	assert.equal(fillPath('a/{parent}/b', { parent: 'x/y' }), 'a/x%2Fy/b');
	assert.equal(localTime(new Date(2026, 0, 2, 3, 4)), '2026-01-02T03:04');
});

test('addresses of places are no conversations', () => {
	assert.deepEqual(readPlace('#/prompts'), { name: 'prompts', id: '' });
	assert.deepEqual(readPlace('#/prompts/a%2Fb'), { name: 'prompts', id: 'a/b' });
	for (const hash of ['', '#', '#/', '#/c/1', '#/c', '#/%', '#/a/b/c', '#x'])
		assert.equal(readPlace(hash), null, hash);
	assert.equal(readHash('#/prompts/1'), '');
	assert.equal(readHash(conversationHash('a/b')), 'a/b');
	assert.deepEqual(readPlace(placeHash('prompts', 'a?b')), { name: 'prompts', id: 'a?b' });
	// only what is below a project has addresses of its own
	assert.deepEqual(readPlace(placeHash('projects', 'p', 'tasks', 'a/b')),
		{ name: 'projects', id: 'p', kind: 'tasks', item: 'a/b' });
	assert.deepEqual(readPlace('#/projects/p/tasks'),
		{ name: 'projects', id: 'p', kind: 'tasks', item: '' });
	assert.deepEqual(readPlace('#/projects/p'), { name: 'projects', id: 'p' });
	for (const hash of ['#/prompts/p/tasks', '#/projects/p/tasks/a/b', '#/c/p/tasks'])
		assert.equal(readPlace(hash), null, hash);
});

test('forms: members of props are fields, and those that are no field any more are read', () => {
	const field = (key, type) => ({ key, type, label: key, mode: 'edit', nullable: true,
		min: null, max: null, choices: null });
	const choices = (...all) => all.map((value) => ({ value, label: value }));
	const form = { labelKey: 'title', fields: [field('title', 'text'),
		field('props.effort', 'integer'), field('props.tags', 'lines'),
		{ ...field('props.stage', 'text'), choices: choices('design') }] };
	const record = { title: 'x', props: { effort: 8, tags: ['a'], stage: 'built', old: true } };
	const values = valuesOf(form, record);

	assert.deepEqual(values, { title: 'x', 'props.effort': '8', 'props.tags': 'a',
		'props.stage': 'built' });
	assert.deepEqual(bodyOf(form, { ...values, 'props.effort': '9', 'props.tags': '' }, record),
		{ body: { props: { effort: 9, tags: null } }, errors: {} });
	assert.deepEqual(bodyOf(form, { ...valuesOf(form, null), title: 'y', 'props.effort': '1' },
		null).body, { title: 'y', props: { effort: 1 } });
	assert.deepEqual(Object.keys(bodyOf(form, { ...values, 'props.effort': 'x' }, record).errors),
		['props.effort']);
	assert.deepEqual(leftOver(form, record).map(({ key, label, type }) => [key, label, type]),
		[['props.old', 'old', 'boolean']]);
	assert.equal(valueAt(record, 'props.old'), true);
	assert.equal(valueAt({ 'a.b': 1 }, 'a.b'), 1);
	assert.equal(valueAt({}, 'props.old'), undefined);
	assert.deepEqual(withStored(choices('design'), 'built').map(({ value }) => value),
		['design', 'built']);
	assert.equal(withStored(form.fields[3].choices, ''), form.fields[3].choices);
});

test('what was read before a change was saved does not come back after it', async () => {
	const answers = [];
	const api = { record: (method) => new Promise((resolve) => {
		answers.push({ method, resolve });
	}) };
	const draft = new Draft(api, { ...LAMP, canWrite: true }, 'lamps', '1');
	const answer = (at, name, etag) => answers[at].resolve({ record: { id: '1', name }, etag });
	let done = draft.load();

	answer(0, 'Hall', '"1"');
	await done;
	for (const [read, name] of [['refresh', 'Porch'], ['load', 'Attic']]) {
		const late = draft[read]();

		draft.set('name', name);
		done = draft.save();
		answer(answers.length - 1, name, '"2"');
		assert.equal(await done, true);
		answer(answers.length - 2, 'Hall', '"1"');
		await late;
		assert.equal(draft.record.name, name);
		done = draft.refresh();
		answer(answers.length - 1, 'later', '"3"');
		await done;
		assert.equal(draft.record.name, 'later');
	}
});

test('fields stand in the groups of the description, each once', () => {
	const fields = ['a', 'b', 'c', 'd'].map((key) => ({ key }));
	const shape = (groups) => grouped({ groups }, fields).map(({ heading, fields: some }) =>
		`${heading}:${some.map(({ key }) => key).join('')}`);

	assert.deepEqual(shape(undefined), [':abcd']);
	assert.deepEqual(shape([{ heading: 'G', folded: true, fields: ['d', 'b', 'gone'] },
		{ heading: 'None', folded: false, fields: ['gone'] }]), [':ac', 'G:db']);
});

test('what the server says of a field is in the words of the form', () => {
	const named = form({ key: 'maxRounds', label: 'Limit' }, { key: 'toolIds', label: 'Tools' },
		{ key: 'on', label: 'On' });
	const say = (at, text) => inWords(named, named.fields[at], text);

	assert.equal(say(0, 'maxRounds may be at most 6.'), 'Limit may be at most 6.');
	assert.equal(say(1, 'toolIds[3]: there is no tool "on".'), 'There is no tool "on".');
	assert.equal(say(1, 'toolIds[3] needs maxRounds, but not maxRoundsMore.'),
		'Tools needs “Limit”, but not maxRoundsMore.');
	assert.equal(say(2, 'on needs $& and maxRounds'), 'On needs $& and “Limit”');
	assert.equal(say(0, 'Say "maxRounds".'), 'Say "maxRounds".');
});

test('a search finds any words, in any order', () => {
	assert.ok(matches('', 'x'));
	assert.ok(matches('  zwo COUNTS ', 'Zwölf', null, 'It counts zebras'));
	assert.ok(!matches('zwo birds', 'Zwölf', 'It counts zebras'));
	assert.ok(matches('.*', 'a.*b') && !matches('.*', 'ab'));
});

test('the agent that a text asks is the first one that it has', () => {
	const known = [{ type: 'record', ref: 'r', handle: 'tickets/1' },
		{ type: 'agent', ref: 'agent:a-b', handle: 'a-b', agentId: 'a-b' },
		{ type: 'agent', ref: 'agent:a', handle: 'a', agentId: 'a' }];

	assert.equal(askedIn('See @tickets/1', known), undefined);
	assert.equal(askedIn('@a and @tickets/1', known).agentId, 'a');
	assert.equal(askedIn('@a-b!', known).agentId, 'a-b');
	assert.equal(askedIn('x@a.example', known), undefined);
});

test('what an agent is asked is said without its name', () => {
	const known = [{ type: 'record', ref: 'r', handle: 'tickets/1' },
		{ type: 'agent', ref: 'agent:x', handle: 'House-guide', agentId: 'x' }];

	for (const [text, content] of [
		['@House-guide where do I park?', 'where do I park?'],
		['@House-guide, where do I park?', 'where do I park?'],
		['Where do I park, @House-guide?', 'Where do I park?'],
		['See @tickets/1 @House-guide please', 'See @tickets/1 please'],
		['@House-guide', '@House-guide']])
		assert.deepEqual([mentionsOf(text, known).content, mentionsOf(text, known).answerAgentId],
			[content, 'x'], text);
	assert.deepEqual(mentionsOf('a@House-guide.example @tickets/1 ', known),
		{ content: 'a@House-guide.example @tickets/1 ', mentions: ['r'] });
});

test('what the server refuses of a member of props stands at its field', async () => {
	const refused = Object.assign(new Error(), { status: 422, field: 'props.effort', detail: 'No.' });
	const api = { record: () => Promise.reject(refused) };
	const form = { ...LAMP, canWrite: true, fields: [...LAMP.fields,
		{ ...FIELD, key: 'props.effort', type: 'integer' }] };
	const draft = new Draft(api, form, 'lamps', '');

	draft.set('name', 'Hall');
	draft.set('props.effort', '8');
	assert.equal(await draft.save(), false);
	assert.deepEqual(draft.errors, { 'props.effort': 'No.' });
	assert.equal(draft.error, null);
});
