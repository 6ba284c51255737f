
#include "turn/after.h"
#include "base/log.h"
#include "base/trace.h"
#include "turn/loop.h"

#include "base/banned.h"

const struct after after_rows[] = {
#define AFTER(name, due, run, what) { #name, what, due, run },
#include "turn/after.def"
#undef AFTER
};
const size_t after_n_rows = ARRAY_LEN(after_rows);

void turn_after(struct turn_run *t)
{
	TRACE_SPAN(TRACE_AFTER, NULL);

	if (t->loop->err.code != ERR_NONE || t->answer.seq == 0)
		return;
	for (size_t i = 0; i < after_n_rows; i++) {
		const struct after *row = &after_rows[i];
		struct err e = ERR_INIT;

		if (http_aborted(t->loop->abort))
			return;
		if (row->due(t) && row->run(t, &e) < 0)
			log_err(row->name, &e);
	}
}
