/*
 * What users, groups and the tenant have set: one row for each of them, with all
 * that it says as a JSON object. What it means is agent/setting.h's.
 */
#ifndef STORE_SETTING_H
#define STORE_SETTING_H

#include "store/store.h"

/* Rows that one statement looks for; store_turn_begin brings as many. */
enum { STORE_SETTINGS = 16 };

struct store_setting {
	struct uuid holder_id;
	int64_t level;		/* enum setting_level: user, team, tenant */
	struct str name;	/* login, group or tenant: for people */
	int64_t version;	/* 0: there is no row */
	struct str said;	/* JSON object */
};

/*
 * The rows of these holders, those that there are, in no order: one round trip for
 * each STORE_SETTINGS ids. *out has room for n. Text in a.
 */
int store_setting_read(struct db *db, struct str tenant_id,
		       const struct uuid *ids, size_t n, struct arena *a,
		       struct store_setting *out, size_t *n_out,
		       struct err *e) MUST_CHECK;

/*
 * The rows of a level after the holder of this name (empty: from the first), by
 * name, at most max. Text in a.
 */
int store_setting_list(struct db *db, struct str tenant_id, int64_t level,
		       struct str after, size_t max, struct arena *a,
		       struct store_setting **out, size_t *n,
		       struct err *e) MUST_CHECK;

/*
 * Makes sure that the tenant has a row, before a group gets one: a turn's begin
 * looks only for those of the user and the tenant. One round trip.
 */
int store_setting_mark(struct db *db, const struct store_setting *tenant,
		       struct err *e) MUST_CHECK;

/*
 * Stores s in the place of the row that has s->version (0: of none). *stored is
 * false when the row has another version by now. One round trip.
 */
int store_setting_put(struct db *db, struct str tenant_id,
		      const struct store_setting *s, bool *stored,
		      struct err *e) MUST_CHECK;

#endif
