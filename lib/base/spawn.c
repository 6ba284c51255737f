/* SPDX-License-Identifier: MIT */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#include "base/banned.h"

enum {
	FIRST_FD = 3,		/* behind stdin, stdout, stderr */
	CLOSE_MOST = 65536,	/* descriptors closed singly, on old kernels */
	READ_BYTES = 16384,
	READS = 64,		/* in a row: as much as the largest pipe holds */
	LOOK_MS = 20,		/* without a pid_fd, or for a stop */
};

/* -- in the child, between fork and exec: system calls only ------------------ */

static const struct {
	int resource;
	size_t offset;		/* of an int in struct spawn_limits */
	rlim_t unit;
} rows[] = {
	{ RLIMIT_CPU, offsetof(struct spawn_limits, cpu_s), 1 },
	{ RLIMIT_AS, offsetof(struct spawn_limits, memory_mb), 1 << 20 },
	{ RLIMIT_FSIZE, offsetof(struct spawn_limits, file_mb), 1 << 20 },
	{ RLIMIT_NOFILE, offsetof(struct spawn_limits, files), 1 },
	{ RLIMIT_NPROC, offsetof(struct spawn_limits, processes), 1 },
};

static void limit(const struct spawn_limits *limits)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int n = *(const int *)((const char *)limits + rows[i].offset);
		rlim_t most = n > 0 ? (rlim_t)n * rows[i].unit : 0;
		struct rlimit l = { most, most };

		if (n != 0)
			(void)setrlimit(rows[i].resource, &l);
	}
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

static void default_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &dfl, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* All but the first three and status, which exec closes. */
static void close_others(int status)
{
	if (dup3(status, FIRST_FD, O_CLOEXEC) < 0 && errno != EINVAL)
		_exit(127);
	if (syscall(SYS_close_range, FIRST_FD + 1, ~0U, 0) == 0)
		return;
	for (int fd = FIRST_FD + 1; fd < CLOSE_MOST; fd++)
		(void)close(fd);
}

static _Noreturn void child_main(const struct spawn *s, const int *fds,
				 int status)
{
	int why;

	(void)setsid();
	if (!s->outlives_thread)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 3; i++)
		if (dup2(fds[i], i) < 0)
			_exit(127);
	close_others(status);
	limit(&s->limits);
	(void)umask(077);
	default_signals();
	if (chdir(s->dir) == 0)
		execve(s->argv[0], (char *const *)s->argv,
		       (char *const *)s->env);
	why = errno;
	(void)!write(FIRST_FD, &why, sizeof(why));
	_exit(127);
}

/* -- starting ---------------------------------------------------------------- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A pipe away from 0 to 2, which a daemon may have closed. */
static int make_pipe(int p[2])
{
	if (pipe2(p, O_CLOEXEC) < 0) {
		p[0] = p[1] = -1;
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		int fd = p[i];

		if (fd >= FIRST_FD)
			continue;
		p[i] = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
		close(fd);
		if (p[i] < 0)
			return -1;
	}
	return 0;
}

static int no_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* in, out, err, status: four pipes. */
enum { PIPES = 4 };

static int fork_child(const struct spawn *s, int p[PIPES][2])
{
	const int fds[3] = { p[0][0], p[1][1], p[2][1] };
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		child_main(s, fds, p[3][1]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

/* Why the program could not be started, as errno; 0 if it is running. */
static int exec_error(int fd)
{
	int why = 0;
	ssize_t n;

	do {
		n = read(fd, &why, sizeof(why));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(why) ? why : 0;
}

int child_start(const struct spawn *s, struct child *c, struct err *e)
{
	int p[PIPES][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	char why[80];
	int rc = -1, no;

	*c = (struct child){ -1, -1, -1, -1, -1, 0 };
	for (int i = 0; i < PIPES; i++)
		if (make_pipe(p[i]) < 0) {
			err_set(e, ERR_OVERLOADED, "pipe: %s",
				err_errno(errno, why, sizeof(why)));
			goto out;
		}
	if (no_blocking(p[0][1]) < 0 || no_blocking(p[1][0]) < 0 ||
	    no_blocking(p[2][0]) < 0) {
		err_set(e, ERR_INTERNAL, "fcntl: %s",
			err_errno(errno, why, sizeof(why)));
		goto out;
	}
	c->pid = fork_child(s, p);
	if (c->pid < 0) {
		err_set(e, ERR_OVERLOADED, "fork: %s",
			err_errno(errno, why, sizeof(why)));
		goto out;
	}
	close_fd(&p[3][1]);
	c->pid_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	no = exec_error(p[3][0]);
	if (no) {
		child_end(c);
		err_set(e, ERR_TOOL_FAILED, "%.120s: %s", s->argv[0],
			err_errno(no, why, sizeof(why)));
		goto out;
	}
	c->in = p[0][1];
	c->out = p[1][0];
	c->err = p[2][0];
	p[0][1] = p[1][0] = p[2][0] = -1;
	rc = 0;
out:
	for (int i = 0; i < PIPES; i++) {
		close_fd(&p[i][0]);
		close_fd(&p[i][1]);
	}
	return rc;
}

int child_end(struct child *c)
{
	struct rusage used = { .ru_maxrss = 0 };
	int status = 0;

	if (c->pid > 0) {
		/* Before the wait, because until then the pid cannot belong to another process. */
		(void)kill(-c->pid, SIGKILL);
		(void)kill(c->pid, SIGKILL);
		while (wait4(c->pid, &status, 0, &used) < 0 && errno == EINTR)
			continue;
		c->cpu_ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000)
			+ (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
		c->pid = -1;
	}
	close_fd(&c->pid_fd);
	close_fd(&c->in);
	close_fd(&c->out);
	close_fd(&c->err);
	return status;
}

/* -- running to the end ------------------------------------------------------ */

struct run {
	const struct spawn *s;
	struct child c;
	struct str input;
	struct buf *out, *errors;
	struct spawn_result *r;
	int stop_fd;
	int64_t until;
};

/* False: no more of it can be had. */
static bool feed(struct run *u)
{
	ssize_t n = 0;

	if (!u->input.n && u->s->more &&
	    u->s->more(u->s->more_ctx, &u->input) < 0)
		return false;
	if (u->input.n) {
		n = write(u->c.in, u->input.p, u->input.n);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
	}
	if (n > 0) {
		u->input.p += n;
		u->input.n -= (size_t)n;
	}
	/* It need not read: a closed pipe is no error. */
	if (n < 0 || (u->input.n == 0 && (n == 0 || !u->s->more)))
		close_fd(&u->c.in);
	return true;
}

/*
 * Reads what is available; closes at the end. False if it exceeds the cap. Stops
 * after READS reads, so that a flood does not delay the deadline or a stop.
 */
static bool drain(int *fd, struct buf *b, bool keep_going)
{
	char part[READ_BYTES];

	for (int i = 0; i < READS; i++) {
		ssize_t n = read(*fd, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0) {
			close_fd(fd);
			return true;
		}
		buf_add(b, part, MIN((size_t)n, b->cap - b->n));
		if (b->n == b->cap && !keep_going)
			return false;
	}
	return true;
}

/* Whether it has ended, without waiting and without taking its status. */
static bool ended(const struct child *c)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)c->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == c->pid;
}

/* One look at everything. False when it is over. */
static bool step(struct run *u)
{
	struct pollfd p[] = {
		{ .fd = u->c.in, .events = POLLOUT },
		{ .fd = u->c.out, .events = POLLIN },
		{ .fd = u->c.err, .events = POLLIN },
		{ .fd = u->c.pid_fd, .events = POLLIN },
		{ .fd = u->stop_fd, .events = POLLIN },
	};
	int64_t left = u->until - clock_mono_ms();

	if (left <= 0) {
		u->r->late = true;
		return false;
	}
	if (u->s->stop && atomic_load(u->s->stop)) {
		u->r->stopped = true;
		return false;
	}
	if (u->c.pid_fd < 0 || u->s->stop)
		left = MIN(left, LOOK_MS);
	if (poll(p, ARRAY_LEN(p), (int)MIN(left, 3600000)) < 0)
		return errno == EINTR;
	if (p[4].revents) {
		u->r->stopped = true;
		return false;
	}
	if (p[0].revents && !feed(u)) {
		u->r->stopped = true;
		return false;
	}
	if (p[2].revents)
		(void)drain(&u->c.err, u->errors, true);
	if (p[1].revents && !drain(&u->c.out, u->out, false)) {
		u->r->too_big = true;
		return false;
	}
	return !ended(&u->c);
}

int spawn_run(const struct spawn *s, struct str input, int timeout_ms,
	      int stop_fd, struct buf *out, struct buf *errors,
	      struct spawn_result *r, struct err *e)
{
	struct run u = {
		.s = s, .input = input, .out = out, .errors = errors, .r = r,
		.stop_fd = stop_fd, .until = clock_mono_ms() + timeout_ms,
	};
	int status;

	*r = (struct spawn_result){ .exit_code = -1 };
	if (child_start(s, &u.c, e) < 0)
		return -1;
	while (step(&u))
		continue;
	/* What it wrote last is still in the pipes. */
	if (!r->late && !r->stopped && !r->too_big) {
		if (u.c.out >= 0 && !drain(&u.c.out, out, false))
			r->too_big = true;
		if (u.c.err >= 0)
			(void)drain(&u.c.err, errors, true);
	}
	status = child_end(&u.c);
	r->cpu_ms = u.c.cpu_ms;
	if (WIFEXITED(status))
		r->exit_code = WEXITSTATUS(status);
	else if (WIFSIGNALED(status))
		r->signal = WTERMSIG(status);
	return 0;
}
