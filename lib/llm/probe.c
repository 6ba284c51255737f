/* SPDX-License-Identifier: MIT */
#include "llm/probe.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "net/guard.h"

#include "base/banned.h"

enum { CONNECT_MS = 5000, TOTAL_MS = 10000 };

/* Where a chat goes, by the end of its path, and where the models are. */
static const struct {
	const char *chat, *models;
} rows[] = {
	{ "/chat/completions", "/models" },
	{ "/v1/messages", "/v1/models" },
	{ "/api/chat", "/api/tags" },
};

const char *llm_url_beside(struct arena *a, const char *chat_url,
			   const char *chat, const char *other)
{
	struct str query = str_of(chat_url), path = str_cut(&query, '?');
	size_t n = strlen(chat);

	if (path.n <= n || memcmp(path.p + path.n - n, chat, n) != 0)
		return NULL;
	return arena_printf(a, "%.*s%s%s%s", (int)(path.n - n), path.p, other,
			    query.p ? "?" : "", query.p ? query.p : "");
}

/* The address of the list beside that of the chat; NULL: not known. */
static const char *models_url(struct arena *a, const char *chat_url)
{
	struct str query = str_of(chat_url), path = str_cut(&query, '?');
	static const char azure[] = "/openai/deployments/";
	const char *deployment = strstr(chat_url, azure);
	const char *mark = query.p ? "?" : "", *q = query.p ? query.p : "";

	if (deployment && deployment < path.p + path.n)
		return arena_printf(a, "%.*s/openai/models%s%s",
				    (int)(deployment - chat_url), chat_url,
				    mark, q);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *url = llm_url_beside(a, chat_url, rows[i].chat,
						 rows[i].models);

		if (url)
			return url;
	}
	return NULL;
}

static int on_body(void *ctx, struct str bytes)
{
	buf_addstr(ctx, bytes);
	return 0;
}

int llm_probe(struct http_pool *http, const struct llm_service *s,
	      struct arena *a, struct llm_probe *out, struct err *e)
{
	const struct llm_message ask = { .role = LLM_USER, .text = STR("?") };
	const struct llm_request r = {
		.service = s, .messages = &ask, .n_messages = 1,
	};
	struct net_guard guard;
	struct buf body = BUF_INIT(LIM_MODEL_LIST_BYTES);
	int64_t began_ms = clock_mono_ms();
	struct http_request rq;
	struct http_result res;
	struct llm_wire wire;
	int rc;

	*out = (struct llm_probe){ .url = "" };
	if (llm_build(&r, a, &wire, e) < 0)
		return -1;
	buf_release(&wire.body);	/* the list of models asks for nothing */
	out->url = models_url(a, wire.url);
	rq = (struct http_request){
		.method = "GET", .url = out->url ? out->url : wire.url,
		.headers = wire.headers, .n_headers = wire.n_headers,
		.connect_timeout_ms = CONNECT_MS, .total_timeout_ms = TOTAL_MS,
		.max_body_bytes = LIM_MODEL_LIST_BYTES, .watch_fd = -1,
		.on_body = on_body, .ctx = &body,
	};
	out->url = rq.url;
	guard = guard_for_secret(s->guard, rq.url);
	if (s->guard)
		rq.guard = &guard;
	rc = http_do(http, &rq, &res, e);
	out->status = res.status;
	out->trouble = res.trouble;
	out->ms = clock_mono_ms() - began_ms;
	if (rc == 0 && res.status == 200)
		out->has_list = llm_models_read(buf_str(&body), a, &out->models);
	out->has_model = llm_models_find(&out->models, s->model) != NULL;
	buf_release(&body);
	return rc;
}
