/* YAML of rows: made.c's commands, made_yaml.c's text. */
#ifndef CLI_MADE_H
#define CLI_MADE_H

#include "conf/yaml.h"
#include "resource/resource.h"

/*
 * Appends a row as an item of a YAML list: its fields that have a value, by their
 * keys in the API, and nothing that only this database knows. Read again, the
 * text is the same row.
 */
void cli_made_put(struct buf *out, const struct resource *r,
		  const struct resource_row *row);

/*
 * The list below the only key of a YAML file, "-" for stdin: a map for each of its
 * items. In a; file and tree too. ERR_CONFIG with "FILE:LINE:COLUMN: ".
 */
int cli_made_read(struct arena *a, const char *file, const char *key,
		  const struct ynode **list, struct err *e) MUST_CHECK;

/* Puts the place of the error's field, or of the item, in front of e's text. -1. */
int cli_made_place(const struct ynode *item, struct err *e);

#endif
