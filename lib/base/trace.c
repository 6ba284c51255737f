/* SPDX-License-Identifier: MIT */
#include "base/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

#define WHAT_BYTES 40
#define NO_END     (-1)		/* a point, or a span that was open at the end */
#define DEEP       32		/* spans in each other that are indented */

struct mark {
	int64_t from_ns, to_ns;
	unsigned char stage, thread;
	char what[WHAT_BYTES];
};

struct trace {
	atomic_size_t n;	/* marks requested, including those that did not
				 * fit */
	atomic_uint n_threads;
	int64_t began_ns;
	struct mark marks[LIM_TRACE_MARKS];
};

struct trace *_Atomic trace_now;
static _Thread_local unsigned char number;	/* of this thread; 0: none yet */

static const struct {
	const char *name, *what;
} stages[TRACE__MAX] = {
#define TRACE(id, name_, what_) [TRACE_##id] = { .name = name_, .what = what_ },
#include "base/trace.def"
#undef TRACE
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static unsigned char thread_of(struct trace *t)
{
	if (!number)
		number = (unsigned char)(atomic_fetch_add(&t->n_threads, 1) + 1);
	return number;
}

void trace_start(void)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	(void)thread_of(t);
	t->began_ns = now_ns();
	atomic_store(&trace_now, t);
}

struct trace *trace_stop(void)
{
	return atomic_exchange(&trace_now, NULL);
}

void trace_free(struct trace *t)
{
	free(t);
}

struct trace_span trace_mark(struct trace *t, enum trace_stage s,
			     const char *what)
{
	size_t at = atomic_fetch_add(&t->n, 1);
	struct mark *m = &t->marks[at];

	if (at >= LIM_TRACE_MARKS)
		return (struct trace_span){ .in = NULL };
	m->stage = (unsigned char)s;
	m->thread = thread_of(t);
	snprintf(m->what, sizeof(m->what), "%s", what ? what : "");
	m->to_ns = NO_END;
	m->from_ns = now_ns();
	return (struct trace_span){ .in = t, .at = at };
}

void trace_end(const struct trace_span *span)
{
	span->in->marks[span->at].to_ns = now_ns();
}

static long us(int64_t ns)
{
	return (long)((ns + 500) / 1000);
}

/*
 * The number of spans of its thread that contain a mark: earlier ones that last
 * longer.
 */
static int depth_of(const struct trace *t, size_t i)
{
	const struct mark *m = &t->marks[i];
	int depth = 0;

	for (size_t k = i; k-- && depth < DEEP; ) {
		const struct mark *o = &t->marks[k];

		depth += o->thread == m->thread && o->to_ns > m->from_ns;
	}
	return depth;
}

static void print_mark(const struct trace *t, size_t i, struct buf *out)
{
	const struct mark *m = &t->marks[i];
	char took[24] = "";

	if (m->to_ns != NO_END)
		snprintf(took, sizeof(took), "%ld", us(m->to_ns - m->from_ns));
	buf_addf(out, "%9ld %9s %6u  %*s%s%s%s\n",
		 us(m->from_ns - t->began_ns), took, m->thread,
		 2 * depth_of(t, i), "", stages[m->stage].name,
		 *m->what ? " " : "", m->what);
}

/* The duration without spans of the same thread within it. */
static int64_t own_ns(const struct trace *t, size_t n, size_t i)
{
	const struct mark *m = &t->marks[i];
	int64_t ns = m->to_ns - m->from_ns, until_ns = m->from_ns;

	for (size_t k = i + 1; k < n && t->marks[k].from_ns < m->to_ns; k++) {
		const struct mark *o = &t->marks[k];

		if (o->thread != m->thread || o->to_ns == NO_END ||
		    o->from_ns < until_ns)
			continue;
		ns -= o->to_ns - o->from_ns;
		until_ns = o->to_ns;
	}
	return ns;
}

static void print_sums(const struct trace *t, size_t n, struct buf *out)
{
	buf_adds(out, "\n   times  total us    own us  stage\n");
	for (int s = 0; s < TRACE__MAX; s++) {
		int64_t total_ns = 0, own = 0;
		size_t times = 0;

		for (size_t i = 0; i < n; i++) {
			const struct mark *m = &t->marks[i];

			if (m->stage != s)
				continue;
			times++;
			if (m->to_ns == NO_END)
				continue;
			total_ns += m->to_ns - m->from_ns;
			own += own_ns(t, n, i);
		}
		if (times)
			buf_addf(out, "%8zu %9ld %9ld  %s: %s\n", times,
				 us(total_ns), us(own), stages[s].name,
				 stages[s].what);
	}
}

void trace_print(const struct trace *t, struct buf *out)
{
	size_t asked = atomic_load(&t->n), n = MIN(asked, LIM_TRACE_MARKS);

	buf_adds(out, "    at us   took us thread  stage\n");
	for (size_t i = 0; i < n; i++)
		print_mark(t, i, out);
	if (asked > n)
		buf_addf(out, "%zu more are not shown.\n", asked - n);
	print_sums(t, n, out);
}
