/* SPDX-License-Identifier: MIT */
/*
 * Projects and what is in them, apart from what every resource has (resource/call.h):
 * reading them by id, the search in them, what is linked, and the tree of documents. All
 * of it is bounded by what the caller sees, inside each statement. Functions that use the
 * database may block and return its errors; memory is by's arena. Any thread.
 */
#ifndef ENTITY_ENTITY_H
#define ENTITY_ENTITY_H

#include "resource/call.h"
#include "search/snippet.h"

enum entity_kind {
#define ENTITY(id, name, several) ENTITY_##id,
#include "entity/kind.def"
	ENTITY__MAX,
	ENTITY_PROJECT = ENTITY__MAX,	/* a project itself */
};

struct entity_kind_row {
	const char *name, *several;
	enum resource_id resource;
};

/* By enum entity_kind, ENTITY_PROJECT included. */
extern const struct entity_kind_row entity_kinds[ENTITY__MAX + 1];

/* The kind of this name; -1: none. */
int entity_kind_of(struct str name);

/* The names of these kinds (a bit for each), separated by commas. In a. */
struct str entity_kind_names(unsigned kinds, struct arena *a);

/* What is told of one without reading all of it. */
struct entity_brief {
	struct uuid id, project_id;	/* of a project: both are its own */
	struct str kind, title, project;	/* project: its name */
	struct str description;		/* p == NULL: none */
	struct str type_key, state_key;
	struct str owner;		/* login; p == NULL: nobody */
	struct str priority;		/* p == NULL: none */
	struct str due_date;		/* or target date; p == NULL: none */
	int64_t length;			/* of a document's content, in characters */
	int64_t version, updated_us;
};

/* Of n ids, those that the caller sees, in any order; ids may be repeated. */
int entity_of_ids(const struct caller *by, const struct uuid *ids, size_t n,
		  struct entity_brief **out, size_t *n_out,
		  struct err *e) MUST_CHECK;

/* The one with the id among n; NULL: none. */
const struct entity_brief *entity_among(const struct entity_brief *v, size_t n,
					const struct uuid *id);

/*
 * What is in a project that the caller sees, by kind, the one changed last first, at most
 * size; *more: there is more. kinds: a bit for each kind.
 */
int entity_of_project(const struct caller *by, const struct uuid *project,
		      unsigned kinds, size_t size, struct entity_brief **out,
		      size_t *n, bool *more, struct err *e) MUST_CHECK;

/* Which of what somebody is responsible for. */
struct entity_due_ask {
	unsigned kinds;			/* a bit for each kind */
	struct str states;	/* separated by commas, after a ! all but these; empty: all */
	struct str from, to;		/* days, both included, only what has one; empty: any */
	bool after;			/* begins after this one, the last of the page before */
	struct str after_day;		/* empty: it has none */
	struct uuid after_id;
	size_t size;
};

/*
 * What the caller is responsible for, in all projects that they see, by the day that it is
 * due, what has none last; *more: there is more.
 */
int entity_of_owner(const struct caller *by, const struct entity_due_ask *ask,
		    struct entity_brief **out, size_t *n, bool *more,
		    struct err *e) MUST_CHECK;

/* -- links ------------------------------------------------------------------------- */

struct entity_edge {
	struct uuid id, from_id, to_id;
	struct str relation;
};

/*
 * The links of one that the caller sees, at most max, the first made first, and briefs of
 * what is at their other ends.
 */
int entity_linked(const struct caller *by, const struct uuid *id, size_t max,
		  struct entity_edge **out, size_t *n, struct entity_brief **briefs,
		  size_t *n_briefs, struct err *e) MUST_CHECK;

/* The links in a project that the caller sees, at most max, the last made first. */
int entity_edges_in(const struct caller *by, const struct uuid *project, size_t max,
		    struct entity_edge **out, size_t *n, struct err *e) MUST_CHECK;

/* -- the search -------------------------------------------------------------------- */

/* A query with filters; a filter with p == NULL matches all. */
struct entity_ask {
	struct str query;
	const struct uuid *project;	/* NULL: all that the caller sees */
	unsigned kinds;			/* a bit for each kind; 0: all, projects too */
	struct str type_key, state_key;
	size_t max;			/* 1 to LIM_FOUND */
};

struct entity_found {
	struct entity_brief of;
	double score;
	struct snippet snippet;		/* of the passage that matches best; p == NULL: none */
};

/* Words of a title in lower case, each cut to 32 characters and ended by a NUL. */
struct entity_words {
	char v[24][4 * 32 + 1];
	size_t n;
};

/*
 * The first 24 words of the first 400 characters of a title, or of what is looked for in
 * titles: runs of letters and digits. No I/O; any thread.
 */
void entity_words_of(struct str title, struct entity_words *out);

/*
 * Finds what the caller sees and in whose title words begin like each of the first four of
 * the query, the one changed last first, without scores and snippets; nothing if the first
 * of them has less than two characters. For pickers: one that is half typed is enough. Of
 * many candidates 2,000 count. What was changed a moment ago is included. In by's arena.
 * ERR_NOT_FOUND for a project that the caller does not see; database errors.
 */
int entity_starting(const struct caller *by, const struct entity_ask *ask,
		    struct entity_found **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Finds what the caller sees by words of titles, descriptions and contents, best first,
 * what was changed a moment ago included. Of more than LIM_SEARCH_PROJECTS projects those
 * changed last are searched.
 */
int entity_search(const struct caller *by, const struct entity_ask *ask,
		  struct entity_found **out, size_t *n, struct err *e) MUST_CHECK;

/* -- as JSON: members of an object that is open ------------------------------------- */

/* All of the brief; what is not set is left out. */
void entity_write_brief(struct jw *w, const struct entity_brief *b);
void entity_write_found(struct jw *w, const struct entity_found *f);

/* An array: the links of one, and what is at their other ends among n briefs. */
void entity_write_linked(struct jw *w, const struct uuid *of,
			 const struct entity_edge *edges, size_t n_edges,
			 const struct entity_brief *briefs, size_t n);

/*
 * The work of the job entity-index: what was changed in the project goes into the index,
 * which has the project's id, or out of it. Returns 1 if nothing is left, 0 if until_ms
 * (monotonic) was reached first, -1 on error. Can run concurrently and be repeated.
 */
int entity_index(struct db *db, const struct uuid *project, int64_t until_ms,
		 struct err *e) MUST_CHECK;

#endif
