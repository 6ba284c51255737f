/*
 * What the generic handlers of resources (resource.c) and the files with what is
 * odd about one have of each other.
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

/* What is odd about a resource. NULL: nothing of that kind. */
struct resource_odd {
	/*
	 * Before a new row is stored: fills what is not in the body (GIVEN and
	 * HIDDEN fields, the holder). *secret (in rq's arena) is shown this
	 * once, as "secret".
	 */
	int (*made)(struct request *rq, struct resource_row *row,
		    struct str *secret, struct err *e);
	/* How many rows like this new one its holder may have; NULL: r->most. */
	int (*most)(const struct resource_row *row);
	/* Whether the values of a new or changed row are right together. */
	int (*check)(struct request *rq, struct resource_row *row,
		     struct err *e);
	/*
	 * In the transaction that stores a new or changed row: what else it
	 * writes. May run more than once.
	 */
	int (*also)(struct request *rq, struct db *tx,
		    const struct resource_at *at,
		    const struct resource_row *row, struct err *e);
	/* In the transaction that deletes a row, before: its id is known. */
	int (*gone)(struct request *rq, struct db *tx,
		    const struct resource_at *at,
		    const struct resource_row *row, struct err *e);
	/* Further members of a record. */
	void (*write)(struct jw *w, struct request *rq,
		      const struct resource_row *row);
	/* Rows of files, in the order of the list; how many. ORDER NAME. */
	size_t (*files)(struct request *rq, struct resource_row **rows);
	/*
	 * NAMED: where the path's rows are, and whose; and the row that it
	 * names, if the caller may change it, with at for the change.
	 * ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_MANAGED_BY_CONFIG.
	 */
	int (*place)(struct request *rq, struct resource_at *at, struct err *e);
	int (*find)(struct request *rq, struct resource_at *at,
		    struct resource_row *row, struct err *e);
	/* NAMED: the whole record, and its address below the API's root. */
	void (*record)(struct jw *w, struct request *rq,
		       const struct resource_row *row);
	const char *(*address)(struct request *rq,
			       const struct resource_row *row);
	/* SHARED: who may change what they, a group or the tenant holds. */
	enum permission of_own, of_group, of_tenant;
};

/* The caller, their own rows, and as whom they read. In rq's arena. */
struct resource_at api_resource_for(const struct request *rq);

/* Whether the caller (at: api_resource_for) may store and change rows of that holder. */
bool api_resource_may_hold(const struct request *rq, const struct resource_at *at,
			   const struct resource *r, const struct uuid *holder);

/*
 * The body's values into row, which says then which were given; its sort_key is
 * by them. As fields_read for what does not fit. Of rq only the body and the arena
 * count: a command that reads rows from a file has no more.
 */
int api_resource_body(struct request *rq, const struct resource *r, bool creating,
		      struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Seals the SECRET values that were given, for the row's id. ERR_SECRETS. And
 * whether field i of two rows with that id has the same value; of a SECRET, both
 * sealed: the same text.
 */
int api_resource_seal(struct request *rq, const struct resource *r,
		      const struct resource_at *at, struct resource_row *row,
		      struct err *e) MUST_CHECK;
bool api_resource_same(struct request *rq, const struct resource *r,
		       const struct resource_at *at, size_t i,
		       const struct resource_row *a,
		       const struct resource_row *b);

/* A row that the caller sees, in the database or a file. ERR_NOT_FOUND. */
int api_resource_visible(struct request *rq, const struct resource *r,
			 const struct resource_at *at, const struct uuid *id,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * Stores a new row that the caller may hold, and answers with it: what POST does
 * behind its body. row->holder is the caller unless `made` says otherwise.
 */
int api_resource_created(struct request *rq, struct response *rs,
			 const struct resource *r, const struct resource_at *at,
			 struct resource_row *row, struct err *e) MUST_CHECK;

/*
 * The row that the request's Idempotency-Key has made before, for who may hold
 * it: 1; 0: there is none, or no key; -1. at->holder: whose.
 */
int api_resource_repeated(struct request *rq, const struct resource *r,
			  const struct resource_at *at, struct resource_row *row,
			  struct err *e) MUST_CHECK;

/* Answers with it as with a new one. */
void api_resource_answer_made(struct request *rq, struct response *rs,
			      const struct resource *r,
			      const struct resource_at *at,
			      const struct resource_row *row);

/*
 * Runs the routes of resources for tools of the app's turns. Borrows the app, which
 * must not move. Before the first turn.
 */
void api_resource_serve_tools(struct app *app, struct tool_api *api);

/* Those of files, in the order of the list: how many. */
size_t api_resource_files(struct request *rq, const struct resource *r,
			  struct resource_row **rows);

/* The record of a row that the caller sees, with its ETag. ERR_NOT_FOUND. */
int api_resource_show(struct request *rq, struct response *rs, int status,
		      const struct resource *r, const struct uuid *id,
		      struct err *e) MUST_CHECK;

/* A page of a list, as the query parameters ask for. In rq's arena. */
struct resource_page {
	struct resource_row *rows;	/* those of files among them */
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
 * A page of a list of what is in files, in their order, and behind it rows: begin,
 * files.takes for each of a file (api_page_walk_takes), the rows that still fit, and
 * when they are written, the end.
 */
struct resource_both {
	struct page_walk files;
	bool behind;		/* of the files this page has none */
	const struct resource_row *after;
	struct resource_row *rows;
	size_t n;
	bool more;		/* rows */
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
