/*
 * Settings: values that can be set on more than one level, from a tool to the
 * installation. setting.def has the levels of each, and how they merge; no other
 * code compares two levels.
 */
#ifndef AGENT_SETTING_H
#define AGENT_SETTING_H

#include "agent/agent.h"

/* Nearest first. User, team and tenant have values in rows only. */
enum setting_level {
	LEVEL_TOOL, LEVEL_AGENT, LEVEL_WORKSPACE,
	LEVEL_USER, LEVEL_TEAM, LEVEL_TENANT,
	LEVEL_INSTALLATION,
	LEVEL_BUILT_IN		/* no level says anything: the default */
};

enum setting_merge {
	MERGE_FIRST,		/* the nearest level that says something */
	MERGE_MOST, MERGE_LEAST	/* of what all levels say */
};

enum setting_id {
#define SETTING(name, key, merge, dflt, what, levels) SETTING_##name,
#include "agent/setting.def"
	SETTING__MAX
};

/* The levels for which a value is resolved; NULL or unset if there is none. */
struct setting_scope {
	const struct conf *conf;
	const struct workspace *workspace;	/* or NULL */
	const struct agent *agent;		/* or NULL */
	struct {
		bool set;
		int64_t number;
	} tool;		/* what the tool says of the setting that is asked for */
};

struct setting_value {
	enum setting_level level;	/* where it comes from */
	int64_t number;			/* of those that are numbers or enums */
	const char *text;		/* borrowed; NULL: not a text, or none */
};

struct setting_row {
	const char *key, *what;
	enum setting_merge merge;
	unsigned levels;		/* bits 1 << enum setting_level */
	int64_t dflt;
};
extern const struct setting_row setting_rows[SETTING__MAX];

/* The value that counts. Any thread. */
struct setting_value setting_get(enum setting_id id,
				 const struct setting_scope *in);

/* The rows: as tab-separated lines, and as the table of docs/configuration.md. */
void setting_print(struct buf *out);
void setting_print_table(struct buf *out);

#endif
