/* SPDX-License-Identifier: MIT */
/*
 * Ratings of answers as a resource (docs/page.md): a row of the user's for an answer that
 * they got, with what the answer's record says of its making (B47).
 */
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "resource/call.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/turn.h"

#include "base/banned.h"

static const char *const reasons[] = {
	"wrong", "incomplete", "off-topic", "sources", "style", "slow", "unsafe", "other",
};

static int no_answer(struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, "messageId",
			 "messageId must be an answer of this conversation.");
}

/* The rated answer. */
static int answer_of(const struct caller *by, const struct resource_row *row,
		     struct message *out, struct err *e)
{
	struct uuid of, conversation;
	int64_t seq;

	memcpy(conversation.b, row->v[COLUMN(RATING, conversation_id)].s.p,
	       sizeof(conversation.b));
	if (!message_id_parse(resource_text(row, COLUMN(RATING, message_id)), &of, &seq) ||
	    !uuid_eq(&of, &conversation))
		return no_answer(e);
	if (message_get(by->db, &by->owner, &conversation, seq, by->arena, out, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return no_answer(e);
	}
	if (out->kind != KIND_ANSWER)
		return no_answer(e);
	/* It says nothing of the model. */
	if (out->meta.n && jx_bool(jx_keep(by->arena, jx_try(out->meta)), "corrected", false))
		return err_field(e, ERR_INVALID_FIELD, "messageId",
				 "An answer that was corrected by hand cannot be rated.");
	return 0;
}

static struct db_val kept(const struct caller *by, struct str text)
{
	return DB_S(arena_str(by->arena, utf8_head(text, LIM_RATED_CHARS)));
}

/* Question and answer are kept while the user shows them. */
static int set_texts(const struct caller *by, struct resource_row *row,
		     const struct message *answer, struct err *e)
{
	struct db_val *question = &row->v[COLUMN(RATING, question)];
	const struct str none = { NULL, 0 };
	struct message asked;
	struct turn turn;

	*question = row->v[COLUMN(RATING, answer)] = DB_S_IF(none);
	row->given[COLUMN(RATING, question)] = row->given[COLUMN(RATING, answer)] = true;
	if (!row->v[COLUMN(RATING, with_text)].i)
		return 0;
	row->v[COLUMN(RATING, answer)] = kept(by, answer->content);
	if (uuid_is_nil(&answer->turn_id))
		return 0;
	if (store_turn_get(by->db, &by->owner, &answer->turn_id, by->arena, &turn, e) < 0 ||
	    message_get(by->db, &by->owner, &turn.conversation_id, turn.user_seq, by->arena,
			&asked, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	*question = kept(by, asked.content);
	return 0;
}

static int describe(const struct caller *by, const struct resource *r,
		    struct resource_change *k, struct err *e)
{
	struct resource_row *row = &k->row;
	struct message answer;
	struct conversation c;
	struct uuid id;
	json_t *meta, *documents;

	(void)r;
	if (row->v[COLUMN(RATING, with_text)].null)
		row->v[COLUMN(RATING, with_text)] = DB_I(0);
	memcpy(id.b, row->v[COLUMN(RATING, conversation_id)].s.p, sizeof(id.b));
	if (conversation_get(by->db, &by->owner, &id, by->arena, &c, e) < 0 ||
	    answer_of(by, row, &answer, e) < 0)
		return -1;
	row->v[COLUMN(RATING, workspace_id)] = DB_S(c.workspace_id);
	row->v[COLUMN(RATING, agent_id)] = DB_S(c.agent_id);
	if (!uuid_is_nil(&answer.turn_id)) {
		struct uuid *turn = arena_new(by->arena, struct uuid);

		*turn = answer.turn_id;
		row->v[COLUMN(RATING, turn_id)] = DB_U(turn);
	}
	meta = answer.meta.n ? jx_keep(by->arena, jx_try(answer.meta)) : NULL;
	documents = jx_arr(meta, "context_document_ids");
	row->v[COLUMN(RATING, model)] = DB_S_IF(jx_str(meta, "model"));
	row->v[COLUMN(RATING, finish_reason)] = DB_S_IF(jx_str(meta, "finish_reason"));
	if (json_array_size(documents))
		row->v[COLUMN(RATING, documents)] = DB_S(str_of(jx_text(by->arena, documents)));
	return set_texts(by, row, &answer, e);
}

static bool is_reason(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(s, reasons[i]))
			return true;
	return false;
}

static int check_rating(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct str text = resource_text(&k->row, COLUMN(RATING, reasons));
	struct message answer;
	json_t *v;
	size_t i;

	(void)r;
	json_array_foreach(text.p ? jx_keep(by->arena, jx_try(text)) : NULL, i, v)
		if (!is_reason((struct str){ json_string_value(v), json_string_length(v) }))
			return err_field(e, ERR_INVALID_FIELD, "reasons", "reasons must be of "
					 "wrong, incomplete, off-topic, sources, style, slow, "
					 "unsafe and other.");
	if (!k->now || !k->row.given[COLUMN(RATING, with_text)])
		return 0;
	return answer_of(by, &k->row, &answer, e) < 0 ? -1
		: set_texts(by, &k->row, &answer, e);
}

const struct resource_hooks rating_hooks = {
	.prepare = describe, .check = check_rating,
};
