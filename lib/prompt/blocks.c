/* SPDX-License-Identifier: MIT */
#include "prompt/blocks.h"

#include <sodium.h>
#include <string.h>

#include "base/banned.h"

static void grow(struct prompt_blocks *b, struct arena *a)
{
	size_t room = b->size;

	b->text = arena_room(a, b->text, b->n, 1, &room, sizeof(*b->text));
	b->stamp = arena_room(a, b->stamp, b->n, 1, &b->size,
			      sizeof(*b->stamp));
}

void prompt_add(struct prompt_blocks *b, struct arena *a, const char *layer,
		const char *name, int version, struct str text)
{
	if (!str_trim(text).n)
		return;
	grow(b, a);
	b->stamp[b->n] = prompt_stamp_of(layer, name, version, text);
	b->text[b->n++] = text;
}

struct prompt_stamp prompt_stamp_of(const char *layer, const char *name,
				    int version, struct str text)
{
	unsigned char hash[(PROMPT_HASH_BYTES - 1) / 2];
	struct prompt_stamp s = {
		.layer = layer, .name = name, .version = MAX(version, 1),
	};

	crypto_generichash(hash, sizeof(hash), (const unsigned char *)text.p,
			   text.n, NULL, 0);
	sodium_bin2hex(s.hash, sizeof(s.hash), hash, sizeof(hash));
	return s;
}

static void write_stamp(struct jw *w, const struct prompt_stamp *s)
{
	jw_obj(w);
	jw_kstrz(w, "layer", s->layer);
	jw_kstrz(w, "name", s->name);
	jw_kint(w, "version", s->version);
	jw_kstrz(w, "hash", s->hash);
	jw_end_obj(w);
}

void prompt_stamps(const struct prompt_blocks *b,
		   const struct prompt_stamp *used,
		   const struct prompt_stamp *tools, struct jw *w)
{
	jw_arr(w);
	if (used)
		write_stamp(w, used);
	for (size_t i = 0; i < b->n; i++)
		write_stamp(w, &b->stamp[i]);
	if (tools)
		write_stamp(w, tools);
	jw_end_arr(w);
}
