/* SPDX-License-Identifier: MIT */
#include "lsock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"

#include "base/banned.h"

#define BACKLOG       4096	/* connections wait here while workers start */
#define PASSED_FD     3		/* where systemd puts the first socket */
#define READY_FD      4		/* on which a successor reports that it serves */
#define FREE_FD       10	/* above both */
#define READY_MS      60000	/* time for a successor to start */
#define PREDECESSOR   "LAMPLIGHTER_PREDECESSOR"	/* our parent's process id */

extern char **environ;

static bool is_listening(int fd)
{
	int on = 0;
	socklen_t n = sizeof(on);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &n) == 0 && on;
}

static int fail_errno(struct err *e, const char *what, const char *path)
{
	char text[128];

	return err_set(e, ERR_CONFIG, "%s: %s: %s", path, what,
		       err_errno(errno, text, sizeof(text)));
}

/* Whether the variable names this process id; removes it from the environment. */
static bool take_pid(const char *name, pid_t pid)
{
	const char *text = getenv(name);
	bool is = text && strtol(text, NULL, 10) == pid;

	(void)unsetenv(name);
	return is;
}

static void remember_path(struct lsock *l)
{
	struct stat st;

	if (l->path && lstat(l->path, &st) == 0) {
		l->dev = st.st_dev;
		l->ino = st.st_ino;
	}
}

void lsock_find(struct lsock *l, const char *path)
{
	const char *count = getenv("LISTEN_FDS");
	bool by_systemd = count && !strcmp(count, "1"), succeeds;

	*l = (struct lsock){ .fd = -1, .ready_fd = -1, .path = path };
	/* With -s, systemd's socket is not used: its path would be taken for ours. */
	by_systemd = take_pid("LISTEN_PID", getpid()) && by_systemd && !path;
	succeeds = take_pid(PREDECESSOR, getppid());
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	if ((by_systemd || succeeds) && is_listening(PASSED_FD)) {
		l->kind = path ? LSOCK_BOUND : LSOCK_PASSED;
		l->fd = PASSED_FD;
		(void)fcntl(l->fd, F_SETFD, FD_CLOEXEC);
		if (succeeds) {
			l->ready_fd = READY_FD;
			(void)fcntl(l->ready_fd, F_SETFD, FD_CLOEXEC);
		}
		/*
		 * On a socket that listens this only changes the length of its queue;
		 * systemd's may be short.
		 */
		(void)listen(l->fd, BACKLOG);
		remember_path(l);
	} else if (!path && is_listening(STDIN_FILENO)) {
		l->kind = LSOCK_SPAWNED;
		l->fd = STDIN_FILENO;
	}
}

/* Whether a process accepts on the socket at sun. */
static bool is_served(const struct sockaddr_un *sun)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: its queue is full, so it is in use. */
	bool served = fd >= 0 &&
		(connect(fd, (const struct sockaddr *)sun, sizeof(*sun)) == 0 ||
		 errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return served;
}

static int set_address(struct sockaddr_un *sun, const char *path,
		       struct err *e)
{
	*sun = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(sun->sun_path))
		return err_set(e, ERR_CONFIG, "%s: longer than a socket's path "
			       "may be (%zu)", path, sizeof(sun->sun_path) - 1);
	memcpy(sun->sun_path, path, strlen(path) + 1);
	return 0;
}

/* Checks that the path may be bound; removes an unused socket there. */
static int clear_path(const char *path, bool replace, struct err *e)
{
	struct sockaddr_un sun;
	struct stat st;

	if (set_address(&sun, path, e) < 0)
		return -1;
	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, ERR_CONFIG, "%s: is there and is not a socket",
			       path);
	if (replace)
		return 0;
	if (is_served(&sun))
		return err_set(e, ERR_CONFIG, "%s: another process serves it",
			       path);
	if (unlink(path) < 0)
		return fail_errno(e, "cannot replace the socket", path);
	return 0;
}

/* Creates a listening socket at path, which must not exist. */
static int listen_at(const char *path, struct err *e)
{
	struct sockaddr_un sun;
	mode_t mask;
	int fd, rc;

	if (set_address(&sun, path, e) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fail_errno(e, "socket", path);
	mask = umask(0117);	/* 0660 */
	rc = bind(fd, (struct sockaddr *)&sun, sizeof(sun));
	umask(mask);
	if (rc < 0 || listen(fd, BACKLOG) < 0) {
		fail_errno(e, "cannot listen", path);
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Keeps who may connect: at least the group, as which the web server connects. Only
 * root can change the owner.
 */
static int copy_access(const char *from, const char *to, struct err *e)
{
	struct stat st;

	if (lstat(from, &st) < 0)
		return 0;
	if ((lchown(to, st.st_uid, st.st_gid) < 0 &&
	     lchown(to, (uid_t)-1, st.st_gid) < 0) ||
	    chmod(to, st.st_mode & 07777) < 0)
		return fail_errno(e, "cannot keep the socket's group", from);
	return 0;
}

/*
 * To replace a socket, one with another name listens first and is then renamed, so
 * each connection reaches the old or the new one.
 */
int lsock_bind(struct lsock *l, bool replace, struct err *e)
{
	char other[sizeof(((struct sockaddr_un *)0)->sun_path) + 16];

	if (clear_path(l->path, replace, e) < 0)
		return -1;
	snprintf(other, sizeof(other), "%s.%ld", l->path, (long)getpid());
	l->fd = listen_at(replace ? other : l->path, e);
	if (l->fd < 0)
		return -1;
	if (replace && (copy_access(l->path, other, e) < 0 ||
			(rename(other, l->path) < 0 &&
			 fail_errno(e, "cannot replace the socket", l->path)))) {
		unlink(other);
		close(l->fd);
		l->fd = -1;
		return -1;
	}
	l->kind = LSOCK_BOUND;
	remember_path(l);
	return 0;
}

bool lsock_has_path(const struct lsock *l)
{
	struct stat st;

	return l->path && l->ino && lstat(l->path, &st) == 0 &&
		st.st_dev == l->dev && st.st_ino == l->ino;
}

void lsock_unlink(const struct lsock *l)
{
	if (lsock_has_path(l))
		(void)unlink(l->path);
}

/* The protocol of sd_notify(3): one datagram. */
static void tell_systemd(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if ((n && path[0] != '/' && path[0] != '@') || n < 2 ||
	    n >= sizeof(sun.sun_path))
		return;
	memcpy(sun.sun_path, path, n);
	if (path[0] == '@')
		sun.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		     (struct sockaddr *)&sun,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

void lsock_ready(struct lsock *l)
{
	if (l->ready_fd >= 0) {
		(void)!write(l->ready_fd, "1", 1);
		close(l->ready_fd);
		l->ready_fd = -1;
	}
	tell_systemd("READY=1");
}

/* Starts the successor with its end of the pipe. Returns 0 or an errno. */
static int start_successor(const struct lsock *l, char *const *argv,
			   int pipe_fd, pid_t *pid)
{
	posix_spawn_file_actions_t acts;
	char mark[sizeof(PREDECESSOR) + 24];
	size_t n = 0;
	char **env;
	int rc;

	while (environ[n])
		n++;
	env = xcalloc(n + 2, sizeof(*env));
	memcpy(env, environ, n * sizeof(*env));
	snprintf(mark, sizeof(mark), PREDECESSOR "=%ld", (long)getpid());
	env[n] = mark;
	rc = posix_spawn_file_actions_init(&acts);
	if (rc == 0) {
		rc = posix_spawn_file_actions_adddup2(&acts, l->fd, PASSED_FD);
		if (rc == 0)
			rc = posix_spawn_file_actions_adddup2(&acts, pipe_fd,
							      READY_FD);
		if (rc == 0)
			rc = posix_spawn_file_actions_addclosefrom_np(
				&acts, READY_FD + 1);
		if (rc == 0)
			rc = posix_spawnp(pid, argv[0], &acts, NULL, argv, env);
		posix_spawn_file_actions_destroy(&acts);
	}
	free(env);
	return rc;
}

/* Whether the successor reports that it serves, before it ends or time is up. */
static bool await_ready(int fd)
{
	int64_t end_ms = clock_mono_ms() + READY_MS;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;
	int rc;

	do {
		int64_t left_ms = MAX(end_ms - clock_mono_ms(), 0);

		rc = poll(&p, 1, (int)left_ms);
	} while (rc < 0 && errno == EINTR);
	return rc > 0 && read(fd, &byte, 1) == 1;
}

int lsock_succeed(const struct lsock *l, char *const *argv, pid_t *next,
		  struct err *e)
{
	int ends[2], far_fd, rc;
	char text[128];
	pid_t pid;
	bool ready;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno(e, "no pipe", argv[0]);
	/*
	 * Neither of the successor's numbers may be overwritten before it is duplicated
	 * itself.
	 */
	far_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, FREE_FD);
	close(ends[1]);
	rc = far_fd < 0 ? errno : start_successor(l, argv, far_fd, &pid);
	if (far_fd >= 0)
		close(far_fd);
	ready = rc == 0 && await_ready(ends[0]);
	close(ends[0]);
	if (ready) {
		snprintf(text, sizeof(text), "MAINPID=%ld", (long)pid);
		tell_systemd(text);
		*next = pid;
		return 0;
	}
	if (rc)
		return err_set(e, ERR_CONFIG, "%s: cannot be started: %s",
			       argv[0], err_errno(rc, text, sizeof(text)));
	(void)kill(pid, SIGKILL);	/* even if it hangs */
	(void)waitpid(pid, NULL, 0);
	return err_set(e, ERR_CONFIG, "%s: the next process did not start; "
		       "this one continues", argv[0]);
}
