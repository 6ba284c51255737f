/* SPDX-License-Identifier: MIT */
/* Functions that the files of this room share. */
#ifndef RESOURCE_ROWS_H
#define RESOURCE_ROWS_H

#include "base/fields.h"
#include "resource/call.h"

/* What a type of fields is elsewhere, by enum resource_type: type.def. */
struct resource_type_row {
	char letter;
	enum field_type body;
	const char *schema, *form;
};

extern const struct resource_type_row resource_types[];

/* Whether the value is in a column of the resource's own table. */
static inline bool resource_has_column(const struct resource_field *f)
{
	return f->type != TYPE_IDS && f->type != TYPE_LOGIN &&
		f->type != TYPE_LONG && f->type != TYPE_VEIL;
}

/* Whether lists leave the value out. */
static inline bool resource_is_unlisted(const struct resource_field *f)
{
	return f->type == TYPE_LONG || f->type == TYPE_KEPT;
}

/*
 * Keeps what the row of a VERSIONED resource is now, in the transaction that stores it;
 * all its values are known. created: it is new; else only if a value that is kept was
 * given.
 */
int resource_keep_version(struct db *tx, const struct resource *r,
			  const struct resource_at *at,
			  const struct resource_row *row, bool created,
			  struct err *e) MUST_CHECK;

/* When in its transaction a change is kept: a deletion comes to each of them, in this order. */
enum resource_stage {
	CHANGE_BEFORE,	/* before hooks and the deletion */
	CHANGE_STORED,	/* after hooks; of what is not deleted, the last statement */
	CHANGE_END,	/* of a deletion, the last statement */
};

/*
 * Writes the row of the change in its transaction (by->db), whose values are all known, at
 * the stage that is right for it. Afterwards a TRACKED one is collected, with its patch
 * (change.h).
 */
int resource_keep_change(const struct caller *by, const struct resource *r,
			 const struct resource_change *k, enum resource_stage stage,
			 struct err *e) MUST_CHECK;
void resource_tell_change(const struct caller *by, const struct resource *r,
			  const struct resource_change *k, struct str patch);

/*
 * Appends the parameters that select a row of at's holder to the n values in v,
 * which has room for three more. Returns the new number.
 */
size_t resource_mine(const struct resource *r, const struct resource_at *at,
		     const struct uuid *id, struct db_val *v, size_t n);

/*
 * Sets readers_json and writers_json of at, for what is below a SHARED row. most: of
 * each reader, the highest role that counts for it. In a.
 */
void resource_below(struct resource_at *at, const enum resource_role *most,
		    struct arena *a);


/*
 * Reads the body of a CREATE or PATCH into row, with a note of which values were
 * given; sets its sort_key. Errors like fields_read. In a.
 */
int resource_body(const struct conf *conf, const struct resource_call *c,
		  struct arena *a, struct resource_row *row,
		  struct err *e) MUST_CHECK;

/*
 * Of a PATCH, when the row is known: completes given PROPS by those of now, unless the
 * body is the whole row; checks choices that YAML can add, unless they stay as they are.
 */
int resource_merge(const struct conf *conf, const struct resource_call *c,
		   const struct resource_row *now, struct resource_row *body,
		   struct arena *a, struct err *e) MUST_CHECK;

/*
 * Seals the given SECRET values for the row's id. ERR_SECRETS. The other compares
 * field i of two rows with that id; for a SECRET, whose values are both sealed, the
 * plain texts.
 */
int resource_seal(const struct caller *by, const struct resource *r,
		  struct resource_row *row, struct err *e) MUST_CHECK;
bool resource_equal(const struct caller *by, const struct resource *r, size_t i,
		    const struct resource_row *a, const struct resource_row *b);

/*
 * Whether a client may give the ENUM field this value. name: of the parameter or
 * field in the error. ERR_INVALID_FIELD. In a.
 */
int resource_check_choice(const struct conf *conf, struct arena *a,
			  const struct resource *r, const struct resource_field *f,
			  struct str value, const char *name, struct err *e) MUST_CHECK;

/* The i-th hooks of r; NULL: it has no more. */
const struct resource_hooks *resource_hooks_at(const struct resource *r, size_t i);

/* Whether a row is filed under the one with this id (FILED). */
bool resource_is_under(const struct resource *r, const struct resource_row *row,
		       const struct uuid *id);

enum { RESOURCE_FIXED = 6 };	/* columns before the values: ROW_SQL of stmt.def */

/* The row of a statement, which begins with ROW_SQL of stmt.def. Borrows its texts. */
void resource_row_of(const struct resource *r, const struct db_val *v,
		     struct resource_row *row);

/* Parameters of a list besides its filters; and with them. */
enum {
	RESOURCE_LIST_ARGS = 12 + LIM_FIND_WORDS,
	RESOURCE_LISTED_ARGS = RESOURCE_LIST_ARGS + 2 * RESOURCE_FILTERS_MAX,
};

/* Sets the first parameters of a statement FIND: whose rows, and which; returns how many.
 * In a. */
size_t resource_add_scope(const struct resource *r, const struct resource_at *at,
			  const struct resource_limits *limits, struct arena *a,
			  struct db_val *v);

/* Adds the place that a page begins after (NULL: at the first row), and its size. */
size_t resource_add_after(const struct resource *r, const struct resource_row *after,
			  int64_t most, struct db_val *v, size_t n);

/*
 * Of n rows of at's scope those that the caller sees, by a statement FOUND, into rows, room
 * for n; *found: how many; *cut: their texts are too long for one page. In a.
 */
int resource_of_ids(struct db *db, const struct resource *r, unsigned stmt,
		    const struct resource_at *at, const struct uuid *ids, size_t n,
		    struct arena *a, struct resource_row *rows, size_t *found, bool *cut,
		    struct err *e) MUST_CHECK;

/* Fills the answer to a LIST, whose place is known. */
int resource_page(const struct caller *by, const struct resource_call *c,
		  struct resource_answer *out, struct err *e) MUST_CHECK;

#endif
