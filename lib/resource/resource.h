/*
 * What people make and the API lists, declared once (resource.def): rows of
 * generic values over generated statements. What is odd about a resource is not
 * here but beside whoever has it (fcgi-app/api/resource.c names it).
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
#define ROOT(id, table) ROOT_##id,
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
		     TYPE_JSON, TYPE_BYTES };
enum resource_mode { MODE_EDIT, MODE_ONCE, MODE_GIVEN, MODE_HIDDEN };
enum {
	RESOURCE_REQUIRED = 1, RESOURCE_NULLABLE = 2, RESOURCE_LINE = 4,
	RESOURCE_PARENT = 8,
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
	const char *name, *path, *what;
	enum resource_root of;
	bool retired;			/* what is deleted stays, unseen */
	const struct resource_field *fields;
	size_t n_fields;
	unsigned list, count, get, insert, update, remove;	/* statements */
};

/* Indexed by enum resource_id. */
extern const struct resource resources[RESOURCE__MAX];

#define RESOURCE_FIELDS_MAX 24

/* A row: what all have, and the values in the order of the fields. */
struct resource_row {
	struct uuid id;
	int64_t version;	/* moved by every change */
	int64_t created_us, updated_us;
	struct db_val v[RESOURCE_FIELDS_MAX];
	bool given[RESOURCE_FIELDS_MAX];	/* of a change: this one */
};

/* That of a path ("tokens"), or NULL. */
const struct resource *resource_find(struct str path);

/* The value of a column; one that there is not is a BUG. */
struct db_val *resource_value(const struct resource *r,
			      struct resource_row *row, const char *column);

bool resource_same(const struct db_val *a, const struct db_val *b);

/*
 * An empty row for a new thing: all values NULL, of their types; id and times
 * are now's.
 */
void resource_new(const struct resource *r, struct resource_row *row);

/*
 * A page, newest first, behind the row *after (its id and created_us; NULL: the
 * first page), size at most. Arena. *more: there are others.
 */
int resource_list(struct db *db, const struct resource *r,
		  const struct owner *o, const struct resource_row *after,
		  size_t size, struct arena *a, struct resource_row **out,
		  size_t *n, bool *more, struct err *e) MUST_CHECK;
int resource_count(struct db *db, const struct resource *r,
		   const struct owner *o, int64_t *n, struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND, also for what is somebody else's. Text in a. */
int resource_get(struct db *db, const struct resource *r,
		 const struct owner *o, const struct uuid *id, struct arena *a,
		 struct resource_row *out, struct err *e) MUST_CHECK;

/*
 * Stores a new row. ERR_NOT_FOUND when its parent is not the owner's;
 * ERR_DB_DUPLICATE when the id is taken, perhaps by this very call (db_exec).
 */
int resource_create(struct db *db, const struct resource *r,
		    const struct owner *o, const struct resource_row *row,
		    struct err *e) MUST_CHECK;

/*
 * Changes the given values of the row that is at row->version, and moves that.
 * ERR_NOT_FOUND; ERR_PRECONDITION when it is at another version.
 */
int resource_update(struct db *db, const struct resource *r,
		    const struct owner *o, struct resource_row *row,
		    struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND. */
int resource_delete(struct db *db, const struct resource *r,
		    const struct owner *o, const struct uuid *id,
		    struct err *e) MUST_CHECK;

/* The members of a record, without braces; never a hidden one. */
void resource_write(struct jw *w, const struct resource *r,
		    const struct resource_row *row);

/* The paths and the schemas of all of them, as docs/openapi.yaml has them. */
void resource_print_paths(struct buf *out);
void resource_print_schemas(struct buf *out);

/* One line a row of resource.def: `list resources`. */
void resource_print(struct buf *out);

#endif
