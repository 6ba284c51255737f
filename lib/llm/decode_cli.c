/* SPDX-License-Identifier: MIT */
#include "llm/decode_cli.h"

#include <errno.h>
#include <math.h>

#include "base/limits.h"

#include "base/banned.h"

static void usage_json(struct jw *w, const struct llm_usage *u)
{
	const struct {
		const char *key;
		int64_t v;
	} rows[] = {
		{ "input", u->input }, { "cacheRead", u->cache_read },
		{ "cacheWrite", u->cache_write }, { "output", u->output },
		{ "reasoning", u->reasoning },
	};

	jw_key(w, "usage");
	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].v < 0)
			continue;
		jw_kint(w, rows[i].key, rows[i].v);
	}
	if (!isnan(u->cost)) {
		char text[32];

		snprintf(text, sizeof(text), "%.9g", u->cost);
		jw_key(w, "cost");
		jw_raw(w, str_of(text));
	}
	if (u->estimated)
		jw_kbool(w, "estimated", true);
	jw_end_obj(w);
}

static void call_json(struct jw *w, const struct llm_event *ev)
{
	jw_kint(w, "index", ev->index);
	if (ev->type == LLM_EV_TOOL_START || ev->type == LLM_EV_TOOL_CALL) {
		jw_kstr(w, "id", ev->id.p ? ev->id : STR(""));
		jw_kstr(w, "name", ev->name.p ? ev->name : STR(""));
	}
	if (ev->type != LLM_EV_TOOL_START)
		jw_kstr(w, ev->type == LLM_EV_TOOL_CALL ? "args" : "text",
			ev->text.p ? ev->text : STR(""));
	if (ev->bad_args)
		jw_kbool(w, "badArgs", true);
	if (ev->opaque) {
		jw_key(w, "opaque");
		jw_json(w, ev->opaque);
	}
}

void llm_event_json(struct buf *out, const struct llm_event *ev)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	jw_kstrz(&w, "event", llm_event_name(ev->type));
	switch (ev->type) {
	case LLM_EV_TOOL_START: case LLM_EV_TOOL_ARGS: case LLM_EV_TOOL_CALL:
		call_json(&w, ev);
		break;
	case LLM_EV_USAGE:
		usage_json(&w, &ev->usage);
		break;
	case LLM_EV_DONE:
		jw_kstrz(&w, "stop", llm_stop_name(ev->stop));
		jw_kstr(&w, "model", ev->model);
		if (ev->replay) {
			jw_key(&w, "replay");
			jw_json(&w, ev->replay);
		}
		break;
	case LLM_EV_ERROR:
		jw_kstrz(&w, "code", err_row(ev->err)->code);
		jw_kstrz(&w, "text", ev->err->text);
		if (ev->err->retry_after_s)
			jw_kint(&w, "retryAfter", ev->err->retry_after_s);
		break;
	default:
		jw_kstr(&w, "text", ev->text);
	}
	jw_end_obj(&w);
	buf_addc(out, '\n');
}

struct printer {
	FILE *out;
	struct buf line;
};

static int print(void *ctx, const struct llm_event *ev)
{
	struct printer *p = ctx;

	buf_reset(&p->line);
	llm_event_json(&p->line, ev);
	return fwrite(p->line.p, 1, p->line.n, p->out) == p->line.n ? 0 : -1;
}

int llm_decode_stream(const char *provider, const json_t *quirks, FILE *in,
		      FILE *out, struct err *e)
{
	const struct llm_service service =
		llm_service_bare(provider, "", (json_t *)quirks);
	struct printer p = { .out = out, .line = BUF_INIT(LIM_UPSTREAM_BYTES) };
	struct llm_decoder *d = llm_decoder_new(provider, &service, e);
	char chunk[16384], why[80];
	int rc = 0;
	size_t n;

	if (!d)
		return -1;
	llm_decoder_fixed_ids(d);
	while (rc == 0 && (n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		rc = llm_decoder_feed(d, (struct str){ chunk, n }, print, &p,
				      e);
	if (rc == 0)
		rc = llm_decoder_finish(d, print, &p, e);
	if (rc < 0 || ferror(in) || fflush(out) != 0)
		rc = err_set(e, ERR_INTERNAL, "cannot read or write: %s",
			     err_errno(errno, why, sizeof(why)));
	buf_release(&p.line);
	llm_decoder_free(d);
	return rc;
}
