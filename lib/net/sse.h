/*
 * Readers for the two stream framings that models use: server-sent events
 * (WHATWG HTML, section "Server-sent events") and newline-delimited JSON. Both
 * take bytes split anywhere and hand out whole payloads; a payload that lies
 * whole in one read is handed out in place, without a copy.
 *
 * One reader belongs to one stream and one thread.
 */
#ifndef NET_SSE_H
#define NET_SSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * One event. name is "" where the stream gave none ("message"). data is never
 * empty (several data lines are joined by LF). Both are borrowed until the
 * handler returns. Returns 0 to continue, -1 to stop the reader for good.
 */
typedef int sse_handler(void *ctx, struct str name, struct str data);

struct sse_reader {
	struct buf line;	/* an unfinished line of earlier reads */
	struct buf data;	/* data lines of the event being read */
	struct buf name;	/* its event name */
	struct buf id;		/* of the last whole event; empty: none */
	struct buf id_line;	/* of the event being read */
	int retry_ms;		/* what the stream asks for; -1 = nothing */
	bool has_data;		/* a data line was seen */
	bool skip_lf;		/* the last read ended with CR */
	bool started;		/* past the place where a BOM may stand */
	bool error_field;	/* set after sse_init: see below */
	bool stopped;		/* a handler said -1, or an error was set */
	uint64_t n_comments;	/* keep-alives count as life … */
	uint64_t n_events;	/* … but only events as progress */
};

/*
 * Valid and empty; no memory until something must be kept.
 *
 * error_field: a line `error: {…}` is an event of the name "error" with that
 * data. The standard has no such field, but llama.cpp until late 2025 and what
 * was built on it (GPUStack) report a failure so.
 */
void sse_init(struct sse_reader *r);
void sse_release(struct sse_reader *r);

/*
 * Reads bytes. Returns 0, or -1 when the handler stopped (e untouched) or a
 * line or event is larger than LIM_SSE_LINE_BYTES / LIM_SSE_EVENT_BYTES
 * (ERR_TOO_BIG). `id` and `retry` are kept in the reader for who can resume
 * (MCP); models cannot.
 */
int sse_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
	     void *ctx, struct err *e) MUST_CHECK;

/*
 * Another stream takes over where this one was cut: the unfinished event is
 * forgotten, id and retry_ms stay.
 */
void sse_again(struct sse_reader *r);

/*
 * End of the stream. The standard drops an event that no empty line ended;
 * providers do end so, hence it is handed out if its data is one complete JSON
 * value or "[DONE]". Returns as sse_feed.
 */
int sse_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
	       struct err *e) MUST_CHECK;

/*
 * The same for newline-delimited JSON: one call per line that is not blank,
 * with name "" and blanks trimmed. The last line needs no end. A reader is
 * used with one framing only.
 */
int ndjson_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
		void *ctx, struct err *e) MUST_CHECK;
int ndjson_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
		  struct err *e) MUST_CHECK;

#endif
