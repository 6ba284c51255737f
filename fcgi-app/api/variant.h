/* SPDX-License-Identifier: MIT */
/* Choosing among the variants of a message (docs/thread.md). */
#ifndef API_VARIANT_H
#define API_VARIANT_H

#include "request.h"

/*
 * Makes the variant that begins with head_seq the thread (thread_choose), and
 * notifies the owner's clients of that, and of a turn that was ended for it. The
 * errors of thread_choose.
 */
int variant_choose(struct request *rq, const struct uuid *conversation_id,
		   int64_t head_seq, struct err *e) MUST_CHECK;

#endif
