/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <string.h>

#include "store/stmt.h"

#include "base/banned.h"

/* lib/resource refers to its statements by number. */
_Static_assert(STMT_API_TOKEN_LIST == (int)RSTMT_API_TOKEN_LIST &&
	      STMT_CONVERSATION_INSERT == (int)RSTMT__MAX, "stmt.def");

const struct db_stmt store_stmts[STMT__MAX] = {
#define STMT(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, \
			.columns = columns_, .sql = sql_ },
#define STMT_WHOLE(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, .columns = columns_, \
			.sql = DB_WHOLE(sql_), .whole = true },
#define STMT_READS(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, .columns = columns_, \
			.sql = DB_READS(sql_), .whole = true, .reads = true },
#define STMT_LAST(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, .columns = columns_, \
			.sql = DB_LAST(sql_), .whole = true, .last = true },
#include "store/stmt.def"
#undef STMT
#undef STMT_LAST
#undef STMT_WHOLE
#undef STMT_READS
};

struct str store_like(struct str part, bool anywhere, struct arena *a)
{
	struct buf b = BUF_INIT(part.n * 2 + 2);
	struct str s;

	if (!part.p)
		return part;
	if (anywhere)
		buf_addc(&b, '%');
	for (size_t i = 0; i < part.n; i++) {
		if (strchr("%_|", part.p[i]) && part.p[i])
			buf_addc(&b, '|');
		buf_addc(&b, part.p[i]);
	}
	buf_addc(&b, '%');
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}

struct db *store_open(const struct conf_db *conf, struct err *e)
{
	const struct db_options o = {
		.conf = conf,
		.stmts = store_stmts,
		.n_stmts = STMT__MAX,
	};

	return db_open(&o, e);
}

void store_print_statements(struct buf *out)
{
	for (size_t i = 0; i < STMT__MAX; i++) {
		const struct db_stmt *s = &store_stmts[i];

		buf_addf(out, "%s (%s) -> (%s)\n    %s\n", s->name, s->params,
			 s->columns, s->sql);
	}
}

void store_print_resources(struct buf *out)
{
	for (size_t i = 0; i < RSTMT__MAX; i++) {
		buf_addf(out, "-- %s (%s) -> (%s)\n%s;\n",
			 store_stmts[i].name, store_stmts[i].params,
			 store_stmts[i].columns, store_stmts[i].sql);
	}
}
