/* SPDX-License-Identifier: MIT */
/* The wire form of conversations and messages: names as in B13 and B47. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/turn.h"

#include "base/banned.h"

static const struct {
	const char *plain, *agent_scoped;
} role_names[] = {
	[ROLE_USER] = { "user", "user" },
	[ROLE_ASSISTANT] = { "assistant", "agent" },
	[ROLE_SYSTEM] = { "system", "system" },
	[ROLE_TOOL] = { "tool", "tool" },
};

static const char *role_name(enum message_role r, enum record_style style)
{
	if (r < ROLE_USER || r > ROLE_TOOL)
		BUG("a message of no role");
	return style == RECORD_AGENT_SCOPED ? role_names[r].agent_scoped
					    : role_names[r].plain;
}

/* Formats ".SEQ" to out (12 bytes); returns its length without the NUL. */
static size_t seq_format(int64_t seq, char *out)
{
	char digits[20], *end = digits + sizeof(digits), *at = end;
	uint64_t v = (uint64_t)seq;

	do {
		*--at = (char)('0' + v % 10);
		v /= 10;
	} while (v && at > end - 10);
	*--at = '.';
	memcpy(out, at, (size_t)(end - at));
	out[end - at] = '\0';
	return (size_t)(end - at);
}

char *message_id(const struct uuid *conversation_id, int64_t seq, char *out)
{
	uuid_format(conversation_id, out);
	seq_format(seq, out + UUID_TEXT_BYTES - 1);
	return out;
}

bool message_id_parse(struct str id, struct uuid *conversation_id, int64_t *seq)
{
	struct str uuid = { id.p, UUID_TEXT_BYTES - 1 };

	*seq = 0;
	if (id.n <= uuid.n + 1 || id.n > uuid.n + 11 || id.p[uuid.n] != '.' ||
	    id.p[uuid.n + 1] == '0' || !uuid_parse(uuid, conversation_id))
		return false;
	for (size_t i = uuid.n + 1; i < id.n; i++) {
		if (id.p[i] < '0' || id.p[i] > '9')
			return false;
		*seq = *seq * 10 + (id.p[i] - '0');
	}
	return *seq <= UINT32_MAX;
}

/* The members up to "turnId", which all messages of a thread share. */
static void write_scope(struct buf *b, const struct message_scope *s,
			const char *conversation_id)
{
	buf_adds(b, "{\"workspaceId\":");
	buf_json(b, s->workspace_id);
	buf_adds(b, ",\"agentId\":");
	buf_json(b, s->agent_id);
	buf_adds(b, ",\"conversationId\":\"");
	buf_add(b, conversation_id, UUID_TEXT_BYTES - 1);
	buf_adds(b, "\",\"turnId\":");
}

/*
 * The metadata with the id of the message that this one continues, which is
 * stored as a number so that it stays valid in a copy of the thread. id as in
 * write_own.
 */
static void write_meta(struct buf *b, const struct message *m, char *id)
{
	struct str meta = m->meta.p ? m->meta : STR("{}");

	if (!m->continues_seq || meta.n < 2) {
		buf_addstr(b, meta);
		return;
	}
	buf_add(b, meta.p, meta.n - 1);
	buf_adds(b, meta.n > 2 ? ",\"continues\":\"" : "\"continues\":\"");
	buf_add(b, id, UUID_TEXT_BYTES - 1 +
		seq_format(m->continues_seq, id + UUID_TEXT_BYTES - 1));
	buf_adds(b, "\"}");
}

/* Role and content; for a reply its text instead of the call's result. */
static void write_message(struct buf *b, const struct message_scope *s,
			  const struct message *m)
{
	bool reply = s->dialogue && m->kind == KIND_REPLY;
	struct err ignored = ERR_INIT;
	json_auto_t *result = reply ? jx_load_lenient(m->content, &ignored)
				    : NULL;

	buf_adds(b, role_name(reply ? ROLE_USER : (enum message_role)m->role,
			      s->style));
	buf_adds(b, "\",\"content\":");
	buf_json(b, reply ? jx_str(result, "answer") : m->content);
}

/* The remaining members. id: a messageId with its conversation's part filled in. */
static void write_own(struct buf *b, const struct message_scope *s,
		      const struct message *m, char *id)
{
	size_t id_n = UUID_TEXT_BYTES - 1 +
		seq_format(m->seq, id + UUID_TEXT_BYTES - 1);
	char turn[UUID_TEXT_BYTES], iso[CLOCK_ISO_BYTES];
	size_t iso_n = strlen(clock_iso(m->created_us, iso));

	if (uuid_is_nil(&m->turn_id)) {
		buf_adds(b, "null,\"messageId\":\"");
	} else {
		buf_addc(b, '"');
		buf_add(b, uuid_format(&m->turn_id, turn), sizeof(turn) - 1);
		buf_adds(b, "\",\"messageId\":\"");
	}
	buf_add(b, id, id_n);
	buf_adds(b, "\",\"id\":\"");
	buf_add(b, id, id_n);
	buf_adds(b, "\",\"role\":\"");
	write_message(b, s, m);
	buf_adds(b, ",\"createdAt\":\"");
	buf_add(b, iso, iso_n);
	buf_adds(b, "\",\"messageTs\":\"");
	buf_add(b, iso, iso_n);
	buf_adds(b, "\",\"metadata\":");
	write_meta(b, m, id);
	if (m->variant_count > 1)
		buf_addf(b, ",\"variantIndex\":%lld,\"variantCount\":%lld",
			 (long long)m->variant_index,
			 (long long)m->variant_count);
	buf_addc(b, '}');
}

void message_write_all(struct jw *w, const struct message_scope *s,
		       const struct message *m, size_t n)
{
	char id[MESSAGE_ID_BYTES];
	struct buf *b = w->b;
	size_t at = 0, n_scope = 0;

	uuid_format(&s->conversation_id, id);
	for (size_t i = 0; i < n; i++) {
		if (w->comma)
			buf_addc(b, ',');
		w->comma = true;
		if (i == 0) {
			at = b->n;
			write_scope(b, s, id);
			n_scope = b->n - at;
		} else if (buf_reserve(b, n_scope)) {
			buf_add(b, b->p + at, n_scope);
		}
		write_own(b, s, &m[i], id);
		if (!buf_ok(b))
			return;
	}
}

void message_write(struct jw *w, const struct message_scope *s,
		   const struct message *m)
{
	message_write_all(w, s, m, 1);
}

bool conversation_running(const struct conversation *c, int64_t now_us)
{
	return !uuid_is_nil(&c->running_turn_id) &&
		c->running_until_us >= now_us;
}

bool conversation_waiting(const struct conversation *c, int64_t now_us)
{
	return conversation_running(c, now_us) &&
		c->running_status == TURN_WAITING;
}

static void write_participants(struct jw *w, const struct conversation *c)
{
	jw_key(w, "participants");
	jw_arr(w);
	jw_obj(w);
	jw_kstrz(w, "kind", "user");
	jw_kuuid(w, "id", &c->user_id);
	jw_end_obj(w);
	jw_obj(w);
	jw_kstrz(w, "kind", "agent");
	jw_kstr(w, "id", c->agent_id);
	jw_end_obj(w);
	jw_end_arr(w);
}

static void write_tags(struct jw *w, struct str tags)
{
	jw_arr(w);
	while (tags.n > 1) {
		const char *end = memchr(tags.p + 1, '\n', tags.n - 1);
		size_t n = end ? (size_t)(end - tags.p) - 1 : tags.n - 1;

		jw_str(w, (struct str){ tags.p + 1, n });
		tags = (struct str){ tags.p + 1 + n, tags.n - 1 - n };
	}
	jw_end_arr(w);
}

void conversation_write(struct jw *w, const struct conversation *c,
			int64_t now_us)
{
	static const struct uuid none;
	char id[MESSAGE_ID_BYTES];

	jw_obj(w);
	jw_kstr(w, "workspaceId", c->workspace_id);
	jw_kstr(w, "agentId", c->agent_id);
	jw_kuuid(w, "conversationId", &c->id);
	jw_kstr(w, "title", c->title);
	write_participants(w, c);
	jw_key(w, "knowledgeBaseIds");
	jw_raw(w, c->knowledge.p ? c->knowledge : STR("[]"));
	jw_kbool(w, "knowledgeLimited", c->knowledge.p != NULL);
	jw_kbool(w, "archived", c->archived);
	jw_kbool(w, "pinned", c->pinned_us);
	jw_kuuid_if(w, "folderId", &c->folder_id);
	jw_key(w, "tags");
	write_tags(w, c->tags);
	jw_kstr(w, "contextType", c->context.context_type);
	jw_kstr(w, "projectId", c->context.project_id);
	jw_kstr(w, "focusId", c->context.focus_id);
	jw_ktime(w, "createdAt", c->created_us);
	jw_ktime(w, "updatedAt", c->updated_us);
	jw_kint(w, "messageCount", c->last_seq - c->superseded);
	jw_kuuid_if(w, "runningTurnId", conversation_running(c, now_us)
		     ? &c->running_turn_id : &none);
	jw_kbool(w, "waiting", conversation_waiting(c, now_us));
	if (c->client.p)
		jw_kstr(w, "client", c->client);
	if (!uuid_is_nil(&c->forked_from)) {
		jw_key(w, "forkedFrom");
		jw_obj(w);
		jw_kuuid(w, "conversationId", &c->forked_from);
		jw_kstrz(w, "messageId", message_id(&c->forked_from,
						    c->forked_seq, id));
		jw_end_obj(w);
	}
	jw_end_obj(w);
}
