/* SPDX-License-Identifier: MIT */
/* Calendars, beside the routes of their events as resources: what takes place when, and
   changes of single occurrences. */
#include "api/api.h"
#include "api/etag.h"
#include "api/page.h"
#include "api/resource.h"
#include "app.h"
#include "base/limits.h"
#include "base/buf.h"
#include "body.h"
#include "calendar/ics.h"
#include "hold/stored.h"
#include "route.h"

#include "base/banned.h"

static int wrong(struct err *e, const char *key, const char *what)
{
	return err_field(e, ERR_INVALID_FIELD, key, "%s %s", key, what);
}

/* -- what takes place when ----------------------------------------------------------- */

static int read_zone(struct request *rq, struct calendar_ask *ask, struct err *e)
{
	if (req_query_text(rq, "timeZone", 63, &ask->zone, e) < 0)
		return -1;
	if (!ask->zone.n)
		return calendar_zone(&rq->by, NULL, &ask->zone, e);
	return zone_known(ask->zone) ? 0
		: wrong(e, "timeZone", "must be the name of a time zone.");
}

static int read_end(struct request *rq, const char *key, const struct zone *zone,
		    bool to, int64_t *us, struct err *e)
{
	struct str s;

	if (req_query(rq, key, &s, e) < 0)
		return -1;
	return calendar_end(s, zone, to, us) ? 0
		: wrong(e, key, "must be a day, such as 2027-03-01, or a time.");
}

static int read_range(struct request *rq, struct calendar_ask *ask, struct err *e)
{
	const struct zone *zone;

	if (read_zone(rq, ask, e) < 0)
		return -1;
	zone = zone_read(ask->zone, rq->arena);
	if (read_end(rq, "from", zone, false, &ask->from_us, e) < 0 ||
	    read_end(rq, "to", zone, true, &ask->to_us, e) < 0)
		return -1;
	if (ask->to_us <= ask->from_us)
		return wrong(e, "to", "must be after from.");
	if (ask->to_us - ask->from_us >
	    (LIM_CALENDAR_DAYS + 1) * WALL_DAY_S * 1000000LL)
		return err_field(e, ERR_INVALID_FIELD, "to", "to must be at most %d days "
				 "after from.", LIM_CALENDAR_DAYS);
	return 0;
}

static int show(struct request *rq, struct response *rs, struct calendar_ask *ask,
		struct err *e)
{
	struct calendar_occurrence *v;
	bool more;
	size_t n;
	struct jw w;

	if (read_range(rq, ask, e) < 0 ||
	    req_query_text(rq, "q", 200, &ask->words, e) < 0)
		return -1;
	ask->words = str_trim(ask->words);
	if (calendar_between(&rq->by, ask, &v, &n, &more, e) < 0)
		return -1;
	w = api_page_items(rs);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		calendar_write(&w, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_kbool(&w, "truncated", more);
	jw_kstr(&w, "timeZone", ask->zone);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /calendar?from=&to=&timeZone=&calendars=&q=
 * 200 {items: [Occurrence], truncated, timeZone}, by start: the caller's own events and
 * those of the projects that they see (calendars=own, projects: only these). At most
 * LIM_OCCURRENCES in at most LIM_CALENDAR_DAYS.
 */
int api_calendar(struct request *rq, struct response *rs, struct err *e)
{
	struct calendar_ask ask = { .own = true, .projects = true };
	struct str which;

	if (req_query(rq, "calendars", &which, e) < 0)
		return -1;
	if (which.n && !str_is(which, "own") && !str_is(which, "projects"))
		return wrong(e, "calendars", "must be own or projects.");
	ask.own = !which.n || str_is(which, "own");
	ask.projects = !which.n || str_is(which, "projects");
	return show(rq, rs, &ask, e);
}

/* GET /projects/{id}/calendar?from=&to=&timeZone=&q=: the same of one project. */
int api_project_calendar(struct request *rq, struct response *rs, struct err *e)
{
	struct calendar_ask ask = { .project = route_arg_uuid(rq, "id") };

	return show(rq, rs, &ask, e);
}

/* -- files ------------------------------------------------------------------------------- */

/* The project in the path, if there is one, which the caller sees; its name. */
static int find_project(struct request *rq, const struct uuid **id, struct str *name,
			struct err *e)
{
	struct resource_row row;

	*id = NULL;
	*name = rq->by.who->name;
	if (!route_has_arg(rq, "id"))
		return 0;
	*id = route_arg_uuid(rq, "id");
	if (resource_visible(&rq->by, &resources[RESOURCE_PROJECT], *id, &row, e) < 0)
		return -1;
	*name = resource_text(&row, COLUMN(PROJECT, name));
	return 0;
}

/* GET /calendar.ics, /projects/{id}/calendar.ics: 200 all events of the calendar. */
int api_calendar_file(struct request *rq, struct response *rs, struct err *e)
{
	struct buf b = BUF_INIT(64 * LIM_ICS_BYTES);
	const struct uuid *id;
	struct str name;
	int rc = find_project(rq, &id, &name, e);

	if (rc == 0)
		rc = ics_write(&rq->by, id, name, &b, e);
	if (rc == 0 && !buf_ok(&b))
		rc = err_set(e, ERR_TOO_BIG, "a calendar file");
	if (rc == 0) {
		resp_header(rs, "Content-Disposition", "attachment; filename=\"calendar.ics\"");
		buf_addstr(resp_text(rs, 200, "text/calendar; charset=utf-8"), buf_str(&b));
	}
	buf_release(&b);
	return rc;
}

static void write_report(struct response *rs, const struct ics_report *r)
{
	struct jw w = resp_json(rs, 200);

	jw_obj(&w);
	jw_kint(&w, "made", r->created);
	jw_kint(&w, "known", r->known);
	jw_kint(&w, "refused", r->refused);
	jw_kbool(&w, "truncated", r->more);
	jw_key(&w, "problems");
	jw_arr(&w);
	for (size_t i = 0; i < r->n_problems; i++) {
		jw_obj(&w);
		jw_kstr(&w, "title", r->problems[i].title);
		jw_kstr(&w, "problem", r->problems[i].why);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
}

/*
 * POST /calendar/import, /projects/{id}/calendar/import: the body is a calendar file.
 * 200 {made, known, refused, truncated, problems: [{title, problem}]}: each event is stored
 * or refused by itself; those whose UID is known are left as they are. 422 if the body is
 * no calendar; 413.
 */
int api_calendar_import(struct request *rq, struct response *rs, struct err *e)
{
	struct ics_report *report = arena_new(rq->arena, struct ics_report);
	struct buf b = BUF_INIT(LIM_ICS_BYTES);
	const struct uuid *id;
	struct str name;
	int rc = find_project(rq, &id, &name, e);

	if (rc == 0)
		rc = hold_check(rq->app->db, rq->conf, &rq->by.owner, e);
	if (rc == 0)
		rc = req_body_all(rq, &b, "a calendar file", e);
	if (rc == 0)
		rc = ics_read(&rq->by, id, buf_str(&b), report, e);
	buf_release(&b);
	hold_refresh(rq->app->db, rq->conf, &rq->by.owner);	/* some may have been made */
	if (rc < 0)
		return e->code == ERR_TOOL_FAILED || e->code == ERR_TOOL_TIMEOUT
			? api_unreadable(e) : -1;
	write_report(rs, report);
	return 0;
}

/* -- conflicts --------------------------------------------------------------------------- */

/* The resource whose path the route begins with. */
static const struct resource *of_route(const struct request *rq)
{
	struct str path = str_of(rq->route->pattern + 1);
	const struct resource *r;

	for (r = NULL; !r && path.n; r = resource_find(path))
		while (path.n && path.p[--path.n] != '/')
			continue;
	return r;
}

/*
 * GET /events/{id}/conflicts, and below a project: 200 {items: [Occurrence]}, at most 20:
 * what else takes place at the same time, within a year, that the caller sees.
 */
int api_event_conflicts(struct request *rq, struct response *rs, struct err *e)
{
	const struct resource_call c = {
		.r = of_route(rq), .verb = VERB_GET, .id = route_arg(rq, "id"),
		.parent = route_has_arg(rq, "parent")
			? route_arg(rq, "parent") : (struct str){ NULL, 0 },
	};
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	struct buf b = BUF_INIT(LIM_OCCURRENCES * 1024);
	struct jw w = jw_on(&b);
	int rc = resource_call(&rq->by, &c, out, e);

	if (rc == 0)
		rc = calendar_conflicts(&rq->by, out->items[0].row, &w, e);
	if (rc == 0) {
		w = resp_json(rs, 200);
		jw_obj(&w);
		jw_key(&w, "items");
		jw_raw(&w, buf_str(&b));
		jw_end_obj(&w);
	}
	buf_release(&b);
	return rc;
}

/* -- one occurrence, and those that follow --------------------------------------------- */

static int expect(void *ctx, const struct resource_row *now, struct err *e)
{
	const struct request *rq = ctx;
	char tag[ETAG_BYTES];

	if (!req_header(rq, "If-Match").p)
		return err_set(e, ERR_UNCONDITIONAL, "%s", rq->route->pattern);
	return MIN(etag_wanted(ctx, etag_row(now->version, tag), e), 0);
}

static int change(struct request *rq, struct response *rs, const json_t *body,
		  struct err *e)
{
	struct calendar_change c = {
		.r = of_route(rq), .parent = route_has_arg(rq, "parent")
			? route_arg(rq, "parent") : (struct str){ NULL, 0 },
		.id = route_arg(rq, "id"), .day = route_arg(rq, "day"), .body = body,
		.scope = CALENDAR_THIS, .expect = expect, .ctx = rq,
	};
	struct resource_answer *out = arena_new(rq->arena, struct resource_answer);
	char tag[ETAG_BYTES];
	struct str scope;
	struct jw w;

	if (req_query(rq, "scope", &scope, e) < 0)
		return -1;
	if (scope.n && !str_is(scope, "this") && !str_is(scope, "following"))
		return wrong(e, "scope", "must be this or following.");
	if (str_is(scope, "following"))
		c.scope = CALENDAR_FOLLOWING;
	if ((body && hold_check(rq->app->db, rq->conf, &rq->by.owner, e) < 0) ||
	    calendar_change(&rq->by, &c, out, e) < 0)
		return -1;
	hold_refresh(rq->app->db, rq->conf, &rq->by.owner);
	if (!body) {
		resp_empty(rs, 204);
		return 0;
	}
	w = resp_json(rs, 200);
	resp_header(rs, "ETag", etag_row(out->items[0].row->version, tag));
	resource_answer_write(&w, &rq->by, c.r, out);
	return 0;
}

/*
 * PATCH /events/{id}/occurrences/{day}?scope=this|following, and below a project: 200 the
 * event that has the change: a new one, or (following, from the first on) the same. ETag.
 * If-Match: of the event that is repeated. 404 if it does not take place on that day.
 */
int api_occurrence_patch(struct request *rq, struct response *rs, struct err *e)
{
	return change(rq, rs, rq->body, e);
}

/* DELETE the same: 204. */
int api_occurrence_delete(struct request *rq, struct response *rs, struct err *e)
{
	return change(rq, rs, NULL, e);
}
