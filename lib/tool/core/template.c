/* SPDX-License-Identifier: MIT */
#include "tool/core/template.h"

#include "base/limits.h"

#include "base/banned.h"

static size_t name_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && n < 65 && s.p[n] &&
	       strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		      "0123456789_.-", s.p[n]))
		n++;
	return n;
}

bool template_next(struct str *rest, struct str *literal, struct str *name)
{
	*name = (struct str){ NULL, 0 };
	*literal = *rest;
	if (rest->n == 0)
		return false;
	for (size_t i = 0; i < rest->n; i++) {
		struct str behind = { rest->p + i + 1, rest->n - i - 1 };
		size_t n;

		if (rest->p[i] != '{')
			continue;
		n = name_length(behind);
		if (n == 0 || n > 64 || n >= behind.n || behind.p[n] != '}')
			continue;
		*name = (struct str){ behind.p, n };
		literal->n = i;
		rest->p = behind.p + n + 1;
		rest->n = behind.n - n - 1;
		return true;
	}
	rest->p += rest->n;
	rest->n = 0;
	return true;
}

struct str template_only(struct str text)
{
	struct str literal, name;

	if (template_next(&text, &literal, &name) && literal.n == 0 &&
	    text.n == 0)
		return name;
	return (struct str){ NULL, 0 };
}

bool template_text_uses(struct str text, struct str name)
{
	struct str literal, found;

	while (template_next(&text, &literal, &found))
		if (found.p && str_eq(found, name))
			return true;
	return false;
}

static struct str text_of(const json_t *j)
{
	return (struct str){ json_string_value(j), json_string_length(j) };
}

bool template_uses(const json_t *j, struct str name)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_string(j))
		return template_text_uses(text_of(j), name);
	json_object_foreach((json_t *)j, key, v)
		if (template_uses(v, name))
			return true;
	json_array_foreach((json_t *)j, i, v)
		if (template_uses(v, name))
			return true;
	return false;
}

static const json_t *argument(const json_t *args, struct str name)
{
	const json_t *v = json_object_getn(args, name.p, name.n);

	return json_is_null(v) ? NULL : v;
}

void template_value(struct buf *out, const json_t *v)
{
	if (json_is_string(v))
		buf_addstr(out, text_of(v));
	else if (v && !json_is_null(v))
		jx_dump(out, v);
}

void template_fill(struct buf *out, struct str text, const json_t *args)
{
	struct str literal, name;

	while (template_next(&text, &literal, &name)) {
		buf_addstr(out, literal);
		if (name.p)
			template_value(out, argument(args, name));
	}
}

static json_t *filled(const json_t *j, const json_t *args)
{
	struct buf b = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES);
	struct str only = template_only(text_of(j));
	json_t *out;

	if (only.p)
		return json_deep_copy(argument(args, only));
	template_fill(&b, text_of(j), args);
	out = jx_string(buf_str(&b));
	buf_release(&b);
	return out;
}

json_t *template_json(const json_t *j, const json_t *args)
{
	const char *key;
	json_t *v, *out, *part;
	size_t i;

	if (json_is_string(j))
		return filled(j, args);
	if (json_is_object(j)) {
		out = json_object();
		json_object_foreach((json_t *)j, key, v) {
			part = template_json(v, args);
			if (part)
				json_object_set_new(out, key, part);
		}
		return out;
	}
	if (json_is_array(j)) {
		out = json_array();
		json_array_foreach(j, i, v) {
			part = template_json(v, args);
			if (part)
				json_array_append_new(out, part);
		}
		return out;
	}
	return json_deep_copy(j);
}

struct str template_text_unknown(struct str text, const json_t *schema)
{
	const json_t *known = jx_obj(schema, "properties");
	struct str literal, name;

	while (template_next(&text, &literal, &name))
		if (name.p && !json_object_getn(known, name.p, name.n))
			return name;
	return (struct str){ NULL, 0 };
}

struct str template_unknown(const json_t *j, const json_t *schema)
{
	struct str name = { NULL, 0 };
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_string(j))
		return template_text_unknown(text_of(j), schema);
	json_object_foreach((json_t *)j, key, v) {
		name = template_unknown(v, schema);
		if (name.p)
			return name;
	}
	json_array_foreach((json_t *)j, i, v) {
		name = template_unknown(v, schema);
		if (name.p)
			return name;
	}
	return name;
}
