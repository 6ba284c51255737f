/*
 * lamplighter-demo-llm - the stand-in model: speaks the wire formats of
 * OpenAI, Anthropic and Ollama without a language model behind them. Tests
 * script it; in the demo it answers simple questions about datasets by rules.
 * It is a separate program so that nothing of it is ever in the responder.
 */
#include "demo-llm/server.h"

#include <errno.h>
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

/* A whole number of an option, or exit. */
static long number(const char *name, const char *s, long max)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 10);
	if (errno || end == s || *end || v < 0 || v > max) {
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

int main(int argc, char **argv)
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
	struct sigaction sa = {.sa_handler = on_signal};
	const char *host = "127.0.0.1";
	struct err e = ERR_INIT;
	struct app app;
	sigset_t blocked, waiting;
	int c, fd, rc, port = -1;
	long seed = 0;

	app_init(&app);
	app.talk_rate = 120;
	while ((c = getopt_long(argc, argv, "", opts, NULL)) != -1) {
		switch (c) {
		case 'p':
			port = (int)number("port", optarg, 65535);
			break;
		case 'h':
			host = optarg;
			break;
		case 'r':
			app.talk_rate = (double)number("talk-rate", optarg,
						       1000000);
			break;
		case 'f':
			app.talk_first_ms = number("talk-first", optarg,
						   600000);
			break;
		case 'R':
			app.record = (size_t)number("record", optarg,
						    APP_RECORD_MAX);
			break;
		case 's':
			seed = number("seed", optarg, 1000000000);
			break;
		case 'V':
			puts("lamplighter-demo-llm " PACKAGE_VERSION);
			app_release(&app);
			return 0;
		default:
			fputs(usage, optopt ? stderr : stdout);
			app_release(&app);
			return optopt ? 2 : 0;
		}
	}
	if (port < 0 || optind < argc) {
		fputs(usage, stderr);
		app_release(&app);
		return 2;
	}
	jx_seed();
	mint_seed((uint64_t)seed);
	raise_file_limit();
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &waiting);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);

	fd = server_listen(host, &port, &e);
	rc = fd < 0 ? -1 : 0;
	if (!rc) {
		printf("listening on %s:%d\n", host, port);
		fflush(stdout);
		rc = server_run(fd, &app, &waiting, &stop, &e);
		close(fd);
	}
	if (rc)
		fprintf(stderr, "lamplighter-demo-llm: %s\n", e.text);
	app_release(&app);
	return rc ? 1 : 0;
}
