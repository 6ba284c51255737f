/*
 * The workers: one thread per request, blocking code. Idle workers wait in accept on
 * the shared socket, only as many as keep the processors busy; while requests wait
 * for something, other workers are woken or started, and idle ones leave
 * (platform-web.md sections 0 and 1). A streaming turn costs a sleeping thread.
 */
#ifndef APP_WORKER_H
#define APP_WORKER_H

#include <stdbool.h>

#include "app.h"
#include "response.h"

struct workers;

/*
 * Starts serving the listening socket fd, which stays the caller's. owned:
 * nobody else accepts on it, so it may be shut down at the end. Threads get the
 * signal mask of the caller, who has blocked all signals. ERR_INTERNAL if not even
 * one thread can be started.
 */
struct workers *workers_start(struct app *app, int fd, bool owned,
			struct err *e) MUST_CHECK;

/*
 * From now on another process accepts on the socket too: it is not shut down.
 */
void workers_share(struct workers *p);

/*
 * Accepts no more (of a socket of our own, once its queue is empty); what runs
 * continues. Waits until all of it is over, at most ms. Returns how many workers
 * are still busy; may be called again, and workers_stop frees the pool.
 */
int workers_drain(struct workers *p, int ms);

/*
 * Accepts no more. In-flight requests get grace_ms to finish; then their turns
 * are stopped and get abort_ms to store what they have. Returns how many
 * workers are still busy: with 0 the pool is freed; else call it again, or end
 * the process.
 */
int workers_stop(struct workers *p, int grace_ms, int abort_ms);

/* How many workers there are now; for tests and /metrics. */
int workers_size(struct workers *p);

/* Serves the one request of a plain CGI process. */
void serve_cgi(struct app *app);

#endif
