/* SPDX-License-Identifier: MIT */
/*
 * The page that sends a request: which tools it accepts, and which it declares
 * itself. They are stored with the turn (context/options.h), so that the turn can
 * be resumed elsewhere with the same tools.
 *
 * A program (an editor's agent, OpenAI's protocol) declares its own only. It asks its
 * user itself, so its calls need no approval here unless the settings want one.
 */
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "prompt/untrusted.h"
#include "tool/core/builtin.h"

#include "base/banned.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* -- the request -------------------------------------------------------------- */

/* What pages and programs may declare. */
struct page_kind {
	const char *field;	/* of errors */
	const char *list;	/* its tools there */
	size_t max_tools, max_chars;
};
static const struct page_kind page = {
	"client", "client.tools", LIM_PAGE_TOOLS, LIM_PAGE_TOOL_CHARS,
}, program = {
	"tools", "tools", LIM_PROGRAM_TOOLS, LIM_PROGRAM_TOOL_CHARS,
};

static bool is_name(struct str s)
{
	return s.n && s.n <= 64 && strspn(s.p, LETTERS) == s.n;
}

/* {} is no schema, as for MCP servers. */
static int check_parameters(const struct page_kind *k, const char *name,
			    const json_t *parameters, struct err *e)
{
	struct err fault = ERR_INIT;
	json_auto_t *copy = NULL;

	if (!parameters || json_is_null(parameters) ||
	    (json_is_object(parameters) && !json_object_size(parameters)))
		return 0;
	if (!str_is(jx_str(parameters, "type"), "object") ||
	    schema_supported(parameters, &fault) < 0)
		return err_field(e, ERR_INVALID_FIELD, k->field,
				 "The parameters of the tool %.64s must be a "
				 "schema with type object. %.100s", name,
				 fault.public);
	copy = json_deep_copy(parameters);
	if (!untrusted_clean_schema(copy, 4 * k->max_chars))
		return err_field(e, ERR_INVALID_FIELD, k->field,
				 "The parameters of the tool %.64s have names "
				 "or values with control tokens or hidden "
				 "characters.", name);
	return 0;
}

/* "name" (not of a program), or {name, description, parameters}. */
static int check_tool_of_page(const struct page_kind *k, const json_t *t,
			      struct err *e)
{
	struct str name = json_is_string(t) && k == &page
		? (struct str){ json_string_value(t), json_string_length(t) }
		: jx_str(t, "name"), about = jx_str(t, "description");

	if (!is_name(name))
		return err_field(e, ERR_INVALID_FIELD, k->field,
				 "An item of %s must have a name of 1 "
				 "to 64 letters, digits, _ and -: {name, "
				 "description, parameters}.", k->list);
	if (json_is_string(t))
		return 0;
	if ((!about.n && k == &page) || utf8_chars(about) > k->max_chars)
		return err_field(e, ERR_INVALID_FIELD, k->field, "The tool "
				 "%.64s needs a description of at most %zu "
				 "characters.", name.p, k->max_chars);
	return check_parameters(k, name.p, json_object_get(t, "parameters"), e);
}

bool tool_page_is_program(const json_t *client)
{
	return str_is(jx_str(client, "mode"), "program");
}

int tool_page_read(const json_t *client, json_t **out, struct err *e)
{
	const struct page_kind *k = tool_page_is_program(client) ? &program : &page;
	json_t *tools = json_object_get(client, "tools");
	struct str mode = jx_str(client, "mode");
	const json_t *t;
	size_t i;

	*out = NULL;
	if (!client)
		return 0;
	if (k == &page && !str_is(mode, "page") && !str_is(mode, "panel"))
		return err_field(e, ERR_INVALID_FIELD, "client",
				 "client.mode must be page, panel or program.");
	if (tools && !json_is_null(tools) && !json_is_array(tools))
		return err_field(e, ERR_INVALID_FIELD, k->field,
				 "%s must be a list.", k->list);
	if (json_array_size(tools) > k->max_tools)
		return err_field(e, ERR_TOO_BIG, k->field, "%s may "
				 "have at most %zu tools.", k->list, k->max_tools);
	json_array_foreach(tools, i, t)
		if (check_tool_of_page(k, t, e) < 0)
			return -1;
	if (json_array_size(tools) && !str_is(mode, "panel"))
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

static void add_tool(const struct page_kind *k, const json_t *t, struct arena *a,
		     struct tool_ctx *ctx, struct tool *v)
{
	json_t *parameters = json_object_get(t, "parameters");
	struct buf about = BUF_INIT(8 * k->max_chars);
	struct str name = jx_str(t, "name");

	if (!json_is_object(t) || is_taken(ctx, name))
		return;
	if (!json_object_size(parameters))
		parameters = jx_keep(a, json_pack("{s:s,s:{}}", "type",
						  "object", "properties"));
	if (!untrusted_clean_schema(parameters, 4 * k->max_chars))
		return;
	untrusted_clean(NULL, jx_str(t, "description"), &about);
	v[ctx->turn.n_more++] = (struct tool){
		.name = name.p, .description = arena_str(a, buf_str(&about)).p,
		.group = "", .source = k == &page ? "the page" : "the client",
		.kind = "client",
		.parameters = parameters, .effect = TOOL_WRITE,
		.confirm = k == &page ? TOOL_CONFIRM_TAINTED
			: TOOL_CONFIRM_NEVER,
		.visibility = TOOL_CLIENT, .untrusted = true,
	};
	buf_release(&about);
}

void tool_page_load(const json_t *client, struct arena *a, struct tool_ctx *ctx)
{
	const struct page_kind *k = jx_bool(client, "program", false) ? &program
		: &page;
	json_t *tools = jx_arr(client, "tools");
	struct tool *more;
	struct str *names;
	const json_t *t;
	size_t i, n = json_array_size(tools);

	if (!n)
		return;
	names = arena_zalloc(a, n, sizeof(*names));
	/* A program's tools are its own: it has none of those that YAML declares. */
	json_array_foreach(tools, i, t)
		if (k == &page)
			names[ctx->turn.n_page++] = json_is_string(t)
				? (struct str){ json_string_value(t),
						json_string_length(t) }
				: jx_str(t, "name");
	ctx->turn.page = names;
	if (ctx->turn.workspace->client_tools != CLIENT_TOOLS_ALLOW)
		return;
	more = arena_zalloc(a, ctx->turn.n_more + n, sizeof(*more));
	if (ctx->turn.n_more)
		memcpy(more, ctx->turn.more, ctx->turn.n_more * sizeof(*more));
	ctx->turn.more = more;
	json_array_foreach(tools, i, t)
		add_tool(k, t, a, ctx, more);
}
