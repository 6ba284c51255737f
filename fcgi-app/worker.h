/*
 * The workers: one thread per request, blocking code. Idle workers wait in
 * accept on the shared socket, no more of them than keep the processors busy;
 * for requests that wait for something further ones are called or started, and
 * idle ones leave (platform-web.md sections 0 and 1). What a streaming turn
 * costs is a sleeping thread.
 */
#ifndef APP_WORKER_H
#define APP_WORKER_H

#include <stdbool.h>

#include "app.h"
#include "response.h"

struct workers;

/*
 * Starts serving the listening socket fd, which stays the caller's. owned:
 * nobody else accepts on it, so it may be shut down at the end. Threads get
 * the signal mask of the caller, who has blocked all. ERR_INTERNAL when not
 * even one thread can be started.
 */
struct workers *workers_start(struct app *app, int fd, bool owned,
			struct err *e) MUST_CHECK;

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
