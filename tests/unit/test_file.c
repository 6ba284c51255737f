/* SPDX-License-Identifier: MIT */
/* lib/file over a real MariaDB: room for uploads, and who reads them how. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "base/util.h"
#include "file/extract.h"
#include "file/scan.h"
#include "file/upload.h"
#include "store/attachment.h"
#include "store_lab.h"

#define PROGRAM "lamplighter-extract-file"
#define SAYS "cat >/dev/null; echo 'type: text/plain'; echo; echo hello"
#define DAY_US INT64_C(86400000000)

static char dir[] = "/tmp/lamplighter-test-file-XXXXXX";
static const struct file_caps caps = {
	.file_bytes = 8 << 20, .all_mb = 2, .whose = "Your files", .what = "a file",
	.or_else = "",
};

static const char *in_dir(const char *name)
{
	return arena_printf(&a, "%s/%s", dir, name);
}

/* What reads files from now on. */
static void reader(const char *script)
{
	const char *path = in_dir(PROGRAM);
	FILE *f;

	(void)unlink(path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fprintf(f, "#!/bin/sh\n%s\n", script) > 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

static int open_lab(void **state)
{
	*state = (char *)"t_file";
	if (!mkdtemp(dir) || setenv("LAMPLIGHTER_LIBEXEC_DIR", dir, 1) < 0)
		return -1;
	return store_lab_open(state);
}

static int close_lab(void **state)
{
	(void)unlink(in_dir(PROGRAM));
	(void)unlink(in_dir("go"));
	(void)rmdir(dir);
	return store_lab_close(state);
}

static struct attachment begun(const struct owner *o)
{
	struct uuid id = uuid_new();
	struct attachment t;

	ok(attachment_create(db, o, &id, S("a.txt"), clock_now_us() + DAY_US,
			     &e));
	ok(attachment_get(db, o, &id, &a, &t, &e));
	return t;
}

static void no_process_is_no_fact(void **state)
{
	struct attachment t = begun(&ann);
	struct file_upload *u = file_upload_new(db, &ann, &caps, &t, &a);
	struct rlimit had, none;
	int rc;

	(void)state;
	reader(SAYS);
	ok(file_upload_add(u, "hello\n", 6, &e));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &had), 0);
	none = had;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	rc = file_upload_end(u, true, &a, &t, &e);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &had), 0);
	refused(rc, ERR_OVERLOADED);
	file_upload_release(u);
	/* What arrived is there, and nothing is said about it. */
	ok(attachment_get(db, &ann, &t.id, &a, &t, &e));
	assert_false(t.ready);
	assert_int_equal(t.size, 6);
	u = file_upload_new(db, &ann, &caps, &t, &a);
	ok(file_upload_end(u, true, &a, &t, &e));
	file_upload_release(u);
	assert_true(t.ready);
	assert_null(t.problem.p);
	assert_str_is(t.media_type, "text/plain");
}

/* A retry of one that got its share of CPU time would cost as much again. */
static void only_a_starved_reader_is_tried_again(void **state)
{
	static const struct { struct spawn_result r; bool starved; } cases[] = {
		{ { .late = true, .cpu_ms = 500 }, true },
		{ { .late = true, .cpu_ms = 9999 }, true },
		{ { .late = true, .cpu_ms = 10000 }, false },
		{ { .late = true, .cpu_ms = 24000 }, false },
		{ { .late = false, .cpu_ms = 500 }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(file_extract_starved(&cases[i].r), cases[i].starved);
}

/* It comes to the CPU limit of a reader again, however often it is uploaded. */
static void too_much_work_is_a_fact(void **state)
{
	struct attachment t = begun(&ann);
	struct file_upload *u = file_upload_new(db, &ann, &caps, &t, &a);

	(void)state;
	reader("kill -9 $$");
	ok(file_upload_add(u, "slow\n", 5, &e));
	ok(file_upload_end(u, true, &a, &t, &e));
	file_upload_release(u);
	assert_true(t.ready);
	assert_str_is(t.problem, "The file takes too long to be read.");
}

/* Neither says how long it will be: each alone has room. */
static void uploads_at_once_share_the_room(void **state)
{
	static char bytes[1 << 20];
	struct attachment t[2] = { begun(&bob), begun(&bob) };
	struct file_upload *u[2];
	int i, rc = 0;

	(void)state;
	for (i = 0; i < 2; i++)
		u[i] = file_upload_new(db, &bob, &caps, &t[i], &a);
	for (i = 0; i < 8 && !rc; i++)
		rc = file_upload_add(u[i % 2], bytes, sizeof(bytes), &e);
	refused(rc, ERR_TOO_BIG);
	assert_int_equal(i, 3);
	for (i = 0; i < 2; i++)
		file_upload_release(u[i]);
}

struct making {
	struct uuid id;
	int tries;
};

/* As after a COMMIT without an answer that stored it all the same. */
static int make_tx(struct db *tx, void *ctx, struct err *err)
{
	struct making *m = ctx;

	if (m->tries++)
		ok(attachment_create(db, &ann, &m->id, S("x"),
				     clock_now_us() + DAY_US, err));
	if (attachment_create(tx, &ann, &m->id, S("x"), clock_now_us() + DAY_US,
			      err))
		return -1;
	if (m->tries == 1)
		dbtest_sql("KILL HARD USER lamplighter");	/* seen by COMMIT */
	return 0;
}

static void one_that_was_made_is_found(void **state)
{
	struct making m = { .id = uuid_new() };

	(void)state;
	ok(db_tx(db, make_tx, &m, &e));
	assert_int_equal(m.tries, 2);
}

/* -- how many at once ------------------------------------------------------------- */

static int nothing(void *ctx, struct str *next)
{
	(void)ctx;
	*next = (struct str){ NULL, 0 };
	return 0;
}

struct reading {
	struct uuid user;
	int64_t pages;
};

/* How many readers there were when this one began, as its pages. */
static void *read_one(void *ctx)
{
	struct reading *r = ctx;
	struct file_source src = { .more = nothing, .user = &r->user };
	struct file_found found = { .pages = -1 };
	struct arena own = ARENA_INIT;
	struct err err = ERR_INIT;

	if (file_extract_all(&src, &own, &found, &err) < 0)
		found.pages = -1;
	r->pages = found.pages;
	arena_release(&own);
	return NULL;
}

static bool is_running(void)
{
	struct stat st;

	return stat(in_dir("run.2"), &st) == 0;
}

/* As many files at once; no more than most of them are read at a time, all in the end. */
static void read_at_once(bool one_user, int most)
{
	enum { THREADS = 9 };
	pthread_t threads[THREADS];
	struct reading v[THREADS];
	int fd;

	(void)unlink(in_dir("go"));
	/* mkdir, because it may write nothing. */
	reader(arena_printf(&a, "cd %s; n=1; until mkdir run.$n 2>/dev/null;"
			    " do n=$((n + 1)); done;"
			    " until [ -e go ]; do sleep 0.02; done;"
			    " rmdir run.$n; echo 'type: x'; echo pages: $n; echo",
			    dir));
	for (int i = 0; i < THREADS; i++) {
		v[i].user = one_user ? ann.user_id : uuid_new();
		assert_int_equal(pthread_create(&threads[i], NULL, read_one,
						&v[i]), 0);
	}
	dbtest_until(is_running());
	fd = open(in_dir("go"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_in_range(v[i].pages, 1, most);
	}
}

static void a_user_has_two_places(void **state)
{
	(void)state;
	read_at_once(true, 2);
}

static void all_users_have_four(void **state)
{
	(void)state;
	read_at_once(false, 4);
}

/* -- pages that are images -------------------------------------------------------- */

static void merged(const char *old, const char *more, const char *want)
{
	struct buf b = BUF_INIT(4096);

	file_scan_merge(str_of(old), str_of(more), &b);
	assert_string_equal(b.n ? b.p : "", want);
	buf_release(&b);
}

#define PAGE(n, text) "<!-- page " #n " -->\n\n" text

static void pages_come_in_their_order(void **state)
{
	(void)state;
	merged("", "", "");
	merged("", "x", "x\n");
	merged(PAGE(2, "two\n"), "", PAGE(2, "two\n"));
	merged(PAGE(2, "two\n\n") PAGE(5, "five\n"),
	       PAGE(1, "one\n\n") PAGE(3, "three\n\n") PAGE(9, "nine\n"),
	       PAGE(1, "one\n\n") PAGE(2, "two\n\n") PAGE(3, "three\n\n")
	       PAGE(5, "five\n\n") PAGE(9, "nine\n"));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_process_is_no_fact),
		cmocka_unit_test(only_a_starved_reader_is_tried_again),
		cmocka_unit_test(too_much_work_is_a_fact),
		cmocka_unit_test(uploads_at_once_share_the_room),
		cmocka_unit_test(one_that_was_made_is_found),
		cmocka_unit_test(a_user_has_two_places),
		cmocka_unit_test(all_users_have_four),
		cmocka_unit_test(pages_come_in_their_order),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("file", tests, open_lab, close_lab);
}
