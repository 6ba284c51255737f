/* SPDX-License-Identifier: MIT */
/* lib/base/spawn.c: programs of all manners, and what is left of them. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn.h"

struct ran {
	struct buf out, err;
	struct spawn_result r;
	struct err e;
	int rc;
};

static struct ran run_with(const char *script, const char *input, int timeout_ms,
			   int stop_fd, struct spawn_limits limits, size_t cap)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	const char *env[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	struct spawn s = {
		.argv = argv, .env = env, .dir = "/", .limits = limits,
	};
	struct ran x = {
		.out = BUF_INIT(cap), .err = BUF_INIT(4096), .e = ERR_INIT,
	};

	x.rc = spawn_run(&s, str_of(input), timeout_ms, stop_fd, &x.out, &x.err,
			 &x.r, &x.e);
	return x;
}

static struct ran run(const char *script, const char *input)
{
	return run_with(script, input, 20000, -1, (struct spawn_limits){ 0 },
			1 << 20);
}

static void done(struct ran *x)
{
	buf_release(&x->out);
	buf_release(&x->err);
	/* nobody is left to be waited for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void input_goes_in_and_output_comes_out(void **state)
{
	struct ran x = run("cat; echo to stderr >&2; exit 3", "{\"a\":1}");

	(void)state;
	assert_int_equal(x.rc, 0);
	assert_string_equal(x.out.p, "{\"a\":1}");
	assert_string_equal(x.err.p, "to stderr\n");
	assert_int_equal(x.r.exit_code, 3);
	assert_int_equal(x.r.signal, 0);
	done(&x);
}

static void much_goes_both_ways(void **state)
{
	size_t n = 900000;
	char *in = calloc(1, n + 1);
	struct ran x;

	(void)state;
	memset(in, 'x', n);
	x = run("tee /dev/stderr", in);
	assert_int_equal(x.out.n, n);
	assert_int_equal(x.err.n, 4096);	/* the rest is dropped */
	assert_int_equal(x.r.exit_code, 0);
	done(&x);
	/* one that does not read what it is given */
	x = run("exec <&-; echo ok", in);
	assert_string_equal(x.out.p, "ok\n");
	done(&x);
	free(in);
}

/* The signals of a mask in /proc/PID/status, but for the two of libc itself. */
static unsigned long long signals(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	assert_non_null(p);
	return strtoull(p + strlen(name), NULL, 16) & ~(3ULL << 31);
}

static void nothing_is_inherited(void **state)
{
	int leaked = fcntl(1, F_DUPFD, 70);	/* without O_CLOEXEC */
	struct ran x;

	(void)state;
	assert_true(leaked >= 70);
	setenv("SECRET_OF_OURS", "hunter2", 1);
	x = run("ls /proc/$$/fd | tr '\\n' ' '; env | sort; "
		"grep -E 'Sig(Blk|Ign)' /proc/self/status", "");
	assert_non_null(strstr(x.out.p, "0 1 2 "));
	assert_null(strstr(x.out.p, " 70 "));
	assert_null(strstr(x.out.p, "hunter2"));
	assert_non_null(strstr(x.out.p, "ONLY=this\n"));
	assert_int_equal(signals(x.out.p, "SigBlk:"), 0);
	assert_int_equal(signals(x.out.p, "SigIgn:"), 0);
	close(leaked);
	done(&x);
}

static void a_missing_program_says_so(void **state)
{
	const char *argv[] = { "/nonexistent/program", NULL };
	const char *env[] = { NULL };
	struct spawn s = { .argv = argv, .env = env, .dir = "/" };
	struct err e = ERR_INIT;
	struct child c;

	(void)state;
	assert_int_equal(child_start(&s, &c, &e), -1);
	assert_int_equal(e.code, ERR_TOOL_FAILED);
	assert_string_equal(e.text, "/nonexistent/program: No such file or "
			    "directory");
	assert_int_equal(child_end(&c), 0);
	argv[0] = "/bin/true";
	s.dir = "/nonexistent";
	err_clear(&e);
	assert_int_equal(child_start(&s, &c, &e), -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void late_ones_are_killed_with_their_children(void **state)
{
	int64_t start = clock_mono_ms();
	struct ran x = run_with("sleep 300 & echo $!; wait", "", 300, -1,
				(struct spawn_limits){ 0 }, 1 << 20);

	(void)state;
	assert_true(x.r.late);
	assert_true(clock_mono_ms() - start < 10000);
	assert_int_equal(x.r.signal, SIGKILL);
	done(&x);
}

/* Whether it is gone, or a zombie that init will take. */
static bool is_gone(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return true;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	return !line[0] || strstr(line, ") Z ");
}

/* What it leaves running does not keep us, and does not stay. */
static void leftovers_are_killed(void **state)
{
	int64_t start = clock_mono_ms();
	struct ran x = run("sleep 300 & echo $!", "");
	pid_t pid = (pid_t)strtol(x.out.p, NULL, 10);

	(void)state;
	assert_true(pid > 1);
	assert_int_equal(x.r.exit_code, 0);
	while (!is_gone(pid))
		assert_true(clock_mono_ms() - start < 10000);
	done(&x);
}

static void a_fork_bomb_ends_in_time(void **state)
{
	int64_t start = clock_mono_ms();
	struct ran x = run_with("b() { sleep 100 & [ $1 -gt 60 ] && wait; "
				"b $(($1 + 1)) & b $(($1 + 1)); }; b 1", "",
				200, -1, (struct spawn_limits){ .cpu_s = 2 },
				1 << 20);

	(void)state;
	assert_true(x.r.late);
	assert_true(clock_mono_ms() - start < 20000);
	done(&x);
}

static void floods_are_ended(void **state)
{
	struct ran x = run_with("exec yes", "", 20000, -1,
				(struct spawn_limits){ 0 }, 65536);

	(void)state;
	assert_true(x.r.too_big);
	assert_int_equal(x.out.n, 65536);
	done(&x);
	/* of stderr what is too much is dropped */
	x = run_with("head -c 500000 /dev/zero >&2; echo fine", "", 20000, -1,
		     (struct spawn_limits){ 0 }, 65536);
	assert_string_equal(x.out.p, "fine\n");
	done(&x);
}

static bool writers_are_faster;

/* Ours instead of the C library's: then there is never nothing to read. */
ssize_t read(int fd, void *p, size_t n)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };

	if (writers_are_faster)
		(void)poll(&in, 1, 1000);
	return syscall(SYS_read, fd, p, n);
}

static void a_flood_of_errors_ends_in_time(void **state)
{
	int64_t start = clock_mono_ms();
	struct ran x;

	(void)state;
	writers_are_faster = true;
	x = run_with("exec timeout 60 yes >&2", "", 300, -1,
		     (struct spawn_limits){ 0 }, 65536);
	writers_are_faster = false;
	assert_true(x.r.late);
	assert_true(clock_mono_ms() - start < 20000);
	assert_int_equal(x.err.n, 4096);
	done(&x);
}

static void limits_hold(void **state)
{
	struct ran x = run_with("while :; do :; done", "", 20000, -1,
				(struct spawn_limits){ .cpu_s = 1 }, 4096);

	(void)state;
	assert_true(x.r.signal == SIGXCPU || x.r.signal == SIGKILL);
	assert_false(x.r.late);
	assert_in_range(x.r.cpu_ms, 500, 2500);	/* kernels sample it */
	done(&x);
	x = run_with("ulimit -n; ulimit -v; ulimit -f; ulimit -p; ulimit -c", "",
		     20000, -1, (struct spawn_limits){
			     .files = 40, .memory_mb = 512, .file_mb = 3,
			     .processes = 5000 }, 4096);
	assert_string_equal(x.out.p, "40\n524288\n6144\n5000\n0\n");
	done(&x);
	x = run_with("ulimit -f; echo $(ulimit -Hc)", "", 20000, -1,
		     (struct spawn_limits){ .file_mb = SPAWN_NONE }, 4096);
	assert_string_equal(x.out.p, "0\n0\n");
	done(&x);
}

static void *pull(void *fd)
{
	uint64_t one = 1;

	assert_int_equal(write(*(int *)fd, &one, sizeof(one)), sizeof(one));
	return NULL;
}

static void it_stops_when_told(void **state)
{
	int64_t start = clock_mono_ms();
	int fd = eventfd(0, EFD_CLOEXEC);
	pthread_t thread;
	struct ran x;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, pull, &fd), 0);
	x = run_with("sleep 300", "", 60000, fd, (struct spawn_limits){ 0 },
		     4096);
	pthread_join(thread, NULL);
	assert_true(x.r.stopped);
	assert_true(clock_mono_ms() - start < 10000);
	close(fd);
	done(&x);
}

static void *many(void *unused)
{
	for (int i = 0; i < 20; i++) {
		struct ran x = run("read a; echo $a", "hello\n");

		assert_string_equal(x.out.p, "hello\n");
		assert_int_equal(x.r.exit_code, 0);
		buf_release(&x.out);
		buf_release(&x.err);
	}
	return unused;
}

static void threads_do_not_mix_their_pipes(void **state)
{
	pthread_t threads[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many, NULL),
				 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(input_goes_in_and_output_comes_out),
		cmocka_unit_test(much_goes_both_ways),
		cmocka_unit_test(nothing_is_inherited),
		cmocka_unit_test(a_missing_program_says_so),
		cmocka_unit_test(late_ones_are_killed_with_their_children),
		cmocka_unit_test(leftovers_are_killed),
		cmocka_unit_test(a_fork_bomb_ends_in_time),
		cmocka_unit_test(floods_are_ended),
		cmocka_unit_test(a_flood_of_errors_ends_in_time),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(it_stops_when_told),
		cmocka_unit_test(threads_do_not_mix_their_pipes),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("spawn", tests, NULL, NULL);
}
