/* SPDX-License-Identifier: MIT */
/*
 * The processes of one machine that keep answers open: they share the capacity of
 * one web server (fcgi-app/places.h).
 */
#ifndef STORE_WEB_PROCESS_H
#define STORE_WEB_PROCESS_H

#include "store/store.h"

#define WEB_PROCESS_US INT64_C(45000000)	/* a process that is not seen again is gone */

/*
 * Records that the process keeps answers open; *n: how many processes of the host
 * do, this one included. 2 round trips. Database errors.
 */
int store_web_process_seen(struct db *db, const struct uuid *process,
			   struct str host, int64_t *n,
			   struct err *e) MUST_CHECK;

/* It keeps none any more. 1 round trip. */
int store_web_process_gone(struct db *db, const struct uuid *process,
			   struct err *e) MUST_CHECK;

#endif
