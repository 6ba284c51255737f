/* SPDX-License-Identifier: MIT */
/* find_pii: personal data and secrets in a text, located and masked (A66). */
#include "base/utf8.h"
#include "tool/text/given.h"
#include "tool/text/pii.h"

#include "base/banned.h"

enum { FINDINGS = 100 };

static unsigned kinds_of(const json_t *args)
{
	const json_t *list = jx_arr(args, "kinds"), *item;
	unsigned kinds = 0;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
		for (int k = 0; k < PII__MAX; k++)
			if (!strcmp(json_string_value(item),
				    pii_name((enum pii_kind)k)))
				kinds |= 1u << k;
	return kinds ? kinds : (1u << PII__MAX) - 1;
}

static void write_finding(struct jw *w, struct str text, const struct pii *p)
{
	struct buf masked = BUF_INIT(8192);

	pii_mask(p->kind, (struct str){ text.p + p->offset, p->n }, &masked);
	jw_obj(w);
	jw_kstrz(w, "kind", pii_name(p->kind));
	jw_kint(w, "line", (int64_t)p->line);
	jw_kint(w, "column", (int64_t)p->column);
	jw_kint(w, "offset", (int64_t)p->offset);
	jw_kint(w, "bytes", (int64_t)p->n);
	jw_kstr(w, "masked", utf8_head(buf_str(&masked), 100));
	jw_end_obj(w);
	buf_release(&masked);
}

/*
 * {counts: {kind: n}, findings: [{kind, line, column, offset, bytes, masked}],
 * truncated}: all are counted, the first FINDINGS are listed.
 */
int find_pii_run(const struct tool *t, const struct tool_ctx *ctx,
		 const json_t *args, struct buf *out, bool *is_json,
		 struct err *e)
{
	struct pii_scan scan = { .kinds = kinds_of(args) };
	int64_t counts[PII__MAX] = { 0 }, n = 0;
	struct jw w = jw_on(out);
	struct pii p;

	(void)t;
	if (given_text(ctx, args, &scan.text, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "findings");
	jw_arr(&w);
	while (pii_next(&scan, &p)) {
		counts[p.kind]++;
		if (n++ < FINDINGS)
			write_finding(&w, scan.text, &p);
	}
	jw_end_arr(&w);
	jw_key(&w, "counts");
	jw_obj(&w);
	for (int k = 0; k < PII__MAX; k++)
		if (counts[k])
			jw_kint(&w, pii_name((enum pii_kind)k), counts[k]);
	jw_end_obj(&w);
	jw_kbool(&w, "truncated", n > FINDINGS);
	jw_end_obj(&w);
	return 0;
}
