/*
 * Before the stream: what can be answered with a plain HTTP error is decided
 * here, and the user message is stored.
 */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "db/db.h"
#include "store/thread.h"
#include "turn/loop.h"
#include "turn/notify.h"

#include "base/banned.h"

enum { TITLE_CHARS = 60 };

/* The first of the named services: agent's, workspace's, the chat: block's. */
int turn_service(const struct conf *c, const struct conf_workspace *w,
		 const struct conf_agent *a, const struct conf_llm **out,
		 struct err *e)
{
	const char *names[] = {
		a ? a->llm_service : NULL, w->llm_service, c->chat_llm_service,
	};

	*out = NULL;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!names[i] || !names[i][0])
			continue;
		*out = conf_llm(c, str_of(names[i]));
		if (!*out)
			return err_set(e, ERR_CHAT_DISABLED,
				       "workspace %s: no LLM service %s", w->id,
				       names[i]);
		break;
	}
	if (!*out)
		return err_set(e, ERR_CHAT_DISABLED,
			       "workspace %s: no LLM service named", w->id);
	if (!((*out)->capabilities & LLM_CAN_CHAT))
		return err_set(e, ERR_CHAT_DISABLED, "LLM service %s cannot "
			       "chat", (*out)->id);
	return llm_check_service(*out, e);
}

/*
 * A title from the first message (E19): its first words on one line, at most
 * TITLE_CHARS characters, cut between words.
 */
struct str turn_first_title(struct arena *a, struct str content)
{
	char *out = arena_alloc(a, MIN(content.n, 4 * TITLE_CHARS) + 8);
	size_t n = 0, chars = 0, last_space = 0;
	bool space = false, cut = false;

	for (size_t i = 0; i < content.n; i++) {
		unsigned char c = (unsigned char)content.p[i];

		if (c <= ' ' || c == 0x7f) {
			space = n > 0;
			continue;
		}
		if (space) {
			last_space = n;
			out[n++] = ' ';
			chars++;
			space = false;
		}
		if ((c & 0xc0) != 0x80 && chars++ >= TITLE_CHARS) {
			cut = true;
			break;
		}
		out[n++] = (char)c;
	}
	if (cut) {
		if (last_space > n / 2)
			n = last_space;
		while (n && out[n - 1] == ' ')
			n--;
		memcpy(out + n, "…", 3);
		n += 3;
	}
	out[n] = '\0';
	return (struct str){ out, n };
}

static struct str title_of(const struct turn_run *t, struct arena *a)
{
	struct str s = turn_first_title(a, t->in.content);

	return s.n ? s : (struct str){ NULL, 0 };
}

static void begin_of(const struct turn_run *t, struct turn_begin *b,
		     struct arena *a)
{
	*b = (struct turn_begin){
		.turn_id = t->id, .conversation_id = t->conversation_id,
		.create = t->created_conversation,
		.workspace_id = str_of(t->in.workspace->id),
		.agent_id = str_of(t->in.agent->id),
		.content = t->in.content, .meta = t->in.meta,
		.client_id = t->in.client_id, .web = t->in.web,
		.client = t->in.client,
		.provider = str_of(t->service->provider),
		.model = utf8_head(str_of(t->service->model), 190),
		.text_of_events = turn_text_of_events, .arena = a,
	};
	if (!b->create)
		b->n_history = history_first_rows(t->in.workspace);
	b->title = title_of(t, a);
}

struct turn_loop *loop_new(struct turn_run *t, struct arena *a)
{
	struct turn_loop *l = arena_new(a, struct turn_loop);
	int answer_bytes = t->in.conf->limits.answer_bytes;

	*l = (struct turn_loop){
		.run = t, .arena = a, .idle_ms = TURN_IDLE_MS,
		.started_ms = clock_mono_ms(),
		.owner = owner_of(t->in.who),
		.tool_ctx = {
			.env = t->deps->tools, .conf = t->in.conf,
			.workspace = t->in.workspace, .agent = t->in.agent,
			.who = t->in.who, .arena = a,
		},
		.step = {
			.text = BUF_INIT(answer_bytes > 0 ? (size_t)answer_bytes
							  : LIM_ANSWER_BYTES),
			.reasoning = BUF_INIT(LIM_ANSWER_BYTES),
		},
		.usage = LLM_USAGE_UNKNOWN,
		.timings = BUF_INIT(65536),
	};
	return l;
}

void loop_drop(struct turn_loop *l)
{
	buf_release(&l->step.text);
	buf_release(&l->step.reasoning);
	buf_release(&l->timings);
}

static void loop_release(void *p)
{
	struct turn_loop *l = p;

	turn_live_remove(l->run->deps->live, &l->live);
	loop_drop(l);
	http_abort_free(l->abort);
}

/* What both kinds of opening have in front: service, conversation, loop. */
static int prepare(struct turn_run *t, const struct turn_deps *deps,
		   const struct turn_input *in, struct arena *a, struct err *e)
{
	*t = (struct turn_run){
		.deps = deps, .in = *in, .arena = a,
		.id = uuid_is_nil(&in->id) ? uuid_new() : in->id,
		.conversation_id = in->conversation_id,
	};
	if (turn_service(in->conf, in->workspace, in->agent, &t->service,
			 e) < 0)
		return -1;
	t->created_conversation = uuid_is_nil(&in->conversation_id);
	if (t->created_conversation)
		t->conversation_id = uuid_new();
	t->loop = loop_new(t, a);
	t->loop->abort = http_abort_new(e);
	if (!t->loop->abort)
		return -1;
	t->loop->tool_ctx.abort = t->loop->abort;
	t->loop->tool_ctx.conversation_id = &t->conversation_id;
	arena_defer(a, loop_release, t->loop);
	return 0;
}

/* It has begun: who runs it looks after it, and who watches is told. */
static void begun(struct turn_run *t)
{
	struct notify *n = t->deps->notify;
	const struct owner *o = &t->loop->owner;

	turn_live_add(t->deps->live, &t->loop->live, &t->id, t->loop->abort,
		      false);
	if (t->created_conversation)
		notify_conversation(n, o, &t->conversation_id, "created",
				    t->loop->title);
	else if (t->loop->titled)
		notify_title(n, o, &t->conversation_id, t->loop->title);
	notify_turn(n, o, &t->id, &t->conversation_id, TURN_RUNNING);
}

int turn_open(struct turn_run *t, const struct turn_deps *deps,
	      const struct turn_input *in, struct arena *a, struct err *e)
{
	struct turn_begin b;

	if (prepare(t, deps, in, a, e) < 0)
		return -1;
	tool_page_load(in->client, a, &t->loop->tool_ctx);
	begin_of(t, &b, a);
	if (turn_begin(deps->db, &t->loop->owner, &b, e) < 0)
		return -1;
	t->user = b.user;
	t->history = b.history;
	t->loop->turn_number = b.turn_number;
	t->loop->titled = b.titled;
	t->loop->opens = b.turn_number == 1;
	t->loop->title = b.title;
	begun(t);
	return 0;
}

/* The user message that the old turn answered. */
static int load_user(struct turn_run *t, int64_t seq, struct err *e)
{
	if (message_get(t->deps->db, &t->loop->owner, &t->conversation_id, seq,
			t->arena, &t->user, e) < 0)
		return -1;
	t->user.turn_id = t->id;
	t->in.content = t->user.content;
	return 0;
}

/*
 * It has begun as a turn of that message: what fails from here on is the
 * turn's own error.
 */
static void begun_again(struct turn_run *t, int64_t user_seq)
{
	begun(t);
	if (load_user(t, user_seq, &t->loop->err) < 0)
		t->user = (struct message){ .role = ROLE_USER, .seq = user_seq,
					    .turn_id = t->id };
}

int turn_open_again(struct turn_run *t, const struct turn_deps *deps,
		    const struct turn_input *in, const struct uuid *of,
		    struct arena *a, struct err *e)
{
	struct turn_resume r = { .of = *of, .client = in->client };

	if (prepare(t, deps, in, a, e) < 0)
		return -1;
	r.provider = str_of(t->service->provider);
	r.model = utf8_head(str_of(t->service->model), 190);
	tool_page_load(in->client, a, &t->loop->tool_ctx);
	r.turn_id = t->id;
	if (turn_resume(deps->db, &t->loop->owner, &r, e) < 0)
		return -1;
	t->resumed_seq = r.last_seq;
	t->loop->turn_number = r.turn_number;
	begun_again(t, r.user_seq);
	return 0;
}

int turn_open_redo(struct turn_run *t, const struct turn_deps *deps,
		   const struct turn_input *in, int64_t seq, struct arena *a,
		   struct err *e)
{
	struct turn_redo r = {
		.conversation_id = in->conversation_id, .seq = seq,
		.edit = in->content.p != NULL, .content = in->content,
		.meta = in->meta, .client_id = in->client_id, .web = in->web,
		.client = in->client,
		.text_of_events = turn_text_of_events,
	};

	if (prepare(t, deps, in, a, e) < 0)
		return -1;
	tool_page_load(in->client, a, &t->loop->tool_ctx);
	r.turn_id = t->id;
	r.provider = str_of(t->service->provider);
	r.model = utf8_head(str_of(t->service->model), 190);
	if (r.edit)
		r.title = title_of(t, a);
	if (thread_redo(deps->db, &t->loop->owner, &r, e) < 0)
		return -1;
	t->loop->turn_number = r.turn_number;
	t->loop->opens = t->loop->titled = r.titled;
	t->loop->title = r.title;
	t->variant_index = r.variant_index;
	t->variant_count = r.variant_count;
	begun_again(t, r.user.seq);
	t->in.meta = t->user.meta;
	return 0;
}

/*
 * Arguments that the user changed must fit the tool as it is offered now, and
 * are kept in canonical form. The tools are described as for the turn itself.
 */
static int check_edited(struct turn_run *t, struct turn_decision *d,
			const struct turn_wait *w, struct err *e)
{
	struct tool_ctx *ctx = &t->loop->tool_ctx;
	const struct tool_offer *offer;
	struct err wrong = ERR_INIT;
	struct tool_set set;
	json_t *j;

	if (!(w->flags & WAIT_EDITABLE))
		return err_field(e, ERR_INVALID_FIELD, "arguments",
				 "The arguments of this call cannot be "
				 "changed.");
	if (tool_set_build(ctx, &set, e) < 0)
		return -1;
	if (tool_prepare(&set, ctx, w->tool, d->edited, &offer, &j, &wrong) < 0)
		return err_field(e, ERR_INVALID_FIELD, "arguments", "%s",
				 err_message(&wrong));
	d->edited = calls_canonical(t->loop, &(struct turn_call){
		.args = d->edited });
	return 0;
}

/* Decisions with arguments, against what they are about. */
static int check_decisions(struct turn_run *t, struct turn_decision *d,
			   size_t n, struct err *e)
{
	struct turn_wait *rows;
	size_t n_rows;

	if (turn_wait_list(t->deps->db, &t->loop->owner, &t->id, t->arena,
			   &rows, &n_rows, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; d[i].edited.p && k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &d[i].id) &&
			    check_edited(t, &d[i], &rows[k], e) < 0)
				return -1;
	return 0;
}

/* Who decides is bound to the log's lines (log_bind). */
static void log_decisions(const struct turn_run *t,
			  const struct turn_decision *d, size_t n)
{
	char turn[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];

	uuid_format(&t->id, turn);
	for (size_t i = 0; i < n; i++)
		log_info("a waiting call was decided", "turn", turn, "wait",
			 uuid_format(&d[i].id, id), "kind",
			 wait_kind_name(d[i].kind), "as",
			 wait_status_name(d[i].status), "edited",
			 d[i].edited.p ? "yes" : NULL, "remember",
			 d[i].remember ? "yes" : NULL);
}

int turn_open_woken(struct turn_run *t, const struct turn_deps *deps,
		    const struct turn_input *in, const struct turn *old,
		    struct turn_decision *decisions, size_t n, bool *woken,
		    struct arena *a, struct err *e)
{
	struct turn_wake w = {
		.turn_id = old->id, .decisions = decisions, .n = n,
		.via = str_of(identity_kind_name(in->who->kind)),
	};

	if (prepare(t, deps, in, a, e) < 0)
		return -1;
	t->id = old->id;
	t->woken = true;
	t->in.client = old->client;
	tool_page_load(t->in.client, a, &t->loop->tool_ctx);
	if (check_decisions(t, decisions, n, e) < 0 ||
	    turn_wake(deps->db, &t->loop->owner, &w, e) < 0)
		return -1;
	*woken = w.woken;
	log_decisions(t, decisions, n);
	if (!w.woken)
		return 0;
	t->loop->seq = (uint32_t)w.turn.last_event_seq;
	t->loop->turn_number = w.turn_number;
	t->variant_index = w.variant_index;
	t->variant_count = w.variant_count;
	begun_again(t, w.turn.user_seq);
	if (t->loop->live.log)
		turn_log_start(t->loop->live.log, t->loop->seq);
	/* A better title may come. */
	t->loop->opens = t->loop->titled = w.turn_number == 1;
	t->in.meta = t->user.meta;
	return 0;
}
