/*
 * Sources of knowledge bases (knowledge.sources): a directory, or a SELECT over the
 * tables of an application. A run writes what is new or changed as documents,
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
};

struct intake_io {
	struct db *db;
	const struct conf *conf;
	int64_t until_ms;	/* monotonic; INT64_MAX: to the end */
	const atomic_bool *stop;	/* ends it early; may be NULL */
};

/* What is known of a source of that name; ERR_NOT_FOUND: it was never read. */
int intake_state_get(struct db *db, const struct conf *conf, struct str name,
		     struct arena *a, struct intake_state *out,
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
