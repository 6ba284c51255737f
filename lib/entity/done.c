/* SPDX-License-Identifier: MIT */
/* The day on which a task was done or a milestone reached, if nobody says another one. */
#include "base/clock.h"
#include "base/zone.h"
#include "resource/call.h"

#include "base/banned.h"

struct done_columns {
	size_t state, day;
	const char *done;	/* the state */
};

static int note(const struct caller *by, struct resource_change *k,
		struct done_columns c)
{
	const bool done = str_is(resource_text(&k->row, c.state), c.done);
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

static int note_task(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	(void)r;
	(void)e;
	return note(by, k, (struct done_columns){
		COLUMN(PROJECT_TASK, state_key), COLUMN(PROJECT_TASK, done_date), "done",
	});
}

static int note_milestone(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	(void)r;
	(void)e;
	return note(by, k, (struct done_columns){
		COLUMN(PROJECT_MILESTONE, state_key), COLUMN(PROJECT_MILESTONE, done_date),
		"reached",
	});
}

const struct resource_hooks project_task_hooks = { .check = note_task };
const struct resource_hooks project_milestone_hooks = { .check = note_milestone };
