/* SPDX-License-Identifier: MIT */
#include "store/server.h"

#include "store/stmt.h"

#include "base/banned.h"

int server_get(struct db *db, struct arena *a, struct db_server *out,
	       struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct db_server, version, s),
		FIELD_OF(struct db_server, now_us, i),
		FIELD_OF(struct db_server, max_packet_bytes, i),
		FIELD_OF(struct db_server, max_connections, i),
		FIELD_OF(struct db_server, read_only, i),
	};
	int n = db_get(db, STMT_SERVER_GET, DB_NOARGS, a, fields, out, e);

	return n == 0 ? err_set(e, ERR_DB, "the server says nothing of itself")
		: MIN(n, 0);
}

int server_workspaces(struct db *db, struct str tenant_id, int64_t *n,
		      struct err *e)
{
	return db_int(db, STMT_SERVER_WORKSPACES, DB_ARGS(DB_S(tenant_id)), n, e) < 0
		? -1 : 0;
}
