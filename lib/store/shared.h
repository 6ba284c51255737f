/* SPDX-License-Identifier: MIT */
/*
 * Conversations that their owners let others read (conversation_share). Each statement
 * that reads one asks for itself whether the caller is one of the readers: a share that
 * is revoked between two requests shows nothing with the second.
 */
#ifndef STORE_SHARED_H
#define STORE_SHARED_H

#include "store/conversation.h"
#include "store/message.h"
#include "store/store.h"

/* Who reads: the ids that the caller reads as (resource_for), as JSON. */
struct shared_reader {
	struct str tenant_id, readers_json;
	struct uuid user_id;		/* of the caller; nil: who has a link */
};

struct shared {
	struct uuid id, conversation_id;
	struct uuid user_id;		/* owner of the conversation */
	struct str owner;		/* their login; p == NULL: not known */
	struct str workspace_id, agent_id;
	struct str title;		/* p == NULL: none */
	int64_t live, tools, files;	/* 1: yes */
	int64_t upto_seq;		/* the last message to read; 0: live */
	int64_t created_us;
	int64_t updated_us;		/* of the conversation */
};

/* ERR_NOT_FOUND, also for those of others, and those that have expired. Text in a. */
int shared_get(struct db *db, const struct shared_reader *by, const struct uuid *id,
	      struct arena *a, struct shared *out, struct err *e) MUST_CHECK;

/*
 * As whom those read who have a link (domain/public_link.h): the reader for shared_get.
 * since_us: of links that were not made or changed after that, none holds.
 * ERR_NOT_FOUND if there is no such link, or it has ended.
 */
int shared_link(struct db *db, struct str tenant_id, const struct uuid *id,
		int64_t since_us, struct uuid *reader, struct err *e) MUST_CHECK;

/* Ends the link of somebody of the tenant. ERR_NOT_FOUND. */
int shared_link_revoke(struct db *db, struct str tenant_id, const struct uuid *id,
		       struct err *e) MUST_CHECK;

/*
 * The newest ones of others (the caller may be of the group that they share with) before
 * `before` (nil: all), at most size of them, which is at most LIM_PAGE_MAX.
 */
int shared_list(struct db *db, const struct shared_reader *by, const struct uuid *before,
	       size_t size, struct arena *a, struct shared **out, size_t *n,
	       struct err *e) MUST_CHECK;

/*
 * A page of the thread, newest first, before before_seq (0: from the newest that the
 * share has). Steps and results of tools only if the share has them. s: of shared_get.
 * ERR_NOT_FOUND if it was revoked since.
 */
int shared_messages(struct db *db, const struct shared_reader *by, const struct shared *s,
		    int64_t before_seq, size_t size, struct arena *a,
		    struct message_page *out, struct err *e) MUST_CHECK;

/*
 * Creates a conversation of o's with the rows, oldest first, numbered from 1, if the share
 * still lets them be read. ERR_NOT_FOUND; ERR_CONFLICT if the id exists.
 */
int shared_fork(struct db *db, const struct owner *o, const struct shared_reader *by,
		const struct shared *s, const struct conversation_new *n,
		const struct message *rows, size_t n_rows, struct err *e) MUST_CHECK;

#endif
