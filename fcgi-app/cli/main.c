#include <getopt.h>
#include <locale.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config.h"

#include "base/log.h"
#include "cli.h"
#include "conf/option.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

static int cli_help(struct cli *cli, int argc, char **argv);
static int cli_version(struct cli *cli, int argc, char **argv);

static const struct cli_command commands[] = {
	{
		.name = "check", .args = "", .run = cli_check,
		.summary = "check the configuration",
		.help =
"Reads the main file and its directories as the responder does, and says every\n"
"error with its file, line and column. Also looks at what the loader cannot\n"
"know: whether LLM services can be used at all, whether agents' tools exist,\n"
"and, as a warning, permissions that nothing asks for.\n",
	},
	{
		.name = "config", .args = "print", .run = cli_config,
		.summary = "print the configuration that is in force",
		.help =
"Prints every option with its value, defaults included, as YAML. Secrets are\n"
"shown as ***.\n",
	},
	{
		.name = "migrate", .args = "[--dir DIR] [--wait SECONDS]",
		.run = cli_migrate,
		.summary = "create or update the tables in the database",
		.help =
"Runs the steps of DIR that the database does not have yet; without any it\n"
"does nothing. Several at once are safe: one works, the others wait. DIR is\n"
"else $LAMPLIGHTER_SQL_DIR, else where `make install` put the schema.\n",
	},
	{
		.name = "token",
		.args = "create --user LOGIN [--name TEXT] [--group G]... "
			"[--days N] | list | revoke ID",
		.run = cli_token,
		.summary = "make, list and revoke API tokens",
		.help =
"create prints the token on stdout. It is shown this once; the database has\n"
"only a hash of it. The token speaks for the user LOGIN, with the groups that\n"
"are given here, until it expires (--days) or is revoked.\n"
"list shows id, user, groups, dates and state; revoke takes the id.\n",
	},
	{
		.name = "list",
		.args = "routes|options|errors|tools|permissions|providers|"
			"quirks|statements|jobs|parts|resources|"
			"settings|events",
		.run = cli_list,
		.summary = "print one of the tables that are compiled in",
		.help =
"One line per row. Some can also print what the documentation has of them: list\n"
"options --markdown or --man, settings --markdown, events --markdown or\n"
"--openapi; and `list resources` what comes from its rows: --sql, --paths,\n"
"--schemas.\n",
	},
	{
		.name = "doctor", .args = "[--json] [--user NAME] [URL]",
		.run = cli_doctor,
		.summary = "say what works, and how to mend what does not",
		.help =
"With URL, the address of the chat (http://host/intranet/chat), it measures\n"
"through the web server: whether answers stream, who arrives, whether API\n"
"tokens, large bodies and the page do, whether a made-up name is believed. It\n"
"makes an API token of its own for that, which ends with it. --user signs in\n"
"at the web server as a person too; the password is $LAMPLIGHTER_PASSWORD.\n"
"Always: the database, its schema and clock, LLM services (asked for their list\n"
"of models, which costs nothing), databases of datasets, tools, file rights;\n"
"as the responder sees them with URL, else as this command does.\n"
"Exit status: 0 all is well, 1 there are warnings, 2 there are problems.\n",
	},
	{
		.name = "mcp",
		.args = "[--user LOGIN] list | show SERVER [TOOL]... | "
			"accept SERVER [TOOL]...",
		.run = cli_mcp,
		.summary = "look at the tools of MCP servers and accept them",
		.help =
"list asks every server of mcp_servers for its tools and says of each whether\n"
"it was accepted, is new or has changed. show prints definitions as the server\n"
"gives them, and of one that changed also the accepted one. accept takes them as\n"
"they are now: read them first, the model will. --user says for whom servers are\n"
"asked that are told who asks (token).\n",
	},
	{
		.name = "services",
		.args = "list | models SERVICE | test SERVICE [MODEL]",
		.run = cli_services,
		.summary = "see LLM services and their models, and try them",
		.help =
"list prints id, provider and model of the configured services. models asks the\n"
"provider for its models: id, context in tokens (0: not told), whether it calls\n"
"tools, whether it sees images (- : not told), name. test asks the service, or\n"
"another model of it, for one short answer, which the provider charges for, and\n"
"says what is wrong: the address, TLS, the key, the model or the quota.\n",
	},
	{
		.name = "tools",
		.args = "list | show NAME | call NAME [--args JSON] [--dry-run] "
			"--user LOGIN [--group G]... [--workspace W] "
			"[--agent A]",
		.run = cli_tools,
		.summary = "see what tools a user has, and call them by hand",
		.help =
"list prints name, kind, effect, group and file of the tools that the user is\n"
"offered when they ask for the web, show all that is known of one. call runs it\n"
"as that user, asking nobody, and prints what the model would get; with --dry-run\n"
"it prints what would be sent (SQL with its values, the request, the program with\n"
"its environment, an agent's prompt) and sends nothing.\n"
"Secrets are shown as ***.\n",
	},
	{
		.name = "preview",
		.args = "--user LOGIN [--group G]... [--workspace W] "
			"[--agent A] [--conversation ID] TEXT",
		.run = cli_preview,
		.summary = "show what a message would send to the model",
		.help =
"Prints, as JSON, what the model would be sent if that user said TEXT, in a new\n"
"conversation or in one of their own: each part of the context with its tokens\n"
"and, for the system prompt, its text; the tools with their schemas; and the\n"
"request itself, as this provider gets it. Stores nothing and asks no model.\n",
	},
	{
		.name = "work", .args = "[--for SECONDS] [--list]",
		.run = cli_work,
		.summary = "do what is left to do behind the answers",
		.help =
"Runs the jobs that are due: what belonged to deleted conversations goes, for\n"
"instance. A responder does so by itself behind its answers; where it runs only\n"
"now and then, or as plain CGI, let cron call this every minute. It ends when\n"
"nothing is due; with --for it looks again each second until then. Any number\n"
"may run at once, on any node. --list prints the jobs instead: kind, what it is\n"
"about, when it is due, attempts and the last error.\n",
	},
	{
		.name = "decode", .args = "[--quirks JSON] PROVIDER",
		.run = cli_decode,
		.summary = "decode a recorded answer of a provider",
		.help =
"Reads the body of an answer on stdin, as the provider sent it (event stream,\n"
"lines of JSON or one document), and prints the events that Lamplighter makes\n"
"of it, one JSON object per line. Needs no configuration. Attach the output\n"
"to a bug report.\n",
	},
	{
		.name = "version", .args = "", .run = cli_version,
		.summary = "print the version", .help = "",
	},
	{
		.name = "help", .args = "[COMMAND]", .run = cli_help,
		.summary = "print how a command is used", .help = "",
	},
};

static void overview(FILE *f)
{
	fputs("usage: lamplighter [-c CONFIG] COMMAND ...\n\n", f);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(f, "  %-8s  %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nCONFIG is the main file; else $LAMPLIGHTER_CONFIG, else\n"
	      LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml.\n"
	      "`lamplighter help COMMAND` says more.\n", f);
}

static void synopsis(FILE *f, const struct cli_command *c)
{
	fprintf(f, "usage: lamplighter [-c CONFIG] %s%s%s\n", c->name,
		*c->args ? " " : "", c->args);
}

static const struct cli_command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const char *near = str_nearest(str_of(name), commands,
				       ARRAY_LEN(commands), sizeof(*commands), 2);

	if (near)
		fprintf(stderr, "lamplighter: there is no command \"%s\"; did "
			"you mean \"%s\"?\n", name, near);
	else
		fprintf(stderr, "lamplighter: there is no command \"%s\"\n",
			name);
	return CLI_USAGE;
}

static int cli_help(struct cli *cli, int argc, char **argv)
{
	const struct cli_command *c;

	if (argc > 2)
		return cli_usage(cli, "one command at most");
	if (argc < 2) {
		overview(stdout);
		return CLI_OK;
	}
	c = find(argv[1]);
	if (!c)
		return unknown(argv[1]);
	synopsis(stdout, c);
	printf("\n%s%s", c->help, *c->help ? "" : c->summary);
	if (!*c->help)
		putchar('\n');
	return CLI_OK;
}

static int cli_version(struct cli *cli, int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return cli_usage(cli, "there are no arguments");
	puts("lamplighter " PACKAGE_VERSION);
	return CLI_OK;
}

int cli_usage(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "lamplighter %s: ", cli->command->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	synopsis(stderr, cli->command);
	return CLI_USAGE;
}

int cli_failed(const struct err *e)
{
	fprintf(stderr, "lamplighter: %s\n",
		*e->text ? e->text : err_message(e));
	return CLI_FAILED;
}

const struct conf *cli_conf(const struct cli *cli)
{
	struct buf report = BUF_INIT(1024 * 1024);
	struct err e = ERR_INIT;
	const struct conf *c = conf_load_report(cli->conf_file, &report, &e);

	if (!c)
		fputs(report.p, stderr);
	buf_release(&report);
	return c;
}

int cli_print(struct buf *b)
{
	int rc = CLI_OK;

	if (!buf_ok(b)) {
		fputs("lamplighter: this is too long to print\n", stderr);
		rc = CLI_FAILED;
	}
	if (isatty(STDOUT_FILENO)) {	/* which acts upon control characters */
		struct buf plain = BUF_INIT(3 * CLI_OUT_BYTES + 3);

		untrusted_clean(NULL, buf_str(b), &plain);
		buf_release(b);
		*b = plain;
	}
	fwrite(b->p, 1, b->n, stdout);
	buf_release(b);
	return rc;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int rc)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("lamplighter: stdout");
		return rc == CLI_OK ? CLI_FAILED : rc;
	}
	return rc;
}

int main(int argc, char **argv)
{
	const char *env = getenv("LAMPLIGHTER_CONFIG");
	struct cli cli = {
		.conf_file = env && *env ? env
			: LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml",
	};
	int c;

	/* A web server would run it for anybody, with arguments of a query. */
	if (getenv("GATEWAY_INTERFACE")) {
		puts("Status: 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n"
		     "This is no CGI program.");
		return CLI_USAGE;
	}
	/* Keys are in memory. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	setlocale(LC_CTYPE, "");
	log_setup(LOG_LVL_WARN, LOG_TO_STDERR);
	jx_seed();
	if (sodium_init() < 0)
		BUG("libsodium cannot be used");
	while ((c = getopt(argc, argv, "+c:hV")) != -1) {
		switch (c) {
		case 'c':
			cli.conf_file = optarg;
			break;
		case 'h':
			overview(stdout);
			return finish(CLI_OK);
		case 'V':
			puts("lamplighter " PACKAGE_VERSION);
			return finish(CLI_OK);
		default:
			overview(stderr);
			return CLI_USAGE;
		}
	}
	if (optind >= argc) {
		overview(stderr);
		return CLI_USAGE;
	}
	cli.command = find(argv[optind]);
	if (!cli.command) {
		c = unknown(argv[optind]);
		overview(stderr);
		return c;
	}
	argc -= optind;
	argv += optind;
	optind = 0;	/* glibc: the next getopt starts afresh */
	return finish(cli.command->run(&cli, argc, argv));
}
