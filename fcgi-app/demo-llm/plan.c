/*
 * plan.c - cutting answers into tokens. A token is a word with the blanks
 * before it, as real tokenizers tend to give; long words and tool arguments are
 * cut into pieces of a few bytes, never within a UTF-8 sequence.
 */
#include "demo-llm/plan.h"

#include <stdlib.h>
#include <string.h>

#define WORD_MAX_BYTES 24
#define ARG_BYTES 9

static const char *const generated[] = {
	" the", " lamp", " burns", " in", " a", " quiet", " street", ",",
	" and", " each", " small", " light", " that", " follows", " it",
	" shows", " one", " more", " house", ".", " Someone", " opens",
	" a", " window", ";", " music", " drifts", " out", " over", " wet",
	" stones", ".",
};

void plan_init(struct plan *p)
{
	*p = (struct plan){.stall_after = -1, .cut_after = -1,
			   .garbage_after = -1, .fault.after_tokens = -1};
}

static struct piece *add_piece(struct plan *p, enum piece_kind kind)
{
	struct piece *piece;

	p->piece = xrealloc(p->piece, (p->n + 1) * sizeof(*p->piece));
	piece = &p->piece[p->n++];
	*piece = (struct piece){.kind = kind};
	return piece;
}

static void add_token(struct piece *piece, const char *s, size_t n)
{
	size_t off = out_size(&piece->esc);

	if (!(piece->ntok & (piece->ntok + 1)))	/* full: 0, 1, 3, 7, ... */
		piece->tok = xrealloc(piece->tok, (piece->ntok * 2 + 1) *
				      sizeof(*piece->tok));
	out_json(&piece->esc, s, n);
	piece->tok[piece->ntok++] = (struct tok){
		.off = (uint32_t)off,
		.len = (uint32_t)(out_size(&piece->esc) - off)};
	piece->count++;
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
	struct piece *piece;

	if (!n)
		return;
	piece = add_piece(p, kind);
	out_add(&piece->raw, text, n);
	while (i < n) {
		size_t j = i;

		while (j < n && is_blank(text[j]))
			j++;
		while (j < n && !is_blank(text[j]) && j - i < WORD_MAX_BYTES)
			j++;
		j = i + cut_at(text + i, n - i, j - i);
		add_token(piece, text + i, j - i);
		i = j;
	}
	p->tokens += piece->count;
	if (kind == PIECE_REASONING)
		p->reasoning_tokens += piece->count;
}

void plan_words(struct plan *p, uint64_t n)
{
	struct piece *piece = add_piece(p, PIECE_TEXT);
	size_t i;

	for (i = 0; i < sizeof(generated) / sizeof(generated[0]); i++)
		add_token(piece, generated[i], strlen(generated[i]));
	piece->count = n;
	p->tokens += n;
}

void plan_call(struct plan *p, const char *id, const char *name,
	       const json_t *args)
{
	struct piece *piece;
	size_t i, nth = 0, n;
	const char *s;

	for (i = 0; i < p->n; i++)
		nth += p->piece[i].kind == PIECE_CALL;
	piece = add_piece(p, PIECE_CALL);
	piece->nth = nth;
	piece->id = id && *id ? xstrdup(id) : NULL;
	piece->name = xstrdup(name);
	piece->args = args ? json_deep_copy(args) : json_object();
	if (json_is_string(args))
		out_add(&piece->raw, json_string_value(args),
			json_string_length(args));
	else
		out_dump(&piece->raw, piece->args);
	s = out_str(&piece->raw);
	n = out_size(&piece->raw);
	for (i = 0; i < n; ) {
		size_t len = cut_at(s + i, n - i, ARG_BYTES);

		add_token(piece, s + i, len);
		i += len;
	}
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

		if (piece->count > max - p->tokens) {
			struct tok last;

			piece->count = max - p->tokens;
			if (piece->count && piece->count <= piece->ntok) {
				/* raw is cut by re-reading the escaped text */
				last = piece->tok[piece->count - 1];
				piece->esc.len = last.off + last.len;
			}
			if (!piece->count)
				piece->esc.len = 0;
			piece->raw.len = 0;
		}
		p->tokens += piece->count;
	}
	free(p->finish);
	p->finish = xstrdup("length");
}

void plan_script(struct plan *p, const struct script *s, json_t *root)
{
	json_t *call;
	size_t i;

	p->script_root = json_incref(root);
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
	if (s->finish) {
		free(p->finish);
		p->finish = xstrdup(s->finish);
	}
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

void plan_release(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		out_release(&p->piece[i].raw);
		out_release(&p->piece[i].esc);
		free(p->piece[i].tok);
		free(p->piece[i].id);
		free(p->piece[i].name);
		json_decref(p->piece[i].args);
	}
	free(p->piece);
	free(p->finish);
	json_decref(p->script_root);
	*p = (struct plan){0};
}
