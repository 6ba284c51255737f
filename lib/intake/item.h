/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/intake: one run, and the items (files, pages or rows) that it
 * reads.
 */
#ifndef INTAKE_ITEM_H
#define INTAKE_ITEM_H

#include <sodium.h>

#include "base/clock.h"
#include "intake/intake.h"
#include "knowledge/kb.h"

#define INTAKE_HASH_BYTES 32

/* knowledge_source.going */
enum going { ENDED, LOOKING, LOOKING_IN_PART, DROPPING };

struct intake_run {
	const struct intake_io *io;
	const struct conf_intake *s;
	struct kb_at at;
	struct intake_state st;
	struct buf faults;
	size_t n_faults;
	struct str groups;	/* groups of its documents, as JSON */
	bool whole;		/* everything was examined: items not seen no
				   longer exist */
	struct arena *a;
	struct uuid lease;	/* knowledge_source.lease_by */
	int64_t renew_ms;	/* monotonic: when to renew it */
};

/*
 * A run has a lease of its source, so that no other reads it. intake_take returns
 * 1; 0 if another run has it; -1. intake_renew fails with ERR_BUSY if the lease
 * was lost; then the run must delete nothing. It asks the database only once in a
 * while, or if it is forced to. intake_release ends the lease.
 */
int intake_take(struct intake_run *k, struct err *e) MUST_CHECK;
int intake_renew(struct intake_run *k, bool force, struct err *e) MUST_CHECK;
void intake_release(struct intake_run *k);

/* Stores the state of the run, and keeps its lease; ERR_BUSY if that was lost. */
int intake_save(struct intake_run *k, struct err *e) MUST_CHECK;

/* An item. Borrowed. */
struct intake_item {
	struct str key;		/* path, address or id: any bytes */
	unsigned char hash[INTAKE_HASH_BYTES];	/* of the key */
	unsigned char stamp[INTAKE_HASH_BYTES];
	unsigned char content[INTAKE_HASH_BYTES];
	struct str title;	/* one line, not empty */
	struct str url;		/* p == NULL: none */
	struct str groups;	/* JSON, sorted */
	struct str text;	/* p == NULL: the item is a file */
	struct str file_name;
	/* Reads the next n bytes of the file: how many, 0 at the end; -1. */
	int64_t (*read)(struct intake_item *it, char *p, size_t n, struct err *e);
	int fd;
	struct str body;	/* for intake_read_body: the rest */
};

/* Hashes the parts, with their boundaries. */
void intake_hash(unsigned char out[INTAKE_HASH_BYTES], const struct str *v,
		 size_t n);

/* Whether the run must end for now. */
bool intake_is_late(const struct intake_run *k);

/* Records an error of an item as a sentence; key is shown to people. */
void intake_fault(struct intake_run *k, struct str key, const char *why);

/*
 * Whether the item is unchanged, by its stamp; if so, counts it, and nothing else
 * needs to be done. 1, 0, -1.
 */
int intake_same(struct intake_run *k, const struct intake_item *it,
		struct err *e) MUST_CHECK;

/* Keeps the document of an item that cannot be read, if it has one. */
int intake_keep(struct intake_run *k, const struct intake_item *it,
		struct err *e) MUST_CHECK;

/*
 * Writes the item as a document unless that is equal already. Errors of this
 * item alone are recorded (intake_fault). In a. Returns 0, or -1 for an error
 * that ends the run.
 */
int intake_write(struct intake_run *k, struct intake_item *it, struct arena *a,
		 struct err *e) MUST_CHECK;

/*
 * Groups as JSON, sorted, without duplicates; in a. NULL if list is not a list
 * of at most LIM_DOCUMENT_GROUPS names of 1 to LIM_DOCUMENT_GROUP_CHARS
 * characters; *wrong (may be NULL) is the index of the first bad one, SIZE_MAX:
 * the list itself.
 */
const char *intake_groups(struct arena *a, const json_t *list, size_t *wrong);

/*
 * Deletes the documents of items that neither the run nor a later one saw. 1; 0 if
 * there is more; -1.
 */
int intake_drop(struct intake_run *k, struct err *e) MUST_CHECK;

/*
 * Read the kinds of sources, continuing after k->st.place. Return 1; 0 if there is
 * more; -1.
 */
int intake_directory(struct intake_run *k, struct err *e) MUST_CHECK;
int intake_select(struct intake_run *k, struct err *e) MUST_CHECK;
int intake_site(struct intake_run *k, struct err *e) MUST_CHECK;

/* The limits and access for writing the documents of sources; the base is nil. */
struct kb_at intake_at(const struct conf *conf);

/* The read function of an item that has its body in memory. */
int64_t intake_read_body(struct intake_item *it, char *p, size_t n, struct err *e);

#endif
