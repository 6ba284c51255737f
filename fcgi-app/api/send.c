#include "api/send.h"

#include "api/scope.h"
#include "app.h"
#include "base/log.h"
#include "dialect/wire.h"
#include "fields.h"
#include "store/conversation.h"
#include "store/user.h"
#include "tool/core/tool.h"
#include "turn/live.h"

#include "base/banned.h"

/* The sink of a stream: a dialect over an answer. */
struct stream_sink {
	struct sink sink;	/* first: a sink is cast back */
	struct response *rs;
	const struct dialect *dialect;
	struct dialect_state state;
	struct turn_run *stop;		/* when the client is gone; or NULL */
};

/* Whether nobody reads any more. A turn goes on then, unless it is to stop. */
static bool stream_gone(struct stream_sink *ss)
{
	if (!ss->rs->gone)
		return false;
	if (ss->stop)
		turn_live_cancel(ss->stop->deps->live, &ss->stop->id);
	ss->stop = NULL;
	return true;
}

static void stream_flush(struct sink *s)
{
	struct stream_sink *ss = (struct stream_sink *)s;

	resp_flush(ss->rs);
	stream_gone(ss);
}

static bool stream_try_flush(struct sink *s)
{
	return resp_try_flush(((struct stream_sink *)s)->rs);
}

static void stream_emit(struct sink *s, const struct turn_event *ev)
{
	struct stream_sink *ss = (struct stream_sink *)s;

	if (stream_gone(ss))
		return;
	dialect_encode(ss->dialect, resp_stream(ss->rs), ev, &ss->state);
}

static void stream_idle(struct sink *s)
{
	struct stream_sink *ss = (struct stream_sink *)s;

	if (!stream_gone(ss))
		buf_addstr(resp_stream(ss->rs), ss->dialect->keep_alive);
}

/* Once the answer is out: title and the like, then the turn is over here. */
static void after(struct request *rq)
{
	struct turn_run *t = rq->after_ctx;
	struct owner owner = scope_owner(rq);
	struct err e = ERR_INIT;

	turn_after(t);
	if (app_user_due(rq->app, &rq->who.user_id) &&
	    user_touch(rq->app->db, &owner, rq->who.login, rq->who.name,
		       &e) < 0)
		log_err("user not noted", &e);
}

/* It runs here from now on, and what may follow it is arranged. */
static void opened(struct request *rq, struct turn_run *t)
{
	rq->after = after;
	rq->after_ctx = t;
}

static void run_after(struct request *rq)
{
	(void)turn_run(rq->after_ctx, NULL);
	after(rq);
}

void send_later(struct request *rq, struct turn_run *t)
{
	rq->after = run_after;
	rq->after_ctx = t;
}

int send_more_read(const json_t *o, struct send_more *more, struct err *e)
{
	static const struct field fields[] = {
		SEND_MORE_FIELDS(0),
	};

	return fields_pick(fields, ARRAY_LEN(fields), o, more, e);
}

struct str send_meta(struct request *rq, const struct send_more *more)
{
	struct str meta = more ? more->meta : (struct str){ NULL, 0 };

	if (!more || more->web <= 0)
		return meta;
	return str_of(meta.n > 2
		? arena_printf(rq->arena, "%.*s,\"webSearch\":true}",
			       (int)meta.n - 1, meta.p)
		: "{\"webSearch\":true}");
}

/* The user message of in, whose text is there: its metadata and columns. */
static void set_meta(struct request *rq, const struct send_more *more,
		     struct turn_input *in)
{
	in->meta = send_meta(rq, more);
	in->client_id = more ? more->client_id : (struct str){ NULL, 0 };
	in->web = more && more->web > 0;
}

struct turn_run *send_open(struct request *rq, const struct conf_workspace *ws,
			   const struct conf_agent *agent,
			   const struct uuid *conversation, struct str content,
			   const struct send_more *more, struct err *e)
{
	struct turn_run *t = arena_new(rq->arena, struct turn_run);
	struct turn_input in = {
		.conf = rq->conf, .who = &rq->who, .workspace = ws,
		.id = rq->turn_id,
		.agent = agent, .content = content,
	};

	set_meta(rq, more, &in);
	if (more && tool_page_read(more->client, 0, rq->arena, &in.client, e) < 0)
		return NULL;
	if (conversation)
		in.conversation_id = *conversation;
	if (turn_open(t, &rq->app->deps, &in, rq->arena, e) < 0)
		return NULL;
	opened(rq, t);
	return t;
}

struct turn_run *send_open_again(struct request *rq,
				 const struct conf_workspace *ws,
				 const struct conf_agent *agent,
				 const struct turn *old,
				 const struct send_more *more, struct err *e)
{
	struct turn_run *t = arena_new(rq->arena, struct turn_run);
	struct turn_input in = {
		.conf = rq->conf, .who = &rq->who, .workspace = ws,
		.id = rq->turn_id,
		.agent = agent, .conversation_id = old->conversation_id,
	};
	int web = more->web ? more->web : tool_page_web(old->client, rq->arena);

	if (tool_page_read(more->client, web, rq->arena, &in.client, e) < 0 ||
	    turn_open_again(t, &rq->app->deps, &in, &old->id, rq->arena, e) < 0)
		return NULL;
	opened(rq, t);
	return t;
}

struct turn_run *send_open_redo(struct request *rq,
				const struct conf_workspace *ws,
				const struct conf_agent *agent,
				const struct uuid *conversation,
				const struct send_redo *redo, struct err *e)
{
	struct turn_run *t = arena_new(rq->arena, struct turn_run);
	const struct send_more *more = &redo->more;
	bool said = redo->content.p != NULL;
	struct turn_input in = {
		.conf = rq->conf, .who = &rq->who, .workspace = ws,
		.id = rq->turn_id,
		.agent = agent, .conversation_id = *conversation,
		.content = redo->content,
	};

	/* What is said anew keeps it with the message. */
	if (said)
		set_meta(rq, more, &in);
	if (tool_page_read(more->client, said ? 0 : more->web, rq->arena,
			   &in.client, e) < 0 ||
	    turn_open_redo(t, &rq->app->deps, &in, redo->seq, rq->arena, e) < 0)
		return NULL;
	opened(rq, t);
	return t;
}

int send_open_woken(struct request *rq, const struct turn *old,
		    struct turn_decision *decisions, size_t n,
		    struct turn_run **run, struct err *e)
{
	struct owner owner = scope_owner(rq);
	struct turn_input in = {
		.conf = rq->conf, .who = &rq->who,
		.conversation_id = old->conversation_id,
	};
	struct turn_run *t = arena_new(rq->arena, struct turn_run);
	struct conversation c;
	bool woken;

	*run = NULL;
	if (conversation_get(rq->app->db, &owner, &old->conversation_id,
			     rq->arena, &c, e) < 0)
		return -1;
	in.workspace = scope_workspace(rq, c.workspace_id, e);
	in.agent = in.workspace ? scope_agent(in.workspace, c.agent_id, e)
		: NULL;
	if (!in.agent ||
	    turn_open_woken(t, &rq->app->deps, &in, old, decisions, n, &woken,
			    rq->arena, e) < 0)
		return -1;
	if (!woken)
		return 0;
	opened(rq, t);
	*run = t;
	return 0;
}

int send_dialect(struct request *rq, enum dialect_id *out, struct err *e)
{
	struct buf names = BUF_INIT(256);
	struct str name;

	*out = DIALECT_NATIVE;
	if (req_query(rq, "dialect", &name, e) < 0)
		return -1;
	if (name.p)
		*out = dialect_find(name);
	if (*out < DIALECT__MAX)
		return 0;
	dialect_names(&names);
	err_field(e, ERR_INVALID_FIELD, "dialect",
		  "dialect must be one of: %s.", names.p);
	buf_release(&names);
	return -1;
}

int send_after(struct request *rq, int64_t dflt, int64_t *after, struct err *e)
{
	struct str header = req_header(rq, "Last-Event-ID");
	int64_t given, seen = header.n ? 0 : -1;

	if (req_query_int(rq, "after", INT64_MIN, &given, e) < 0)
		return -1;
	if (given < 0 && given != INT64_MIN)
		return err_field(e, ERR_INVALID_FIELD, "after",
				 "after must not be negative.");
	for (size_t i = 0; i < header.n && seen >= 0; i++)
		seen = header.p[i] >= '0' && header.p[i] <= '9' &&
			header.n < 11 ? seen * 10 + (header.p[i] - '0') : -1;
	*after = MAX(given == INT64_MIN ? dflt : given, seen);
	return 0;
}

int send_wait_s(struct request *rq, int64_t *out, struct err *e)
{
	struct str given;

	if (req_query(rq, "wait", &given, e) < 0 ||
	    req_query_int(rq, "wait", -1, out, e) < 0)
		return -1;
	if (given.p && (*out < 0 || *out > SEND_WAIT_MAX_S))
		return err_field(e, ERR_INVALID_FIELD, "wait",
				 "wait must be 0 to %d seconds.",
				 SEND_WAIT_MAX_S);
	return 0;
}

void send_stream(struct response *rs, struct turn_run *t,
		 const struct send_as *as)
{
	const struct dialect *d = dialect_get(as->dialect);
	struct stream_sink s = {
		.sink = { .emit = stream_emit, .flush = stream_flush,
			  .try_flush = stream_try_flush, .idle = stream_idle },
		.rs = rs, .dialect = d, .state = as->state,
		.stop = as->stops_with_client ? t : NULL,
	};

	if (d->header)
		resp_header(rs, d->header, d->value);
	resp_open_stream(rs, d->content_type, d->preamble);
	s.state.retry_due = d->retries;
	turn_run(t, &s.sink);
	buf_addstr(resp_stream(rs), d->end);
	resp_flush(rs);
}

void send_both(struct response *rs, const struct turn_run *t,
	       enum turn_status status, enum record_style style)
{
	struct message_scope scope = {
		.workspace_id = str_of(t->in.workspace->id),
		.agent_id = str_of(t->in.agent->id),
		.conversation_id = t->conversation_id,
		.style = style,
	};
	struct jw w = resp_json(rs, 200);

	jw_obj(&w);
	jw_key(&w, "user");
	message_write(&w, &scope, &t->user);
	jw_key(&w, "assistant");
	if (status != TURN_WAITING) {
		message_write(&w, &scope, &t->answer);
	} else {
		jw_null(&w);
		jw_key(&w, "waitingFor");
		jw_arr(&w);
		for (size_t i = 0; i < t->n_waits; i++)
			wire_wait(&w, &t->waits[i]);
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
}

void send_wait(struct response *rs, struct turn_run *t,
	       enum record_style style)
{
	enum turn_status status = turn_run(t, NULL);

	send_both(rs, t, status, style);
}
