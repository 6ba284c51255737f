/* The wire form of conversations and messages: names as in B13 and B47. */
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
	char digits[20], *at = digits + sizeof(digits), *p;
	uint64_t v = (uint64_t)seq;

	do {
		*--at = (char)('0' + v % 10);
		v /= 10;
	} while (v && at > digits + sizeof(digits) - 10);
	uuid_format(conversation_id, out);
	p = out + UUID_TEXT_BYTES - 1;
	*p++ = '.';
	memcpy(p, at, (size_t)(digits + sizeof(digits) - at));
	p[digits + sizeof(digits) - at] = '\0';
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
	char iso[CLOCK_ISO_BYTES];
	struct str at = str_of(clock_iso(m->created_us, iso));

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
	jw_kstr(w, "createdAt", at);
	jw_kstr(w, "messageTs", at);
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
