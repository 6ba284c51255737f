/*
 * Provider decoders on arbitrary bytes: valid text, at most 64 calls, exactly
 * one terminal event which is the last, and the same events whole with the
 * template as in pieces without it. The first byte chooses the provider, the
 * second the size of the pieces.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "llm/decode_cli.h"
#include "llm/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct out {
	struct buf text;
	int n_terminal;
};

static int note(void *ctx, const struct llm_event *ev)
{
	struct out *o = ctx;

	if (o->n_terminal || !utf8_valid(ev->text) || ev->index > 63 ||
	    (ev->text.n && memchr(ev->text.p, 0, ev->text.n)))
		abort();
	o->n_terminal += ev->type == LLM_EV_DONE || ev->type == LLM_EV_ERROR;
	llm_event_json(&o->text, ev);
	return 0;
}

static void decode(struct out *o, const char *provider, struct str s,
		   size_t piece, bool fast)
{
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new(provider, NULL, &e);

	if (!d)
		abort();
	llm_decoder_fixed_ids(d);
	llm_decoder_fast(d, fast);
	while (s.n) {
		size_t n = piece ? MIN(piece, s.n) : s.n;

		if (llm_decoder_feed(d, (struct str){ s.p, n }, note, o, &e) < 0)
			abort();
		s.p += n;
		s.n -= n;
	}
	if (llm_decoder_finish(d, note, o, &e) < 0 || o->n_terminal != 1)
		abort();
	llm_decoder_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out a = { .text = BUF_INIT(1 << 26) };
	struct out b = { .text = BUF_INIT(1 << 26) };
	const char *provider;
	struct str s;
	const struct provider *rows;
	size_t n;

	if (size < 2)
		return 0;
	rows = provider_rows(&n);
	provider = rows[data[0] % n].name;
	s = (struct str){ (const char *)data + 2, size - 2 };
	decode(&a, provider, s, 0, true);
	decode(&b, provider, s, 1 + data[1] % 64, false);
	if (!str_eq(buf_str(&a.text), buf_str(&b.text)))
		abort();
	buf_release(&a.text);
	buf_release(&b.text);
	return 0;
}
