/* SPDX-License-Identifier: MIT */
/*
 * Sources of knowledge bases (knowledge.sources): a directory, the pages of a
 * site, or a SELECT over the tables of an application. A run writes new and
 * changed items as documents, deletes the documents of those that no longer
 * exist, and touches nothing else. It may end at any time, even by a kill: the
 * next run completes the work.
 */
#ifndef INTAKE_INTAKE_H
#define INTAKE_INTAKE_H

#include <stdatomic.h>

#include "conf/conf.h"
#include "db/db.h"

/* The state of a source. Text in the arena that it was read with. */
struct intake_state {
	struct uuid base_id;
	int64_t run;		/* number of the last run; 0: none yet */
	int64_t going;		/* the run has not ended; it continues … */
	struct str place;	/* … after this file, page or row */
	int64_t begun_us, ended_us;	/* 0: not yet */
	/* Counts of the last run */
	int64_t created, changed, same, gone, failed;
	struct str faults;	/* errors, one sentence per line */
	int64_t next_us;	/* no request to the site before this time; 0:
				   no limit */
	int64_t left_us;	/* when the source was first found missing; 0:
				   it is configured */
	int64_t lease_until_us;	/* a run reads it until then; 0: none does */
	struct str origin;	/* what the last run read, as a hash */
};

struct intake_io {
	struct db *db;
	const struct conf *conf;
	int64_t until_ms;	/* monotonic; INT64_MAX: no limit */
	const atomic_bool *stop;	/* ends the run early; may be NULL */
	struct http_pool *http;	/* for sites; NULL: none */
};

struct http_pool;

/* Progress of a run over a site. */
struct intake_pages {
	int64_t pages, maps;	/* listed pages and sitemaps */
	int64_t todo;	/* of both, not read yet */
	int64_t bytes;	/* bytes read */
};

/* The state of the source with this name. ERR_NOT_FOUND if it was never read. */
int intake_state_get(struct db *db, const struct conf *conf, struct str name,
		     struct arena *a, struct intake_state *out,
		     struct err *e) MUST_CHECK;

/* The progress of the run in st. */
int intake_pages_get(struct db *db, struct str name, const struct intake_state *st,
		     struct intake_pages *out, struct err *e) MUST_CHECK;

/* A source that was read before but is not configured any more. */
struct intake_left {
	struct str name;
	struct uuid base_id;
	int64_t left_us;	/* 0: not noted yet */
};

/* Lists these sources of the tenant. Text in a. */
int intake_left_list(struct db *db, const struct conf *conf, struct arena *a,
		     struct intake_left **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Deletes the documents of sources that are not configured any more, INTAKE_GRACE_US
 * after this was first noted; a source that returns is kept. Logs what it does. Only
 * for callers that have loaded the whole configuration, because sources that it does
 * not name are deleted. Returns 1 if nothing is left to do for now; 0 if there is
 * more; -1.
 */
#define INTAKE_GRACE_US INT64_C(86400000000)
int intake_leave(const struct intake_io *io, struct arena *a,
		 struct err *e) MUST_CHECK;

/*
 * Reads the source (again: from its beginning) until it is complete or
 * io->until_ms is reached; the next call without again continues. Returns 1 if
 * it was read, even if single files, pages or rows failed; 0 if there is more;
 * -1 if the source or the store cannot be read; ERR_BUSY if another process reads
 * it (a run that was killed counts as one for two minutes). The error is for
 * admins only: it may contain text of the application's database. *out as by
 * intake_state_get, in a.
 */
int intake_sync(const struct intake_io *io, const struct conf_intake *s,
		bool again, struct arena *a, struct intake_state *out,
		struct err *e) MUST_CHECK;

#endif
