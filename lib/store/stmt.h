/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/store: the statements by name, and the descriptions of rows.
 *
 * The members of an entity are listed once, F(member, type letter, SQL): the
 * column list of SELECTs, their signature and the table that fills the struct
 * are all generated from it, so they cannot differ.
 */
#ifndef STORE_STMT_H
#define STORE_STMT_H

#include <stddef.h>

#include "resource/resource.h"
#include "store/job.h"
#include "store/message.h"
#include "store/prefix.h"
#include "store/setting.h"
#include "store/shared.h"
#include "store/source.h"
#include "store/stmt_entity.h"
#include "store/stmt_search.h"
#include "store/stmt_thread.h"
#include "store/store.h"
#include "store/turn.h"

enum stmt {
#define STMT(id, params, columns, sql) STMT_##id,
#define STMT_WHOLE(id, params, columns, sql) STMT_##id,
#define STMT_READS(id, params, columns, sql) STMT_##id,
#define STMT_LAST(id, params, columns, sql) STMT_##id,
#include "store/stmt.def"
#undef STMT
#undef STMT_LAST
#undef STMT_WHOLE
#undef STMT_READS
	STMT__MAX
};

extern const struct db_stmt store_stmts[STMT__MAX];

/* Applied to a list of F(member, letter, SQL). */
#define COMMA ,
#define AS_SQL(member, t, sql) sql
#define AS_SIG(member, t, sql) #t
#define COLUMNS(list) list(AS_SQL, ",")
#define SIGNATURE(list) list(AS_SIG, )

/* For use in functions: static const struct db_field x[] = { FIELDS(…) }. */
enum {
	T_i = 'i', T_I = 'i', T_d = 'd', T_D = 'd', T_s = 's', T_S = 's',
	T_b = 'b', T_B = 'b', T_u = 'u', T_U = 'u',
};
#define FIELD_OF(structure, member_, t) \
	{ .column = #member_, .type = T_##t, \
	  .offset = offsetof(structure, member_) }

#define CONVERSATION_FIELDS(F, SEP) \
	F(id, u, "c.id") SEP \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(title, S, "c.title") SEP \
	F(knowledge, S, "c.knowledge_base_ids") SEP \
	F(archived, i, "c.archived") SEP \
	F(pinned_us, I, "c.pinned_us") SEP \
	F(folder_id, U, "c.folder_id") SEP \
	F(tags, S, "c.tags") SEP \
	F(context.context_type, S, "c.context_type") SEP \
	F(context.project_id, S, "c.project_id") SEP \
	F(context.focus_id, S, "c.focus_id") SEP \
	F(title_by, i, "c.title_by") SEP \
	F(user_id, u, "c.user_id") SEP \
	F(last_seq, i, "c.last_seq") SEP \
	F(superseded, i, "c.superseded") SEP \
	F(version, i, "c.version") SEP \
	F(forked_from, U, "c.forked_from") SEP \
	F(forked_seq, I, "c.forked_seq") SEP \
	F(running_turn_id, U, "t.id") SEP \
	F(running_until_us, I, "t.lease_until_us") SEP \
	F(running_status, I, "t.status") SEP \
	F(client, S, "c.client") SEP \
	F(created_us, i, "c.created_us") SEP \
	F(updated_us, i, "c.updated_us")
#define CONVERSATION_FROM_BY(index) \
	" FROM conversation c " index " LEFT JOIN turn t" \
	" ON t.id = c.running_turn_id AND t.status IN (1, 2)"
#define CONVERSATION_FROM CONVERSATION_FROM_BY("")

#define PREFIX_FIELDS(F, SEP) \
	F(hash, u, "p.hash") SEP \
	F(conversation_id, u, "p.conversation_id") SEP \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(user_seq, i, "p.user_seq") SEP \
	F(answer_seq, I, "p.answer_seq") SEP \
	F(instructions, u, "p.instructions") SEP \
	F(last_seq, i, "c.last_seq") SEP \
	F(superseded, i, "c.superseded")

struct locked {		/* a conversation and its turn, both locked */
	struct str workspace_id, agent_id;
	int64_t title_by, last_seq, superseded, turns;
	struct conversation_context context;
	struct uuid turn_id;	/* nil: free */
	int64_t status, lease_until_us, user_seq;	/* of that turn */
	int64_t variant_index, variant_count;		/* of its answer */
};
#define LOCKED_FIELDS(F, SEP) \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(title_by, i, "c.title_by") SEP \
	F(last_seq, i, "c.last_seq") SEP \
	F(superseded, i, "c.superseded") SEP \
	F(turns, i, "c.turns") SEP \
	F(context.context_type, S, "c.context_type") SEP \
	F(context.project_id, S, "c.project_id") SEP \
	F(context.focus_id, S, "c.focus_id") SEP \
	F(turn_id, U, "c.running_turn_id") SEP \
	F(status, I, "t.status") SEP \
	F(lease_until_us, I, "t.lease_until_us") SEP \
	F(user_seq, I, "t.user_seq") SEP \
	F(variant_index, I, "t.variant_index") SEP \
	F(variant_count, I, "t.variant_count")

#define SETTING_FIELDS(F, SEP) \
	F(holder_id, u, "s.holder_id") SEP \
	F(level, i, "s.level") SEP \
	F(name, s, "s.name") SEP \
	F(version, i, "s.version") SEP \
	F(values, s, "s.values_json") SEP \
	F(author, S, "s.author")
#define SETTING_FROM " FROM setting s WHERE s.tenant_id = ?"
#define SETTING_OF SETTING_FROM " AND s.holder_id IN (" IDS_16 ")"
/*
 * Reads them only if the user or the tenant has a row: most have none, and the
 * look-up costs a fifth of the list.
 */
#define SETTING_IF_ANY(columns) \
	" IF EXISTS (SELECT 1 FROM setting e WHERE e.holder_id IN (?,?)) THEN" \
	" SELECT " columns SETTING_OF "; END IF;"
#define SETTING_IF_ANY_P "uus" U_16
/* The end of TURN_CREATE's results is a row with the level -1. */
#define NIL_HEX "00000000000000000000000000000000"

#define TURN_DEAD_FIELDS(F, SEP) \
	F(id, u, "t.id") SEP \
	F(conversation_id, u, "t.conversation_id") SEP \
	F(tenant_id, s, "c.tenant_id") SEP \
	F(user_id, u, "c.user_id")

/* Where the user is, as columns of the conversation (kept PLACE in turn_options.def). */
#define PLACE_NAME(SEP, member) ", " #member
#define PLACE_MARK(SEP, member) ",?"
#define PLACE_LETTER(SEP, member) "S"
#define PLACE_SET(SEP, member) ", " #member " = ?"
#define PLACE_VALUE(c, member) , DB_S_IF((c)->member)
#define PLACE_NAMES TURN_OPTIONS(PLACE_OPTION, PLACE_NAME, )
#define PLACE_MARKS TURN_OPTIONS(PLACE_OPTION, PLACE_MARK, )
#define PLACE_LETTERS TURN_OPTIONS(PLACE_OPTION, PLACE_LETTER, )
#define PLACE_SETS TURN_OPTIONS(PLACE_OPTION, PLACE_SET, )
#define PLACE_VALUES(c) TURN_OPTIONS(PLACE_OPTION, PLACE_VALUE, c)

/* Parts common to single statements and whole transactions. */
#define CONVERSATION_ROW "usussSiiiUiiS" PLACE_LETTERS
#define CONVERSATION_INSERT \
	"INSERT INTO conversation (id, tenant_id, user_id, workspace_id," \
	" agent_id, title, title_by, last_seq, turns, running_turn_id," \
	" created_us, updated_us, client" PLACE_NAMES ") VALUES" \
	" (?,?,?,?,?,?,?,?,?,?,?,?,?" PLACE_MARKS ")"
/*
 * Rows that a turn changes by their key. Left to itself, the optimizer weighs each
 * other key that the condition names, which takes a third of the statement.
 */
#define CONVERSATION_UPDATE "UPDATE conversation USE INDEX (PRIMARY) SET"
#define CONVERSATION_FREE \
	CONVERSATION_UPDATE " last_seq = LAST_INSERT_ID(last_seq + ?)," \
	" running_turn_id = NULL, updated_us = ?, version = version + 1," \
	" unindexed = 1" \
	" WHERE id = ? AND tenant_id = ? AND user_id = ?" \
	" AND running_turn_id = ?"
/* The index (chats.h) has an outdated title or outdated older messages. */
#define CONVERSATION_REINDEX "unindexed = 1, indexed = -1"
/* The columns of message.options, which come last: ", a", ",?", "i", ", DB_I()". */
#define OPTION_NAME(SEP, member, type) ", " #member
#define OPTION_MARK(SEP, member, type) ",?"
#define OPTION_LETTER(SEP, member, type) OPTION_LETTER_##type
#define OPTION_LETTER_BOOL "i"
#define OPTION_LETTER_TEXT "S"
#define OPTION_LETTER_LIST "S"
/* In TURN_BEGIN, where the conversation's are in variables of those names. */
#define BEGUN_MARK(F, SEP, member, key, type, max_chars, kept, form) \
	BEGUN_MARK_##kept(member)
#define BEGUN_MARK_MESSAGE(member) ",?"
#define BEGUN_MARK_PLACE(member) ",COALESCE(?, @" #member ")"
#define BEGUN_MARK_TURN(member)
#define BEGUN_MARK_PAGE(member)
#define BEGUN_MARK_META(member)
#define BEGUN_MARKS TURN_OPTIONS(BEGUN_MARK, , )
#define BEGUN_SET(SEP, member) \
	" " #member " = @" #member " := IF(?, ?, " #member "),"
#define BEGUN_SETS TURN_OPTIONS(PLACE_OPTION, BEGUN_SET, )
#define BEGUN_LETTER(SEP, member) "iS"
#define BEGUN_SETS_P TURN_OPTIONS(PLACE_OPTION, BEGUN_LETTER, )
#define BEGUN_VALUE(o, member) , DB_I(message_has_place(o)), DB_S_IF((o)->member)
#define BEGUN_VALUES(o) TURN_OPTIONS(PLACE_OPTION, BEGUN_VALUE, o)
#define OPTION_VALUE(m, member, type) , OPTION_VALUE_##type((m)->member)
#define OPTION_VALUE_BOOL DB_I
#define OPTION_VALUE_TEXT DB_S_IF
#define OPTION_VALUE_LIST DB_S_IF
#define MESSAGE_OPTION_NAMES TURN_OPTIONS(MESSAGE_OPTION, OPTION_NAME, )
#define MESSAGE_OPTION_MARKS TURN_OPTIONS(MESSAGE_OPTION, OPTION_MARK, )
#define MESSAGE_OPTION_ROW TURN_OPTIONS(MESSAGE_OPTION, OPTION_LETTER, )
#define MESSAGE_OPTION_VALUES(o) TURN_OPTIONS(MESSAGE_OPTION, OPTION_VALUE, o)

#define MESSAGE_ROW "uiiUisSIIiSSIi" MESSAGE_OPTION_ROW
#define MESSAGE_INSERT \
	"INSERT INTO message (conversation_id, seq, role, turn_id, created_us," \
	" content, meta, variant_index, variant_count, kind, finish_reason," \
	" client_id, continues_seq, kept" MESSAGE_OPTION_NAMES ") VALUES "
#define MESSAGE_VALUES "(?,?,?,?,?,?,?,?,?,?,?,?,?,?" MESSAGE_OPTION_MARKS ")"
#define CONVERSATION_ADVANCE \
	CONVERSATION_UPDATE " last_seq = LAST_INSERT_ID(last_seq + ?)," \
	" version = version + 1" \
	" WHERE id = ? AND tenant_id = ? AND user_id = ?" \
	" AND running_turn_id = ?"
/* The rows of a step, and the statement that stores them: see store_turn_append. */
/* An enum llm_payer as an argument: 0 is unknown. */
#define PAYER(v) DB_I_IF((v) > 0, v)
#define STEP_PARAMS "iusuui"
#define STEP(rows) \
	CONVERSATION_ADVANCE " AND last_seq = ?; IF ROW_COUNT() = 1 THEN " \
	MESSAGE_INSERT rows "; SELECT CAST(LAST_INSERT_ID() AS SIGNED); COMMIT;" \
	" ELSE ROLLBACK; END IF;"
#define TURN_INSERT \
	"INSERT INTO turn (id, conversation_id, status, lease_until_us," \
	" user_seq, started_us, variant_index, variant_count, client," \
	" provider, model, payer) VALUES "
#define TURN_INSERT_CLIENT \
	"INSERT INTO turn (id, conversation_id, status, lease_until_us," \
	" user_seq, started_us, client, provider, model, payer) VALUES "
#define TURN_EVENT_INSERT \
	"INSERT INTO turn_event (turn_id, seq, n, created_us, data)" \
	" VALUES (?,?,?,?,?) ON DUPLICATE KEY UPDATE" \
	" data = IF(VALUES(n) >= n, VALUES(data), data)," \
	" n = GREATEST(n, VALUES(n))"
#define TURN_END(answer_seq, which) \
	"UPDATE turn USE INDEX (PRIMARY) SET status = ?," \
	" answer_seq = " answer_seq ", ended_us = ?," \
	" error_code = ?, error_text = ?," \
	" last_event_seq = GREATEST(last_event_seq + ?, ?)" \
	" WHERE id = ? AND " which
#define USAGE_ROW "usuisSUUiSssIIIIIIDiiIissSi"
#define USAGE_INSERT \
	"INSERT INTO usage_record (id, tenant_id, user_id, kind, workspace_id," \
	" agent_id, conversation_id, turn_id, turn_number, service_id, provider, model," \
	" payer, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens," \
	" reasoning_tokens, cost, estimated, iterations, ttft_ms, duration_ms," \
	" finish_reason, prompts, tools, created_us)" \
	" VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

/* Locks in the common order: conversation, then turn. ERR_NOT_FOUND. */
int conversation_lock(struct db *tx, const struct owner *o,
		      const struct uuid *id, struct arena *a,
		      struct locked *out, struct err *e) MUST_CHECK;

/* The arguments of USAGE_ROW, which point into u. */
struct usage;
struct db_val *usage_args(struct db_val *v, const struct owner *o,
			  const struct usage *u);
/*
 * Frees a locked conversation for the caller: closes a dead turn, or ends one
 * that waits (lock the conversation again, because it has more rows); for a
 * live turn ERR_BUSY with its id in e->id. *out is the turn that was ended;
 * unchanged if there was none.
 */
int store_turn_evict(struct db *tx, const struct owner *o,
		     const struct uuid *conversation_id, const struct locked *l,
		     turn_text_fn *fn, struct turn_evicted *out,
		     struct err *e) MUST_CHECK;

/*
 * Reads the events of l's turn and writes its usage record, estimated from the
 * stored text, unless there is one. The caller releases sum. Within db_tx; the
 * conversation is locked by l.
 */
int store_turn_estimate(struct db *tx, const struct owner *o,
			const struct uuid *conversation_id, const struct locked *l,
			turn_text_fn *fn, struct event_summary *sum,
			struct err *e) MUST_CHECK;

/*
 * `before` for an attempt that creates turn id, with us as the turn's start: 1,
 * 0, -1. ERR_DB_DUPLICATE: another process has created it from the same key;
 * running it here as well would run its tools twice. Text of *out in a.
 */
int store_turn_begun(struct db *tx, const struct owner *o,
		      const struct uuid *id, int64_t us, struct arena *a,
		      struct turn *out, struct err *e) MUST_CHECK;

/* Inserts one row of a thread; the caller sets seq and times. Within db_tx. */
int message_insert(struct db *tx, const struct uuid *conversation_id,
		   const struct message *m, struct err *e) MUST_CHECK;

/* The same for many, oldest first. */
int message_insert_all(struct db *tx, const struct uuid *conversation_id,
		       const struct message *rows, size_t n, struct err *e) MUST_CHECK;

/*
 * Ends a turn that waits; its conversation l is locked by tx. Open requests get
 * the status expired or WAIT_SUPERSEDED, and each call an error result.
 */
int wait_close(struct db *tx, const struct owner *o,
	       const struct uuid *conversation_id, const struct locked *l,
	       struct err *e) MUST_CHECK;

/*
 * Fills v with n ids (1 to IDS_MAX), padded with the last one to a size that
 * has a statement: returns 0 for 4, 1 for 32, 2 for 256.
 */
#define IDS_MAX 256
/* The statements of these three sizes. */
#define OF_IDS(name) \
	((const enum stmt[]){ STMT_##name##_4, STMT_##name##_32, STMT_##name##_256 })

/*
 * Runs a query of OF_IDS for all n ids, one statement per IDS_MAX. Its first column
 * is an id; take gets the row for each i with ids[i] equal to it. -1: the database's
 * error.
 */
int each_of_ids(struct db *db, const enum stmt *stmts, const struct uuid *ids, size_t n,
		void (*take)(void *ctx, size_t i, const struct db_val *row), void *ctx,
		struct err *e) MUST_CHECK;

/*
 * Moves the journal's parts of a turn to rows of its own: when it pauses, or is
 * closed for a process that died and may still write. Its row is locked by tx.
 */
int journal_detach(struct db *tx, const struct uuid *turn_id,
		   struct err *e) MUST_CHECK;

/* Decrypts r->data, if necessary to a copy in a. */
void journal_open(struct arena *a, struct turn_events *r);

/* Per turn in turn_journal.turns: its id, then numbers. */
enum { JOURNAL_ENTRY_BYTES = 32 };

/* Inserts batches; the turns' rows are locked by tx. */
int store_turn_events_insert(struct db *tx, const struct turn_events *rows, size_t n,
			     int64_t now_us, struct err *e) MUST_CHECK;

/*
 * Pages join the conversation by constant values instead of by its columns, and not
 * as an outer join, because the optimizer would sort a temporary table.
 */
#define MESSAGE_FIELDS(F, SEP) MESSAGE_HEAD(F, SEP) SEP MESSAGE_TAIL(F, SEP)
#define MESSAGE_HEAD(F, SEP) \
	F(seq, i, "m.seq") SEP \
	F(role, i, "m.role") SEP \
	F(turn_id, U, "m.turn_id") SEP \
	F(created_us, i, "m.created_us") SEP \
	F(content, s, "m.content") SEP \
	F(meta, S, "m.meta")
#define MESSAGE_TAIL(F, SEP) \
	F(variant_index, I, "m.variant_index") SEP \
	F(variant_count, I, "m.variant_count") SEP \
	F(kind, I, "m.kind") SEP \
	F(finish_reason, S, "m.finish_reason") SEP \
	F(continues_seq, I, "m.continues_seq") SEP \
	F(kept, i, "m.kept") \
	TURN_OPTIONS(MESSAGE_OPTION_FIELD, F, SEP)
/* A row of settings in the columns of a message: see TURN_BEGIN. */
#define SETTING_AS_MESSAGE \
	"s.version, s.level, s.holder_id, s.updated_us, s.values_json, s.author, " \
	MESSAGE_TAIL(AS_NOTHING, ",")
#define AS_NOTHING(member, t, sql) NOTHING_##t
#define NOTHING_i "0"
#define NOTHING_I "CAST(NULL AS SIGNED)"
#define NOTHING_S "CAST(NULL AS CHAR)"
/* SEP must not be COMMA: it is passed on. */
#define MESSAGE_OPTION_FIELD(F, SEP, member, key, type, max_chars, kept, form) \
	OPTION_FIELD_##kept(F, SEP, member, type)
#define OPTION_FIELD_MESSAGE(F, SEP, member, type) \
	SEP OPTION_FIELD(F, options.member, OPTION_TYPE_##type, "m." #member)
#define OPTION_FIELD_PLACE(F, SEP, member, type) \
	OPTION_FIELD_MESSAGE(F, SEP, member, type)
#define OPTION_FIELD_TURN(F, SEP, member, type)
#define OPTION_FIELD_PAGE(F, SEP, member, type)
#define OPTION_FIELD_META(F, SEP, member, type)
#define OPTION_FIELD(F, member, t, sql) F(member, t, sql)
#define OPTION_TYPE_BOOL i
#define OPTION_TYPE_TEXT S
#define OPTION_TYPE_LIST S
#define ATTACHMENT_COLUMNS(F, SEP) \
	F(id, u, "a.id") SEP \
	F(file_id, u, "a.file_id") SEP \
	F(name, s, "a.name") SEP \
	F(media_type, S, "a.media_type") SEP \
	F(problem, S, "a.problem") SEP \
	F(size, i, "a.size") SEP \
	F(pages, I, "a.pages") SEP \
	F(text_chars, I, "a.text_chars") SEP \
	F(unread, I, "a.unread_page") SEP \
	F(ready, i, "a.state = 'ready'")
#define SCOPE_FIELDS(F, SEP) \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(version, i, "c.version") SEP \
	F(created_us, i, "c.created_us") SEP \
	F(superseded, i, "c.superseded") SEP \
	F(copy_seq, I, "c.copy_seq")
#define MESSAGE_PAGE \
	"SELECT " COLUMNS(SCOPE_FIELDS) "," COLUMNS(MESSAGE_FIELDS) \
	" FROM conversation c JOIN message m ON m.conversation_id = ?" \
	" AND (? OR m.kind IN (1, 3, 5))"
#define MESSAGE_PAGE_OF \
	" WHERE c.id = ? AND c.tenant_id = ? AND c.user_id = ?" \
	" ORDER BY m.seq "

/* Shares that others may read by: their columns, and what each statement asks. */
#define SHARE_FIELDS(F, SEP) \
	F(id, u, "s.id") SEP \
	F(conversation_id, u, "s.conversation_id") SEP \
	F(user_id, u, "s.user_id") SEP \
	F(owner, S, "w.login") SEP \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(title, S, "c.title") SEP \
	F(live, i, "s.live") SEP \
	F(tools, i, "s.tools") SEP \
	F(files, i, "s.files") SEP \
	F(upto_seq, I, "s.upto_seq") SEP \
	F(created_us, i, "s.created_us") SEP \
	F(updated_us, i, "c.updated_us")
#define SHARE_JOIN \
	" JOIN conversation c ON c.id = s.conversation_id" \
	" AND c.tenant_id = s.tenant_id AND c.user_id = s.user_id" \
	" LEFT JOIN user w ON w.id = s.user_id AND w.tenant_id = s.tenant_id"
#define SHARE_FROM " FROM conversation_share s" SHARE_JOIN
#define SHARE_VALID " AND (s.expires_us IS NULL OR s.expires_us > ?)"
#define SHARE_READERS "JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j"
#define SHARED_P "uis"
#define SHARED_OF \
	" WHERE c.id = ? AND c.tenant_id = ? AND c.user_id = ?" \
	" AND EXISTS (SELECT 1 FROM conversation_share s WHERE s.id = ?" \
	" AND s.conversation_id = c.id AND s.tenant_id = c.tenant_id" \
	" AND s.user_id = c.user_id" SHARE_VALID \
	" AND (s.upto_seq IS NULL OR m.seq <= s.upto_seq)" \
	" AND (s.tools OR m.kind IN (1, 3, 5))" \
	" AND EXISTS (SELECT 1 FROM " SHARE_READERS \
	" WHERE s.reader_id = UNHEX(j.x)))"
#define SHARED_PAGE_OF SHARED_OF " ORDER BY m.seq "

/* How it went. SEP must not be COMMA: it is passed on. */
#define TURN_COURSE_FIELDS(F, SEP) \
	F(started_us, i, "t.started_us") SEP \
	F(ended_us, I, "t.ended_us") SEP \
	F(resumes, i, "t.resumes") SEP \
	F(error_code, S, "t.error_code") SEP \
	F(error_text, S, "t.error_text") SEP \
	F(client, S, "t.client")
#define TURN_FIELDS(F, SEP) \
	F(id, u, "t.id") SEP \
	F(conversation_id, u, "t.conversation_id") SEP \
	F(status, i, "t.status") SEP \
	F(lease_until_us, i, "t.lease_until_us") SEP \
	F(cancel_requested, i, "t.cancel_requested") SEP \
	F(stop_us, I, "t.stop_us") SEP \
	F(response_gone, i, "t.response_gone") SEP \
	F(user_seq, i, "t.user_seq") SEP \
	F(answer_seq, I, "t.answer_seq") SEP \
	F(last_event_seq, i, "t.last_event_seq") SEP \
	TURN_COURSE_FIELDS(F, SEP)
#define TURN_OWNED \
	" FROM turn t JOIN conversation c ON c.id = t.conversation_id" \
	" WHERE t.id = ? AND c.tenant_id = ? AND c.user_id = ?"

#define TURN_STATE_FIELDS(F, SEP) \
	F(id, u, "id") SEP \
	F(status, i, "status") SEP \
	F(cancel_requested, i, "cancel_requested") SEP \
	F(stop_us, I, "stop_us") SEP \
	F(last_event_seq, i, "last_event_seq") SEP \
	F(lease_until_us, i, "lease_until_us") SEP \
	F(journal_id, U, "journal_id")

/*
 * The events of turn t, in order: its own rows from before it had a journal,
 * its parts of the journal, its own rows from its end. A journal's row has 32
 * bytes per turn (turn_journal): JOURNAL_NUMBER is one of its numbers.
 */
#define JOURNAL_NUMBER(at) \
	"COALESCE(CAST(CONV(HEX(SUBSTR(i.turns, LOCATE(t.id, i.turns) + " at "," \
	" 4)), 16, 10) AS SIGNED), 0)"
#define JOURNAL_PLACE \
	"UPDATE turn SET journal_id = ?, journal_from = ?, journal_seq = ?," \
	" journal_key = ? WHERE id = ? AND status = 1 AND resumes = ?"
#define JOURNAL_INSERT \
	"INSERT INTO turn_journal (process, number, created_us, turns, data)" \
	" VALUES (?,?,?,?,?) ON DUPLICATE KEY UPDATE" \
	" turns = VALUES(turns), data = VALUES(data)"
#define TURN_ROWS_OLD \
	" JOIN turn_event e ON e.turn_id = t.id" \
	" AND e.seq < COALESCE(t.journal_seq, 4294967296)"
/*
 * Examines all rows of the process since the turn started, but only the small
 * column: data is read by a second look-up, so that it is fetched only for rows
 * that have the turn.
 */
#define TURN_ROWS_JOURNAL \
	" STRAIGHT_JOIN turn_journal i ON i.process = t.journal_id" \
	" AND i.number >= t.journal_from AND LOCATE(t.id, i.turns)"
#define TURN_DATA_JOURNAL TURN_ROWS_JOURNAL \
	" STRAIGHT_JOIN turn_journal j ON j.process = i.process" \
	" AND j.number = i.number"
#define TURN_ROWS_NEW \
	" JOIN turn_event e ON e.turn_id = t.id AND e.seq >= t.journal_seq"
#define TURN_EVENTS_FIELDS(F, SEP) \
	F(turn_id, u, "e.turn_id") SEP \
	F(seq, i, "CAST(e.seq AS SIGNED)") SEP \
	F(n, i, "CAST(e.n AS SIGNED)") SEP \
	F(data, B, "e.data") SEP \
	F(process, U, "t.journal_id") SEP \
	F(number, i, "0") SEP \
	F(key, B, "NULL")
#define JOURNAL_FIELDS(F, SEP) \
	F(turn_id, u, "t.id") SEP \
	F(seq, i, JOURNAL_NUMBER("16")) SEP \
	F(n, i, JOURNAL_NUMBER("20") " - " JOURNAL_NUMBER("16") " + 1") SEP \
	F(data, B, "SUBSTR(j.data, 1 + " JOURNAL_NUMBER("24") ", " \
	  JOURNAL_NUMBER("28") ")") SEP \
	F(process, U, "t.journal_id") SEP \
	F(number, i, "CAST(i.number AS SIGNED)") SEP \
	F(key, B, "t.journal_key")

#define TURN_WAIT_FIELDS(F, SEP) \
	F(turn_id, u, "w.turn_id") SEP \
	F(position, i, "w.position") SEP \
	F(id, u, "w.id") SEP \
	F(conversation_id, u, "w.conversation_id") SEP \
	F(kind, i, "w.kind") SEP \
	F(status, i, "w.status") SEP \
	F(call_id, s, "w.call_id") SEP \
	F(tool, s, "w.tool") SEP \
	F(effect, i, "w.effect") SEP \
	F(flags, i, "w.flags") SEP \
	F(reason, s, "w.reason") SEP \
	F(origins, S, "w.origins") SEP \
	F(args, s, "w.args") SEP \
	F(digest, b, "w.digest") SEP \
	F(edited, S, "w.edited") SEP \
	F(result, S, "w.result") SEP \
	F(is_error, i, "w.is_error") SEP \
	F(created_us, i, "w.created_us") SEP \
	F(expires_us, i, "w.expires_us") SEP \
	F(decided_us, I, "w.decided_us") SEP \
	F(decided_seq, I, "w.decided_seq") SEP \
	F(decided_by, U, "w.decided_by") SEP \
	F(decided_via, S, "w.decided_via") SEP \
	F(used_us, I, "w.used_us")
#define ALLOWED_FIELDS(F, SEP) \
	F(tool, s, "a.tool") SEP \
	F(wait_id, u, "a.wait_id") SEP \
	F(created_us, i, "a.created_us")
#define NOTICE_FIELDS(F, SEP) \
	F(seq, i, "n.seq") SEP \
	F(kind, i, "n.kind") SEP \
	F(subject_id, U, "n.subject_id") SEP \
	F(conversation_id, U, "n.conversation_id") SEP \
	F(word, S, "n.word") SEP \
	F(title, S, "n.title") SEP \
	F(done, I, "n.done") SEP \
	F(total, I, "n.total") SEP \
	F(created_us, i, "n.created_us")

#define TOKEN_FIELDS(F, SEP) \
	F(id, u, "id") SEP \
	F(tenant_id, s, "tenant_id") SEP \
	F(user_id, u, "user_id") SEP \
	F(login, s, "login") SEP \
	F(name, S, "name") SEP \
	F(groups, s, "groups") SEP \
	F(agents, S, "agents") SEP \
	F(tools, S, "tools") SEP \
	F(read_only, i, "read_only") SEP \
	F(approve, i, "approve") SEP \
	F(used_us, I, "used_us") SEP \
	F(created_us, i, "created_us") SEP \
	F(expires_us, I, "expires_us") SEP \
	F(revoked_us, I, "revoked_us")

#define USER_FIELDS(F, SEP) \
	F(login, s, "login") SEP \
	F(name, S, "name")

#define MCP_PIN_FIELDS(F, SEP) \
	F(tool, s, "tool") SEP \
	F(hash, b, "hash") SEP \
	F(definition, s, "definition") SEP \
	F(accepted_us, i, "accepted_us")

#define JOB_FIELDS(F, SEP) \
	F(kind, s, "kind") SEP \
	F(subject, s, "subject") SEP \
	F(tenant_id, s, "tenant_id") SEP \
	F(user_id, U, "user_id") SEP \
	F(args, S, "args") SEP \
	F(due_us, i, "due_us") SEP \
	F(asked, i, "asked") SEP \
	F(attempts, i, "attempts") SEP \
	F(error, S, "error") SEP \
	F(created_us, i, "created_us")

/* Whose the sources of message m are: its turn's; of a copy in a fork, its own. */
#define SOURCES_OF_MESSAGE \
	"COALESCE(m.turn_id, UNHEX(MD5(CONCAT(m.conversation_id, '.', m.seq))))"
#define TURN_SOURCE_FIELDS(F, SEP) \
	F(no, i, "s.no") SEP \
	F(base_id, U, "s.base_id") SEP \
	F(document_id, U, "s.document_id") SEP \
	F(attachment_id, U, "s.attachment_id") SEP \
	F(chunk, i, "s.chunk") SEP \
	F(page, i, "s.page") SEP \
	F(score, d, "s.score") SEP \
	F(external_id, S, "s.external_id") SEP \
	F(title, s, "s.title") SEP \
	F(url, S, "s.url") SEP \
	F(text, s, "s.text")

#define SHOW_TURN_FIELDS(F, SEP) \
	F(id, u, "t.id") SEP \
	F(conversation_id, u, "t.conversation_id") SEP \
	F(user_id, u, "c.user_id") SEP \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(status, i, "t.status") SEP \
	TURN_COURSE_FIELDS(F, SEP)

#define SHOW_USAGE_FIELDS(F, SEP) \
	F(kind, i, "kind") SEP \
	F(agent_id, S, "agent_id") SEP \
	F(service, S, "service_id") SEP \
	F(provider, s, "provider") SEP \
	F(model, s, "model") SEP \
	F(payer, I, "payer") SEP \
	F(input_tokens, I, "input_tokens") SEP \
	F(cache_read_tokens, I, "cache_read_tokens") SEP \
	F(cache_write_tokens, I, "cache_write_tokens") SEP \
	F(output_tokens, I, "output_tokens") SEP \
	F(reasoning_tokens, I, "reasoning_tokens") SEP \
	F(cost, D, "cost") SEP \
	F(estimated, i, "estimated") SEP \
	F(iterations, i, "iterations") SEP \
	F(ttft_ms, I, "ttft_ms") SEP \
	F(duration_ms, i, "duration_ms") SEP \
	F(finish_reason, s, "finish_reason") SEP \
	F(prompts, s, "prompts") SEP \
	F(tools, S, "tools") SEP \
	F(created_us, i, "created_us")

#define TOOL_OUTPUT_FIELDS(F, SEP) \
	F(tool, s, "tool") SEP \
	F(content, s, "content") SEP \
	F(origins, S, "origins")

/* Lists of ids in three sizes, padded with the last one. */
#define IDS_4 "?,?,?,?"
#define IDS_32 IDS_4 "," IDS_4 "," IDS_4 "," IDS_4 "," \
	IDS_4 "," IDS_4 "," IDS_4 "," IDS_4
#define IDS_256 IDS_32 "," IDS_32 "," IDS_32 "," IDS_32 "," \
	IDS_32 "," IDS_32 "," IDS_32 "," IDS_32
/* The holders of settings: STORE_SETTINGS of them. */
#define IDS_16 IDS_4 "," IDS_4 "," IDS_4 "," IDS_4
#define U_4 "uuuu"
#define U_16 U_4 U_4 U_4 U_4
#define U_32 U_4 U_4 U_4 U_4 U_4 U_4 U_4 U_4
#define U_256 U_32 U_32 U_32 U_32 U_32 U_32 U_32 U_32

#endif
