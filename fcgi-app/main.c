/* SPDX-License-Identifier: MIT */
/*
 * The responder: one program under any web server. It determines how it was
 * started: -s binds its own socket; systemd passes one; descriptor 0 is a listening
 * socket if a FastCGI process manager started it (lsock.h); otherwise it is a plain
 * CGI program.
 *
 * Signals: all are blocked before the first thread is created, so that they never
 * interrupt a write; one thread takes them with sigwait. SIGTERM and SIGINT drain:
 * new connections are not accepted, running requests may finish within the grace
 * period, then turns are stopped and stored with the text so far, as interrupted.
 * SIGHUP hands over: the next process accepts before this one stops accepting.
 */
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/version.h"
#include "db/db.h"
#include "fcgi.h"
#include "hold/stored.h"
#include "lsock.h"
#include "net/http.h"
#include "store/blob.h"
#include "store/blob_mark.h"
#include "event/live.h"
#include "event/notify.h"
#include "worker.h"

#include "base/banned.h"

#define ABORT_MS      5000	/* time for stopped turns to be stored */
#define CLOSE_MS      5000	/* for everything else, which may wait for the database */
#define HANDED_OVER_MS 3600000	/* for running turns when another process serves */
#define RELOAD_ASKED  0x4c616d70	/* with a SIGHUP of -R, which waits for an answer */
#define RELOAD_S      75		/* a successor gets a minute to start */
#define LOOK_MS       200	/* interval of checks for a signal meanwhile */
/*
 * The longest grace under a web server that started us: mod_fcgid kills a process
 * eight seconds after its SIGTERM.
 */
#define SPAWNED_GRACE_MS 4000
#define HEAPS         2
#define LARGE_BYTES   262144	/* blocks of this size go back to the system when freed */
#define DEFAULT_CONF  LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml"

struct options {
	const char *conf, *socket;
	bool replace;
};

static void usage(FILE *f)
{
	fputs("usage: lamplighter.fcgi [-c CONFIG] [-s SOCKET [-r]]\n"
	      "  -c  configuration (else $LAMPLIGHTER_CONFIG, else "
	      DEFAULT_CONF ")\n"
	      "  -s  serve FastCGI on this unix socket\n"
	      "  -r  take over the socket if another process serves it; that one is\n"
	      "      told to stop, and finishes its running requests\n"
	      "  -R PID  tell process PID to start its successor, and wait until that\n"
	      "      serves; the exit status is 1 if it does not (systemctl reload)\n"
	      "  -V  print the version    -h  print this\n"
	      "Without -s it serves the listening socket that systemd passes or that\n"
	      "is descriptor 0, or one CGI request; then it reads no options.\n", f);
}

/*
 * Root may signal every process, which may not signal root: -R becomes the user of the
 * process that is to answer. Of one that does not dump core, only status names the user.
 */
static bool become_user_of(long pid)
{
	unsigned uid = 0;
	char name[48], line[256];
	FILE *f;

	if (geteuid() != 0)
		return true;
	snprintf(name, sizeof(name), "/proc/%ld/status", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %u", &uid) == 1)
			break;
	if (f)
		fclose(f);
	return !uid || setuid(uid) == 0;
}

/* -R. Returns the exit status. */
static int reload(const char *text)
{
	const struct timespec limit = { .tv_sec = RELOAD_S };
	const union sigval ask = { .sival_int = RELOAD_ASKED };
	const long pid = strtol(text, NULL, 10);
	siginfo_t si = { .si_pid = 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pid <= 1 || !become_user_of(pid) ||
	    sigqueue((pid_t)pid, SIGHUP, ask) < 0) {
		fprintf(stderr, "lamplighter.fcgi: there is no process %s\n", text);
		return 1;
	}
	if (sigtimedwait(&set, &si, &limit) == SIGUSR1)
		return 0;
	fprintf(stderr, si.si_pid
		? "lamplighter.fcgi: the next process did not start; process "
		  "%ld continues as before. Its log has the reason.\n"
		: "lamplighter.fcgi: process %ld did not answer\n", pid);
	return 1;
}

/* Returns -1 to continue, or the exit status. */
static int read_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	const char *env = getenv("LAMPLIGHTER_CONFIG");
	int c;

	*o = (struct options){ .conf = env && *env ? env : DEFAULT_CONF };
	/*
	 * A web server passes a query without "=" to a CGI program as its
	 * arguments: anybody can send "?-c+/path".
	 */
	if (getenv("GATEWAY_INTERFACE") || getenv("REQUEST_METHOD"))
		return -1;
	while ((c = getopt_long(argc, argv, "c:s:rR:Vh", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			o->conf = optarg;
			break;
		case 's':
			o->socket = optarg;
			break;
		case 'r':
			o->replace = true;
			break;
		case 'R':
			return reload(optarg);
		case 'V':
			version_print();
			return 0;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 64;
		}
	}
	if (optind < argc || (o->replace && !o->socket)) {
		usage(stderr);
		return 64;
	}
	return -1;
}

static void block_signals(sigset_t *all)
{
	sigfillset(all);
	/* Signals that a program sends itself must not be blocked. */
	sigdelset(all, SIGSEGV);
	sigdelset(all, SIGBUS);
	sigdelset(all, SIGFPE);
	sigdelset(all, SIGILL);
	sigdelset(all, SIGABRT);
	sigdelset(all, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, all, NULL);
}

/* A stream takes one, and the usual soft limit of 1024 is intended for select(). */
static void allow_descriptors(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
}

/*
 * A heap per thread keeps the memory that was free when it was largest; two shared
 * heaps cause no more waits than many (docs/performance.md).
 */
static void share_heaps(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, HEAPS);
	/*
	 * Without a fixed threshold the first large body that is freed raises it, and
	 * later ones come from the heaps, which keep their memory.
	 */
	(void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
#endif
}

/*
 * Keys and conversations are in memory: no core dumps, and no access by other
 * processes of the account, whatever fails. Called before there are any.
 */
static void allow_dumps(bool on)
{
	(void)prctl(PR_SET_DUMPABLE, on ? 1 : 0);
}

/* libfcgi and the database client both change SIGPIPE; set it last. */
static void settle_signals(bool reload)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction dflt = { .sa_handler = SIG_DFL };

	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGTERM, &dflt, NULL);
	sigaction(SIGINT, &dflt, NULL);
	sigaction(SIGUSR1, &ignore, NULL);
	/*
	 * A web server's SIGHUP is not for us; processes that wait for it must not
	 * ignore it.
	 */
	sigaction(SIGHUP, reload ? &dflt : &ignore, NULL);
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
}

/* Waits for a signal to stop or, if hup, for SIGHUP; returns it. */
static int wait_for_signal(bool hup, siginfo_t *si)
{
	sigset_t set;
	int sig;

	stop_signals(&set);
	if (hup)
		sigaddset(&set, SIGHUP);
	do
		sig = sigwaitinfo(&set, si);
	while (sig < 0);
	return sig;
}

/* To -R, which waits for it; nobody else is sent a signal. */
static void answer_reload(const siginfo_t *si, bool done)
{
	if (si->si_code == SI_QUEUE && si->si_value.sival_int == RELOAD_ASKED &&
	    si->si_pid > 1)
		(void)kill(si->si_pid, done ? SIGUSR1 : SIGUSR2);
}

static bool has_stop_signal(void)
{
	const struct timespec now = { 0 };
	sigset_t set;

	stop_signals(&set);
	return sigtimedwait(&set, NULL, &now) > 0;
}

static bool dumps_wanted(struct app *app)
{
	const struct conf *c = app_conf(app);
	bool on = c->core_dumps;

	conf_put(c);
	return on;
}

/* For running requests when we are told to stop. */
static int grace_ms(struct app *app, bool spawned)
{
	const struct conf *c = app_conf(app);
	int ms = c->threads.grace_s * 1000;

	conf_put(c);
	return spawned ? MIN(ms, SPAWNED_GRACE_MS) : ms;
}

/*
 * Serves until we are told to stop or another process accepts in our place: one
 * that SIGHUP started, or one that replaced our socket (-r). Returns true for such
 * a successor.
 */
static bool serve_until(struct workers *pool, const struct lsock *l,
			char *const *argv, pid_t *next)
{
	struct err e = ERR_INIT;
	siginfo_t si;

	while (wait_for_signal(l->kind != LSOCK_SPAWNED, &si) == SIGHUP) {
		/*
		 * A successor would inherit this socket, to which no new client
		 * connects any more.
		 */
		if (l->kind == LSOCK_BOUND && !lsock_has_path(l)) {
			answer_reload(&si, false);
			continue;	/* other processes have the socket: pointless */
		}
		log_info("starting the next process");
		if (lsock_succeed(l, argv, next, &e) == 0) {
			workers_share(pool);
			answer_reload(&si, true);
			return true;
		}
		log_err("hand-over", &e);
		answer_reload(&si, false);
		e = (struct err)ERR_INIT;
	}
	return l->kind == LSOCK_BOUND && !lsock_has_path(l);
}

/*
 * Whether the successor (0: it is not our child) has ended. Does not reap it; that
 * is left to its next parent.
 */
static bool has_ended(pid_t next)
{
	siginfo_t si = { .si_pid = 0 };

	return next && waitid(P_PID, (id_t)next, &si,
			      WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid;
}

/*
 * Turns may take long to finish, because no process waits for them. But a service
 * manager only learns that the successor has ended after we have ended.
 */
static void finish_turns(struct app *app, struct workers *pool, pid_t next)
{
	int64_t end_ms = clock_mono_ms() + HANDED_OVER_MS;

	log_info("another process serves; finishing what runs");
	app_count(app);
	while (workers_drain(pool, LOOK_MS) && !has_stop_signal() &&
	       !has_ended(next) && clock_mono_ms() < end_ms)
		app_count_on(app);
}

/*
 * The process that told us to stop does not wait for an unresponsive database: a
 * statement takes up to half a minute to fail, and what is left to store is
 * dispensable.
 */
static void *end_late(void *unused)
{
	const struct timespec ts = { .tv_sec = CLOSE_MS / 1000 };

	(void)unused;
	nanosleep(&ts, NULL);
	log_warn("the database does not answer; ending without it");
	_exit(0);
}

static void end_in_time(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_late, NULL) == 0)
		pthread_detach(thread);
}

/* A database that does not answer now is no reason not to start. */
static int refuse_newer_schema(struct app *app, struct err *e)
{
	if (db_schema_not_newer(app->db, version_schema(), e) == 0)
		return 0;
	if (e->code == ERR_CONFIG)
		return -1;
	log_err("the schema was not checked", e);
	err_clear(e);
	return 0;
}

static int serve_fastcgi(struct app *app, const struct options *o,
			 struct lsock *l, char *const *argv, struct err *e)
{
	struct workers *pool;
	pid_t next = 0;
	int left;

	/* A process that cannot ask a model must not take over from one that can. */
	if (l->ready_fd >= 0 && http_load(e) < 0)
		return -1;
	if (refuse_newer_schema(app, e) < 0)
		return -1;
	if (l->kind == LSOCK_NONE && lsock_bind(l, o->replace, e) < 0)
		return -1;
	pool = workers_start(app, l->fd, l->kind == LSOCK_BOUND, e);
	if (!pool)
		return -1;
	log_info("serving", "socket", l->path ? l->path : "inherited");
	lsock_ready(l);
	/* Loaded now, so that neither the start nor the first turn waits for it. */
	if (http_load(e) < 0) {
		log_err("no model can be asked", e);
		err_clear(e);
	}
	if (serve_until(pool, l, argv, &next))
		finish_turns(app, pool, next);
	/* A successor serves on this path: only a process without one removes it. */
	else	/* first, so that no client connects and waits */
		lsock_unlink(l);
	log_info("stopping");
	left = workers_stop(pool, grace_ms(app, l->kind == LSOCK_SPAWNED),
			    ABORT_MS);
	close(l->fd);
	if (left) {
		log_warn("some requests did not end in time");
		_exit(0);	/* their threads still use all data */
	}
	end_in_time();
	log_info("stopped");
	return 0;
}

/* A CGI program has only a few seconds to stop: store what it has. */
static void *cgi_signals(void *p)
{
	struct app *app = p;
	siginfo_t si;

	(void)wait_for_signal(false, &si);
	event_live_interrupt(app->live);
	notify_stop(app->notify);
	return NULL;
}

static int serve_one(struct app *app, struct err *e)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, cgi_signals, app);

	if (rc)
		return err_set(e, ERR_INTERNAL, "no signal thread");
	hold_alone();
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
	/* The limit of processes may be reached: serve it in this one. */
}

/* A CGI program that cannot start must still send an answer. */
static void answer_broken(void)
{
	fputs("Status: 500 Internal Server Error\r\n"
	      "Content-Type: application/problem+json\r\n"
	      "Cache-Control: no-store\r\n\r\n"
	      "{\"type\":\"about:blank\",\"title\":\"Internal Server Error\","
	      "\"status\":500,\"code\":\"config_invalid\",\"detail\":"
	      "\"The configuration is not valid.\",\"retryable\":false}", stdout);
}

/* Without the directory, files are refused; everything else works. */
static void say_directory(struct app *app)
{
	struct err e = ERR_INIT;

	if (blob_dir() && blob_mark_read(app->db, &e) < 0)
		log_err("the directory of files", &e);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct lsock l;
	struct options o;
	struct app app;
	sigset_t blocked;
	bool fastcgi;
	int rc = read_options(argc, argv, &o);

	if (rc >= 0)
		return rc;
	lsock_find(&l, o.socket);
	fastcgi = o.socket || l.kind != LSOCK_NONE;
	if (!fastcgi && !getenv("REQUEST_METHOD")) {
		fputs("lamplighter.fcgi: started neither by a web server nor "
		      "with -s\n", stderr);
		usage(stderr);
		return 64;
	}
	if (!fastcgi)
		leave_server();
	share_heaps();
	block_signals(&blocked);
	allow_descriptors();
	allow_dumps(false);
	rc = app_open(&app, o.conf, &e);
	if (rc == 0)
		allow_dumps(dumps_wanted(&app));
	if (rc == 0 && fastcgi) {
		say_directory(&app);
		rc = fcgi_global_init(&e);
	}
	app.gateway = l.kind == LSOCK_SPAWNED ? GATEWAY_SPAWNED
		: fastcgi ? GATEWAY_SOCKET : GATEWAY_CGI;
	app.socket_stays = l.kind == LSOCK_PASSED || l.kind == LSOCK_SPAWNED ||
		o.replace;
	settle_signals(fastcgi && l.kind != LSOCK_SPAWNED);
	if (rc == 0)
		rc = fastcgi ? serve_fastcgi(&app, &o, &l, argv, &e)
			: serve_one(&app, &e);
	else if (!fastcgi)
		answer_broken();
	if (rc < 0)
		fprintf(stderr, "lamplighter.fcgi: %s\n", e.text);
	app_close(&app);
	return rc < 0 ? 1 : 0;
}
