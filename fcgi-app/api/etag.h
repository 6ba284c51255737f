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

/* The tag of the record, which also says whether it is answering. */
const char *etag_conversation(const struct conversation *c, int64_t now_us,
			      char out[ETAG_BYTES]);

/* Of the row of a resource at that version. */
const char *etag_row(int64_t version, char out[ETAG_BYTES]);

/* Of a page of the thread at that version. */
const char *etag_page(int64_t version, char out[ETAG_BYTES]);

/*
 * Adds the tag to the answer. True when If-None-Match has it: the answer is
 * complete then, 304 without a body.
 */
bool etag_answer(const struct request *rq, struct response *rs,
		 const char *tag);

/*
 * 1 when If-Match has tag, 0 when there is no If-Match or it is "*" (any version
 * will do). ERR_PRECONDITION when it has other tags only.
 */
int etag_wanted(const struct request *rq, const char *tag,
		struct err *e) MUST_CHECK;

/*
 * The version that a change must find: *version = c's when If-Match has its
 * tag, -1 (any) when there is no If-Match or it is "*". ERR_PRECONDITION when
 * it has other tags only.
 */
int etag_required(const struct request *rq, const struct conversation *c,
		  int64_t *version, struct err *e) MUST_CHECK;

#endif
