/* SPDX-License-Identifier: MIT */
/*
 * Turns the output of dialects into events: makes text valid UTF-8 wherever it
 * was split, separates <think>, and emits the terminal event once, after
 * everything that was held back. Tool calls are assembled in call.c.
 */
#include "llm/emit.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/repair.h"

#include "base/banned.h"

enum { CUT_LEAST_TOKENS = 1024 };	/* less says nothing about a context */

static const char *const event_names[] = {
	[LLM_EV_TEXT] = "text",
	[LLM_EV_REASONING] = "reasoning",
	[LLM_EV_REFUSAL] = "refusal",
	[LLM_EV_TOOL_START] = "tool-start",
	[LLM_EV_TOOL_ARGS] = "tool-args",
	[LLM_EV_TOOL_CALL] = "tool-call",
	[LLM_EV_WARNING] = "warning",
	[LLM_EV_USAGE] = "usage",
	[LLM_EV_DONE] = "done",
	[LLM_EV_ERROR] = "error",
};
_Static_assert(ARRAY_LEN(event_names) == LLM_EV__MAX, "a name per event");

static const char *const stop_names[] = {
	[LLM_STOP_NONE] = "none",
	[LLM_STOP_END] = "stop",
	[LLM_STOP_TOOL_USE] = "tool_calls",
	[LLM_STOP_MAX_TOKENS] = "length",
	[LLM_STOP_SEQUENCE] = "stop",
	[LLM_STOP_REFUSAL] = "refusal",
	[LLM_STOP_FILTER] = "content_filter",
	[LLM_STOP_PAUSE] = "pause",
	[LLM_STOP_CONTEXT] = "context_length",
};

const char *llm_event_name(enum llm_event_type t)
{
	return event_names[t];
}

const char *llm_stop_name(enum llm_stop s)
{
	return stop_names[s];
}

int64_t llm_estimate_tokens(struct str s)
{
	return ((int64_t)utf8_chars(s) + 3) / 4;
}

void emit_send(struct llm_decoder *d, const struct llm_event *ev)
{
	if (!d->stopped && d->fn(d->ctx, ev) < 0)
		d->stopped = true;
}

/* -- deltas --------------------------------------------------------------- */

static const enum llm_event_type channel_event[CH__MAX] = {
	[CH_TEXT] = LLM_EV_TEXT, [CH_REASONING] = LLM_EV_REASONING,
	[CH_REFUSAL] = LLM_EV_REFUSAL,
};

struct str emit_clean(const struct llm_decoder *d, struct dec_carry *carry,
		      struct str s, struct buf *tmp)
{
	bool waiting = carry->n || carry->surrogate;

	if (!d->repaired && !waiting && (!s.n || !memchr(s.p, 0, s.n)))
		return s;
	if (d->repaired) {
		repair_join(tmp, s, carry);
	} else {
		repair_flush(tmp, carry);
		utf8_scrub(tmp, s);
	}
	return buf_str(tmp);
}

/* Cleaned text on its way out. */
static void deliver(struct llm_decoder *d, enum dec_channel ch, struct str s)
{
	if (!s.n)
		return;
	d->n_out_bytes += s.n;
	d->n_chars += utf8_chars(s);
	if (ch == CH_REASONING && d->q.reasoning_replay != REPLAY_NONE)
		buf_addstr(&d->reasoning, s);
	emit_send(d, &(struct llm_event){ .type = channel_event[ch], .text = s });
	if (d->n_out_bytes > LIM_ANSWER_BYTES)
		dec_fail(d, ERR_TOO_BIG, "an answer that is too large");
}

static void delta(struct llm_decoder *d, enum dec_channel ch, struct str s)
{
	struct buf tmp = BUF_INIT(LIM_UPSTREAM_BYTES);

	deliver(d, ch, emit_clean(d, &d->carry[ch], s, &tmp));
	buf_release(&tmp);
}

void dec_reasoning(struct llm_decoder *d, struct str s)
{
	if (s.n)
		delta(d, CH_REASONING, s);
}

void dec_refusal(struct llm_decoder *d, struct str s)
{
	if (!s.n)
		return;
	d->refused = true;
	delta(d, CH_REFUSAL, s);
}

void dec_add(const struct llm_decoder *d, struct buf *to,
	     struct dec_carry *carry, struct str s)
{
	struct buf tmp = BUF_INIT(LIM_UPSTREAM_BYTES);

	if (!s.n)
		return;
	buf_addstr(to, emit_clean(d, carry, s, &tmp));
	buf_release(&tmp);
}

void dec_whole(const struct llm_decoder *d, struct buf *to, struct str s)
{
	struct dec_carry carry = { .n = 0 };

	dec_add(d, to, &carry, s);
	repair_flush(to, &carry);
}

json_t *dec_keep(const struct llm_decoder *d, json_t *j)
{
	return d->repaired ? repair_copy(j) : json_incref(j);
}

int64_t dec_count(const json_t *o, const char *key, int64_t dflt)
{
	int64_t n = jx_int(o, key, -1);

	return n >= 0 && n <= LIM_TOKEN_COUNT ? n : dflt;
}

void dec_model(struct llm_decoder *d, struct str s)
{
	if (!s.n || str_eq(s, buf_str(&d->said_model)))
		return;
	d->tmpl.set = false;	/* the chunks that it stands for name another */
	buf_reset(&d->said_model);
	dec_whole(d, &d->said_model, utf8_head(s, 60));
}

/* -- <think> (P-C3) --------------------------------------------------------- */

/* Length of the longest end of s that starts tag. */
static size_t tag_at_end(struct str s, struct str tag)
{
	for (size_t n = MIN(s.n, tag.n - 1); n; n--)
		if (memcmp(s.p + s.n - n, tag.p, n) == 0)
			return n;
	return 0;
}

static void keep(struct llm_decoder *d, struct str s)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);

	buf_addstr(&b, s);	/* s may lie in d->held */
	buf_reset(&d->held);
	buf_addstr(&d->held, buf_str(&b));
	buf_release(&b);
}

static void outside(struct llm_decoder *d, struct str s);

static void inside(struct llm_decoder *d, struct str s)
{
	const struct str tag = STR("</think>");
	const char *q = s.n ? memmem(s.p, s.n, tag.p, tag.n) : NULL;
	size_t n_keep;

	if (q) {
		dec_reasoning(d, (struct str){ s.p, (size_t)(q - s.p) });
		d->thinking = false;
		d->think_trim = true;
		s.n -= (size_t)(q - s.p) + tag.n;
		s.p = q + tag.n;
		outside(d, s);
		return;
	}
	n_keep = tag_at_end(s, tag);
	dec_reasoning(d, (struct str){ s.p, s.n - n_keep });
	keep(d, (struct str){ s.p + s.n - n_keep, n_keep });
}

/* <think> counts only at the start of the answer: elsewhere it is text. */
static void outside(struct llm_decoder *d, struct str s)
{
	const struct str tag = STR("<think>");
	struct str t = s;

	if (d->think_trim || d->think_open)
		while (t.n && t.p[0] && strchr(" \t\r\n", t.p[0]))
			t.p++, t.n--;
	if (d->think_trim)
		s = t;
	if (!t.n && d->think_open && s.n <= 8) {
		keep(d, s);
		return;
	}
	if (t.n || s.n)
		d->think_trim = false;
	if (d->think_open && str_starts(t, tag)) {
		d->think_open = false;
		d->thinking = true;
		inside(d, (struct str){ t.p + tag.n, t.n - tag.n });
		return;
	}
	if (d->think_open && t.n < tag.n && str_starts(tag, t)) {
		keep(d, s);
		return;
	}
	if (s.n)
		d->think_open = false;
	buf_reset(&d->held);
	if (s.n)
		delta(d, CH_TEXT, s);
}

void dec_text(struct llm_decoder *d, struct str s)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);

	if (!s.n)
		return;
	if (!d->thinking && !d->think_open && !d->think_trim) {
		delta(d, CH_TEXT, s);
		return;
	}
	buf_addstr(&b, buf_str(&d->held));
	buf_addstr(&b, s);
	buf_reset(&d->held);
	if (d->thinking)
		inside(d, buf_str(&b));
	else
		outside(d, buf_str(&b));
	buf_release(&b);
}

void dec_image(struct llm_decoder *d)
{
	if (d->has_image)
		return;
	d->has_image = true;
	if (d->n_out_bytes)
		dec_text(d, STR("\n\n"));
	dec_text(d, STR("(The model sent an image, which cannot be shown "
			"here.)\n\n"));
}

/* -- the end -------------------------------------------------------------- */

json_t *dec_origin(const struct llm_decoder *d)
{
	json_t *o = json_pack("{s:s, s:s}", "provider", d->provider->name,
			      "model", d->model[0] ? d->model
			      : d->said_model.p);

	if (d->url[0])
		json_object_set_new(o, "url", json_string(d->url));
	return o;
}

static void flush_deltas(struct llm_decoder *d)
{
	struct buf b = BUF_INIT(64);
	struct str held = buf_str(&d->held);

	if (held.n)
		delta(d, d->thinking ? CH_REASONING : CH_TEXT, held);
	buf_reset(&d->held);
	for (int ch = 0; ch < CH__MAX; ch++) {
		buf_reset(&b);
		repair_flush(&b, &d->carry[ch]);
		if (b.n)
			deliver(d, (enum dec_channel)ch, buf_str(&b));
	}
	buf_release(&b);
}

/* P-B1: calls, not the server's word, decide whether tools are used. */
static enum llm_stop final_stop(const struct llm_decoder *d)
{
	bool plain = d->stop == LLM_STOP_END || d->stop == LLM_STOP_NONE ||
		d->stop == LLM_STOP_TOOL_USE;

	if (d->refused && plain)
		return LLM_STOP_REFUSAL;
	if (!plain)
		return d->stop;
	return d->n_calls ? LLM_STOP_TOOL_USE : LLM_STOP_END;
}

int64_t dec_uncached(int64_t prompt, int64_t cached)
{
	return prompt < 0 ? -1 : cached > prompt ? prompt : prompt - cached;
}

/* P-D5: estimates for what the provider did not report, marked as such. */
static void settle_usage(struct llm_decoder *d)
{
	struct llm_usage *u = &d->usage;
	int64_t output = ((int64_t)d->n_chars + 3) / 4;

	if (u->reasoning > u->output && u->output >= 0)
		u->reasoning = u->output;
	if (d->est_input < 0 ||
	    (!d->n_bytes && d->err.code != ERR_CANCELLED))
		return;
	/* No request is empty, and no answer that has text. */
	if (u->input < 0 || u->input + MAX(u->cache_read, 0) +
			    MAX(u->cache_write, 0) == 0) {
		u->input = d->est_input;
		u->estimated = true;
	}
	if (u->output < 0 || (u->output == 0 && output > 0) ||
	    (!d->output_final && u->output < output)) {
		u->output = output;
		u->estimated = true;
	}
}

static void warn(struct llm_decoder *d, const char *text)
{
	emit_send(d, &(struct llm_event){ .type = LLM_EV_WARNING,
	     .text = str_of(text) });
}

static void warn_of_losses(struct llm_decoder *d)
{
	char text[120];

	if (!d->n_repaired && !d->n_lost)
		return;
	snprintf(text, sizeof(text), "%u pieces of the answer were repaired, "
		 "%u were unreadable and left out", d->n_repaired, d->n_lost);
	warn(d, text);
}

/* With some models, images take far fewer tokens than our estimate. */
static bool has_images(const struct llm_request *r)
{
	for (size_t i = 0; r && i < r->n_messages; i++)
		if (r->messages[i].n_images)
			return true;
	return false;
}

/*
 * P-E4: a self-hosted server (one without a key) silently drops what does not fit
 * into its context. Estimates are coarse, so only a loss of half is a sign.
 */
static void warn_of_cut(struct llm_decoder *d)
{
	const struct llm_usage *u = &d->usage;
	int64_t read = u->input + MAX(u->cache_read, 0) +
		MAX(u->cache_write, 0);
	char text[160];

	if (d->q.key_required || u->input < 0 || read < CUT_LEAST_TOKENS ||
	    d->est_input < 2 * read || has_images(d->request))
		return;
	snprintf(text, sizeof(text), "of about %lld tokens, the server read "
		 "only %lld: its context is too small (context_tokens)",
		 (long long)d->est_input, (long long)read);
	warn(d, text);
}

void emit_terminal(struct llm_decoder *d)
{
	bool failed = d->err.code != ERR_NONE;

	if (d->terminal)
		return;
	d->terminal = true;
	d->repaired = false;
	flush_deltas(d);
	failed |= d->err.code != ERR_NONE;
	for (int i = 0; !failed && i < d->n_calls; i++)
		emit_call(d, &d->calls[i]);
	if (!failed && d->dialect->finish)
		d->dialect->finish(d);
	warn_of_losses(d);
	warn_of_cut(d);
	settle_usage(d);
	if (d->usage.input >= 0 || d->usage.output >= 0)
		emit_send(d, &(struct llm_event){ .type = LLM_EV_USAGE,
		     .usage = d->usage });
	if (failed)
		emit_send(d, &(struct llm_event){ .type = LLM_EV_ERROR,
		     .err = &d->err, .usage = d->usage });
	else
		emit_send(d, &(struct llm_event){
			.type = LLM_EV_DONE, .stop = final_stop(d),
			.usage = d->usage, .replay = d->replay,
			.model = buf_str(&d->said_model),
		});
}

void dec_fail(struct llm_decoder *d, enum err_code code, const char *text)
{
	/* Quoting the start helps only if nothing else was read: once there were
	   events, how much of it is here depends on how it was split. */
	bool quote = code == ERR_UPSTREAM_PROTOCOL && d->n_head &&
		(!d->reader.n_events || d->not_lines);

	if (d->err.code != ERR_NONE)
		return;
	err_set(&d->err, code, "%s: %s%s%.120s", d->provider->name, text,
		quote ? ": " : "", quote ? d->head : "");
	for (char *p = d->err.text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = ' ';
	d->fault = (struct llm_fault){ .code = code, .retry_after_ms = -1,
		.retry = err_rows[code].retryable };
	emit_terminal(d);
}

void dec_fail_json(struct llm_decoder *d, json_t *j)
{
	json_t *clean;

	if (d->err.code != ERR_NONE)
		return;
	if (d->dialect->usage)
		d->dialect->usage(d, j);
	clean = dec_keep(d, j);
	llm_fault_of_json(clean, MAX(d->est_input, 0), &d->fault, &d->err);
	json_decref(clean);
	err_wrap(&d->err, "%s, in the answer", d->provider->name);
	emit_terminal(d);
}

void dec_end(struct llm_decoder *d)
{
	if (d->finished)
		emit_terminal(d);
	else
		dec_fail(d, ERR_UPSTREAM_EARLY_END,
			 "the stream ended without its end mark");
}
