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
	unsigned char hash[(PROMPT_HASH_BYTES - 1) / 2];
	struct prompt_stamp *s;

	if (!str_trim(text).n)
		return;
	grow(b, a);
	s = &b->stamp[b->n];
	s->layer = layer;
	s->name = name;
	s->version = version;
	crypto_generichash(hash, sizeof(hash), (const unsigned char *)text.p,
			   text.n, NULL, 0);
	sodium_bin2hex(s->hash, sizeof(s->hash), hash, sizeof(hash));
	b->text[b->n++] = text;
}

void prompt_stamps(const struct prompt_blocks *b, struct jw *w)
{
	jw_arr(w);
	for (size_t i = 0; i < b->n; i++) {
		jw_obj(w);
		jw_kstrz(w, "layer", b->stamp[i].layer);
		jw_kstrz(w, "name", b->stamp[i].name);
		jw_kint(w, "version", b->stamp[i].version);
		jw_kstrz(w, "hash", b->stamp[i].hash);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}
