/*
 * Forms that begin a turn, stop one, or go on with one. Each leads, by 303, to
 * a page that can be loaded again without sending anything again; the turn
 * runs once that answer is out, and its page follows it.
 */
#include "plain/plain.h"

#include "api/idempotent.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/utf8.h"

#include "base/banned.h"

bool plain_has_web(struct request *rq, const struct conversation *c)
{
	struct err ignored = ERR_INIT;
	const struct conf_workspace *w = scope_workspace(rq, c->workspace_id,
							 &ignored);
	const struct conf_agent *a = w ? scope_agent(w, c->agent_id, &ignored)
		: NULL;

	return a && scope_web(rq, w, a);
}

int plain_read_content(struct request *rq, struct str *out,
		       struct send_more *more, struct err *e)
{
	size_t max = (size_t)rq->conf->limits.message_chars;

	*out = form_field(rq, "content");
	*more = (struct send_more){ .web = form_field(rq, "web").n > 0 };
	if (!str_trim(*out).n)
		return err_field(e, ERR_INVALID_FIELD, "content",
				 "The message must not be empty.");
	if (utf8_chars(*out) > max)
		return err_field(e, ERR_INVALID_FIELD, "content", "A message "
				 "may have at most %zu characters.", max);
	return 0;
}

static int go_to_turn(struct request *rq, struct response *rs,
		      const struct uuid *turn)
{
	char id[UUID_TEXT_BYTES];

	plain_go(rq, rs, arena_printf(rq->arena, "turns/%s",
				      uuid_format(turn, id)), "");
	return 0;
}

/* Whether e may mean that the same form came a moment ago. */
static bool is_taken(const struct err *e)
{
	return e->code == ERR_BUSY || e->code == ERR_CONFLICT ||
		e->code == ERR_DB_DUPLICATE;
}

int plain_begin_turn(struct request *rq, struct response *rs,
		     plain_opener *open, struct err *e)
{
	struct err ignored = ERR_INIT;
	struct turn before;
	struct turn_run *t;
	int rc = idempotent_form(rq, &before, e);

	if (rc)
		return rc < 0 ? -1 : go_to_turn(rq, rs, &before.id);
	t = open(rq, e);
	if (t) {
		send_later(rq, t);
		return go_to_turn(rq, rs, &t->id);
	}
	if (!is_taken(e) || idempotent_form(rq, &before, &ignored) <= 0)
		return -1;
	err_clear(e);
	return go_to_turn(rq, rs, &before.id);
}

static void put_option(struct buf *b, const struct conf_workspace *w,
		       const struct conf_agent *a)
{
	buf_adds(b, "<option value=\"");
	buf_html(b, str_of(w->id));
	buf_addc(b, '/');
	buf_html(b, str_of(a->id));
	buf_adds(b, conf_default_agent(w) == a ? "\" selected>" : "\">");
	buf_html(b, str_of(*a->name ? a->name : a->id));
	buf_adds(b, "</option>\n");
}

/* Each workspace that the caller sees, with its agents. */
static void put_choice(struct plain *p)
{
	const struct conf *c = p->rq->conf;
	struct buf *b = p->b;

	buf_adds(b, "<p><label for=\"agent\">Agent</label><br>\n"
		 "<select id=\"agent\" name=\"agent\">\n");
	for (size_t i = 0; i < c->n_workspaces; i++) {
		const struct conf_workspace *w = &c->workspaces[i];

		if (!scope_sees(p->rq, w))
			continue;
		buf_adds(b, "<optgroup label=\"");
		buf_html(b, str_of(*w->name ? w->name : w->id));
		buf_adds(b, "\">\n");
		for (size_t k = 0; k < w->n_agents; k++) {
			put_option(b, w, &w->agents[k]);
			p->web = p->web || scope_web(p->rq, w, &w->agents[k]);
		}
		buf_adds(b, "</optgroup>\n");
	}
	buf_adds(b, "</select></p>\n");
}

/* GET {base}/plain/new: a message for an agent of one's choice. */
int plain_new(struct request *rq, struct response *rs, struct err *e)
{
	struct plain p;

	if (plain_open(rq, &p, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, STR("New conversation"));
	plain_form(&p, "new");
	put_choice(&p);
	plain_message_fields(&p, STR(""));
	plain_foot(&p);
	return 0;
}

static struct turn_run *open_new(struct request *rq, struct err *e)
{
	struct str agent = form_field(rq, "agent"), content;
	struct str workspace = str_cut(&agent, '/');
	const struct conf_workspace *w;
	const struct conf_agent *a;
	struct send_more more;

	if (plain_read_content(rq, &content, &more, e) < 0)
		return NULL;
	w = scope_workspace(rq, workspace, e);
	a = w ? scope_agent(w, agent, e) : NULL;
	return a ? send_open(rq, w, a, NULL, content, &more, e) : NULL;
}

/*
 * POST {base}/plain/new agent=WORKSPACE/AGENT, content, web, steps: 303 to the
 * turn's page. Errors as of POST /chat/{workspace}/stream.
 */
int plain_start(struct request *rq, struct response *rs, struct err *e)
{
	return plain_begin_turn(rq, rs, open_new, e);
}

static struct turn_run *open_next(struct request *rq, struct err *e)
{
	const struct conf_workspace *w;
	const struct conf_agent *a;
	struct send_more more;
	struct conversation c;
	struct str content;

	if (plain_read_content(rq, &content, &more, e) < 0 ||
	    conversation_of_path(rq, &c, e) < 0)
		return NULL;
	w = scope_workspace(rq, c.workspace_id, e);
	a = w ? scope_agent(w, c.agent_id, e) : NULL;
	return a ? send_open(rq, w, a, &c.id, content, &more, e) : NULL;
}

/*
 * POST {base}/plain/conversations/{c} content, web, steps: 303 to the turn's page.
 * 404; 409 with the way to the answer that is being written; as above.
 */
int plain_send(struct request *rq, struct response *rs, struct err *e)
{
	return plain_begin_turn(rq, rs, open_next, e);
}

/* POST {base}/plain/turns/{t}/stop: 303 to the turn's page. */
int plain_stop(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct turn t;

	if (turn_stop(rq, id, &t, e) < 0)
		return -1;
	return go_to_turn(rq, rs, id);
}

static struct turn_run *open_again(struct request *rq, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct owner owner = scope_owner(rq);
	const struct conf_workspace *w;
	const struct conf_agent *a;
	struct conversation c;
	const struct send_more more = { .web = 0 };
	struct turn t;

	if (turn_get(rq->app->db, &owner, id, rq->arena, &t, e) < 0 ||
	    conversation_get(rq->app->db, &owner, &t.conversation_id,
			     rq->arena, &c, e) < 0)
		return NULL;
	w = scope_workspace(rq, c.workspace_id, e);
	a = w ? scope_agent(w, c.agent_id, e) : NULL;
	return a ? send_open_again(rq, w, a, &t, &more, e) : NULL;
}

/*
 * POST {base}/plain/turns/{t}/continue: 303 to the page of a new turn that
 * goes on where this one was cut short; errors as of the API's route.
 */
int plain_continue(struct request *rq, struct response *rs, struct err *e)
{
	return plain_begin_turn(rq, rs, open_again, e);
}
