/*
 * The responder: one program under any web server. It finds out by itself how
 * it was started: -s binds its own socket; descriptor 0 is a listening socket
 * when a FastCGI process manager started it; else it is a plain CGI program.
 *
 * Signals: all are blocked before the first thread exists, so that none ever
 * interrupts a write; one thread takes them with sigwait. SIGTERM and SIGINT
 * drain: no new connections, what runs may finish within the grace period,
 * then turns are stopped and stored with what they have, as interrupted.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config.h"

#include "app.h"
#include "base/log.h"
#include "fcgi.h"
#include "turn/live.h"
#include "turn/notify.h"
#include "worker.h"

#include "base/banned.h"

#define BACKLOG       4096	/* a burst waits here while workers start */
#define ABORT_MS      5000	/* for stopped turns to be stored */
/*
 * The longest grace under a web server that started us: mod_fcgid kills a process
 * eight seconds after its SIGTERM.
 */
#define SPAWNED_GRACE_MS 4000
#define DEFAULT_CONF  LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml"

struct options {
	const char *conf, *socket;
};

static void usage(FILE *f)
{
	fputs("usage: lamplighter.fcgi [-c CONFIG] [-s SOCKET]\n"
	      "  -c  configuration (else $LAMPLIGHTER_CONFIG, else "
	      DEFAULT_CONF ")\n"
	      "  -s  serve FastCGI on this unix socket\n"
	      "  -V  print the version    -h  print this\n"
	      "Without -s it serves the listening socket that is descriptor 0,\n"
	      "or one CGI request; then it reads no options.\n", f);
}

/* Returns -1 to go on, or the exit status. */
static int read_options(int argc, char **argv, struct options *o)
{
	const char *env = getenv("LAMPLIGHTER_CONFIG");
	int c;

	*o = (struct options){ .conf = env && *env ? env : DEFAULT_CONF };
	/*
	 * A web server passes the words of a query without "=" to a CGI program
	 * as its arguments: "?-c+/path" is anybody's.
	 */
	if (getenv("GATEWAY_INTERFACE") || getenv("REQUEST_METHOD"))
		return -1;
	while ((c = getopt(argc, argv, "c:s:Vh")) != -1) {
		switch (c) {
		case 'c':
			o->conf = optarg;
			break;
		case 's':
			o->socket = optarg;
			break;
		case 'V':
			puts("lamplighter " PACKAGE_VERSION);
			return 0;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 64;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 64;
	}
	return -1;
}

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

/* Whether somebody accepts on the socket at sun. */
static bool is_served(const struct sockaddr_un *sun)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: its queue is full, so it is somebody's. */
	bool served = fd >= 0 &&
		(connect(fd, (const struct sockaddr *)sun, sizeof(*sun)) == 0 ||
		 errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return served;
}

/*
 * Our own listening socket. A socket that another process still serves is never
 * taken; one that a crashed process left is replaced.
 */
static int listen_at(const char *path, struct err *e)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int fd, rc;

	if (strlen(path) >= sizeof(sun.sun_path))
		return err_set(e, ERR_CONFIG, "%s: longer than a socket's path "
			       "may be (%zu)", path, sizeof(sun.sun_path) - 1);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	if (lstat(path, &st) == 0) {
		if (!S_ISSOCK(st.st_mode))
			return err_set(e, ERR_CONFIG, "%s: is there and is not "
				       "a socket", path);
		if (is_served(&sun))
			return err_set(e, ERR_CONFIG,
				       "%s: another process serves it", path);
		if (unlink(path) < 0)
			return fail_errno(e, "cannot replace the socket", path);
	}
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

static void block_signals(sigset_t *all)
{
	sigfillset(all);
	/* What a program does to itself must not be held back. */
	sigdelset(all, SIGSEGV);
	sigdelset(all, SIGBUS);
	sigdelset(all, SIGFPE);
	sigdelset(all, SIGILL);
	sigdelset(all, SIGABRT);
	sigdelset(all, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, all, NULL);
}

/* A stream takes one, and the usual soft limit of 1024 is for select(). */
static void allow_descriptors(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
}

/*
 * Keys and conversations are in memory, so there are no core dumps, and no other
 * process of the account can read it. Called before any of them is loaded.
 */
static void allow_dumps(bool on)
{
	(void)prctl(PR_SET_DUMPABLE, on ? 1 : 0);
}

/* libfcgi and the database client both change SIGPIPE, so we set it last. */
static void settle_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction dflt = { .sa_handler = SIG_DFL };

	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGTERM, &dflt, NULL);
	sigaction(SIGINT, &dflt, NULL);
	sigaction(SIGUSR1, &ignore, NULL);
	sigaction(SIGHUP, &ignore, NULL);	/* files are looked at anyway */
}

static void wait_for_stop(void)
{
	sigset_t stop;
	int sig;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	while (sigwait(&stop, &sig) != 0)
		;
}

static bool dumps_wanted(struct app *app)
{
	const struct conf *c = app_conf(app);
	bool on = c->core_dumps;

	conf_put(c);
	return on;
}

/* For what runs when we are told to stop. */
static int grace_ms(struct app *app, bool spawned)
{
	const struct conf *c = app_conf(app);
	int ms = c->threads.grace_s * 1000;

	conf_put(c);
	return spawned ? MIN(ms, SPAWNED_GRACE_MS) : ms;
}

static int serve_fastcgi(struct app *app, const struct options *o,
			 struct err *e)
{
	int fd = o->socket ? listen_at(o->socket, e) : 0;
	struct workers *pool;
	int left;

	if (fd < 0)
		return -1;
	pool = workers_start(app, fd, o->socket != NULL, e);
	if (!pool)
		return -1;
	log_info("serving", "socket", o->socket ? o->socket : "inherited");
	wait_for_stop();
	/* First, so that nobody connects to a socket that nobody serves. */
	if (o->socket)
		unlink(o->socket);
	log_info("stopping");
	left = workers_stop(pool, grace_ms(app, !o->socket), ABORT_MS);
	close(fd);
	if (left) {
		log_warn("some requests did not end in time");
		exit(0);	/* their threads still use everything */
	}
	log_info("stopped");
	return 0;
}

/* A CGI program has only a few seconds to stop: store what there is. */
static void *cgi_signals(void *p)
{
	struct app *app = p;

	wait_for_stop();
	turn_live_interrupt(app->live);
	notify_stop(app->notify);
	return NULL;
}

static int serve_one(struct app *app, struct err *e)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, cgi_signals, app);

	if (rc)
		return err_set(e, ERR_INTERNAL, "no signal thread");
	serve_cgi(app);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return 0;
}

/*
 * Web servers end a CGI program, by its pid, soon after its client has left or its
 * answer is complete. A turn and the work after it must continue, so requests that
 * may begin one run in a child that the server does not know. The child has the same
 * descriptors for the answer, and closes the server's others, which would keep its
 * ports open after a restart.
 */
static void leave_server(void)
{
	const char *method = getenv("REQUEST_METHOD");
	pid_t pid;

	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (!method || strcmp(method, "POST"))
		return;
	pid = fork();
	if (pid > 0)
		_exit(0);
	if (pid == 0)
		setsid();
	/* Else the limit of processes may be reached: serve it in this one. */
}

/* A CGI program that cannot start must still answer its web server. */
static void answer_broken(void)
{
	fputs("Status: 500 Internal Server Error\r\n"
	      "Content-Type: application/problem+json\r\n"
	      "Cache-Control: no-store\r\n\r\n"
	      "{\"type\":\"about:blank\",\"title\":\"Internal Server Error\","
	      "\"status\":500,\"code\":\"config_invalid\",\"detail\":"
	      "\"The configuration is not valid.\",\"retryable\":false}", stdout);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct options o;
	struct app app;
	sigset_t blocked;
	bool fastcgi;
	int rc = read_options(argc, argv, &o);

	if (rc >= 0)
		return rc;
	fastcgi = o.socket || is_listening(STDIN_FILENO);
	if (!fastcgi && !getenv("REQUEST_METHOD")) {
		fputs("lamplighter.fcgi: started neither by a web server nor "
		      "with -s\n", stderr);
		usage(stderr);
		return 64;
	}
	if (!fastcgi)
		leave_server();
	block_signals(&blocked);
	allow_descriptors();
	allow_dumps(false);
	rc = app_open(&app, o.conf, &e);
	if (rc == 0)
		allow_dumps(dumps_wanted(&app));
	if (rc == 0 && fastcgi)
		rc = fcgi_global_init(&e);
	app.gateway = o.socket ? GATEWAY_SOCKET : fastcgi ? GATEWAY_SPAWNED
		: GATEWAY_CGI;
	settle_signals();
	if (rc == 0)
		rc = fastcgi ? serve_fastcgi(&app, &o, &e)
			: serve_one(&app, &e);
	else if (!fastcgi)
		answer_broken();
	if (rc < 0)
		fprintf(stderr, "lamplighter.fcgi: %s\n", e.text);
	app_close(&app);
	return rc < 0 ? 1 : 0;
}
