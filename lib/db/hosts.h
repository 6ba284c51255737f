/* SPDX-License-Identifier: MIT */
/* Inside lib/db: the hosts of one database, and which of them to use. */
#ifndef DB_HOSTS_H
#define DB_HOSTS_H

#include "db/db.h"

enum { HOSTS_MAX = DB_HOSTS_MAX };

struct hosts;

/* From conf's hosts, or its socket and host; at least one. Owned: hosts_free. */
struct hosts *hosts_new(const struct conf_db *conf);
void hosts_free(struct hosts *h);

/* How many there are, and host i of them: *name lives as long as h. Any thread. */
size_t hosts_n(const struct hosts *h);
void hosts_name(const struct hosts *h, size_t i, const char **name, int *port);

/*
 * Returns the hosts in the order in which to try them now: good ones and those
 * whose trial is due (no other thread gets the same trial), then the others.
 * trial[k]: order[k] has failed before. Any thread.
 */
size_t hosts_order(struct hosts *h, size_t order[HOSTS_MAX],
		   bool trial[HOSTS_MAX]);

/* Record the outcome, unless there is only one host. Any thread. */
void hosts_good(struct hosts *h, size_t i);
void hosts_bad(struct hosts *h, size_t i, const char *why);

/* Whether a host before i is good or due for a trial. Any thread. */
bool hosts_better(struct hosts *h, size_t i);

/* Copies what is known of host i. Any thread. */
void hosts_state(struct hosts *h, size_t i, struct db_host *out);

/* Whether a server at this host sends a greeting. Blocks for at most wait_ms. */
bool hosts_greets(const struct hosts *h, size_t i, int wait_ms);

#endif
