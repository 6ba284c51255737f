/* SPDX-License-Identifier: MIT */
/*
 * The interface between the generic handlers of resources (resource.c) and the
 * files with the special handling of single resources.
 */
#ifndef API_RESOURCE_H
#define API_RESOURCE_H

#include "api/page.h"
#include "api/scope.h"
#include "auth/policy.h"
#include "request.h"
#include "resource/resource.h"
#include "response.h"
#include "tool/core/env.h"

/* The special handling of a resource. Every member may be NULL. */
struct resource_odd {
	/*
	 * Before a new row is stored: sets what is not in the body (GIVEN and
	 * HIDDEN fields, the holder). *secret (in rq's arena) is returned once, as
	 * "secret".
	 */
	int (*made)(struct request *rq, struct resource_row *row,
		    struct str *secret, struct err *e);
	/* The maximum number of rows like this new one for its holder; NULL: r->most. */
	int (*most)(const struct resource_row *row);
	/* Validates the values of a new or changed row together. */
	int (*check)(struct request *rq, struct resource_row *row,
		     struct err *e);
	/*
	 * In the transaction that stores a new or changed row: writes what depends
	 * on it. May run more than once.
	 */
	int (*also)(struct request *rq, struct db *tx,
		    const struct resource_at *at,
		    const struct resource_row *row, struct err *e);
	/* In the transaction that deletes a row, before it does; its id is known. */
	int (*gone)(struct request *rq, struct db *tx,
		    const struct resource_at *at,
		    const struct resource_row *row, struct err *e);
	/* Writes further members of a record. */
	void (*write)(struct jw *w, struct request *rq,
		      const struct resource_row *row);
	/*
	 * Rows of the configuration, in the order of the list; returns their
	 * number. ORDER NAME.
	 */
	size_t (*files)(struct request *rq, struct resource_row **rows);
	/*
	 * NAMED: where the path's rows are, and their owner; and the row in the
	 * path, if the caller may change it, with at for the change. ERR_NOT_FOUND,
	 * ERR_FORBIDDEN, ERR_MANAGED_BY_CONFIG.
	 */
	int (*place)(struct request *rq, struct resource_at *at, struct err *e);
	int (*find)(struct request *rq, struct resource_at *at,
		    struct resource_row *row, struct err *e);
	/* NAMED: the whole record, and its URL below the API's root. */
	void (*record)(struct jw *w, struct request *rq,
		       const struct resource_row *row);
	const char *(*address)(struct request *rq,
			       const struct resource_row *row);
	/* SHARED: permissions to change rows of the caller, a group or the tenant. */
	enum permission of_own, of_group, of_tenant;
};

/* Access of the caller: their own rows, and those that they can read. In rq's arena. */
struct resource_at api_resource_for(const struct request *rq);

/* Whether the caller (at: api_resource_for) may store and change rows of that holder. */
bool api_resource_may_hold(const struct request *rq, const struct resource_at *at,
			   const struct resource *r, const struct uuid *holder);

/*
 * Reads the body into row, with a note of which values were given; sets its
 * sort_key. Errors like fields_read. Uses only the body and the arena of rq: a
 * command that reads rows from a file has nothing else.
 */
int api_resource_body(struct request *rq, const struct resource *r, bool creating,
		      struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Seals the given SECRET values for the row's id. ERR_SECRETS. The other compares
 * field i of two rows with that id; for a SECRET, whose values are both sealed, the
 * plain texts.
 */
int api_resource_seal(struct request *rq, const struct resource *r,
		      const struct resource_at *at, struct resource_row *row,
		      struct err *e) MUST_CHECK;
bool api_resource_same(struct request *rq, const struct resource *r,
		       const struct resource_at *at, size_t i,
		       const struct resource_row *a,
		       const struct resource_row *b);

/* A row that the caller sees, in the database or the configuration. ERR_NOT_FOUND. */
int api_resource_visible(struct request *rq, const struct resource *r,
			 const struct resource_at *at, const struct uuid *id,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Stores a new row that the caller may hold, and answers with it, like POST after
 * reading its body. row->holder is the caller unless `made` sets another one.
 */
int api_resource_created(struct request *rq, struct response *rs,
			 const struct resource *r, const struct resource_at *at,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * The row that an earlier request with the same Idempotency-Key created, if the
 * caller may hold it: 1; 0: there is none, or no key; -1. at->holder: its holder.
 */
int api_resource_repeated(struct request *rq, const struct resource *r,
			  const struct resource_at *at, struct resource_row *row,
			  struct err *e) MUST_CHECK;

/* Answers with it like with a new row. */
void api_resource_answer_made(struct request *rq, struct response *rs,
			      const struct resource *r,
			      const struct resource_at *at,
			      const struct resource_row *row);

/*
 * Runs the routes of resources for tools in the app's turns. Borrows the app, which
 * must not move. Before the first turn.
 */
void api_resource_serve_tools(struct app *app, struct tool_api *api);

/* Rows of the configuration, in the order of the list; returns their number. */
size_t api_resource_files(struct request *rq, const struct resource *r,
			  struct resource_row **rows);

/* The record of a row that the caller sees, with its ETag. ERR_NOT_FOUND. */
int api_resource_show(struct request *rq, struct response *rs, int status,
		      const struct resource *r, const struct uuid *id,
		      struct err *e) MUST_CHECK;

/* A page of a list, as requested in the query. In rq's arena. */
struct resource_page {
	struct resource_row *rows;	/* including rows of the configuration */
	size_t n;
	bool more, first;
	struct str prefix;
	const struct uuid *under;	/* the category; NULL: any */
	size_t n_files;			/* in the whole list */
};

/* ERR_INVALID_FIELD, ERR_INVALID_CURSOR. */
int api_resource_page(struct request *rq, const struct resource *r,
		      const struct resource_at *at, struct resource_page *p,
		      struct err *e) MUST_CHECK;

/*
 * A page of a list with rows of the configuration, in its order, followed by stored
 * rows: call begin, files.takes for each row of the configuration
 * (api_page_walk_takes), write the stored rows that still fit, then call the end.
 */
struct resource_both {
	struct page_walk files;
	bool behind;		/* this page has no rows of the configuration */
	const struct resource_row *after;
	struct resource_row *rows;
	size_t n;
	bool more;		/* there are more stored rows */
	int64_t total;
};
int api_resource_both_begin(struct request *rq, const struct resource *r,
			    struct resource_both *b, struct err *e) MUST_CHECK;
bool api_resource_both_takes(struct resource_both *b, struct str id);
int api_resource_both_rows(struct request *rq, const struct resource *r,
			   const struct resource_at *at, struct resource_both *b,
			   struct err *e) MUST_CHECK;
void api_resource_both_end(struct jw *w, const struct resource *r,
			   const struct resource_both *b);

/* Writes "nextCursor". */
void api_resource_page_end(struct jw *w, const struct resource *r,
			   const struct resource_page *p);

#endif
