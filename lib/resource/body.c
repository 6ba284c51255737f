/* SPDX-License-Identifier: MIT */
/* Bodies of resources: reads what clients send into a row, and seals secrets. */
#include "resource/rows.h"

#include <stdlib.h>
#include <string.h>

#include "resource/form.h"
#include "resource/props.h"
#include "secret/secret.h"

#include "base/banned.h"

/* The value of one field of a body. */
union slot {
	struct str s;
	struct uuid u;
	int64_t i;
	double d;
	int b;
	json_t *j;
};

static struct field field_of(const struct resource_field *f, bool complete)
{
	struct field out = {
		.key = f->key, .type = resource_types[f->type].body,
		.min = f->min, .max = f->max,
	};

	if (out.type == FIELD_TEXT)
		out.max_chars = (size_t)f->max;
	if (f->type == TYPE_LIST) {
		out.max = f->min;
		out.max_chars = (size_t)f->max;
	}
	if (f->type == TYPE_INT && !f->min && !f->max) {
		out.min = INT64_MIN;
		out.max = INT64_MAX;
	}
	if ((resource_is_text(f) && f->min) || f->type == TYPE_PERSON ||
	    f->type == TYPE_REF || f->type == TYPE_JSON || f->type == TYPE_SECRET)
		out.flags |= FIELD_FILLED;
	if (f->flags & RESOURCE_LINE || f->type == TYPE_REF)
		out.flags |= FIELD_LINE;
	if (f->flags & RESOURCE_NULLABLE)
		out.flags |= FIELD_NULLABLE;
	if (complete && f->flags & RESOURCE_REQUIRED)
		out.flags |= FIELD_REQUIRED;
	return out;
}

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

/* An array of ids as stored: sorted, without duplicates. */
static int ids_of(struct arena *a, const struct resource_field *f,
		  const json_t *j, struct db_val *out, struct err *e)
{
	size_t n = json_array_size(j), kept = 0;
	struct uuid *v = arena_zalloc(a, n + 1, sizeof(*v));

	if (!json_is_array(j) || n > (size_t)f->max)
		return err_field(e, ERR_INVALID_FIELD, f->key, "%s must be an "
				 "array of at most %lld ids.", f->key,
				 (long long)f->max);
	for (size_t i = 0; i < n; i++) {
		const json_t *id = json_array_get(j, i);

		if (!json_is_string(id) ||
		    !uuid_parse((struct str){ json_string_value(id),
					      json_string_length(id) }, &v[i]))
			return err_field(e, ERR_INVALID_FIELD, f->key, "%s[%zu] "
					 "must be a UUID.", f->key, i);
	}
	qsort(v, n, sizeof(*v), compare_ids);
	for (size_t i = 0; i < n; i++)
		if (!kept || !uuid_eq(&v[i], &v[kept - 1]))
			v[kept++] = v[i];
	*out = DB_B(((struct str){ (const char *)v, kept * sizeof(*v) }));
	out->null = !kept;
	return 0;
}

/* Wipes the parsed copy; the body itself is in the arena, which is wiped later. */
static struct str take_secret(struct arena *a, struct str read)
{
	struct str out;

	arena_secret(a);
	out = arena_str(a, read);
	seal_wipe(read);
	return out;
}

/* The text with ends of lines of one kind. */
static struct str with_lines(struct arena *a, struct str s)
{
	char *out, *q;

	if (!memchr(s.p, '\r', s.n))
		return s;
	out = q = arena_alloc(a, s.n + 1);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r')
			*q++ = s.p[i];
		else if (i + 1 == s.n || s.p[i + 1] != '\n')
			*q++ = '\n';
	*q = 0;
	return (struct str){ out, (size_t)(q - out) };
}

static struct db_val value_of(struct arena *a, enum resource_type type,
			      const union slot *s, char letter)
{
	switch (type) {
	case TYPE_MARKDOWN:
	case TYPE_LONG:
		return DB_S(with_lines(a, s->s));
	case TYPE_TEXT:
	case TYPE_REF:
	case TYPE_KEPT:
	case TYPE_ENUM:
	case TYPE_DATE:
	case TYPE_PERSON:
		return DB_S(s->s);
	case TYPE_BOOL:
		return DB_I(s->b > 0);
	case TYPE_UUID:
		return (struct db_val){ .type = letter, .s = arena_str(
			a, (struct str){ (const char *)s->u.b, 16 }) };
	case TYPE_JSON:
	case TYPE_LIST:
		return DB_S(str_of(jx_text(a, s->j)));
	case TYPE_INT:
	case TYPE_TIME:
		return DB_I(s->i);
	case TYPE_REAL:
		return DB_D(s->d);
	case TYPE_SECRET:
		return DB_B(take_secret(a, s->s));
	case TYPE_PROPS:
	case TYPE_IDS:
	case TYPE_BYTES:
	case TYPE_LOGIN:
	case TYPE_KIND:
	case TYPE_VEIL:
	case TYPE_FOLDED:
		break;
	}
	BUG("a type that is in no body");
}

/* The choice that was probably meant; empty: none. */
static struct str nearest_choice(const char *choices, struct str wrong)
{
	struct str rest = str_of(choices), value, label;
	struct str found = { NULL, 0 };
	int best = (int)MAX(MIN(wrong.n, 48) / 2, 1) + 1;

	while (resource_choice(&rest, &value, &label)) {
		const int edits = str_distance(wrong, value);

		if (edits < best) {
			best = edits;
			found = value;
		}
	}
	return found;
}

int resource_check_choice(const struct conf *conf, struct arena *a,
			  const struct resource *r, const struct resource_field *f,
			  struct str value, const char *name, struct err *e)
{
	struct str meant;

	if (resource_takes(conf, r, f, value))
		return 0;
	meant = nearest_choice(resource_choice_list(conf, r, f, a), value);
	if (meant.n)
		return err_field(e, ERR_INVALID_FIELD, name, "%s must be %s; "
				 "did you mean \"%.*s\"?", name,
				 resource_choices(conf, r, f, a), STR_ARG(meant));
	return err_field(e, ERR_INVALID_FIELD, name, "%s must be %s.", name,
			 resource_choices(conf, r, f, a));
}

/* A field that cannot be changed is not an unknown field. */
static int refuse_fixed(const struct resource *r, const json_t *body,
			struct err *e)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if ((f->mode == MODE_ONCE || f->mode == MODE_GIVEN ||
		     f->mode == MODE_NOTED) &&
		    json_object_get(body, f->key))
			return err_field(e, ERR_INVALID_FIELD, f->key,
					 "%s cannot be changed.", f->key);
	}
	return 0;
}

/*
 * The value of a field whose choices or members YAML declares. Of a PATCH, what depends on
 * the row as it is comes later (resource_merge).
 */
static int read_declared(const struct conf *conf, const struct resource_call *c,
			 const struct resource_field *f, const json_t *given,
			 struct arena *a, struct db_val *v, struct err *e)
{
	const bool creating = c->verb == VERB_CREATE;

	if (f->type == TYPE_ENUM)
		return v->null || c->stored ||
			(c->verb == VERB_PATCH && props_adds(c->r, f)) ? 0
			: resource_check_choice(conf, a, c->r, f, v->s, f->key, e);
	if (f->type != TYPE_PROPS)
		return 0;
	if (!c->stored && props_check(conf, c->r, f, given, creating || c->whole, e) < 0)
		return -1;
	return props_merge(conf, c->r, f, (struct str){ NULL, 0 }, given, a, v, e);
}

/* A choice that is gone may stay as it is. */
static bool is_new_choice(const struct resource *r, size_t i,
			  const struct resource_row *now, const struct resource_row *body)
{
	return r->fields[i].type == TYPE_ENUM && props_adds(r, &r->fields[i]) &&
		!body->v[i].null && !resource_same(&body->v[i], &now->v[i]);
}

int resource_merge(const struct conf *conf, const struct resource_call *c,
		   const struct resource_row *now, struct resource_row *body,
		   struct arena *a, struct err *e)
{
	for (size_t i = 0; !c->stored && i < c->r->n_fields; i++) {
		const struct resource_field *f = &c->r->fields[i];
		const json_t *given = json_object_get(c->body, f->key);

		if (!body->given[i])
			continue;
		if (is_new_choice(c->r, i, now, body) &&
		    resource_check_choice(conf, a, c->r, f, body->v[i].s, f->key, e) < 0)
			return -1;
		if (f->type == TYPE_PROPS && !c->whole &&
		    props_merge(conf, c->r, f, resource_text(now, i), given, a,
				&body->v[i], e) < 0)
			return -1;
	}
	return 0;
}

int resource_body(const struct conf *conf, const struct resource_call *c,
		  struct arena *a, struct resource_row *row, struct err *e)
{
	const struct resource *r = c->r;
	const bool creating = c->verb == VERB_CREATE;
	struct field fields[RESOURCE_FIELDS_MAX] = { { .key = NULL } };
	union slot slots[RESOURCE_FIELDS_MAX];
	size_t at[RESOURCE_FIELDS_MAX], n = 0;

	for (size_t i = 0; i < r->n_fields; i++) {
		enum resource_mode m = r->fields[i].mode;

		if (m != MODE_EDIT && !(creating && m == MODE_ONCE))
			continue;
		fields[n] = field_of(&r->fields[i], creating || c->whole);
		fields[n].offset = n * sizeof(*slots);
		at[n++] = i;
	}
	if ((!creating && refuse_fixed(r, c->body, e) < 0) ||
	    fields_read(fields, n, c->body, slots, sizeof(slots), e) < 0)
		return -1;
	for (size_t k = 0; k < n; k++) {
		const json_t *j = json_object_get(c->body, fields[k].key);
		struct db_val *v = &row->v[at[k]];

		row->given[at[k]] = j != NULL;
		if (r->fields[at[k]].type == TYPE_PROPS) {
			/* also what is required of a row without it */
		} else if (j && r->fields[at[k]].type == TYPE_IDS) {
			if (ids_of(a, &r->fields[at[k]], j, v, e) < 0)
				return -1;
		} else if (json_is_null(j))
			*v = (struct db_val){ .type = v->type, .null = true };
		else if (j)
			*v = value_of(a, r->fields[at[k]].type, &slots[k],
				      v->type);
		if (read_declared(conf, c, &r->fields[at[k]], j, a, v, e) < 0)
			return -1;
	}
	resource_sort(r, a, row);
	return 0;
}

int resource_draft(const struct conf *conf, const struct resource *r,
		   enum resource_verb verb, const json_t *body, struct arena *a,
		   struct resource_row *out, struct err *e)
{
	const struct resource_call c = { .r = r, .verb = verb, .body = body };

	resource_new(r, out);
	return resource_body(conf, &c, a, out, e);
}

/* -- secrets ----------------------------------------------------------------- */

static struct secret_at place_of_secret(const struct caller *by, const struct resource *r,
					size_t field, const struct uuid *id)
{
	return (struct secret_at){ by->owner.tenant_id, r->table,
				   r->fields[field].column, *id };
}

int resource_seal(const struct caller *by, const struct resource *r,
		  struct resource_row *row, struct err *e)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		struct secret_at to = place_of_secret(by, r, i, &row->id);
		struct str sealed;

		if (r->fields[i].type != TYPE_SECRET || !row->given[i] ||
		    row->v[i].null)
			continue;
		if (seal_make(by->conf, &to, row->v[i].s, by->arena, &sealed,
			      e) < 0)
			return -1;
		row->v[i].s = sealed;
	}
	return 0;
}

bool resource_equal(const struct caller *by, const struct resource *r, size_t i,
		    const struct resource_row *a, const struct resource_row *b)
{
	struct secret_at from = place_of_secret(by, r, i, &a->id);
	struct err ignored = ERR_INIT;
	struct str x, y;

	if (r->fields[i].type != TYPE_SECRET || a->v[i].null || b->v[i].null)
		return resource_same(&a->v[i], &b->v[i]);
	return seal_open(by->conf, &from, a->v[i].s, by->arena, &x,
			 &ignored) == 0 &&
		seal_open(by->conf, &from, b->v[i].s, by->arena, &y,
			  &ignored) == 0 && str_eq(x, y);
}
