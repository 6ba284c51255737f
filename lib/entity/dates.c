/* SPDX-License-Identifier: MIT */
/*
 * Days: nothing ends before it begins; and the day on which a task was done or a milestone
 * reached, if nobody says another one.
 */
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "base/zone.h"
#include "resource/call.h"
#include "resource/form.h"

#include "base/banned.h"

struct done_columns {
	size_t state, day;
};

static int note(const struct caller *by, const struct resource *r,
		struct resource_change *k, struct done_columns c)
{
	const bool done = resource_counts(by->conf, r, resource_text(&k->row, c.state)) ==
		COUNTS_DONE;
	struct db_val *day = &k->row.v[c.day];
	char text[16];
	struct tm tm;

	if (k->row.given[c.day] || (k->now && !k->row.given[c.state]) ||
	    done != day->null)
		return 0;
	k->row.given[c.day] = true;
	day->null = !done;
	if (done && zone_time(STR(""), clock_now_us(), &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d", &tm))
		day->s = arena_str(by->arena, str_of(text));
	return 0;
}

/* Days are texts whose order is theirs. */
static int check_order(const struct resource *r, const struct resource_change *k,
		       size_t start, size_t end, struct err *e)
{
	const struct str first = resource_text(&k->row, start);
	const struct str last = resource_text(&k->row, end);
	const bool given = k->row.given[start] || k->row.given[end];

	if ((k->now && !given) || !first.n || !last.n ||
	    memcmp(first.p, last.p, MIN(first.n, last.n)) <= 0)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, r->fields[end].key, "%s must not be before %s "
			 "(%.*s).", r->fields[end].key, r->fields[start].key,
			 STR_ARG(first));
}

static int check_project(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	(void)by;
	return check_order(r, k, COLUMN(PROJECT, start_date), COLUMN(PROJECT, due_date), e);
}

static int check_plan(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	(void)by;
	return check_order(r, k, COLUMN(PROJECT_PLAN, start_date),
			   COLUMN(PROJECT_PLAN, due_date), e);
}

static int check_task(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	if (note(by, r, k, (struct done_columns){
		COLUMN(PROJECT_TASK, state_key), COLUMN(PROJECT_TASK, done_date),
	}) < 0)
		return -1;
	return check_order(r, k, COLUMN(PROJECT_TASK, start_date),
			   COLUMN(PROJECT_TASK, due_date), e);
}

static int check_milestone(const struct caller *by, const struct resource *r,
			   struct resource_change *k, struct err *e)
{
	(void)e;
	return note(by, r, k, (struct done_columns){
		COLUMN(PROJECT_MILESTONE, state_key), COLUMN(PROJECT_MILESTONE, done_date),
	});
}

const struct resource_hooks project_dates_hooks = { .check = check_project };
const struct resource_hooks project_plan_hooks = { .check = check_plan };
const struct resource_hooks project_task_hooks = { .check = check_task };
const struct resource_hooks project_milestone_hooks = { .check = check_milestone };
