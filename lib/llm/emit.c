/* SPDX-License-Identifier: MIT */
/*
 * Turns the output of dialects into events: makes text valid UTF-8 wherever it
 * was split, separates <think>, and emits the terminal event once, after
 * everything that was held back. Tool calls arrive in pieces, too.
 */
#include "llm/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

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

/* Gives ev to the handler, unless that has said stop. */
static void emit_send(struct llm_decoder *d, const struct llm_event *ev)
{
	if (!d->stopped && d->fn(d->ctx, ev) < 0)
		d->stopped = true;
}

/* -- deltas --------------------------------------------------------------- */

static const enum llm_event_type channel_event[CH__MAX] = {
	[CH_TEXT] = LLM_EV_TEXT, [CH_REASONING] = LLM_EV_REASONING,
	[CH_REFUSAL] = LLM_EV_REFUSAL,
};

/*
 * s, the next part of a text, cleaned of stray pieces and NUL (P-C7, P-C9). *carry
 * belongs to that text. Uses *tmp only if something must be changed.
 */
static struct str emit_clean(const struct llm_decoder *d, struct dec_carry *carry,
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
	if (!s.n || str_eq(s, buf_str(&d->reported_model)))
		return;
	d->tmpl.set = false;	/* the chunks that it stands for name another */
	buf_reset(&d->reported_model);
	dec_whole(d, &d->reported_model, utf8_head(s, 60));
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

static void hold_back(struct llm_decoder *d, struct str s)
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
	hold_back(d, (struct str){ s.p + s.n - n_keep, n_keep });
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
		hold_back(d, s);
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
		hold_back(d, s);
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

/* Gives the whole call c, with an id of its own (P-B3). */
static void emit_call(struct llm_decoder *d, struct dec_call *c);

/* -- the end -------------------------------------------------------------- */

json_t *dec_origin(const struct llm_decoder *d)
{
	json_t *o = json_pack("{s:s, s:s}", "provider", d->provider->name,
			      "model", d->model[0] ? d->model
			      : d->reported_model.p);

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
			.model = buf_str(&d->reported_model),
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

/* -- tool calls ------------------------------------------------------------ */

/*
 * Tool calls as dialects deliver them, often in pieces: each fragment is added to
 * its call, and at the end every call has a unique id and a JSON object as its
 * arguments, or is marked as bad.
 */

static void start_call(struct llm_decoder *d, struct dec_call *c)
{
	c->started = true;
	emit_send(d, &(struct llm_event){
		.type = LLM_EV_TOOL_START, .index = (int)(c - d->calls),
		.id = buf_str(&c->id), .name = buf_str(&c->name),
	});
	if (c->args.n)
		emit_send(d, &(struct llm_event){
			.type = LLM_EV_TOOL_ARGS, .index = (int)(c - d->calls),
			.text = buf_str(&c->args),
		});
}

/* The first non-empty value wins (P-B4, P-B7). */
static void first_wins(const struct llm_decoder *d, struct buf *b,
		       struct str s)
{
	if (!b->n && s.n)
		dec_whole(d, b, s);
}

struct dec_call *dec_call_new(struct llm_decoder *d, int key, struct str id,
			      struct str name)
{
	struct dec_call *c;

	if (d->n_calls == LIM_TOOL_CALLS) {
		dec_fail(d, ERR_TOO_BIG, "too many tool calls at once");
		return NULL;
	}
	d->calls = xrealloc(d->calls, ((size_t)d->n_calls + 1) * sizeof(*c));
	c = &d->calls[d->n_calls++];
	*c = (struct dec_call){
		.key = key, .id = BUF_INIT(256), .name = BUF_INIT(256),
		.args = BUF_INIT(LIM_TOOL_ARGS_BYTES),
		.last = BUF_INIT(LIM_TOOL_ARGS_BYTES),
	};
	first_wins(d, &c->id, id);
	first_wins(d, &c->name, name);
	if (c->name.n)
		start_call(d, c);
	return c;
}

static struct dec_call *find_call(struct llm_decoder *d, int key,
				  struct str id, struct str name)
{
	for (int i = d->n_calls - 1; i >= 0; i--) {
		struct dec_call *c = &d->calls[i];
		bool other_id = id.n && c->id.n &&
			!str_eq(id, buf_str(&c->id));
		bool other_name = name.n && c->name.n &&
			!str_eq(name, buf_str(&c->name));

		if (c->key != key)
			continue;
		if (other_id)			/* P-B3 */
			continue;
		if (key == CALL_NO_KEY && name.n && c->name.n &&
		    !(id.n && c->id.n))
			return NULL;		/* P-B2: whole calls, no ids */
		if (other_name && !id.n && !c->id.n)
			return NULL;
		return c;
	}
	return NULL;
}

struct dec_call *dec_call(struct llm_decoder *d, int key, struct str id,
			  struct str name)
{
	struct dec_call *c = find_call(d, key, id, name);

	if (!c)
		return dec_call_new(d, key, id, name);
	first_wins(d, &c->id, id);
	first_wins(d, &c->name, name);
	if (c->name.n && !c->started)
		start_call(d, c);
	return c;
}

/*
 * Some servers send all arguments so far instead of what is new (P-B19). A delta may
 * begin with the one before by chance, as in {"not":{"not":...}}, so both readings are
 * kept until the end (settle_args). Returns how many characters came before.
 */
static size_t note_snapshot(const struct llm_decoder *d, struct dec_call *c,
			    struct str s)
{
	struct buf now = BUF_INIT(LIM_TOOL_ARGS_BYTES);
	struct dec_carry carry = { .n = 0 };	/* half a character comes again */
	size_t n_before = 0;

	if (c->no_snapshots || !s.n)
		return 0;
	dec_add(d, &now, &carry, s);
	if (buf_ok(&now) && str_starts(buf_str(&now), buf_str(&c->last))) {
		n_before = utf8_chars(buf_str(&c->last));
	} else {
		c->no_snapshots = true;
		buf_release(&now);
	}
	buf_release(&c->last);
	c->last = now;
	return n_before;
}

void dec_call_args(struct llm_decoder *d, struct dec_call *c, struct str s)
{
	struct buf tmp = BUF_INIT(LIM_UPSTREAM_BYTES);
	size_t n_before = note_snapshot(d, c, s);

	s = emit_clean(d, &c->carry, s, &tmp);
	buf_addstr(&c->args, s);
	if (!buf_ok(&c->args) && c->no_snapshots) {
		dec_fail(d, ERR_TOO_BIG, "tool arguments that are too large");
	} else if (s.n) {
		/* What a snapshot repeats was produced, and is paid for, once. */
		d->n_chars += utf8_chars(s) - n_before;
		if (c->started)
			emit_send(d, &(struct llm_event){
				.type = LLM_EV_TOOL_ARGS, .text = s,
				.index = (int)(c - d->calls),
			});
	}
	buf_release(&tmp);
}

void dec_call_args_json(struct llm_decoder *d, struct dec_call *c,
			const json_t *args)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);

	if (json_is_string(args)) {
		dec_call_args(d, c, (struct str){ json_string_value(args),
			      json_string_length(args) });
	} else if (json_is_object(args) || json_is_array(args)) {
		jx_dump(&b, args);
		dec_call_args(d, c, buf_str(&b));
	}
	buf_release(&b);
}

static void mint_id(struct llm_decoder *d, struct dec_call *c)
{
	static const char alnum[] = "0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned char r[24];
	char id[30] = "call_";

	if (d->fixed_ids) {
		snprintf(id, sizeof(id), "call_%024d",
			 (int)(c - d->calls) + 1);
	} else {
		if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
			BUG("no random bytes");
		for (size_t i = 0; i < sizeof(r); i++)
			id[5 + i] = alnum[r[i] % 62];
		id[29] = '\0';
	}
	buf_reset(&c->id);
	buf_adds(&c->id, id);
}

/* Whether a call before c has its id (P-B3). */
static bool id_is_taken(const struct llm_decoder *d, const struct dec_call *c)
{
	const struct llm_request *r = d->request;
	struct str id = buf_str(&c->id);

	for (const struct dec_call *i = d->calls; i < c; i++)
		if (str_eq(buf_str(&i->id), id))
			return true;
	for (size_t k = 0; r && k < r->n_messages; k++)
		for (size_t i = 0; i < r->messages[k].n_calls; i++)
			if (str_eq(r->messages[k].calls[i].id, id))
				return true;
	return false;
}

/*
 * Whether the answer ended before the model had finished. The dialect's own stop
 * reason (d->stop) counts; it is renamed for answers with calls only later.
 */
static bool cut_short(const struct llm_decoder *d)
{
	return d->stop == LLM_STOP_MAX_TOKENS || d->stop == LLM_STOP_CONTEXT ||
		d->stop == LLM_STOP_FILTER || d->stop == LLM_STOP_REFUSAL;
}

/*
 * The arguments as the caller gets them: "" and null mean none (P-B8, P-B16); what
 * needed repair is rewritten. False: not a JSON object, or none at the end of an
 * answer that was cut off, perhaps before the first byte of the arguments (P-A6). Then
 * even a tool without parameters is not run: the model can call it again, but a write
 * cannot be undone.
 */
static bool settle_args(const struct llm_decoder *d, struct dec_call *c)
{
	struct str s = str_trim(buf_str(&c->args));
	struct dec_carry carry = { .n = 0 };
	bool plain, repaired = false;
	struct buf b, joined;
	json_t *j;

	if (!s.n && cut_short(d)) {
		buf_reset(&c->args);
		return false;
	}
	if (!s.n || str_is(s, "null")) {
		buf_reset(&c->args);
		buf_adds(&c->args, "{}");
		return true;
	}
	j = buf_ok(&c->args) ? repair_args(s, &plain, &repaired) : NULL;
	if (!j && c->last.n) {	/* P-B19; a cut one may lack its end either way */
		buf_reset(&c->args);
		buf_addstr(&c->args, buf_str(&c->last));
		if (cut_short(d))
			return false;
		j = repair_args(str_trim(buf_str(&c->args)), &plain, &repaired);
	}
	if (!j || plain) {
		json_decref(j);
		return j != NULL;
	}
	b = (struct buf)BUF_INIT(LIM_UPSTREAM_BYTES);
	joined = (struct buf)BUF_INIT(LIM_UPSTREAM_BYTES);
	jx_dump(&b, j);
	json_decref(j);
	if (repaired) {
		repair_join(&joined, buf_str(&b), &carry);
		repair_flush(&joined, &carry);
	}
	buf_reset(&c->args);
	buf_addstr(&c->args, buf_str(repaired ? &joined : &b));
	buf_release(&b);
	buf_release(&joined);
	return buf_ok(&c->args);
}

static void emit_call(struct llm_decoder *d, struct dec_call *c)
{
	bool ok;

	if (!c->id.n || id_is_taken(d, c))
		mint_id(d, c);
	if (!c->started)
		start_call(d, c);
	ok = settle_args(d, c);
	if (c->opaque) {
		json_t *o = dec_origin(d);

		json_object_set_new(o, "members", c->opaque);
		c->opaque = o;
	}
	emit_send(d, &(struct llm_event){
		.type = LLM_EV_TOOL_CALL, .index = (int)(c - d->calls),
		.id = buf_str(&c->id), .name = buf_str(&c->name),
		.text = buf_str(&c->args), .bad_args = !ok,
		.opaque = c->opaque,
	});
}
