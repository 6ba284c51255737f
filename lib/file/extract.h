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

struct http_abort;

/* How the child ends. */
enum extract_exit {
	EXTRACT_OK = 0,
	EXTRACT_UNREADABLE = 10,	/* not what it is said to be, or damaged */
	EXTRACT_TOO_BIG = 11,		/* more than the sizes above */
	EXTRACT_MEMORY = 12,		/* it met its limit */
	EXTRACT_ENCRYPTED = 13,		/* a password is needed */
	EXTRACT_NO_TEXT = 14,		/* pages of images: a scan */
	EXTRACT_EMPTY = 15,		/* nothing is in it */
	EXTRACT_UNKNOWN = 16,		/* a type that has no reader */
	EXTRACT_BOMB = 17,		/* far more in it than its size lets expect */
	EXTRACT_NO_READER = 18,		/* there is no Tesseract, or not for the language */
	EXTRACT_USAGE = 64,
};

/* Its message on stderr if the kernel does not provide the filter; the reason follows. */
#define EXTRACT_UNCONFINED "without a system call filter: "

struct extract_want {
	const char *what;		/* "The page": begins the messages */
	const char *type;		/* a row of fcgi-app/extract/types*.c */
	const char *charset;		/* what the sender said; NULL or "" = nothing */
	bool links;			/* "text (URL)" instead of "text" */
	bool files;			/* type is one of lamplighter-extract-file */
	int64_t until_ms;		/* clock_mono_ms; at most 20 s from now */
	struct http_abort *abort;	/* NULL = cannot be cancelled */
};

/*
 * Appends the text of input to out, as valid UTF-8 within out's cap. On failure
 * out is as it was. ERR_CANCELLED; ERR_TOOL_TIMEOUT and ERR_TOOL_FAILED with a
 * sentence for the model: too slow, too large, unreadable, over a limit, or no
 * program (the log says where it was looked for). Blocks; any thread.
 */
int file_extract_text(const struct extract_want *w, struct str input,
		      struct buf *out, struct err *e) MUST_CHECK;

/*
 * What a file is by its content, and its text as Markdown with page marks
 * (docs/files.md), read by lamplighter-extract-file, which also knows documents
 * and archives. more gives its bytes as spawn.more does; head_only: these are only
 * its beginning, the type is wanted. media_type and text are in a; text p == NULL:
 * there is none, and problem, a sentence, says why, unless none is expected. Beside a
 * text, problem says which pages have none.
 */
struct file_found {
	struct str media_type, text, problem;
	int64_t pages;		/* 0: it has none */
	int64_t unread;		/* the first page that is an image; 0: none */
};

struct file_source {
	int (*more)(void *ctx, struct str *next);
	void *ctx;
	bool head_only;
	const struct uuid *user;	/* whose file it is */
};

/*
 * ERR_TOOL_FAILED: the program cannot be started. ERR_OVERLOADED: nothing is known of
 * the file, because too many others are read, by this user or by all, the system has
 * no process or pipe left, or it was too slow. Blocks, up to 50 s; any thread.
 */
int file_extract_all(const struct file_source *s, struct arena *a,
		     struct file_found *out, struct err *e) MUST_CHECK;

/* The text of pages that are images, by lamplighter-extract-file --type scan. */
struct file_scan_want {
	int from, to, most;	/* pages, from 1; and how many, if there is time */
	bool picture;		/* the next one as a PNG instead */
	const char *languages;	/* of Tesseract: "deu+eng" */
	struct http_abort *abort;	/* these two may be NULL: not cancelled */
	const atomic_bool *stop;
};

struct file_scanned {
	int exit_code;		/* enum extract_exit */
	bool killed;		/* it took too much time or memory */
	struct str text;	/* with page marks if the file has pages; or the PNG */
	int64_t done, next;	/* as fcgi-app/extract/file.h has them */
};

/* The same errors, and ERR_CANCELLED. */
int file_extract_scan(const struct file_source *s, const struct file_scan_want *w,
		      struct arena *a, struct file_scanned *out,
		      struct err *e) MUST_CHECK;

/* Whether Tesseract is there, with these languages: 1, 0, -1. */
int file_extract_can_scan(const char *languages, struct err *e) MUST_CHECK;

/*
 * Tries a program with a small text, for doctor: the one for pages, or for files.
 * *confined: with the system call filter; else why has the reason. -1: it cannot be
 * run at all, or does not work.
 */
int file_extract_try(bool files, bool *confined, struct buf *why,
		     struct err *e) MUST_CHECK;

/*
 * The program: in $LAMPLIGHTER_LIBEXEC_DIR, else beside our own program, else
 * where `make install` put it. Looked for once. Never NULL.
 */
const char *file_extract_program(void);
#define FILE_EXTRACT_FILES "-file"	/* behind it: the one for files */

#endif
