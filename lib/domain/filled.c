/* SPDX-License-Identifier: MIT */
#include "domain/filled.h"

#include <string.h>

#include "conf/field.h"

#include "base/banned.h"

struct filled {			/* a member */
	size_t column;		/* of the row */
	enum opt_type type;
	size_t offset, set;	/* in the struct; 0: no flag */
	bool zero;		/* 0 stands for no value */
	const char *key;	/* in files */
};

#define FLAG(s, member) offsetof(s, set.member)
#define NO_FLAG(s, member) 0
#define FIELD_OF(id, key, column, type, mode, flags, lo, hi, help, example, how, ...) \
	how(id, column, __VA_ARGS__)
#define FIELD_NONE(...)
#define FIELD_ROW(id, column_, k, ty, member, flag, zero_) \
	{ .column = COLUMN(id, column_), .type = OPT_##ty, .key = k, \
	  .offset = offsetof(S_##id, member), .set = flag(S_##id, member), \
	  .zero = zero_ },
#define FIELD_YAML(id, column, k, ty, member, ...) \
	FIELD_ROW(id, column, k, ty, member, NO_FLAG, false)
#define FIELD_YAML_ZERO(id, column, k, ty, member, ...) \
	FIELD_ROW(id, column, k, ty, member, NO_FLAG, true)
#define FIELD_YAML_LIST FIELD_YAML
#define FIELD_YAML_NAMES FIELD_YAML
#define FIELD_YAML_MAY(id, column, k, ty, member, ...) \
	FIELD_ROW(id, column, k, ty, member, FLAG, false)
#define FIELD_YAML_MAY_LIST FIELD_YAML_MAY
#define FIELD_YAML_WIDE FIELD_YAML
#define FIELD_YAML_MAY_WIDE FIELD_YAML_MAY
#define none NULL

#define S_LLM_SERVICE struct llm_service
#define S_WORKSPACE_SERVICE struct llm_service
#define S_PROVIDER_INSTANCE struct llm_service
#define S_WORKSPACE struct workspace
#define S_AGENT struct agent
#define S_PROMPT struct catalogue_prompt
#define AS_WORKSPACE(...) FIELD_OF(WORKSPACE, __VA_ARGS__, FIELD_NONE, 0)
#define AS_AGENT(...) FIELD_OF(AGENT, __VA_ARGS__, FIELD_NONE, 0)
#define AS_PROMPT(...) FIELD_OF(PROMPT, __VA_ARGS__, FIELD_NONE, 0)
#define AS_LLM_SERVICE(...) FIELD_OF(LLM_SERVICE, __VA_ARGS__, FIELD_NONE, 0)
#define AS_WORKSPACE_SERVICE(...) FIELD_OF(WORKSPACE_SERVICE, __VA_ARGS__, FIELD_NONE, 0)
#define AS_PROVIDER_INSTANCE(...) FIELD_OF(PROVIDER_INSTANCE, __VA_ARGS__, FIELD_NONE, 0)

static const struct filled of_service[] = { LLM_SERVICE_FIELDS(AS_LLM_SERVICE) };
static const struct filled of_workspace_service[] = {
	WORKSPACE_SERVICE_FIELDS(AS_WORKSPACE_SERVICE)
};
static const struct filled of_workspace[] = { WORKSPACE_FIELDS(AS_WORKSPACE) };
static const struct filled of_agent[] = { AGENT_FIELDS(AS_AGENT) };
static const struct filled of_prompt[] = { PROMPT_FIELDS(AS_PROMPT) };
static const struct filled of_instance[] = { PROVIDER_INSTANCE_FIELDS(AS_PROVIDER_INSTANCE) };

static const struct {
	enum resource_id id;
	enum opt_section in;
	const struct filled *v;
	size_t n;
} structs[] = {
#define FILLED(id, sec, v) { RESOURCE_##id, SEC_##sec, v, ARRAY_LEN(v) },
	FILLED(LLM_SERVICE, LLM, of_service)
	FILLED(WORKSPACE_SERVICE, LLM, of_workspace_service)
	FILLED(PROVIDER_INSTANCE, LLM, of_instance)
	FILLED(WORKSPACE, WORKSPACE, of_workspace)
	FILLED(AGENT, AGENT, of_agent)
	FILLED(PROMPT, CATALOGUE, of_prompt)
};

struct conf_list filled_list(struct arena *a, struct str json)
{
	json_auto_t *j = json.p ? jx_try(json) : NULL;
	size_t n = json_array_size(j);
	const char **v = arena_zalloc(a, n + 1, sizeof(*v));

	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(j, i));

		v[i] = arena_strdup(a, s ? s : "");
	}
	return (struct conf_list){ v, n };
}

/* The names of a row are valid, but a later version may know fewer. */
static unsigned bits_of(const struct conf_option *o, const struct conf_list *names)
{
	unsigned out = 0;

	for (size_t i = 0; i < names->n; i++)
		for (const struct opt_name *p = o->names; p->name; p++)
			if (!strcmp(p->name, names->v[i]))
				out |= p->value;
	return out;
}

static void set(enum opt_section in, const struct filled *m, const struct db_val *v,
		struct arena *a, void *to)
{
	struct conf_list list;

	switch (m->type) {
	case OPT_INT:
		*(int *)to = (int)v->i;
		break;
	case OPT_DOUBLE:
		*(double *)to = v->d;
		break;
	case OPT_BOOL:
		*(bool *)to = v->i;
		break;
	case OPT_STRING:
		*(const char **)to = arena_str(a, v->s).p;
		break;
	case OPT_LIST:
		*(struct conf_list *)to = filled_list(a, v->s);
		break;
	case OPT_FLAGS:
		list = filled_list(a, v->s);
		*(unsigned *)to = bits_of(option_find(in, m->key), &list);
		break;
	case OPT_JSON:
		*(json_t **)to = jx_keep(a, jx_try(v->s));
		break;
	default:
		BUG("a type that no row has");
	}
}

static size_t struct_of(const struct resource *r)
{
	size_t i = 0;

	while (&resources[structs[i].id] != r)
		i++;
	return i;
}

void filled_from_row(const struct resource *r, const struct resource_row *row,
		     struct arena *a, void *out)
{
	const size_t i = struct_of(r);

	conf_defaults(structs[i].in, a, out);
	for (size_t k = 0; k < structs[i].n; k++) {
		const struct filled *m = &structs[i].v[k];
		const struct db_val *v = &row->v[m->column];
		char *to = (char *)out + m->offset;
		const bool sealed = r->fields[m->column].type == TYPE_SECRET;

		if (!v->null && !sealed)
			set(structs[i].in, m, v, a, to);
		/* An empty list may be left of one. */
		if (m->set)
			*(bool *)((char *)out + m->set) = !v->null && (sealed ||
				m->type == OPT_LIST || option_has(m->type, to));
	}
}

/* Texts as a value of a LIST. In a. */
static struct db_val texts_of(const struct conf_list *l, struct arena *a)
{
	json_t *names = jx_keep(a, json_array());

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(names, json_string(l->v[i]));
	return DB_S(str_of(jx_text(a, names)));
}

static struct db_val names_of(const struct conf_option *o, unsigned bits, struct arena *a)
{
	json_t *names = jx_keep(a, json_array());

	for (const struct opt_name *p = o->names; p->name; p++)
		if (bits & p->value)
			json_array_append_new(names, json_string(p->name));
	return DB_S(str_of(jx_text(a, names)));
}

static bool is_zero(const struct filled *m, const void *from)
{
	return m->zero && (m->type == OPT_DOUBLE ? *(const double *)from <= 0
			   : !option_has(m->type, from));
}

/* NULL stays where there is no value. */
static void get(enum opt_section in, const struct filled *m, const void *from,
		struct arena *a, struct db_val *v)
{
	const struct conf_list *list = from;
	const char *text;

	switch (m->type) {
	case OPT_INT:
		*v = DB_I(*(const int *)from);
		break;
	case OPT_DOUBLE:
		*v = DB_D(*(const double *)from);
		break;
	case OPT_BOOL:
		*v = DB_I(*(const bool *)from);
		break;
	case OPT_STRING:
		text = *(const char *const *)from;
		if (text && *text)
			*v = DB_S(str_of(text));
		break;
	case OPT_LIST:
		if (list->n)
			*v = texts_of(list, a);
		break;
	case OPT_FLAGS:
		*v = names_of(option_find(in, m->key), *(const unsigned *)from, a);
		break;
	case OPT_JSON:
		if (*(json_t *const *)from)
			*v = DB_S(str_of(jx_text(a, *(json_t *const *)from)));
		break;
	default:
		BUG("a type that no row has");
	}
}

void filled_file_row(const struct resource *r, struct uuid id, struct resource_row *row)
{
	resource_new(r, row);
	row->id = id;
	row->created_us = row->updated_us = 0;
	row->config = true;
}

void filled_to_row(const struct resource *r, const void *s, struct arena *a,
		   struct resource_row *row)
{
	const size_t i = struct_of(r);

	for (size_t k = 0; k < structs[i].n; k++) {
		const struct filled *m = &structs[i].v[k];
		struct db_val *v = &row->v[m->column];
		const bool has = !m->set || *(const bool *)((const char *)s + m->set);

		if (r->fields[m->column].type == TYPE_SECRET)
			v->null = !has;
		else if (has && r->fields[m->column].type != TYPE_IDS &&
			 !is_zero(m, (const char *)s + m->offset))
			get(structs[i].in, m, (const char *)s + m->offset, a, v);
	}
}

void filled_write(struct jw *w, const struct resource *r, const struct resource_row *row,
		  const void *s, struct arena *a, const char *but)
{
	struct resource_row of_file;

	if (!row) {
		resource_new(r, &of_file);
		filled_to_row(r, s, a, &of_file);
		row = &of_file;
	}
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		struct str rest = str_of(but);
		bool other = resource_is_hidden(f);

		while (rest.n && !other)
			other = str_is(str_cut(&rest, ' '), f->key);
		if (other)
			continue;
		jw_key(w, f->key);
		if (f->type == TYPE_BOOL)	/* also of a row that was not read again */
			jw_bool(w, !row->v[i].null && row->v[i].i);
		else
			resource_write_value(w, f, &row->v[i]);
	}
}
