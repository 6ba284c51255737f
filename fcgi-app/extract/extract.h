/* SPDX-License-Identifier: MIT */
/*
 * lamplighter-extract: reads one untrusted file or page from stdin and writes its
 * text to stdout. It is a separate process, because parsers may take too long, use
 * too much memory and have vulnerabilities: it can be killed at any moment and has
 * no secrets. lib/file/extract.c starts it with limits; its own restrictions are in
 * confine.c.
 *
 *   main.c     the order: read, prepare, confine, extract, write
 *   types.c    the table of types      charset.c  text in any charset as UTF-8
 *   page.c     HTML                    confine.c  no files, no network, no programs
 *
 * lamplighter-extract-file is the same with types_file.c and libraries for
 * documents: file.c detects types, pdf.c, office*.c, rtf.c, mail.c and plain.c read
 * them, scan.c recognises the text of images, out.c writes the output.
 *
 * It links only the parts of lib/base that it uses, not the library, so that it
 * starts fast and contains no network code.
 */
#ifndef EXTRACT_EXTRACT_H
#define EXTRACT_EXTRACT_H

#include "base/buf.h"
#include "file/extract.h"	/* exit codes only; links nothing */

struct extract {
	struct buf input;	/* from stdin; a type may replace it */
	const char *charset;	/* as declared by the sender, or NULL */
	bool links;		/* write the targets of links */
	bool head;		/* input is the beginning of the file; only find its type */
	int64_t pages;		/* 0: the file has no pages */
	int depth;		/* of files within files */
	char scanned[120];	/* "2-5, 9": pages without text if others have some; or "" */
	int unread;		/* first page that is an image; 0: none */
	/* scans: first and last page, maximum number; result of preparing */
	int from, to, most;
	const char *languages;	/* "deu+eng" */
	int failed;
	struct buf out;		/* UTF-8 */
};

/*
 * A type. Both functions return an exit code of enum extract_exit. prepare runs
 * before the process confines itself, so it may load files that the C library needs,
 * and must not process the input beyond that. extract runs confined: it has only
 * memory.
 */
struct extract_type {
	const char *name;	/* of --type */
	int (*prepare)(struct extract *x);
	int (*extract)(struct extract *x);
	bool answers;		/* writes its output even if it fails */
	bool quiet;		/* forbidden system calls fail, for libraries that
				   look for files and continue without */
};

/* Returns the type with this name, or NULL. */
const struct extract_type *extract_type(const char *name);

#endif
