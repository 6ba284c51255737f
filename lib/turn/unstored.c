/* SPDX-License-Identifier: MIT */
#include "turn/unstored.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"

#include "base/banned.h"

#define VARIANT      sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define NONCE_BYTES  crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define MORE_BYTES   (NONCE_BYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES)
#define PLAIN_BYTES  (LIM_UNSTORED_BYTES / 4 * 3 - MORE_BYTES)

_Static_assert(KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
	       "keys fit");

/* Members of the same name in the JSON. */
#define USAGE_NUMBERS(F) F(turn_number) F(input_tokens) F(cache_read_tokens) \
	F(cache_write_tokens) F(output_tokens) F(reasoning_tokens) F(payer) \
	F(estimated) F(iterations) F(ttft_ms) F(duration_ms) F(created_us)
#define USAGE_TEXTS(F) F(workspace_id) F(agent_id) F(provider) F(model) \
	F(finish_reason) F(prompts) F(tools)
#define MESSAGE_NUMBERS(F) F(role) F(kind) F(continues_seq) F(kept) \
	F(variant_index) F(variant_count) F(seq) F(created_us)
#define MESSAGE_TEXTS(F) F(content) F(meta) F(finish_reason)

/* -- as JSON ---------------------------------------------------------------- */

static void write_row(struct jw *w, const struct message *m)
{
	jw_obj(w);
#define F(name) jw_kint(w, #name, m->name);
	MESSAGE_NUMBERS(F)
#undef F
#define F(name) jw_kstr(w, #name, m->name);
	MESSAGE_TEXTS(F)
#undef F
	jw_end_obj(w);
}

static void read_row(const json_t *o, struct message *m)
{
	*m = (struct message){ .seq = 0 };
#define F(name) m->name = jx_int(o, #name, 0);
	MESSAGE_NUMBERS(F)
#undef F
#define F(name) m->name = jx_str(o, #name);
	MESSAGE_TEXTS(F)
#undef F
	if (!m->content.p)
		m->content = STR("");
}

static void write_usage(struct jw *w, const struct usage *u)
{
	char cost[32] = "";

	jw_obj(w);
#define F(name) jw_kint(w, #name, u->name);
	USAGE_NUMBERS(F)
#undef F
#define F(name) jw_kstr(w, #name, u->name);
	USAGE_TEXTS(F)
#undef F
	if (isfinite(u->cost))
		/* As text: the sealed JSON has no number for an unknown cost. */
		snprintf(cost, sizeof(cost), "%.17g", u->cost);
	jw_kstrz(w, "cost", cost);
	jw_end_obj(w);
}

static void read_usage(const json_t *o, struct usage *u)
{
	struct str cost = jx_str(o, "cost");

	*u = usage_init(USAGE_CHAT);
#define F(name) u->name = jx_int(o, #name, -1);
	USAGE_NUMBERS(F)
#undef F
#define F(name) u->name = jx_str(o, #name);
	USAGE_TEXTS(F)
#undef F
	if (cost.n)
		u->cost = strtod(cost.p, NULL);
}

static void write_all(struct buf *out, const struct turn_unstored *u)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	jw_kuuid(&w, "conversation", &u->end.conversation_id);
	jw_kint(&w, "resumes", u->end.resumes);
	jw_kint(&w, "status", u->end.status);
	jw_kstrz(&w, "error_code", u->end.error_code);
	jw_kstrz(&w, "error_text", u->end.error_text);
	jw_kint(&w, "last_event_seq", u->end.last_event_seq);
	jw_kint(&w, "ended_us", u->end.ended_us);
	jw_key(&w, "answer");
	write_row(&w, &u->answer);
	jw_key(&w, "usage");
	write_usage(&w, &u->usage);
	jw_key(&w, "steps");
	jw_arr(&w);
	for (size_t i = 0; i < u->n_steps; i++)
		write_row(&w, &u->steps[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
}

static bool read_all(struct arena *a, const json_t *j,
		     const struct uuid *turn, struct turn_unstored *u)
{
	const json_t *steps = jx_arr(j, "steps"), *row;
	size_t i;

	*u = (struct turn_unstored){ .n_steps = 0 };
	u->end = (struct turn_end){
		.turn_id = *turn,
		.resumes = jx_int(j, "resumes", 0),
		.status = (enum turn_status)jx_int(j, "status", 0),
		.error_code = jx_str(j, "error_code").p,
		.error_text = jx_str(j, "error_text").p,
		.last_event_seq = jx_int(j, "last_event_seq", 0),
		.ended_us = jx_int(j, "ended_us", 0),
		.answer = &u->answer, .usage = &u->usage,
	};
	read_row(jx_obj(j, "answer"), &u->answer);
	read_usage(jx_obj(j, "usage"), &u->usage);
	u->steps = arena_zalloc(a, json_array_size(steps) + 1,
				sizeof(*u->steps));
	json_array_foreach((json_t *)steps, i, row)
		read_row(row, &u->steps[u->n_steps++]);
	if (!uuid_parse(jx_str(j, "conversation"), &u->end.conversation_id))
		return false;
	u->usage.id = *turn;	/* every end has this one usage record */
	u->usage.turn_id = *turn;
	u->usage.conversation_id = u->end.conversation_id;
	return true;
}

/* -- sealed ----------------------------------------------------------------- */

/* Owner and turn: authenticated with the text, but not part of it. */
static struct str bound_to(struct arena *a, const struct owner *o,
			   const struct uuid *turn)
{
	struct buf b = BUF_INIT(1024);
	struct str s;

	buf_add(&b, turn->b, sizeof(turn->b));
	buf_add(&b, o->user_id.b, sizeof(o->user_id.b));
	buf_addstr(&b, o->tenant_id);
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}

struct str unstored_seal(struct arena *a, const unsigned char key[KEY_BYTES],
			 const struct owner *o, const struct turn_unstored *u)
{
	struct str bound = bound_to(a, o, &u->end.turn_id), out = STR("");
	struct buf plain = BUF_INIT(PLAIN_BYTES);
	unsigned long long n = 0;
	unsigned char *box;
	size_t chars;
	char *text;

	write_all(&plain, u);
	if (buf_ok(&plain)) {
		box = arena_alloc(a, plain.n + MORE_BYTES);
		randombytes_buf(box, NONCE_BYTES);
		crypto_aead_xchacha20poly1305_ietf_encrypt(
			box + NONCE_BYTES, &n,
			(const unsigned char *)plain.p, plain.n,
			(const unsigned char *)bound.p, bound.n, NULL, box,
			key);
		chars = sodium_base64_encoded_len(NONCE_BYTES + n, VARIANT);
		text = arena_alloc(a, chars);
		out = str_of(sodium_bin2base64(text, chars, box,
					       NONCE_BYTES + n, VARIANT));
	}
	buf_release(&plain);
	return out;
}

int unstored_open(struct arena *a, const unsigned char key[KEY_BYTES],
		  const struct owner *o, const struct uuid *turn,
		  struct str text, struct turn_unstored *u, struct err *e)
{
	struct str bound = bound_to(a, o, turn);
	unsigned char *box = arena_alloc(a, text.n + 1);
	char *plain = arena_alloc(a, text.n + 1);
	unsigned long long got = 0;
	struct err ignored = ERR_INIT;
	json_t *j = NULL;
	size_t n = 0;

	if (sodium_base642bin(box, text.n + 1, text.p ? text.p : "", text.n,
			      NULL, &n, NULL, VARIANT) == 0 &&
	    n > MORE_BYTES &&
	    crypto_aead_xchacha20poly1305_ietf_decrypt(
		    (unsigned char *)plain, &got, NULL, box + NONCE_BYTES,
		    n - NONCE_BYTES, (const unsigned char *)bound.p, bound.n,
		    box, key) == 0)
		j = jx_keep(a, jx_load_lenient((struct str){ plain, got },
					       &ignored));
	if (!j || !read_all(a, j, turn, u))
		return err_field(e, ERR_INVALID_FIELD, "unstored",
				 "unstored must be the value that the end of "
				 "this turn had.");
	return 0;
}
