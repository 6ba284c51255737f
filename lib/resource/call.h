/* SPDX-License-Identifier: MIT */
/*
 * What a verb on a resource means, for everyone who calls it: the API, tools, the
 * admin command, pages and jobs. resource_call checks access, reads and checks the
 * body, keeps the limits, runs the transaction with what depends on the row, and
 * tells those who must know after the commit. A caller adds only its own wire:
 * headers, arguments, files.
 *
 * What is special about a resource is in functions (struct resource_hooks) in the
 * room of its noun, which rows HOOKS of resource.def name.
 */
#ifndef RESOURCE_CALL_H
#define RESOURCE_CALL_H

#include "auth/caller.h"
#include "auth/policy.h"
#include "base/json.h"
#include "resource/resource.h"

/* -- the call -------------------------------------------------------------------- */

/* What a given value is of the text that it changes (resource_by_parts). */
enum resource_edit {
	EDIT_REPLACE,	/* all of it */
	EDIT_APPEND,	/* what follows the text that there is */
	EDIT_SECTION,	/* what stands in place of a section (section.h) */
};

/* Which part of a list. */
struct resource_query {
	struct str cursor;	/* nextCursor of the page before; empty: the first */
	struct str q;		/* SEARCHED: words, or parts of them */
	struct str category;	/* FILED: the id of a row that they are filed under */
	/* LISTED: the values of resource_params; empty: absent */
	struct str params[RESOURCE_PARAMS_MAX];
	size_t size;		/* maximum of items, at most LIM_PAGE_MAX; 0: the
				   default */
	bool uncounted;		/* the total is not needed */
};

/* A deleted row that is made again is as old as it was, and at its next version. */
struct resource_was {
	int64_t version, created_us;
};

/* Borrowed. */
struct resource_call {
	const struct resource *r;
	enum resource_verb verb;
	struct str id;		/* GET, PATCH, DELETE: the row's id; NAMED: its name */
	struct str parent;	/* PARENT: the id of the row above; MIXED: its name */
	const json_t *body;	/* CREATE, PATCH */
	struct resource_query query;	/* LIST */
	/* CREATE: the row's values instead of a body (resource_new); NULL: the body */
	const struct resource_row *draft;
	/* CREATE: the id of the row, which repetitions have, too; NULL: any */
	const struct uuid *key;
	bool trial;		/* CREATE: checks, and stores nothing */
	const struct resource_was *was;	/* CREATE: with key; NULL: it is new */
	/* CREATE: how many rows the holder has, if the caller knows; NULL: they are counted */
	const int64_t *held;
	/*
	 * PATCH: the body is all of the row, except its secrets: what it lacks is
	 * unset. If it is the same, nothing is written.
	 */
	bool whole;
	/* The body has values that were stored once: also choices and members of PROPS
	   that are not declared any more, and all of these */
	bool stored;
	/* PATCH: what the value of that text is; and the heading of that section */
	enum resource_edit edit;
	struct str section;
	/* PATCH: the row, if the caller has found it; NULL: it is found by id */
	const struct resource_row *found;
	/* PATCH, and DELETE of a GUARDED one: refuses the row as it is; NULL: any. */
	int (*expect)(void *ctx, const struct resource_row *now, struct err *e);
	void *ctx;
};

/* -- the answer ------------------------------------------------------------------ */

/* What a list or a record shows. */
struct resource_item {
	const struct resource_row *row;	/* NULL: NAMED, of a file */
	const void *object;	/* NAMED: what the hooks made of it; NULL: nothing yet */
	/* Of the caller, in a row of a resource that is the top of others; 0: none */
	enum resource_role role;
};

/* A call as it proceeds; hooks read it and fill it in. */
struct resource_change {
	enum resource_verb verb;
	bool trial;
	bool for_good;			/* DELETE: it cannot be taken back */
	bool again;			/* CREATE: of what was deleted */
	struct resource_at at;
	const void *above;		/* MIXED: what `place` has found */
	const void *object;		/* NAMED: what `find` has found */
	const struct resource_row *now;	/* as it is stored, or in a file (config); NULL:
					   it is new */
	struct resource_row row;	/* as it will be; DELETE: only the id is sure */
	struct uuid change_id;		/* TRACKED: of the row of this change */
	/* TRACKED, set by hooks of `gone`: JSON of what goes with the row, kept as the
	   member "with" of what it was before; empty: nothing */
	struct str with;
	struct str ask;			/* set by `gone` for `changed`: what a job is asked */
	struct str secret;		/* of a new row; it is shown once */
	bool job_due;			/* set: after the commit a job has work */
};

struct resource_answer {
	struct resource_change done;
	struct resource_item *items;	/* LIST: the page; else the row, if there
					   is one */
	size_t n;
	int64_t total;			/* LIST; above LIM_COUNTED: unknown */
	bool more;
	struct str next;		/* cursor.h; p == NULL: no more */
};

/*
 * Calls a verb. Everything in *out is in by's arena or borrowed from c. Within a
 * transaction of the caller (by->db), what is told after the commit is told when the
 * call has succeeded: such a caller has no listeners. Errors:
 * ERR_FORBIDDEN without the permission, or for a row that the caller may only
 * read; ERR_NOT_FOUND, also for rows of others; ERR_MANAGED_BY_CONFIG for a change
 * of what is in a file; ERR_INVALID_JSON, ERR_UNKNOWN_FIELD and ERR_INVALID_FIELD
 * naming the field; ERR_CONFLICT for a value that another row has, or beyond the
 * maximum of rows; ERR_PRECONDITION if it was changed meanwhile; ERR_INVALID_CURSOR;
 * ERR_SECRETS; ERR_INVALID_FIELD, naming the sections that there are, if a
 * EDIT_SECTION is not among them; those of hooks and of `expect`; database errors.
 */
int resource_call(const struct caller *by, const struct resource_call *c,
		  struct resource_answer *out, struct err *e) MUST_CHECK;

/*
 * Writes the answer: the record, with its secret, or {items, totalCount,
 * nextCursor}. Not after a DELETE.
 */
void resource_answer_write(struct jw *w, const struct caller *by,
			   const struct resource *r,
			   const struct resource_answer *out);

/* The members of one item, without braces. k: the call, or one with only `at`. */
void resource_record(struct jw *w, const struct caller *by,
		     const struct resource *r, const struct resource_change *k,
		     const struct resource_item *item);

/*
 * Reads the body of a CREATE into a new row, for `draft`, whose caller adds what no body
 * has; or of a PATCH, to check it before anything else. Errors like those of a body. In a.
 */
int resource_draft(const struct conf *conf, const struct resource *r,
		   enum resource_verb verb, const json_t *body, struct arena *a,
		   struct resource_row *out, struct err *e) MUST_CHECK;

/* -- parts of it ------------------------------------------------------------------- */

/* Whether the caller has the permission for the verb. */
bool resource_may(const struct caller *by, const struct resource *r,
		  enum resource_verb verb);

/* The same for a form: whether the caller can make rows at all. */
bool resource_may_store(const struct caller *by, const struct resource *r);

/* The scope of the rows that the caller sees. In by's arena. */
struct resource_at resource_for(const struct caller *by);

/* Whether the caller (at: resource_for) may store and change rows of that holder. */
bool resource_may_hold(const struct caller *by, const struct resource *r,
		       const struct resource_at *at, const struct uuid *holder);

/*
 * Sets readers_json and writers_json of at (resource_for): what the caller may read and
 * write as each of their readers, as parameters of statements on what is below top. In
 * by's arena.
 */
void resource_writing(const struct caller *by, const struct resource *top,
		      struct resource_at *at);

/*
 * The highest role that the caller (at: resource_for) has in each of n rows of a SHARED
 * resource, into out; 0: none.
 */
int resource_roles(const struct caller *by, const struct resource *r,
		   const struct resource_at *at, const struct uuid *ids, size_t n,
		   enum resource_role *out, struct err *e) MUST_CHECK;

/* A row that the caller sees, stored or of a file. Not NAMED. ERR_NOT_FOUND. */
int resource_visible(const struct caller *by, const struct resource *r,
		     const struct uuid *id, struct resource_row *row,
		     struct err *e) MUST_CHECK;

/* Set ERR_NOT_FOUND, and ERR_FORBIDDEN for a row that the caller may only read; -1. */
int resource_not_found(const struct resource *r, struct err *e);
int resource_read_only(const struct resource *r, struct err *e);

/*
 * Run `store` and `gone` of the hooks for a row that is changed or deleted without
 * a call, in its transaction (by->db).
 */
int resource_stored(const struct caller *by, const struct resource *r,
		    const struct resource_row *row, struct err *e) MUST_CHECK;
int resource_gone(const struct caller *by, const struct resource *r,
		  const struct resource_row *row, struct err *e) MUST_CHECK;

/* A deleted row that is made again. */
struct resource_again {
	const struct resource *r;
	const struct uuid *top, *id;	/* of the row above it; its own, as before */
	const json_t *body;		/* what it was, as the body of a CREATE */
	const json_t *with;		/* what went with it (resource_change.with); or NULL */
};

/*
 * Runs `again` of the hooks of k->r; *done: it has one. Errors are those of the hook, among
 * them ERR_CONFLICT, public, if the row is there.
 */
int resource_make_again(const struct caller *by, const struct resource_again *k,
			bool *done, struct err *e) MUST_CHECK;

/* Runs `recreated` of the hooks, after a CREATE has made the row again. */
int resource_recreated(const struct caller *by, const struct resource_again *k,
			struct err *e) MUST_CHECK;

/* -- hooks ------------------------------------------------------------------------- */

typedef int resource_hook(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e);

/*
 * Every member may be NULL. A resource may have several of these, of different
 * rooms. Of the functions above the line, its first one counts; those below it all
 * run, in the order of the rows.
 */
struct resource_hooks {
	/* MIXED, NAMED: what the rows are below (parent): sets at and above. */
	int (*place)(const struct caller *by, const struct resource *r,
		     struct str parent, struct resource_change *k, struct err *e);
	/* NAMED: what the caller sees by this name: sets object, and now if it is stored. */
	int (*find)(const struct caller *by, const struct resource *r,
		    struct str name, struct resource_change *k, struct err *e);
	/* NAMED: the next one of files, and its name; NULL: no more. *at begins with 0. */
	const void *(*file)(const struct caller *by,
			    const struct resource_change *k, size_t *at,
			    struct str *name);
	/* NAMED: whether a row of a list is for the caller's token, too; NULL: each is. */
	bool (*has)(const struct caller *by, const struct resource_change *k,
		    const struct resource_row *row);
	/* NAMED: the objects of n rows of a list, into out. */
	int (*objects)(const struct caller *by, const struct resource_row *rows,
		       size_t n, const void **out, struct err *e);
	/* NAMED: whether the caller may change k->now. */
	bool (*may_change)(const struct caller *by,
			   const struct resource_change *k);
	/* ORDER NAME: rows of files, in the order of the list; returns their number. */
	size_t (*files)(const struct caller *by, const struct resource_row **rows);
	/* Whether the caller may store rows, if more than the permission decides. */
	bool (*may_store)(const struct caller *by);
	/* The maximum of rows like this one for its holder; NULL: r->most. */
	int (*most)(const struct resource_row *row);
	/* NAMED: the whole record. */
	void (*record)(struct jw *w, const struct caller *by,
		       const struct resource_change *k,
		       const struct resource_item *item);
	/* TRACKED: makes a deleted row again, with what went with it, in the transaction
	   that takes the deletion back (by->db). NULL: a CREATE of the body does. */
	int (*again)(const struct caller *by, const struct resource_again *k,
		     struct err *e);
	/* TRACKED: in that transaction, after such a CREATE: what else went with the row. */
	int (*recreated)(const struct caller *by, const struct resource_again *k,
			  struct err *e);
	/* SHARED: permissions to change rows of the caller, a group or the tenant. */
	enum permission of_own, of_group, of_tenant;

	/* -- all of them run -- */

	/* Before a new row is stored: sets what is not in the body (GIVEN and HIDDEN
	   fields, the holder, the secret). Not in a trial. */
	resource_hook *prepare;
	/* Validates the values of a new or changed row together. */
	resource_hook *check;
	/* In the transaction that stores it (by->db): writes what depends on it. May
	   run more than once. */
	resource_hook *store;
	/* In the transaction that deletes it (by->db), before that. */
	resource_hook *gone;
	/* After the commit of a change or deletion. */
	void (*changed)(const struct caller *by, const struct resource_change *k);
	/* Writes further members of a record. */
	void (*write)(struct jw *w, const struct caller *by,
		      const struct resource_change *k,
		      const struct resource_item *item);
};

#define HOOKS(id, name) extern const struct resource_hooks name;
#include "resource/resource.def"

#endif
