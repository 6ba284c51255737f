/* SPDX-License-Identifier: MIT */
/*
 * After the response: a model proposes what the user may say next. It is kept in the
 * metadata of the answer, as long as that is the last message: followUps, a list of
 * texts. Pages put them into the field, where their user can change them; they are never
 * sent by themselves, since what they were made from is other people's text, too.
 */
#include "base/utf8.h"
#include "event/notify.h"
#include "prompt/untrusted.h"
#include "store/message.h"
#include "turn/after.h"
#include "turn/ask.h"
#include "turn/loop.h"
#include "context/setting.h"

#include "base/banned.h"

enum {
	FOLLOW_UPS = 3,
	FOLLOW_UP_CHARS = 120,		/* a longer one is left out */
	REPLY_TOKENS = 1000,		/* reasoning models need room */
	REPLY_BYTES = 16384,
	REPLY_MS = 30000,
};

bool follow_ups_due(const struct turn_run *t)
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
int follow_ups_run(const struct after_work *w, struct err *e)
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
