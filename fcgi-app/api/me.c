/* SPDX-License-Identifier: MIT */
/* The caller. */
#include "api/api.h"
#include "api/attachment.h"

#include "domain/choice.h"
#include "quota.h"
#include "setting/values.h"
#include "api/scope.h"
#include "api/shared.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "hold/stored.h"
#include "pace.h"
#include "places.h"
#include "resource/call.h"
#include "resource/form.h"
#include "route.h"
#include "store/export.h"
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

/* What include= adds: what a client needs to begin, in one answer. */
enum part { PART_SETTINGS, PART_WORKSPACES, PART_AGENTS, PART_FORMS, PART_FOLDERS,
	    PART_SHARED, PART__MAX };

static const char *const parts[] = {
	[PART_SETTINGS] = "settings", [PART_WORKSPACES] = "workspaces",
	[PART_AGENTS] = "agents", [PART_FORMS] = "forms", [PART_FOLDERS] = "folders",
	[PART_SHARED] = "shared",
};

static int read_include(struct request *rq, bool asked[PART__MAX], struct err *e)
{
	struct str rest, one;
	size_t i;

	if (req_query(rq, "include", &rest, e) < 0)
		return -1;
	while (rest.n) {
		one = str_cut(&rest, ',');
		for (i = 0; i < PART__MAX && !str_is(one, parts[i]); i++)
			continue;
		if (i == PART__MAX)
			return err_field(e, ERR_INVALID_FIELD, "include",
					 "include may have settings, workspaces, agents, "
					 "forms, folders and shared, separated by commas.");
		asked[i] = true;
	}
	return 0;
}

/* must: they are asked for; else the caller is told without them. */
static int read_settings(struct request *rq, bool must, struct err *e)
{
	if (setting_read_for(&rq->by, e) == 0 || must)
		return e->code ? -1 : 0;
	log_err("/me without the user's settings", e);
	err_clear(e);
	return 0;
}

/* The workspace whose agents are told: workspaceId=, else the default one. */
static int read_workspace(struct request *rq, const struct workspace **w, struct err *e)
{
	const struct workspace *named;
	struct str id;

	if (req_query(rq, "workspaceId", &id, e) < 0)
		return -1;
	if (!id.n)
		return 0;
	named = scope_workspace(rq, id, e);
	if (!named && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	*w = named ? named : *w;
	return 0;
}

/* The first page of a resource's list; *out is NULL if the caller may not read it. */
static int read_list(struct request *rq, enum resource_id id, const struct workspace *in,
		     const struct resource_answer **out, struct err *e)
{
	const struct resource_call c = {
		.r = &resources[id], .verb = VERB_LIST,
		.parent = str_of(in ? in->id : ""), .query = { .size = LIM_PAGE_MAX },
	};
	struct resource_answer *answer;

	*out = NULL;
	if (!resource_may(&rq->by, c.r, VERB_LIST))
		return 0;
	answer = arena_new(rq->arena, struct resource_answer);
	if (resource_call(&rq->by, &c, answer, e) < 0)
		return -1;
	*out = answer;
	return 0;
}

static void put_list(struct jw *w, const struct caller *by, const char *key,
		     enum resource_id id, const struct resource_answer *list)
{
	jw_key(w, key);
	if (list)
		resource_answer_write(w, by, &resources[id], list);
	else
		jw_null(w);
}

/* *any: whether somebody lets the caller read a conversation. */
static int read_shared(struct request *rq, bool *any, struct err *e)
{
	const struct uuid newest = { { 0 } };
	struct shared_reader by;
	struct shared *rows;
	size_t n = 0;

	if (policy_may(rq->by.who, PERM_CONVERSATIONS_SHARE)) {
		by = api_shared_reader(rq);
		if (shared_list(rq->app->db, &by, &newest, 1, rq->arena, &rows, &n, e) < 0)
			return -1;
	}
	*any = n > 0;
	return 0;
}

/* Which ones GET /forms describes. */
static void write_forms(struct jw *w, const struct caller *by)
{
	jw_key(w, "forms");
	jw_arr(w);
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		if (!resource_may(by, &resources[i], VERB_LIST))
			continue;
		jw_obj(w);
		resource_form_head(w, by->lang, &resources[i]);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

/* The current values, without long texts. */
static void write_settings(struct jw *w, const struct caller *by)
{
	const struct setting_scope in = { .conf = by->conf, .values = by->settings };

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
		choice_write(w, (enum setting_id)i, &in, &v);
		if (!row->alias)
			continue;
		jw_key(w, row->alias);
		choice_write(w, (enum setting_id)i, &in, &v);
	}
	jw_end_obj(w);
}

/*
 * GET /me?include=&workspaceId=: 200 {userId, user, name, tenantId, groups[], roles[],
 * permissions[], identityKind, defaultWorkspaceId, defaultAgentId, notifications,
 * settings?, workspaces?, agentsWorkspaceId?, agents?, forms?, folders?, shared?}.
 * defaultWorkspaceId: the one of the settings (A28), else the first one that the
 * caller can see, or null; defaultAgentId: its default agent, or that of the
 * settings. settings: the current values, but not custom_context.
 * notifications: how to receive them; "stream", or "poll" if none may stay open.
 * workspaces, agents, folders: the first page of their lists, or null if the caller may
 * not read them; agents: of workspaceId=, if the caller sees that, else of the default
 * one. forms: name, title and parent of those of GET /forms. shared: whether
 * GET /shared-conversations lists any. A token that names its agents reads no settings,
 * no folders and no shared conversations, as at their routes.
 */
int api_me(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_answer *workspaces = NULL, *agents = NULL, *folders = NULL;
	const struct identity *who = rq->by.who;
	const struct workspace *first, *shown;
	bool asked[PART__MAX] = { false };
	const struct agent *agent;
	const struct str *names;
	bool shared = false;
	struct jw w;
	size_t n;

	if (read_include(rq, asked, e) < 0)
		return -1;
	asked[PART_SETTINGS] &= !who->n_agents;
	if (read_settings(rq, asked[PART_SETTINGS], e) < 0 ||
	    choice_default(&rq->by, &first, &agent, e) < 0)
		return -1;
	shown = first;
	if (read_workspace(rq, &shown, e) < 0 ||
	    (asked[PART_WORKSPACES] &&
	     read_list(rq, RESOURCE_WORKSPACE, NULL, &workspaces, e) < 0) ||
	    (asked[PART_AGENTS] && shown &&
	     read_list(rq, RESOURCE_AGENT, shown, &agents, e) < 0) ||
	    (asked[PART_FOLDERS] && !who->n_agents &&
	     read_list(rq, RESOURCE_CONVERSATION_FOLDER, NULL, &folders, e) < 0) ||
	    (asked[PART_SHARED] && !who->n_agents && read_shared(rq, &shared, e) < 0))
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
	if (asked[PART_SETTINGS] && rq->by.settings)
		write_settings(&w, &rq->by);
	if (asked[PART_WORKSPACES])
		put_list(&w, &rq->by, "workspaces", RESOURCE_WORKSPACE, workspaces);
	if (asked[PART_AGENTS]) {
		jw_kstrz(&w, "agentsWorkspaceId", shown ? shown->id : NULL);
		put_list(&w, &rq->by, "agents", RESOURCE_AGENT, agents);
	}
	if (asked[PART_FORMS])
		write_forms(&w, &rq->by);
	if (asked[PART_FOLDERS])
		put_list(&w, &rq->by, "folders", RESOURCE_CONVERSATION_FOLDER, folders);
	if (asked[PART_SHARED])
		jw_kbool(&w, "shared", shared);
	jw_end_obj(&w);
	if (rq->app->db && app_user_due(&who->user_id))
		rq->after = touch;
	return 0;
}

static void write_limit(struct jw *w, const struct lang *lang, const char *key,
			const char *label, const char *unit, bool stored, int64_t used,
			int64_t most)
{
	jw_obj(w);
	jw_kstrz(w, "key", key);
	jw_kstrz(w, "label", lang_text(lang, label));
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
	struct uuid user = quota_user(rq);
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
	write_limit(&w, rq->by.lang, "stored", N_("All that you store"), "bytes", true,
		    hold_total(&s), rq->conf->limits.stored_mb * INT64_C(1048576));
	for (int i = 0; i < STORED__MAX; i++)
		write_limit(&w, rq->by.lang, hold_rows[i].key, hold_rows[i].what, "bytes",
			    true, s.v[i], 0);
	for (int i = 0; i < SHARE__MAX; i++) {
		struct share_limit l = quota_limit(rq, (enum share_kind)i);

		write_limit(&w, rq->by.lang, share_rows[i].key, share_rows[i].what,
			    share_rows[i].unit, false, i == SHARE_JOBS ? running
			    : share_count(rq->app->share, &user, (enum share_kind)i),
			    share_most(&l));
	}
	write_limit(&w, rq->by.lang, "waitingJobs", N_("Jobs that wait for these"), "jobs",
		    false, jobs - running, 0);
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* -- all of it ------------------------------------------------------------------- */

struct sent_export {
	struct response *rs;
	struct pace pace;
};

/* Sends what has been written. */
static int send_rows(void *ctx, struct err *e)
{
	struct sent_export *t = ctx;
	const size_t n = resp_stream(t->rs)->n;

	if (t->rs->gone)
		return err_set(e, ERR_CANCELLED, "the client has gone");
	if (!pace_wait_ms(&t->pace, clock_mono_ms(), 1))
		return err_set(e, ERR_CANCELLED, "a download was too slow");
	resp_flush(t->rs);
	t->pace.bytes += n;
	return 0;
}

/*
 * GET /me/export: 200 the JSON of `lamplighter export`, as a download. What ends early is
 * no JSON.
 */
int api_me_export(struct request *rq, struct response *rs, struct err *e)
{
	struct sent_export t = { rs, {
		.rate_bytes = rq->conf->limits.body_rate_bytes,
		.whole_ms = INT32_MAX,
	} };
	struct err late = ERR_INIT;
	struct jw w;

	/* The worker waits for a client that reads slowly. */
	if (quota_take(rq, SHARE_BODIES, &rq->arriving, e))
		return -1;
	resp_header(rs, "Content-Disposition",
		    api_disposition(rq, STR("lamplighter-export.json")));
	resp_open_stream(rs, "application/json", STR(""));
	if (rs->head_only)
		return 0;
	w = jw_on(resp_stream(rs));
	if (store_export(rq->app->db, &rq->by.owner, rq->by.who->login, &w, send_rows, &t,
			 &late) < 0)
		log_err("an export ended early", &late);
	else
		buf_addc(resp_stream(rs), '\n');
	return 0;
}
