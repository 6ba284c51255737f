/* SPDX-License-Identifier: MIT */
#include "tool/web/web.h"

#include "base/limits.h"
#include "net/http.h"
#include "net/robots.h"
#include "net/url.h"
#include "tool/core/env.h"

#include "base/banned.h"

enum {
	KEEP_MS = 3600000,
	FETCH_MS = 5000,
};

/* -- asking a site --------------------------------------------------------- */

/* The rules as text: "" allows all. NULL: an error on our side. */
static json_t *fetch(const struct tool_ctx *ctx, const struct conf_list *allow,
		     const char *root, struct err *e)
{
	static const char *const headers[] = {
		"Accept: text/plain, */*;q=0.1",
	};
	const struct web_want want = {
		.headers = headers, .n_headers = ARRAY_LEN(headers),
		.allow = allow, .max_bytes = LIM_ROBOTS_BYTES,
		.timeout_ms = FETCH_MS,
	};
	struct buf body = BUF_INIT(LIM_ROBOTS_BYTES), next = BUF_INIT(8192);
	struct http_result res = { .status = 0 };
	struct err cause = ERR_INIT;
	char to[4096];
	json_t *text = NULL;
	int rc = -1;

	buf_adds(&next, root);
	for (int hop = 0; hop <= LIM_REDIRECTS; hop++) {
		struct buf joined = BUF_INIT(8192);

		buf_reset(&body);
		rc = web_get(ctx, &want, next.p, &body, to, sizeof(to), &res,
			     &cause);
		if (rc < 0 || res.status / 100 != 3 || !to[0] ||
		    !url_join(next.p, str_of(to), &joined)) {
			buf_release(&joined);
			break;
		}
		buf_release(&next);
		next = joined;
	}
	if (cause.code == ERR_CANCELLED || cause.code == ERR_ADDRESS_REFUSED)
		*e = cause;
	else if (rc == 0 && res.status / 100 == 2)
		text = jx_string(buf_str(&body));
	else if (rc == 0 && res.status / 100 == 4)
		text = json_string("");
	else
		text = json_string("User-agent: *\nDisallow: /\n");
	buf_release(&body);
	buf_release(&next);
	return text;
}

int web_robots_check(const struct tool_ctx *ctx, const struct conf_list *allow,
		 const char *url, struct err *e)
{
	struct buf root = BUF_INIT(8192);
	const char *key;
	struct tool_shared *kept;
	json_t *text;
	bool fine;

	if (!url_join(url, STR("/robots.txt"), &root)) {
		buf_release(&root);
		return err_public(e, ERR_TOOL_ARGS, "This is not a web "
				  "address.");
	}
	key = arena_printf(ctx->arena, "robots %s", root.p);
	kept = tool_env_take(ctx->turn.env, key);
	if (!kept) {
		text = fetch(ctx, allow, root.p, e);
		if (text)
			kept = tool_env_keep(ctx->turn.env, key, text, KEEP_MS);
	}
	buf_release(&root);
	if (!kept)
		return -1;
	fine = robots_allow((struct str){ json_string_value(kept->value),
					   json_string_length(kept->value) },
			     robots_path(url));
	tool_env_put(kept);
	return fine ? 0 : err_public(e, ERR_TOOL_FAILED, "The site does not "
				      "allow programs to read this page "
				      "(robots.txt).");
}
