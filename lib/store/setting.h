/* SPDX-License-Identifier: MIT */
/*
 * Settings of users, groups and the tenant: one row each, with all values as a
 * JSON object. setting/setting.h defines the values.
 */
#ifndef STORE_SETTING_H
#define STORE_SETTING_H

#include "store/store.h"

/* Holders per statement; store_turn_begin reads as many. */
enum { STORE_SETTINGS = 16 };

struct store_setting {
	struct uuid holder_id;
	int64_t level;		/* enum setting_level: user, team, tenant */
	struct str name;	/* login, group or tenant, for display; not
				   read with the begin of a turn */
	int64_t version;	/* 0: no row */
	struct str values;	/* JSON object */
	struct str author;	/* of team_prompt (resource/author.h); p == NULL:
				   unknown. To store: p == NULL: as it is */
	struct uuid author_id;	/* to store with author; nil: NULL */
};

/*
 * Reads the rows of these holders that exist, in no order; one round trip per
 * STORE_SETTINGS ids. *out has room for n. Text in a.
 */
int store_setting_read(struct db *db, struct str tenant_id,
		       const struct uuid *ids, size_t n, struct arena *a,
		       struct store_setting *out, size_t *n_out,
		       struct err *e) MUST_CHECK;

/*
 * The rows of a level after the holder with this name (empty: from the first),
 * by name, at most max. Text in a.
 */
int store_setting_list(struct db *db, struct str tenant_id, int64_t level,
		       struct str after, size_t max, struct arena *a,
		       struct store_setting **out, size_t *n,
		       struct err *e) MUST_CHECK;

/*
 * Ensures that the tenant has a row before a group gets one: the begin of a
 * turn reads only the rows of the user and the tenant to find out if there are
 * any. One round trip.
 */
int store_setting_mark(struct db *db, const struct store_setting *tenant,
		       struct err *e) MUST_CHECK;

/*
 * Stores s if the present row has s->version (0: if there is none). *stored is
 * false if it has another version. One round trip.
 */
int store_setting_put(struct db *db, struct str tenant_id,
		      const struct store_setting *s, bool *stored,
		      struct err *e) MUST_CHECK;

#endif
