/* SPDX-License-Identifier: MIT */
/*
 * Resources (lib/resource/resource.def) for models: each row TOOL there is a
 * tool. It does what its route does, with the rights of the caller; the API
 * runs it (tool_api).
 */
#include "resource/resource.h"
#include "tool/core/env.h"
#include "tool/core/family.h"

#include "base/banned.h"

/* The operation of a tool, and its resource. */
struct deed {
	enum resource_id of;
	enum resource_verb verb;
};

static bool may(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct tool_api *api = tool_env_api(ctx->turn.env);
	const struct deed *d = t->data;

	return api && api->may(api->ctx, &ctx->turn.by, &resources[d->of],
			       d->verb);
}

static int describe(const struct tool *t, const struct tool_ctx *ctx,
		    struct tool_offer *o, struct err *e)
{
	const struct deed *d = t->data;

	(void)e;
	o->schema = resource_arguments(&resources[d->of], d->verb, ctx->arena);
	return 0;
}

static int run(const struct tool *t, const struct tool_ctx *ctx,
	       const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct tool_api *api = tool_env_api(ctx->turn.env);
	const struct deed *d = t->data;

	*is_json = true;
	return api->run(api->ctx, ctx, &resources[d->of], d->verb, args, out, e);
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
		.advertise = may, .describe = describe, .run = run, \
		.data = &(const struct deed){ RESOURCE_##id, VERB_##doing }, \
	},
#include "resource/resource.def"
};

const struct tool_family tool_family_resource = {
	.tools = tools, .n_tools = ARRAY_LEN(tools),
};
