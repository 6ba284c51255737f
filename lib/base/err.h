/* SPDX-License-Identifier: MIT */
/*
 * Errors of the whole system. A function that can fail returns 0 or -1 (or
 * NULL) and takes a `struct err *` last; the first error set wins, so unwinding
 * cannot overwrite the cause. Library code fills it and prints nothing.
 *
 * `text` is for the log and may name files, SQL states or addresses. What a
 * client sees is the row's public message, or `public` where the place that
 * failed had something useful and safe to say, in the language `lang`: that of
 * the request for the one that its handler gets; English for those that are made
 * below it, such as a tool's, which a model reads.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/util.h"
#include "base/lang.h"

enum err_code {
#define ERR(name, status, code, message, level, retry) ERR_##name,
#include "base/err.def"
#undef ERR
	ERR__MAX
};

struct err_row {
	const char *name;	/* "ERR_NOT_FOUND" */
	int http_status;
	const char *code;	/* stable wire code, "not_found" */
	const char *message;	/* public default text */
	int log_level;		/* enum log_level */
	int retryable;		/* the same request may work later */
};

/* The rows, indexed by enum err_code. */
extern const struct err_row err_rows[ERR__MAX];

struct err {
	enum err_code code;	/* ERR_NONE while nothing failed */
	char text[256];		/* for the log */
	char public[256];	/* for the client; "" = the row's message */
	char field[64];		/* request field that is wrong, or "" */
	char id[40];		/* id that helps the client (busy turn), or "" */
	int retry_after_s;	/* seconds, 0 = none said */
	const struct lang *lang;	/* of `public`; constant */
	const char *file;	/* where it was set */
	int line;
};

#define ERR_INIT { .code = ERR_NONE }

/*
 * Set an error unless one is set already. Returns -1, so that failing is one
 * statement: `return err_set(e, ERR_DB, "...", ...)`. The text goes to the log
 * only. e must not be NULL.
 */
#define err_set(e, code, ...) \
	err_set_at((e), __FILE__, __LINE__, (code), __VA_ARGS__)
int err_set_at(struct err *e, const char *file, int line, enum err_code code,
	       const char *fmt, ...) PRINTF_LIKE(5, 6);

/* As err_set, but the client is shown the text, too, in its language. Returns -1. */
#define err_public(e, code, ...) \
	err_public_at((e), __FILE__, __LINE__, (code), __VA_ARGS__)
int err_public_at(struct err *e, const char *file, int line,
		  enum err_code code, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* A wrong request field: ERR_INVALID_FIELD (or code), public text. Returns -1. */
#define err_field(e, code, field, ...) \
	err_field_at((e), __FILE__, __LINE__, (code), (field), __VA_ARGS__)
int err_field_at(struct err *e, const char *file, int line,
		 enum err_code code, const char *field, const char *fmt, ...)
	PRINTF_LIKE(6, 7);

/*
 * After err_public or err_field has refused a name: what was probably meant, added to
 * both texts. NULL: nothing is near. Returns -1.
 */
int err_meant(struct err *e, const char *near);

/* An Idempotency-Key that was used for another request. Returns -1. */
int err_key_differs(struct err *e);

/* Puts "context: " in front of the log text of a set error. Returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Forgets the error, but for its language, so that e can be used again. */
void err_clear(struct err *e);

/* What the client is told: e->public, or the row's message in its language. Borrowed. */
const char *err_message(const struct err *e);

/* The row of e's code. */
const struct err_row *err_row(const struct err *e);

/* Thread-safe text of errno value n in buf (at most n_bytes with its NUL). */
const char *err_errno(int n, char *buf, size_t n_bytes);

#endif
