/* SPDX-License-Identifier: MIT */
/*
 * Resources (lib/resource/resource.def) for models: each row TOOL there is a
 * tool. It calls its verb with the rights of the caller (resource_call).
 */
#include "hold/stored.h"
#include "resource/call.h"
#include "tool/core/env.h"
#include "tool/core/family.h"
#include "tool/entity/onto.h"

#include "base/banned.h"

enum { APPEND_TRIES = 8 };	/* while others append, too */

/* The operation of a tool, and its resource. */
struct deed {
	enum resource_id of;
	enum resource_verb verb;
};

static bool may(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct deed *d = t->data;

	return ctx->turn.by.db &&
		resource_may(&ctx->turn.by, &resources[d->of], d->verb);
}

static const json_t *arguments(const struct tool *t, const struct conf *conf,
			       struct arena *a)
{
	const struct deed *d = t->data;

	return resource_arguments(conf, &resources[d->of], d->verb, a);
}

static bool operation(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct tool_operation *out)
{
	const struct deed *d = t->data;

	return onto_operation(ctx, d->of, d->verb,
			      resource_of_arguments(&resources[d->of], args, ctx->arena),
			      out);
}

/* A value as a query parameter; several in a list are separated by commas. */
static struct str param_of(const json_t *v, struct arena *a)
{
	struct str all = { NULL, 0 };
	const json_t *one;
	size_t i;

	if (json_is_string(v))
		return (struct str){ json_string_value(v), json_string_length(v) };
	if (!json_is_array(v))
		return str_of(jx_text(a, v));
	json_array_foreach(v, i, one)
		all = str_of(arena_printf(a, "%.*s%s%.*s", STR_ARG(all), i ? "," : "",
					  STR_ARG(param_of(one, a))));
	return all;
}

/* The arguments of a list that are its query parameters, as texts. */
static int read_params(const struct tool_ctx *ctx, const struct resource *r,
		       const json_t *args, struct str *out, struct err *e)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(ctx->turn.by.conf, r, params);
	const json_t *members = jx_obj(args, "props");
	size_t n_members = 0;

	for (size_t i = 0; i < n; i++) {
		const char *key = !params[i].member ? params[i].name
			: resource_member_argument(r, &params[i], ctx->arena);
		const json_t *in = params[i].member ? members : args;
		const json_t *v = json_object_get(in, key);

		n_members += params[i].member && v;
		if (v && !json_is_null(v))
			out[i] = param_of(v, ctx->arena);
	}
	return n_members == json_object_size(members) ? 0
		: err_public(e, ERR_TOOL_ARGS, "props has a name that there is none of. The "
			     "description of props says which there are.");
}

/* Takes the text in a member out of the body; empty: there is none. */
static struct str take_text(json_t *body, const char *key, struct arena *a)
{
	struct str s = arena_str(a, jx_str(body, key));

	json_object_del(body, key);
	return s;
}

/* What a long text in the arguments is of the one that there is. ERR_TOOL_ARGS. */
static int read_edit(struct resource_call *call, json_t *body, struct arena *a,
		     struct err *e)
{
	const struct resource_field *f = resource_by_parts(call->r);
	const bool versioned = json_object_get(body, "version") != NULL;
	struct str mode;

	if (!f || call->verb != VERB_PATCH)
		return 0;
	mode = take_text(body, arena_printf(a, "%sMode", f->key), a);
	call->section = take_text(body, arena_printf(a, "%sSection", f->key), a);
	call->edit = str_is(mode, "append") ? EDIT_APPEND
		: str_is(mode, "section") ? EDIT_SECTION : EDIT_REPLACE;
	if (call->edit == EDIT_SECTION && !str_trim(call->section).n)
		return err_public(e, ERR_TOOL_ARGS, "Give the heading of the section in %s.",
				  resource_argument(call->r, arena_printf(
					  a, "%sSection", f->key), a));
	/* Besides what is appended there is only the id. */
	if (versioned || !resource_is_guarded(call->r) ||
	    (call->edit == EDIT_APPEND && json_object_size(body) <= 2))
		return 0;
	return err_public(e, ERR_TOOL_ARGS, "Give the version that you have read. Only "
			  "text that is appended needs none.");
}

/* Calls it; what is appended without a version, again if somebody else was faster. */
static int call_again(const struct caller *by, const struct resource_call *call,
		      struct resource_answer *answer, struct err *e)
{
	int tries = call->edit == EDIT_APPEND && !call->expect ? APPEND_TRIES : 1;

	for (;;) {
		if (resource_call(by, call, answer, e) == 0)
			return 0;
		if (e->code != ERR_PRECONDITION || --tries == 0)
			return -1;
		err_clear(e);
	}
}

/* Appends the record, or the page of the list, as JSON. */
static int run_call(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct deed *d = t->data;
	const struct resource *r = &resources[d->of];
	json_t *body = resource_of_arguments(r, args, ctx->arena);
	int64_t version = jx_int(body, "version", 0);
	struct resource_call call = {
		.r = r, .verb = d->verb, .id = jx_str(body, "id"), .body = body,
		.query = {
			.cursor = jx_str(body, "cursor"), .q = jx_str(body, "q"),
			.category = jx_str(body, "category"),
			.size = (size_t)jx_int(body, "pageSize", 0),
		},
	};
	struct resource_answer *answer = arena_new(ctx->arena,
						   struct resource_answer);
	const char *above = resource_above_key(r, ctx->arena);
	struct caller by = ctx->turn.by;
	struct jw w = jw_on(out);

	if (above) {
		call.parent = jx_str(body, above);
		json_object_del(body, above);
	}
	*is_json = true;
	by.arena = ctx->arena;
	if (read_edit(&call, body, ctx->arena, e) < 0)
		return -1;
	if (d->verb == VERB_LIST && read_params(ctx, r, body, call.query.params, e) < 0)
		return -1;
	if (d->verb != VERB_CREATE)
		json_object_del(body, "id");
	if ((d->verb == VERB_PATCH || d->verb == VERB_DELETE) &&
	    resource_is_guarded(r) && json_object_get(body, "version")) {
		json_object_del(body, "version");
		call.expect = onto_expect_version;
		call.ctx = &version;
	}
	if (((d->verb == VERB_CREATE || d->verb == VERB_PATCH) &&
	     hold_check(by.db, by.conf, &by.owner, e) < 0) ||
	    call_again(&by, &call, answer, e) < 0)
		return -1;
	if (d->verb != VERB_LIST && d->verb != VERB_GET)
		hold_refresh(by.db, by.conf, &by.owner);
	if (d->verb == VERB_DELETE)
		buf_adds(out, "{\"deleted\":true}");
	else
		resource_answer_write(&w, &by, r, answer);
	return 0;
}

/*
 * As for declared tools with the same effect. Records that others may have written
 * are untrusted.
 */
#define LIST   .effect = TOOL_READ, .untrusted = true
#define GET    .effect = TOOL_READ, .untrusted = true
#define CREATE .effect = TOOL_WRITE, .confirm = TOOL_CONFIRM_TAINTED
#define PATCH  CREATE, .untrusted = true
#define DELETE .effect = TOOL_DESTRUCTIVE, .confirm = TOOL_CONFIRM_ALWAYS

static const struct tool tools[] = {
#define TOOL(id, doing, name_, group_, text) { \
		.name = name_, .description = text, .group = group_, \
		doing, .timeout_ms = 10000, .listed_only = true, \
		.advertise = may, .arguments = arguments, .run = run_call, \
		.operation = operation, \
		.data = &(const struct deed){ RESOURCE_##id, VERB_##doing }, \
	},
#include "resource/resource.def"
};

const struct tool_family tool_family_resource = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
