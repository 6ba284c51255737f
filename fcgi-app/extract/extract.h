/*
 * lamplighter-extract: reads one file or page of a stranger on stdin and writes
 * its text on stdout. A process of its own, because parsers of foreign formats
 * take too long, take too much memory and have holes: here they can be
 * killed at any moment, and have nothing to take. Started by
 * lib/tool/core/extract.c with limits; what it does to itself is in confine.c.
 *
 *   main.c     the order: read, prepare, confine, extract, write
 *   types.c    the table of types      charset.c  text in any charset as UTF-8
 *   page.c     HTML                    confine.c  no files, no network, no programs
 *
 * It links the few parts of lib/base that it uses, not the library, so that it
 * starts fast and holds no code that talks to anybody.
 */
#ifndef EXTRACT_EXTRACT_H
#define EXTRACT_EXTRACT_H

#include "base/buf.h"
#include "tool/core/extract.h"	/* exit codes, nothing that is linked */

struct extract {
	struct buf input;	/* what came on stdin; a type may replace it */
	const char *charset;	/* what the sender said, or NULL */
	bool links;		/* write where links lead to */
	struct buf out;		/* UTF-8 */
};

/*
 * A type. Both functions return an exit code of enum extract_exit. prepare runs
 * before the process confines itself, so it may load what parts of the C
 * library need from disk, and must do no more with the input than that takes.
 * extract runs confined: it has memory and nothing else.
 */
struct extract_type {
	const char *name;	/* of --type */
	int (*prepare)(struct extract *x);
	int (*extract)(struct extract *x);
};

/* The type of that name, or NULL. */
const struct extract_type *extract_type(const char *name);

#endif
