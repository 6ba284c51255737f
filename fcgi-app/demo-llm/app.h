/* SPDX-License-Identifier: MIT */
/*
 * app.h - from a parsed HTTP request to a reply: the routes, the choice
 * between script and conversation, and the little state that lives longer than
 * a request (fail_times counters, recorded requests, counts).
 */
#ifndef DEMO_APP_H
#define DEMO_APP_H

#include "demo-llm/reply.h"

#define APP_FAIL_IDS_MAX 10000	/* distinct ids of fail_times */
#define APP_RECORD_MAX 1000

struct app {
	double talk_rate;	/* tokens/s of the conversational mode, 0: all */
	long talk_first_ms;	/* its delay before the first byte */
	size_t record;		/* keep that many of the last requests */
	json_t *recorded;	/* [{path,body}], oldest first */
	json_t *failed;		/* id -> how often it has failed */
	uint64_t requests;	/* model requests so far */
	uint64_t open;		/* replies under way */
	uint64_t aborted;	/* replies whose client left early */
};

void demo_app_init(struct app *app);
void demo_app_release(struct app *app);

/*
 * Answers one request; body is borrowed for the call. The reply is new, ready
 * to be pumped, and never NULL. close says that the connection ends after it.
 */
struct reply *demo_app_answer(struct app *app, const struct http_req *req,
			      struct str body, bool close, int64_t now_ns);

/* A reply for a request that could not be parsed. */
struct reply *demo_app_refuse(const struct refusal *w);

#endif
