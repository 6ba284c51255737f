/* SPDX-License-Identifier: MIT */
/* search_ontology, search_onto_…: words in projects (D31). */
#include "tool/entity/onto.h"

#include "base/banned.h"

enum { RESULTS = 10 };

int onto_id(const json_t *args, const char *key, struct uuid *out, struct err *e)
{
	if (uuid_parse(jx_str(args, key), out))
		return 0;
	return err_public(e, ERR_TOOL_ARGS, "%s must be an id, as a list or a search has "
			  "it.", key);
}

int onto_find(const struct caller *by, const struct uuid *id,
	      enum entity_kind kind, struct entity_brief **out, struct err *e)
{
	const char *name = entity_kinds[kind].name;
	size_t n;

	if (entity_of_ids(by, id, 1, out, &n, e) < 0)
		return -1;
	if (n && str_is((*out)->kind, name))
		return 0;
	return err_public(e, ERR_NOT_FOUND, "There is no %s with this id that the user "
			  "sees.", name);
}

int onto_expect_version(void *ctx, const struct resource_row *now, struct err *e)
{
	const int64_t read = *(const int64_t *)ctx;

	return read == now->version + 1 ? 0
		: err_public(e, ERR_PRECONDITION, "It has changed since you read it: "
			     "it is at version %lld. Read it again before you change "
			     "it.", (long long)now->version + 1);
}

static unsigned kinds_of(const struct tool *t, const json_t *args)
{
	unsigned kinds = ((const struct onto_tool *)t->data)->kinds;
	const json_t *one;
	size_t i;

	json_array_foreach(jx_arr(args, "entity_types"), i, one)
		kinds |= 1u << entity_kind_of(str_of(json_string_value(one)));
	return kinds;
}

int onto_search(const struct tool *t, const struct tool_ctx *ctx,
		const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller by = onto_by(ctx);
	struct entity_ask ask = {
		.query = jx_str(args, "query"), .kinds = kinds_of(t, args),
		.type_key = jx_str(args, "type_key"),
		.state_key = jx_str(args, "state_key"),
		.max = (size_t)jx_int(args, "limit", RESULTS),
	};
	struct entity_found *v;
	struct uuid project;
	struct jw w = jw_on(out);
	size_t n;

	if (jx_str(args, "project_id").n) {
		if (onto_id(args, "project_id", &project, e) < 0)
			return -1;
		ask.project = &project;
	}
	if (entity_search(&by, &ask, &v, &n, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "results");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		entity_write_brief(&w, &v[i].of);
		jw_kstr(&w, "snippet", v[i].snippet.text);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
