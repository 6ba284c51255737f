/* SPDX-License-Identifier: MIT */
/*
 * What can be measured of a deployment through its URL: the object `measured` of
 * POST /doctor (docs/doctor.md).
 */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "base/arena.h"
#include "base/json.h"
#include "conf/conf.h"

struct http_pool;

struct measure {
	/* in */
	struct http_pool *http;
	struct arena *arena;
	const struct conf *conf;
	const char *url;	/* of the chat, without a slash at its end */
	const char *bearer;	/* "Authorization: Bearer …"; NULL: none */
	const char *basic;	/* "Authorization: Basic …"; NULL: none */
	/* out */
	const char *server;	/* what the web server calls itself, or "" */
	const char *entry;	/* the header that got us in, or NULL */
	json_t *measured;	/* kept by the arena */
};

/*
 * Measures everything; takes some seconds. Never fails: what it cannot measure is
 * missing in the object, or has its status there.
 */
void measure_all(struct measure *m);

/*
 * Lets the responder check and assess: its answer as JSON, kept by the arena; NULL
 * if that failed (*status is the HTTP status; 0 = no answer).
 */
json_t *measure_report(struct measure *m, int *status);

#endif
