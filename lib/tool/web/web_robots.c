#include "tool/web/web.h"

#include <strings.h>

#include "base/limits.h"
#include "net/http.h"
#include "net/url.h"
#include "tool/core/env.h"

#include "base/banned.h"

enum {
	KEEP_MS = 3600000,
	FETCH_MS = 5000,
};

/* -- rules ----------------------------------------------------------------- */

/*
 * Matches the path against a pattern with * and, at its end, $. The text between
 * two * is searched from the end of the previous match: its first occurrence is as
 * good as any later one, so nothing is tried twice, and the search is linear.
 */
static bool fits(struct str pattern, struct str path)
{
	bool whole = pattern.n && pattern.p[pattern.n - 1] == '$';
	bool first = true;

	pattern.n -= whole;
	for (;;) {
		const char *star = memchr(pattern.p, '*', pattern.n);
		size_t n = star ? (size_t)(star - pattern.p) : pattern.n;
		const char *at = path.p;

		if (n > path.n)
			return false;
		if (!star && whole)
			at = first && n < path.n ? NULL : path.p + path.n - n;
		else if (!first && n)
			at = memmem(path.p, path.n, pattern.p, n);
		if (!at || memcmp(at, pattern.p, n) != 0)
			return false;
		if (!star)
			return true;
		at += n;
		path = (struct str){ at, (size_t)(path.p + path.n - at) };
		pattern.p += n + 1;
		pattern.n -= n + 1;
		first = false;
	}
}

struct rules {
	bool found;		/* a group for this agent */
	size_t allow, disallow;	/* length of the longest that fits, + 1 */
};

static void take_rule(struct rules *r, struct str key, struct str value,
		      struct str path)
{
	bool allow = key.n == 5 && !strncasecmp(key.p, "allow", 5);
	size_t *longest = allow ? &r->allow : &r->disallow;

	if (!allow && !(key.n == 8 && !strncasecmp(key.p, "disallow", 8)))
		return;
	if (value.n && fits(value, path) && value.n + 1 > *longest)
		*longest = value.n + 1;
}

/* The groups for agent; several of one name count as one. */
static struct rules rules_for(struct str robots, const char *agent,
			      struct str path)
{
	struct rules r = { .found = false };
	bool ours = false, naming = false;

	while (robots.n) {
		struct str line = str_cut(&robots, '\n'), value, key;

		line = str_trim(str_cut(&line, '#'));
		value = line;
		key = str_trim(str_cut(&value, ':'));
		value = str_trim(value);
		if (key.n == 10 && !strncasecmp(key.p, "user-agent", 10)) {
			if (!naming)
				ours = false;
			naming = true;
			ours |= value.n == strlen(agent) &&
				!strncasecmp(value.p, agent, value.n);
			r.found |= ours;
		} else if (key.n) {
			naming = false;
			if (ours)
				take_rule(&r, key, value, path);
		}
	}
	return r;
}

bool robots_allow(struct str robots, struct str path)
{
	struct rules r = rules_for(robots, "lamplighter", path);

	if (!r.found)
		r = rules_for(robots, "*", path);
	return r.allow >= r.disallow;
}

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
	for (int hop = 0; hop < LIM_REDIRECTS; hop++) {
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

/* Behind the host; "/" when there is nothing. */
static struct str path_of(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host ? strpbrk(host + 3, "/?#") : NULL;
	struct str s = str_of(path && *path == '/' ? path : "/");

	return str_cut(&s, '#');
}

int robots_check(const struct tool_ctx *ctx, const struct conf_list *allow,
		 const char *url, struct err *e)
{
	struct buf root = BUF_INIT(8192);
	const char *key;
	struct tool_shared *kept;
	json_t *text;
	bool fine;

	if (!url_join(url, STR("/robots.txt"), &root)) {
		buf_release(&root);
		return err_public(e, ERR_TOOL_ARGS, "This is no address of "
				  "the web.");
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
			     path_of(url));
	tool_env_put(kept);
	return fine ? 0 : err_public(e, ERR_TOOL_FAILED, "The site does not "
				      "want programs to read this page "
				      "(robots.txt).");
}
