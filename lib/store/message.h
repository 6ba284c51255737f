/* SPDX-License-Identifier: MIT */
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

/* The kind of a row. */
enum message_kind {
	KIND_MESSAGE = 1,		/* by the user, or a system note */
	KIND_STEP = 2,		/* assistant row with tool calls */
	KIND_ANSWER = 3,
	KIND_RESULT = 4,	/* of a tool */
	KIND_REPLY = 5,		/* result of a question: the user's answer */
};

/* The rows of turn_options.def that are kept with a message. */
#define MESSAGE_OPTION(F, SEP, member, key, type, max_chars, kept, form) \
	MESSAGE_OPTION_##kept(F, SEP, member, type)
#define MESSAGE_OPTION_MESSAGE(F, SEP, member, type) F(SEP, member, type)
#define MESSAGE_OPTION_PLACE(F, SEP, member, type) F(SEP, member, type)
#define MESSAGE_OPTION_TURN(F, SEP, member, type)
#define MESSAGE_OPTION_PAGE(F, SEP, member, type)
#define MESSAGE_OPTION_META(F, SEP, member, type)

/*
 * Options of the request that are columns of the message (KIND_MESSAGE); as in
 * meta.
 */
struct message_options {
#define MESSAGE_OPTION_C_BOOL int64_t
#define MESSAGE_OPTION_C_TEXT struct str
#define MESSAGE_OPTION_C_LIST struct str
#define F(SEP, member, type) MESSAGE_OPTION_C_##type member;
	TURN_OPTIONS(MESSAGE_OPTION, F, )
#undef F
};

/* Those of them that are the conversation's as well, all texts. */
#define PLACE_OPTION(F, SEP, member, key, type, max_chars, kept, form) \
	PLACE_OPTION_##kept(F, SEP, member)
#define PLACE_OPTION_PLACE(F, SEP, member) F(SEP, member)
#define PLACE_OPTION_MESSAGE(F, SEP, member)
#define PLACE_OPTION_TURN(F, SEP, member)
#define PLACE_OPTION_PAGE(F, SEP, member)
#define PLACE_OPTION_META(F, SEP, member)

/* Where the user of a conversation is; p == NULL: not said. */
struct conversation_context {
#define F(SEP, member) struct str member;
	TURN_OPTIONS(PLACE_OPTION, F, )
#undef F
};

/* Whether any of them is said. */
bool message_has_place(const struct message_options *o);

/* Sets them all from the conversation's. Borrows. */
void message_place_take(struct message_options *o, const struct conversation_context *c);

struct message {
	int64_t seq;		/* 1, 2, … within the conversation */
	int64_t role;		/* enum message_role */
	struct uuid turn_id;	/* nil: none */
	int64_t created_us;
	struct str content;	/* valid UTF-8, may be empty or contain NUL */
	struct str meta;	/* JSON object text; p == NULL: {} */
	/*
	 * Number of this variant and of all variants at its place; 0: the only
	 * one.
	 */
	int64_t variant_index, variant_count;
	int64_t kind;			/* enum message_kind */
	struct str finish_reason;	/* answer: as in meta; p == NULL: none */
	struct str client_id;	/* said: as in meta; or NULL. Not read back */
	int64_t continues_seq;	/* answer: of the one that it continues; or 0 */
	int64_t kept;		/* result: tool_output has the whole result */
	struct message_options options;
};

struct message_page {
	struct str workspace_id, agent_id;	/* of the conversation */
	int64_t version, created_us;		/* of the conversation at that
						   time */
	struct message *items;			/* arena */
	size_t n;
	bool more;
	bool cut;	/* more, because of LIM_PAGE_BYTES */
	int64_t next_seq;	/* of the last item; valid if more */
};

/*
 * Reads one page and checks the owner, in one round trip (two if it is empty).
 * after_seq: the position (a message's seq, even of a superseded message; 0 =
 * the end that the order starts from). size: 1..LIM_PAGE_MAX; a page ends
 * before its texts exceed LIM_PAGE_BYTES, but has at least one message.
 * Superseded messages are not included. ERR_NOT_FOUND if the conversation does
 * not exist or belongs to another user. Text in a.
 */
int message_list(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, enum store_order order,
		 int64_t after_seq, size_t size, struct arena *a,
		 struct message_page *out, struct err *e) MUST_CHECK;

/*
 * As message_list, without steps and tool results: user messages, replies
 * (KIND_REPLY), and answers.
 */
int message_list_dialogue(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id,
		      enum store_order order, int64_t after_seq, size_t size,
		      struct arena *a, struct message_page *out,
		      struct err *e) MUST_CHECK;

/* A page without messages: checks the owner and reads the version. */
int message_head(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct arena *a,
		 struct message_page *out, struct err *e) MUST_CHECK;

/*
 * For the model's context: the newest n_last messages with seq <= upto_seq (0 =
 * all), oldest first, with at most LIM_HISTORY_BYTES of text. Otherwise as
 * message_list.
 */
int message_history(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t upto_seq,
		    size_t n_last, struct arena *a, struct message_page *out,
		    struct err *e) MUST_CHECK;

/*
 * The first messages of a variant, oldest first; of the current one, those of
 * the thread from head_seq on. At most size messages and max_bytes of text (but
 * at least one message). The caller has checked the owner. Text in a.
 */
int message_list_variant(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, int64_t head_seq,
			 bool current, size_t size, size_t max_bytes,
			 struct arena *a, struct message_page *out,
			 struct err *e) MUST_CHECK;

/* One message by its number, superseded or not. ERR_NOT_FOUND. Text in a. */
int message_get(struct db *db, const struct owner *o,
		const struct uuid *conversation_id, int64_t seq,
		struct arena *a, struct message *out, struct err *e) MUST_CHECK;

/*
 * Keeps list, an array of texts (borrowed), as followUps in the metadata of the turn's
 * answer. *kept: whether that is the last message, and no other turn has begun. Works in
 * a. Database errors.
 */
int message_keep_follow_ups(struct db *db, const struct owner *o,
			    const struct uuid *conversation_id, const struct uuid *turn_id,
			    json_t *list, struct arena *a, bool *kept,
			    struct err *e) MUST_CHECK;

/*
 * The number of the newest user message of the thread with this client_id; 0:
 * none among the newest LIM_LOOKED_AT.
 */
int message_find(struct db *db, const struct owner *o,
		 const struct uuid *conversation_id, struct str client_id,
		 int64_t *seq, struct err *e) MUST_CHECK;

/* Writes "{conversationId}.{seq}" to out. Returns out. */
#define MESSAGE_ID_BYTES 48
char *message_id(const struct uuid *conversation_id, int64_t seq, char *out);

/* Parses such an id. False if it is malformed; seq is 1 to 2^32 - 1. */
bool message_id_parse(struct str id, struct uuid *conversation_id,
		      int64_t *seq) MUST_CHECK;

/* How a record is rendered: group A routes, or the agent-scoped ones (B6). */
enum record_style { RECORD_PLAIN, RECORD_AGENT_SCOPED };

/* Members that all messages of a thread have in common. */
struct message_scope {
	struct str workspace_id, agent_id;
	struct uuid conversation_id;
	enum record_style style;
	bool dialogue;		/* write a KIND_REPLY as a user message */
};

/*
 * Writes the record (B47, A51): workspaceId, agentId, conversationId, turnId,
 * messageId, id, role, content, createdAt, messageTs, metadata; variantIndex
 * and variantCount if there are several variants. metadata has `continues` if
 * the row continues a message.
 */
void message_write(struct jw *w, const struct message_scope *s,
		   const struct message *m);

/*
 * Writes the n records of a page to an open array. The common members are
 * escaped once.
 */
void message_write_all(struct jw *w, const struct message_scope *s,
		       const struct message *m, size_t n);

#endif
