/* SPDX-License-Identifier: MIT */
/* Choosing among the variants of a message, and correcting an answer (docs/thread.md). */
#ifndef API_VARIANT_H
#define API_VARIANT_H

#include "request.h"
#include "store/message.h"

/*
 * Makes the variant that begins with head_seq the thread (thread_switch), and
 * notifies the owner's clients of that, and of a turn that was ended for it. The
 * errors of thread_switch.
 */
int variant_switch(struct request *rq, const struct uuid *conversation_id,
		   int64_t head_seq, struct err *e) MUST_CHECK;

/*
 * Stores content, which the user has written, in the place of an answer of the path's
 * conversation (turn_correct), and notifies the owner's clients. version: that the
 * conversation must have; -1: any. key: of the request; nil: it has none. *out: as it is
 * stored. ERR_TOO_BIG if the user stores too much; the errors of thread_correct.
 */
int variant_correct(struct request *rq, int64_t seq, struct str content,
		    int64_t version, const struct uuid *key, struct message *out,
		    struct err *e) MUST_CHECK;

#endif
