/* SPDX-License-Identifier: MIT */
/* Decoding in tests: bytes in, events as JSON lines out. */
#ifndef UNIT_LLM_UNIT_H
#define UNIT_LLM_UNIT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/decode_cli.h"
#include "llm/decoder.h"
#include "unit.h"

static inline int record(void *ctx, const struct llm_event *ev)
{
	/* C7, C9: whatever came in, deltas are valid and have no NUL. */
	assert_true(utf8_valid(ev->text));
	assert_null(ev->text.n ? memchr(ev->text.p, 0, ev->text.n) : NULL);
	llm_event_json(ctx, ev);
	return 0;
}

struct decode_how {
	const json_t *quirks;
	const char *content_type;
	size_t piece;		/* bytes per feed; 0 = all at once */
	size_t split;		/* a cut after this many bytes; 0 = none */
	bool slow;		/* without the template */
};

/* Events of body, appended to out. */
static inline void decode_into(struct buf *out, const char *provider,
			       struct str body, const struct decode_how *how)
{
	const struct llm_service service =
		llm_service_bare(provider, "", (json_t *)how->quirks);
	struct err e = ERR_INIT;
	struct llm_decoder *d = llm_decoder_new(provider, &service, &e);
	size_t at = 0;

	assert_non_null(d);
	llm_decoder_fixed_ids(d);
	llm_decoder_fast(d, !how->slow);
	if (how->content_type)
		llm_decoder_content_type(d, str_of(how->content_type));
	while (at < body.n) {
		size_t n = body.n - at;
		char *copy;

		if (how->piece)
			n = MIN(n, how->piece);
		if (at < how->split)
			n = MIN(n, how->split - at);
		/* In memory of its own, so that overreading is seen. */
		copy = xmalloc(n);
		memcpy(copy, body.p + at, n);
		assert_int_equal(llm_decoder_feed(d, (struct str){ copy, n },
						  record, out, &e), 0);
		free(copy);
		at += n;
	}
	assert_int_equal(llm_decoder_finish(d, record, out, &e), 0);
	assert_int_equal(e.code, ERR_NONE);
	llm_decoder_free(d);
}

/* The text of a C string decoded; valid until the next call. */
static inline const char *decode(const char *provider, const char *body)
{
	static struct buf out = BUF_INIT(1 << 20);

	buf_reset(&out);
	decode_into(&out, provider, str_of(body), &(struct decode_how){
		.slow = false });
	return out.p;
}

#define assert_has(text, part) do { \
	const char *t_ = (text); \
	if (!strstr(t_, (part))) \
		fail_msg("no %s in:\n%s", (part), t_); \
} while (0)

#define assert_lacks(text, part) do { \
	const char *t_ = (text); \
	if (strstr(t_, (part))) \
		fail_msg("%s in:\n%s", (part), t_); \
} while (0)

/* How often part is in text. */
static inline int count_of(const char *text, const char *part)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
		n++;
	return n;
}

/* A file of the source tree, whole. */
static inline struct buf slurp(const char *path)
{
	struct buf b = BUF_INIT(16 << 20);
	const char *root = getenv("LAMPLIGHTER_SRCDIR");
	char name[512], chunk[8192];
	size_t n;
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root ? root : ".", path);
	f = fopen(name, "rb");
	if (!f)
		return b;
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	return b;
}

/* As JSON text with sorted keys; two of them are valid at a time. */
static inline const char *sorted(const json_t *j)
{
	static struct buf b[2] = { BUF_INIT(1 << 20), BUF_INIT(1 << 20) };
	static int n;

	n = !n;
	buf_reset(&b[n]);
	jx_dump_sorted(&b[n], j);
	return b[n].p;
}

#endif
