/* SPDX-License-Identifier: MIT */
/*
 * Exports stored resources as YAML, and imports them: exchange.c has the commands and the
 * format, the other files what differs between kinds.
 */
#ifndef CLI_EXCHANGE_H
#define CLI_EXCHANGE_H

#include "domain/stored.h"
#include "base/json.h"
#include "cli.h"
#include "conf/yaml.h"
#include "resource/call.h"

/* One run of a command. */
struct exchange_run {
	struct cli_session *s;
	const struct exchange_kind *kind;
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
struct exchange_item {
	json_t *body;			/* the remaining members are fields */
	struct str parent;		/* of an agent: its workspace */
	const struct resource_row *now;	/* NULL: it is new */
	const char *name;		/* for people */
};

typedef int cli_exchange_take(struct exchange_run *m, const struct resource_row *row,
			  void *ctx, struct err *e);

struct exchange_kind {
	const char *name, *plural;	/* the command; the key of its files */
	enum resource_id id;
	const char *options;		/* letters of its options */
	const char *named_by;		/* a key that set may not change, or "" */
	size_t second;			/* column that list shows besides the name */
	/* Calls take for each row that the options select. */
	int (*each)(struct exchange_run *m, cli_exchange_take *take, void *ctx,
		    struct err *e);
	/* Finds the row of an item, and leaves in its body what the API takes. */
	int (*find)(struct exchange_run *m, struct exchange_item *i, struct err *e);
	/* Its name on the command line. */
	const char *(*name_of)(struct exchange_run *m, const struct resource_row *row);
	/* Converts a row for printing; NULL: it is printed as it is. */
	int (*shown)(struct exchange_run *m, struct resource_row *row, struct err *e);
};

extern const struct exchange_kind cli_exchange_agent, cli_exchange_workspace,
	cli_exchange_prompt, cli_exchange_category, cli_exchange_service;

/* The resource of its kind; a text of a row of it, "" where it is NULL. */
const struct resource *cli_exchange_of(const struct exchange_run *m);
const char *cli_exchange_text(const struct exchange_run *m, const struct resource_row *row,
			  size_t column);

/* Each row that this holder has. */
int cli_exchange_each_held(struct exchange_run *m, const struct resource *r,
		       const struct uuid *holder, cli_exchange_take *take, void *ctx,
		       struct err *e) MUST_CHECK;

/*
 * Each row of a list by name from this sort_key on (empty: all), until take returns 1:
 * then 0.
 */
int cli_exchange_pages(struct exchange_run *m, const struct resource *r,
		   const struct resource_at *at, struct str from,
		   cli_exchange_take *take, void *ctx, struct err *e) MUST_CHECK;

/* For `each`: all rows of the tenant. */
int cli_exchange_each(struct exchange_run *m, cli_exchange_take *take, void *ctx,
		  struct err *e) MUST_CHECK;

/* A text that identifies the item, in the arena. ERR_INVALID_FIELD. */
int cli_exchange_take_text(struct exchange_run *m, struct exchange_item *i, const char *key,
		       struct str *out, struct err *e) MUST_CHECK;

/*
 * Appends a row as an item of a YAML list: its fields that have a value, by their
 * keys in the API, and nothing that only this database knows or that is secret.
 * Read again, the text is the same row. Of IDS, which are a JSON array of names
 * here, the key is CLI_EXCHANGE_NAMES.
 */
#define CLI_EXCHANGE_NAMES "categories"

#endif
