/* SPDX-License-Identifier: MIT */
/*
 * JSON Schemas of tools on their way to a provider (P-E9 to P-E11). A reference inside
 * the document is replaced by its target; any other is never fetched and becomes
 * "anything". So does a reference that would make the schema too large: references
 * to references double with every level, and schemas come from pages and MCP
 * servers.
 */
#include "llm/build.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"

#include "base/banned.h"

#define INLINE_DEPTH 12
#define INLINE_VALUES 10000	/* copied because of a reference, in one schema */

/* The state of one copy. */
struct copy {
	const json_t *root;
	int filter;
	size_t left;	/* of INLINE_VALUES */
};

static const char *const plain_drops[] = {
	"$schema", "$id", "$comment", "$defs", "definitions",
};
static const char *const gemini_drops[] = {
	"additionalProperties", "default", "examples", "patternProperties",
	"unevaluatedProperties", "exclusiveMinimum", "exclusiveMaximum",
	"propertyNames", "not", "if", "then", "else", "readOnly", "writeOnly",
	"contentEncoding", "contentMediaType", "dependentRequired", "title",
};

/* "#/$defs/x" in root; borrowed, or NULL. */
static const json_t *resolve(const json_t *root, struct str ref)
{
	struct str part;

	if (!ref.n || ref.p[0] != '#')
		return NULL;
	ref.p++, ref.n--;
	if (ref.n && ref.p[0] == '/')
		ref.p++, ref.n--;
	while (ref.n && root) {
		char key[128];

		part = str_cut(&ref, '/');
		if (!part.n || part.n >= sizeof(key))
			return NULL;
		memcpy(key, part.p, part.n);
		key[part.n] = '\0';
		root = json_object_get(root, key);
	}
	return root;
}

static json_t *filtered(struct copy *c, const json_t *s, int depth);

static void drop(json_t *o, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!json_object_get(o, keys[i]))
			continue;
		json_object_del(o, keys[i]);
		log_debug("tool schema: member left out", "member", keys[i]);
	}
}

/* ["string","null"] becomes string and nullable; const becomes enum. */
static void for_gemini(json_t *o)
{
	json_t *type = json_object_get(o, "type"), *v;
	json_t *c = json_object_get(o, "const");
	struct str format = jx_str(o, "format");
	size_t i;

	if (json_is_array(type)) {
		json_t *one = NULL;

		json_array_foreach(type, i, v) {
			if (strcmp(json_string_value(v) ? json_string_value(v)
				   : "", "null") == 0)
				json_object_set_new(o, "nullable",
						    json_true());
			else if (!one)
				one = json_incref(v);
		}
		json_object_set_new(o, "type", one ? one
				    : json_string("string"));
	}
	if (json_is_string(c))
		json_object_set_new(o, "enum", json_pack("[O]", c));
	json_object_del(o, "const");
	if (format.n && !str_is(format, "date-time") && !str_is(format, "enum"))
		json_object_del(o, "format");
	v = json_object_get(o, "oneOf");
	if (v && !json_object_get(o, "anyOf"))
		json_object_set(o, "anyOf", v);
	json_object_del(o, "oneOf");
	drop(o, gemini_drops, ARRAY_LEN(gemini_drops));
}

/* Members whose values are schemas by name. */
static bool by_name(const char *key)
{
	return strcmp(key, "properties") == 0;
}

static json_t *children(struct copy *c, const char *key, const json_t *v,
			int depth)
{
	const char *k;
	json_t *sub, *out;
	size_t i;

	if (json_is_object(v) && by_name(key)) {
		out = json_object();
		json_object_foreach((json_t *)v, k, sub)
			json_object_set_new(out, k, filtered(c, sub,
							     depth + 1));
		return out;
	}
	if (json_is_array(v) && (strcmp(key, "anyOf") == 0 ||
				 strcmp(key, "oneOf") == 0 ||
				 strcmp(key, "allOf") == 0 ||
				 strcmp(key, "prefixItems") == 0)) {
		out = json_array();
		json_array_foreach(v, i, sub)
			json_array_append_new(out, filtered(c, sub,
							    depth + 1));
		return out;
	}
	if (json_is_object(v) && strcmp(key, "items") == 0)
		return filtered(c, v, depth + 1);
	return json_deep_copy(v);
}

/* The number of values in j, at least one. */
static size_t count_values(const json_t *j)
{
	size_t i, n = 1;
	const char *key;
	json_t *sub;

	json_object_foreach((json_t *)j, key, sub)
		n += count_values(sub);
	json_array_foreach((json_t *)j, i, sub)
		n += count_values(sub);
	return n;
}

/* The target of a reference, or "anything". */
static json_t *inlined(struct copy *c, const json_t *ref, int depth)
{
	const json_t *to = resolve(c->root, jx_str(ref, "$ref"));
	size_t n = to && depth <= INLINE_DEPTH ? count_values(to) : 0;

	if (!n || n > c->left) {
		if (n)
			log_debug("tool schema: a reference was left out, it "
				  "would be too large");
		return json_object();
	}
	c->left -= n;
	return filtered(c, to, depth + 1);
}

static json_t *filtered(struct copy *c, const json_t *s, int depth)
{
	json_t *out, *v;
	const char *key;

	if (json_is_object(s) && json_object_get(s, "$ref"))
		return inlined(c, s, depth);
	if (!json_is_object(s) || depth > LIM_JSON_DEPTH)
		return json_deep_copy(s);
	out = json_object();
	json_object_foreach((json_t *)s, key, v)
		json_object_set_new(out, key, children(c, key, v, depth));
	drop(out, plain_drops, ARRAY_LEN(plain_drops));
	if (c->filter == SCHEMA_GEMINI)
		for_gemini(out);
	return out;
}

json_t *llm_schema_normal(const json_t *schema, int filter)
{
	struct copy c = {
		.root = schema, .filter = filter, .left = INLINE_VALUES,
	};
	json_t *out;

	if (!json_is_object(schema))
		out = json_object();
	else if (filter == SCHEMA_AS_IS)
		out = json_copy((json_t *)schema);
	else
		out = filtered(&c, schema, 0);
	if (!str_is(jx_str(out, "type"), "object"))
		json_object_set_new(out, "type", json_string("object"));
	if (!jx_obj(out, "properties"))
		json_object_set_new(out, "properties", json_object());
	return out;
}

/* -- rendered forms -------------------------------------------------------- */

/*
 * Tools stay the same from turn to turn, so rendered forms are kept. The key is
 * the address of the schema, which stays valid because a reference is held.
 * In sets, so that the tools of one turn do not replace each other; of a full set the
 * one that was used longest ago is rendered again, as is what is very long.
 */
enum { FORM_SETS = 64, FORMS_IN_SET = 4, FORM_KEPT_BYTES = 16384 };
static struct form_set {
	struct schema_form *v[FORMS_IN_SET];	/* the one used last first */
} forms[FORM_SETS];
static pthread_mutex_t forms_lock = PTHREAD_MUTEX_INITIALIZER;

static struct schema_form *form_ref(struct schema_form *f)
{
	atomic_fetch_add(&f->refs, 1);
	return f;
}

static void form_unref(void *p)
{
	struct schema_form *f = p;

	if (!f || atomic_fetch_sub(&f->refs, 1) > 1)
		return;
	json_decref((json_t *)f->from);
	json_decref(f->normal);
	free((char *)f->text.p);
	free(f);
}

static struct schema_form *form_new(const json_t *schema, int filter)
{
	struct schema_form *f = xcalloc(1, sizeof(*f));
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);

	f->from = json_incref((json_t *)schema);
	f->filter = filter;
	f->normal = llm_schema_normal(schema, filter);
	jx_dump(&b, f->normal);
	f->text.n = b.n;
	f->text.p = buf_take(&b);
	f->chars = utf8_chars(f->text);
	atomic_store(&f->refs, 1);
	return f;
}

/* Addresses are multiples of 16 and near each other: all of their bits count. */
static struct form_set *set_of(const json_t *schema, int filter)
{
	const uint64_t key = ((uint64_t)(uintptr_t)schema >> 4) + (uint64_t)filter;

	return &forms[key * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* Makes number i of the set its first; f: instead of it. Under the lock. */
static void form_first(struct form_set *s, size_t i, struct schema_form *f)
{
	memmove(s->v + 1, s->v, i * sizeof(*s->v));
	s->v[0] = f;
}

static struct schema_form *form_find(struct form_set *s, const json_t *schema, int filter)
{
	for (size_t i = 0; i < FORMS_IN_SET; i++)
		if (s->v[i] && s->v[i]->from == schema && s->v[i]->filter == filter) {
			form_first(s, i, s->v[i]);
			return form_ref(s->v[0]);
		}
	return NULL;
}

static void form_keep(struct form_set *s, struct schema_form *f)
{
	struct schema_form *old;

	pthread_mutex_lock(&forms_lock);
	old = s->v[FORMS_IN_SET - 1];
	form_first(s, FORMS_IN_SET - 1, form_ref(f));
	pthread_mutex_unlock(&forms_lock);
	form_unref(old);
}

const struct schema_form *llm_schema_form(const json_t *schema, int filter,
					  struct arena *a)
{
	struct form_set *s = set_of(schema, filter);
	struct schema_form *f;

	pthread_mutex_lock(&forms_lock);
	f = form_find(s, schema, filter);
	pthread_mutex_unlock(&forms_lock);
	if (!f) {
		f = form_new(schema, filter);
		if (f->text.n <= FORM_KEPT_BYTES)
			form_keep(s, f);
	}
	arena_defer(a, form_unref, f);
	return f;
}

static bool has_name(const json_t *list, const char *name)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
		if (json_is_string(v) && strcmp(json_string_value(v), name) == 0)
			return true;
	return false;
}

bool llm_schema_is_strict(const json_t *s)
{
	const json_t *props = jx_obj(s, "properties");
	const json_t *items = json_object_get(s, "items");
	const json_t *any = jx_arr(s, "anyOf");
	const json_t *defs = jx_obj(s, "$defs");
	const char *key;
	json_t *v;
	size_t i;

	if (!json_is_object(s) || json_object_get(s, "oneOf") ||
	    json_object_get(s, "allOf") || json_object_get(s, "not"))
		return false;
	if (props || str_is(jx_str(s, "type"), "object")) {
		if (!json_is_false(json_object_get(s, "additionalProperties")))
			return false;
		json_object_foreach((json_t *)props, key, v)
			if (!has_name(jx_arr(s, "required"), key) ||
			    !llm_schema_is_strict(v))
				return false;
	}
	if (items && !llm_schema_is_strict(items))
		return false;
	json_array_foreach(any, i, v)
		if (!llm_schema_is_strict(v))
			return false;
	json_object_foreach((json_t *)defs, key, v)
		if (!llm_schema_is_strict(v))
			return false;
	return true;
}
