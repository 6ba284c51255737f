/* The caller. */
#include "api/api.h"

#include "agent/said.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/log.h"
#include "places.h"
#include "store/user.h"

#include "base/banned.h"

static void write_list(struct jw *w, const char *key, const struct str *v,
		       size_t n)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		jw_str(w, v[i]);
	jw_end_arr(w);
}

/* Records that the user was active, after the answer was sent. */
static void touch(struct request *rq)
{
	struct err e = ERR_INIT;

	if (store_user_touch(rq->app->db, &rq->by.owner, rq->by.who->login,
			     rq->by.who->name, &e) < 0)
		log_err("user not noted", &e);
}

/* Whether the query has include=settings. */
static int read_settings(struct request *rq, struct err *e)
{
	struct str include;

	if (req_query(rq, "include", &include, e) < 0)
		return -1;
	if (!include.p)
		return 0;
	if (!str_is(include, "settings"))
		return err_field(e, ERR_INVALID_FIELD, "include",
				 "include must be settings.");
	return setting_read_for(&rq->by, e);
}

/* The current values, without long texts. */
static void write_settings(struct jw *w, const struct caller *by)
{
	const struct setting_scope in = { .conf = by->conf, .said = by->said };

	jw_key(w, "settings");
	jw_obj(w);
	for (int i = 0; i < SETTING__MAX; i++) {
		const struct setting_row *row = &setting_rows[i];
		struct setting_value v;

		if (row->type == SETTING_INTERNAL ||
		    (row->type == SETTING_TEXT && !row->line))
			continue;
		v = setting_get((enum setting_id)i, &in);
		jw_key(w, row->key);
		setting_write(w, (enum setting_id)i, &in, &v);
	}
	jw_end_obj(w);
}

/*
 * GET /me?include=settings: 200 {userId, user, name, tenantId, groups[], roles[],
 * permissions[], identityKind, defaultWorkspaceId, defaultAgentId, notifications,
 * settings?}. Without include it needs no database unless the caller shows a token.
 * defaultWorkspaceId: the one of the settings if they are included, else the first
 * one that the caller can see, or null; defaultAgentId: its default agent, or that
 * of the settings. settings: the current values, but not custom_context.
 * notifications: how to receive them; "stream", or "poll" if none may stay open.
 */
int api_me(struct request *rq, struct response *rs, struct err *e)
{
	const struct identity *who = rq->by.who;
	const struct workspace *first;
	const struct agent *agent;
	const struct str *names;
	struct jw w;
	size_t n;

	if (read_settings(rq, e) < 0)
		return -1;
	if (setting_default(&rq->by, &first, &agent, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	policy_names(who, rq->arena, &names, &n);
	jw_obj(&w);
	jw_kstrz(&w, "userId", who->user_id_text);
	jw_kstr(&w, "user", who->login);
	jw_kstr(&w, "name", who->name);
	jw_kstr(&w, "tenantId", who->tenant);
	write_list(&w, "groups", who->groups, who->n_groups);
	write_list(&w, "roles", who->roles, who->n_roles);
	write_list(&w, "permissions", names, n);
	jw_kstrz(&w, "identityKind", identity_kind_name(who->kind));
	jw_kstrz(&w, "defaultWorkspaceId", first ? first->id : NULL);
	jw_kstrz(&w, "defaultAgentId", agent ? agent->id : NULL);
	jw_kstrz(&w, "notifications",
		  places_here(rq, PLACE_NOTIFICATION) ? "stream" : "poll");
	if (rq->by.said)
		write_settings(&w, &rq->by);
	jw_end_obj(&w);
	if (rq->app->seen && app_user_due(rq->app, &who->user_id))
		rq->after = touch;
	return 0;
}
