/* SPDX-License-Identifier: MIT */
/* Zones of calendars, and times of events as they are stored. */
#include "setting/values.h"
#include "calendar/calendar.h"
#include "store/stmt.h"

#include "base/banned.h"

int calendar_zone(const struct caller *by, const struct uuid *project, struct str *out,
		  struct err *e)
{
	struct caller as = *by;

	*out = (struct str){ NULL, 0 };
	if (project && db_text(by->db, STMT_EVENT_ZONE,
			       DB_ARGS(DB_U(project), DB_S(by->owner.tenant_id)),
			       by->arena, out, e) < 0)
		return -1;
	if (out->n && zone_known(*out))
		return 0;
	if (by->who && setting_read_for(&as, e) < 0)
		return -1;
	*out = str_of(setting_get(SETTING_TIME_ZONE, &(struct setting_scope){
		.conf = by->conf, .values = as.settings }).text);
	if (!zone_known(*out))
		*out = STR("UTC");
	return 0;
}

bool calendar_when(struct str starts, struct str ends, struct str zone, struct arena *a,
		   struct calendar_when *out)
{
	const enum wall_form first = wall_read(starts, &out->start);
	const enum wall_form last = wall_read(ends, &out->end);

	out->whole_days = first == WALL_DAY;
	out->zone = out->whole_days ? NULL : zone_read(zone, a);
	if (out->whole_days)
		out->end += WALL_DAY_S;
	return first == last && (first == WALL_DAY || (first == WALL_CLOCK && out->zone));
}

bool calendar_end(struct str text, const struct zone *zone, bool to, int64_t *us)
{
	int64_t at;
	const enum wall_form form = wall_read(text, &at);

	if (form == WALL_NONE)
		return false;
	if (form == WALL_DAY && to)
		at += WALL_DAY_S;
	*us = (form == WALL_INSTANT ? at : zone_when(zone, at)) * 1000000;
	return true;
}
