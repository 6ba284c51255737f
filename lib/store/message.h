/*
 * Messages: rows of a thread, clustered by (conversation, seq), so a page is
 * one range read however old the thread is. A message's public id is
 * "{conversationId}.{seq}". Rows are written by turn.h only.
 */
#ifndef STORE_MESSAGE_H
#define STORE_MESSAGE_H

#include "store/store.h"
#include "store/turn_options.def"

enum message_role {
	ROLE_USER = 1, ROLE_ASSISTANT = 2, ROLE_SYSTEM = 3, ROLE_TOOL = 4,
};

/* The kind of a row. 0: written by an older version (sql/0017); see its meta. */
enum message_kind {
	KIND_SAID = 1,		/* by the user, or a note of the system */
	KIND_STEP = 2,		/* assistant row that called tools */
	KIND_ANSWER = 3,
	KIND_RESULT = 4,	/* of a tool */
	KIND_REPLY = 5,		/* result of a question: what the user chose */
};

/* Only what is kept with a message, of the rows of turn_options.def. */
#define MESSAGE_OPTION(F, SEP, member, key, type, max_chars, kept, form) \
	MESSAGE_OPTION_##kept(F, SEP, member, type)
#define MESSAGE_OPTION_MESSAGE(F, SEP, member, type) F(SEP, member, type)
#define MESSAGE_OPTION_TURN(F, SEP, member, type)
#define MESSAGE_OPTION_PAGE(F, SEP, member, type)
#define MESSAGE_OPTION_META(F, SEP, member, type)

/* What its request said that is kept with a message: KIND_SAID; as in meta. */
struct message_options {
#define MESSAGE_OPTION_C_BOOL int64_t
#define MESSAGE_OPTION_C_TEXT struct str
#define MESSAGE_OPTION_C_LIST struct str
#define F(SEP, member, type) MESSAGE_OPTION_C_##type member;
	TURN_OPTIONS(MESSAGE_OPTION, F, )
#undef F
};

struct message {
	int64_t seq;		/* 1, 2, … within the conversation */
	int64_t role;		/* enum message_role */
	struct uuid turn_id;	/* nil: none */
	int64_t created_us;
	struct str content;	/* valid UTF-8, may be empty; NUL allowed */
	struct str meta;	/* JSON object text; p == NULL: {} */
	/* Number of this variant and of all variants at its place; 0: the only one. */
	int64_t variant_index, variant_count;
	int64_t kind;			/* enum message_kind */
	struct str finish_reason;	/* answer: as in meta; p == NULL: none */
	struct str client_id;	/* said: as in meta; or NULL. Not read back */
	int64_t continues_seq;	/* answer: of the one that goes on here; or 0 */
	int64_t kept;		/* result: tool_output has all of it */
	struct message_options options;
};

struct message_page {
	struct str workspace_id, agent_id;	/* of the conversation */
	int64_t version, created_us;		/* of the conversation, then */
	struct message *items;			/* arena */
	size_t n;
	bool more;
	bool cut;	/* more, since its texts would be too many */
	int64_t next_seq;	/* of the last item; when more */
};

/*
 * One page with the ownership check, in one round trip (two when it is empty).
 * after_seq: position (a message's seq; 0 = from the end that the order says).
 * size: 1..LIM_PAGE_MAX; a page ends before its texts exceed LIM_PAGE_BYTES, but
 * has at least one message. ERR_NOT_FOUND if the conversation does not exist or
 * belongs to somebody else. Superseded messages are left out; a position may be
 * that of a superseded one. Text in a.
 */
int message_list(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, enum store_order order,
		 int64_t after_seq, size_t size, struct arena *a,
		 struct message_page *out, struct err *e) MUST_CHECK;

/*
 * As message_list, without the steps of turns and the results of tools: user
 * messages, their choices (KIND_REPLY), and answers. Steps that an older program
 * wrote (kind NULL) are included.
 */
int message_list_said(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id,
		      enum store_order order, int64_t after_seq, size_t size,
		      struct arena *a, struct message_page *out,
		      struct err *e) MUST_CHECK;

/* A page without its messages: the owner's check and the version. */
int message_head(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct arena *a,
		 struct message_page *out, struct err *e) MUST_CHECK;

/*
 * For the model's context: the newest n_last messages with seq <= upto_seq
 * (0 = all), oldest first, with LIM_HISTORY_BYTES of text at most. As
 * message_list otherwise.
 */
int message_history(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t upto_seq,
		    size_t n_last, struct arena *a, struct message_page *out,
		    struct err *e) MUST_CHECK;

/*
 * The first messages of a variant, oldest first: of the current one those of the
 * thread from head_seq on. No more than size, and no more text than max_bytes
 * (but one). The caller has checked that it is theirs. Text in a.
 */
int message_list_variant(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, int64_t head_seq,
			 bool current, size_t size, size_t max_bytes,
			 struct arena *a, struct message_page *out,
			 struct err *e) MUST_CHECK;

/*
 * One message by its number, in the thread or superseded. ERR_NOT_FOUND. Text
 * in a.
 */
int message_get(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		struct arena *a, struct message *out, struct err *e) MUST_CHECK;

/*
 * The number of the newest user message of the thread that the client calls
 * client_id; 0: there is none among the newest LIM_LOOKED_AT.
 */
int message_find(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct str client_id,
		 int64_t *seq, struct err *e) MUST_CHECK;

/* "{conversationId}.{seq}" into out. Returns out. */
#define MESSAGE_ID_BYTES 48
char *message_id(const struct uuid *conversation_id, int64_t seq, char *out);

/* The other way. False when id is not in that form; seq is 1 to 2^32 - 1. */
bool message_id_parse(struct str id, struct uuid *conversation_id,
		      int64_t *seq) MUST_CHECK;

/* How a record is rendered: group A routes, or the agent-scoped ones (B6). */
enum record_style { RECORD_PLAIN, RECORD_AGENT_SCOPED };

/* The members that all messages of a thread share on the wire. */
struct message_scope {
	struct str workspace_id, agent_id;
	struct uuid conversation_id;
	enum record_style style;
	bool said;		/* a KIND_REPLY is a message of the user's */
};

/*
 * Writes the record (B47, A51): workspaceId, agentId, conversationId, turnId,
 * messageId, id, role, content, createdAt, messageTs, metadata; variantIndex
 * and variantCount if there is more than one. metadata also has `continues`, if the
 * row names a message.
 */
void message_write(struct jw *w, const struct message_scope *s,
		   const struct message *m);

/*
 * The n records of a page, into an open array. The members that all of them
 * share are escaped once.
 */
void message_write_all(struct jw *w, const struct message_scope *s,
		       const struct message *m, size_t n);

#endif
