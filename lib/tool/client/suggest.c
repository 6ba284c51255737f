/* SPDX-License-Identifier: MIT */
/*
 * suggest_action: links that a workspace declares (`actions:`), for the agent
 * to show (A40). The model chooses one by name and may fill its placeholders;
 * only the admin decides where a link leads.
 */
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/json.h"
#include "tool/client/client.h"
#include "tool/core/family.h"

#include "base/banned.h"

static bool is_for(const struct conf_action *a, const struct tool_ctx *ctx)
{
	return policy_in_groups(ctx->turn.by.who, &a->groups);
}

static const struct conf_action *find_action(const struct tool_ctx *ctx,
					     struct str name)
{
	const struct workspace *w = ctx->turn.workspace;

	for (size_t i = 0; w && i < w->n_actions; i++)
		if (str_is(name, w->actions[i].name) &&
		    is_for(&w->actions[i], ctx))
			return &w->actions[i];
	return NULL;
}

bool suggest_any(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct workspace *w = ctx->turn.workspace;

	(void)t;
	for (size_t i = 0; w && i < w->n_actions; i++)
		if (is_for(&w->actions[i], ctx))
			return true;
	return false;
}

/* The next {NAME} in *url, which is moved past it; empty at the end. */
static struct str next_name(const char **url)
{
	const char *at = strchr(*url, '{');
	size_t n = at ? strcspn(at, "}") : 0;

	if (!at)
		return STR("");
	*url = at + n + 1;
	return (struct str){ at + 1, n - 1 };
}

static void add_properties(json_t *values, const struct conf_action *a)
{
	const char *url = a->url;
	struct str name;

	while ((name = next_name(&url)).n) {
		char key[40];

		memcpy(key, name.p, MIN(name.n, sizeof(key) - 1));
		key[MIN(name.n, sizeof(key) - 1)] = '\0';
		json_object_set_new(values, key, json_pack(
			"{s:s,s:i}", "type", "string", "maxLength",
			LIM_ACTION_VALUE_CHARS));
	}
}

int suggest_describe(const struct tool *t, const struct tool_ctx *ctx,
		     struct tool_offer *o, struct err *e)
{
	const struct workspace *w = ctx->turn.workspace;
	struct buf b = BUF_INIT(65536);
	json_t *names = json_array(), *values = json_object(), *schema, *action;

	(void)e;
	buf_adds(&b, "What there is:");
	for (size_t i = 0; i < w->n_actions; i++) {
		const struct conf_action *a = &w->actions[i];

		if (!is_for(a, ctx))
			continue;
		buf_addf(&b, "\n- %s (%s)%s%s", a->name, a->label,
			 *a->description ? ": " : "", a->description);
		json_array_append_new(names, json_string(a->name));
		add_properties(values, a);
	}
	schema = json_deep_copy(tool_schema(t->schema));
	action = jx_pointer(schema, "/properties/action");
	json_object_set_new(action, "enum", names);
	json_object_set_new(action, "description", jx_string(buf_str(&b)));
	if (json_object_size(values))
		json_object_set_new(json_object_get(schema, "properties"),
				    "values", json_pack("{s:s,s:o,s:b,s:s}",
			"type", "object", "properties", values,
			"additionalProperties", 0, "description",
			"Values for the braces in the action's link"));
	else
		json_decref(values);
	jx_keep(ctx->arena, schema);
	o->schema = schema;
	buf_release(&b);
	return 0;
}

/* The link with its placeholders filled in, percent-encoded. */
static int make_url(const struct conf_action *a, const json_t *values,
		    struct buf *out, struct err *e)
{
	const char *url = a->url, *from = url;
	struct str name, value;

	while ((name = next_name(&url)).n) {
		char key[40];

		memcpy(key, name.p, MIN(name.n, sizeof(key) - 1));
		key[MIN(name.n, sizeof(key) - 1)] = '\0';
		value = jx_str(values, key);
		if (!value.n)
			return err_public(e, ERR_TOOL_ARGS, "The action %.64s "
					  "needs values.%s.", a->name, key);
		if (str_is(value, ".") || str_is(value, ".."))
			return err_public(e, ERR_TOOL_ARGS, "values.%s cannot "
					  "be \"%.*s\": it would change the "
					  "path of the link.",
					  key, STR_ARG(value));
		buf_add(out, from, (size_t)(name.p - 1 - from));
		buf_url(out, value);
		from = url;
	}
	buf_adds(out, from);
	return 0;
}

/* {"action","type","label","url"}: what the page shows. */
int suggest_run(const struct tool *t, const struct tool_ctx *ctx,
		const json_t *args, struct buf *out, bool *is_json,
		struct err *e)
{
	const struct conf_action *a = find_action(ctx, jx_str(args, "action"));
	struct buf url = BUF_INIT(LIM_ACTION_URL_BYTES);
	struct jw w = jw_on(out);
	int rc;

	(void)t;
	if (!a)
		return err_public(e, ERR_TOOL_ARGS, "There is no such action.");
	rc = make_url(a, jx_obj(args, "values"), &url, e);
	if (rc == 0 && !buf_ok(&url))
		rc = err_public(e, ERR_TOOL_ARGS, "The values are too long.");
	*is_json = true;
	jw_obj(&w);
	jw_kstrz(&w, "action", a->name);
	jw_kstrz(&w, "type", a->type);
	jw_kstrz(&w, "label", a->label);
	jw_kstr(&w, "url", buf_str(&url));
	jw_end_obj(&w);
	buf_release(&url);
	return rc;
}
