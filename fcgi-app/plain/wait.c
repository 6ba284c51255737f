/* SPDX-License-Identifier: MIT */
/*
 * What a turn waits for, as forms below it: calls to approve, questions to
 * answer, and calls that only the page with JavaScript could run. The same
 * rules as api/approval.c; the forms' tokens are the proof of origin.
 */
#include "plain/plain.h"

#include <sodium.h>
#include <string.h>

#include "api/scope.h"
#include "api/send.h"
#include "app.h"
#include "auth/policy.h"
#include "store/wait.h"
#include "tool/core/tool.h"
#include "turn/wake.h"

#include "base/banned.h"

#define NO_PAGE "The user's browser cannot run this: it has no JavaScript."

/* value: what the button says, too; in the reader's language. */
static void button(struct plain *p, const char *name, const char *value,
		   struct str label)
{
	plain_submit(p, name, value);
	buf_addc(p->b, ' ');
	html_text(p->b, label);
	buf_adds(p->b, "<br>\n");
}

static void open_form(struct plain *p, const struct turn_wait *w,
		      const char *what)
{
	char id[UUID_TEXT_BYTES];

	uuid_format(&w->turn_id, id);
	plain_form(p, arena_printf(p->rq->arena, "turns/%s/%s", id, what));
	plain_hidden(p->b, "wait", str_of(uuid_format(&w->id, id)));
	if (p->steps)
		buf_adds(p->b, PLAIN_STEPS);
}

/* The origins of untrusted text; their names are shown with invisible characters. */
static void put_origins(struct plain *p, const struct turn_wait *w)
{
	struct buf *b = p->b;
	struct origins o = { .n = 0 };

	origins_parse(&o, w->origins);
	if (!o.n && !str_is(w->reason, "tainted"))
		return;
	buf_adds(b, "<p>");
	plain_say(p, "This conversation contains text written by others. Check that this is "
		  "what you asked for.");
	buf_adds(b, "</p>\n");
	if (o.n)
		buf_adds(b, "<ul class=\"origins\">\n");
	for (size_t i = 0; i < o.n; i++) {
		buf_adds(b, "<li>");
		plain_say(p, origin_words(&o.v[i]));
		buf_addc(b, ' ');
		plain_spelled(b, str_of(o.v[i].name));
		buf_adds(b, "</li>\n");
	}
	if (o.n)
		buf_adds(b, "</ul>\n");
}

/* The form has the digest, so that exactly the shown call is approved. */
static void put_approval(struct plain *p, const struct turn_wait *w)
{
	static const char *const effects[] = {
		[TOOL_READ] = N_("This only reads data."),
		[TOOL_WRITE] = N_("This changes data."),
		[TOOL_DESTRUCTIVE] = N_("This deletes or overwrites data. "
			"It may not be possible to undo it."),
	};
	char digest[2 * WAIT_DIGEST_BYTES + 1];
	struct buf *b = p->b;

	buf_adds(b, "<h2>");
	plain_say(p, "Allow this action?");
	buf_adds(b, "</h2>\n<p><b>");
	html_text(b, w->tool);
	buf_adds(b, "</b></p>\n<p>");
	plain_say(p, effects[MIN(MAX(w->effect, TOOL_READ), TOOL_DESTRUCTIVE)]);
	buf_adds(b, "</p>\n<pre>");
	plain_spelled(b, w->args);
	buf_adds(b, "</pre>\n");
	put_origins(p, w);
	if (str_is(w->reason, "intent")) {
		buf_adds(b, "<p>");
		plain_say(p, "It is not clear that you asked for this change.");
		buf_adds(b, "</p>\n");
	}
	open_form(p, w, "decide");
	plain_hidden(b, "digest", str_of(sodium_bin2hex(
		digest, sizeof(digest), (const unsigned char *)w->digest.p,
		w->digest.n)));
	buf_adds(b, "<p>");
	button(p, "approve", N_("Allow"), str_of(plain_text(p, "Run it as shown")));
	if (w->flags & WAIT_REMEMBER)
		button(p, "allow", N_("Always allow"),
		       str_of(plain_text(p, "Run it, and don't ask again for this tool in "
					 "this conversation")));
	button(p, "deny", N_("Deny"), str_of(plain_text(p, "Continue without it")));
	buf_adds(b, "</p>\n</form>\n");
}

static void put_question(struct plain *p, const struct turn_wait *w)
{
	struct err ignored = ERR_INIT;
	const json_t *args = jx_keep(p->rq->arena,
				     jx_load_lenient(w->args, &ignored));
	const json_t *option;
	struct buf *b = p->b;
	size_t i;

	buf_adds(b, "<h2>");
	html_text(b, jx_str(args, "question"));
	buf_adds(b, "</h2>\n");
	open_form(p, w, "answer");
	buf_adds(b, "<p>\n");
	json_array_foreach(jx_arr(args, "options"), i, option)
		if (i < 26 && json_is_string(option))
			button(p, "choice", (char[]){ (char)('A' + i), '\0' },
			       (struct str){ json_string_value(option),
					     json_string_length(option) });
	buf_adds(b, "</p>\n</form>\n");
	if (!jx_bool(args, "allow_other", true))
		return;
	open_form(p, w, "answer");
	buf_adds(b, "<p><label for=\"answer\">");
	plain_say(p, "Your answer");
	buf_adds(b, "</label><br>\n"
		 "<input id=\"answer\" name=\"answer\" size=\"60\" required> ");
	plain_submit(p, NULL, "Answer");
	buf_adds(b, "</p>\n</form>\n");
}

static void put_client(struct plain *p, const struct turn_wait *w)
{
	buf_adds(p->b, "<h2>");
	plain_say(p, "This needs the page with JavaScript");
	buf_adds(p->b, "</h2>\n<p><b>");
	html_text(p->b, w->tool);
	buf_adds(p->b, "</b></p>\n");
	open_form(p, w, "answer");
	buf_adds(p->b, "<p>");
	plain_submit(p, NULL, "Continue without it");
	buf_adds(p->b, "</p>\n</form>\n");
}

static void put_sleeping(struct plain *p, const struct uuid *turn)
{
	char id[UUID_TEXT_BYTES];

	buf_adds(p->b, "<section class=\"wait\">\n<p>");
	plain_say(p, "This was cut before its end. What was done is kept.");
	buf_adds(p->b, "</p>\n");
	plain_form(p, arena_printf(p->rq->arena, "turns/%s/continue",
				   uuid_format(turn, id)));
	buf_addf(p->b, "%s<p>", p->steps ? PLAIN_STEPS : "");
	plain_submit(p, NULL, "Continue this answer");
	buf_adds(p->b, "</p></form>\n</section>\n");
}

int plain_waits(struct plain *p, const struct turn *t, struct err *e)
{
	const int sleeps = turn_sleeps(p->rq->app->db, &p->rq->by.owner, t, p->rq->arena, e);
	struct turn_wait *rows;
	size_t n;

	if (sleeps < 0 ||
	    store_turn_wait_list(p->rq->app->db, &p->rq->by.owner, &t->id, p->rq->arena,
				 &rows, &n, e) < 0)
		return -1;
	if (plain_plans(p, &t->id, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].status != WAIT_OPEN)
			continue;
		buf_adds(p->b, "<section class=\"wait\">\n");
		if (rows[i].kind == WAIT_APPROVAL)
			put_approval(p, &rows[i]);
		else if (rows[i].kind == WAIT_QUESTION)
			put_question(p, &rows[i]);
		else
			put_client(p, &rows[i]);
		buf_adds(p->b, "</section>\n");
	}
	if (sleeps)
		put_sleeping(p, &t->id);
	return 0;
}

/* -- the forms' fields -------------------------------------------------------- */

/* The turn of the path and the row of the form. ERR_NOT_FOUND. */
static const struct turn_wait *find_wait(struct request *rq, struct turn *t,
					 bool approval, struct err *e)
{
	struct turn_wait *rows;
	struct uuid id;
	size_t n;

	if (store_turn_get(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "turn"),
			   rq->arena, t, e) < 0 ||
	    store_turn_wait_list(rq->app->db, &rq->by.owner, &t->id, rq->arena, &rows,
				 &n, e) < 0)
		return NULL;
	if (uuid_parse(form_field(rq, "wait"), &id))
		for (size_t i = 0; i < n; i++)
			if (uuid_eq(&rows[i].id, &id) &&
			    (rows[i].kind == WAIT_APPROVAL) == approval)
				return &rows[i];
	err_set(e, ERR_NOT_FOUND, "nothing of that id waits");
	return NULL;
}

/*
 * The turn resumes, here or where it runs already, also if the same decision was
 * made before (a double click); its page shows the rest.
 */
static int resume_turn(struct request *rq, struct response *rs, const struct turn *t,
		       struct turn_decision *d, struct err *e)
{
	struct turn_request in = send_resume(rq, t, d, 1);

	return plain_start_turn(rq, rs, &in, e);
}

/*
 * POST {base}/plain/turns/{t}/decide wait, digest, approve, allow (for the
 * conversation) or deny: 303 to the turn's page. Errors as of POST /turns/{t}/approvals.
 */
int plain_decide(struct request *rq, struct response *rs, struct err *e)
{
	struct str hex = form_field(rq, "digest");
	unsigned char digest[WAIT_DIGEST_BYTES];
	bool allow = form_field(rq, "allow").n > 0;
	bool approve = allow || form_field(rq, "approve").n > 0;
	const struct turn_wait *w;
	struct turn_decision d;
	struct turn t;
	size_t n = 0;

	if (!policy_may_decide(rq->by.who))
		return err_set(e, ERR_FORBIDDEN, "an API token without %s",
			       permission_rows[PERM_APPROVALS_DECIDE].name);
	if (approve == (form_field(rq, "deny").n > 0) ||
	    sodium_hex2bin(digest, sizeof(digest), hex.p, hex.n, NULL, &n,
			   NULL) != 0 || n != sizeof(digest))
		return err_public(e, ERR_BAD_REQUEST, "Allow it or deny it "
				  "from its page.");
	w = find_wait(rq, &t, true, e);
	if (!w)
		return -1;
	d = (struct turn_decision){
		.id = w->id, .kind = WAIT_APPROVAL,
		.status = approve ? WAIT_APPROVED : WAIT_DENIED,
		.digest = { (const char *)digest, sizeof(digest) },
		.remember = allow,
	};
	return resume_turn(rq, rs, &t, &d, e);
}

/*
 * POST {base}/plain/turns/{t}/answer wait, and choice or answer to a question; for a
 * call of the page, an error because it cannot be run here. 303, errors as of POST
 * /turns/{t}/tool-results.
 */
int plain_answer(struct request *rq, struct response *rs, struct err *e)
{
	struct str choice = form_field(rq, "choice");
	struct str answer = form_field(rq, "answer");
	const struct turn_wait *w;
	struct turn_decision d;
	struct turn t;
	json_t *given;

	w = find_wait(rq, &t, false, e);
	if (!w)
		return -1;
	d = (struct turn_decision){
		.id = w->id, .kind = (enum wait_kind)w->kind,
		.status = WAIT_ANSWERED,
	};
	if (w->kind == WAIT_CLIENT) {
		d.is_error = true;
		d.result = STR(NO_PAGE);
		return resume_turn(rq, rs, &t, &d, e);
	}
	given = jx_keep(rq->arena, choice.n
			? json_pack("{s:o}", "choice", jx_string(choice))
			: json_pack("{s:o}", "answer", jx_string(answer)));
	if (api_wait_answer(rq, w, given, &d, e) < 0)
		return -1;
	return resume_turn(rq, rs, &t, &d, e);
}
