/* SPDX-License-Identifier: MIT */
/*
 * Tool calls as dialects deliver them, often in pieces: each fragment is added to
 * its call, and at the end every call has a unique id and a JSON object as its
 * arguments, or is marked as bad.
 */
#include "llm/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/repair.h"

#include "base/banned.h"

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

void emit_call(struct llm_decoder *d, struct dec_call *c)
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
