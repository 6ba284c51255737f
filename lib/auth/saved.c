/* SPDX-License-Identifier: MIT */
#include "auth/saved.h"

#include "base/json.h"
#include "base/limits.h"

#include "base/banned.h"

/* Whether the configuration says that the user is in this group: it says so again later. */
static bool is_configured(const struct conf *c, const struct identity *who, struct str group)
{
	for (size_t i = 0; i < c->n_groups; i++)
		if (str_is(group, c->groups[i].group) &&
		    conf_list_has(&c->groups[i].members, who->login))
			return true;
	return false;
}

struct str identity_save(const struct conf *c, const struct identity *who,
			 struct arena *a)
{
	struct buf b = BUF_INIT(LIM_PAGE_BYTES);
	struct jw w = jw_on(&b);
	struct str kept;

	if (who->kind == IDENTITY_API_TOKEN)
		return (struct str){ NULL, 0 };
	jw_obj(&w);
	jw_kstrz(&w, "kind", identity_kind_name(who->kind));
	jw_kstr(&w, "login", who->login);
	jw_kstr(&w, "name", who->name);
	jw_key(&w, "groups");
	jw_arr(&w);
	for (size_t i = 0; i < who->n_groups; i++)
		if (!is_configured(c, who, who->groups[i]))
			jw_str(&w, who->groups[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	kept = arena_str(a, buf_str(&b));
	buf_release(&b);
	return kept;
}

int identity_restore(const struct conf *c, struct str kept, struct arena *a,
		  struct identity *out, struct err *e)
{
	const json_t *j = jx_keep(a, jx_try(kept)), *v;
	struct str *groups = arena_zalloc(a, LIM_GROUPS, sizeof(*groups));
	size_t i, n = 0;

	json_array_foreach(jx_arr(j, "groups"), i, v)
		if (json_is_string(v) && n < LIM_GROUPS)
			groups[n++] = (struct str){ json_string_value(v),
						    json_string_length(v) };
	for (i = 0; i < c->n_chain; i++)
		if (str_is(jx_str(j, "kind"), identity_kind_name(c->chain[i].kind)))
			return identity_make(c, c->chain[i].kind, jx_str(j, "login"),
					     jx_str(j, "name"), groups, n, a, out, e);
	return err_set(e, ERR_UNAUTHENTICATED, "an identity of no kind of the chain");
}
