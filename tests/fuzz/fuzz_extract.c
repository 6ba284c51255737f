/* SPDX-License-Identifier: MIT */
/*
 * A reader of files on arbitrary bytes (READER; one program each): an exit code that
 * has a sentence, valid UTF-8, and no mark of a page that the reader did not count
 * (HAS_INNER: or files in it).
 */
#include <libxml/parser.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/file.h"
#include "extract/page.h"
#include "extract/web.h"

#ifndef HAS_INNER
#define HAS_INNER false
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

/* The first byte chooses what the sender said of the charset. */
static int text(struct extract *x)
{
	static const char *const said[] = {
		NULL, "utf-8", "windows-1252", "utf-16", "shift_jis", "gb18030",
		"iso-2022-jp", "nonsense",
	};

	if (x->input.n)
		x->charset = said[(unsigned char)x->input.p[0] % ARRAY_LEN(said)];
	return extract_plain(x);
}

/* As pages of the web come, with their charset found out. */
static int page(struct extract *x)
{
	int rc = extract_page_prepare(x);

	x->links = x->input.n % 2;
	return rc == EXTRACT_OK ? extract_page_read(x) : rc;
}

static int web(struct extract *x)
{
	int rc = extract_page_prepare(x);

	return rc == EXTRACT_OK ? extract_web_read(x) : rc;
}

/* Each is used by one of the programs only. */
static int (*const all[])(struct extract *x) = {
	extract_mail, text, page, web, extract_rtf, extract_office,
	extract_sitemap_read,
};

static void prepare(void)
{
	static bool done;
	struct extract x = { .depth = 0 };

	if (done)
		return;
	done = true;
	(void)all;
	xmlInitParser();
	expect(extract_file_prepare(&x) == EXTRACT_OK);
}

/* One of a page: only the readers write it. */
static bool has_mark(struct str s)
{
	static const char mark[] = "<!-- page ";

	return memmem(s.p, s.n, mark, sizeof(mark) - 1) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct extract x = {
		.input = BUF_INIT(size + 1), .out = BUF_INIT(LIM_FILE_TEXT_BYTES),
	};
	int rc;

	/* Not ours, and most of the time would be its. */
	if (memmem(data, size, "%PDF", 4))
		return 0;
	prepare();
	buf_add(&x.input, (const char *)data, size);
	rc = READER(&x);
	expect(rc == EXTRACT_OK || (rc >= EXTRACT_UNREADABLE &&
				    rc <= EXTRACT_BOMB));
	expect(x.pages >= 0 && x.pages <= LIM_EXTRACT_PAGES);
	if (buf_ok(&x.out)) {
		expect(utf8_valid(buf_str(&x.out)));
		if (!x.pages && !HAS_INNER)
			expect(!has_mark(buf_str(&x.out)));
	}
	buf_release(&x.input);
	buf_release(&x.out);
	return 0;
}
