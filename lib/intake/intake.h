/*
 * Sources of knowledge bases (knowledge.sources): a directory, the pages of a site, or
 * a SELECT over the tables of an application. A run writes what is new or changed as documents,
 * deletes those of files and rows that are gone, and touches nothing else. It may
 * end at any time, also by a kill: the next one finds what is left to do.
 */
#ifndef INTAKE_INTAKE_H
#define INTAKE_INTAKE_H

#include <stdatomic.h>

#include "conf/conf.h"
#include "db/db.h"

/* What is known of a source. Text in the arena that it was read with. */
struct intake_state {
	struct uuid base_id;
	int64_t run;		/* number of the last one; 0: none yet */
	int64_t going;		/* 0: it has ended; else it goes on … */
	struct str place;	/* … behind this file or row */
	int64_t begun_us, ended_us;	/* 0: not yet */
	int64_t made, changed, same, gone, failed;	/* by the last run */
	struct str faults;	/* what failed, a sentence a line */
	int64_t next_us;	/* no request to the site before it; 0: at once */
	int64_t left_us;	/* since when no source has the name; 0: one has */
};

struct intake_io {
	struct db *db;
	const struct conf *conf;
	int64_t until_ms;	/* monotonic; INT64_MAX: to the end */
	const atomic_bool *stop;	/* ends it early; may be NULL */
	struct http_pool *http;	/* for sites; NULL: there is none */
};

struct http_pool;

/* How far a run of a site is. */
struct intake_pages {
	int64_t pages, maps;	/* that are listed: documents, and sitemaps */
	int64_t todo;	/* of both, to read */
	int64_t bytes;	/* that were read */
};

/* What is known of a source of that name; ERR_NOT_FOUND: it was never read. */
int intake_state_get(struct db *db, const struct conf *conf, struct str name,
		     struct arena *a, struct intake_state *out,
		     struct err *e) MUST_CHECK;

/* Of the run that st says. */
int intake_pages_get(struct db *db, struct str name, const struct intake_state *st,
		     struct intake_pages *out, struct err *e) MUST_CHECK;

/* A source that was read once and is not configured. */
struct intake_left {
	struct str name;
	struct uuid base_id;
	int64_t left_us;	/* 0: not noted yet */
};

/* Those of the tenant. Text in a. */
int intake_left_list(struct db *db, const struct conf *conf, struct arena *a,
		     struct intake_left **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Takes the documents of sources that are not configured any more out of their
 * bases, INTAKE_GRACE_US after this was noted here first; a source that is back is
 * none of them. What it does is logged. Only for who has loaded a configuration
 * whole: what that does not name leaves. 1: nothing is left to do for now, 0: there
 * is more, -1.
 */
#define INTAKE_GRACE_US INT64_C(86400000000)
int intake_leave(const struct intake_io *io, struct arena *a,
		 struct err *e) MUST_CHECK;

/*
 * Reads the source: all of it (again: from its beginning), or until io->until_ms;
 * then the next call without again goes on. 1: it is read, also if single files or
 * rows failed; 0: there is more; -1: the source cannot be read, or the store. The
 * error is for admins alone: it may have text of the application's database. *out as
 * intake_state_get, in a.
 */
int intake_sync(const struct intake_io *io, const struct conf_intake *s,
		bool again, struct arena *a, struct intake_state *out,
		struct err *e) MUST_CHECK;

#endif
