/* SPDX-License-Identifier: MIT */
/*
 * OCR of pages of a PDF that are images, and of image files: by Tesseract if it is
 * installed (scans.tesseract), else by the LLM service scans.llm_service. A few pages
 * at a time, so that a turn or a job can stop in between and another one can continue
 * (attachment.unread).
 */
#ifndef FILE_SCAN_H
#define FILE_SCAN_H

#include <stdatomic.h>

#include "conf/conf.h"
#include "store/attachment.h"

struct http_abort;
struct http_pool;

struct file_scanner {		/* all members are borrowed */
	struct db *db;
	const struct conf *conf;
	struct http_pool *http;	/* NULL: no service can be asked */
	/* Each ends a read with ERR_CANCELLED; either may be NULL. */
	struct http_abort *abort;
	const atomic_bool *stop;
	const struct uuid *user;	/* who asked for it: takes a place */
	struct owner by;	/* to whom the usage of a service is charged */
};

/*
 * Reads the next pages of a ready file of o and stores their text in the order of
 * pages; updates t, in a. 1: there are more; 0: there are no more, or (t->unread is
 * still set) nothing here can read them; -1: ERR_OVERLOADED if a later try may
 * succeed, ERR_UPSTREAM if the service refuses until an admin has changed
 * something, ERR_CANCELLED, those of the store. Blocks for half a minute, or as
 * long as the service takes. Only one caller at a time reads a file, on any node: for
 * the others it returns after a moment, with what was read until then.
 */
int file_scan(const struct file_scanner *k, const struct owner *o,
	      struct attachment *t, struct arena *a, struct err *e) MUST_CHECK;

/*
 * Inside lib/file and for tests: appends the pages of both texts to out in their order,
 * each with its mark. Text without a mark comes first.
 */
void file_scan_merge(struct str old, struct str more, struct buf *out);

#endif
