/* SPDX-License-Identifier: MIT */
/*
 * Lists that are searched (SEARCHED), or limited or ordered by members of PROPS (SIFTED):
 * what YAML declares has no columns, and so no keys. All rows of the scope that pass the
 * other filters, and have the words, are read without their texts, which are at most as
 * many as resource.def says, and then those of the page.
 *
 * The words are looked for in the folded texts of the row itself, which are written with
 * it: no row is found by what it was, none is missing because a process died, and what
 * deletes, erases or restores a row does so with its texts. Whoever may not read a row
 * does not find it: each statement asks for itself.
 *
 * Rejected: an index of words, in which parts of words are not found, and which readers
 * could not share; a table of members by row, which would have to be made anew whenever
 * the declaration changes; and searching the JSON in the statement, which finds what looks
 * like a member, too.
 */
#ifndef RESOURCE_SIFT_H
#define RESOURCE_SIFT_H

#include "resource/call.h"

/* Something of a file among the rows. */
struct sift_file {
	struct resource_item item;	/* its row, or NAMED its object */
	struct uuid id;		/* that no other one has */
	struct str sort_key;
	struct str folded;	/* what the search looks in */
};

/* The place of a row in the list, for a cursor. */
struct sift_place {
	int rank;
	struct db_val value;	/* of the order */
	struct uuid id;
};

struct sift_page {
	struct resource_item *items;
	struct sift_place *places;
	size_t n;
	/* the stored ones, in any order: items point to them */
	struct resource_row *rows;
	size_t n_rows;
	bool more;
	int64_t total;
};

/*
 * A page of the rows that want says: by words and by members of its limits; of the n_files
 * those that have the words. Blocks. In a. Database errors.
 */
int sift_list(struct db *db, const struct resource *r, const struct resource_at *at,
	      const struct resource_want *want, const struct sift_file *files,
	      size_t n_files, struct arena *a, struct sift_page *out,
	      struct err *e) MUST_CHECK;

#endif
