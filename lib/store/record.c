/* The wire form of conversations and messages: names as in B13 and B47. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/conversation.h"
#include "store/message.h"

#include "base/banned.h"

static const struct {
	const char *plain, *agent_scoped;
} role_names[] = {
	[ROLE_USER] = { "user", "user" },
	[ROLE_ASSISTANT] = { "assistant", "agent" },
	[ROLE_SYSTEM] = { "system", "system" },
	[ROLE_TOOL] = { "tool", "tool" },
};

const char *message_role_name(enum message_role r, enum record_style style)
{
	if (r < ROLE_USER || r > ROLE_TOOL)
		BUG("a message of no role");
	return style == RECORD_AGENT_SCOPED ? role_names[r].agent_scoped
					    : role_names[r].plain;
}

char *message_id(const struct uuid *conversation_id, int64_t seq, char *out)
{
	uuid_format(conversation_id, out);
	snprintf(out + UUID_TEXT_BYTES - 1,
		 MESSAGE_ID_BYTES - UUID_TEXT_BYTES + 1, ".%u", (unsigned)seq);
	return out;
}

static void uuid_or_null(struct jw *w, const char *key, const struct uuid *u)
{
	if (uuid_is_nil(u)) {
		jw_key(w, key);
		jw_null(w);
	} else {
		jw_kuuid(w, key, u);
	}
}

void message_write(struct jw *w, const struct message_scope *s,
		   const struct message *m)
{
	char text[MESSAGE_ID_BYTES];
	struct str id = str_of(message_id(&s->conversation_id, m->seq, text));

	jw_obj(w);
	jw_kstr(w, "workspaceId", s->workspace_id);
	jw_kstr(w, "agentId", s->agent_id);
	jw_kuuid(w, "conversationId", &s->conversation_id);
	uuid_or_null(w, "turnId", &m->turn_id);
	jw_kstr(w, "messageId", id);
	jw_kstr(w, "id", id);
	jw_kstrz(w, "role", message_role_name((enum message_role)m->role,
					      s->style));
	jw_kstr(w, "content", m->content.p ? m->content : STR(""));
	jw_ktime(w, "createdAt", m->created_us);
	jw_ktime(w, "messageTs", m->created_us);
	jw_key(w, "metadata");
	jw_raw(w, m->meta.p ? m->meta : STR("{}"));
	jw_end_obj(w);
}

bool conversation_running(const struct conversation *c, int64_t now_us)
{
	return !uuid_is_nil(&c->running_turn_id) &&
		c->running_until_us >= now_us;
}

void conversation_write(struct jw *w, const struct conversation *c,
			int64_t now_us)
{
	static const struct uuid none;

	jw_obj(w);
	jw_kstr(w, "workspaceId", c->workspace_id);
	jw_kstr(w, "agentId", c->agent_id);
	jw_kuuid(w, "conversationId", &c->id);
	jw_kstr(w, "title", c->title);
	jw_key(w, "knowledgeBaseIds");
	jw_arr(w);
	jw_end_arr(w);
	jw_ktime(w, "createdAt", c->created_us);
	jw_ktime(w, "updatedAt", c->updated_us);
	jw_kint(w, "messageCount", c->last_seq);
	uuid_or_null(w, "runningTurnId", conversation_running(c, now_us)
		     ? &c->running_turn_id : &none);
	jw_end_obj(w);
}
