/* SPDX-License-Identifier: MIT */
/*
 * Validators (RFC 9110, 8.8 and 13.1): a conversation and its thread have a
 * version, which every change increments; a tag is that number. It identifies a
 * state, not bytes, so weak tags and those that a web server changed for its
 * compression (Apache's mod_deflate appends "-gzip", nginx prepends W/) count as the
 * tag that we sent, in If-Match too.
 */
#ifndef API_ETAG_H
#define API_ETAG_H

#include "request.h"
#include "response.h"
#include "store/conversation.h"

#define ETAG_BYTES 32

/* The tag of the record, which also tells if a turn is running. */
const char *etag_conversation(const struct conversation *c, int64_t now_us,
			      char out[ETAG_BYTES]);

/* The tag of a resource's row with that version. */
const char *etag_row(int64_t version, char out[ETAG_BYTES]);

/* The tag of a page of the thread with that version. */
const char *etag_page(int64_t version, char out[ETAG_BYTES]);

/*
 * Adds the tag to the answer. True if If-None-Match has it: the answer is then
 * complete, 304 without a body.
 */
bool etag_answer(const struct request *rq, struct response *rs,
		 const char *tag);

/*
 * 1 if If-Match has tag, 0 if there is no If-Match or it is "*" (any version).
 * ERR_PRECONDITION if it has other tags only.
 */
int etag_wanted(const struct request *rq, const char *tag,
		struct err *e) MUST_CHECK;

/*
 * The version that a change requires: *version = c's if If-Match has its tag, -1
 * (any) if there is no If-Match or it is "*". ERR_PRECONDITION if it has other tags
 * only.
 */
int etag_required(const struct request *rq, const struct conversation *c,
		  int64_t *version, struct err *e) MUST_CHECK;

#endif
