/* SPDX-License-Identifier: MIT */
/*
 * Plans (docs/plans.md) as text: below a turn that waits, and on a page of their own, with
 * forms to skip a step, or to run a step or all of it again, which is a message to its
 * conversation.
 */
#include "plain/plain.h"

#include <string.h>

#include "app.h"
#include "auth/policy.h"
#include "base/json.h"
#include "base/utf8.h"
#include "plan/rows.h"
#include "turn/follow.h"

#include "base/banned.h"

enum { RESULT_CHARS = 4000 };

struct plan_page {
	struct plain *p;
	const struct plan_row *row;
	const struct plan_step_row *steps;
	size_t n_steps, at;		/* at: the number of the next step */
	bool open;			/* its turn has not ended */
};

static void put_skip(struct plan_page *g, struct str step, const char *what)
{
	char id[UUID_TEXT_BYTES];

	plain_form(g->p, arena_printf(g->p->rq->arena, "plans/%s/skip",
				      uuid_format(&g->row->id, id)));
	plain_hidden(g->p->b, "step", step);
	if (g->p->steps)
		buf_adds(g->p->b, PLAIN_STEPS);
	plain_submit(g->p, NULL, what);
	buf_adds(g->p->b, "</form>\n");
}

/* step.n == 0: what is not done, or all. */
static void put_again(struct plan_page *g, struct str step)
{
	char id[UUID_TEXT_BYTES];

	plain_form(g->p, arena_printf(g->p->rq->arena, "conversations/%s",
				      uuid_format(&g->row->conversation_id, id)));
	plain_hidden(g->p->b, "content", step.n ? STR("Run this step of the plan again.")
					      : STR("Run the plan again."));
	plain_hidden(g->p->b, "planAgain", str_of(uuid_format(&g->row->id, id)));
	if (step.n)
		plain_hidden(g->p->b, "planSteps", step);
	if (g->p->steps)
		buf_adds(g->p->b, PLAIN_STEPS);
	plain_submit(g->p, NULL, step.n ? N_("Run this step again") : N_("Run the plan again"));
	buf_adds(g->p->b, "</form>\n");
}

static void put_step(struct plan_page *g, const json_t *step)
{
	const struct str id = jx_str(step, "id");
	const struct plan_step_row *s = g->at < g->n_steps ? &g->steps[g->at] : NULL;
	const int64_t status = s ? s->status : PLAN_READY;
	struct buf *b = g->p->b;

	g->at++;
	buf_adds(b, "<li>");
	plain_spelled(b, jx_str(step, "title"));
	buf_adds(b, " (");
	plain_say(g->p, s ? agentplan_step_status(s) : N_("ready"));
	buf_adds(b, ")\n");
	if (s && s->result.n && !g->open) {
		buf_adds(b, "<details class=\"tool\"><summary>");
		plain_say(g->p, "Result");
		buf_adds(b, "</summary>\n<pre>");
		plain_spelled(b, utf8_head(s->result, RESULT_CHARS));
		buf_adds(b, "</pre></details>\n");
	}
	if (g->open && s && status <= PLAN_WAITING && !s->stop_us && id.n)
		put_skip(g, id, status == PLAN_RUNNING ? N_("Stop this step")
			 : N_("Skip this step"));
	/* Blanks part the ids of a form. */
	if (!g->open && s && id.n && !memchr(id.p, ' ', id.n))
		put_again(g, id);
	buf_adds(b, "</li>\n");
}

static void put_plan(struct plan_page *g)
{
	const json_t *plan = jx_keep(g->p->rq->arena, jx_try(g->row->plan));
	const json_t *stage, *step;
	struct buf *b = g->p->b, status = BUF_INIT(1024);
	size_t i, k;

	buf_adds(b, "<section class=\"plan\">\n<h2>");
	plain_say(g->p, "Plan");
	buf_adds(b, "</h2>\n<p class=\"text\">");
	plain_spelled(b, g->row->goal);
	buf_adds(b, "</p>\n<p>");
	html_text(&status, lang_str(g->p->rq->by.lang, g->row->status));
	plain_sayf(g->p, "The plan is %s.", buf_str(&status).p);
	buf_adds(b, "</p>\n");
	buf_release(&status);
	json_array_foreach(jx_arr(plan, "stages"), i, stage) {
		buf_adds(b, "<h3>");
		plain_spelled(b, jx_str(stage, "name"));
		buf_addf(b, "</h3>\n<ol start=\"%zu\">\n", g->at + 1);
		json_array_foreach(jx_arr(stage, "steps"), k, step)
			put_step(g, step);
		buf_adds(b, "</ol>\n");
	}
	if (!g->open)
		put_again(g, STR(""));
	buf_adds(b, "</section>\n");
}

static int load_steps(struct plan_page *g, struct err *e)
{
	struct request *rq = g->p->rq;
	struct plan_step_row *steps;

	if (agentplan_steps(rq->app->db, &rq->by.owner, &g->row->id, rq->arena, &steps,
			    &g->n_steps, e) < 0)
		return -1;
	g->steps = steps;
	return 0;
}

int plain_plans(struct plain *p, const struct uuid *turn, struct err *e)
{
	struct request *rq = p->rq;
	struct plan_row *rows;
	size_t n;

	if (agentplan_of_turn(rq->app->db, &rq->by.owner, turn, rq->arena, &rows, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct plan_page g = { .p = p, .row = &rows[i], .open = true };

		/* A proposed one is in its approval. */
		if (str_is(rows[i].status, "proposed"))
			continue;
		if (load_steps(&g, e) < 0)
			return -1;
		put_plan(&g);
	}
	return 0;
}

static void put_plan_link(struct plain *p, const struct uuid *id)
{
	char text[UUID_TEXT_BYTES];

	buf_addf(p->b, "<p><a href=\"%splans/%s%s\">", p->root, uuid_format(id, text),
		 p->steps ? "?steps=1" : "");
	plain_say(p, "The plan and its steps");
	buf_adds(p->b, "</a></p>\n");
}

void plain_plan_link(struct plain *p, struct str tool, struct str result)
{
	json_t *j = str_is(tool, "plan") ? jx_try(result) : NULL;
	struct uuid id;

	if (uuid_parse(jx_str(j, "planId"), &id))
		put_plan_link(p, &id);
	json_decref(j);
}

/* GET {base}/plain/plans/{plan}: its steps and their results; 404. */
int plain_plan(struct request *rq, struct response *rs, struct err *e)
{
	char id[UUID_TEXT_BYTES];
	struct plan_row row;
	struct turn t;
	struct plain p;
	struct plan_page g = { .p = &p, .row = &row };
	int rc = agentplan_get(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "plan"),
			       rq->arena, &row, e);

	if (rc == 0)
		return err_set(e, ERR_NOT_FOUND, "no such plan");
	if (rc < 0 || turn_now(&rq->app->deps, &rq->by.owner, &row.turn_id, rq->arena, &t,
			       e) < 0 ||
	    plain_open(rq, &p, e) < 0 || load_steps(&g, e) < 0)
		return -1;
	g.open = !t.ended_us;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Plan")));
	put_plan(&g);
	buf_addf(p.b, "<p><a href=\"%sconversations/%s%s\">", p.root,
		 uuid_format(&row.conversation_id, id), p.steps ? "?steps=1" : "");
	plain_say(&p, "Conversation");
	buf_adds(p.b, "</a></p>\n");
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/plans/{plan}/skip step, steps: 303 to the turn's page; errors as of the API. */
int plain_skip(struct request *rq, struct response *rs, struct err *e)
{
	char id[UUID_TEXT_BYTES];
	struct plan_row row;

	if (!policy_may_decide(rq->by.who))
		return err_set(e, ERR_FORBIDDEN, "an API token without %s",
			       permission_rows[PERM_APPROVALS_DECIDE].name);
	if (agentplan_skip(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "plan"),
			   form_field(rq, "step"), rq->arena, &row, e) < 0)
		return -1;
	plain_go(rq, rs, arena_printf(rq->arena, "turns/%s", uuid_format(&row.turn_id, id)), "");
	return 0;
}
