/* SPDX-License-Identifier: MIT */
/*
 * One load: from YAML trees to the structs of conf.h, by the option table.
 *
 * Errors do not stop a load, so that one run of `lamplighter check` shows all
 * of them; a load with errors never becomes a configuration. Only lib/conf
 * includes this.
 */
#ifndef CONF_LOAD_H
#define CONF_LOAD_H

#include "conf/option.h"
#include "conf/source.h"
#include "conf/yaml.h"

struct field_place {			/* where a field's value stood */
	const void *field;
	struct ypos pos;
};

struct loader {
	struct conf *c;			/* being filled */
	struct arena *a;		/* c's: what the result keeps */
	struct arena tree;		/* trees, for the time of the load */
	struct conf_sources *src;	/* every file that was looked at */
	const char *dir;		/* of the main file, "" or ends with / */
	size_t nodes_left, bytes_left;
	struct field_place *places;		/* in the order of loading */
	size_t n_places, places_size;
	struct err *e;			/* gets the first error */
	struct buf *report;		/* gets all of them; may be NULL */
	int n_errors;
};

/* Notes an error at pos; pos may be NULL when there is no place. */
void load_fail(struct loader *l, const struct ypos *pos, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/*
 * Fills the struct at base (of that section, zeroed) from node, which may be
 * NULL for defaults only. at is where a missing key is reported.
 */
void load_struct(struct loader *l, enum opt_section sec, void *base,
		 const struct ynode *node, const struct ypos *at);

/* Where the value of a field stood, or NULL when it is a default. */
const struct ypos *load_pos(const struct loader *l, const void *field);

/* Notes where a value stands that load_struct did not set. */
void load_place(struct loader *l, const void *field, const struct ypos *pos);

/*
 * Reads and parses one file. NULL when it failed (noted) or is missing and
 * maybe is set.
 */
const struct ynode *load_file(struct loader *l, const char *path);

/* A tree as JSON, with no variables filled in. New. */
json_t *load_json(const struct ynode *n);

/*
 * The map in a file (relative to the main one), JSON or YAML, with no variables
 * filled in. Kept by l->a. NULL when that failed (noted; pos is where the file
 * is named).
 */
json_t *load_document(struct loader *l, const char *path,
		      const struct ypos *pos);

/* Cross checks and what absent keys fall back to, when all is loaded. */
void check_all(struct loader *l);

#endif
