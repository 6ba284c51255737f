/* SPDX-License-Identifier: MIT */
/*
 * Settings: values that can be set on several levels, from a tool to the
 * installation. setting.def lists each setting's levels and how they merge; no
 * other code compares levels. Settings of users, teams and the tenant are in
 * rows (setting/values.h), which are validated again whenever they are read.
 */
#ifndef SETTING_SETTING_H
#define SETTING_SETTING_H

#include <jansson.h>

#include "conf/conf.h"

struct setting_values;	/* setting/values.h */
struct setting_holder;

/* Nearest first. USER to TENANT are numbers in the table `setting`, too. */
enum setting_level {
	LEVEL_TOOL, LEVEL_AGENT, LEVEL_WORKSPACE,
	LEVEL_USER, LEVEL_TEAM, LEVEL_TENANT,
	LEVEL_INSTALLATION,
	LEVEL_BUILT_IN		/* not set on any level: the default */
};

enum setting_merge {
	MERGE_FIRST,		/* the nearest level that has a value */
	MERGE_MOST, MERGE_LEAST,	/* over all levels */
	MERGE_COMMON,		/* intersection of the lists */
};

enum setting_type {		/* of values in rows */
	SETTING_INTERNAL,	/* not in rows */
	SETTING_BOOL, SETTING_INT, SETTING_TEXT, SETTING_CHOICE,
	SETTING_NAME, SETTING_NAMES,
};

enum setting_of {		/* what an id refers to */
	SETTING_OF_NOTHING, SETTING_OF_WORKSPACES, SETTING_OF_AGENTS,
	SETTING_OF_SERVICES, SETTING_OF_LANGUAGES,
};

/* Values of personal_memory, in the order of its row. */
enum personal_mode { PERSONAL_OFF, PERSONAL_ASK, PERSONAL_KEEP };

enum setting_id {
#define SETTING(name, key, type, merge, dflt, label, what, levels) SETTING_##name,
#include "setting/setting.def"
	SETTING__MAX
};

/*
 * The value of default_workspace that leaves the choice to what is configured for
 * everyone, and then to the order of the workspaces (A30). No workspace has this id.
 */
#define AUTO_WORKSPACE "Auto"

/* The levels to resolve a value for; NULL or unset if absent. */
struct setting_scope {
	const struct conf *conf;
	const struct workspace *workspace;	/* or NULL */
	const struct agent *agent;		/* or NULL */
	const struct setting_values *values;	/* settings in rows; or NULL */
	const char *passed;	/* a text that is passed over, as if its level had
				   no value; or NULL */
	struct {
		bool set;
		int64_t number;
	} tool;		/* the tool's value of the requested setting */
};

struct setting_value {
	enum setting_level level;	/* the level of the value */
	int64_t number;			/* numbers and enums */
	const char *text;		/* borrowed; NULL: not a text, or none */
	const json_t *list;		/* COMMON: the nearest list, borrowed;
					   use setting_lists for what applies */
};

struct setting_row {
	const char *key, *label, *what;
	const char *alias;	/* another name for the key, in requests and
				   records (A28); or NULL */
	enum setting_type type;
	enum setting_of of;
	int64_t min, max;	/* of numbers; characters of a text; max of a
				   list */
	bool line;		/* a text without control characters */
	const char *choices;	/* "word: label | …", resource_choice; or NULL */
	enum setting_merge merge;
	unsigned levels;	/* bits 1 << enum setting_level */
	int64_t dflt;
};
extern const struct setting_row setting_rows[SETTING__MAX];

/* The effective value. Any thread, like everything here. */
struct setting_value setting_get(enum setting_id id,
				 const struct setting_scope *in);

/*
 * The value in one row, for callers that need all rows; false if there is none
 * or it is no longer valid. out borrows from h.
 */
bool setting_held(const struct setting_holder *h, enum setting_id id,
		  struct setting_value *out);

/*
 * For a COMMON setting: whether the tenant lists the name, and so does each
 * team that has a list. If the tenant lists nothing, nothing is allowed.
 */
bool setting_lists(enum setting_id id, const struct setting_scope *in,
		   struct str name);

/*
 * Parses a value of a row or a request. ERR_INVALID_FIELD with the key as the
 * field. Ids are checked for their syntax only. out borrows from v.
 */
int setting_parse(const struct setting_row *row, const json_t *v,
		  struct setting_value *out, struct err *e) MUST_CHECK;

/* Choice i, or p == NULL. */
struct str setting_choice(const struct setting_row *row, int64_t i);

/* "user", "built-in" … */
const char *setting_level_name(enum setting_level level);

/* The row with this key or alias, or NULL. */
const struct setting_row *setting_find(struct str key);

/*
 * Checks `settings:` of the configuration. ERR_CONFIG, "FILE:LINE: …". Ids are checked
 * for their syntax only: what they name may be a row (choice_check_names).
 */
int setting_check_conf(const struct conf *c, struct err *e) MUST_CHECK;

/* What is wrong in `settings:`, with its line: ERR_CONFIG. Returns -1. */
int setting_conf_error(const struct conf *c, const struct err *why, struct err *e);

/* Appends the rows: tab-separated lines, and the table of docs/configuration.md. */
void setting_print(struct buf *out);
void setting_print_table(struct buf *out);

#endif
