/* SPDX-License-Identifier: MIT */
/*
 * lamplighter-demo-llm - the stand-in model: speaks the wire formats of
 * OpenAI, Anthropic and Ollama without a language model behind them. Tests
 * script it; in the demo it answers simple questions about datasets by rules.
 * It is a separate program so that nothing of it is ever in the responder.
 */
#include "demo-llm/server.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config.h"

#include "base/banned.h"

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const char usage[] =
"Usage: lamplighter-demo-llm --port P [options]\n"
"A stand-in for a language model: OpenAI, Anthropic and Ollama wire formats.\n"
"  --port P         listen on port P; 0 chooses one\n"
"  --host ADDRESS   listen on that IP address (127.0.0.1)\n"
"  --talk-rate N    tokens per second of the conversational mode (120; 0: all)\n"
"  --talk-first MS  milliseconds before its first byte (0)\n"
"  --record N       keep the last N requests for GET /demo/requests (0)\n"
"  --seed N         the same seed gives the same ids\n"
"  --help, --version\n";

/* The whole number that an option was given, or exit. */
static long number(const char *name, long max)
{
	int64_t v;

	if (!str_int(str_of(optarg), &v) || v < 0 || v > max) {
		fprintf(stderr, "lamplighter-demo-llm: --%s must be a number "
			"from 0 to %ld\n", name, max);
		exit(2);
	}
	return v;
}

/* Each stream is a descriptor: take as many as we may. */
static void raise_file_limit(void)
{
	struct rlimit lim;

	if (!getrlimit(RLIMIT_NOFILE, &lim)) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

struct options {
	const char *host;
	int port;		/* -1: not given */
	uint64_t seed;
};

/* Reads the command line into *o and app; exits where there is no more to do. */
static void read_options(int argc, char **argv, struct options *o,
			 struct app *app)
{
	static const struct option opts[] = {
		{"port", required_argument, NULL, 'p'},
		{"host", required_argument, NULL, 'h'},
		{"talk-rate", required_argument, NULL, 'r'},
		{"talk-first", required_argument, NULL, 'f'},
		{"record", required_argument, NULL, 'R'},
		{"seed", required_argument, NULL, 's'},
		{"help", no_argument, NULL, '?'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", opts, NULL)) != -1) {
		switch (c) {
		case 'p':
			o->port = (int)number("port", 65535);
			break;
		case 'h':
			o->host = optarg;
			break;
		case 'r':
			app->talk_rate = (double)number("talk-rate", 1000000);
			break;
		case 'f':
			app->talk_first_ms = number("talk-first", 600000);
			break;
		case 'R':
			app->record = (size_t)number("record", APP_RECORD_MAX);
			break;
		case 's':
			o->seed = (uint64_t)number("seed", 1000000000);
			break;
		case 'V':
			puts("lamplighter-demo-llm " PACKAGE_VERSION);
			exit(0);
		default:
			fputs(usage, optopt ? stderr : stdout);
			exit(optopt ? 2 : 0);
		}
	}
	if (o->port < 0 || optind < argc) {
		fputs(usage, stderr);
		exit(2);
	}
}

/* They arrive only while the server waits: *waiting is its mask. */
static void take_signals(sigset_t *waiting)
{
	struct sigaction sa = {.sa_handler = on_signal};
	sigset_t blocked;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, waiting);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
}

int main(int argc, char **argv)
{
	struct options o = {.host = "127.0.0.1", .port = -1};
	struct err e = ERR_INIT;
	struct app app;
	sigset_t waiting;
	int fd, rc = -1;

	demo_app_init(&app);
	app.talk_rate = 120;
	read_options(argc, argv, &o, &app);
	jx_seed();
	mint_seed(o.seed);
	raise_file_limit();
	take_signals(&waiting);
	fd = demo_server_listen(o.host, &o.port, &e);
	if (fd >= 0) {
		printf("listening on %s:%d\n", o.host, o.port);
		fflush(stdout);
		rc = demo_server_run(fd, &app, &waiting, &stop, &e);
		close(fd);
	}
	if (rc)
		fprintf(stderr, "lamplighter-demo-llm: %s\n", e.text);
	demo_app_release(&app);
	return rc ? 1 : 0;
}
