/* SPDX-License-Identifier: MIT */
/*
 * server.h - the event loop: one thread, epoll, non-blocking sockets. It moves
 * bytes and keeps time; what the bytes are is app.c's and reply.c's business.
 */
#ifndef DEMO_SERVER_H
#define DEMO_SERVER_H

#include "base/err.h"
#include "demo-llm/app.h"

#include <signal.h>

/*
 * Binds host (a numeric address) and port (0: the kernel chooses). Returns the
 * listening socket and sets *port to the real one, or -1 with e set.
 */
int demo_server_listen(const char *host, int *port, struct err *e) MUST_CHECK;

/*
 * Serves connections on the socket until *stop is set by a signal that was
 * blocked by the caller and is open in `mask` during waits. Closes everything
 * but the socket. 0, or -1 with e set when the loop cannot run.
 */
int demo_server_run(int listener, struct app *app, const sigset_t *mask,
		    const volatile sig_atomic_t *stop, struct err *e) MUST_CHECK;

#endif
