/* SPDX-License-Identifier: MIT */
#include "store/mcp_pin.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct mcp_pin, m, t)
	MCP_PIN_FIELDS(F, COMMA)
#undef F
};

int store_mcp_pin_list(struct db *db, struct str tenant_id, struct str server,
		       struct arena *a, struct mcp_pin **out, size_t *n,
		       struct err *e)
{
	return db_list(db, STMT_MCP_PIN_LIST,
		       DB_ARGS(DB_S(tenant_id), DB_S(server)), a, fields,
		       sizeof(**out), LIM_MCP_PINS, out, n, e);
}

int store_mcp_pin_hashes(struct db *db, struct str tenant_id, struct str server,
			 struct arena *a, struct mcp_pin **out, size_t *n,
			 struct err *e)
{
	static const struct db_field columns[] = {
		FIELD_OF(struct mcp_pin, tool, s),
		FIELD_OF(struct mcp_pin, hash, b),
	};

	return db_list(db, STMT_MCP_PIN_HASHES,
		       DB_ARGS(DB_S(tenant_id), DB_S(server)), a, columns,
		       sizeof(**out), LIM_MCP_PINS, out, n, e);
}

static int write_pin(struct db *db, enum stmt stmt, struct str tenant_id,
		     struct str server, const struct mcp_pin *pin,
		     struct err *e)
{
	return db_exec(db, stmt, DB_ARGS(DB_S(tenant_id), DB_S(server),
		       DB_S(pin->tool), DB_B(pin->hash), DB_S(pin->definition),
		       DB_I(clock_now_us())), NULL, e);
}

int store_mcp_pin_set(struct db *db, struct str tenant_id, struct str server,
		      const struct mcp_pin *pin, struct err *e)
{
	return write_pin(db, STMT_MCP_PIN_SET, tenant_id, server, pin, e);
}

int store_mcp_pin_first(struct db *db, struct str tenant_id, struct str server,
			const struct mcp_pin *pin, struct err *e)
{
	return write_pin(db, STMT_MCP_PIN_FIRST, tenant_id, server, pin, e);
}
