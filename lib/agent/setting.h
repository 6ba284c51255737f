/*
 * Settings: values that can be set on more than one level, from a tool to the
 * installation. setting.def has the levels of each, and how they merge; no other
 * code compares two levels. What users, teams and the tenant say stands in rows
 * (agent/said.h), which are checked again whenever they are read.
 */
#ifndef AGENT_SETTING_H
#define AGENT_SETTING_H

#include <jansson.h>

#include "agent/agent.h"

struct setting_said;	/* agent/said.h */
struct setting_holder;

/* Nearest first. Those of USER to TENANT are numbers in the table setting too. */
enum setting_level {
	LEVEL_TOOL, LEVEL_AGENT, LEVEL_WORKSPACE,
	LEVEL_USER, LEVEL_TEAM, LEVEL_TENANT,
	LEVEL_INSTALLATION,
	LEVEL_BUILT_IN		/* no level says anything: the default */
};

enum setting_merge {
	MERGE_FIRST,		/* the nearest level that says something */
	MERGE_MOST, MERGE_LEAST,	/* of what all levels say */
	MERGE_COMMON,		/* what is in all lists */
};

enum setting_type {		/* of the values in rows */
	SETTING_INTERNAL,	/* there are none */
	SETTING_BOOL, SETTING_INT, SETTING_TEXT, SETTING_CHOICE,
	SETTING_NAME, SETTING_NAMES,
};

enum setting_of {		/* what a name is the id of */
	SETTING_OF_NOTHING, SETTING_OF_WORKSPACES, SETTING_OF_AGENTS,
	SETTING_OF_SERVICES,
};

enum setting_id {
#define SETTING(name, key, type, merge, dflt, label, what, levels) SETTING_##name,
#include "agent/setting.def"
	SETTING__MAX
};

/* The levels for which a value is resolved; NULL or unset if there is none. */
struct setting_scope {
	const struct conf *conf;
	const struct workspace *workspace;	/* or NULL */
	const struct agent *agent;		/* or NULL */
	const struct setting_said *said;	/* of rows; or NULL */
	struct {
		bool set;
		int64_t number;
	} tool;		/* what the tool says of the setting that is asked for */
};

struct setting_value {
	enum setting_level level;	/* where it comes from */
	int64_t number;			/* of those that are numbers or enums */
	const char *text;		/* borrowed; NULL: not a text, or none */
	const json_t *list;		/* of COMMON, borrowed: what the nearest
					   says; setting_lists says what counts */
};

struct setting_row {
	const char *key, *label, *what;
	enum setting_type type;
	enum setting_of of;
	int64_t min, max;	/* numbers; characters of a text; max of a list */
	bool line;		/* of a text: without control characters */
	const char *choices;	/* "word: label | …", resource_choice; or NULL */
	enum setting_merge merge;
	unsigned levels;	/* bits 1 << enum setting_level */
	int64_t dflt;
};
extern const struct setting_row setting_rows[SETTING__MAX];

/* The value that counts. Any thread, as all of these. */
struct setting_value setting_get(enum setting_id id,
				 const struct setting_scope *in);

/*
 * What one row says, for those who need all rows; false: nothing, or nothing that
 * the table takes today. out borrows from h.
 */
bool setting_held(const struct setting_holder *h, enum setting_id id,
		  struct setting_value *out);

/*
 * Of a COMMON setting: whether the tenant lists the name, and each team that lists
 * something does too. Nothing is common where the tenant lists nothing.
 */
bool setting_lists(enum setting_id id, const struct setting_scope *in,
		   struct str name);

/*
 * Reads a value that a row or a body says: -1 with ERR_INVALID_FIELD and the key
 * as the field if it does not fit. Ids are looked at only as ids are written.
 * out borrows from v.
 */
int setting_parse(const struct setting_row *row, const json_t *v,
		  struct setting_value *out, struct err *e) MUST_CHECK;

/* Word i of the choices, or p == NULL. */
struct str setting_choice(const struct setting_row *row, int64_t i);

/* "user", "built-in" … */
const char *setting_level_name(enum setting_level level);

/* The row of this key, or NULL. */
const struct setting_row *setting_find(struct str key);

/* The rows: as tab-separated lines, and as the table of docs/configuration.md. */
void setting_print(struct buf *out);
void setting_print_table(struct buf *out);

#endif
