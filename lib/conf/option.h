/* SPDX-License-Identifier: MIT */
/*
 * The option table: everything that a configuration may contain, one row per key.
 *
 * A row says where the value goes (section struct and offset), what it may be
 * and what it means. Loading, range checks, defaults, printing, `list options`
 * and the reference documentation all walk these rows; a key that has no row
 * does not exist. Sections are the structs of conf.h; a key with dots stands
 * in nested maps of the same struct.
 */
#ifndef CONF_OPTION_H
#define CONF_OPTION_H

#include "conf/conf.h"

enum opt_section {
	SEC_MAIN, SEC_DB, SEC_IDENTITY, SEC_GROUP, SEC_ROLE, SEC_OFFER, SEC_LLM, SEC_AUTO,
	SEC_PROMPT, SEC_TEAM, SEC_MODULE, SEC_PARAM, SEC_CHOICE, SEC_ENTITY, SEC_STATE,
	SEC_INTAKE, SEC_CATALOGUE, SEC_TEMPLATE,
	SEC_WORKSPACE, SEC_AGENT, SEC_DATASET, SEC_MENTION, SEC_COLUMN,
	SEC_ACTION, SEC_TOOL, SEC_USER_TOKEN, SEC_MCP, SEC_MCP_TOOL,
#define SECTION(sec, type, title, help) SEC_##sec,
#include "conf/kind.def"
	SEC__MAX,
	SEC_NONE = SEC__MAX,
};

enum opt_type {
	OPT_INT,	/* int; min..max */
	OPT_DOUBLE,	/* double; min..max; NAN for null */
	OPT_BOOL,	/* bool */
	OPT_STRING,	/* const char *; min..max bytes */
	OPT_LIST,	/* struct conf_list; min..max items; a scalar is one */
	OPT_ENUM,	/* int-sized enum; names */
	OPT_FLAGS,	/* unsigned; names, ORed */
	OPT_JSON,	/* json_t *: a map of anything */
	OPT_STRUCT,	/* embedded struct: a map with the rows of `of` */
	OPT_POINTER,	/* pointer to such a struct; absent: NULL */
	OPT_MAP,	/* pointer + count: id -> map with the rows of `of` */
	OPT_SEQ,	/* pointer + count: list of maps with the rows of `of` */
};

enum {
	OPT_SECRET = 1,		/* masked when printed; `file:` is understood */
	OPT_RESTART = 2,	/* a change takes effect only after a restart */
	OPT_REQUIRED = 4,
	OPT_MAYBE = 8,		/* OPT_STRUCT: absent leaves it all zero */
	/* Of a text, or each item of a list, that resources have, too: the same rules. */
	OPT_CHARS = 16,		/* its range is in characters */
	OPT_LINE = 32,		/* no control characters */
};

struct opt_name {		/* ended by NULL */
	const char *name;
	unsigned value;
};

/*
 * A further rule for a text: returns NULL if the text follows it, else the end
 * of a message that begins with the value ("must start with http:// or
 * https://").
 */
typedef const char *opt_check(const char *text);

struct conf_option {
	enum opt_section in, of;
	const char *key;	/* within the section; dots nest */
	enum opt_type type;
	size_t offset, count_offset;
	size_t set;		/* of the flag that says whether there is a value, a bool;
				   0: there is none */
	const struct opt_name *names;
	const char *dflt;	/* as in YAML; lists by blanks; NULL = none */
	double min, max;
	int item_chars;		/* of a list of a resource: maximum of an item; 0: any */
	const char *unit;
	unsigned flags;
	opt_check *check;	/* of the text, or of each item of a list */
	const char *help;
};

extern const struct conf_option conf_options[];
extern const size_t conf_option_count;

struct opt_section_row {
	const char *name;	/* as documentation shows it: "llm_services.*" */
	const char *help;
	size_t size;		/* of the struct */
	int id_offset;		/* gets the key in a map; -1 = none */
	int file_offset, line_offset;	/* -1 = none */
	opt_check *id_check;
	const char *short_key;	/* what stands in place of a map that has only
				   this key; NULL: nothing may */
	bool listed;		/* a list of ids may stand in place of a map of them */
};

extern const struct opt_section_row opt_sections[SEC__MAX];

/* Sets the members of a zeroed struct of a section that have defaults. In a. */
void conf_defaults(enum opt_section sec, struct arena *a, void *out);

/* Whether a value is one: not "", null, 0 or an empty list. */
bool option_has(enum opt_type type, const void *field);

/* The row of a full key in a section, or NULL. */
const struct conf_option *option_find(enum opt_section in, const char *key);

/*
 * The known key that is nearest to the unknown one (edit distance) among the
 * keys that may stand there, or NULL when none is near. prefix is "" or ends
 * with a dot. The result is in out (n_bytes).
 */
const char *option_nearest(enum opt_section in, const char *prefix,
			   const char *unknown, char *out, size_t n_bytes);

#endif
