/* SPDX-License-Identifier: MIT */
/* resource.def as arguments of tools. */
#include "resource/form.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "resource/props.h"
#include "resource/rows.h"

#include "base/banned.h"

/* SNAKED: how tools name their arguments. */
static const struct {
	enum resource_id of;
	const char *id;
} snaked[] = {
#define SNAKED(of, id) { RESOURCE_##of, id },
#include "resource/resource.def"
	{ RESOURCE__MAX, NULL }
};

/* The argument of a row's id; NULL: the names are not changed. */
static const char *snaked_id(const struct resource *r)
{
	for (size_t i = 0; snaked[i].id; i++)
		if (&resources[snaked[i].of] == r)
			return snaked[i].id;
	return NULL;
}

const char *resource_argument(const struct resource *r, const char *key, struct arena *a)
{
	const char *id = snaked_id(r);
	char *out, *q;

	if (!id)
		return key;
	if (strcmp(key, "id") == 0)
		return id;
	if (strcmp(key, "pageSize") == 0)
		return "limit";
	out = q = arena_alloc(a, 2 * strlen(key) + 1);
	for (const char *p = key; *p; p++) {
		if (isupper((unsigned char)*p))
			*q++ = '_';
		*q++ = (char)tolower((unsigned char)*p);
	}
	*q = 0;
	return out;
}

/* The other way round. */
static const char *key_of(const struct resource *r, const char *name, struct arena *a)
{
	const char *id = snaked_id(r);
	char *out, *q;

	if (!id)
		return name;
	if (strcmp(name, id) == 0)
		return "id";
	if (strcmp(name, "limit") == 0)
		return "pageSize";
	out = q = arena_alloc(a, strlen(name) + 1);
	for (const char *p = name; *p; p++)
		*q++ = *p == '_' && p[1]
			? (char)toupper((unsigned char)*++p) : *p;
	*q = 0;
	return out;
}

json_t *resource_of_arguments(const struct resource *r, const json_t *args,
			      struct arena *a)
{
	json_t *out = jx_keep(a, json_object()), *v;
	const char *name;

	json_object_foreach((json_t *)args, name, v)
		json_object_set(out, key_of(r, name, a), v);
	return out;
}

/* What a schema is written with. */
struct schema_ask {
	const struct conf *conf;
	const struct resource *r;
	struct arena *a;
};

static void put_type(struct jw *w, const struct resource_field *f, bool nullable)
{
	const char *name = resource_types[f->type].schema;

	if (!name)
		return;
	if (!nullable) {
		jw_kstrz(w, "type", name);
		return;
	}
	jw_key(w, "type");
	jw_arr(w);
	jw_str(w, str_of(name));
	jw_str(w, STR("null"));
	jw_end_arr(w);
}

static void put_choices(struct jw *w, const struct schema_ask *k,
			const struct resource_field *f, bool nullable)
{
	struct str rest = str_of(resource_choice_list(k->conf, k->r, f, k->a));
	struct str value, label;

	if (f->type != TYPE_ENUM)
		return;
	jw_key(w, "enum");
	jw_arr(w);
	while (resource_choice(&rest, &value, &label))
		jw_str(w, value);
	if (nullable)
		jw_null(w);
	jw_end_arr(w);
}

static void put_range(struct jw *w, const struct resource_field *f)
{
	if (f->type == TYPE_IDS) {
		jw_key(w, "items");
		jw_raw(w, STR("{\"type\":\"string\"}"));
		jw_kint(w, "maxItems", f->max);
	} else if (f->type == TYPE_LIST) {
		jw_key(w, "items");
		jw_obj(w);
		jw_kstrz(w, "type", "string");
		jw_kint(w, "minLength", 1);
		jw_kint(w, "maxLength", f->max);
		jw_end_obj(w);
		jw_kint(w, "maxItems", f->min);
	} else if (f->type == TYPE_DATE) {
		jw_kstrz(w, "format", "date");
	} else if (f->min || f->max) {
		bool text = resource_types[f->type].body == FIELD_TEXT;

		jw_kint(w, text ? "minLength" : "minimum", f->min);
		jw_kint(w, text ? "maxLength" : "maximum", f->max);
	}
}

/* The names of the members, "effort, stage"; empty: there are none. In a. */
static const char *props_names(const struct conf *conf, const struct resource *r,
			       struct arena *a)
{
	const struct conf_entity *k = props_of(conf, r);
	const char *names = "";

	for (size_t i = 0; i < k->n_props; i++)
		names = arena_printf(a, "%s%s%s", names, i ? ", " : "",
				     k->props[i].name);
	return names;
}

/* The members of props by name; get_field_info describes them. */
static const char *help_of(const struct schema_ask *k, const struct resource_field *f)
{
	return resource_is_markdown(f) ? arena_printf(k->a, "%s (Markdown)", f->help)
		: f->type != TYPE_PROPS ? f->help
		: arena_printf(k->a, "Further fields: %s", props_names(k->conf, k->r, k->a));
}

/* In a patch, null clears a value; in a new row it is omitted. */
static void put_field(struct jw *w, const struct schema_ask *k,
		      const struct resource_field *f, bool creating)
{
	bool nullable = !creating && f->flags & RESOURCE_NULLABLE &&
		f->type != TYPE_PROPS;

	jw_key(w, resource_argument(k->r, f->key, k->a));
	jw_obj(w);
	put_type(w, f, nullable);
	put_range(w, f);
	put_choices(w, k, f, nullable);
	jw_kstrz(w, "description", help_of(k, f));
	jw_end_obj(w);
}

static void put_text(struct jw *w, const char *key, const char *help)
{
	jw_key(w, key);
	jw_obj(w);
	jw_kstrz(w, "type", "string");
	jw_kstrz(w, "description", help);
	jw_end_obj(w);
}

/* How a value changes a text by parts. */
static void put_edit(struct jw *w, const struct resource *r,
		     const struct resource_field *f, struct arena *a)
{
	jw_key(w, resource_argument(r, arena_printf(a, "%sMode", f->key), a));
	jw_raw(w, STR("{\"type\":\"string\",\"enum\":[\"replace\",\"append\","
		      "\"section\"],\"description\":\"append: adds to the end, needs no "
		      "version; section: replaces one section\"}"));
	put_text(w, resource_argument(r, arena_printf(a, "%sSection", f->key), a),
		 "Heading of that section");
}

static void put_version(struct jw *w)
{
	jw_key(w, "version");
	jw_obj(w);
	jw_kstrz(w, "type", "integer");
	jw_kstrz(w, "description", "The version of it that you have read");
	jw_end_obj(w);
}

static void put_param(struct jw *w, const struct schema_ask *k,
		      const struct resource_param *p)
{
	const struct resource *r = k->r;
	struct arena *a = k->a;
	const char *type = !p->field || p->field->type == TYPE_ENUM ? "string"
		: resource_types[p->field->type].schema;

	jw_key(w, resource_argument(r, p->name, a));
	jw_obj(w);
	jw_kstrz(w, "type", type);
	if (!p->field)
		jw_kstrz(w, "description", arena_printf(
				 a, "%s; - for the largest first",
				 resource_order_names(k->conf, r, " or ", a)));
	else if (p->field->type == TYPE_ENUM)
		jw_kstrz(w, "description", arena_printf(
				 a, "%s: %s", p->help,
				 resource_choices(k->conf, r, p->field, a)));
	else
		jw_kstrz(w, "description", p->help);
	jw_end_obj(w);
}

const char *resource_member_argument(const struct resource *r,
				     const struct resource_param *p, struct arena *a)
{
	return resource_argument(r, p->name + strlen(PROPS_PREFIX), a);
}

/* The parameters of members, as an object. */
static void put_members(struct jw *w, const struct schema_ask *k,
			const struct resource_param *v, size_t n)
{
	const char *names = "";

	for (size_t i = 0; i < n; i++)
		names = arena_printf(k->a, "%s%s%s", names, i ? ", " : "",
				     resource_member_argument(k->r, &v[i], k->a));
	jw_key(w, "props");
	jw_obj(w);
	jw_kstrz(w, "type", "object");
	jw_kstrz(w, "description", arena_printf(
			 k->a, "Only those with these further fields: %s. Several values are "
			 "separated by commas; after a ! all but these", names));
	jw_end_obj(w);
}

static void put_page(struct jw *w, const struct schema_ask *k)
{
	const struct resource *r = k->r;
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(k->conf, r, params);
	size_t n_fields = 0;

	while (n_fields < n && !params[n_fields].member)
		put_param(w, k, &params[n_fields++]);
	if (n_fields < n)
		put_members(w, k, params + n_fields, n - n_fields);
	if (resource_is_searched(r))
		put_text(w, "q", "Words or parts of words");
	if (resource_is_filed(r))
		put_text(w, "category", "Id of a category: only what is filed there");
	put_text(w, "cursor", "nextCursor of the previous page");
	jw_key(w, resource_argument(r, "pageSize", k->a));
	jw_obj(w);
	jw_kstrz(w, "type", "integer");
	jw_kint(w, "minimum", 1);
	jw_kint(w, "maximum", LIM_PAGE_MAX);
	jw_end_obj(w);
}

/* Without members that are declared, models know nothing of props. */
static bool in_body(const struct schema_ask *k, const struct resource_field *f,
		    enum resource_verb verb)
{
	if (f->type == TYPE_PROPS && !props_of(k->conf, k->r)->n_props)
		return false;
	return (f->mode == MODE_EDIT &&
		(verb == VERB_CREATE || verb == VERB_PATCH)) ||
		(f->mode == MODE_ONCE && verb == VERB_CREATE);
}

const char *resource_above_key(const struct resource *r, struct arena *a)
{
	const struct resource *above = resource_of_root(r->of);
	char *key;

	if (r->owner != OWNER_BELOW)
		return NULL;
	key = arena_printf(a, "%sId", above->name);
	key[0] = (char)tolower((unsigned char)key[0]);
	return key;
}

/* Whether a new one must have it. */
static bool is_required(const struct schema_ask *k, const struct resource_field *f)
{
	const struct conf_entity *added = props_of(k->conf, k->r);
	bool required = f->flags & RESOURCE_REQUIRED;

	for (size_t i = 0; f->type == TYPE_PROPS && i < added->n_props; i++)
		required |= added->props[i].required;
	return required;
}

const json_t *resource_arguments(const struct conf *conf, const struct resource *r,
				 enum resource_verb verb, struct arena *a)
{
	const struct schema_ask k = { conf, r, a };
	const bool one = verb != VERB_LIST && verb != VERB_CREATE;
	const bool guarded = one && verb != VERB_GET && resource_is_guarded(r);
	const char *above = one ? NULL : resource_above_key(r, a);
	const char *id = resource_argument(r, "id", a);
	struct buf b = BUF_INIT(LIM_FORM_TEXT_BYTES * RESOURCE_FIELDS_MAX + 65536);
	struct err e = ERR_INIT;
	struct jw w = jw_on(&b);
	json_t *out;

	jw_obj(&w);
	jw_kstrz(&w, "type", "object");
	jw_key(&w, "properties");
	jw_obj(&w);
	if (one)
		put_text(&w, id, "Its id, as a list has it");
	if (guarded)
		put_version(&w);
	if (above)
		put_text(&w, resource_argument(r, above, a), "Id of what it is in");
	if (verb == VERB_LIST)
		put_page(&w, &k);
	for (size_t i = 0; i < r->n_fields; i++)
		if (in_body(&k, &r->fields[i], verb)) {
			put_field(&w, &k, &r->fields[i], verb == VERB_CREATE);
			if (verb == VERB_PATCH && &r->fields[i] == resource_by_parts(r))
				put_edit(&w, r, &r->fields[i], a);
		}
	jw_end_obj(&w);
	jw_key(&w, "required");
	jw_arr(&w);
	if (one)
		jw_str(&w, str_of(id));
	/* What is added to the end of a long text needs none. */
	if (guarded && !(verb == VERB_PATCH && resource_by_parts(r)))
		jw_str(&w, STR("version"));
	if (above)
		jw_str(&w, str_of(resource_argument(r, above, a)));
	for (size_t i = 0; verb == VERB_CREATE && i < r->n_fields; i++)
		if (in_body(&k, &r->fields[i], verb) && is_required(&k, &r->fields[i]))
			jw_str(&w, str_of(resource_argument(r, r->fields[i].key, a)));
	jw_end_arr(&w);
	jw_kbool(&w, "additionalProperties", false);
	jw_end_obj(&w);
	out = jx_load(buf_str(&b), &e);
	if (!out)
		BUG("a field that is no JSON");
	buf_release(&b);
	return jx_keep(a, out);
}
