/* SPDX-License-Identifier: MIT */
/*
 * fill.c - values for a JSON Schema. Understands type (also as a list), enum,
 * const, default, properties, items and their bounds, anyOf, oneOf, allOf,
 * $ref within the document, numeric and length bounds and the usual formats.
 * Patterns and conditions are not obeyed.
 */
#include "demo-llm/fill.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define DEPTH_MAX 24
#define VALUES_MAX 5000
#define ITEMS_MAX 100
#define TEXT_BYTES 60

struct filler {
	const json_t *root;
	const char *text;
	int budget;		/* of values, against schemas that explode */
};

static json_t *fill(struct filler *f, const json_t *s, int depth);

static const json_t *follow(struct filler *f, const char *ref)
{
	const json_t *at = f->root;

	if (*ref != '#')
		return NULL;
	for (ref++; *ref == '/'; ) {
		size_t n = strcspn(ref + 1, "/");
		char key[256] = "";

		memcpy(key, ref + 1, MIN(n, sizeof(key) - 1));
		at = json_is_array(at)
		   ? json_array_get(at, (size_t)strtoul(key, NULL, 10))
		   : json_object_get(at, key);
		ref += n + 1;
	}
	return at;
}

static json_t *fill_object(struct filler *f, const json_t *s, int depth)
{
	json_t *o = json_object();
	const json_t *props = json_object_get(s, "properties");
	const char *key;
	json_t *v;
	size_t i;

	json_object_foreach((json_t *)props, key, v)
		json_object_set_new(o, key, fill(f, v, depth + 1));
	json_array_foreach(json_object_get(s, "required"), i, v) {
		key = json_string_value(v);
		if (key && !json_object_get(o, key))
			json_object_set_new(o, key, fill(f, json_object_get(s,
				"additionalProperties"), depth + 1));
	}
	return o;
}

static json_t *fill_array(struct filler *f, const json_t *s, int depth)
{
	json_t *list = json_array();
	int64_t max = jx_int(s, "maxItems", ITEMS_MAX);
	int64_t i, n = jx_int(s, "minItems", 1);
	const json_t *item = json_object_get(s, "items");

	n = MIN(MIN(MAX(n, 1), max), ITEMS_MAX);
	if (!json_is_object(item))
		n = MIN(jx_int(s, "minItems", 0), ITEMS_MAX);
	for (i = 0; i < n; i++)
		json_array_append_new(list, fill(f, item, depth + 1));
	return list;
}

static json_t *fill_number(const json_t *s, bool whole)
{
	const json_t *lo = json_object_get(s, "minimum");
	const json_t *hi = json_object_get(s, "maximum");
	const json_t *xlo = json_object_get(s, "exclusiveMinimum");
	const json_t *xhi = json_object_get(s, "exclusiveMaximum");
	double step = json_number_value(json_object_get(s, "multipleOf"));
	double unit = step > 0 ? step : 1, v = 0;

	if (json_is_number(lo) && v < json_number_value(lo))
		v = ceil(json_number_value(lo) / unit) * unit;
	if (json_is_number(xlo) && v <= json_number_value(xlo))
		v = (floor(json_number_value(xlo) / unit) + 1) * unit;
	if (json_is_number(hi) && v > json_number_value(hi))
		v = floor(json_number_value(hi) / unit) * unit;
	if (json_is_number(xhi) && v >= json_number_value(xhi))
		v = (ceil(json_number_value(xhi) / unit) - 1) * unit;
	return whole ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *fill_string(struct filler *f, const json_t *s)
{
	static const char *const formats[][2] = {
		{"date-time", "2026-01-01T00:00:00Z"}, {"date", "2026-01-01"},
		{"time", "00:00:00Z"}, {"email", "demo@example.org"},
		{"uri", "https://example.org/"}, {"hostname", "example.org"},
		{"uuid", "00000000-0000-7000-8000-000000000000"},
		{"ipv4", "192.0.2.1"}, {"ipv6", "2001:db8::1"},
	};
	size_t max = (size_t)MAX(jx_int(s, "maxLength", TEXT_BYTES), 0);
	size_t min = (size_t)MIN(MAX(jx_int(s, "minLength", 0), 0), 10000);
	size_t i, n = strlen(f->text);
	struct buf b = BUF_INIT(65536);
	json_t *v;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(jx_str(s, "format"), formats[i][0]))
			return json_string(formats[i][1]);
	if (n > MIN(max, (size_t)TEXT_BYTES)) {
		n = MIN(max, (size_t)TEXT_BYTES);
		while (n && ((unsigned char)f->text[n] & 0xc0) == 0x80)
			n--;
		for (i = n; i > n / 2; i--)
			if (f->text[i] == ' ') {
				n = i;
				break;
			}
	}
	buf_add(&b, f->text, n);
	while (b.n < min)
		buf_addc(&b, '.');
	v = json_stringn(b.p, b.n);
	buf_release(&b);
	return v ? v : json_string("");
}

static json_t *fill_all(struct filler *f, const json_t *list, int depth)
{
	json_t *o = json_object(), *v;
	size_t i;

	json_array_foreach(list, i, v) {
		json_t *part = fill(f, v, depth + 1);

		if (json_is_object(part))
			json_object_update(o, part);
		json_decref(part);
	}
	return o;
}

/* The name of the type that is to be made. */
static const char *type_of(const json_t *s)
{
	const json_t *t = json_object_get(s, "type");
	json_t *v;
	size_t i;

	json_array_foreach(t, i, v)
		if (json_is_string(v) && strcmp(json_string_value(v), "null"))
			return json_string_value(v);
	if (json_is_string(t))
		return json_string_value(t);
	if (json_is_array(t))
		return "null";
	return json_object_get(s, "properties") ? "object"
	     : json_object_get(s, "items") ? "array" : "string";
}

static json_t *fill(struct filler *f, const json_t *s, int depth)
{
	static const char *const choice[] = {"anyOf", "oneOf"};
	const json_t *v = json_object_get(s, "$ref");
	const char *type;
	size_t i;

	if (depth > DEPTH_MAX || f->budget-- <= 0)
		return json_null();
	if (json_is_string(v))
		return fill(f, follow(f, json_string_value(v)), depth + 1);
	v = json_object_get(s, "const");
	if (v)
		return json_deep_copy(v);
	v = json_array_get(json_object_get(s, "enum"), 0);
	if (v)
		return json_deep_copy(v);
	for (i = 0; i < ARRAY_LEN(choice); i++) {
		v = json_array_get(json_object_get(s, choice[i]), 0);
		if (v)
			return fill(f, v, depth + 1);
	}
	if (json_array_size(json_object_get(s, "allOf")))
		return fill_all(f, json_object_get(s, "allOf"), depth);
	type = type_of(s);
	if (!strcmp(type, "object"))
		return fill_object(f, s, depth);
	if (!strcmp(type, "array"))
		return fill_array(f, s, depth);
	if (!strcmp(type, "integer") || !strcmp(type, "number"))
		return fill_number(s, *type == 'i');
	if (!strcmp(type, "boolean"))
		return json_true();
	if (!strcmp(type, "null"))
		return json_null();
	return fill_string(f, s);
}

json_t *fill_schema(const json_t *schema, const char *text)
{
	struct filler f = {.root = schema, .text = text,
			   .budget = VALUES_MAX};

	return fill(&f, schema, 0);
}
