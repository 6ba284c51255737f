/* SPDX-License-Identifier: MIT */
/*
 * Converts the result of a call to text for the model (8.5). The caller marks it
 * as untrusted. Images and sounds are mentioned, not included.
 */
#include "tool/mcp/mcp.h"

#include "base/utf8.h"

#include "base/banned.h"

/* The first bytes of s, whole characters. */
static struct str cut(struct str s, size_t max_bytes)
{
	if (s.n > max_bytes)
		s.n = utf8_complete((struct str){ s.p, max_bytes });
	return s.p ? s : STR("");
}

/* The number of bytes that the base64 text encodes. */
static size_t decoded(struct str s)
{
	return s.n / 4 * 3;
}

static void blob(struct buf *out, const char *what, const json_t *j,
		 struct str data)
{
	struct str type = jx_str(j, "mimeType");

	if (!type.p)
		type = STR("unknown type");
	buf_addf(out, "[%s, %.*s, about %zu bytes, not shown]", what,
		 STR_ARG(cut(type, 100)), decoded(data));
}

static void resource(struct buf *out, const json_t *r)
{
	struct str uri = jx_str(r, "uri"), text = jx_str(r, "text");

	buf_addf(out, "[resource %.*s]", STR_ARG(cut(uri, 500)));
	buf_addc(out, '\n');
	if (text.p)
		buf_addstr(out, text);
	else
		blob(out, "binary", r, jx_str(r, "blob"));
}

static void link_to(struct buf *out, const json_t *c)
{
	struct str uri = jx_str(c, "uri"), name = jx_str(c, "name");
	struct str about = jx_str(c, "description");

	buf_addf(out, "[link to %.*s: %.*s%s%.*s]", STR_ARG(cut(name, 200)),
		 STR_ARG(cut(uri, 500)), about.n ? ", " : "",
		 STR_ARG(cut(about, 500)));
}

static void content(struct buf *out, const json_t *c)
{
	struct str type = jx_str(c, "type");

	if (str_is(type, "text"))
		buf_addstr(out, jx_str(c, "text"));
	else if (str_is(type, "image") || str_is(type, "audio"))
		blob(out, type.p, c, jx_str(c, "data"));
	else if (str_is(type, "resource_link"))
		link_to(out, c);
	else if (str_is(type, "resource"))
		resource(out, jx_obj(c, "resource"));
	else
		buf_addf(out, "[content of the type \"%.*s\", not shown]",
			 STR_ARG(cut(type, 60)));
}

static bool only_text(const json_t *list)
{
	const json_t *c;
	size_t i;

	json_array_foreach((json_t *)list, i, c)
		if (!str_is(jx_str(c, "type"), "text"))
			return false;
	return true;
}

int mcp_result_write(const struct mcp_call *c, struct buf *out, bool *is_json)
{
	const json_t *list = jx_arr(c->result, "content"), *item;
	const json_t *typed = json_object_get(c->result, "structuredContent");
	size_t i;

	if (c->error) {
		struct str message = jx_str(c->error, "message");

		*is_json = false;
		buf_addf(out, "The server answered with the error %lld: ",
			 (long long)jx_int(c->error, "code", 0));
		buf_addstr(out, message);
		return 1;
	}
	/* Servers repeat it as text: one of them is enough. */
	*is_json = typed && !json_is_null(typed) && only_text(list);
	if (*is_json) {
		jx_dump(out, typed);
	} else {
		json_array_foreach((json_t *)list, i, item) {
			if (i)
				buf_adds(out, "\n\n");
			content(out, item);
		}
		if (json_array_size(list) == 0)
			buf_adds(out, "(no content)");
	}
	return jx_bool(c->result, "isError", false) ? 1 : 0;
}
