/* SPDX-License-Identifier: MIT */
/*
 * Readers for the two stream formats that models use: server-sent events (WHATWG
 * HTML, section "Server-sent events") and newline-delimited JSON. Both accept bytes
 * split anywhere and pass on complete payloads; a payload that is complete within
 * one read is not copied.
 *
 * A reader belongs to one stream and one thread.
 */
#ifndef NET_SSE_H
#define NET_SSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * One event. name is "" if the stream gave none ("message"). data is never empty
 * (several data lines are joined by LF). Both are borrowed until the handler
 * returns. Returns 0 to continue, -1 to stop the reader.
 */
typedef int sse_handler(void *ctx, struct str name, struct str data);

struct sse_reader {
	struct buf line;	/* an incomplete line of earlier reads */
	struct buf data;	/* data lines of the event being read */
	struct buf name;	/* its event name */
	struct buf id;		/* of the last complete event; empty: none */
	struct buf id_line;	/* of the event being read */
	int retry_ms;		/* as requested by the stream; -1 = not */
	bool has_data;		/* a data line was seen */
	bool skip_lf;		/* the last read ended with CR */
	bool started;		/* the beginning, where a BOM may be, was read */
	bool error_field;	/* set after sse_init: see below */
	bool stopped;		/* a handler returned -1, or an error was set */
	uint64_t n_comments;	/* keep-alives count as a sign of life … */
	uint64_t n_events;	/* … but only events as progress */
};

/*
 * Initialises an empty reader; memory is allocated when it is first needed.
 *
 * error_field: a line `error: {…}` is an event with the name "error" and that data.
 * The standard has no such field, but llama.cpp until late 2025, and programs based
 * on it (GPUStack), report errors in this way.
 */
void sse_init(struct sse_reader *r);
void sse_release(struct sse_reader *r);

/*
 * Reads bytes. Returns 0, or -1 if the handler stopped (e unchanged) or a line or
 * event is larger than LIM_SSE_LINE_BYTES / LIM_SSE_EVENT_BYTES (ERR_TOO_BIG). `id`
 * and `retry` are stored in the reader for callers that can resume (MCP); models
 * cannot.
 */
int sse_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
	     void *ctx, struct err *e) MUST_CHECK;

/*
 * Continues with another stream after this one was cut off: discards the incomplete
 * event; keeps id and retry_ms.
 */
void sse_resume(struct sse_reader *r);

/*
 * Ends the stream. The standard discards an event without the empty line at its
 * end, but some providers omit that line, so the event is passed on if its data is
 * one complete JSON value or "[DONE]". Returns as sse_feed.
 */
int sse_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
	       struct err *e) MUST_CHECK;

/*
 * The same for newline-delimited JSON: one call per non-blank line, with name ""
 * and blanks trimmed. The last line needs no line end. Use a reader for one format
 * only.
 */
int ndjson_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
		void *ctx, struct err *e) MUST_CHECK;
int ndjson_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
		  struct err *e) MUST_CHECK;

#endif
