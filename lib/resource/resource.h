/*
 * What people make and the API lists, declared once (resource.def): rows of
 * generic values, read and written by generated statements. The special behaviour
 * of a resource is not here, but in the files that fcgi-app/api/resource.c names.
 */
#ifndef RESOURCE_RESOURCE_H
#define RESOURCE_RESOURCE_H

#include "db/db.h"
#include "resource/owner.h"

enum resource_id {
#define RESOURCE(id, ...) RESOURCE_##id,
#include "resource/resource.def"
	RESOURCE__MAX
};

/* What other rows belong to. */
enum resource_root {
	ROOT_NONE,
#define ROOT(id, ...) ROOT_##id,
#include "resource/resource.def"
	ROOT__MAX
};

/* The first statements of the store: enum stmt goes on behind them. */
enum resource_stmt {
#define RSTMT(id, params, columns, sql) RSTMT_##id,
#include "resource/stmt.def"
#undef RSTMT
	RSTMT__MAX
};

enum resource_type { TYPE_TEXT, TYPE_INT, TYPE_BOOL, TYPE_TIME, TYPE_UUID,
		     TYPE_JSON, TYPE_BYTES, TYPE_SECRET, TYPE_IDS };
enum resource_mode { MODE_EDIT, MODE_ONCE, MODE_GIVEN, MODE_HIDDEN };
enum resource_owner { OWNER_USER, OWNER_TENANT, OWNER_PARENT, OWNER_SHARED,
		      OWNER_MIXED };
enum resource_order { ORDER_NEWEST, ORDER_OLDEST, ORDER_NAME };
enum resource_verb { VERB_LIST, VERB_GET, VERB_CREATE, VERB_PATCH, VERB_DELETE };
enum {
	RESOURCE_REQUIRED = 1, RESOURCE_NULLABLE = 2, RESOURCE_LINE = 4,
	RESOURCE_PARENT = 8, RESOURCE_SORT = 16, RESOURCE_UNIQUE = 32,
};

struct resource_field {
	const char *key, *column;
	enum resource_type type;
	enum resource_mode mode;
	unsigned flags;
	int64_t min, max;	/* 0, 0: any */
	const char *help;
};

struct resource {
	const char *name, *table, *path, *what;
	enum resource_owner owner;
	enum resource_root of;
	enum resource_order order;
	int most;			/* rows of one holder */
	bool retired;			/* what is deleted stays, unseen */
	bool record;			/* made by the program, only read */
	bool named;			/* addressed by a name, not its id */
	bool upload;			/* of a file that people upload */
	const struct resource_field *fields;
	size_t n_fields;
	/* statements; those of readers only where the owner is SHARED */
	unsigned list, total, count, get, insert, update, remove, take_out;
	unsigned reader, unread, rename;
	unsigned by_name;		/* where it is named */
};

/* Indexed by enum resource_id. */
extern const struct resource resources[RESOURCE__MAX];

#define RESOURCE_FIELDS_MAX 24

/* A row: what all have, and the values in the order of the fields. */
struct resource_row {
	struct uuid id;
	int64_t version;	/* moved by every change */
	int64_t created_us, updated_us;
	struct uuid holder;	/* whose: a user, a group, the parent, … */
	struct str sort_key;	/* of ORDER NAME; else empty */
	struct db_val v[RESOURCE_FIELDS_MAX];
	bool given[RESOURCE_FIELDS_MAX];	/* of a change: this one */
	bool config;		/* of a file: read-only */
};

/* Whose rows a call concerns, and who makes it. Borrowed. */
struct resource_at {
	struct owner by;	/* who calls: stored as the one who made it */
	struct uuid holder;	/* of what is written, listed or read; not of
				   what is SHARED and read, nor the TENANT's */
	struct uuid above;	/* OF a root: the holder of its row; nil: it
				   stands in a file (MIXED) */
	struct uuid parent;	/* MIXED: below which row; holder is then
				   the user, or of what is changed */
	const struct uuid *readers;	/* SHARED: as whom the caller reads */
	size_t n_readers;
};

/* For what each user has of their own. */
struct resource_at resource_own(const struct owner *o);

/* For what the user sees as themselves, as one of the tenant and of groups. In a. */
struct resource_at resource_reading(const struct owner *o,
				    const struct str *groups, size_t n_groups,
				    struct arena *a);

/*
 * Ids of readers, and holders, besides users: the tenant as a whole, those who
 * look after all of its rows, a group.
 */
struct uuid resource_of_tenant(struct str tenant_id);
struct uuid resource_of_admins(struct str tenant_id);
struct uuid resource_of_group(struct str tenant_id, struct str group);

/* The resource whose path is that of the table ("tokens"), or NULL. */
const struct resource *resource_find(struct str path);

/* The resource whose rows are the root; NULL for a conversation. */
const struct resource *resource_of_root(enum resource_root root);

/*
 * The text of a column (p NULL if it is NULL), and its value. A column that does
 * not exist is a BUG.
 */
struct str resource_text(const struct resource *r,
			 const struct resource_row *row, const char *column);
struct db_val *resource_value(const struct resource *r,
			      struct resource_row *row, const char *column);

bool resource_same(const struct db_val *a, const struct db_val *b);

/*
 * The text as rows are ordered and found by it: in small letters, at most 100
 * characters. In a.
 */
struct str resource_fold(struct arena *a, struct str text);

/* Sets row's sort_key by its SORT field. In a. */
void resource_sort(const struct resource *r, struct arena *a,
		   struct resource_row *row);

/*
 * An empty row for something new: all values are NULL, with their types; id and
 * times are made now.
 */
void resource_new(const struct resource *r, struct resource_row *row);

/* What of a list is wanted. */
struct resource_want {
	const struct resource_row *after;	/* by its place in the order;
						   NULL: from the first */
	struct str prefix;	/* ORDER NAME: folded; empty: all */
	size_t size;		/* rows at most */
	/* FILED: only what is under this one; NULL: all */
	const struct uuid *under;
};

/*
 * A page in the resource's order. Arena. *more: others follow. It is shorter than
 * size if its texts would exceed LIM_PAGE_BYTES.
 */
int resource_list(struct db *db, const struct resource *r,
		  const struct resource_at *at,
		  const struct resource_want *want, struct arena *a,
		  struct resource_row **out, size_t *n, bool *more,
		  struct err *e) MUST_CHECK;

/* Whether a list of it may say what it is under. */
bool resource_is_filed(const struct resource *r);

/* Whether row comes behind want's place, and within its prefix. */
bool resource_wanted(const struct resource_row *row,
		     const struct resource_want *want);

/* Before, at or behind, as strcmp; of rows of ORDER NAME. */
int resource_compare(const void *a, const void *b);

/*
 * How many rows the list has with that prefix, and under that one (or NULL),
 * counted up to LIM_COUNTED + 1.
 */
int resource_total(struct db *db, const struct resource *r,
		   const struct resource_at *at, struct str prefix,
		   const struct uuid *under, int64_t *n,
		   struct err *e) MUST_CHECK;

/* How many rows the holder has, counted up to r->most. */
int resource_count(struct db *db, const struct resource *r,
		   const struct resource_at *at, int64_t *n,
		   struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND, also for what is somebody else's. Text in a. */
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
 * The row that a statement of stmt.def finds (RSTMT_…, at most one row) with
 * these arguments. ERR_NOT_FOUND. Text in a.
 */
int resource_get_by(struct db *db, const struct resource *r, unsigned stmt,
		    const struct db_val *v, struct arena *a,
		    struct resource_row *out, struct err *e) MUST_CHECK;

/*
 * Of a resource that is NAMED: the rows of that name, of MIXED those of other too
 * (other.p NULL: none), into rows, room for RESOURCE_NAMED_MAX; of SHARED
 * whoever sees it. Text in a.
 */
#define RESOURCE_NAMED_MAX 4
int resource_named(struct db *db, const struct resource *r,
		   const struct resource_at *at, struct str name,
		   struct str other, struct arena *a,
		   struct resource_row *rows, size_t *n,
		   struct err *e) MUST_CHECK;

/*
 * For take-out: the rows that the holder of at has, ordered by id, those behind
 * *after (nil: from the first), at most size. Arena.
 */
int resource_take_out(struct db *db, const struct resource *r,
		      const struct resource_at *at, const struct uuid *after,
		      size_t size, struct arena *a, struct resource_row **out,
		      size_t *n, struct err *e) MUST_CHECK;

/*
 * What else belongs to the transaction of a new or changed row; row->version is its
 * current one. Rules as for a closure of db_tx.
 */
struct resource_also {
	int (*run)(struct db *tx, const struct resource_row *row, void *ctx,
		   struct err *e);
	void *ctx;
};

/*
 * Stores a new row, with also (NULL: nothing else). ERR_NOT_FOUND when its
 * parent is not there or not the owner's; ERR_DB_DUPLICATE when the id is taken,
 * perhaps by this very call (db_exec), or what must be UNIQUE: resource_taken;
 * ERR_INVALID_FIELD for an id of an IDS field that is not there.
 */
int resource_create(struct db *db, const struct resource *r,
		    const struct resource_at *at,
		    const struct resource_row *row,
		    const struct resource_also *also, struct err *e) MUST_CHECK;

/*
 * Changes the given values of the row that is at row->version, and moves that.
 * ERR_NOT_FOUND; ERR_PRECONDITION when it is at another version; ERR_CONFLICT
 * with the UNIQUE field that another has; ERR_INVALID_FIELD as above.
 */
int resource_update(struct db *db, const struct resource *r,
		    const struct resource_at *at, struct resource_row *row,
		    const struct resource_also *also, struct err *e) MUST_CHECK;

/*
 * Makes of ERR_DB_DUPLICATE in e, for a row whose id is not taken, ERR_CONFLICT
 * that names the field. Returns -1.
 */
int resource_taken(const struct resource *r, struct err *e);

/*
 * With what belongs to it. also runs before, for a row of which only the id is
 * known. ERR_NOT_FOUND.
 */
int resource_delete(struct db *db, const struct resource *r,
		    const struct resource_at *at, const struct uuid *id,
		    const struct resource_also *also,
		    struct err *e) MUST_CHECK;

/*
 * SHARED: lets the reader see the row, or no longer. Within a transaction that holds
 * the row. Repeating it is no error.
 */
int resource_let_read(struct db *tx, const struct resource *r,
		      const struct owner *by, const struct uuid *reader,
		      const struct resource_row *row, struct err *e) MUST_CHECK;
int resource_stop_reading(struct db *tx, const struct resource *r,
			  const struct owner *by, const struct uuid *reader,
			  const struct uuid *id, struct err *e) MUST_CHECK;

/* The members of a record, without braces; never a hidden one. */
void resource_write(struct jw *w, const struct resource *r,
		    const struct resource_row *row);

/*
 * The JSON Schema of a tool's arguments: the route's query, its id, the fields of its
 * body. In a. Not of rows with a SECRET or a path that names a parent.
 */
const json_t *resource_arguments(const struct resource *r,
				 enum resource_verb verb, struct arena *a);

/* The paths and the schemas of all of them, as docs/openapi.yaml has them. */
void resource_print_paths(struct buf *out);
void resource_print_schemas(struct buf *out);

/* One line a row of resource.def: `list resources`. */
void resource_print(struct buf *out);

#endif
