/*
 * OCR of pages of a PDF that are images, and of image files: by Tesseract if it is
 * installed (scans.tesseract), else by the LLM service scans.llm_service. A few pages
 * at a time, so that a turn or a job can stop in between and another one can continue
 * (attachment.unread).
 */
#ifndef FILE_SCAN_H
#define FILE_SCAN_H

#include "conf/conf.h"
#include "store/attachment.h"

struct http_abort;
struct http_pool;

struct file_scanner {		/* everything is borrowed */
	struct db *db;
	const struct conf *conf;
	struct http_pool *http;	/* NULL: no service is used */
	struct http_abort *abort;	/* NULL: cannot be cancelled */
	struct owner by;	/* to whom a service's usage is charged */
};

/*
 * Reads the next pages of a ready file of o and merges their text with that of the
 * others, in the order of pages; updates t, in a. Returns 1 if there are more pages, 0
 * if there are none or (t->unread is still set) nothing can read them, or -1:
 * ERR_OVERLOADED if it may work later, ERR_CANCELLED, errors of the store. Blocks for
 * half a minute, or as long as the service takes.
 */
int file_scan(const struct file_scanner *k, const struct owner *o,
	      struct attachment *t, struct arena *a, struct err *e) MUST_CHECK;

/*
 * Inside lib/file and for tests: appends the pages of both texts to out in their order,
 * each with its mark. Text without a mark comes first.
 */
void file_scan_merge(struct str old, struct str more, struct buf *out);

#endif
