/* SPDX-License-Identifier: MIT */
/* Settings in rows: those of a user, of the user's groups, and of the tenant. */
#ifndef DOMAIN_SAID_H
#define DOMAIN_SAID_H

#include "domain/setting.h"
#include "auth/caller.h"
#include "resource/resource.h"
#include "store/setting.h"

struct setting_holder {
	enum setting_level level;	/* user, team or tenant */
	struct uuid id;
	struct str name;	/* login, group or tenant */
	int64_t version;	/* of its row; 0: no row */
	const json_t *said;	/* an object, or NULL */
	struct str author;	/* of team_prompt, as stored (author.h) */
};

struct setting_said {
	struct setting_holder *v;	/* user, teams by name, tenant */
	size_t n;
};

/*
 * The holders whose settings apply to a user, not read yet: the user, the
 * groups by name, the tenant. In a; names are borrowed from who.
 */
struct setting_said *setting_holders(const struct identity *who,
				     struct arena *a);

/* The same for a team (followed by the tenant), and for the tenant alone. */
struct setting_said *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a);
struct setting_said *setting_holders_of_tenant(struct str tenant,
					       struct arena *a);

/*
 * Ids of the holders: the first, the tenant, then the others. If not all fit
 * into a statement, groups are left out. In a.
 */
struct uuid *setting_ids(const struct setting_said *s, struct arena *a);

/* Copies these rows into s. Their JSON is parsed in a. */
void setting_take(struct setting_said *s, const struct store_setting *rows,
		  size_t n, struct arena *a);

/*
 * Reads all of s from the database, one round trip per STORE_SETTINGS holders.
 * Database errors.
 */
int setting_read(struct db *db, struct str tenant, struct setting_said *s,
		 struct arena *a, struct err *e) MUST_CHECK;

/* Reads the caller's settings into by->said, unless it is set. Database errors. */
int setting_read_for(struct caller *by, struct err *e) MUST_CHECK;

/*
 * The workspace and agent of the caller's new conversations if the request
 * names none: the setting's if the caller sees it, else their first workspace
 * and its default agent. Both NULL if there is none. Reads stored workspaces
 * and agents that the settings name, and the first stored workspace if the
 * files have none. Without by->said it reads nothing. Database errors.
 */
int setting_default(const struct caller *by, const struct workspace **w,
		    const struct agent **agent, struct err *e) MUST_CHECK;

/*
 * Checks whether the holder s->v[0] may change its settings by `change` (null
 * unsets): keys, types, ranges, levels, and ids, which must name something that
 * by sees and may choose (without by->who: something that exists). Returns the
 * settings after the change, in a. NULL: ERR_UNKNOWN_FIELD or
 * ERR_INVALID_FIELD, with the key as the field; database errors.
 */
const json_t *setting_changed(const struct caller *by,
			      const struct setting_said *s,
			      const json_t *change, struct arena *a,
			      struct err *e) MUST_CHECK;

/*
 * The checks of setting_changed that need no other data: keys, types, ranges
 * and levels. Errors as above.
 */
int setting_check(const json_t *change, enum setting_level level,
		  struct err *e) MUST_CHECK;

/*
 * Checks the ids in `settings:` of the configuration. by: nobody signed in; with
 * by->db NULL, what is in rows does not exist. ERR_CONFIG, "FILE:LINE: …" with the nearest
 * id of the files; database errors.
 */
int setting_check_names(const struct caller *by, struct err *e) MUST_CHECK;

/*
 * Stores `said` as the settings of s->v[0], with who (NULL: the installation) as
 * the author of a team_prompt that it changes. *stored is false if another change
 * was stored first. Database errors.
 */
int setting_store(struct db *db, struct str tenant, const struct identity *who,
		  const struct setting_said *s, const json_t *said, bool *stored,
		  struct err *e) MUST_CHECK;

/*
 * The workspace that s has for new conversations; *w is NULL if the caller sees
 * none (without by->who: if none exists). Managers of settings also get
 * workspaces of others that they do not see. Database errors.
 */
int setting_workspace(const struct caller *by, const struct setting_said *s,
		      const struct workspace **w, struct err *e) MUST_CHECK;

/* Whether the caller may learn whether an LLM service of this id exists. */
bool setting_tells_service(const struct caller *by, const struct setting_said *s,
			   struct str id);

/*
 * The choices for settings: the workspaces, agents and LLM services that by
 * sees. Read in at most four round trips, in by's arena. Database errors.
 */
struct setting_choices {
	const struct caller *by;
	const struct setting_said *s;
	const struct resource_row *services;	/* those in rows */
	size_t n_services;
	const struct workspace **workspaces;
	size_t n_workspaces;
	const struct agent **agents;	/* of the effective workspace */
	size_t n_agents;
};
int setting_choices_read(const struct caller *by, const struct setting_said *s,
			 struct setting_choices *out, struct err *e) MUST_CHECK;

/* Writes the setting as JSON, with type, range, choices and help. */
void setting_describe(struct jw *w, const struct setting_choices *c,
		      enum setting_id id);

/* Writes an effective value as JSON of the setting's type; null: none. */
void setting_write(struct jw *w, enum setting_id id,
		   const struct setting_scope *in,
		   const struct setting_value *v);

#endif
