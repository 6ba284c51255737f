/* SPDX-License-Identifier: MIT */
#include "dialect/notice.h"

#include "dialect/wire.h"
#include "store/turn.h"

#include "base/banned.h"

/* -- native -------------------------------------------------------------------- */

static void write_turn_status(struct jw *w, const struct notice *n)
{
	jw_kuuid(w, "turnId", &n->subject_id);
	jw_kuuid(w, "conversationId", &n->conversation_id);
	jw_kstr(w, "status", n->word);
}

static void write_title(struct jw *w, const struct notice *n)
{
	jw_kuuid(w, "conversationId", &n->conversation_id);
	jw_kstr(w, "title", n->title);
}

static void write_conversation(struct jw *w, const struct notice *n)
{
	jw_kuuid(w, "conversationId", &n->conversation_id);
	jw_kstr(w, "change", n->word);
	if (!str_is(n->word, "deleted"))
		jw_kstr(w, "title", n->title);
}

static void write_job_progress(struct jw *w, const struct notice *n)
{
	jw_kuuid(w, "jobId", &n->subject_id);
	jw_kstr(w, "status", n->word);
	jw_kint(w, "done", MAX(n->done, 0));
	jw_key(w, "total");
	if (n->total < 0)
		jw_null(w);
	else
		jw_int(w, n->total);
}

static void write_refresh(struct jw *w, const struct notice *n)
{
	jw_kstr(w, "what", n->word);
	if (!uuid_is_nil(&n->conversation_id))
		jw_kuuid(w, "conversationId", &n->conversation_id);
}

/* Whoever follows it reads what is new, by their own rights. */
static void write_patch(struct jw *w, const struct notice *n)
{
	jw_kuuid(w, "projectId", &n->conversation_id);
	jw_kstr(w, "entityType", n->word);
	jw_kuuid(w, "entityId", &n->subject_id);
	jw_kstr(w, "action", n->title);
	jw_kint(w, "version", n->done);
}

static const struct {
	const char *name;
	void (*write)(struct jw *w, const struct notice *n);
} native[] = {
	[NOTICE_TURN_STATUS] = { "turn-status", write_turn_status },
	[NOTICE_TITLE] = { "title", write_title },
	[NOTICE_CONVERSATION] = { "conversation", write_conversation },
	[NOTICE_JOB_PROGRESS] = { "job-progress", write_job_progress },
	[NOTICE_REFRESH] = { "refresh", write_refresh },
	[NOTICE_PATCH] = { "entity-patch", write_patch },
};

static bool is_known(const struct notice *n)
{
	return n->kind > 0 && n->kind < (int64_t)ARRAY_LEN(native);
}

/* -- forge: {"Case","Fields":[task, conversation, status]} ---------------------- */

static const char *forge_status(struct str ours)
{
	static const struct {
		enum turn_status ours;
		const char *theirs;
	} rows[] = {
		{ TURN_RUNNING, "Running" }, { TURN_WAITING, "Waiting" },
		{ TURN_DONE, "Completed" }, { TURN_ERROR, "Failed" },
		{ TURN_CANCELLED, "Cancelled" },
		{ TURN_INTERRUPTED, "Interrupted" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(ours, store_turn_status_name(rows[i].ours)))
			return rows[i].theirs;
	return NULL;
}

static const char forge_case[] = "AITaskStatusChanged";

static void forge_data(struct jw *w, const struct notice *n)
{
	jw_kstrz(w, "Case", forge_case);
	jw_key(w, "Fields");
	jw_arr(w);
	jw_uuid(w, &n->subject_id);
	jw_uuid(w, &n->conversation_id);
	jw_str(w, str_of(forge_status(n->word)));
	jw_end_arr(w);
}

/* -- both ----------------------------------------------------------------------- */

bool dialect_notice_speaks(enum dialect_id d)
{
	return d == DIALECT_NATIVE || d == DIALECT_FORGE;
}

const char *dialect_notice_name(enum dialect_id d, const struct notice *n)
{
	if (d == DIALECT_FORGE)
		return n->kind == NOTICE_TURN_STATUS && forge_status(n->word)
			? forge_case : NULL;
	return is_known(n) ? native[n->kind].name : NULL;
}

void dialect_notice_data(enum dialect_id d, struct jw *w, const struct notice *n)
{
	jw_obj(w);
	if (d == DIALECT_FORGE)
		forge_data(w, n);
	else
		native[n->kind].write(w, n);
	jw_end_obj(w);
}
