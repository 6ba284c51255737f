/* SPDX-License-Identifier: MIT */
/*
 * Programs that we start: without a shell, with an environment, limits, pipes
 * and a session of their own, so that nothing of ours is inherited and all of
 * it can be killed at once.
 *
 * Between fork and exec only system calls are made, since other threads hold
 * locks. Signals are blocked around fork and have their defaults in the
 * program. Every child is waited for: there are no zombies. A program that
 * creates another session escapes the kill, but its pipes do not keep us
 * waiting. SIGPIPE must be ignored: not every program reads its stdin.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Limits of each process of a program that we start: commands, MCP servers, the
 * reader of foreign files. 0 = our own limit, SPAWN_NONE = nothing. Core files
 * are never written.
 */
enum { SPAWN_NONE = -1 };

struct spawn_limits {
	int cpu_s;
	int memory_mb;		/* of addresses */
	int file_mb;		/* largest file that it may write */
	int files;		/* descriptors */
	int processes;		/* of the account, ours included */
};

struct spawn {
	const char *const *argv;	/* argv[0] is the path; ends with NULL */
	const char *const *env;		/* "NAME=value"; ends with NULL */
	const char *dir;		/* working directory */
	struct spawn_limits limits;
	bool outlives_thread;	/* false: killed when the starter's thread ends */
	/*
	 * spawn_run: what follows the input on its stdin. 1 with the next bytes
	 * in *next, which are borrowed until the next call, 0 at the end, -1 to
	 * kill it. NULL: nothing more.
	 */
	int (*more)(void *ctx, struct str *next);
	void *more_ctx;
	const atomic_bool *stop;	/* spawn_run: kills it once set; may be NULL */
};

struct child {
	pid_t pid;		/* and its group; -1 = none */
	int pid_fd;		/* readable when it has ended; -1 = none */
	int in, out, err;	/* our ends, non-blocking; -1 = closed */
	int64_t cpu_ms;		/* that it used; set by child_end */
};

/*
 * Starts a program. ERR_TOOL_FAILED when it cannot be (the text has the path
 * and why, for the log); ERR_OVERLOADED when there are no processes or
 * descriptors left. child_end must follow.
 */
int child_start(const struct spawn *s, struct child *c,
		struct err *e) MUST_CHECK;

/*
 * Kills what is left of its group, waits for it and closes the pipes. Returns
 * the status as waitpid has it. Legal on a child that never started (0).
 */
int child_end(struct child *c);

struct spawn_result {
	int exit_code;		/* -1 = it ended by a signal */
	int signal;		/* 0 = it ended by itself */
	int64_t cpu_ms;		/* that it used, without its children */
	bool late, stopped, too_big;	/* why we killed it; stopped: more, too */
};

/*
 * Runs a program to its end, with input on its stdin. What it writes goes to
 * out (more than its cap: it is killed) and errors (what does not fit is
 * dropped). It is killed with all its children after timeout_ms, or when
 * stop_fd (-1 = none) becomes readable or s->stop is set; what it left running is
 * killed when it ends. -1 only when it could not be started, with child_start's errors.
 */
int spawn_run(const struct spawn *s, struct str input, int timeout_ms,
	      int stop_fd, struct buf *out, struct buf *errors,
	      struct spawn_result *r, struct err *e) MUST_CHECK;

#endif
