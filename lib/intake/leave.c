/* SPDX-License-Identifier: MIT */
/* Sources that were removed from the configuration. */
#include "base/log.h"
#include "intake/item.h"
#include "store/stmt.h"

#include "base/banned.h"

int intake_left_list(struct db *db, const struct conf *conf, struct arena *a,
		     struct intake_left **out, size_t *n, struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct intake_left, name, s),
		FIELD_OF(struct intake_left, base_id, u),
		FIELD_OF(struct intake_left, left_us, I),
	};
	struct intake_left *v;
	size_t all;

	*n = 0;
	if (db_list(db, STMT_INTAKE_NAMES, DB_ARGS(DB_S(str_of(conf->tenant))), a,
		    fields, sizeof(*v), 0, &v, &all, e))
		return -1;
	*out = v;
	for (size_t i = 0; i < all; i++) {
		bool there = conf_source(conf, v[i].name) != NULL;

		if (there && v[i].left_us &&
		    db_exec(db, STMT_INTAKE_LEAVES,
			    DB_ARGS(DB_I_IF(false, 0),
				    DB_S(str_of(conf->tenant)), DB_S(v[i].name)),
			    NULL, e))
			return -1;
		if (!there)
			v[(*n)++] = v[i];
	}
	return 0;
}

static int note(const struct intake_io *io, struct intake_left *l, struct arena *a,
		struct err *e)
{
	l->left_us = clock_now_us();
	log_warn("a source of a knowledge base is not configured any more; its "
		 "documents are deleted in a day", "source",
		 arena_printf(a, "%.*s", STR_ARG(l->name)));
	return db_exec(io->db, STMT_INTAKE_LEAVES,
		       DB_ARGS(DB_I(l->left_us), DB_S(str_of(io->conf->tenant)),
			       DB_S(l->name)), NULL, e) ? -1 : 1;
}

/* Returns 1; 0 if there is more; -1. */
static int drop(const struct intake_io *io, const struct intake_left *l,
		struct arena *a, struct err *e)
{
	const struct conf_intake s = {
		.name = arena_printf(a, "%.*s", STR_ARG(l->name)),
	};
	struct intake_run k = {
		.io = io, .s = &s, .at = intake_at(io->conf), .a = a,
		.st = { .run = INT64_MAX },
	};
	int rc;

	k.at.base = l->base_id;
	rc = intake_take(&k, e);
	if (rc <= 0)	/* a process with the old configuration is reading it */
		return rc < 0 ? -1 : 1;
	rc = intake_drop(&k, e);
	if (rc > 0 && db_exec(io->db, STMT_INTAKE_FORGET,
			      DB_ARGS(DB_S(k.at.tenant_id), DB_S(l->name)), NULL,
			      e))
		return -1;
	if (rc <= 0)
		intake_release(&k);
	else
		log_info("the documents of a source that is not configured any "
			 "more were deleted", "source", s.name);
	return rc;
}

int intake_leave(const struct intake_io *io, struct arena *a, struct err *e)
{
	struct intake_left *v;
	size_t n;
	int rc = 1;

	if (intake_left_list(io->db, io->conf, a, &v, &n, e))
		return -1;
	for (size_t i = 0; rc > 0 && i < n; i++) {
		if (!v[i].left_us)
			rc = note(io, &v[i], a, e);
		else if (v[i].left_us + INTAKE_GRACE_US <= clock_now_us())
			rc = drop(io, &v[i], a, e);
	}
	return rc;
}
