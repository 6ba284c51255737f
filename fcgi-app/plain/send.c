/* SPDX-License-Identifier: MIT */
/*
 * Forms that begin, stop or continue a turn. Each redirects (303) to a page that can
 * be reloaded without sending the form again; the turn runs after that answer, and
 * its page follows it.
 */
#include "plain/plain.h"

#include "domain/stored.h"
#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "base/log.h"
#include "base/utf8.h"
#include "turn/follow.h"

#include "base/banned.h"

bool plain_has_web(struct request *rq, const struct conversation *c)
{
	struct err ignored = ERR_INIT;
	const struct workspace *w = scope_workspace(rq, c->workspace_id,
						    &ignored);
	const struct agent *a = w ? scope_agent(rq, w, c->agent_id, &ignored)
		: NULL;

	return a && tool_web_offered(&rq->by, w, a);
}

int plain_read_content(struct request *rq, struct turn_request *in,
		       struct err *e)
{
	size_t max = (size_t)rq->conf->limits.message_chars;

	in->content = form_field(rq, "content");
	in->options = send_form_options(rq);
	if (plain_take_files(rq, e) < 0)
		return -1;
	in->options.attachments = plain_files(rq);
	if (!str_trim(in->content).n)
		return err_field(e, ERR_INVALID_FIELD, "content",
				 "The message must not be empty.");
	if (utf8_chars(in->content) > max)
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

int plain_start_turn(struct request *rq, struct response *rs,
		     struct turn_request *in, struct err *e)
{
	struct turn_run *t;
	int rc = send_start(rq, in, &t, e);

	if (rc < 0)
		return -1;
	if (rc == TURN_STARTED)
		send_later(rq, t);
	return go_to_turn(rq, rs, &t->id);
}

static void put_option(struct buf *b, const struct workspace *w,
		       const struct agent *a)
{
	buf_adds(b, "<option value=\"");
	html_text(b, str_of(w->id));
	buf_addc(b, '/');
	html_text(b, str_of(a->id));
	buf_adds(b, str_is(str_of(a->id), workspace_default_agent(w)->id) ? "\" selected>" : "\">");
	html_text(b, str_of(*a->name ? a->name : a->id));
	buf_adds(b, "</option>\n");
}

void plain_agent_choice(struct plain *p)
{
	struct stored_choice *all;
	struct err ignored = ERR_INIT;	/* those that were read are shown */
	struct buf *b = p->b;
	size_t n;

	if (stored_choices(&p->rq->by, &all, &n, &ignored) < 0)
		log_err("agents to choose from", &ignored);

	buf_adds(b, "<p><label for=\"agent\">");
	plain_say(p, "Agent");
	buf_adds(b, "</label><br>\n<select id=\"agent\" name=\"agent\">\n");
	for (size_t i = 0; i < n; i++) {
		const struct workspace *w = all[i].workspace;

		buf_adds(b, "<optgroup label=\"");
		html_text(b, str_of(*w->name ? w->name : w->id));
		buf_adds(b, "\">\n");
		for (size_t k = 0; k < all[i].n_agents; k++) {
			put_option(b, w, all[i].agents[k]);
			p->web = p->web || tool_web_offered(&p->rq->by, w, all[i].agents[k]);
		}
		buf_adds(b, "</optgroup>\n");
	}
	buf_adds(b, "</select></p>\n");
}

/* GET {base}/plain/new?mentions=: a message for an agent of one's choice. */
int plain_new(struct request *rq, struct response *rs, struct err *e)
{
	struct plain p;

	if (plain_open(rq, &p, e) < 0 ||
	    req_query(rq, "mentions", &p.mentions, e) < 0)
		return -1;
	p.chooses = "";
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "New conversation")));
	plain_message_form(&p, "new");
	plain_agent_choice(&p);
	plain_message_fields(&p, STR(""));
	plain_foot(&p);
	return 0;
}

/*
 * POST {base}/plain/new agent=WORKSPACE/AGENT, content, web, mentions, steps: 303 to the
 * turn's page. Errors as of POST /chat/{workspace}/stream.
 */
int plain_start(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = send_request(rq, TURN_SEND);

	in.agent_id = form_field(rq, "agent");
	in.workspace_id = str_cut(&in.agent_id, '/');
	/* Unlike elsewhere, a missing agent does not mean the default one. */
	if (!in.workspace_id.p)
		in.workspace_id = STR("");
	if (plain_read_content(rq, &in, e) < 0)
		return -1;
	return plain_start_turn(rq, rs, &in, e);
}

/*
 * POST {base}/plain/conversations/{c} content, web, mentions, steps: 303 to the turn's page.
 * 404; 409 with a link to the running answer; as above.
 */
int plain_send(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = send_request(rq, TURN_SEND);

	in.conversation_id = *route_arg_uuid(rq, "conversation");
	if (plain_read_content(rq, &in, e) < 0)
		return -1;
	return plain_start_turn(rq, rs, &in, e);
}

/* POST {base}/plain/turns/{t}/stop: 303 to the turn's page. */
int plain_stop(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct turn t;

	if (api_turn_stop(rq, id, &t, e) < 0)
		return -1;
	return go_to_turn(rq, rs, id);
}

/*
 * POST {base}/plain/turns/{t}/continue: 303 to the page of a new turn that
 * continues the one that was cut short; errors as of the API's route.
 */
int plain_continue(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_request in = send_request(rq, TURN_CONTINUE);
	struct turn t;

	if (send_continue(rq, &t, &in, e) < 0)
		return -1;
	return plain_start_turn(rq, rs, &in, e);
}
