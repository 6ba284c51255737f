/* SPDX-License-Identifier: MIT */
/* What the notices of each kind say. */
#include "event/notify_send.h"

#include "base/clock.h"
#include "base/log.h"

#include "base/banned.h"

void notify_turn(struct notify *n, const struct owner *o,
		 const struct uuid *turn, const struct uuid *conversation,
		 enum turn_status status)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_TURN_STATUS, .subject_id = *turn,
		.conversation_id = *conversation,
		.word = str_of(store_turn_status_name(status)),
		.done = -1, .total = -1 });
}

void notify_evicted(struct notify *n, const struct owner *o,
		    const struct uuid *conversation,
		    const struct turn_evicted *v)
{
	if (!uuid_is_nil(&v->id))
		notify_turn(n, o, &v->id, conversation, v->status);
}

void notify_title(struct notify *n, const struct owner *o,
		  const struct uuid *conversation, struct str title)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_TITLE, .conversation_id = *conversation,
		.title = title, .done = -1, .total = -1 });
}

void notify_conversation(struct notify *n, const struct owner *o,
			 const struct uuid *conversation, const char *change,
			 struct str title)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_CONVERSATION, .conversation_id = *conversation,
		.word = str_of(change), .title = title,
		.done = -1, .total = -1 });
}

void notify_job(struct notify *n, const struct owner *o, const struct uuid *job,
		const char *status, int64_t done, int64_t total)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_JOB_PROGRESS, .subject_id = *job,
		.word = str_of(status), .done = done, .total = total });
}

void notify_refresh(struct notify *n, const struct owner *o, const char *what,
		    const struct uuid *conversation)
{
	struct notice refresh = {
		.kind = NOTICE_REFRESH, .word = str_of(what),
		.done = -1, .total = -1,
	};

	if (conversation)
		refresh.conversation_id = *conversation;
	notify_send(n, o, &refresh);
}

void notify_or_store(struct notify *n, struct db *db, const struct owner *o,
		     const struct notice *what)
{
	struct notice_row row = { .owner = *o, .notice = *what };
	struct err e = ERR_INIT;

	row.notice.done = row.notice.total = -1;
	row.notice.created_us = clock_now_us();
	if (n)
		notify_send(n, o, &row.notice);
	else if (notice_store(db, &row, 1, &e) < 0)
		log_err("a notice", &e);
}
