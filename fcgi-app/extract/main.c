/* SPDX-License-Identifier: MIT */
/* See extract.h. Started by the responder and the command, not by users. */
#include "extract/extract.h"

#include <errno.h>
#include <getopt.h>
#include <libxml/xmlmemory.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "extract/confine.h"

#include "base/banned.h"

/*
 * The unit test checks for leaks: at exit this process would need forbidden system
 * calls for that, and for symbol names.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:symbolize=0";
}

static _Noreturn void no_memory(void)
{
	_exit(EXTRACT_MEMORY);
}

/* For libxml2, which would continue with half a tree. */
static void *get(size_t n)
{
	void *p = malloc(n);

	if (!p)
		no_memory();
	return p;
}

static void *get_again(void *old, size_t n)
{
	void *p = realloc(old, n);

	if (!p)
		no_memory();
	return p;
}

static char *get_copy(const char *s)
{
	char *p = strdup(s);

	if (!p)
		no_memory();
	return p;
}

/* Reports an error to the parent process, which logs it. */
static void say(const char *what, const char *more)
{
	struct buf b = BUF_INIT(512);

	buf_addf(&b, "%s%s\n", what, more);
	(void)!write(2, b.p, b.n);
	buf_release(&b);
}

static const struct extract_type *read_options(int argc, char **argv,
					       struct extract *x)
{
	static const struct option known[] = {
		{ "type", required_argument, NULL, 't' },
		{ "charset", required_argument, NULL, 'c' },
		{ "links", no_argument, NULL, 'l' },
		{ "head", no_argument, NULL, 'h' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 'o' },
		{ "most", required_argument, NULL, 'm' },
		{ "languages", required_argument, NULL, 'g' },
		{ 0 },
	};
	const struct extract_type *type = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 't')
			type = extract_type(optarg);
		else if (c == 'c')
			x->charset = optarg;
		else if (c == 'l')
			x->links = true;
		else if (c == 'h')
			x->head = true;
		else if (c == 'f')
			x->from = (int)strtol(optarg, NULL, 10);
		else if (c == 'o')
			x->to = (int)strtol(optarg, NULL, 10);
		else if (c == 'm')
			x->most = (int)strtol(optarg, NULL, 10);
		else if (c == 'g')
			x->languages = optarg;
		else
			return NULL;
	}
	return optind == argc ? type : NULL;
}

static int read_input(struct buf *in)
{
	for (;;) {
		ssize_t n;

		if (!buf_reserve(in, 65536))
			return EXTRACT_TOO_BIG;
		n = read(0, in->p + in->n, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return EXTRACT_UNREADABLE;
		if (n == 0)
			return EXTRACT_OK;
		in->n += (size_t)n;
		in->p[in->n] = '\0';
	}
}

static int write_output(struct str s)
{
	while (s.n) {
		ssize_t n = write(1, s.p, s.n);

		if (n < 0 && errno != EINTR)
			return EXTRACT_UNREADABLE;
		if (n > 0)
			s = (struct str){ s.p + n, s.n - (size_t)n };
	}
	return EXTRACT_OK;
}

int main(int argc, char **argv)
{
	struct extract x = {
		.input = BUF_INIT(LIM_EXTRACT_FILE_BYTES + 65536),
		.out = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES),
		.most = 1, .to = LIM_EXTRACT_PAGES, .languages = "eng",
	};
	const struct extract_type *type = read_options(argc, argv, &x);
	struct buf why = BUF_INIT(256);
	int rc;

	if (!type) {
		say("usage: lamplighter-extract --type TYPE [--charset NAME] "
		    "[--links] <FILE", "");
		return EXTRACT_USAGE;
	}
	xmlMemSetup(free, get, get_again, get_copy);
	xmlInitParser();
	rc = read_input(&x.input);
	if (rc == EXTRACT_OK)
		rc = type->prepare(&x);
	if (confine(type->quiet, &why) < 0)
		say(EXTRACT_UNCONFINED, why.p);
	if (rc == EXTRACT_OK)
		rc = type->extract(&x);
	if (rc == EXTRACT_OK && !buf_ok(&x.out))
		rc = EXTRACT_TOO_BIG;
	if (rc == EXTRACT_OK || (type->answers && buf_ok(&x.out))) {
		int written = write_output(buf_str(&x.out));

		rc = rc == EXTRACT_OK ? written : rc;
	}
	/* Without exit handlers of libraries, which may need forbidden system calls. */
	_exit(rc);
}
