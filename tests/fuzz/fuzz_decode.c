/* SPDX-License-Identifier: MIT */
/*
 * Provider decoders on arbitrary bytes: valid text, at most 64 calls, exactly
 * one terminal event which is the last, and the same events whole with the
 * template as in pieces without it. Nothing that is said has the private
 * characters of repair.c that the input has not.
 *
 * The first byte chooses the provider, the second the size of the pieces. With
 * its high bit set, each line of the rest is the text of one delta as a server
 * would write it (think tags, calls and halves of characters are then a few
 * mutations away, not hundreds).
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/decode_cli.h"
#include "llm/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct out {
	struct buf text;
	int n_terminal;
};

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static int note(void *ctx, const struct llm_event *ev)
{
	struct out *o = ctx;

	expect(!o->n_terminal && utf8_valid(ev->text) && ev->index <= 63);
	expect(!ev->text.n || !memchr(ev->text.p, 0, ev->text.n));
	expect(!ev->err || utf8_valid(str_of(ev->err->text)));
	expect(utf8_valid(ev->id) && utf8_valid(ev->name));
	expect(ev->usage.output <= 2 * LIM_TOKEN_COUNT);
	o->n_terminal += ev->type == LLM_EV_DONE || ev->type == LLM_EV_ERROR;
	llm_event_json(&o->text, ev);
	return 0;
}

/* Whether s has a character of plane 16, or could have one written out. */
static bool has_plane_16(struct str s, bool escapes)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] == 0xf4)
			return true;
		if (escapes && s.n - i > 3 && s.p[i] == 'u' &&
		    (s.p[i + 1] | 32) == 'd' && (s.p[i + 2] | 32) == 'b')
			return true;
	}
	return false;
}

static void decode(struct out *o, const char *provider, struct str s,
		   size_t piece, bool fast)
{
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new(provider, NULL, &e);

	expect(d != NULL);
	llm_decoder_fixed_ids(d);
	llm_decoder_fast(d, fast);
	while (s.n) {
		size_t n = piece ? MIN(piece, s.n) : s.n;

		expect(llm_decoder_feed(d, (struct str){ s.p, n }, note, o,
					&e) == 0);
		s.p += n;
		s.n -= n;
	}
	expect(llm_decoder_finish(d, note, o, &e) == 0 && o->n_terminal == 1);
	llm_decoder_free(d);
}

/* One delta of a stream, its text as it is. */
static void delta(struct buf *out, const struct provider *p, struct str text)
{
	static const char *const members[] = {
		"content", "reasoning_content", "refusal",
	};
	const char *end = "\"}}\n\n";

	if (p->dialect == &llm_dialect_anthropic) {
		buf_adds(out, "data: {\"type\":\"content_block_delta\",\"index\":0,"
			 "\"delta\":{\"type\":\"text_delta\",\"text\":\"");
	} else if (p->dialect == &llm_dialect_ollama) {
		buf_adds(out, "{\"message\":{\"content\":\"");
		end = "\"}}\n";
	} else if (text.n && text.p[0] == '@') {
		buf_adds(out, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{"
			 "\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"n\","
			 "\"arguments\":\"");
		end = "\"}}]}}]}\n\n";
		text.p++, text.n--;
	} else {
		buf_addf(out, "data: {\"choices\":[{\"delta\":{\"%s\":\"",
			 members[text.n ? (uint8_t)text.p[0] % 11 % 3 : 0]);
		end = "\"}}]}\n\n";
	}
	buf_addstr(out, text);
	buf_adds(out, end);
}

static void assemble(struct buf *out, const struct provider *p, struct str s)
{
	if (p->dialect == &llm_dialect_anthropic)
		buf_adds(out, "data: {\"type\":\"content_block_start\",\"index\":0,"
			 "\"content_block\":{\"type\":\"thinking\",\"text\":\"\"}}"
			 "\n\n");
	while (s.n)
		delta(out, p, str_cut(&s, '\n'));
	buf_adds(out, p->dialect == &llm_dialect_anthropic
		 ? "data: {\"type\":\"message_stop\"}\n\n"
		 : p->dialect == &llm_dialect_ollama ? "{\"done\":true}\n"
		 : "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
		 "\n\ndata: [DONE]\n\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out a = { .text = BUF_INIT(1 << 26) };
	struct out b = { .text = BUF_INIT(1 << 26) };
	struct buf made = BUF_INIT(1 << 26);
	const struct provider *rows, *p;
	struct str s;
	size_t n;

	if (size < 2)
		return 0;
	rows = provider_rows(&n);
	p = &rows[data[0] % n];
	s = (struct str){ (const char *)data + 2, size - 2 };
	if (data[1] & 128) {
		assemble(&made, p, s);
		s = buf_str(&made);
	}
	decode(&a, p->name, s, 0, true);
	decode(&b, p->name, s, 1 + data[1] % 64, false);
	expect(str_eq(buf_str(&a.text), buf_str(&b.text)));
	expect(has_plane_16(s, true) ||
	       !has_plane_16(buf_str(&a.text), false));
	buf_release(&a.text);
	buf_release(&b.text);
	buf_release(&made);
	return 0;
}
