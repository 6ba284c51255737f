// SPDX-License-Identifier: MIT
// Forms of arguments out of the schemas of tools. It needs no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuesOf } from '../../www/js/form.js';
import { argumentsForm, typedArguments } from '../../www/js/schema.js';
import { addTexts } from '../../www/js/strings.js';
import { making } from '../../www/js/strings-making.js';

addTexts(making);

test('a form of arguments out of a schema, and what is typed there', () => {
	const schema = { type: 'object', required: ['to', 'n'], properties: {
		note: { type: ['string', 'null'], maxLength: 4000, description: 'What <b>happened</b>' },
		n: { type: 'integer', default: 3 }, share: { type: 'number' }, lit: { type: 'boolean', default: false },
		kind: { enum: ['oil', 'gas', null] }, size: { enum: [1, 2.5] },
		tags: { type: 'array', items: { type: 'string' } }, where: { type: 'object' },
		either: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, odd: true,
		to: { type: 'string', title: 'To whom', default: 'all' } } };
	const form = argumentsForm(schema);
	const types = Object.fromEntries(form.fields.map(({ key, type }) => [key, type]));
	const begins = valuesOf(form, null);
	const typed = (values) => typedArguments(form, { ...begins, ...values });

	assert.deepEqual(form.fields.slice(0, 2).map(({ key }) => key), ['n', 'to']);
	assert.deepEqual(types, { n: 'integer', to: 'text', note: 'text', share: 'number', lit: 'boolean',
		kind: 'text', size: 'json', tags: 'lines', where: 'json', either: 'json', odd: 'json' });
	assert.deepEqual([begins.n, begins.to, begins.lit, begins.note], ['3', 'all', false, '']);
	assert.deepEqual(typed({}), { args: { n: 3, to: 'all', lit: false }, errors: {} });
	assert.deepEqual(typed({ n: '90071992547409931', size: '2.5', kind: 'gas', tags: ' a \n\nb',
		where: '{"x": [1]}', lit: true, note: 'one\ntwo' }).args, { n: 90071992547409931n, to: 'all',
		size: 2.5, kind: 'gas', tags: ['a', 'b'], where: { x: [1] }, lit: true, note: 'one\ntwo' });
	assert.deepEqual(Object.keys(typed({ n: 'x', to: ' ', where: '{' , share: '0,5' }).errors).sort(),
		['n', 'share', 'to', 'where']);
	// names that objects have already
	for (const key of ['__proto__', 'constructor', 'props.x', '*']) {
		const hostile = argumentsForm(JSON.parse(`{"properties": {"${key}": {"type": "string"}}}`));

		assert.deepEqual(hostile.fields.map((field) => field.key), [key]);
	}
	// what says nothing of its arguments is one JSON; what has none, nothing
	const whole = argumentsForm({});

	assert.equal(whole.fields.length, 1);
	assert.deepEqual(typedArguments(whole, { [whole.fields[0].key]: '{"a": 1}' }).args, { a: 1 });
	assert.deepEqual(typedArguments(whole, valuesOf(whole, null)).args, {});
	assert.deepEqual(argumentsForm({ type: 'object', additionalProperties: false }).fields, []);
	assert.deepEqual(argumentsForm({ type: 'object', properties: {} }).fields, []);
	assert.equal(argumentsForm(undefined).fields.length, 1);
	// and what is no object is said
	assert.ok(typedArguments(whole, { [whole.fields[0].key]: '[1]' }).errors['*']);
});

test('a list says how several values are written', () => {
	const help = (property) => argumentsForm({ properties: { a: property } }).fields[0].help;

	assert.equal(help({ type: 'array', items: { type: 'string' }, description: 'Which ones' }),
		'One per line. Which ones');
	for (const [items, example] of [[{ type: 'string', enum: ['in', 'out', 'up'] }, '["in","out"]'],
		[{ type: 'integer' }, '[1, 2]'], [{ type: 'object', properties: { by: {} } }, '[{"by": …}, …]'],
		[{ properties: 7, type: 'object' }, '[{"name": …}, …]'], [undefined, '["one", "two"]']])
		assert.equal(help({ type: 'array', items }), `A list as JSON, such as ${example}.`);
	for (const description of [7, null, {}])
		assert.equal(help({ type: 'string', description }), '');
});

test('arguments as schemas of other programs write them: nullable unions, references, one value', () => {
	const of = (property, more = {}) => argumentsForm({ type: 'object', properties: { a: property }, ...more }).fields[0];
	const kinds = { type: 'string', enum: ['in', 'out'] };
	const choices = (field) => field.choices?.map(({ value }) => value);

	for (const property of [{ anyOf: [kinds, { type: 'null' }] }, { oneOf: [{ const: null }, kinds] },
		{ type: ['string', 'null'], enum: ['in', 'out', null] }])
		assert.deepEqual([of(property).type, choices(of(property))], ['text', ['in', 'out']]);
	for (const [where, ref] of [['$defs', '#/$defs/Kind'], ['definitions', '#/definitions/Kind']]) {
		assert.deepEqual(choices(of({ $ref: ref }, { [where]: { Kind: kinds } })), ['in', 'out']);
		assert.deepEqual(choices(of({ anyOf: [{ $ref: ref }, { type: 'null' }], default: null },
			{ [where]: { Kind: kinds } })), ['in', 'out']);
	}
	assert.equal(of({ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] }).type, 'lines');
	assert.equal(of({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type, 'integer');
	// several kinds of values, and values that are no texts, are typed as JSON
	assert.equal(of({ type: ['string', 'integer'] }).type, 'json');
	assert.equal(of({ type: 'array', items: { type: 'string', enum: ['x'] } }).type, 'json');
	// references that lead nowhere, or to themselves
	for (const property of [{ $ref: '#/$defs/Gone' }, { $ref: '#/$defs/50%' }, { $ref: '#/$defs/Self' }, { $ref: 'https://x/y' }, null, 7])
		assert.equal(of(property, { $defs: { Self: { $ref: '#/$defs/Self' } } }).type, 'json');
	assert.equal(argumentsForm({ $ref: '#/$defs/All', $defs: { All: { type: 'object',
		properties: { b: { type: 'string' } } } } }).fields[0].key, 'b');
	assert.equal(argumentsForm({ anyOf: [{ type: 'object' }, { type: 'string' }] }).fields[0].whole, true);

	const form = argumentsForm({ required: ['kind'], properties: { kind: { const: 'email' }, list: { type: 'array',
		items: { type: 'string' } }, range: { type: 'object' }, begins: { type: 'string', default: null } } });

	// what nobody has typed is left out: neither null, nor [], {} or ''
	assert.deepEqual(typedArguments(form, valuesOf(form, null)).args, { kind: 'email' });
});
