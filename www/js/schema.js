// SPDX-License-Identifier: MIT
// The form of a tool's arguments, out of its JSON Schema: what has a control of its own gets
// one, the rest is typed as JSON. Whether they fit the schema, the server says. Independent of
// the DOM.
import { bodyOf } from './form.js';
import { toJson } from './exact.js';
import { toolName } from './format.js';
import { t } from './strings.js';

/** The key of the one field of arguments that cannot be told apart. */
const WHOLE = '*';

/** How many references in a row are followed. */
const MOST_REFS = 8;

const isNull = (schema) => schema?.type === 'null' || schema?.const === null;

/** A name in a reference, which is escaped as in addresses; what is not is taken as it is. */
function unescaped(name)
{
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}

/** A schema without what stands for another one: references, and "or null" of what may be left out. */
function plain(schema, root)
{
	let at = schema && typeof schema === 'object' ? schema : {};

	for (let n = 0; n < MOST_REFS; n++) {
		const { $ref, anyOf, oneOf, ...said } = at;
		const [, where, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref || '') || [];
		const others = [anyOf ?? oneOf ?? []].flat().filter((one) => !isNull(one));
		const next = name ? root?.[where]?.[unescaped(name)] :
			!$ref && others.length === 1 ? others[0] : null;

		if (!next || typeof next !== 'object')
			return at;
		at = { ...next, ...said };
	}
	return at;
}

/** The only type that a schema names, beside null; else ''. */
function typeOf({ type })
{
	const types = [type].flat().filter((one) => one && one !== 'null');

	return types.length === 1 ? types[0] : '';
}

/** The type of a field, and its choices. */
function kindOf(schema)
{
	const all = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
	const values = all.filter((one) => one !== null);
	const type = typeOf(schema);

	if (values.length > 0 && values.every((one) => typeof one === 'string'))
		return { type: 'text', choices: values.map((value) => ({ value, label: value })) };
	if (values.length > 0)
		return { type: 'json', choices: values.map((value) => ({ value: toJson(value), label: String(value) })) };
	if (['integer', 'number', 'boolean'].includes(type))
		return { type };
	if (type === 'string')
		return { type: 'text' };
	return { type: type === 'array' && typeOf(schema.items || {}) === 'string' &&
		!schema.items.enum ? 'lines' : 'json' };
}

/** A text of many lines has no sign of its own in a schema. */
const isLong = ({ maxLength, format }) => !format && maxLength > 500;

/** How several values are written is said first. */
function helpOf(schema, type, description)
{
	const how = type === 'lines' ? t('tryTool.lines') :
		type === 'json' && typeOf(schema) === 'array' ? t('tryTool.list', { example: exampleOf(schema.items) }) : '';

	return `${how} ${typeof description === 'string' ? description : ''}`.trim();
}

/** A list of values as it is typed. */
function exampleOf(items)
{
	const { enum: values, type, properties } = items && typeof items === 'object' ? items : {};
	const names = Object.keys(properties && typeof properties === 'object' ? properties : {});

	if (Array.isArray(values) && values.length > 0)
		return toJson(values.slice(0, 2));
	if (type === 'object' || names.length > 0)
		return `[{"${names[0] || 'name'}": …}, …]`;
	return type === 'integer' || type === 'number' ? '[1, 2]' : '["one", "two"]';
}

function fieldOf(key, schema, required)
{
	const { type, choices = null } = kindOf(schema);
	const { title, description = '' } = schema;
	// what can only be one value is that
	const begins = schema.default ?? (required ? schema.const : undefined);

	return { key, label: title || toolName(key), help: helpOf(schema, type, description), mode: 'edit', type, choices, required,
		nullable: true, min: null, max: null, only: null, of: null,
		multiline: type === 'text' && !choices && isLong(schema),
		begins: begins === undefined || begins === null ? undefined : type === 'boolean' ? begins :
			type === 'text' ? String(begins) :
				type === 'lines' && Array.isArray(begins) ? begins.join('\n') : toJson(begins) };
}

/**
 * The form of a tool's arguments, those that it needs first.
 * @param {any} schema
 * @returns {import('./form.js').Form}
 */
export function argumentsForm(schema)
{
	const root = plain(schema, schema);
	const { properties, required = [] } = root;
	const known = properties && typeof properties === 'object';
	const none = !known && root.type === 'object' && root.additionalProperties === false;
	const fields = none ? [] : known ? Object.entries(properties).map(([key, one]) =>
		fieldOf(key, plain(one, schema), [required].flat().includes(key)))
		.sort((a, b) => Number(b.required) - Number(a.required)) :
		[{ ...fieldOf(WHOLE, {}, false), whole: true, label: t('tryTool.all') }];

	return { name: 'arguments', what: '', canWrite: true, labelKey: '', idKey: '', fields };
}

/**
 * The arguments that were typed; what is empty is left out.
 * @param {import('./form.js').Form} form
 * @param {Record<string, any>} values
 * @returns {{args: any, errors: Record<string, string>}} errors: by key
 */
export function typedArguments(form, values)
{
	const { body, errors } = bodyOf(form, values, null);

	if (form.fields[0]?.whole) {
		const args = body[WHOLE] ?? {};

		return typeof args === 'object' && !Array.isArray(args) ? { args, errors } :
			{ args: {}, errors: { [WHOLE]: t('tryTool.noObject') } };
	}
	return { args: body, errors };
}
