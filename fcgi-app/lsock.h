/* SPDX-License-Identifier: MIT */
/*
 * The listening socket of the responder: where it comes from, and how it is passed
 * to the next process without an interruption. The kinds:
 *
 *   bound      -s: our own, at a path. With -r it replaces another process's
 *              (rename), which finishes its requests and ends.
 *   passed     by systemd (LISTEN_FDS), which keeps it while no process runs,
 *              or by a predecessor (lsock_succeed).
 *   spawned    descriptor 0, from a web server that starts and ends us.
 */
#ifndef APP_LSOCK_H
#define APP_LSOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum lsock_kind { LSOCK_NONE, LSOCK_BOUND, LSOCK_PASSED, LSOCK_SPAWNED };

struct lsock {
	enum lsock_kind kind;
	int fd;
	int ready_fd;		/* pipe to a waiting predecessor; -1: none */
	const char *path;	/* of -s; NULL: none */
	dev_t dev;		/* of the path, while it is our socket */
	ino_t ino;
};

/*
 * Finds a socket that was passed or is descriptor 0; else kind is LSOCK_NONE.
 * Removes the variables that describe it from the environment. path: of -s, or
 * NULL; borrowed. main, before threads.
 */
void lsock_find(struct lsock *l, const char *path);

/*
 * Binds l->path, mode 0660. A socket that another process serves is replaced only
 * with `replace`, which keeps its owner and mode; an unused one is always replaced.
 * ERR_CONFIG.
 */
int lsock_bind(struct lsock *l, bool replace, struct err *e) MUST_CHECK;

/* Whether new connections to the path of -s still reach us. */
bool lsock_has_path(const struct lsock *l);

/* Removes the path of -s, unless another process has replaced it. */
void lsock_unlink(const struct lsock *l);

/*
 * Reports that we serve: to a predecessor, which then stops accepting, and to
 * systemd (Type=notify), if there are any.
 */
void lsock_ready(struct lsock *l);

/*
 * Starts the program that is now at argv[0], with the same arguments and our
 * socket, and waits until it serves. It is then systemd's main process, and we
 * should stop accepting; *next is its process id. ERR_CONFIG if it does not start:
 * we continue, and *next is unchanged. One thread at a time.
 */
int lsock_succeed(const struct lsock *l, char *const *argv, pid_t *next,
		  struct err *e) MUST_CHECK;

#endif
