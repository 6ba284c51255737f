/* SPDX-License-Identifier: MIT */
/*
 * What a turn waits for, and the answers (docs/approvals.md): approvals by the
 * user, results of the page's tools, answers to questions. They come only from
 * requests of the signed-in user that have passed the gates (origin, permission),
 * never from a model or a tool.
 */
#include "api/api.h"

#include <sodium.h>

#include "api/approval.h"
#include "api/client.h"
#include "api/page.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dialect/wire.h"
#include "prompt/untrusted.h"
#include "store/wait.h"

#include "base/banned.h"

/* -- reading ---------------------------------------------------------------- */

static void write_approval(struct jw *w, const struct turn_wait *row)
{
	jw_obj(w);
	wire_wait_members(w, row);
	jw_kstrz(w, "status", wait_status_name((enum wait_status)row->status));
	jw_ktime(w, "createdAt", row->created_us);
	if (row->decided_us)
		jw_ktime(w, "decidedAt", row->decided_us);
	else
		jw_kstrz(w, "decidedAt", NULL);
	if (row->edited.p) {
		jw_key(w, "editedArguments");
		wire_foreign(w, row->edited);
	}
	jw_end_obj(w);
}

static void write_list(struct response *rs, const struct turn_wait *rows,
		       size_t n)
{
	struct jw w = api_page_items(rs);
	int64_t total = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == WAIT_APPROVAL) {
			write_approval(&w, &rows[i]);
			total++;
		}
	api_page_items_end(&w, total);
}

/*
 * GET /turns/{t}/approvals: 200 {items: [Approval], totalCount, nextCursor}, in the
 * order of the requests, including decided ones. 404 for others' turns.
 */
int api_approval_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "turn");
	struct turn_wait *rows;
	struct turn t;
	size_t n;

	if (store_turn_get(rq->app->db, &rq->by.owner, id, rq->arena, &t, e) < 0 ||
	    store_turn_wait_list(rq->app->db, &rq->by.owner, id, rq->arena, &rows, &n,
				 e) < 0)
		return -1;
	write_list(rs, rows, n);
	return 0;
}

/*
 * GET /approvals: 200 {items: [Approval], …}: the open ones of all of the
 * caller's conversations that can still be approved, newest first, at most
 * LIM_PAGE_MAX.
 */
int api_approval_open(struct request *rq, struct response *rs, struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	if (store_turn_wait_open(rq->app->db, &rq->by.owner, LIM_PAGE_MAX, rq->arena,
				 &rows, &n, e) < 0)
		return -1;
	write_list(rs, rows, n);
	return 0;
}

/* -- deciding ---------------------------------------------------------------- */

static int check_decider(struct request *rq, struct err *e)
{
	if (policy_may_decide(rq->by.who))
		return 0;
	return err_set(e, ERR_FORBIDDEN, "an API token without %s, or nobody "
		       "who has it",
		       permission_rows[PERM_APPROVALS_DECIDE].name);
}

/* Nobody lets a tool run that they may not use: its call would only fail. */
static int check_tool(struct request *rq, const struct turn_wait *row, struct err *e)
{
	return policy_may_use_tool(rq->by.who, arena_str(rq->arena, row->tool).p) ? 0
		: err_set(e, ERR_FORBIDDEN, "a tool that the caller may not use");
}

/* The same for an approval of turn t by its id; what is not there is refused later. */
static int check_approval(struct request *rq, const struct turn *t,
			  const struct uuid *id, struct err *e)
{
	struct turn_wait *rows;
	size_t n;

	if (!rq->by.who->n_tools)
		return 0;
	if (store_turn_wait_list(rq->app->db, &rq->by.owner, &t->id, rq->arena, &rows,
				 &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&rows[i].id, id))
			return check_tool(rq, &rows[i], e);
	return 0;
}

/*
 * Resumes the turn here, or follows it if it runs elsewhere. With an
 * Idempotency-Key, the same decisions can be sent again and get the same answer:
 * the events of the turn from then on, or those after Last-Event-ID.
 */
static int resume_turn(struct request *rq, struct response *rs, const struct turn *t,
		       struct turn_decision *d, size_t n, const struct send_as *as,
		       struct err *e)
{
	struct turn_request in = send_resume(rq, t, d, n);

	return send_stream(rq, rs, &in, as, e);
}

struct decide_body {
	struct uuid approval_id;
	struct str decision, remember, digest;
	json_t *arguments;
};

static int read_decision(struct request *rq, const struct decide_body *b,
			 struct turn_decision *d, struct err *e)
{
	unsigned char *digest = arena_alloc(rq->arena, WAIT_DIGEST_BYTES);
	size_t n;

	*d = (struct turn_decision){
		.id = b->approval_id, .kind = WAIT_APPROVAL,
		.status = str_is(b->decision, "approve") ? WAIT_APPROVED
			: WAIT_DENIED,
		.remember = b->remember.p != NULL,
	};
	if (!str_is(b->decision, "approve") && !str_is(b->decision, "deny"))
		return err_field(e, ERR_INVALID_FIELD, "decision",
				 "decision must be approve or deny.");
	if (b->remember.p && !str_is(b->remember, "conversation"))
		return err_field(e, ERR_INVALID_FIELD, "remember",
				 "remember must be conversation.");
	if (d->status == WAIT_DENIED && (b->remember.p || b->arguments))
		return err_field(e, ERR_INVALID_FIELD, "decision", "A denial "
				 "cannot have arguments, and cannot be "
				 "remembered.");
	if (b->arguments)
		d->edited = str_of(jx_text(rq->arena, b->arguments));
	if (!b->digest.p)
		return 0;
	if (sodium_hex2bin(digest, WAIT_DIGEST_BYTES, b->digest.p, b->digest.n,
			   NULL, &n, NULL) != 0 || n != WAIT_DIGEST_BYTES)
		return err_field(e, ERR_INVALID_FIELD, "digest", "digest must "
				 "be that of the approval.");
	d->digest = (struct str){ (const char *)digest, n };
	return 0;
}

/*
 * POST /turns/{t}/approvals?dialect= {approvalId, decision: approve|deny,
 * arguments?, remember?: conversation, digest?}: stores the decision and streams
 * the rest of the turn, also if another request already runs it. arguments:
 * changed arguments, if `editable`. digest: refuses if the call is not the one
 * that the caller has seen. 403 forbidden for API tokens without the permission by
 * name; 404; 409
 * conflict (decided before, the turn does not wait any more, another digest),
 * 409 approval_expired; 422 invalid_field; and as for a message.
 */
int api_approval_decide(struct request *rq, struct response *rs, struct err *e)
{
	static const struct field fields[] = {
		{ .key = "approvalId", .type = FIELD_UUID,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct decide_body, approval_id) },
		{ .key = "decision", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct decide_body, decision) },
		{ .key = "remember", .type = FIELD_TEXT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct decide_body, remember) },
		{ .key = "digest", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct decide_body, digest) },
		{ .key = "arguments", .type = FIELD_OBJECT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct decide_body, arguments) },
	};
	struct send_as as = { .dialect = DIALECT_NATIVE };
	struct turn_decision d;
	struct decide_body b;
	struct turn t;

	if (check_decider(rq, e) < 0 ||
	    send_dialect(rq, &as.dialect, e) < 0 ||
	    fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b),
			e) < 0 ||
	    read_decision(rq, &b, &d, e) < 0 ||
	    store_turn_get(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "turn"),
			   rq->arena, &t, e) < 0 ||
	    (d.status == WAIT_APPROVED && check_approval(rq, &t, &d.id, e) < 0))
		return -1;
	return resume_turn(rq, rs, &t, &d, 1, &as, e);
}

/* -- results ------------------------------------------------------------------- */

static int too_many(struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, "results",
			 "results must be a list of 1 to %d results.",
			 LIM_TOOL_CALLS);
}

/*
 * The row of a call that the page or the user answers; the latest if there are
 * several.
 */
static const struct turn_wait *find_row(const struct turn_wait *rows, size_t n,
					struct str call_id)
{
	const struct turn_wait *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (rows[i].kind != WAIT_APPROVAL &&
		    str_eq(rows[i].call_id, call_id))
			found = &rows[i];
	return found;
}

int api_wait_answer(struct request *rq, const struct turn_wait *row,
		    const json_t *result, struct turn_decision *d, struct err *e)
{
	json_t *args = jx_keep(rq->arena, jx_load_lenient(row->args, e));
	const json_t *options = jx_arr(args, "options"), *option = NULL;
	struct str choice = jx_str(result, "choice");
	struct str answer = jx_str(result, "answer");
	struct buf b = BUF_INIT(8 * LIM_ANSWER_CHARS);
	struct buf label = BUF_INIT(8 * LIM_ANSWER_CHARS);
	struct jw w = jw_on(&b);

	if (json_is_string(result))
		answer = (struct str){ json_string_value(result),
				       json_string_length(result) };
	if (choice.n == 1 && choice.p[0] >= 'A')
		option = json_array_get(options, (size_t)(choice.p[0] - 'A'));
	if (choice.p ? !option : !str_trim(answer).n ||
	    !jx_bool(args, "allow_other", true) ||
	    utf8_chars(answer) > LIM_ANSWER_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "results", "An answer "
				 "is {\"choice\": one of the options' ids}, or "
				 "{\"answer\": text} where that is allowed.");
	jw_obj(&w);
	if (option) {
		/* It counts as the user's own text, so it must be exactly what they saw. */
		untrusted_clean(NULL, (struct str){ json_string_value(option),
				json_string_length(option) }, &label);
		jw_kstr(&w, "choice", choice);
		answer = buf_str(&label);
	}
	jw_kstr(&w, "answer", answer);
	jw_end_obj(&w);
	d->result = arena_str(rq->arena, buf_str(&b));
	buf_release(&b);
	buf_release(&label);
	return 0;
}

/* The decision for a row that has a result, or failed with an error. */
static int make_result(struct request *rq, const struct turn_wait *row,
		       const json_t *result, struct str error,
		       struct turn_decision *d, struct err *e)
{
	*d = (struct turn_decision){
		.id = row->id, .kind = (enum wait_kind)row->kind,
		.status = WAIT_ANSWERED, .is_error = !result,
	};
	if (row->kind == WAIT_QUESTION)
		return api_wait_answer(rq, row, result, d, e);
	d->result = result ? str_of(jx_text(rq->arena, result)) : error;
	if (d->result.n > LIM_CLIENT_RESULT_BYTES)
		return err_field(e, ERR_TOO_BIG, "results", "A result may have "
				 "at most %d bytes.", LIM_CLIENT_RESULT_BYTES);
	return 0;
}

/* Reads one of results: {toolCallId, result} or {toolCallId, error}. */
static int read_result(struct request *rq, const struct turn_wait *rows,
		       size_t n, const json_t *item, struct turn_decision *d,
		       struct err *e)
{
	const json_t *result = json_object_get(item, "result");
	struct str error = jx_str(item, "error");
	const struct turn_wait *row = find_row(rows, n,
					       jx_str(item, "toolCallId"));

	if (!json_is_object(item) || !jx_str(item, "toolCallId").n ||
	    !result == !error.p)
		return err_field(e, ERR_INVALID_FIELD, "results", "A result "
				 "is {toolCallId, result} or {toolCallId, "
				 "error}.");
	if (!row)
		return err_set(e, ERR_NOT_FOUND, "no such call waits");
	return make_result(rq, row, result, error, d, e);
}

/*
 * POST /turns/{t}/tool-results?dialect= {results: [{toolCallId, result} or
 * {toolCallId, error}]}: the page's results of client-tool-call events, and the
 * user's answers to clarifications; streams the rest of the turn. A page's result
 * is any JSON, at most LIM_CLIENT_RESULT_BYTES, and untrusted for the model; error
 * is a text. An answer is {choice}, {answer} or a text. 404 if no such call waits;
 * 409 conflict if it was answered before; 413;
 * 422 invalid_field; and as for a message.
 */
int api_tool_results(struct request *rq, struct response *rs, struct err *e)
{
	json_t *results = NULL;
	const struct field fields[] = {
		{ .key = "results", .type = FIELD_JSON,
		  .flags = FIELD_REQUIRED },
	};
	struct send_as as = { .dialect = DIALECT_NATIVE };
	struct turn_decision *d;
	struct turn_wait *rows;
	struct turn t;
	size_t n, n_rows;

	if (send_dialect(rq, &as.dialect, e) < 0 ||
	    fields_read(fields, 1, rq->body, &results, sizeof(results),
			e) < 0 ||
	    store_turn_get(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "turn"),
			   rq->arena, &t, e) < 0 ||
	    store_turn_wait_list(rq->app->db, &rq->by.owner, &t.id, rq->arena, &rows,
				 &n_rows, e) < 0)
		return -1;
	n = json_array_size(results);
	if (n == 0 || n > LIM_TOOL_CALLS)
		return too_many(e);
	d = arena_zalloc(rq->arena, n, sizeof(*d));
	for (size_t i = 0; i < n; i++)
		if (read_result(rq, rows, n_rows, json_array_get(results, i),
				&d[i], e) < 0)
			return -1;
	return resume_turn(rq, rs, &t, d, n, &as, e);
}

/* -- within the requests of other clients --------------------------------------- */

int answers_open(struct request *rq, const char *kind, struct str name,
		 const char *field, struct answers *a, struct err *e)
{
	struct client_thread thread;
	int rc = client_find_thread(rq, kind, name, &thread, e);

	*a = (struct answers){ .n = 0 };
	if (rc < 0)
		return -1;
	if (rc || uuid_is_nil(&thread.running_turn_id))
		return err_field(e, ERR_INVALID_FIELD, field,
				 "This conversation is not waiting for an answer.");
	if (store_turn_get(rq->app->db, &rq->by.owner, &thread.running_turn_id,
			   rq->arena, &a->turn, e) < 0)
		return -1;
	return answers_of(rq, &a->turn, a, e);
}

int answers_of(struct request *rq, const struct turn *t, struct answers *a,
	       struct err *e)
{
	a->turn = *t;
	a->n = 0;
	if (store_turn_wait_list(rq->app->db, &rq->by.owner, &t->id, rq->arena,
				 &a->rows, &a->n_rows, e) < 0)
		return -1;
	a->v = arena_zalloc(rq->arena, a->n_rows + 1, sizeof(*a->v));
	return 0;
}

const struct turn_wait *answers_call(const struct answers *a, struct str call_id)
{
	for (size_t i = 0; i < a->n_rows; i++)
		if (!a->rows[i].used_us && str_eq(a->rows[i].call_id, call_id))
			return &a->rows[i];
	return NULL;
}

const struct turn_wait *answers_id(const struct answers *a, struct str id)
{
	struct uuid u;

	if (!uuid_parse(id, &u))
		return NULL;
	for (size_t i = 0; i < a->n_rows; i++)
		if (!a->rows[i].used_us && uuid_eq(&a->rows[i].id, &u))
			return &a->rows[i];
	return NULL;
}

/* Adds an entry; a row is answered only once per request. */
static struct turn_decision *more(struct answers *a,
				  const struct turn_wait *row, struct err *e)
{
	for (size_t i = 0; i < a->n; i++)
		if (uuid_eq(&a->v[i].id, &row->id)) {
			err_public(e, ERR_CONFLICT, "A call is answered "
				   "twice in one request.");
			return NULL;
		}
	return &a->v[a->n++];
}

int answers_decide(struct request *rq, struct answers *a,
		   const struct turn_wait *row, bool approved,
		   json_t *arguments, struct err *e)
{
	struct turn_decision *d;

	if (check_decider(rq, e) < 0 || (approved && check_tool(rq, row, e) < 0))
		return -1;
	d = more(a, row, e);
	if (!d)
		return -1;
	*d = (struct turn_decision){
		.id = row->id, .kind = (enum wait_kind)row->kind,
		.status = approved ? WAIT_APPROVED : WAIT_DENIED,
	};
	if (approved && arguments)
		d->edited = str_of(jx_text(rq->arena, arguments));
	return 0;
}

int answers_result(struct request *rq, struct answers *a,
		   const struct turn_wait *row, const json_t *result,
		   struct str error, struct err *e)
{
	struct turn_decision *d = more(a, row, e);

	if (!d)
		return -1;
	if (result || row->kind != WAIT_QUESTION)
		return make_result(rq, row, result, error, d, e);
	*d = (struct turn_decision){
		.id = row->id, .kind = WAIT_QUESTION, .status = WAIT_DENIED,
	};
	return 0;
}

int answers_text(struct answers *a, const struct turn_wait *row, const char *field,
		 struct str text, struct err *e)
{
	struct turn_decision *d = more(a, row, e);

	if (!d)
		return -1;
	*d = (struct turn_decision){
		.id = row->id, .kind = (enum wait_kind)row->kind,
		.status = WAIT_ANSWERED, .result = text,
	};
	return text.n <= LIM_CLIENT_RESULT_BYTES ? 0
		: err_field(e, ERR_TOO_BIG, field, "A result may have at most %d "
			    "bytes.", LIM_CLIENT_RESULT_BYTES);
}

int answers_send(struct request *rq, struct response *rs, struct answers *a,
		 const struct send_as *as, struct err *e)
{
	if (a->n == 0)
		return err_field(e, ERR_INVALID_FIELD, "messages", "Nothing in "
				 "this request answers what the thread waits "
				 "for.");
	return resume_turn(rq, rs, &a->turn, a->v, a->n, as, e);
}
