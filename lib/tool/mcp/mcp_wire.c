/* SPDX-License-Identifier: MIT */
/* Messages of JSON-RPC 2.0, as MCP uses it. See mcp.h. */
#include "tool/mcp/mcp_peer.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

/* -- outgoing messages ------------------------------------------------------ */

static void set_meta(json_t *params, const struct mcp_call *c, int64_t id,
		     enum mcp_era era)
{
	json_t *meta = json_object_get(params, "_meta");

	if (!json_is_object(meta)) {
		meta = json_object();
		json_object_set_new(params, "_meta", meta);
	}
	if (c->progress)
		json_object_set_new(meta, "progressToken", json_integer(id));
	if (era == MCP_ERA_STATELESS) {
		json_object_set_new(meta,
			"io.modelcontextprotocol/protocolVersion",
			json_string(MCP_MODERN));
		json_object_set_new(meta,
			"io.modelcontextprotocol/clientCapabilities",
			json_object());
		json_object_set_new(meta, "io.modelcontextprotocol/clientInfo",
			json_pack("{s:s, s:s}", "name", "lamplighter",
				  "version", "1"));
	}
	if (!json_object_size(meta))
		json_object_del(params, "_meta");
}

void mcp_write(struct buf *out, const struct mcp_call *c, int64_t id,
	       enum mcp_era era)
{
	json_auto_t *params = c->params ? json_copy(c->params) : json_object();
	struct jw w = jw_on(out);

	/* json_copy is shallow: parts that are changed are copied first. */
	if (json_object_get(params, "_meta"))
		json_object_set_new(params, "_meta", json_copy(
			json_object_get(params, "_meta")));
	set_meta(params, c, id, era);
	jw_obj(&w);
	jw_kstrz(&w, "jsonrpc", "2.0");
	jw_kint(&w, "id", id);
	jw_kstrz(&w, "method", c->method);
	jw_key(&w, "params");
	jw_json(&w, params);
	jw_end_obj(&w);
}

void mcp_write_notice(struct buf *out, const char *method, int64_t cancelled)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	jw_kstrz(&w, "jsonrpc", "2.0");
	jw_kstrz(&w, "method", method);
	if (cancelled >= 0) {
		jw_key(&w, "params");
		jw_obj(&w);
		jw_kint(&w, "requestId", cancelled);
		jw_kstrz(&w, "reason", "The caller is no longer waiting.");
		jw_end_obj(&w);
	}
	jw_end_obj(&w);
}

/* Our answer to a request of the server, or NULL if it is not a request. New. */
static json_t *reply_to(const json_t *message)
{
	json_t *id = json_object_get(message, "id");
	struct str method = jx_str(message, "method");

	if (!method.p || (!json_is_string(id) && !json_is_integer(id)))
		return NULL;
	if (str_is(method, "ping"))
		return json_pack("{s:s, s:O, s:{}}", "jsonrpc", "2.0", "id", id,
				 "result");
	return json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id,
			 "error", "code", -32601, "message",
			 "This client does not support that.");
}

/* -- incoming messages ------------------------------------------------------ */

int64_t mcp_answer_id(const json_t *message)
{
	const json_t *id = json_object_get(message, "id");

	if (json_object_get(message, "method") ||
	    (!json_object_get(message, "result") &&
	     !json_object_get(message, "error")))
		return -1;
	/* Some servers return ids as strings. */
	if (json_is_string(id)) {
		int64_t v;

		return str_int(str_of(json_string_value(id)), &v) && v >= 0 ? v : -1;
	}
	return json_is_integer(id) && json_integer_value(id) >= 0
		? json_integer_value(id) : -1;
}

static void tell_progress(struct mcp_call *c, const json_t *params)
{
	const json_t *done = json_object_get(params, "progress");
	const json_t *total = json_object_get(params, "total");
	struct str message = jx_str(params, "message");
	struct buf b = BUF_INIT(4 * LIM_MCP_PROGRESS_CHARS + 64);

	if (json_is_number(done) && json_is_number(total))
		buf_addf(&b, "%.12g/%.12g%s", json_number_value(done),
			 json_number_value(total), message.n ? " " : "");
	buf_addstr(&b, utf8_head(message, LIM_MCP_PROGRESS_CHARS));
	if (b.n)
		c->progress(c->ctx, buf_str(&b));
	buf_release(&b);
}

static void notice(struct mcp_peer *p, struct mcp_call *c, int64_t id,
		   const json_t *message, bool *life)
{
	struct str method = jx_str(message, "method");
	const json_t *params = jx_obj(message, "params");
	const json_t *token = json_object_get(params, "progressToken");

	if (str_is(method, "notifications/tools/list_changed")) {
		atomic_store(&p->changed, true);
	} else if (str_is(method, "notifications/progress") && c &&
		   c->progress && json_is_integer(token) &&
		   json_integer_value(token) == id) {
		*life = true;
		tell_progress(c, params);
	}
}

static void take_out(json_t *message, const char *key, json_t **to)
{
	*to = json_incref(json_object_get(message, key));
	json_object_del(message, key);
}

enum mcp_heard mcp_hear(struct mcp_peer *p, struct mcp_call *c, int64_t id,
			json_t *message, json_t **reply, bool *life)
{
	const json_t *error = json_object_get(message, "error");

	if (!json_is_object(message))
		return MCP_NOTHING;
	*reply = reply_to(message);
	if (*reply)
		return MCP_ASKED;
	if (jx_str(message, "method").p) {
		notice(p, c, id, message, life);
		return MCP_NOTHING;
	}
	/* An error without an id: the request as a whole was refused. */
	if (!c || (mcp_answer_id(message) != id &&
		   !(json_is_object(error) &&
		     !json_is_integer(json_object_get(message, "id")) &&
		     !json_is_string(json_object_get(message, "id")))))
		return MCP_NOTHING;
	/* Taken out: the message is freed in another thread. */
	if (json_is_object(error))
		take_out(message, "error", &c->error);
	else
		take_out(message, "result", &c->result);
	return MCP_ANSWER;
}

/* -- headers --------------------------------------------------------------- */

static bool plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];

		if ((ch < 0x20 && ch != '\t') || ch > 0x7e)
			return false;
	}
	return str_trim(s).n == s.n && !str_starts(s, STR("=?base64?"));
}

void mcp_header_value(struct buf *out, struct str value)
{
	size_t size = sodium_base64_ENCODED_LEN(value.n,
						sodium_base64_VARIANT_ORIGINAL);
	char *text;

	/* Some clients and proxies drop headers with an empty value. */
	if (value.n && plain(value)) {
		buf_addstr(out, value);
		return;
	}
	text = xmalloc(size);
	sodium_bin2base64(text, size, (const unsigned char *)value.p, value.n,
			  sodium_base64_VARIANT_ORIGINAL);
	buf_addf(out, "=?base64?%s?=", text);
	free(text);
}
