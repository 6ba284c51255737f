/* Inside lib/intake: one run, and the files or rows that it looks at. */
#ifndef INTAKE_ITEM_H
#define INTAKE_ITEM_H

#include <sodium.h>

#include "base/clock.h"
#include "intake/intake.h"
#include "search/kb.h"

#define INTAKE_HASH_BYTES 32

struct intake_run {
	const struct intake_io *io;
	const struct conf_intake *s;
	struct kb_at at;
	struct intake_state st;
	struct buf faults;
	size_t n_faults;
	struct str groups;	/* of its documents, as JSON */
	bool whole;		/* all was looked at: the rest is gone */
	struct arena *a;
};

/* What a file or a row says. Borrowed. */
struct intake_item {
	struct str key;		/* path or id: any bytes */
	unsigned char hash[INTAKE_HASH_BYTES];	/* of the key */
	unsigned char stamp[INTAKE_HASH_BYTES];
	unsigned char content[INTAKE_HASH_BYTES];
	struct str title;	/* one line, not empty */
	struct str url;		/* p == NULL: none */
	struct str groups;	/* JSON, sorted */
	struct str text;	/* p == NULL: it is a file */
	struct str file_name;
	/* The next bytes of the file: n of them, 0 at the end; -1. */
	int64_t (*read)(struct intake_item *it, char *p, size_t n, struct err *e);
	int fd;
	struct str body;	/* for read: what is left */
};

/* read of one that has its body. */
int64_t intake_read_body(struct intake_item *it, char *p, size_t n, struct err *e);

/* Hash of the parts, each with its end. */
void intake_hash(unsigned char out[INTAKE_HASH_BYTES], const struct str *v,
		 size_t n);

/* Whether the run should end for now. */
bool intake_is_late(const struct intake_run *k);

/* Notes that the file or row shown so failed, as a sentence. */
void intake_fault(struct intake_run *k, struct str key, const char *why);

/*
 * Whether it is as it was, by its stamp: then it is counted, and nothing is left to
 * do. 1, 0, -1.
 */
int intake_same(struct intake_run *k, const struct intake_item *it,
		struct err *e) MUST_CHECK;

/* Keeps its document as it is, if it has one, although it could not be read. */
int intake_keep(struct intake_run *k, const struct intake_item *it,
		struct err *e) MUST_CHECK;

/*
 * Writes it as a document unless that says the same already. What keeps just this
 * one from being written is noted (intake_fault). In a.
 */
int intake_write(struct intake_run *k, struct intake_item *it, struct arena *a,
		 struct err *e) MUST_CHECK;

/*
 * Groups as JSON, sorted, each once; in a. NULL: it is no list of at most
 * LIM_DOCUMENT_GROUPS names of 1 to LIM_DOCUMENT_GROUP_CHARS characters; *wrong (may
 * be NULL) is the first that is none, SIZE_MAX: the list itself.
 */
const char *intake_groups(struct arena *a, const json_t *list, size_t *wrong);

/* Deletes the documents of what the run did not see. 1, 0: there is more, -1. */
int intake_drop(struct intake_run *k, struct err *e) MUST_CHECK;

/* The kinds: k->st.place says how far they are. 1, 0, -1. */
int intake_directory(struct intake_run *k, struct err *e) MUST_CHECK;
int intake_select(struct intake_run *k, struct err *e) MUST_CHECK;
int intake_site(struct intake_run *k, struct err *e) MUST_CHECK;

/*
 * The caps and rights that documents of sources are written with; the base is nil.
 */
struct kb_at intake_at(const struct conf *conf);

#endif
