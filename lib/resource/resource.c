/* SPDX-License-Identifier: MIT */
/* The table, rows in memory, and records. */
#include "resource/rows.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

#define REQUIRED RESOURCE_REQUIRED
#define NULLABLE RESOURCE_NULLABLE
#define LINE     RESOURCE_LINE
#define PARENT   RESOURCE_PARENT
#define SORT     RESOURCE_SORT
#define UNIQUE   RESOURCE_UNIQUE
#define AUTHORED RESOURCE_AUTHORED
#define AUTHOR   RESOURCE_AUTHOR
#define AUTHOR_ID RESOURCE_AUTHOR_ID
#define EMPTY_NULL RESOURCE_EMPTY_NULL
#define FIRST    RESOURCE_FIRST
#define FOUND    RESOURCE_FOUND

#define AS_FIELD(key_, column_, type_, mode_, flags_, min_, max_, ...) \
	{ .key = key_, .column = #column_, .type = TYPE_##type_, \
	  .mode = MODE_##mode_, .flags = flags_, .min = min_, .max = max_, \
	  .help = HELP_OF(__VA_ARGS__) },
#define RESOURCE(id, table, name, path, r, w, owner, of, order, most, fields, what) \
	static const struct resource_field id##_fields[] = { \
		fields(AS_FIELD) \
	};
#include "resource/resource.def"

/* From here on PARENT is the owner, not the flag. */
#undef PARENT

#define READERS_USER(id)
#define READERS_TENANT(id)
#define READERS_PARENT(id)
#define READERS_MIXED(id)
#define READERS_BELOW(id)
#define READERS_SHARED(id) .reader = RSTMT_##id##_READER, \
	.unread = RSTMT_##id##_UNREAD, .rename = RSTMT_##id##_RENAME, \
	.roles = RSTMT_##id##_ROLES, .announce = RSTMT_##id##_ANNOUNCE, \
	.announce_last = RSTMT_##id##_ANNOUNCELAST,
#define ROW(id, table_, name_, path_, r_, w_, owner_, of_, order_, most_, what_) \
	.name = name_, .table = table_, .path = path_, .what = what_, \
	.may_read = PERM_##r_, .may_write = PERM_##w_, \
	.owner = OWNER_##owner_, .of = ROOT_##of_, .order = ORDER_##order_, \
	.most = most_, .fields = id##_fields, \
	.n_fields = ARRAY_LEN(id##_fields), .list = RSTMT_##id##_LIST, \
	.total = RSTMT_##id##_TOTAL, .count = RSTMT_##id##_COUNT, \
	.get = RSTMT_##id##_GET, .insert = RSTMT_##id##_INSERT, \
	.update = RSTMT_##id##_UPDATE, .remove = RSTMT_##id##_DELETE, \
	.take_out = RSTMT_##id##_EXPORT, READERS_##owner_(id)
const struct resource resources[RESOURCE__MAX] = {
#define RESOURCE(id, table, name, path, r, w, owner, of, order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) },
#define RETIRED(column, id, table, name, path, r, w, owner, of, order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .retired = true },
#define RECORD(id, table, name, path, r, w, owner, of, order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .record = true },
#define NAMED(column, id, table, name, path, r, w, owner, of, order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .named = true, .name_at = COLUMN(id, column), \
			    .by_name = RSTMT_##id##_NAMED },
#define BELOW(top_, parent, column, id, table, name, path, r, w, owner, of, \
	      order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .top = top_ },
#define BELOW_RECORD(top_, parent, column, id, table, name, path, r, w, owner, of, \
		     order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .top = top_, .record = true },
#define UPLOAD(id, table, name, path, r, w, owner, of, order, most, fields, what) \
	[RESOURCE_##id] = { ROW(id, table, name, path, r, w, owner, of, order, \
				most, what) .record = true, .upload = true },
#include "resource/resource.def"
};

static const struct {
	enum resource_id of;
	const struct resource_hooks *hooks;
} hooks[] = {
#define HOOKS(id, name) { RESOURCE_##id, &name },
#include "resource/resource.def"
};

const struct resource_hooks *resource_hooks_at(const struct resource *r, size_t i)
{
	for (size_t k = 0; k < ARRAY_LEN(hooks); k++)
		if (&resources[hooks[k].of] == r && !i--)
			return hooks[k].hooks;
	return NULL;
}

/* Of those that are resources; ROOT_NONE: NULL. */
static const char *const root_ids[ROOT__MAX] = {
#define ROOT(id, table, owner) [ROOT_##id] = #id,
#include "resource/resource.def"
};

static const char *const resource_ids[RESOURCE__MAX] = {
#define RESOURCE(id, ...) [RESOURCE_##id] = #id,
#include "resource/resource.def"
};

const struct resource_type_row resource_types[] = {
#define TYPE(id, letter, body, schema, form) \
	[TYPE_##id] = { letter, FIELD_##body, schema, form },
#include "resource/type.def"
};

const struct resource *resource_find(struct str path)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		if (str_is(path, resources[i].path))
			return &resources[i];
	return NULL;
}

const struct resource *resource_of_table(const char *table)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		if (strcmp(resources[i].table, table) == 0)
			return &resources[i];
	return NULL;
}

const struct resource *resource_of_root(enum resource_root root)
{
	for (size_t i = 0; root != ROOT_NONE && i < RESOURCE__MAX; i++)
		if (strcmp(resource_ids[i], root_ids[root]) == 0)
			return &resources[i];
	return NULL;
}

bool resource_is_top(const struct resource *r)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		if (resources[i].top && strcmp(resources[i].top, r->table) == 0)
			return true;
	return false;
}

static const bool guarded[RESOURCE__MAX + 1] = {
#define GUARDED(id, table) [RESOURCE_##id] = true,
#include "resource/resource.def"
};

bool resource_is_guarded(const struct resource *r)
{
	return guarded[r - resources];
}

struct resource_at resource_own(const struct owner *o)
{
	return (struct resource_at){
		.by = *o, .holder = o->user_id, .above = o->user_id,
	};
}

/*
 * Distinct from the ids of users, which are made from the tenant's slug: a slug
 * has no '/'.
 */
static struct uuid reader_of(struct str tenant_id, const char *kind,
			     struct str name)
{
	char scope[LIM_SLUG_BYTES + 16];
	size_t n = MIN(tenant_id.n, (size_t)LIM_SLUG_BYTES);

	memcpy(scope, tenant_id.p, n);
	memcpy(scope + n, kind, strlen(kind));
	return uuid_of_name((struct str){ scope, n + strlen(kind) }, name);
}

struct uuid resource_of_tenant(struct str tenant_id)
{
	return reader_of(tenant_id, "/tenant", tenant_id);
}

struct uuid resource_of_admins(struct str tenant_id)
{
	return reader_of(tenant_id, "/admins", tenant_id);
}

struct uuid resource_of_group(struct str tenant_id, struct str group)
{
	return reader_of(tenant_id, "/group", group);
}

struct resource_at resource_reading(const struct owner *o,
				    const struct str *groups, size_t n_groups,
				    struct arena *a)
{
	struct resource_at at = resource_own(o);
	struct uuid *v = arena_zalloc(a, n_groups + 2, sizeof(*v));

	v[0] = o->user_id;
	v[1] = resource_of_tenant(o->tenant_id);
	for (size_t i = 0; i < n_groups; i++)
		v[2 + i] = resource_of_group(o->tenant_id, groups[i]);
	at.readers = v;
	at.n_readers = n_groups + 2;
	return at;
}

struct str resource_text(const struct resource_row *row, size_t column)
{
	const struct db_val *v = &row->v[column];

	return v->null ? (struct str){ NULL, 0 } : v->s;
}

bool resource_same(const struct db_val *a, const struct db_val *b)
{
	return a->null || b->null ? a->null == b->null
		: a->type == 'i' ? a->i == b->i
		: a->type == 'd' ? a->d == b->d : str_eq(a->s, b->s);
}

void resource_new(const struct resource *r, struct resource_row *row)
{
	int64_t now_us = clock_now_us();

	*row = (struct resource_row){
		.id = uuid_new(), .created_us = now_us, .updated_us = now_us,
	};
	for (size_t i = 0; i < r->n_fields; i++)
		row->v[i] = (struct db_val){
			.type = resource_types[r->fields[i].type].letter,
			.null = true,
		};
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_KIND)
			row->v[i] = DB_S(str_of(r->fields[i].help));
}

/* -- sort keys ----------------------------------------------------------------- */

#define SORT_CHARS 100

static locale_t letters_of_all;	/* C.UTF-8; 0 if it is missing: ASCII only */
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void find_letters(void)
{
	letters_of_all = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static uint32_t small(uint32_t c)
{
	if (c < 0x80 || !letters_of_all)
		return c >= 'A' && c <= 'Z' ? c | 32 : c;
	return (uint32_t)towlower_l((wint_t)c, letters_of_all);
}

/* Takes the code point at *p of valid text. */
static uint32_t take_char(const char **p)
{
	unsigned char first = (unsigned char)*(*p)++;
	int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	uint32_t c = more ? first & (0x3fu >> more) : first;

	while (more--)
		c = c << 6 | ((unsigned char)*(*p)++ & 0x3f);
	return c;
}

static char *put_char(char *q, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	if (!more) {
		*q = (char)c;
		return q + 1;
	}
	*q++ = (char)((0xff00 >> (more + 1) & 0xff) | c >> 6 * more);
	while (more--)
		*q++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return q;
}

struct str resource_fold(struct arena *a, struct str text)
{
	struct str head = utf8_head(str_trim(text), SORT_CHARS);
	const char *p = head.p, *end = head.p + head.n;
	char *out = arena_alloc(a, 4 * SORT_CHARS + 1), *q = out;

	pthread_once(&letters_once, find_letters);
	while (p < end)
		q = put_char(q, small(take_char(&p)));
	return (struct str){ out, (size_t)(q - out) };
}

void resource_sort(const struct resource *r, struct arena *a,
		   struct resource_row *row)
{
	row->sort_key = (struct str){ NULL, 0 };
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].flags & SORT && !row->v[i].null)
			row->sort_key = resource_fold(a, row->v[i].s);
}

int resource_compare(const void *a, const void *b)
{
	const struct resource_row *x = a, *y = b;
	int d = str_compare(x->sort_key, y->sort_key);

	return d ? d : memcmp(x->id.b, y->id.b, sizeof(x->id.b));
}

bool resource_ids_have(const struct db_val *ids, const struct uuid *id)
{
	for (size_t i = 0; !ids->null && i + sizeof(*id) <= ids->s.n;
	     i += sizeof(*id))
		if (!memcmp(ids->s.p + i, id, sizeof(*id)))
			return true;
	return false;
}

bool resource_is_under(const struct resource *r, const struct resource_row *row,
		       const struct uuid *id)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_IDS &&
		    resource_ids_have(&row->v[i], id))
			return true;
	return false;
}

bool resource_wanted(const struct resource *r, const struct resource_row *row,
		     const struct resource_want *want)
{
	return (!want->after || resource_compare(row, want->after) > 0) &&
		(!want->under || resource_is_under(r, row, want->under));
}

const struct resource_field *resource_by_parts(const struct resource *r)
{
	const struct resource_field *f = resource_long(r);

	for (size_t i = 0; !f && i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_MARKDOWN &&
		    r->fields[i].max > LIM_ENTITY_CHARS)
			f = &r->fields[i];
	return f;
}

const struct resource_field *resource_long(const struct resource *r)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_LONG)
			return &r->fields[i];
	return NULL;
}

/* -- records ----------------------------------------------------------------- */

void resource_write_value(struct jw *w, const struct resource_field *f,
			  const struct db_val *v)
{
	char text[STR_REAL_BYTES];

	if (v->null && f->type == TYPE_PROPS) {
		jw_raw(w, STR("{}"));
		return;
	}
	if (v->null && f->type != TYPE_IDS) {
		jw_null(w);
		return;
	}
	switch (f->type) {
	case TYPE_TEXT:
	case TYPE_MARKDOWN:
	case TYPE_REF:
	case TYPE_ENUM:
	case TYPE_DATE:
	case TYPE_LOGIN:
	case TYPE_LONG:
	case TYPE_PERSON:
	case TYPE_KEPT:
		jw_str(w, v->s);
		return;
	case TYPE_INT:
		jw_int(w, v->i);
		return;
	case TYPE_REAL:
		jw_raw(w, str_of_real(v->d, text));
		return;
	case TYPE_BOOL:
		jw_bool(w, v->i != 0);
		return;
	case TYPE_TIME:
		jw_time(w, v->i);
		return;
	case TYPE_UUID:
		jw_uuid(w, (const struct uuid *)(const void *)v->s.p);
		return;
	case TYPE_JSON:
	case TYPE_LIST:
	case TYPE_PROPS:
		jw_raw(w, v->s);
		return;
	case TYPE_IDS:
		jw_arr(w);	/* NULL: an empty array */
		for (size_t i = 0; !v->null && i + sizeof(struct uuid) <= v->s.n;
		     i += sizeof(struct uuid))
			jw_uuid(w, (const struct uuid *)(const void *)
				   (v->s.p + i));
		jw_end_arr(w);
		return;
	case TYPE_BYTES:
	case TYPE_SECRET:
	case TYPE_KIND:
	case TYPE_VEIL:
	case TYPE_FOLDED:
		break;
	}
	BUG("hidden fields are in no record");
}

/* Rows of files have no times. */
static void write_time(struct jw *w, const struct resource_row *row, int64_t us)
{
	if (row->config)
		jw_null(w);
	else
		jw_time(w, us);
}

void resource_write(struct jw *w, const struct resource *r,
		    const struct resource_row *row)
{
	jw_kuuid(w, "id", &row->id);
	for (size_t i = 0; i < r->n_fields; i++) {
		if (resource_is_hidden(&r->fields[i]) ||
		    (row->brief && resource_is_unlisted(&r->fields[i])))
			continue;
		if (r->fields[i].type == TYPE_SECRET) {
			char key[64];

			snprintf(key, sizeof(key), "%sSet", r->fields[i].key);
			jw_kbool(w, key, !row->v[i].null);
			continue;
		}
		jw_key(w, r->fields[i].key);
		resource_write_value(w, &r->fields[i], &row->v[i]);
	}
	jw_key(w, "createdAt");
	write_time(w, row, row->created_us);
	jw_key(w, "updatedAt");
	write_time(w, row, row->updated_us);
}
