/* SPDX-License-Identifier: MIT */
/* People and datasets as mentions. */
#include <strings.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/user.h"
#include "tool/data/dataset.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

static struct str make_ref(struct arena *a, const char *type, struct str id)
{
	struct buf b = BUF_INIT(4 * LIM_MENTION_REF_BYTES);
	struct str s;

	buf_addf(&b, "%s:", type);
	buf_url(&b, id);
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}

/* -- people ----------------------------------------------------------------------- */

static void person_of(const struct user_seen *u, struct arena *a,
		      struct mention_item *out)
{
	*out = (struct mention_item){
		.ref = make_ref(a, "person", u->login),
		.label = mention_line(a, u->name.n ? u->name : u->login),
		.description = mention_line(a, u->login),
	};
}

void mention_person_find(const struct mention_ask *ask,
			 struct mention_list *out)
{
	const struct caller *by = &ask->ctx->turn.by;
	struct user_seen *found;
	struct mention_item m;
	struct err e = ERR_INIT;
	size_t n;

	/* People cannot be listed without at least one letter. */
	if (ask->dataset.p || !ask->q.n || !policy_may(by->who, PERM_PEOPLE_READ))
		return;
	if (store_user_find(ask->db, by->owner.tenant_id, ask->q,
			    out->max - out->n + 1, ask->ctx->arena, &found, &n,
			    &e) < 0) {
		log_err("mentions of people", &e);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		person_of(&found[i], ask->ctx->arena, &m);
		if (m.ref.n <= LIM_MENTION_REF_BYTES && !mention_add(out, &m))
			return;
	}
}

int mention_person_look(const struct mention_ask *ask, struct str id,
			struct mention_item *out, struct err *e)
{
	const struct caller *by = &ask->ctx->turn.by;
	struct arena *a = ask->ctx->arena;
	struct mention_item asked = *out;
	struct user_seen u;
	struct str login;

	if (!policy_may(by->who, PERM_PEOPLE_READ) ||
	    mention_parts(a, id, &login, 1) != 1)
		return err_set(e, ERR_NOT_FOUND, "no such person");
	if (store_user_named(ask->db, by->owner.tenant_id, login, a, &u, e) < 0)
		return -1;
	person_of(&u, a, out);
	out->type = asked.type;
	out->ref = asked.ref;
	out->text = str_of(jx_text(a, jx_keep(a, json_pack("{s:o,s:o}",
		"login", jx_string(u.login), "name",
		u.name.n ? jx_string(u.name) : json_null()))));
	return 0;
}

/* -- datasets ---------------------------------------------------------------------- */

static bool may_query(const struct tool_ctx *ctx, const struct conf_dataset *d)
{
	return dataset_visible(ctx, d) &&
	       policy_may_use_tool(ctx->turn.by.who, "query_data");
}

static void dataset_of(const struct conf_dataset *d, struct arena *a,
		       struct mention_item *out)
{
	*out = (struct mention_item){
		.ref = make_ref(a, "dataset", str_of(d->name)),
		.label = str_of(d->name), .source = str_of(d->name),
	};
	if (d->description && *d->description)
		out->description = mention_line(a, str_of(d->description));
}

void mention_dataset_find(const struct mention_ask *ask,
			  struct mention_list *out)
{
	const struct workspace *w = ask->ctx->turn.workspace;
	struct mention_item m;

	for (size_t i = 0; !ask->dataset.p && i < w->n_datasets; i++) {
		const struct conf_dataset *d = &w->datasets[i];

		if (ask->q.n > strlen(d->name) ||
		    strncasecmp(d->name, ask->q.p ? ask->q.p : "", ask->q.n) ||
		    !may_query(ask->ctx, d))
			continue;
		dataset_of(d, ask->ctx->arena, &m);
		if (!mention_add(out, &m))
			return;
	}
}

int mention_dataset_look(const struct mention_ask *ask, struct str id,
			 struct mention_item *out, struct err *e)
{
	const struct workspace *w = ask->ctx->turn.workspace;
	struct arena *a = ask->ctx->arena;
	struct mention_item asked = *out;
	struct str name;

	for (size_t i = 0; mention_parts(a, id, &name, 1) == 1 &&
	     i < w->n_datasets; i++) {
		const struct conf_dataset *d = &w->datasets[i];

		if (!str_is(name, d->name) || !may_query(ask->ctx, d))
			continue;
		dataset_of(d, a, out);
		out->type = asked.type;
		out->ref = asked.ref;
		out->text = str_of(jx_text(a, jx_keep(a, json_pack(
			"{s:s,s:s}", "dataset", d->name, "description",
			d->description ? d->description : ""))));
		return 0;
	}
	return err_set(e, ERR_NOT_FOUND, "no such dataset for the caller");
}
