#include "tool/core/given.h"

#include "base/uuid.h"
#include "store/tool_output.h"
#include "tool/core/env.h"

#include "base/banned.h"

int given_text(const struct tool_ctx *ctx, const json_t *args,
	       struct str *out, struct err *e)
{
	struct str text = jx_str(args, "text"), result = jx_str(args, "result");
	struct owner o = owner_of(ctx->who);
	struct tool_output kept;
	struct err cause = ERR_INIT;
	struct uuid id;

	if (!text.p == !result.p)
		return err_public(e, ERR_TOOL_ARGS, "Give either text or "
				  "result.");
	*out = text;
	if (text.p)
		return 0;
	if (!uuid_parse(result, &id) ||
	    tool_output_get(tool_env_db(ctx->env), &o, &id, ctx->arena, &kept,
			    &cause) < 0)
		return err_public(e, ERR_TOOL_ARGS, "There is no kept result "
				  "with this id.");
	*out = kept.content;
	return 0;
}

bool given_chosen(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct conf_list *l = ctx->agent ? &ctx->agent->tools : NULL;

	for (size_t i = 0; l && i < l->n; i++)
		if (!strcmp(l->v[i], t->name) ||
		    (!strncmp(l->v[i], "group:", 6) &&
		     !strcmp(l->v[i] + 6, t->group)))
			return true;
	return false;
}
