/* SPDX-License-Identifier: MIT */
#include "turn/after.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "context/context.h"
#include "context/recall.h"
#include "context/remember.h"
#include "context/setting.h"
#include "domain/auto.h"
#include "domain/stored_service.h"
#include "event/notify.h"
#include "job/work.h"
#include "memory/fold.h"
#include "memory/personal.h"
#include "prompt/untrusted.h"
#include "store/message.h"
#include "turn/ask.h"
#include "turn/finish.h"
#include "turn/loop.h"

#include "base/banned.h"

/* -- what a user may say next ---------------------------------------------- */

/*
 * After the response: a model proposes what the user may say next. It is kept in the
 * metadata of the answer, as long as that is the last message: followUps, a list of
 * texts. Pages put them into the field, where their user can change them; they are never
 * sent by themselves, since what they were made from is other people's text, too.
 */

enum {
	FOLLOW_UPS = 3,
	FOLLOW_UP_CHARS = 120,		/* a longer one is left out */
	REPLY_TOKENS = 1000,		/* reasoning models need room */
	REPLY_BYTES = 16384,
	REPLY_MS = 30000,
};

static bool follow_ups_due(const struct turn_run *t)
{
	return context_setting(t, SETTING_FOLLOW_UPS).number && !t->in.program.p &&
		t->answer.content.n;
}

static const json_t *schema(struct arena *a)
{
	return jx_keep(a, jx_try(STR("{\"type\":\"object\",\"required\":[\"messages\"],"
		"\"additionalProperties\":false,\"properties\":{\"messages\":{"
		"\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}")));
}

/* s on one line, without what cannot be seen; in a. n 0: it is not usable. */
static struct str one_line(struct arena *a, struct str s)
{
	struct buf b = BUF_INIT(4096);
	struct str line;
	char *at;

	untrusted_visible(s, &b);
	line = arena_str(a, str_trim(buf_str(&b)));
	buf_release(&b);
	for (at = line.n ? (char *)line.p : NULL; at && at < line.p + line.n; at++)
		if (*at == '\n' || *at == '\r' || *at == '\t')
			*at = ' ';
	return utf8_chars(line) <= FOLLOW_UP_CHARS ? line : (struct str){ NULL, 0 };
}

/* The usable ones of value, different from the question; in the arena. */
static json_t *usable(const struct after_work *w, const json_t *value)
{
	const json_t *list = json_object_get(value, "messages"), *v;
	json_t *out = jx_keep(w->arena, json_array());
	size_t i;

	json_array_foreach(list, i, v) {
		struct str line = one_line(w->arena, (struct str){
			json_string_value(v), json_string_length(v) });

		if (line.n && json_array_size(out) < FOLLOW_UPS && !jx_lists(out, line) &&
		    !str_eq(line, str_trim(w->question)))
			json_array_append_new(out, jx_string(line));
	}
	return out;
}

/* A second run asks once more. */
static int follow_ups_run(const struct after_work *w, struct err *e)
{
	struct prompt_ask q = {
		.kind = USAGE_FOLLOW_UPS, .layer = "follow-ups",
		.prompt = &prompt_follow_ups, .schema = schema(w->arena),
		.max_output_tokens = REPLY_TOKENS, .max_bytes = REPLY_BYTES,
		.deadline_ms = REPLY_MS,
	};
	struct prompt_reply r;
	json_t *list;
	bool kept = false;

	if (turn_ask_after(w, &q, &r, e) < 0) {
		if (e->code != ERR_CANCELLED)
			return -1;
		err_clear(e);
		return !r.interrupted;
	}
	list = usable(w, r.value);
	if (json_array_size(list) &&
	    message_keep_follow_ups(w->deps->db, &w->owner, &w->place.conversation_id,
				    &w->place.turn_id, list, w->arena, &kept, e) < 0)
		return -1;
	if (kept)
		notify_or_store(w->deps->notify, w->deps->db, &w->owner, &(struct notice){
			.kind = NOTICE_REFRESH, .word = STR("messages"),
			.conversation_id = w->place.conversation_id });
	return 1;
}

/* -- the memory of a conversation ------------------------------------------ */

/* After a turn: whether its conversation is summed up anew (memory/fold.h). */

/*
 * The messages of the history that stay whole once there is a summary: 12 of 20, 8 to 12 of
 * which are sent (D12); more only while the next summary is late.
 */
static int64_t remember_keep(const struct turn_run *t)
{
	return MAX(context_setting(t, SETTING_HISTORY_MESSAGES).number * 3 / 5, 2);
}

/* Why older messages are to be folded after this turn (D16); 0: they are not. */
static int64_t why(const struct turn_run *t)
{
	const struct context *cx = t->context;
	/* With this turn's message and answer. */
	const int64_t messages = cx->memory.messages + 2;
	const int64_t chars = cx->memory.chars + (int64_t)utf8_chars(t->in.content) +
		(int64_t)utf8_chars(t->answer.content);

	/* Those stay whole in any case, so there is nothing to fold. */
	if (messages <= remember_keep(t))
		return 0;
	if (messages >= 2 * context_setting(t, SETTING_SUMMARY_TURNS).number)
		return MEMORY_TURNS;
	if (chars >= context_setting(t, SETTING_SUMMARY_CHARACTERS).number)
		return MEMORY_CHARACTERS;
	/* The next turn would be sent less than all of them, or more than it should be. */
	return cx->memory.m.upto_seq || cx->share[PART_HISTORY].cut ||
		messages > context_setting(t, SETTING_HISTORY_MESSAGES).number
		? MEMORY_BUDGET : 0;
}

static bool remember_due(const struct turn_run *t)
{
	return context_remembers(t) && (t->context->memory.changed || why(t));
}

/* Writes "memory": {…}, what it is to do. */
static void remember_write_options(struct turn_run *t, struct jw *w)
{
	const char *service = context_setting(t, SETTING_SUMMARY_SERVICE).text;
	const struct fold_options f = {
		.why = why(t), .keep = remember_keep(t), .service = str_of(service),
	};

	if (!remember_due(t))
		return;
	jw_key(w, "memory");
	fold_options_write(w, &f);
}

/* Only asks for the job, so a second run is harmless. */
static int remember_run(const struct after_work *w, struct err *e)
{
	if (fold_ask(w->deps->db, &w->owner, &w->place.conversation_id, w->args, e) < 0)
		return -1;
	if (w->asked)
		*w->asked = true;
	return 1;
}

/* -- what is remembered of a user ------------------------------------------ */

/* After a turn: whether a model is asked what to remember of its user (memory/personal.h). */

enum { LEAST_BYTES = 8 };

/* A message of the user that no turn before was about. */
static bool recall_due(const struct turn_run *t)
{
	const enum turn_verb verb = t->in.verb;

	return context_recall_mode(t) != PERSONAL_OFF && !t->in.program.p &&
		(verb == TURN_RESUME || t->in.content.n >= LEAST_BYTES) &&
		verb != TURN_CONTINUE;
}

/* Writes "personal": {…}, what it is to do. */
static void recall_write_options(struct turn_run *t, struct jw *w)
{
	const char *service = context_setting(t, SETTING_SUMMARY_SERVICE).text;

	if (!recall_due(t))
		return;
	jw_key(w, "personal");
	personal_options_write(w, &(struct personal_options){
		.keep = context_recall_mode(t) == PERSONAL_KEEP, .service = str_of(service),
	});
}

/* Only asks for the job, so a second run is harmless. */
static int recall_run(const struct after_work *w, struct err *e)
{
	if (personal_ask(w->deps->db, &w->owner, &w->place.turn_id, w->args, e) < 0)
		return -1;
	if (w->asked)
		*w->asked = true;
	return 1;
}

/* -- what is asked for -------------------------------------------------------- */

enum { TOKENS = 750 };		/* of input, about: for the rules of "auto" */

const struct after after_rows[] = {
#define AFTER(name, due, run, what) { #name, what, due, run },
#include "turn/after.def"
#undef AFTER
};
const size_t after_n_rows = ARRAY_LEN(after_rows);

/* -- asking ----------------------------------------------------------------- */

static const struct llm_service *service_of(struct turn_run *t)
{
	const struct auto_facts f = {
		.task = AUTO_TITLE, .who = t->in.by.who, .tokens = TOKENS,
		.now_us = clock_now_us(), .zone = context_zone(t),
	};
	const struct llm_service *s = NULL;

	if (t->in.target.automatic)
		s = auto_select(t->in.by.conf, t->in.target.workspace, &f,
				t->arena).service;
	return s ? s : t->in.target.service;
}

/* What job_after_turn reads of it. In t's arena. */
static struct str args_of(struct turn_run *t, struct str rows)
{
	const struct llm_service *s = t->after_service;
	struct buf b = BUF_INIT(1024);
	struct jw w = jw_on(&b);
	struct str args;

	jw_obj(&w);
	jw_kuuid(&w, "user", &t->loop->owner.user_id);
	jw_kstrz(&w, "service", s->id);
	jw_kbool(&w, "own", s->payer == PAYER_USER);
	jw_kint(&w, "turn", t->loop->begun.turn_number);
	jw_kstr(&w, "rows", rows);
	remember_write_options(t, &w);
	recall_write_options(t, &w);
	jw_end_obj(&w);
	args = arena_str(t->arena, buf_str(&b));
	buf_release(&b);
	return args;
}

const struct job *after_job(struct turn_run *t)
{
	struct job *j;
	char id[UUID_TEXT_BYTES];
	const char *rows = "";

	for (size_t i = 0; i < after_n_rows; i++)
		if (after_rows[i].due(t))
			rows = arena_printf(t->arena, "%s%s ", rows,
					    after_rows[i].name);
	if (!*rows)
		return NULL;
	t->after_service = service_of(t);
	j = arena_new(t->arena, struct job);
	*j = job_taken(JOB_AFTER_TURN, str_of(arena_printf(
			       t->arena, "%s", uuid_format(&t->id, id))),
		       &t->loop->owner, args_of(t, str_of(rows)),
		       clock_now_us());
	return j;
}

/* -- running ---------------------------------------------------------------- */

static int run_row(struct str name, const struct after_work *w, struct err *e)
{
	int rc = 1;

	for (size_t i = 0; i < after_n_rows; i++)
		if (str_is(name, after_rows[i].name))
			rc = after_rows[i].run(w, e);
	if (rc < 0 && !err_row(e)->retryable) {
		log_err("work after a turn", e);
		err_clear(e);
		rc = 1;
	}
	return rc;
}

/* The rows that the job names: as a job_fn. What cannot work later is done. */
static int run_rows(const struct after_work *w, const struct job *j,
		    struct err *e)
{
	json_t *args = jx_keep(w->arena, jx_load(j->args, e));
	struct str rows = jx_str(args, "rows");
	struct after_work with = *w;
	int rc = args ? 1 : -1;

	with.args = j->args;
	while (rc > 0 && rows.n)
		rc = run_row(str_cut(&rows, ' '), &with, e);
	return rc;
}

void turn_after(struct turn_run *t)
{
	struct turn_loop *l = t->loop;
	struct after_work w = {
		.deps = t->deps, .owner = l->owner, .service = t->after_service,
		.question = t->in.content, .answer = t->answer.content,
		.abort = l->abort, .arena = t->arena, .asked = &t->jobs_asked,
	};
	struct err why = ERR_INIT, e = ERR_INIT;
	int rc;
	TRACE_SPAN(TRACE_AFTER, NULL);

	if (!t->after || t->answer.seq == 0)
		return;
	turn_usage_place(&w.place, l);
	/* Stopped at its very end: by the process, or by somebody who wants no more. */
	if (http_aborted(l->abort))
		rc = !l->relay.entry.interrupted;
	else
		rc = run_rows(&w, t->after, &why);
	if (job_settle(t->deps->db, t->after, rc, 0, &why, &e) < 0)
		log_err("work after a turn", &e);
}

/* -- by another process ------------------------------------------------------ */

/* The service that the job names, of the same payer; NULL: it is gone. */
static int find_service(const struct job_run *r, const struct identity *who,
			const struct conversation *c, const json_t *args,
			struct after_work *w, struct err *e)
{
	const struct caller by = caller_of(r->conf, who, r->db, r->arena);
	struct str id = jx_str(args, "service");

	if (jx_bool(args, "own", false))
		return r->conf->byok.mode == BYOK_ALLOW_USER
			? stored_service_own(&by, c->workspace_id, c->agent_id,
					     r->arena, &w->service, e) : 0;
	return service_find(&by, c->workspace_id, id, r->arena, &w->service, e);
}

/* 1; 0: it is not to be done any more, since the turn or its service is gone. */
static int load_turn(const struct job_run *r, struct after_work *w, struct err *e)
{
	json_t *args = jx_keep(r->arena, jx_load(r->job->args, e));
	struct identity who = { .tenant = r->job->tenant_id };
	struct conversation *c = arena_new(r->arena, struct conversation);
	struct message question, answer;
	struct turn turn;
	struct uuid id;

	if (!uuid_parse(r->job->subject, &id) ||
	    !uuid_parse(jx_str(args, "user"), &who.user_id))
		return err_set(e, ERR_INTERNAL, "no turn or no user");
	w->owner = (struct owner){ .tenant_id = who.tenant,
				   .user_id = who.user_id };
	if (store_turn_get(r->db, &w->owner, &id, r->arena, &turn, e) < 0 ||
	    conversation_get(r->db, &w->owner, &turn.conversation_id, r->arena,
			     c, e) < 0 ||
	    message_get(r->db, &w->owner, &c->id, turn.user_seq, r->arena, &question,
			e) < 0 ||
	    message_get(r->db, &w->owner, &c->id, turn.answer_seq, r->arena,
			&answer, e) < 0 ||
	    find_service(r, &who, c, args, w, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	w->now = c;
	w->question = question.content;
	w->answer = answer.content;
	w->place = (struct usage){
		.workspace_id = c->workspace_id, .agent_id = c->agent_id,
		.conversation_id = c->id, .turn_id = id,
		.turn_number = jx_int(args, "turn", 1),
	};
	return w->service != NULL;
}

/* A second run is harmless, see after.h. */
int job_after_turn(const struct job_run *r, struct err *e)
{
	const struct turn_deps deps = { .db = r->db, .http = r->http };
	struct after_work w = {
		.deps = &deps, .stop = r->stop, .arena = r->arena,
	};
	int rc;

	arena_secret(r->arena);		/* a key may be in it */
	rc = load_turn(r, &w, e);
	return rc <= 0 ? rc + !rc : run_rows(&w, r->job, e);
}
