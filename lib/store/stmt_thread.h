/* SPDX-License-Identifier: MIT */
/*
 * Part of stmt.h, which includes it: the order of a thread's messages, its gaps and
 * variants. Parts of SQL for stmt.def, rows, and the functions that read them.
 */
#ifndef STORE_STMT_THREAD_H
#define STORE_STMT_THREAD_H

#include "store/store.h"

/*
 * Bounds of m.seq for the messages of the thread after its newest gap, or next to a
 * number. MIN and MAX over an index are evaluated before the plan is made, so the
 * optimizer sees a range with constant bounds. The number is in a gap if the start of
 * one bound is beyond the end of the other.
 */
#define GAP(what) \
	"(SELECT " what " FROM thread_gap" \
	" WHERE conversation_id = ? AND head_seq = 0"
#define BEHIND_GAPS_P "u"
#define BEHIND_GAPS \
	" AND m.seq > COALESCE(" GAP("MAX(to_seq)") "), 0)"
#define NEXT_BELOW_P "uiuiuiiui"
#define NEXT_BELOW \
	" AND m.seq < IF(COALESCE(" GAP("MAX(from_seq)") " AND from_seq < ?), 0)" \
	" > COALESCE(" GAP("MAX(to_seq)") " AND to_seq < ? - 1), 0)," \
	" " GAP("MAX(from_seq)") " AND from_seq < ?), ?)" \
	" AND m.seq > COALESCE(" GAP("MAX(to_seq)") " AND to_seq < ? - 1), 0)"
#define NEXT_ABOVE_P "uiuiuiiui"
#define NEXT_ABOVE \
	" AND m.seq > IF(COALESCE(" GAP("MIN(to_seq)") " AND to_seq > ?)," \
	" 4294967296) < COALESCE(" GAP("MIN(from_seq)") " AND from_seq > ? + 1)," \
	" 4294967296), " GAP("MIN(to_seq)") " AND to_seq > ?), ?)" \
	" AND m.seq < COALESCE(" GAP("MIN(from_seq)") " AND from_seq > ? + 1)," \
	" 4294967296)"
/* Their arguments. */
#define NEXT_ARGS(id, seq) \
	DB_U(id), DB_I(seq), DB_U(id), DB_I(seq), DB_U(id), DB_I(seq), \
	DB_I(seq), DB_U(id), DB_I(seq)

/* m.seq is in one of these ranges (thread.h); arguments: RANGE_ARGS. */
#define R_1 "m.seq BETWEEN ? AND ?"
#define R_4 R_1 " OR " R_1 " OR " R_1 " OR " R_1
#define IN_RANGES_P "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"
#define IN_RANGES " AND (" R_4 " OR " R_4 " OR " R_4 " OR " R_4 ")"

#define IS_STEP "(m.kind = 2)"	/* KIND_STEP */
struct spot {		/* a message without its text */
	int64_t seq, role, superseded, created_us, step;
};

/*
 * A message of the thread by its number. ERR_NOT_FOUND; ERR_CONFLICT if it was
 * superseded. The caller has checked the owner.
 */
int thread_spot(struct db *db, const struct uuid *conversation_id, int64_t seq,
		struct spot *out, struct err *e) MUST_CHECK;

/*
 * The nearest message next to seq that stmt selects, downwards or upwards: 1;
 * 0, with *out zero, if there is none; -1.
 */
enum stmt;
int thread_find(struct db *db, enum stmt stmt, const struct uuid *conversation_id,
		int64_t seq, struct spot *out, struct err *e) MUST_CHECK;

/*
 * Numbers what follows after_seq as a variant: the user message; else the answer;
 * else, if there are only steps (of a wait that was given up), the first of them.
 */
int thread_number(struct db *tx, const struct uuid *conversation_id,
		  int64_t after_seq, int64_t index, int64_t count,
		  struct err *e) MUST_CHECK;

/*
 * Copies to a fork the messages up to *seq with their sources, as many as a batch has, at
 * most `rows` (FORK_COPY_ROWS); *seq becomes what is left.
 */
#define FORK_COPY_ROWS 1000
int thread_copy_some(struct db *tx, const struct uuid *from, const struct uuid *id,
		     int64_t rows, int64_t *seq, struct err *e) MUST_CHECK;

/*
 * Whether a batch that failed with e may succeed with fewer rows: after any error of the
 * server, but not if it is unreachable. Sets *rows, and clears e.
 */
bool thread_copy_fewer(int64_t *rows, struct err *e);

/*
 * The number of the last message of a thread; 0 = none. The conversation is
 * locked.
 */
int thread_last(struct db *tx, const struct uuid *conversation_id,
		int64_t *seq, struct err *e) MUST_CHECK;

#define SPOT_FIELDS(F, SEP) \
	F(seq, i, "m.seq") SEP \
	F(role, i, "m.role") SEP \
	F(superseded, i, "COALESCE((SELECT g.to_seq FROM thread_gap g" \
	" WHERE g.conversation_id = m.conversation_id AND g.head_seq = 0" \
	" AND g.from_seq <= m.seq ORDER BY g.from_seq DESC LIMIT 1), 0)" \
	" >= m.seq") SEP \
	F(created_us, i, "m.created_us") SEP \
	F(step, i, IS_STEP)
#define VARIANT_FIELDS(F, SEP) \
	F(after_seq, i, "after_seq") SEP \
	F(head_seq, i, "head_seq") SEP \
	F(last_seq, I, "last_seq") SEP \
	F(created_us, i, "created_us")
struct number {
	int64_t index, count;
};
#define NUMBER_FIELDS(F, SEP) \
	F(index, I, "CAST(SUM(head_seq <= ?) AS SIGNED)") SEP \
	F(count, i, "COUNT(*)")

/*
 * Versions of what is remembered of a conversation, and facts (lib/memory). What ends
 * with a message, or was made from it, is right for each thread that has the message.
 */
#define IN_THREAD(seq) \
	"COALESCE((SELECT g.to_seq FROM thread_gap g" \
	" WHERE g.conversation_id = x.conversation_id AND g.head_seq = 0" \
	" AND g.from_seq <= " seq " ORDER BY g.from_seq DESC LIMIT 1), 0) < " seq
#define MEMORY_FIELDS(F, SEP) \
	F(number, i, "x.number") SEP \
	F(seen_seq, i, "x.seen_seq") SEP \
	F(upto_seq, i, "x.upto_seq") SEP \
	F(replaces, I, "x.replaces") SEP \
	F(why, i, "x.why") SEP \
	F(summary, s, "x.summary") SEP \
	F(state, S, "x.state") SEP \
	F(kept, S, "x.kept") SEP \
	F(origins, S, "x.origins") SEP \
	F(service, S, "x.service") SEP \
	F(created_us, i, "x.created_us") SEP \
	F(here, i, IN_THREAD("x.seen_seq"))
#define PLAN_FIELDS(F, SEP) \
	F(id, u, "p.id") SEP \
	F(conversation_id, u, "p.conversation_id") SEP \
	F(turn_id, u, "p.turn_id") SEP \
	F(goal, s, "p.goal") SEP \
	F(status, s, "p.status") SEP \
	F(plan, s, "p.plan") SEP \
	F(progress, s, "p.progress") SEP \
	F(origins, S, "p.origins") SEP \
	F(rights, S, "p.rights") SEP \
	F(asked_us, i, "p.asked_us")
#define PLAN_STEP_FIELDS(F, SEP) \
	F(number, i, "x.number") SEP \
	F(status, i, "x.status") SEP \
	F(result, S, "x.result") SEP \
	F(origins, S, "x.origins") SEP \
	F(tokens, i, "x.tokens") SEP \
	F(cost, D, "x.cost") SEP \
	F(started_us, I, "x.started_us") SEP \
	F(ended_us, I, "x.ended_us") SEP \
	F(stop_us, I, "x.stop_us")
#define PLAN_CALL_FIELDS(F, SEP) \
	F(number, i, "x.number") SEP \
	F(call_id, s, "x.call_id") SEP \
	F(tool, s, "x.tool") SEP \
	F(args, s, "x.args") SEP \
	F(text, S, "x.text") SEP \
	F(tries, i, "x.tries") SEP \
	F(landed, i, "x.landed") SEP \
	F(flags, i, "x.flags") SEP \
	F(result, S, "x.result") SEP \
	F(origins, S, "x.origins")
#define FACT_FIELDS(F, SEP) \
	F(seq, i, "x.seq") SEP \
	F(kind, i, "x.kind") SEP \
	F(tool, s, "x.tool") SEP \
	F(fact, s, "x.fact") SEP \
	F(origins, S, "x.origins") SEP \
	F(created_us, i, "x.created_us")

/* What is remembered of users (lib/memory/personal.h). */
#define PERSONAL_FIELDS(F, SEP) \
	F(text, s, "text") SEP \
	F(state, s, "state") SEP \
	F(origins, S, "origins")

#endif
