/* SPDX-License-Identifier: MIT */
/*
 * Records where the time of a turn goes, by stage and thread, for `lamplighter
 * trace turn`. Without a recording, a span only tests one pointer: no clock is
 * read, nothing is stored. A responder never records.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/buf.h"

enum trace_stage {
#define TRACE(id, name, what) TRACE_##id,
#include "base/trace.def"
#undef TRACE
	TRACE__MAX
};

struct trace;

/* The recording, one per process like the log; NULL: none. */
extern struct trace *_Atomic trace_now;

/*
 * Starts and ends a recording of at most LIM_TRACE_MARKS marks; further ones
 * are only counted. trace_stop returns it to the caller (trace_free), who may
 * read it only when no thread adds marks any more. Once per process.
 */
void trace_start(void);
struct trace *trace_stop(void);
void trace_free(struct trace *t);

/*
 * Appends it as text: each span and point in order, with its start, duration
 * and thread, then a sum per stage. Threads are numbered in order of
 * appearance; 1 is the one of trace_start.
 */
void trace_print(const struct trace *t, struct buf *out);

/* A span that is open; only TRACE_SPAN makes one. */
struct trace_span {
	struct trace *in;	/* NULL: there was no recording when it began */
	size_t at;
};

/*
 * Begin and end of a span, for trace_open and trace_close: what is copied, and may be NULL;
 * the mark beyond LIM_TRACE_MARKS is none. Any thread.
 */
struct trace_span trace_mark(struct trace *t, enum trace_stage s,
			     const char *what);
void trace_end(const struct trace_span *span);

static inline struct trace_span trace_open(enum trace_stage s, const char *what)
{
	struct trace *t = atomic_load_explicit(&trace_now,
					       memory_order_relaxed);

	return t ? trace_mark(t, s, what) : (struct trace_span){ .in = NULL };
}

static inline void trace_close(const struct trace_span *span)
{
	if (span->in)
		trace_end(span);
}

/*
 * The rest of the block is a span of this stage; what (may be NULL) says which,
 * and is copied. Any thread.
 */
#define TRACE_SPAN(stage, what) \
	const struct trace_span trace_span_ __attribute__((unused, \
		cleanup(trace_close))) = trace_open(stage, what)

/* A moment. Any thread. */
static inline void trace_point(enum trace_stage s)
{
	(void)trace_open(s, NULL);
}

#endif
