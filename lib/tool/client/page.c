/* SPDX-License-Identifier: MIT */
/*
 * The page that sends a request: which tools it accepts, and which it declares
 * itself. They are stored with the turn (turn/options.h), so that the turn can
 * be resumed elsewhere with the same tools.
 */
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "prompt/untrusted.h"
#include "tool/core/builtin.h"

#include "base/banned.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* -- the request -------------------------------------------------------------- */

static bool is_name(struct str s)
{
	return s.n && s.n <= 64 && strspn(s.p, LETTERS) == s.n;
}

/* "name", or {name, description, parameters}. */
static int check_tool_of_page(const json_t *t, struct err *e)
{
	struct str name = json_is_string(t)
		? (struct str){ json_string_value(t), json_string_length(t) }
		: jx_str(t, "name");
	const json_t *parameters = json_object_get(t, "parameters");
	struct err fault = ERR_INIT;
	json_auto_t *copy = NULL;

	if (!is_name(name))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "An item of client.tools must be a name of 1 "
				 "to 64 letters, digits, _ and -, or {name, "
				 "description, parameters}.");
	if (json_is_string(t))
		return 0;
	if (!jx_str(t, "description").n ||
	    utf8_chars(jx_str(t, "description")) > LIM_PAGE_TOOL_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "client", "The tool "
				 "%.64s needs a description of at most %d "
				 "characters.", name.p, LIM_PAGE_TOOL_CHARS);
	/* {} is no schema, as for MCP servers. */
	if (parameters && !json_is_null(parameters) &&
	    !(json_is_object(parameters) && !json_object_size(parameters)) &&
	    (!str_is(jx_str(parameters, "type"), "object") ||
	     schema_supported(parameters, &fault) < 0))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "The parameters of the tool %.64s must be a "
				 "schema with type object. %.100s", name.p,
				 fault.public);
	copy = json_deep_copy(parameters);
	if (copy && !untrusted_clean_schema(copy, 4 * LIM_PAGE_TOOL_CHARS))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "The parameters of the tool %.64s have names "
				 "or values with control tokens or hidden "
				 "characters.", name.p);
	return 0;
}

int tool_page_read(const json_t *client, json_t **out, struct err *e)
{
	json_t *tools = json_object_get(client, "tools");
	struct str mode = jx_str(client, "mode");
	const json_t *t;
	size_t i;

	*out = NULL;
	if (!client)
		return 0;
	if (!str_is(mode, "page") && !str_is(mode, "panel"))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "client.mode must be page or panel.");
	if (tools && !json_is_null(tools) && !json_is_array(tools))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "client.tools must be a list.");
	if (json_array_size(tools) > LIM_PAGE_TOOLS)
		return err_field(e, ERR_TOO_BIG, "client", "client.tools may "
				 "have at most %d tools.", LIM_PAGE_TOOLS);
	json_array_foreach(tools, i, t)
		if (check_tool_of_page(t, e) < 0)
			return -1;
	if (json_array_size(tools) && str_is(mode, "page"))
		*out = tools;
	return 0;
}

/* -- the turn ------------------------------------------------------------------ */

/* An existing tool with the same name takes precedence. */
static bool is_taken(const struct tool_ctx *ctx, struct str name)
{
	for (size_t i = 0; i < ctx->turn.n_more; i++)
		if (str_is(name, ctx->turn.more[i].name))
			return true;
	return tool_exists(ctx->turn.by.conf, ctx->turn.workspace, name);
}

static void add_tool(const json_t *t, struct arena *a, struct tool_ctx *ctx,
		     struct tool *v)
{
	json_t *parameters = json_object_get(t, "parameters");
	struct buf about = BUF_INIT(16 * LIM_PAGE_TOOL_CHARS);
	struct str name = jx_str(t, "name");

	if (!json_is_object(t) || is_taken(ctx, name))
		return;
	if (!json_object_size(parameters))
		parameters = jx_keep(a, json_pack("{s:s,s:{}}", "type",
						  "object", "properties"));
	if (!untrusted_clean_schema(parameters, 4 * LIM_PAGE_TOOL_CHARS))
		return;
	untrusted_clean(NULL, jx_str(t, "description"), &about);
	v[ctx->turn.n_more++] = (struct tool){
		.name = name.p, .description = arena_str(a, buf_str(&about)).p,
		.group = "", .source = "the page", .kind = "client",
		.parameters = parameters,
		.effect = TOOL_WRITE, .confirm = TOOL_CONFIRM_TAINTED,
		.visibility = TOOL_CLIENT, .untrusted = true,
	};
	buf_release(&about);
}

void tool_page_load(json_t *tools, struct arena *a, struct tool_ctx *ctx)
{
	struct tool *more;
	struct str *names;
	const json_t *t;
	size_t i, n = json_array_size(tools);

	if (!n)
		return;
	names = arena_zalloc(a, n, sizeof(*names));
	json_array_foreach(tools, i, t)
		names[i] = json_is_string(t)
			? (struct str){ json_string_value(t),
					json_string_length(t) }
			: jx_str(t, "name");
	ctx->turn.page = names;
	ctx->turn.n_page = n;
	if (ctx->turn.workspace->client_tools != CLIENT_TOOLS_ALLOW)
		return;
	more = arena_zalloc(a, ctx->turn.n_more + n, sizeof(*more));
	if (ctx->turn.n_more)
		memcpy(more, ctx->turn.more, ctx->turn.n_more * sizeof(*more));
	ctx->turn.more = more;
	json_array_foreach(tools, i, t)
		add_tool(t, a, ctx, more);
}
