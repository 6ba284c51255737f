/* SPDX-License-Identifier: MIT */
/* The caller. */
#include "api/api.h"

#include "agent/said.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/log.h"
#include "hold/stored.h"
#include "places.h"
#include "route.h"
#include "store/job.h"
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

/* *shown: whether the query has include=settings. */
static int read_settings(struct request *rq, bool *shown, struct err *e)
{
	struct str include;

	if (req_query(rq, "include", &include, e) < 0)
		return -1;
	*shown = include.p != NULL;
	if (*shown && !str_is(include, "settings"))
		return err_field(e, ERR_INVALID_FIELD, "include",
				 "include must be settings.");
	if (setting_read_for(&rq->by, e) == 0 || *shown)
		return e->code ? -1 : 0;
	log_err("/me without the user's settings", e);
	err_clear(e);
	return 0;
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
		if (!row->alias)
			continue;
		jw_key(w, row->alias);
		setting_write(w, (enum setting_id)i, &in, &v);
	}
	jw_end_obj(w);
}

/*
 * GET /me?include=settings: 200 {userId, user, name, tenantId, groups[], roles[],
 * permissions[], identityKind, defaultWorkspaceId, defaultAgentId, notifications,
 * settings?}.
 * defaultWorkspaceId: the one of the settings (A28), else the first one that the
 * caller can see, or null; defaultAgentId: its default agent, or that of the
 * settings. settings: the current values, but not custom_context.
 * notifications: how to receive them; "stream", or "poll" if none may stay open.
 */
int api_me(struct request *rq, struct response *rs, struct err *e)
{
	const struct identity *who = rq->by.who;
	const struct workspace *first;
	const struct agent *agent;
	const struct str *names;
	struct jw w;
	bool shown;
	size_t n;

	if (read_settings(rq, &shown, e) < 0 ||
	    setting_default(&rq->by, &first, &agent, e) < 0)
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
	if (shown && rq->by.said)
		write_settings(&w, &rq->by);
	jw_end_obj(&w);
	if (rq->app->db && app_user_due(&who->user_id))
		rq->after = touch;
	return 0;
}

static void write_limit(struct jw *w, const char *key, const char *label,
			const char *unit, bool stored, int64_t used, int64_t most)
{
	jw_obj(w);
	jw_kstrz(w, "key", key);
	jw_kstrz(w, "label", label);
	jw_kstrz(w, "unit", unit);
	jw_kbool(w, "stored", stored);
	jw_kint(w, "used", used);
	jw_kint_if(w, "limit", most > 0 && most < INT64_MAX, most);
	jw_end_obj(w);
}

/*
 * GET /me/limits: 200 {items: [{key, label, unit, stored, used, limit}]}: first what
 * the caller stores ("stored": the sum, with limits.stored_mb as its limit, then its
 * parts), then what the caller takes of the process that answers, this request left
 * out, and the caller's jobs. limit: null if there is none, or for a part of the sum.
 */
int api_me_limits(struct request *rq, struct response *rs, struct err *e)
{
	struct uuid user = route_user(rq);
	int64_t running, jobs;
	struct stored s;
	struct jw w;

	if (hold_sum(rq->app->db, &rq->by.owner, &s, e) < 0 ||
	    store_job_held(rq->app->db, &rq->by.owner.user_id, &running, &jobs, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	write_limit(&w, "stored", "All that you store", "bytes", true,
		    hold_total(&s), rq->conf->limits.stored_mb * INT64_C(1048576));
	for (int i = 0; i < STORED__MAX; i++)
		write_limit(&w, hold_rows[i].key, hold_rows[i].what, "bytes",
			    true, s.v[i], 0);
	for (int i = 0; i < SHARE__MAX; i++) {
		struct share_limit l = route_limit(rq, (enum share_kind)i);

		write_limit(&w, share_rows[i].key, share_rows[i].what,
			    share_rows[i].unit, false, i == SHARE_JOBS ? running
			    : share_count(rq->app->share, &user, (enum share_kind)i),
			    share_most(&l));
	}
	write_limit(&w, "waitingJobs", "Jobs that wait for these", "jobs", false,
		    jobs - running, 0);
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
