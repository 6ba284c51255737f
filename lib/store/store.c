#include "store/store.h"

#include "store/stmt.h"

#include "base/banned.h"

const struct db_stmt store_stmts[STMT__MAX] = {
#define STMT(id, params_, columns_, sql_) \
	[STMT_##id] = { .name = #id, .params = params_, \
			.columns = columns_, .sql = sql_ },
#include "store/stmt.def"
#undef STMT
};

struct db *store_open(const struct conf_db *conf, int wait_ms, struct err *e)
{
	const struct db_options o = {
		.conf = conf,
		.stmts = store_stmts,
		.n_stmts = STMT__MAX,
		.wait_ms = wait_ms,
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
