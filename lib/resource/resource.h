/* SPDX-License-Identifier: MIT */
/*
 * Resources that users create and the API lists, declared once in resource.def:
 * rows of generic values, read and written by generated statements. call.h is
 * what a verb on them means; these are its parts.
 * The functions that use the database may block and return its errors.
 */
#ifndef RESOURCE_RESOURCE_H
#define RESOURCE_RESOURCE_H

#include <stddef.h>

#include "auth/owner.h"
#include "auth/policy.h"
#include "base/json.h"
#include "base/limits.h"
#include "conf/conf.h"
#include "db/db.h"

enum resource_id {
#define RESOURCE(id, ...) RESOURCE_##id,
#include "resource/resource.def"
	RESOURCE__MAX
};

/* What dependent rows belong to. */
enum resource_root {
	ROOT_NONE,
#define ROOT(id, ...) ROOT_##id,
#include "resource/resource.def"
	ROOT__MAX
};

/* A struct for each resource, whose members are one byte, for COLUMN. */
#define AS_MEMBER(key, column, ...) char column;
#define RESOURCE(id, table, name, path, r, w, owner, of, order, most, fields, what) \
	struct columns_of_##id { \
		fields(AS_MEMBER) \
	};
#include "resource/resource.def"
#undef AS_MEMBER

/*
 * The number of a resource's field by the name of its column, a constant:
 * row->v[COLUMN(PROMPT, body)] is its value, row->given[…] whether a change gives it,
 * r->fields[…] its description.
 */
#define COLUMN(id, column) offsetof(struct columns_of_##id, column)

/* As many as the largest resource has. */
union columns_of_any {
#define RESOURCE(id, ...) struct columns_of_##id id;
#include "resource/resource.def"
};
enum { RESOURCE_FIELDS_MAX = sizeof(union columns_of_any) };

/* The first statements of the store: enum stmt continues after them. */
enum resource_stmt {
#define RSTMT(id, params, columns, sql) RSTMT_##id,
#define RSTMT_LAST(id, params, columns, sql) RSTMT_##id,
#include "resource/stmt.def"
#undef RSTMT
#undef RSTMT_LAST
	RSTMT__MAX
};

enum resource_type {
#define TYPE(id, ...) TYPE_##id,
#include "resource/type.def"
};
enum resource_mode {
	MODE_EDIT, MODE_ONCE, MODE_GIVEN, MODE_NOTED, MODE_HIDDEN, MODE_STAMP,
};
enum resource_owner { OWNER_USER, OWNER_TENANT, OWNER_PARENT, OWNER_SHARED,
		      OWNER_MIXED, OWNER_BELOW };
/* What a reader of a SHARED row may do with it and what is below it; stored. */
enum resource_role { ROLE_VIEWER = 1, ROLE_EDITOR, ROLE_OWNER };
enum resource_order { ORDER_NEWEST, ORDER_OLDEST, ORDER_NAME };
enum resource_verb { VERB_LIST, VERB_GET, VERB_CREATE, VERB_PATCH, VERB_DELETE };
enum {
	RESOURCE_REQUIRED = 1, RESOURCE_NULLABLE = 2, RESOURCE_LINE = 4,
	RESOURCE_PARENT = 8, RESOURCE_SORT = 16, RESOURCE_UNIQUE = 32,
	RESOURCE_AUTHORED = 64, RESOURCE_AUTHOR = 128, RESOURCE_AUTHOR_ID = 256,
	RESOURCE_EMPTY_NULL = 512, RESOURCE_FIRST = 1024, RESOURCE_FOUND = 2048,
};

struct resource_field {
	const char *key, *column;
	enum resource_type type;
	enum resource_mode mode;
	unsigned flags;
	int64_t min, max;	/* 0, 0: any; by type, see resource.def */
	const char *help;
};

/* Whether the value is a text in Markdown. */
static inline bool resource_is_markdown(const struct resource_field *f)
{
	return f->type == TYPE_MARKDOWN || f->type == TYPE_LONG;
}

/* Whether it is a text of the row's own. */
static inline bool resource_is_text(const struct resource_field *f)
{
	return f->type == TYPE_TEXT || f->type == TYPE_MARKDOWN || f->type == TYPE_REF;
}

/* Whether no record shows the field. */
static inline bool resource_is_hidden(const struct resource_field *f)
{
	return f->mode == MODE_HIDDEN || f->mode == MODE_STAMP;
}

struct resource {
	const char *name, *table, *path, *what;
	enum resource_owner owner;
	enum resource_root of;
	const char *top;		/* BELOW: the table whose readers decide */
	enum resource_order order;
	enum permission may_read, may_write;
	int most;			/* maximum of rows per holder */
	bool retired;			/* deleted rows stay, invisible */
	bool record;			/* made by the program; read-only */
	bool named;			/* addressed by a name, not its id */
	bool upload;			/* the row of an uploaded file */
	const struct resource_field *fields;
	size_t n_fields;
	/* statements; those for readers only if the owner is SHARED */
	unsigned list, total, count, get, insert, update, remove, take_out;
	unsigned reader, unread, rename, roles, announce, announce_last;
	/* if named */
	unsigned by_name;
	size_t name_at;			/* the field with the name */
};

/* Whether its path begins with that of the row above. */
static inline bool resource_is_nested(const struct resource *r)
{
	return r->owner == OWNER_PARENT || r->owner == OWNER_BELOW;
}

/* Whether others are below its rows, so that the roles of its readers count. */
bool resource_is_top(const struct resource *r);

/* BINNED: whether deleted rows can be restored (bin.h). */
bool resource_is_binned(const struct resource *r);

/* GUARDED: whether a change must say which version of the row it is of. */
bool resource_is_guarded(const struct resource *r);

/* Its field of the type LONG; NULL: it has none. */
const struct resource_field *resource_long(const struct resource *r);

/*
 * The text that tools change also by parts: the LONG one, or one in Markdown that is long
 * enough for sections; NULL: none.
 */
const struct resource_field *resource_by_parts(const struct resource *r);

/* By enum resource_id. */
extern const struct resource resources[RESOURCE__MAX];

/* A row: the common members, and the values in the order of the fields. */
struct resource_row {
	struct uuid id;
	int64_t version;	/* incremented by every change */
	int64_t created_us, updated_us;
	struct uuid holder;	/* the owner: a user, a group, the parent, … */
	struct str sort_key;	/* ORDER NAME; else empty */
	struct db_val v[RESOURCE_FIELDS_MAX];
	bool given[RESOURCE_FIELDS_MAX];	/* in a change: this value is
						   set */
	bool config;		/* from a file: read-only */
	bool brief;		/* of a list: without LONG and KEPT values */
};

/* The scope of a call: whose rows it concerns, and who makes it. Borrowed. */
struct resource_at {
	struct owner by;	/* the caller, stored as the author */
	struct uuid holder;	/* of the rows to write, list or read; ignored
				   when SHARED rows are read, and for TENANT */
	struct uuid above;	/* OF a root: the holder of the root's row; nil:
				   it is in a file (MIXED) */
	struct uuid parent;	/* MIXED: the parent row; holder is then the
				   user, or the holder of the row to change */
	const struct uuid *readers;	/* SHARED: the ids that the caller reads
					   as */
	size_t n_readers;
	/* BELOW: parameters READERS and WRITERS of statements; holder is the parent */
	struct str readers_json, writers_json;
	const struct uuid *in_files;	/* that IDS fields may have, beside rows */
	size_t n_in_files;
};

/* The scope of a user's own rows. */
struct resource_at resource_own(const struct owner *o);

/*
 * The scope of all rows that the user sees: as themselves, as a member of the
 * tenant and of groups. In a.
 */
struct resource_at resource_reading(const struct owner *o,
				    const struct str *groups, size_t n_groups,
				    struct arena *a);

/*
 * Ids of readers and holders other than users: the tenant as a whole, those who
 * manage all of its rows, a group.
 */
struct uuid resource_of_tenant(struct str tenant_id);
struct uuid resource_of_admins(struct str tenant_id);
struct uuid resource_of_group(struct str tenant_id, struct str group);

/* Ids as a parameter of statements. In a. */
struct str resource_ids_json(const struct uuid *v, size_t n, struct arena *a);

/* The resource with this path ("tokens"), or NULL. */
const struct resource *resource_find(struct str path);

/* The resource with this table, or NULL. */
const struct resource *resource_of_table(const char *table);

/* The resource whose rows are this root; NULL for a conversation. */
const struct resource *resource_of_root(enum resource_root root);

/* The text in a column (COLUMN); p == NULL if it is NULL. */
struct str resource_text(const struct resource_row *row, size_t column);

/* Writes a value of the field, not one that no record shows. */
void resource_write_value(struct jw *w, const struct resource_field *f,
			  const struct db_val *v);

/* Whether two values of one column are the same: both NULL, or equal to the byte. */
bool resource_same(const struct db_val *a, const struct db_val *b);

/*
 * The form of a text that rows are sorted by: lower case, at most 100 characters.
 * In a.
 */
struct str resource_fold(struct arena *a, struct str text);

/* Sets row's sort_key from its SORT field. In a. */
void resource_sort(const struct resource *r, struct arena *a,
		   struct resource_row *row);

/*
 * Initializes a new row: all values NULL, with their types; a new id, and the
 * current time.
 */
void resource_new(const struct resource *r, struct resource_row *row);

/* -- lists by filters and orders: LISTED ---------------------------------------- */

struct resource_filter {
	const char *key;
	enum resource_type type;
};

struct resource_sorting {
	const char *key;
	enum resource_type type;
	bool common;		/* a time that all rows have */
	size_t offset;		/* of the value, in a struct resource_row */
	unsigned up, down;	/* statements */
	unsigned rest;		/* of rows without a value; not common ones */
};

struct resource_listed {
	const struct resource_filter *filters;
	size_t n_filters;
	const struct resource_sorting *orders;
	size_t n_orders;
	unsigned list, total;	/* statements: in the order of the resource */
};

/* NULL: r has no filters and orders. */
const struct resource_listed *resource_listed(const struct resource *r);

/* Which values of a filter a query parameter gives. */
enum resource_end { END_NONE, END_FROM, END_TO };	/* NONE: all of it, no range */

/* A query parameter of its list: a filter, one end of its range, or the order. */
struct resource_param {
	char name[64];
	const struct resource_field *field;	/* NULL: the order, or a member */
	const struct conf_param *member;	/* SIFTED: of PROPS; NULL: it is of none */
	enum resource_end end;			/* of a member */
	const char *help;
};

/*
 * Fills in the parameters, and returns their number: those of fields, the order, those of
 * members that conf (NULL: none) declares.
 */
enum {
	RESOURCE_FILTERS_MAX = 16,	/* without those of members */
	RESOURCE_PARAMS_MAX = RESOURCE_FILTERS_MAX + 2 * LIM_MODULE_PARAMS,
};
size_t resource_params(const struct conf *conf, const struct resource *r,
		       struct resource_param out[RESOURCE_PARAMS_MAX]);

/* The values of "order": "due", "-due", …, with that text before the last one. In a. */
const char *resource_order_names(const struct conf *conf, const struct resource *r,
				 const char *before_last, struct arena *a);

/* What a list is limited to, and its order, as parameters of its statements. */
struct resource_limits {
	struct db_val v[2 * RESOURCE_FILTERS_MAX];
	size_t n;
	bool any;		/* there is a filter */
	const struct resource_sorting *by;	/* NULL: the order of the resource */
	bool down;		/* the largest first */
	/* SIFTED: by members, of n_sieves > 0 or by_member */
	struct props_sieve *sieves;
	size_t n_sieves;
	const struct conf_param *by_member;	/* instead of `by` */
};

/* Whether it is about members. */
static inline bool resource_is_sifted(const struct resource_limits *l)
{
	return l->n_sieves || l->by_member;
}

/*
 * Reads the values (empty: absent) of the parameters, in their order. ERR_INVALID_FIELD
 * naming the parameter. In a, and borrowed from params.
 */
int resource_limits(const struct conf *conf, const struct resource *r,
		    const struct str *params, struct arena *a, struct resource_limits *out,
		    struct err *e) MUST_CHECK;

/* A row's value of an order; and setting it. */
struct db_val resource_sorting_value(const struct resource_sorting *by,
				   const struct resource_row *row);
void resource_sorting_set(const struct resource_sorting *by, struct db_val value,
			struct resource_row *row);

/* -- reading --------------------------------------------------------------------- */

/* The requested part of a list. */
struct resource_want {
	const struct resource_row *after;	/* start after this row, by its
						   place in the order; NULL: at
						   the beginning */
	const struct resource_words *words;	/* SEARCHED; NULL: all rows */
	int rank;		/* words: that of `after` */
	size_t size;		/* maximum of rows */
	/* FILED: only rows under this one; NULL: all */
	const struct uuid *under;
	/* LISTED; its order is the one that `after` has a place in; NULL: all */
	const struct resource_limits *limits;
	struct db_val member;	/* by_member: what `after` has of it */
};

/*
 * Reads a page in the resource's order, in a. *more: there are more rows. The
 * page has fewer than size rows if its texts would exceed LIM_PAGE_BYTES.
 */
int resource_list(struct db *db, const struct resource *r,
		  const struct resource_at *at,
		  const struct resource_want *want, struct arena *a,
		  struct resource_row **out, size_t *n, bool *more,
		  struct err *e) MUST_CHECK;

/* -- the search: SEARCHED -------------------------------------------------------- */

/* What is looked for: all of these, each in any part of a word, in any order. */
struct resource_words {
	struct str v[LIM_FIND_WORDS];	/* folded (base/fold.h) */
	size_t n;
	struct str all;		/* the same as one text */
};

/* Whether its list can be searched. */
bool resource_is_searched(const struct resource *r);

/*
 * Reads what somebody looks for, of at most LIM_FIND_CHARS; what follows the first words
 * is one with blanks in it. n is 0 if there is nothing to look for. ERR_INVALID_FIELD
 * naming q. In a.
 */
int resource_words(struct str q, struct arena *a, struct resource_words *out,
		   struct err *e) MUST_CHECK;

/*
 * What the FOUND fields of a row have, folded: a line each, the first of them first; if one
 * of them is AUTHORED, who wrote it is behind the last line. record: the same of a record,
 * without that. In a.
 */
struct str resource_folded(const struct resource *r, const struct resource_row *row,
			   struct arena *a);
struct str resource_folded_of(const struct resource *r, const json_t *record,
			      struct arena *a);

/* Whether a folded text has all words. */
bool resource_has_words(const struct resource_words *words, struct str folded);

/*
 * How well the first line of a folded text that has all words fits: 0: it begins with
 * them; 1: a word begins with each; 2: it has them; 3: it does not.
 */
enum { RESOURCE_RANKS = 4 };
int resource_rank(const struct resource_words *words, struct str line);

/* Whether its list can be limited to the rows under another one. */
bool resource_is_filed(const struct resource *r);

/* Whether row follows want's place, and is under that one. */
bool resource_wanted(const struct resource *r, const struct resource_row *row,
		     const struct resource_want *want);

/* Whether the value of an IDS field has this id. */
bool resource_ids_have(const struct db_val *ids, const struct uuid *id);

/* Compares rows of ORDER NAME, for qsort. */
int resource_compare(const void *a, const void *b);

/*
 * Counts the rows of the list that want is a part of, up to LIM_COUNTED + 1.
 */
int resource_total(struct db *db, const struct resource *r,
		   const struct resource_at *at,
		   const struct resource_want *want, int64_t *n,
		   struct err *e) MUST_CHECK;

/* Counts the holder's rows, up to r->most. */
int resource_count(struct db *db, const struct resource *r,
		   const struct resource_at *at, int64_t *n,
		   struct err *e) MUST_CHECK;

/* Reads a row; text in a. ERR_NOT_FOUND, also if it is somebody else's. */
int resource_get(struct db *db, const struct resource *r,
		 const struct resource_at *at, const struct uuid *id,
		 struct arena *a, struct resource_row *out,
		 struct err *e) MUST_CHECK;

/*
 * Of n ids of a SHARED resource, no two the same, the rows that the caller sees, in
 * any order, into rows, room for n; *found: how many. stmt: its RSTMT_…_SET. Text in
 * a.
 */
int resource_set(struct db *db, const struct resource *r, unsigned stmt,
		 const struct resource_at *at, const struct uuid *ids, size_t n,
		 struct arena *a, struct resource_row *rows, size_t *found,
		 struct err *e) MUST_CHECK;

/*
 * All rows of a SHARED resource that the caller sees, in the resource's order and as in
 * lists, into rows, room for size + 1; *n: how many, or size + 1 if there are more than
 * size, and these are any of them. stmt: its RSTMT_…_FEW. Text in a.
 */
int resource_few(struct db *db, const struct resource *r, unsigned stmt,
		 const struct resource_at *at, size_t size, struct arena *a,
		 struct resource_row *rows, size_t *n, struct err *e) MUST_CHECK;

/*
 * The rows that a statement of stmt.def finds (RSTMT_…) for n ids of other rows, at
 * most one for each, in any order, into rows, room for n; *found: how many. Text in a.
 */
int resource_of_others(struct db *db, const struct resource *r, unsigned stmt,
		       struct str tenant_id, const struct uuid *ids, size_t n,
		       struct arena *a, struct resource_row *rows, size_t *found,
		       struct err *e) MUST_CHECK;

/*
 * The row that a statement of stmt.def finds (RSTMT_…, at most one row) with
 * these arguments. ERR_NOT_FOUND. Text in a.
 */
int resource_get_by(struct db *db, const struct resource *r, unsigned stmt,
		    const struct db_val *v, struct arena *a,
		    struct resource_row *out, struct err *e) MUST_CHECK;

/*
 * NAMED: finds the rows with this name, for MIXED also with the other one (other.p
 * == NULL: none); rows has room for RESOURCE_NAMED_MAX. SHARED rows are found for any
 * caller. Text in a.
 */
#define RESOURCE_NAMED_MAX 4
int resource_named(struct db *db, const struct resource *r,
		   const struct resource_at *at, struct str name,
		   struct str other, struct arena *a,
		   struct resource_row *rows, size_t *n,
		   struct err *e) MUST_CHECK;

/*
 * For exports: at->holder's rows by id, those after *after (nil: from the
 * first), at most LIM_PAGE_MAX. In a.
 */
int resource_take_out(struct db *db, const struct resource *r,
		      const struct resource_at *at, const struct uuid *after,
		      struct arena *a, struct resource_row **out, size_t *n,
		      struct err *e) MUST_CHECK;

/*
 * Further work in the transaction of a new or changed row; row->version is the
 * current one. May run more than once, like a closure of db_tx.
 */
struct resource_also {
	int (*run)(struct db *tx, const struct resource_row *row, void *ctx,
		   struct err *e);
	void *ctx;
	/* Of a deletion: after it, the last in the transaction; NULL: nothing. */
	int (*end)(struct db *tx, const struct resource_row *row, void *ctx,
		   struct err *e);
};

/*
 * Stores a new row, and runs also (NULL: nothing). ERR_NOT_FOUND if its parent
 * does not exist or is not the owner's; ERR_DB_DUPLICATE if the id exists,
 * perhaps from an earlier attempt of this call (db_exec), or if a UNIQUE value
 * exists (see resource_taken); ERR_INVALID_FIELD if an IDS field has an unknown
 * id.
 */
int resource_create(struct db *db, const struct resource *r,
		    const struct resource_at *at,
		    const struct resource_row *row,
		    const struct resource_also *also, struct err *e) MUST_CHECK;

/*
 * Changes the given values of the row if it is at row->version, and increments
 * that. ERR_NOT_FOUND; ERR_PRECONDITION at another version; ERR_CONFLICT,
 * naming the field, if a UNIQUE value exists; ERR_INVALID_FIELD as above.
 */
int resource_update(struct db *db, const struct resource *r,
		    const struct resource_at *at, struct resource_row *row,
		    const struct resource_also *also, struct err *e) MUST_CHECK;

/*
 * Converts ERR_DB_DUPLICATE in e, for a row whose id is free, to ERR_CONFLICT
 * that names the UNIQUE field. Returns -1.
 */
int resource_taken(const struct resource *r, struct err *e);

/*
 * Deletes the row, if it is at that version (-1: any; else only of a GUARDED one), and
 * what belongs to it. also runs first, with a row of which only the id is set.
 * ERR_NOT_FOUND, ERR_PRECONDITION.
 */
int resource_delete(struct db *db, const struct resource *r,
		    const struct resource_at *at, const struct uuid *id,
		    int64_t version, const struct resource_also *also,
		    struct err *e) MUST_CHECK;

/* The bytes of the versions (VERSIONED) that the user made, of all resources. */
int resource_version_bytes(struct db *db, const struct owner *o, int64_t *bytes,
			   struct err *e) MUST_CHECK;

/*
 * SHARED: adds or removes a reader of the row. Within a transaction that holds
 * the row. May be repeated.
 */
int resource_let_read(struct db *tx, const struct resource *r,
		      const struct owner *by, const struct uuid *reader,
		      enum resource_role role, const struct resource_row *row,
		      struct err *e) MUST_CHECK;
int resource_stop_reading(struct db *tx, const struct resource *r,
			  const struct owner *by, const struct uuid *reader,
			  const struct uuid *id, struct err *e) MUST_CHECK;

/* Writes the members of a record, without braces and hidden fields. */
void resource_write(struct jw *w, const struct resource *r,
		    const struct resource_row *row);

/*
 * The JSON Schema of a tool's arguments: the route's query, id, and body
 * fields; of a GUARDED one also the version that a change is made to. In a. Not for
 * rows with a SECRET. conf: what YAML adds to it, or NULL.
 */
const json_t *resource_arguments(const struct conf *conf, const struct resource *r,
				 enum resource_verb verb, struct arena *a);

/* The argument of tools for the field of this key: "type_key" for typeKey. In a. */
const char *resource_argument(const struct resource *r, const char *key,
			      struct arena *a);

/* The name that a parameter about a member has in the argument "props": "due_at_from". In a. */
const char *resource_member_argument(const struct resource *r,
				     const struct resource_param *p, struct arena *a);

/*
 * A tool's arguments by the keys that they have elsewhere: those of the body, "id",
 * "pageSize", …. In a.
 */
json_t *resource_of_arguments(const struct resource *r, const json_t *args,
			      struct arena *a);

/* BELOW: the argument of its tools that names the row above: "projectId". In a. */
const char *resource_above_key(const struct resource *r, struct arena *a);

/* Appends the paths and schemas of all resources for docs/openapi.yaml. */
void resource_print_paths(struct buf *out);
void resource_print_schemas(struct buf *out);

/* Appends the rows of resource.def, one per line: `list resources`. */
void resource_print(struct buf *out);

#endif
