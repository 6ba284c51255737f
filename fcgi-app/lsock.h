/*
 * The listening socket of the responder: where it comes from, and how it passes
 * to the next process without a moment in which nobody listens. The ways:
 *
 *   bound      -s: our own, at a path. With -r it takes the place of another's
 *              (rename), whose process finishes what it has and ends.
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
	int ready_fd;		/* of a predecessor that waits; -1: none */
	const char *path;	/* of -s; NULL: none */
	dev_t dev;		/* of the path, while it is ours */
	ino_t ino;
};

/*
 * Finds a socket that was passed or is descriptor 0; else kind is
 * LSOCK_NONE. Takes the variables that tell of it out of the environment.
 * path is what -s says, or NULL; it is borrowed. main, before threads.
 */
void lsock_find(struct lsock *l, const char *path);

/*
 * Binds l->path, mode 0660. A socket that another process serves is replaced
 * only with `replace`, which keeps its owner and mode; one that nobody serves
 * always. ERR_CONFIG.
 */
int lsock_bind(struct lsock *l, bool replace, struct err *e) MUST_CHECK;

/* Whether new connections to the path of -s still come to us. */
bool lsock_has_path(const struct lsock *l);

/* Removes the path of -s, unless another process has taken it. */
void lsock_unlink(const struct lsock *l);

/*
 * We serve: tells a predecessor, which then stops accepting, and systemd
 * (Type=notify), when there are such.
 */
void lsock_ready(struct lsock *l);

/*
 * Starts the program that lies at argv[0] now, with the same arguments and our
 * socket, and waits until it serves. Then it is systemd's main process, and we
 * should stop accepting; *next is its id. ERR_CONFIG when it does not start: we
 * go on, and *next stays. One thread at a time.
 */
int lsock_succeed(const struct lsock *l, char *const *argv, pid_t *next,
		  struct err *e) MUST_CHECK;

#endif
