/* SPDX-License-Identifier: MIT */
/*
 * Extracts the text of an untrusted page or file. It is parsed only in a child
 * process with limits, never in this one: parsers may take too long, use too much
 * memory and have vulnerabilities. The child is lamplighter-extract
 * (fcgi-app/extract), which shares this header.
 */
#ifndef FILE_EXTRACT_H
#define FILE_EXTRACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/uuid.h"
#include "hold/share.h"

struct http_abort;
struct spawn_result;

/* How the child ends. */
enum extract_exit {
	EXTRACT_OK = 0,
	EXTRACT_UNREADABLE = 10,	/* not of the stated type, or damaged */
	EXTRACT_TOO_BIG = 11,		/* input or output exceeds its limit */
	EXTRACT_MEMORY = 12,		/* memory limit reached */
	EXTRACT_ENCRYPTED = 13,		/* a password is needed */
	EXTRACT_NO_TEXT = 14,		/* its pages are images: a scan */
	EXTRACT_EMPTY = 15,		/* the file is empty */
	EXTRACT_UNKNOWN = 16,		/* no reader for its type */
	EXTRACT_BOMB = 17,		/* expands to far more than its size suggests */
	EXTRACT_NO_READER = 18,		/* no Tesseract, or not for the language */
	EXTRACT_USAGE = 64,
};

/* Its message on stderr if the kernel does not provide the filter; the reason follows. */
#define EXTRACT_UNCONFINED "without a system call filter: "

struct extract_want {
	const char *what;		/* "The page": begins error messages */
	const char *type;		/* a row of fcgi-app/extract/types*.c */
	const char *charset;		/* as declared by the sender; NULL or "" = none */
	bool links;			/* "text (URL)" instead of "text" */
	bool files;			/* type is one of lamplighter-extract-file */
	bool bytes;			/* its output is a file, no text */
	int64_t until_ms;		/* clock_mono_ms; at most 20 s from now */
	struct http_abort *abort;	/* NULL = cannot be cancelled */
};

/*
 * Appends the text of input to out, as valid UTF-8 (or the bytes) within out's cap. Leaves out
 * unchanged on failure. ERR_CANCELLED; ERR_TOOL_TIMEOUT and ERR_TOOL_FAILED with a
 * sentence for the model: too slow, too large, unreadable, over a limit, or the program
 * is missing (its path is logged). Blocks; any thread.
 */
int file_extract_text(const struct extract_want *w, struct str input,
		      struct buf *out, struct err *e) MUST_CHECK;

/*
 * The type of a file by its content, and its text as Markdown with page marks
 * (docs/files.md), read by lamplighter-extract-file, which also supports documents and
 * archives. All strings are in a. Without text (p == NULL) problem is a sentence that
 * says why, or NULL if the type has no text. With text, problem names the pages that
 * have none.
 */
struct file_found {
	struct str media_type, text, problem;
	int64_t pages;		/* 0: the file has no pages */
	int64_t unread;		/* first page that is an image; 0: none */
};

struct file_source {
	int (*more)(void *ctx, struct str *next);	/* as spawn.more */
	void *ctx;
	bool head_only;		/* more gives the beginning only; just the type is read */
	const struct uuid *user;	/* who asked for it: takes a place */
};

/*
 * Reads a file. ERR_TOOL_FAILED if the program cannot be started. ERR_OVERLOADED if the
 * file could not be read now: too many other files are being read, for this user or in
 * total, the system has no process or pipe left, or the child got too little CPU time.
 * Blocks for up to 50 s; any thread.
 */
int file_extract_all(const struct file_source *s, struct arena *a,
		     struct file_found *out, struct err *e) MUST_CHECK;

/* OCR of pages that are images, by lamplighter-extract-file --type scan. */
struct file_scan_want {
	int from, to, most;	/* pages, from 1; and how many at most, if time permits */
	bool picture;		/* the next one as a PNG instead */
	const char *languages;	/* of Tesseract: "deu+eng" */
	struct http_abort *abort;	/* these two may be NULL: not cancelled */
	const atomic_bool *stop;
};

struct file_scanned {
	int exit_code;		/* enum extract_exit */
	bool killed;		/* exceeded the time or memory limit */
	struct str text;	/* with page marks if the file has pages; or the PNG */
	int64_t done, next;	/* see fcgi-app/extract/file.h */
};

/* Errors: those of file_extract_all, and ERR_CANCELLED. */
int file_extract_scan(const struct file_source *s, const struct file_scan_want *w,
		      struct arena *a, struct file_scanned *out,
		      struct err *e) MUST_CHECK;

/* How many files are read at the same time, in all and for one user. */
struct share_limit file_extract_limit(void);

/* Whether Tesseract is installed, with these languages: 1, 0 or -1. */
int file_extract_can_scan(const char *languages, struct err *e) MUST_CHECK;

/*
 * Tests the program for pages, or for files, with a small text, for doctor. *confined:
 * whether the system call filter works; if not, the reason is appended to why. Returns
 * -1 if the program cannot be run or does not work.
 */
int file_extract_try(bool files, bool *confined, struct buf *why,
		     struct err *e) MUST_CHECK;

/*
 * Path of the program: in $LAMPLIGHTER_LIBEXEC_DIR, else next to the running program,
 * else where `make install` puts it. Determined once. Never NULL.
 */
const char *file_extract_program(void);
#define FILE_EXTRACT_FILES "-file"	/* suffix of the program for files */

/*
 * Whether the reader of a file was killed because it did not get its CPU time, which is
 * the machine's fault: the caller may try again. Else, if it got a good share of it and
 * was not done, the file's: another try would cost as much, and end in the same way.
 */
bool file_extract_starved(const struct spawn_result *r);

#endif
