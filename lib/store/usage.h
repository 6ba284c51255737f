/* SPDX-License-Identifier: MIT */
/*
 * Usage records: what a model call cost and how long it took (A43, E35). Never
 * prompt or answer text (A44).
 */
#ifndef STORE_USAGE_H
#define STORE_USAGE_H

#include "store/store.h"

enum usage_kind { USAGE_CHAT = 1, USAGE_COMPLETE = 2, USAGE_TITLE = 3,
		  USAGE_AGENT = 4,
		  USAGE_TRIAL = 5,	/* a service was tried */
		  USAGE_EMBED = 6, USAGE_RERANK = 7,	/* for searching */
		  USAGE_SCAN = 8,	/* the text of an image was read */
		  USAGE_SUMMARY = 9,	/* of a conversation (memory/fold.h) */
		  USAGE_TOOL = 10,	/* a tool that an MCP client called, and
					   approvals of calls; no model */
		  USAGE_TRANSCRIBE = 11,	/* sound became text */
		  USAGE_FOLLOW_UPS = 12 };	/* what may be asked next */

struct usage {
	struct uuid id;			/* made by the caller: uuid_new */
	int64_t kind;			/* enum usage_kind */
	struct str workspace_id, agent_id;	/* agent: p == NULL: none */
	struct uuid conversation_id, turn_id;	/* nil: none */
	int64_t turn_number;		/* of the conversation, from 1; 0 = none */
	struct str service;		/* id of the LLM service; p == NULL: not
					   known */
	struct str provider, model;
	int64_t payer;			/* enum llm_payer; 0 = unknown */
	/* Disjoint counters; -1 = unknown. */
	int64_t input_tokens, cache_read_tokens, cache_write_tokens;
	int64_t output_tokens;
	int64_t reasoning_tokens;	/* part of output; -1 = unknown */
	double cost;			/* NAN = unknown */
	bool estimated;			/* the counters are estimates */
	int64_t iterations;		/* model calls */
	int64_t ttft_ms;		/* time to first token; -1 = none */
	int64_t duration_ms;
	struct str finish_reason;
	struct str prompts;	/* JSON [{"layer","name","version","hash"}] */
	struct str tools;	/* JSON [{"name","ms","ok"}]; p == NULL: none */
	int64_t created_us;
};

/* An empty record: unknown counters, a new id, the current time. */
struct usage usage_init(enum usage_kind kind);

/* Inserts a record. Within store_turn_end it is part of the turn's transaction. */
int usage_insert(struct db *db, const struct owner *o, const struct usage *u,
		 struct err *e) MUST_CHECK;

/* The same for an id that counts once: ERR_DB_DUPLICATE if there is one. */
int usage_insert_once(struct db *db, const struct owner *o, const struct usage *u,
		      struct err *e) MUST_CHECK;

/*
 * For a turn that another process has closed: its record, whose id is the
 * turn's, replaces the estimate made then. paused: the id of a record with the
 * same figures from a pause whose COMMIT was not answered; nil or NULL: none.
 * If that record exists, nothing is stored.
 */
int usage_settle(struct db *db, const struct owner *o, const struct usage *u,
		 const struct uuid *paused, struct err *e) MUST_CHECK;

#endif
