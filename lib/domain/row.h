/* SPDX-License-Identifier: MIT */
/*
 * What workspaces and agents have in common as resources: their ids, values, and
 * members of their records.
 */
#ifndef DOMAIN_ROW_H
#define DOMAIN_ROW_H

#include "resource/call.h"

/*
 * Makes the id in this column out of the text in the column `name`, if it is not
 * given, and validates it. In by's arena. ERR_INVALID_FIELD.
 */
int agent_row_check_id(const struct caller *by, const struct resource *r,
		       struct resource_row *row, size_t column, size_t name,
		       struct err *e) MUST_CHECK;

/*
 * The time from which conversations belong to the row: older ones belong to an
 * earlier owner of its id.
 */
int64_t agent_row_since_us(const struct resource_row *row);

/* The hook `changed` of agents and workspaces: what was asked of the job begins now. */
void agent_row_changed(const struct caller *by, const struct resource_change *k);

/* Writes a member: an array of texts. */
void agent_row_write_list(struct jw *w, const char *key,
			  const struct conf_list *l);

/* Writes createdAt and updatedAt; null without a row. */
void agent_row_write_times(struct jw *w, const struct resource_row *row);

/*
 * Writes who wrote the prompt; of what is in a file (row NULL), nobody in
 * particular. hashed: with its hash, for those who may read it.
 */
void agent_row_write_author(struct jw *w, const struct caller *by,
			    const struct resource *r,
			    const struct resource_row *row, bool hashed);

#endif
