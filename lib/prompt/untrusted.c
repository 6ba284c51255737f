/* SPDX-License-Identifier: MIT */
#include "prompt/untrusted.h"

#include <ctype.h>
#include <limits.h>
#include <sodium.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

#define MARKER "UNTRUSTED-DATA"

void untrusted_init(struct untrusted *u)
{
	unsigned char raw[(UNTRUSTED_ID_BYTES - 1) / 2];

	randombytes_buf(raw, sizeof(raw));
	sodium_bin2hex(u->id, sizeof(u->id), raw, sizeof(raw));
}

void untrusted_init_same(struct untrusted *u, struct str text)
{
	unsigned char raw[(UNTRUSTED_ID_BYTES - 1) / 2];

	crypto_generichash(raw, sizeof(raw), (const unsigned char *)text.p,
			   text.n, NULL, 0);
	sodium_bin2hex(u->id, sizeof(u->id), raw, sizeof(raw));
}

/*
 * Tokens with which chat templates mark turns and roles, and the envelope's marker.
 * A blank is inserted after the first `keep` bytes of each, which makes it ordinary
 * text for every tokenizer. Letters match in either case.
 */
static const struct {
	struct str token;
	size_t keep;
} tokens[] = {
	{ STR("<|"), 1 }, { STR("|>"), 1 },		/* ChatML, Llama 3, … */
	{ STR("<\xef\xbd\x9c"), 1 },			/* DeepSeek: <｜ */
	{ STR("\xef\xbd\x9c>"), 3 },
	{ STR("[INST]"), 1 }, { STR("[/INST]"), 1 },	/* Llama 2, Mistral */
	{ STR("<<SYS>>"), 1 }, { STR("<</SYS>>"), 1 },
	{ STR("<s>"), 1 }, { STR("</s>"), 1 },
	{ STR("[SYSTEM_PROMPT]"), 1 }, { STR("[/SYSTEM_PROMPT]"), 1 },
	{ STR("[TOOL_CALLS]"), 1 }, { STR("[TOOL_RESULTS]"), 1 },
	{ STR("[/TOOL_RESULTS]"), 1 },
	{ STR("[AVAILABLE_TOOLS]"), 1 }, { STR("[/AVAILABLE_TOOLS]"), 1 },
	{ STR("<start_of_turn>"), 1 }, { STR("<end_of_turn>"), 1 },  /* Gemma */
	{ STR("<bos>"), 1 }, { STR("<eos>"), 1 },
	{ STR("<tool_call>"), 1 }, { STR("</tool_call>"), 1 },	/* Hermes */
	{ STR("<tool_response>"), 1 }, { STR("</tool_response>"), 1 },
	{ STR("<tools>"), 1 }, { STR("</tools>"), 1 },
	{ STR("<think>"), 1 }, { STR("</think>"), 1 },	/* Qwen, DeepSeek */
	{ STR("<function_calls>"), 1 }, { STR("</function_calls>"), 1 },
	{ STR("<function_results>"), 1 }, { STR("</function_results>"), 1 },
	{ STR("\n\nHuman:"), 7 }, { STR("\n\nAssistant:"), 11 },
	{ STR(MARKER), 9 },
};

/* Its second byte tells most texts apart, also with a letter's case dropped. */
static bool at(struct str s, size_t i, struct str token)
{
	return s.n - i >= token.n && !((s.p[i + 1] ^ token.p[1]) & ~0x20) &&
	       !strncasecmp(s.p + i, token.p, token.n);
}

/* The code point at index i of valid s; *len is set to its length in bytes. */
static unsigned code_point(struct str s, size_t i, size_t *len)
{
	const unsigned char *p = (const unsigned char *)s.p + i;

	*len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	switch (*len) {
	case 1:
		return p[0];
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3f);
	case 3:
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3f);
	default:
		return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 |
		       (p[2] & 0x3fu) << 6 | (p[3] & 0x3f);
	}
}

/*
 * Invisible characters (Unicode's Default_Ignorable_Code_Point and controls): a
 * sequence of them can encode a text that only a model reads. Exceptions are
 * line breaks, tabs, the emoji selector (U+FE0F), and joiners, which
 * drop_invisible handles.
 */
static const struct {
	unsigned first, last;
} invisible[] = {
	{ 0x00, 0x08 }, { 0x0b, 0x1f }, { 0x7f, 0x9f },	/* controls */
	{ 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x200b, 0x200b }, { 0x200e, 0x200f },
	/* Bidirectional controls */
	{ 0x202a, 0x202e }, { 0x2060, 0x206f },
	{ 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0e },		/* variation selectors */
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },		/* tags, variation selectors */
};

static bool is_invisible(unsigned c)
{
	for (size_t i = 0; i < ARRAY_LEN(invisible); i++)
		if (c <= invisible[i].last)
			return c >= invisible[i].first;
	return false;
}

/* Joiners have a meaning within words of some scripts and in emoji. */
static bool is_joiner(unsigned c)
{
	return c == 0x200c || c == 0x200d || c == 0xfe0f;
}

/* How many bytes from i on are visible ASCII, which most text is. */
static size_t visible_run(struct str s, size_t i)
{
	size_t n = i;

	while (n < s.n && ((s.p[n] >= ' ' && s.p[n] < 0x7f) || s.p[n] == '\n'))
		n++;
	return n - i;
}

/* The first pass, so that no invisible character hides a token from the second. */
static void drop_invisible(struct str s, struct buf *out)
{
	size_t i = 0, len;
	bool joins = false;	/* the last character kept can be joined */

	while (i < s.n) {
		size_t run = visible_run(s, i);
		unsigned c;
		bool joiner;

		if (run) {
			buf_add(out, s.p + i, run);
			joins = false;
			i += run;
			continue;
		}
		c = code_point(s, i, &len);
		joiner = is_joiner(c);
		if (joiner ? joins : !is_invisible(c)) {
			buf_add(out, s.p + i, len);
			joins = c >= 0x80 && (!joiner || c == 0xfe0f);
		}
		i += len;
	}
}

void untrusted_spell(struct str text, struct buf *out)
{
	struct buf valid = BUF_INIT(3 * text.n + 1);
	size_t len;

	utf8_scrub(&valid, text);
	for (size_t i = 0; i < valid.n; i += len) {
		unsigned c = code_point(buf_str(&valid), i, &len);

		if (is_invisible(c) || is_joiner(c) || c == 0x2028 || c == 0x2029)
			buf_addf(out, "⟨U+%04X⟩", c);
		else
			buf_add(out, valid.p + i, len);
	}
	buf_release(&valid);
}

static void break_tokens(const struct untrusted *u, struct str s,
			 struct buf *out)
{
	const struct str id = str_of(u ? u->id : NULL);
	/* By the first byte of a token or the id: the tokens to look at, from one on, up
	   to another; none are looked at for most letters. */
	struct {
		bool any;
		unsigned char from, to;
	} first[UCHAR_MAX + 1] = { { .any = false } };
	size_t done = 0, i = 0;

	for (unsigned char k = 0; k < ARRAY_LEN(tokens); k++) {
		const unsigned char c = (unsigned char)tokens[k].token.p[0];

		first[c].from = first[c].any ? first[c].from : k;
		first[c].to = k + 1;
		first[c].any = true;
	}
	first['u'] = first['U'];	/* of the marker; the others are no letters */
	if (id.n)
		first[(unsigned char)id.p[0]].any = first[toupper(id.p[0])].any = true;
	while (i < s.n) {
		const unsigned char c = (unsigned char)s.p[i];
		size_t keep = 0;

		if (!first[c].any) {
			i++;
			continue;
		}
		if (id.n && at(s, i, id))
			keep = 4;
		for (size_t k = first[c].from; k < first[c].to && !keep; k++)
			if (at(s, i, tokens[k].token))
				keep = tokens[k].keep;
		if (!keep) {
			i++;
			continue;
		}
		buf_add(out, s.p + done, i + keep - done);
		buf_addc(out, ' ');
		done = i = i + keep;
	}
	buf_add(out, s.p + done, s.n - done);
}

void untrusted_visible(struct str text, struct buf *out)
{
	/* U+FFFD takes three bytes in place of one invalid byte */
	struct buf valid = BUF_INIT(3 * text.n + 1);

	utf8_scrub(&valid, text);
	drop_invisible(buf_str(&valid), out);
	buf_release(&valid);
}

void untrusted_clean(const struct untrusted *u, struct str text,
		     struct buf *out)
{
	struct buf plain = BUF_INIT(3 * text.n + 1);

	untrusted_visible(text, &plain);
	break_tokens(u, buf_str(&plain), out);
	buf_release(&plain);
}

void untrusted_wrap(const struct untrusted *u, struct str source,
		    struct str text, struct buf *out)
{
	struct buf name = BUF_INIT(6 * LIM_SOURCE_CHARS + 16);
	struct buf valid = BUF_INIT(3 * source.n + 1);

	utf8_scrub(&valid, source);
	untrusted_clean(u, utf8_head(buf_str(&valid), LIM_SOURCE_CHARS), &name);
	for (size_t i = 0; i < name.n; i++)
		if (strchr("\n\t\"]", name.p[i]))
			name.p[i] = ' ';
	buf_addf(out, "[" MARKER " %s source=\"%s\"]\n", u->id, name.p);
	untrusted_clean(u, text, out);
	buf_addf(out, "\n[/" MARKER " %s]\n", u->id);
	buf_release(&name);
	buf_release(&valid);
}
