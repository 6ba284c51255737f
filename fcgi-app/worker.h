/* SPDX-License-Identifier: MIT */
/*
 * The workers: one thread per request, blocking code. Idle workers wait in accept on
 * the shared socket, only as many as keep the processors busy; while requests wait
 * for something, other workers are woken or started, and idle ones leave. A
 * streaming turn costs a sleeping thread.
 */
#ifndef APP_WORKER_H
#define APP_WORKER_H

#include <stdbool.h>

#include "app.h"
#include "response.h"

struct workers;

/*
 * Starts serving the listening socket fd, which remains the caller's. owned: no
 * other process accepts on it, so it may be shut down at the end. Threads inherit
 * the signal mask of the caller, who has blocked all signals. ERR_INTERNAL if not
 * even one thread can be started.
 */
struct workers *workers_start(struct app *app, int fd, bool owned,
			      struct err *e) MUST_CHECK;

/* Another process now accepts on the socket, too: it will not be shut down. */
void workers_share(struct workers *p);

/*
 * Stops accepting (on a socket of our own, once its queue is empty); running
 * requests continue. Waits for them, at most ms. Returns how many workers are still
 * busy; may be called again, and workers_stop frees the pool.
 */
int workers_drain(struct workers *p, int ms);

/*
 * Stops accepting. Running requests get grace_ms to finish; then their turns are
 * stopped and get abort_ms to store what they have. Returns how many workers are
 * still busy: if 0, the pool is freed; else call it again, or end the process.
 */
int workers_stop(struct workers *p, int grace_ms, int abort_ms);

/* The current number of workers; for tests and /metrics. */
int workers_size(struct workers *p);

/* Serves the one request of a plain CGI process. */
void serve_cgi(struct app *app);

#endif
