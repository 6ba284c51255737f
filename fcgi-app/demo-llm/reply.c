/* SPDX-License-Identifier: MIT */
/*
 * reply.c - rendering of an answer over time.
 *
 * The token loop is the hot path: two constant strings around each token,
 * copied into room that was reserved for many tokens at once. Everything that
 * is due goes into one HTTP chunk; every token stays an event of its own.
 */
#include "demo-llm/reply.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define FRAME_HEAD 8			/* "0000ffff" CRLF: fixed width */
#define FRAME_BYTES (FRAME_HEAD + 2)
#define WHOLE_TOKENS_MAX 1000000	/* of an answer that is not streamed */

struct reply *reply_new(void)
{
	return xcalloc(1, sizeof(struct reply));
}

void reply_free(struct reply *r)
{
	if (!r)
		return;
	out_release(&r->pre);
	out_release(&r->post);
	out_release(&r->body);
	arena_release(&r->arena);
	free(r);
}

/* Status line and the headers that every answer has. */
static void put_head(struct reply *r, struct out *o, int status,
		     const char *type)
{
	out_printf(o, "HTTP/1.1 %d %s\r\nServer: lamplighter-demo-llm\r\n"
		   "Content-Type: %s\r\n", status, demo_http_reason(status), type);
	if (r->id)
		out_printf(o, "%s: req_%s\r\n",
			   r->wire == &demo_wire_anthropic ? "request-id"
						      : "x-request-id", r->id);
	if (r->close)
		out_puts(o, "Connection: close\r\n");
}

static void put_body(struct reply *r, int status, const char *type,
		     const char *extra, const char *body, size_t n)
{
	put_head(r, &r->body, status, type);
	out_printf(&r->body, "%sContent-Length: %zu\r\n\r\n", extra, n);
	out_add(&r->body, body, n);
	r->body_limit = out_size(&r->body);
	r->body_end = PUMP_DONE;
}

void reply_plain(struct reply *r, int status, const char *type,
		 const char *body, size_t n)
{
	put_body(r, status, type, "", body, n);
	r->stage = STAGE_BODY;
}

void reply_refuse(struct reply *r, const struct refusal *w)
{
	const struct wire *wire = r->wire ? r->wire : &demo_wire_openai;
	struct out o = {0};

	wire->error(w->status, w->param, w->text, &o);
	out_release(&r->body);
	reply_plain(r, w->status, "application/json", out_str(&o),
		    out_size(&o));
	out_release(&o);
}

static void start_fault(struct reply *r, const struct fault *f)
{
	const char *type = "application/json";
	struct out body = {0}, extra = {0};

	if (json_is_string(f->body)) {
		type = "text/plain; charset=utf-8";
		out_puts(&body, json_string_value(f->body));
	} else if (f->body) {
		out_dump(&body, f->body);
	} else {
		r->wire->error(f->status, "", demo_fault_text(f), &body);
	}
	if (json_is_string(f->retry_after))
		out_printf(&extra, "Retry-After: %s\r\n",
			   json_string_value(f->retry_after));
	else if (f->retry_after)
		out_printf(&extra, "Retry-After: %.3g\r\n",
			   json_number_value(f->retry_after));
	put_body(r, f->status, type, out_str(&extra), out_str(&body),
		 out_size(&body));
	out_release(&body);
	out_release(&extra);
}

static void start_html(struct reply *r)
{
	static const char page[] =
		"<!doctype html>\n<html><head><title>502 Bad Gateway</title>"
		"</head>\n<body><h1>502 Bad Gateway</h1>\n<p>The proxy server "
		"received an invalid response from an upstream server.</p>\n"
		"</body></html>\n";

	put_body(r, r->plan.fault.on ? r->plan.fault.status : 200, "text/html",
		 "", page, sizeof(page) - 1);
}

/* The answer as one document, with the faults that make sense for it. */
static void start_whole(struct reply *r)
{
	const struct plan *p = &r->plan;
	struct out o = {0};
	size_t head;

	r->wire->whole(r, &o);
	if (p->garbage_after >= 0)
		out_puts(&o, "}{garbage");
	put_body(r, 200, "application/json", "", out_str(&o), out_size(&o));
	head = out_size(&r->body) - out_size(&o);
	if (p->cut_after >= 0 || p->stall_after >= 0) {
		r->body_limit = head + out_size(&o) / 2;
		r->body_end = p->cut_after >= 0 ? PUMP_CUT : PUMP_STALL;
	}
	out_release(&o);
}

void reply_start(struct reply *r, int64_t now_ns)
{
	struct plan *p = &r->plan;

	r->t0_ns = now_ns + p->first_byte_ms * INT64_C(1000000);
	r->stage = STAGE_WAIT;
	if (p->fault.on && (p->fault.after_tokens < 0 || !r->ask.stream) &&
	    !p->html) {
		start_fault(r, &p->fault);
	} else if (p->html) {
		start_html(r);
	} else if (p->empty) {
		put_body(r, 200, r->ask.stream ? r->wire->stream_type
			 : "application/json", "", "", 0);
	} else if (!r->ask.stream) {
		if (p->tokens > WHOLE_TOKENS_MAX) {
			struct refusal w;

			refuse(&w, 400, "tokens", "script: tokens beyond %d "
			       "only in a stream", WHOLE_TOKENS_MAX);
			reply_refuse(r, &w);
			return;
		}
		start_whole(r);
		if (p->rate > 0)
			r->t0_ns += (int64_t)(1e9 * (double)p->tokens /
					      p->rate);
	}
}

/* How many tokens may have been sent at now. */
static uint64_t allowance(const struct reply *r, int64_t now_ns)
{
	double n;

	if (r->plan.rate <= 0)
		return UINT64_MAX;
	n = (double)(now_ns - r->t0_ns) * 1e-9 * r->plan.rate;
	/* The slack of a microsecond keeps a timer that fired exactly in
	 * time from being a token short by rounding. */
	return (uint64_t)(n + 1 + 1e-6 * r->plan.rate);
}

/* Tokens until the next fault is to happen. */
static uint64_t until_fault(const struct reply *r)
{
	const struct plan *p = &r->plan;
	const long at[] = {p->cut_after, p->stall_after,
			   r->garbage_sent ? -1 : p->garbage_after,
			   p->fault.on ? p->fault.after_tokens : -1};
	uint64_t n = UINT64_MAX;
	size_t i;

	for (i = 0; i < ARRAY_LEN(at); i++)
		if (at[i] >= 0 && (uint64_t)at[i] >= r->sent)
			n = MIN(n, (uint64_t)at[i] - r->sent);
	return n;
}

/* Renders up to max tokens of the current piece while there is room. */
static void put_tokens(struct reply *r, struct out *o, uint64_t max)
{
	const struct piece *p = &r->plan.piece[r->piece];
	const char *pre = out_front(&r->pre), *post = out_front(&r->post);
	size_t npre = out_size(&r->pre), npost = out_size(&r->post);
	uint64_t n, left = MIN(max, p->count - r->sent_here);
	size_t k = r->tok;

	for (n = 0; n < left && out_size(o) < REPLY_FILL_BYTES; n++) {
		const struct tok *t = &p->tok[k];
		char *d;

		if (npost) {
			d = out_room(o, npre + npost + t->len);
			memcpy(d, pre, npre);
			d += npre;
			memcpy(d, p->esc + t->off, t->len);
			d += t->len;
			memcpy(d, post, npost);
			o->len += npre + npost + t->len;
		}
		if (++k == p->ntok)
			k = 0;
	}
	r->tok = k;
	r->sent_here += n;
	r->sent += n;
}

static void next_piece(struct reply *r)
{
	r->sent_here = 0;
	r->tok = 0;
	r->stage = r->piece < r->plan.n ? STAGE_OPEN : STAGE_END;
}

/*
 * Takes the steps that are due. PUMP_MORE also means: one step taken, continue.
 */
static enum pump step(struct reply *r, struct out *o, int64_t now_ns,
		      int64_t *due_ns)
{
	struct plan *p = &r->plan;
	const struct piece *piece = &p->piece[r->piece];
	uint64_t room;

	switch (r->stage) {
	case STAGE_BEGIN:
		r->wire->begin(r, o);
		next_piece(r);
		return PUMP_MORE;
	case STAGE_END:
	case STAGE_OPEN:
	case STAGE_CLOSE:
	case STAGE_TOKENS:
		break;
	default:
		BUG("a stage that is not streamed");
	}
	if (!until_fault(r)) {
		if ((long)r->sent == p->cut_after)
			return PUMP_CUT;
		if ((long)r->sent == p->stall_after)
			return PUMP_STALL;
		if (p->fault.on && (long)r->sent == p->fault.after_tokens) {
			r->wire->fail(r, &p->fault, o);
			return PUMP_DONE;
		}
		out_puts(o, r->wire->garbage);
		r->garbage_sent = true;
		return PUMP_MORE;
	}
	if (r->stage == STAGE_END) {
		r->wire->end(r, o);
		return PUMP_DONE;
	}
	if (r->stage == STAGE_CLOSE) {
		r->wire->close(r, piece, o);
		r->piece++;
		next_piece(r);
		return PUMP_MORE;
	}
	if (r->stage == STAGE_OPEN) {
		r->pre.head = r->pre.len = r->post.head = r->post.len = 0;
		r->wire->open(r, piece, o);
		r->stage = STAGE_TOKENS;
	}
	if (r->sent_here == piece->count) {
		r->stage = STAGE_CLOSE;
		return PUMP_MORE;
	}
	room = allowance(r, now_ns);
	if (r->sent >= room) {
		*due_ns = r->t0_ns + (int64_t)((double)r->sent / p->rate * 1e9);
		return PUMP_WAIT;
	}
	put_tokens(r, o, MIN(room - r->sent, until_fault(r)));
	return PUMP_MORE;
}

/* Closes the HTTP chunk that was opened at byte `at` of the queue. */
static void close_frame(struct out *o, size_t at)
{
	size_t n = out_size(o) - at - FRAME_BYTES;
	char *h = out_front(o) + at;
	int i;

	if (!n) {
		o->len -= FRAME_BYTES;
		return;
	}
	for (i = FRAME_HEAD - 1; i >= 0; i--, n >>= 4)
		h[i] = "0123456789abcdef"[n & 15];
	h[FRAME_HEAD] = '\r';
	h[FRAME_HEAD + 1] = '\n';
	out_add(o, "\r\n", 2);
}

/* Frames the bytes behind `at` as chunks of at most n bytes. */
static void split_frames(struct out *o, size_t at, size_t n)
{
	struct out raw = {0};
	size_t i, len;

	out_add(&raw, out_front(o) + at, out_size(o) - at);
	o->len -= out_size(&raw);
	for (i = 0; i < out_size(&raw); i += len) {
		len = MIN(n, out_size(&raw) - i);
		out_printf(o, "%zx\r\n", len);
		out_add(o, out_front(&raw) + i, len);
		out_add(o, "\r\n", 2);
	}
	out_release(&raw);
}

static enum pump pump_body(struct reply *r, struct out *o)
{
	size_t n = MIN(r->body_limit, (size_t)REPLY_FILL_BYTES);

	out_add(o, out_front(&r->body), n);
	out_consume(&r->body, n);
	r->body_limit -= n;
	return r->body_limit ? PUMP_MORE : r->body_end;
}

enum pump reply_pump(struct reply *r, struct out *o, int64_t now_ns,
		     int64_t *due_ns)
{
	size_t split = (size_t)r->plan.chunk_bytes;
	enum pump rc;
	size_t at;

	if (r->stage == STAGE_WAIT) {
		if (now_ns < r->t0_ns) {
			*due_ns = r->t0_ns;
			return PUMP_WAIT;
		}
		r->t0_ns = now_ns;
		if (out_size(&r->body)) {
			r->stage = STAGE_BODY;
		} else {
			r->stage = STAGE_BEGIN;
			put_head(r, o, 200, r->wire->stream_type);
			out_puts(o, r->chunked
				? "Cache-Control: no-cache\r\n"
				  "Transfer-Encoding: chunked\r\n\r\n"
				: "Cache-Control: no-cache\r\n\r\n");
		}
	}
	if (r->stage == STAGE_BODY)
		return pump_body(r, o);
	at = out_size(o);
	if (r->chunked && !split) {
		out_room(o, FRAME_BYTES);
		o->len += FRAME_BYTES;
	}
	do {
		rc = step(r, o, now_ns, due_ns);
	} while (rc == PUMP_MORE && out_size(o) < REPLY_FILL_BYTES);
	if (r->chunked) {
		if (split)
			split_frames(o, at, split);
		else
			close_frame(o, at);
		if (rc == PUMP_DONE)
			out_puts(o, "0\r\n\r\n");
	}
	return rc;
}
