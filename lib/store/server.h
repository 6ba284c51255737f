/* SPDX-License-Identifier: MIT */
/* The database server itself, for doctor. */
#ifndef STORE_SERVER_H
#define STORE_SERVER_H

#include "store/store.h"

struct db_server {
	struct str version;		/* "10.11.14-MariaDB-0+deb12u2" */
	int64_t now_us;			/* its clock, us since 1970 UTC */
	int64_t max_packet_bytes;	/* max_allowed_packet */
	int64_t max_connections;
	int64_t read_only;		/* 0 or 1: a replica, most likely */
};

/* One round trip. Text in a. Errors of the database. */
int server_get(struct db *db, struct arena *a, struct db_server *out,
	       struct err *e) MUST_CHECK;

/* How many workspaces people made; at most 1000 are counted. Errors of the database. */
int server_workspaces(struct db *db, struct str tenant_id, int64_t *n,
		      struct err *e) MUST_CHECK;

#endif
