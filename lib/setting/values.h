/* SPDX-License-Identifier: MIT */
/* Settings in rows: those of a user, of the user's groups, and of the tenant. */
#ifndef SETTING_VALUES_H
#define SETTING_VALUES_H

#include "setting/setting.h"
#include "auth/caller.h"
#include "resource/resource.h"
#include "store/setting.h"

struct setting_holder {
	enum setting_level level;	/* user, team or tenant */
	struct uuid id;
	struct str name;	/* login, group or tenant */
	int64_t version;	/* of its row; 0: no row */
	const json_t *values;	/* an object, or NULL */
	struct str author;	/* of team_prompt, as stored (author.h) */
};

struct setting_values {
	struct setting_holder *v;	/* user, teams by name, tenant */
	size_t n;
};

/*
 * The holders whose settings apply to a user, not read yet: the user, the
 * groups by name, the tenant. In a; names are borrowed from who.
 */
struct setting_values *setting_holders(const struct identity *who,
				     struct arena *a);

/* The same for a team (followed by the tenant), and for the tenant alone. */
struct setting_values *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a);
struct setting_values *setting_holders_of_tenant(struct str tenant,
					       struct arena *a);

/*
 * Ids of the holders: the first, the tenant, then the others. If not all fit
 * into a statement, groups are left out. In a.
 */
struct uuid *setting_ids(const struct setting_values *s, struct arena *a);

/* Copies these rows into s. Their JSON is parsed in a. */
void setting_take(struct setting_values *s, const struct store_setting *rows,
		  size_t n, struct arena *a);

/*
 * Reads all of s from the database, one round trip per STORE_SETTINGS holders.
 * Database errors.
 */
int setting_read(struct db *db, struct str tenant, struct setting_values *s,
		 struct arena *a, struct err *e) MUST_CHECK;

/* Reads the caller's settings into by->settings, unless it is set. Database errors. */
int setting_read_for(struct caller *by, struct err *e) MUST_CHECK;

/*
 * The checks of a change that need no other data: keys, types, ranges and levels.
 * ERR_UNKNOWN_FIELD, ERR_INVALID_FIELD, with the key as the field.
 */
int setting_check(const json_t *change, enum setting_level level,
		  struct err *e) MUST_CHECK;

/*
 * Stores `values` as the settings of s->v[0], with who (NULL: the installation) as
 * the author of a team_prompt that it changes. *stored is false if another change
 * was stored first. Database errors.
 */
int setting_store(struct db *db, struct str tenant, const struct identity *who,
		  const struct setting_values *s, const json_t *values, bool *stored,
		  struct err *e) MUST_CHECK;

#endif
