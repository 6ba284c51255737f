/* Who is calling. */
#include "api/api.h"

#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/log.h"
#include "doctor/doctor.h"
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

/* Notes that the user is here, once the answer is out. */
static void touch(struct request *rq)
{
	struct err e = ERR_INIT;

	if (store_user_touch(rq->app->db, &rq->by.owner, rq->by.who->login,
			     rq->by.who->name, &e) < 0)
		log_err("user not noted", &e);
}

/*
 * Whether an open connection keeps a whole process busy: as plain CGI, and
 * under mod_fcgid, which gives a process one request at a time.
 */
static bool holds_process(const struct request *rq)
{
	return rq->app->gateway == GATEWAY_CGI ||
		doctor_web_of(req_param(rq, "SERVER_SOFTWARE"),
			      rq->app->gateway) == WEB_APACHE_FCGID;
}

/*
 * GET /me: 200 {userId, user, name, tenantId, groups[], roles[],
 * permissions[], identityKind, defaultWorkspaceId, notifications}. Needs no
 * database unless the caller shows a token. defaultWorkspaceId: the first one
 * that the caller can see, or null. notifications: how to receive them; "stream",
 * or "poll" if a stream would occupy a process.
 */
int api_me(struct request *rq, struct response *rs, struct err *e)
{
	const struct identity *who = rq->by.who;
	size_t at = 0;
	const struct workspace *first = catalog_each(&rq->by, &at);
	const struct str *names;
	struct jw w = resp_json(rs, 200);
	size_t n;

	(void)e;
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
	jw_kstrz(&w, "notifications", holds_process(rq) ? "poll" : "stream");
	jw_end_obj(&w);
	if (rq->app->seen && app_user_due(rq->app, &who->user_id))
		rq->after = touch;
	return 0;
}
