/* SPDX-License-Identifier: MIT */
/*
 * The log: one logfmt line per entry to stderr or syslog. Message texts are
 * constant and data goes into fields; control characters in data are escaped,
 * so a request cannot forge a line. Request id and user id are bound once
 * per request, and what a turn is about once per turn; the logger adds them.
 * Prompts and bodies never appear above debug, secrets never at all.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_LVL_ERROR, LOG_LVL_WARN, LOG_LVL_INFO, LOG_LVL_DEBUG };
enum log_target { LOG_TO_STDERR, LOG_TO_SYSLOG };

/* Chooses level and target. main, before threads; again on a reload. */
void log_setup(enum log_level level, enum log_target target);

/*
 * Later lines of this thread belong to this request and to the user with this id
 * (never the login: logins appear only at debug, A44); NULL = to none.
 */
void log_bind(const char *request_id, const char *user_id);

/*
 * Later lines of this thread belong to this turn, until NULL is bound. Texts are
 * copied; NULL = not known.
 */
struct log_turn {
	const char *service, *workspace, *conversation, *turn, *client;
};
void log_bind_turn(const struct log_turn *t);

/*
 * For a thread that works for another one, which waits for it: what the lines of
 * this thread belong to; and later lines of this thread belong to that (borrowed),
 * until NULL.
 */
struct log_bound;
const struct log_bound *log_bound(void);
void log_borrow(const struct log_bound *b);

/*
 * One line. msg is a constant text; the rest are pairs of field name and value
 * (both const char *, a NULL value is left out), ended by NULL:
 *   log_line(LOG_LVL_WARN, "slow query", "dataset", name, NULL);
 */
void log_line(enum log_level level, const char *msg, ...)
	__attribute__((sentinel));

#define log_warn(...)  log_line(LOG_LVL_WARN, __VA_ARGS__, (char *)NULL)
#define log_info(...)  log_line(LOG_LVL_INFO, __VA_ARGS__, (char *)NULL)
#define log_debug(...) log_line(LOG_LVL_DEBUG, __VA_ARGS__, (char *)NULL)

/* Logs a set error at its row's level, with code, text and place. */
void log_err(const char *msg, const struct err *e);

/* Whether lines of this level are written at all. */
int log_on(enum log_level level);

#endif
