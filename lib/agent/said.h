/*
 * What rows say of settings: those of a user, of the groups that the user is a
 * member of, and of the tenant.
 */
#ifndef AGENT_SAID_H
#define AGENT_SAID_H

#include "agent/caller.h"
#include "agent/setting.h"
#include "resource/resource.h"
#include "store/setting.h"

struct setting_holder {
	enum setting_level level;	/* user, team or tenant */
	struct uuid id;
	struct str name;	/* login, group or tenant */
	int64_t version;	/* of its row; 0: there is none */
	const json_t *said;	/* an object, or NULL */
};

struct setting_said {
	struct setting_holder *v;	/* user, teams by name, tenant */
	size_t n;
};

/*
 * Whose settings count for a user, none of them read yet: the user, the tenant
 * behind, and the groups, by name, between. In a; names are borrowed from who.
 */
struct setting_said *setting_holders(const struct identity *who,
				     struct arena *a);

/* The same for a team (the tenant behind it), and for the tenant alone. */
struct setting_said *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a);
struct setting_said *setting_holders_of_tenant(struct str tenant,
					       struct arena *a);

/*
 * Ids of the holders: the first, the tenant, then the others. Where only so many
 * fit into a statement, what is left out are groups. In a.
 */
struct uuid *setting_ids(const struct setting_said *s, struct arena *a);

/* Puts what these rows say into s. Their texts are parsed in a. */
void setting_take(struct setting_said *s, const struct store_setting *rows,
		  size_t n, struct arena *a);

/* Reads all of s from the database: a round trip for each STORE_SETTINGS. */
int setting_read(struct db *db, struct str tenant, struct setting_said *s,
		 struct arena *a, struct err *e) MUST_CHECK;

/* Reads what counts for the caller into by->said, unless it is there. */
int setting_read_for(struct caller *by, struct err *e) MUST_CHECK;

/*
 * Where the caller's new conversations are, if nothing is named: what the settings
 * say if the caller sees it, else their first workspace and its default agent. Both
 * NULL if there is none. Reads what is in rows: a workspace that is named, an agent
 * that is named, and without a workspace of files the first one. Without by->said
 * it reads nothing. Errors of the database.
 */
int setting_default(const struct caller *by, const struct workspace **w,
		    const struct agent **agent, struct err *e) MUST_CHECK;

/*
 * Whether the holder s->v[0] may set what `change` says, with what it says
 * already and the rest of s: keys, types and ranges, levels, and if ids are of
 * something that by sees and may choose (without by->who: that there is). null
 * unsets. The result, in a, is what it says then. NULL: ERR_UNKNOWN_FIELD,
 * ERR_INVALID_FIELD, with the key as the field.
 */
const json_t *setting_changed(const struct caller *by,
			      const struct setting_said *s,
			      const json_t *change, struct arena *a,
			      struct err *e) MUST_CHECK;

/*
 * The first part of it, which needs nothing else: keys, types, ranges and if the
 * level may set them. -1 with the same errors.
 */
int setting_check(const json_t *change, enum setting_level level,
		  struct err *e) MUST_CHECK;

/*
 * Stores `said` as what s->v[0] says now. *stored is false if another change came
 * before it.
 */
int setting_store(struct db *db, struct str tenant, const struct setting_said *s,
		  const json_t *said, bool *stored, struct err *e) MUST_CHECK;

/*
 * The workspace that s says for new conversations, or *w NULL: the caller sees none
 * (without by->who: there is none). For who manages settings, of others, also one
 * that they do not see. Errors of the database.
 */
int setting_workspace(const struct caller *by, const struct setting_said *s,
		      const struct workspace **w, struct err *e) MUST_CHECK;

/* Whether the caller may know whether there is an LLM service of this id. */
bool setting_tells_service(const struct caller *by, const struct setting_said *s,
			   struct str id);

/*
 * What is there to choose from: of workspaces, agents and LLM services what by
 * sees. Read in at most four round trips; in by's arena. Errors of the database.
 */
struct setting_choices {
	const struct caller *by;
	const struct setting_said *s;
	const struct resource_row *services;	/* those in rows */
	size_t n_services;
	const struct workspace **workspaces;
	size_t n_workspaces;
	const struct agent **agents;	/* of the workspace in force */
	size_t n_agents;
};
int setting_choices_read(const struct caller *by, const struct setting_said *s,
			 struct setting_choices *out, struct err *e) MUST_CHECK;

/* The setting in JSON, with type, range, choices and help of its values. */
void setting_describe(struct jw *w, const struct setting_choices *c,
		      enum setting_id id);

/* A value that counts as JSON, by the setting's type. null: none. */
void setting_write(struct jw *w, enum setting_id id,
		   const struct setting_scope *in,
		   const struct setting_value *v);

#endif
