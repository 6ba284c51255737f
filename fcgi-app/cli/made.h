/* SPDX-License-Identifier: MIT */
/*
 * Exports stored resources as YAML, and imports them: made.c has the commands,
 * made_yaml.c the format, the other files what differs between kinds.
 */
#ifndef CLI_MADE_H
#define CLI_MADE_H

#include "domain/stored.h"
#include "base/json.h"
#include "cli.h"
#include "conf/yaml.h"
#include "resource/call.h"

/* One run of a command. */
struct made {
	struct cli_session *s;
	const struct made_kind *kind;
	const char *user, *workspace, *group;	/* options; NULL: absent */
	struct identity who;		/* may do everything; the user, if
					 * given */
	struct caller by;
	const struct ynode *list;	/* import: the file */
	const struct ynode *item;	/* the current item */
	const char *key;		/* set: which; NULL: no set */
	json_t *value;
	struct uuid *taken;		/* rows that it has created or found */
	size_t n_taken, taken_room;
	struct resource_row *categories;	/* of prompts; NULL: not read */
	size_t n_categories;
	struct buf out;
};

/* An item of a file, and what is stored of it. */
struct made_item {
	json_t *body;			/* the remaining members are fields */
	struct str parent;		/* of an agent: its workspace */
	const struct resource_row *now;	/* NULL: it is new */
	const char *name;		/* for people */
};

typedef int cli_made_take(struct made *m, const struct resource_row *row,
			  void *ctx, struct err *e);

struct made_kind {
	const char *name, *plural;	/* the command; the key of its files */
	enum resource_id id;
	const char *options;		/* letters of its options */
	const char *named_by;		/* a key that set may not change, or "" */
	size_t second;			/* column that list shows besides the name */
	/* Calls take for each row that the options select. */
	int (*each)(struct made *m, cli_made_take *take, void *ctx,
		    struct err *e);
	/* Finds the row of an item, and leaves in its body what the API takes. */
	int (*find)(struct made *m, struct made_item *i, struct err *e);
	/* Its name on the command line. */
	const char *(*name_of)(struct made *m, const struct resource_row *row);
	/* Converts a row for printing; NULL: it is printed as it is. */
	int (*shown)(struct made *m, struct resource_row *row, struct err *e);
};

extern const struct made_kind cli_made_agent, cli_made_workspace,
	cli_made_prompt, cli_made_category, cli_made_service;

/* The resource of its kind; a text of a row of it, "" where it is NULL. */
const struct resource *cli_made_of(const struct made *m);
const char *cli_made_text(const struct made *m, const struct resource_row *row,
			  size_t column);

/* Each row that this holder has. */
int cli_made_each_held(struct made *m, const struct resource *r,
		       const struct uuid *holder, cli_made_take *take, void *ctx,
		       struct err *e) MUST_CHECK;

/*
 * Each row of a list by name from this sort_key on (empty: all), until take returns 1:
 * then 0.
 */
int cli_made_pages(struct made *m, const struct resource *r,
		   const struct resource_at *at, struct str from,
		   cli_made_take *take, void *ctx, struct err *e) MUST_CHECK;

/* For `each`: all rows of the tenant. */
int cli_made_each(struct made *m, cli_made_take *take, void *ctx,
		  struct err *e) MUST_CHECK;

/* A text that identifies the item, in the arena. ERR_INVALID_FIELD. */
int cli_made_take_text(struct made *m, struct made_item *i, const char *key,
		       struct str *out, struct err *e) MUST_CHECK;

/*
 * Appends a row as an item of a YAML list: its fields that have a value, by their
 * keys in the API, and nothing that only this database knows or that is secret.
 * Read again, the text is the same row. Of IDS, which are a JSON array of names
 * here, the key is CLI_MADE_NAMES.
 */
#define CLI_MADE_NAMES "categories"
void cli_made_put(struct buf *out, const struct resource *r,
		  const struct resource_row *row);

/*
 * The list below the only key of a YAML file, "-" for stdin: a map for each of its
 * items. In a; file and tree too. ERR_CONFIG with "FILE:LINE:COLUMN: ".
 */
int cli_made_read(struct arena *a, const char *file, const char *key,
		  const struct ynode **list, struct err *e) MUST_CHECK;

/* The same of a text; file is what messages call it. Borrows both. */
int cli_made_parse(struct arena *a, const char *file, struct str text,
		   const char *key, const struct ynode **list,
		   struct err *e) MUST_CHECK;

/* Puts the place of the error's field, or of the item, in front of e's text. -1. */
int cli_made_place(const struct ynode *item, struct err *e);

#endif
