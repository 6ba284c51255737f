/* SPDX-License-Identifier: MIT */
/*
 * Settings of the caller, of a group and of the tenant: the current value, its
 * level, and the values of all levels (setting/setting.def, setting/values.h).
 */
#include "api/setting.h"

#include "api/etag.h"
#include "domain/choice.h"
#include "app.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "route.h"

#include "base/banned.h"

enum { TRIES = 10 };	/* to store a change despite concurrent ones */

/* -- access ------------------------------------------------------------------------- */

static bool is_member(const struct request *rq, struct str group)
{
	for (size_t i = 0; i < rq->by.who->n_groups; i++)
		if (str_eq(rq->by.who->groups[i], group))
			return true;
	return false;
}

static int check_group(struct str group, struct err *e)
{
	if (!group.n)
		return err_field(e, ERR_INVALID_FIELD, "group",
				 "group is missing: level=team needs one.");
	if (group.n > LIM_GROUP_BYTES)
		return err_field(e, ERR_TOO_BIG, "group",
				 "group may have at most %d bytes.",
				 LIM_GROUP_BYTES);
	return 0;
}

/* Whether the caller may read the settings of a level, or change them. */
static int check_right(const struct request *rq, enum setting_level level,
		       struct str group, bool change, struct err *e)
{
	const struct identity *who = rq->by.who;
	bool all = policy_may(who, PERM_SETTINGS_MANAGE);

	if (level == LEVEL_TEAM && !all && !(is_member(rq, group) &&
	    (!change || policy_may(who, PERM_SETTINGS_TEAM))))
		return err_public(e, ERR_FORBIDDEN, change
				  ? "You cannot change the settings of this group."
				  : "You cannot see the settings of this group.");
	if (level == LEVEL_TENANT && change && !all)
		return err_public(e, ERR_FORBIDDEN, "You cannot change the "
				  "settings of everyone.");
	return 0;
}

/* The holders in the query: ?level=user|team|tenant&group=NAME. */
static struct setting_values *named(struct request *rq, bool change, struct err *e)
{
	enum setting_level level = LEVEL_USER;
	struct str text, group;

	if (req_query(rq, "level", &text, e) < 0 ||
	    req_query(rq, "group", &group, e) < 0)
		return NULL;
	if (text.p) {
		for (level = LEVEL_USER; level <= LEVEL_TENANT; level++)
			if (str_is(text, setting_level_name(level)))
				break;
		if (level > LEVEL_TENANT) {
			err_field(e, ERR_INVALID_FIELD, "level",
				  "level must be user, team or tenant.");
			return NULL;
		}
	}
	if (group.p && level != LEVEL_TEAM) {
		err_field(e, ERR_INVALID_FIELD, "group",
			  "group is only for level=team.");
		return NULL;
	}
	if ((level == LEVEL_TEAM && check_group(group, e) < 0) ||
	    check_right(rq, level, group, change, e) < 0)
		return NULL;
	return level == LEVEL_USER ? setting_holders(rq->by.who, rq->arena)
		: level == LEVEL_TEAM
		? setting_holders_of_team(rq->by.who->tenant, group, rq->arena)
		: setting_holders_of_tenant(rq->by.who->tenant, rq->arena);
}

static int read_all(struct request *rq, struct setting_values *s, struct err *e)
{
	return setting_read(rq->app->db, rq->by.who->tenant, s, rq->arena, e);
}

/* -- the answer -------------------------------------------------------------------- */

static int answer(struct request *rq, struct response *rs,
		  const struct setting_values *s, struct err *e)
{
	const struct setting_holder *h = &s->v[0];
	char tag[ETAG_BYTES];
	struct choices c;
	struct jw w;

	if (choices_read(&rq->by, s, &c, e) < 0)
		return -1;
	w = resp_json(rs, 200);
	resp_header(rs, "ETag", etag_row(h->version, tag));
	jw_obj(&w);
	jw_kstrz(&w, "level", setting_level_name(h->level));
	jw_kstr(&w, "group", h->level == LEVEL_TEAM ? h->name
		: (struct str){ NULL, 0 });
	jw_kint(&w, "version", h->version);
	jw_key(&w, "items");
	jw_arr(&w);
	for (int i = 0; i < SETTING__MAX; i++)
		if (setting_rows[i].type != SETTING_INTERNAL)
			choice_describe(&w, &c, (enum setting_id)i);
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /settings?level=user|team|tenant&group=: 200 {level, group, version,
 * items[]}, each setting with its current value, its level, and the values of all
 * levels. For a group: its members, and users who manage settings. The ETag is the
 * version of that level's own row.
 */
int api_setting_list(struct request *rq, struct response *rs, struct err *e)
{
	struct setting_values *s = named(rq, false, e);

	if (!s || read_all(rq, s, e) < 0)
		return -1;
	return answer(rq, rs, s, e);
}

int api_setting_change(struct request *rq, struct setting_values *s,
		       const json_t *change, bool *stored, struct err *e)
{
	struct setting_holder *h = &s->v[0];
	const json_t *values;

	values = choice_changed(&rq->by, s, change, rq->arena, e);
	if (!values)
		return -1;
	*stored = json_equal((json_t *)values, (json_t *)h->values);
	if (!*stored && setting_store(rq->app->db, rq->by.who->tenant,
				      rq->by.who, s, values, stored, e) < 0)
		return -1;
	if (*stored && !json_equal((json_t *)values, (json_t *)h->values))
		h->version++;
	h->values = values;
	return 0;
}

/* One try, for the version that the caller has seen. */
static int try_change(struct request *rq, struct setting_values *s, bool *stored,
		      struct err *e)
{
	char tag[ETAG_BYTES];

	if (read_all(rq, s, e) < 0 ||
	    etag_wanted(rq, etag_row(s->v[0].version, tag), e) < 0)
		return -1;
	return api_setting_change(rq, s, rq->body, stored, e);
}

/*
 * PATCH /settings?level=&group= {key: value or null, …}: 200 as GET. All or
 * nothing. 403; 412; 422 with the key as the field: unknown_field, invalid_field
 * (type, range, a level at which it cannot be set, the id of something missing).
 */
int api_setting_patch(struct request *rq, struct response *rs, struct err *e)
{
	struct setting_values *s = NULL;
	bool stored = false;

	if (!json_is_object(rq->body))
		return err_public(e, ERR_INVALID_JSON,
				  "The body must be a JSON object.");
	for (int tries = 0; tries < TRIES && !stored; tries++) {
		s = named(rq, true, e);
		if (!s || setting_check(rq->body, s->v[0].level, e) < 0 ||
		    try_change(rq, s, &stored, e) < 0)
			return -1;
	}
	if (!stored)
		return err_set(e, ERR_DB_RETRY, "settings that others change all "
			       "the time");
	return answer(rq, rs, s, e);
}
