/* SPDX-License-Identifier: MIT */
/*
 * plan.c - cutting answers into tokens. A token is a word with the blanks
 * before it, as real tokenizers tend to give; long words and tool arguments are
 * cut into pieces of a few bytes, never within a UTF-8 sequence.
 */
#include "demo-llm/plan.h"

#include <string.h>

#include "base/banned.h"

#define WORD_MAX_BYTES 24
#define ARG_BYTES 6

static const char *const generated[] = {
	" the", " lamp", " burns", " in", " a", " quiet", " street", ",",
	" and", " each", " small", " light", " that", " follows", " it",
	" shows", " one", " more", " house", ".", " Someone", " opens",
	" a", " window", ";", " music", " drifts", " out", " over", " wet",
	" stones", ".",
};

/* A piece under construction. */
struct cutter {
	struct out esc, tok;
};

void plan_init(struct plan *p, struct arena *a)
{
	*p = (struct plan){.a = a, .stall_after = -1, .cut_after = -1,
			   .garbage_after = -1, .fault.after_tokens = -1};
}

static struct piece *add_piece(struct plan *p, enum piece_kind kind)
{
	struct piece *all = arena_zalloc(p->a, p->n + 1, sizeof(*all));

	if (p->n)
		memcpy(all, p->piece, p->n * sizeof(*all));
	p->piece = all;
	all[p->n].kind = kind;
	return &all[p->n++];
}

static void add_token(struct cutter *c, const char *s, size_t n)
{
	struct tok t = {.off = (uint32_t)out_size(&c->esc)};

	out_json(&c->esc, s, n);
	t.len = (uint32_t)(out_size(&c->esc) - t.off);
	out_add(&c->tok, &t, sizeof(t));
}

static void seal(struct plan *p, struct piece *piece, struct cutter *c)
{
	piece->ntok = out_size(&c->tok) / sizeof(struct tok);
	piece->count = piece->ntok;
	piece->tok = (const void *)out_keep(&c->tok, p->a);
	piece->esc_len = out_size(&c->esc);
	piece->esc = out_keep(&c->esc, p->a);
}

/* Bytes of the next token of at most max bytes, whole UTF-8 sequences. */
static size_t cut_at(const char *s, size_t n, size_t max)
{
	size_t i = max < n ? max : n;

	while (i < n && ((unsigned char)s[i] & 0xc0) == 0x80)
		i++;
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

void plan_text(struct plan *p, enum piece_kind kind, const char *text)
{
	size_t n = strlen(text), i = 0;
	struct cutter c = {0};
	struct piece *piece;

	if (!n)
		return;
	piece = add_piece(p, kind);
	while (i < n) {
		size_t j = i;

		while (j < n && is_blank(text[j]))
			j++;
		while (j < n && !is_blank(text[j]) && j - i < WORD_MAX_BYTES)
			j++;
		j = i + cut_at(text + i, n - i, j - i);
		add_token(&c, text + i, j - i);
		i = j;
	}
	seal(p, piece, &c);
	p->tokens += piece->count;
	if (kind == PIECE_REASONING)
		p->reasoning_tokens += piece->count;
}

/* Appends n generated words. */
static void plan_words(struct plan *p, uint64_t n)
{
	struct piece *piece = add_piece(p, PIECE_TEXT);
	struct cutter c = {0};
	size_t i;

	for (i = 0; i < ARRAY_LEN(generated); i++)
		add_token(&c, generated[i], strlen(generated[i]));
	seal(p, piece, &c);
	piece->count = n;
	p->tokens += n;
}

void plan_call(struct plan *p, const char *id, const char *name,
	       json_t *args)
{
	size_t i, nth = 0, n;
	struct cutter c = {0};
	struct piece *piece;
	const char *s;

	for (i = 0; i < p->n; i++)
		nth += p->piece[i].kind == PIECE_CALL;
	piece = add_piece(p, PIECE_CALL);
	piece->nth = nth;
	piece->id = id && *id ? id : NULL;
	piece->name = name;
	piece->args = args ? args : jx_keep(p->a, json_object());
	s = json_is_string(args) ? json_string_value(args)
				 : jx_text(p->a, piece->args);
	n = strlen(s);
	for (i = 0; i < n; ) {
		size_t len = cut_at(s + i, n - i, ARG_BYTES);

		add_token(&c, s + i, len);
		i += len;
	}
	seal(p, piece, &c);
	p->tokens += piece->count;
}

void plan_limit(struct plan *p, uint64_t max)
{
	size_t i;

	if (!max || p->tokens <= max)
		return;
	p->tokens = 0;
	for (i = 0; i < p->n; i++) {
		struct piece *piece = &p->piece[i];

		piece->count = MIN(piece->count, max - p->tokens);
		p->tokens += piece->count;
	}
	p->finish = "length";
}

void plan_script(struct plan *p, const struct script *s)
{
	json_t *call;
	size_t i;

	p->usage = s->usage;
	p->fault = s->fault;
	p->stall_after = s->stall_after;
	p->cut_after = s->cut_after;
	p->garbage_after = s->garbage_after;
	p->rate = s->rate;
	p->first_byte_ms = s->first_byte_ms;
	p->chunk_bytes = s->chunk_bytes;
	p->html = s->html;
	p->empty = s->empty;
	p->no_done = s->no_done;
	p->finish = s->finish;
	if (s->reasoning)
		plan_text(p, PIECE_REASONING, s->reasoning);
	if (s->narration)
		plan_text(p, PIECE_TEXT, s->narration);
	if (s->text)
		plan_text(p, PIECE_TEXT, s->text);
	if (s->tokens > 0)
		plan_words(p, (uint64_t)s->tokens);
	json_array_foreach(s->tool_calls, i, call)
		plan_call(p, json_string_value(json_object_get(call, "id")),
			  json_string_value(json_object_get(call, "name")),
			  json_object_get(call, "args"));
}

void piece_text(const struct piece *piece, struct out *o)
{
	uint64_t left = piece->count;

	while (left >= piece->ntok && piece->ntok) {
		out_add(o, piece->esc, piece->esc_len);
		left -= piece->ntok;
	}
	if (left) {
		const struct tok *t = &piece->tok[left - 1];

		out_add(o, piece->esc, t->off + t->len);
	}
}
