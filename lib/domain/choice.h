/* SPDX-License-Identifier: MIT */
/* What the values of settings name: workspaces, agents and services, and who may choose them. */
#ifndef DOMAIN_CHOICE_H
#define DOMAIN_CHOICE_H

#include "conf/agent.h"
#include "setting/values.h"

/*
 * The workspace and agent of the caller's new conversations if the request
 * names none: the setting's if the caller sees it, else their first workspace
 * and its default agent. Both NULL if there is none. Reads stored workspaces
 * and agents that the settings name, and the first stored workspace if the
 * files have none. Without by->settings it reads nothing. Database errors.
 */
int choice_default(const struct caller *by, const struct workspace **w,
		    const struct agent **agent, struct err *e) MUST_CHECK;

/*
 * Checks whether the holder s->v[0] may change its settings by `change` (null
 * unsets): keys, types, ranges, levels, and ids, which must name something that
 * by sees and may choose (without by->who: something that exists). Returns the
 * settings after the change, in a. NULL: ERR_UNKNOWN_FIELD or
 * ERR_INVALID_FIELD, with the key as the field; database errors.
 */
const json_t *choice_changed(const struct caller *by,
			      const struct setting_values *s,
			      const json_t *change, struct arena *a,
			      struct err *e) MUST_CHECK;

/*
 * Checks the ids in `settings:` of the configuration. by: nobody signed in; with
 * by->db NULL, what is in rows does not exist. ERR_CONFIG, "FILE:LINE: …" with the nearest
 * id of the files; database errors.
 */
int choice_check_names(const struct caller *by, struct err *e) MUST_CHECK;

/*
 * The workspace that s has for new conversations; *w is NULL if the caller sees
 * none (without by->who: if none exists). Managers of settings also get
 * workspaces of others that they do not see. Database errors.
 */
int choice_workspace(const struct caller *by, const struct setting_values *s,
		      const struct workspace **w, struct err *e) MUST_CHECK;

/* Whether the caller may learn whether an LLM service of this id exists. */
bool choice_tells_service(const struct caller *by, const struct setting_values *s,
			   struct str id);

/*
 * The choices for settings: the workspaces, agents and LLM services that by
 * sees. Read in at most four round trips, in by's arena. Database errors.
 */
struct choices {
	const struct caller *by;
	const struct setting_values *s;
	const struct resource_row *services;	/* those in rows */
	size_t n_services;
	const struct workspace **workspaces;
	size_t n_workspaces;
	const struct agent **agents;	/* of the effective workspace */
	size_t n_agents;
};
int choices_read(const struct caller *by, const struct setting_values *s,
			 struct choices *out, struct err *e) MUST_CHECK;

/* Writes the setting as JSON, with type, range, choices and help. */
void choice_describe(struct jw *w, const struct choices *c,
		      enum setting_id id);

/* Writes an effective value as JSON of the setting's type; null: none. */
void choice_write(struct jw *w, enum setting_id id,
		   const struct setting_scope *in,
		   const struct setting_value *v);

#endif
