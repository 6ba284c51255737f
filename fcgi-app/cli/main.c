/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/paths.h"
#include "base/version.h"
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
"Reads the main file and its directories as the responder does, and prints every\n"
"error with its file, line and column. Also checks what the loader cannot know:\n"
"if LLM services are usable, if agents' tools and what settings name exist (in the\n"
"files or, if it answers, in the database), and, as warnings, if a role has a\n"
"permission or a tool that does not exist, or a group is nearly one of `groups`.\n",
	},
	{
		.name = "config", .args = "print", .run = cli_config,
		.summary = "print the configuration that is in use",
		.help =
"Prints every option with its value, defaults included, as YAML. Secrets are\n"
"shown as ***.\n",
	},
	{
		.name = "migrate", .args = "[--dir DIR] [--wait SECONDS]",
		.run = cli_migrate,
		.summary = "create or update the tables in the database",
		.help =
"Runs the migrations in DIR that the database has not had yet. It is safe to run\n"
"several at the same time: one works, the others wait up to SECONDS. DIR defaults\n"
"to $LAMPLIGHTER_SQL_DIR, then to the directory of `make install`.\n",
	},
	{
		.name = "export", .args = "--user LOGIN", .run = cli_export,
		.summary = "print what the database has of a user, as JSON",
		.help =
"Prints one JSON object with the user's settings, conversations and messages, and\n"
"what the user has made: tokens without their secrets, prompts with their versions\n"
"and shares, provider instances without their keys, workspaces, private agents,\n"
"and the records of knowledge bases and attachments without their contents. What\n"
"belongs to a group or to everyone is not in it.\n",
	},
	{
		.name = "stored", .args = "--user LOGIN", .run = cli_stored,
		.summary = "print how much a user stores",
		.help =
"Prints, separated by tabs, the bytes that the user stores and the limit\n"
"(limits.stored_mb; 0: none), and then the parts of that sum: conversations, files,\n"
"documents of private and team knowledge bases, and the search index. Users see the\n"
"same at GET /me/limits.\n",
	},
	{
		.name = "erase", .args = "--user LOGIN --yes", .run = cli_erase,
		.summary = "delete what the database has of a user",
		.help =
"Deletes the user's conversations, attachments, API tokens, settings, prompts,\n"
"provider keys, private agents, and the workspaces and knowledge bases that the\n"
"user holds, with all that belongs to them; their turns are cancelled. What\n"
"belongs to a group or to everyone, workspaces that others see, and usage records\n"
"stay, without the user's id. Prints the number of rows by table.\n"
"It can be interrupted and run again. First take away the user's access in the\n"
"web server: a user who comes back is a new one.\n",
	},
	{
		.name = "project",
		.args = "export ID | import FILE --user LOGIN [--group G]... "
			"[--format json|markdown] [--name TEXT]",
		.run = cli_project,
		.summary = "write a project with all that is in it to a file, or make one of it",
		.help =
"export prints the project as one JSON or, with --format markdown, as a ZIP archive\n"
"of a folder of Markdown, in which the tree of its documents is folders.\n"
"import makes a project of the user of such a file, or of any ZIP archive with\n"
"Markdown in it (\"-\": standard input): all of it, or nothing. It prints the id and\n"
"the name of the project, and how many of each kind were made; what was left out is\n"
"said on standard error. docs/projects.md has the formats.\n",
	},
	{
		.name = "token",
		.args = "create --user LOGIN [--name TEXT] [--group G]... "
			"[--days N] [--agent WORKSPACE[/AGENT]]... [--tool NAME]... "
			"[--read-only] [--approve] | list | revoke ID",
		.run = cli_token,
		.summary = "create, list and revoke API tokens",
		.help =
"create prints the token on stdout. It is shown only once; the database stores\n"
"only a hash of it. The token acts for the user LOGIN with the groups given here,\n"
"until it expires (--days) or is revoked. It can be limited: to some agents, with\n"
"which it can only talk; to some tools; to reading (--read-only: it asks agents, and\n"
"changes nothing else). With --approve it can give approvals if its user may, for\n"
"programs that ask a person.\n"
"list prints the id, state, user, name, groups and dates; revoke takes the id.\n",
	},
	{
		.name = "list",
		.args = "routes|options|errors|tools|permissions|providers|"
			"quirks|statements|jobs|mentions|metrics|parts|"
			"resources|settings|events",
		.run = cli_list,
		.summary = "print one of the built-in tables",
		.help =
"Prints one line per row. Some lists have other forms, which the documentation\n"
"uses: options --markdown and --man, settings --markdown, errors --markdown,\n"
"events --markdown and --openapi, resources --sql, --paths and --schemas.\n",
	},
	{
		.name = "doctor", .args = "[--json] [--user NAME] [URL]",
		.run = cli_doctor,
		.summary = "check the deployment: what works, how to fix what does not",
		.help =
"With URL, the address of the chat (http://host/intranet/chat), it measures\n"
"through the web server: if answers stream, which user arrives, if API tokens,\n"
"large bodies and the page work, and if a made-up name is accepted. It creates an\n"
"API token for that, and revokes it at the end. --user also signs in at the web\n"
"server as a person, with the password in $LAMPLIGHTER_PASSWORD.\n"
"It always checks the database, its schema and clock, LLM services (by listing\n"
"their models, which is free), databases of datasets, tools and file permissions:\n"
"with URL as the responder sees them, otherwise as this command does.\n"
"Exit status: 0 no findings, 1 warnings, 2 problems.\n",
	},
	{
		.name = "mcp",
		.args = "[--user LOGIN] list | show SERVER [TOOL]... | "
			"accept SERVER [TOOL]... | serve URL",
		.run = cli_mcp,
		.summary = "show the tools of MCP servers and accept them; be one",
		.help =
"list asks every server in mcp_servers for its tools, and prints for each if it\n"
"is accepted, new, changed or unusable. show prints the definitions as the server\n"
"gives them and, for a changed tool, also the accepted one. accept accepts the\n"
"current definitions: read them first, because the model will. --user names the\n"
"user on whose behalf to ask servers that require a user token (token).\n"
"serve is an MCP server for a program that starts its servers: it passes each line\n"
"of stdin to the MCP server of a site (https://SITE/chat/api/v1/mcp) and prints the\n"
"answers, with the token in the environment variable LAMPLIGHTER_TOKEN.\n",
	},
	{
		.name = "secret", .args = "key | rotate", .run = cli_secret,
		.summary = "make keys that seal stored secrets, and change to a new one",
		.help =
"key prints a new key for secrets.key. rotate seals everything that is stored\n"
"sealed with the first key there: put a new key in front of the old one, let the\n"
"servers read it, run this, and remove the old one. It can be interrupted and run\n"
"again, while servers run. Values that it cannot open because a key is missing\n"
"are listed and left as they are; the exit status is 1 then.\n",
	},
	{
		.name = "services",
		.args = "list | models SERVICE | test SERVICE [MODEL] | "
			"show SERVICE | set SERVICE KEY VALUE | export | "
			"import FILE",
		.run = cli_services,
		.summary = "list, test, export and import LLM services",
		.help =
"list prints id, provider, model and source of the services: config for those in\n"
"the files, api for those that were made over the API; a service of a workspace is\n"
"WORKSPACE/SERVICE, here and for models and test. models asks the\n"
"provider for its models: id, context in tokens (0: unknown), whether it calls\n"
"tools, whether it sees images (- : unknown), name. test asks the service, or\n"
"another model of its provider, for one short answer, which the provider charges\n"
"for, and prints what is wrong: the address, TLS, the key, the model or the quota.\n"
"show, set, export and import are for those of the tenant, made over the API, like\n"
"those of `lamplighter agent`. API keys are in no file: import keeps the one that\n"
"is stored, and refuses a file with one, which would not be sealed. Enter a key on\n"
"the page, or send it over the API.\n",
	},
	{
		.name = "agent",
		.args = "list [WORDS] | show WORKSPACE/AGENT | set WORKSPACE/AGENT KEY "
			"VALUE | export | import FILE [--workspace W] "
			"[--user LOGIN]",
		.run = cli_exchange,
		.summary = "show, export and import agents that people made",
		.help =
"export prints the agents that the users of a workspace see, as YAML; with --user\n"
"the private ones of that user. import stores such a file (- : stdin): it creates\n"
"and changes agents, and leaves others alone. Values that are missing in the file\n"
"are unset. Importing the same file again changes nothing. If anything is wrong,\n"
"nothing is stored, and the file, line and column are printed.\n"
"set changes one value; null unsets it. Values that are not text are JSON.\n"
"list prints all, or those that have all WORDS, or parts of words, in their texts.\n"
"Agents of the configuration are in its files and not in the lists.\n",
	},
	{
		.name = "workspace",
		.args = "list [WORDS] | show WORKSPACE | set WORKSPACE KEY VALUE | "
			"export | import FILE [--workspace W]",
		.run = cli_exchange,
		.summary = "show, export and import workspaces that people made",
		.help =
"Like `lamplighter agent`. The agents of a workspace are exported and imported by\n"
"that command; a new workspace begins with those of the templates.\n",
	},
	{
		.name = "prompt",
		.args = "list [WORDS] | show NAME | set NAME KEY VALUE | export | "
			"import FILE [--group G | --user LOGIN]",
		.run = cli_exchange,
		.summary = "show, export and import prompts of the catalogue",
		.help =
"Like `lamplighter agent`, for the prompts of the tenant and of all groups; with\n"
"--group those of one group, with --user the private ones of that user. A prompt\n"
"of a group is called GROUP/NAME. A prompt is found by its name; if several have\n"
"the same name, the first in the file is the oldest. The file has the names of\n"
"its categories, which must exist, but not the groups that it is shared with.\n"
"Prompts that come with the program or are in files are not in the lists.\n",
	},
	{
		.name = "category",
		.args = "list [WORDS] | show NAME | set NAME KEY VALUE | export | "
			"import FILE",
		.run = cli_exchange,
		.summary = "show, export and import categories of prompts",
		.help =
"Like `lamplighter prompt`. Import the categories before the prompts in them.\n",
	},
	{
		.name = "resource",
		.args = "list PATH [KEY=VALUE]... | show PATH | create PATH FILE | "
			"change PATH FILE | delete PATH --user LOGIN [--group G]...",
		.run = cli_resource,
		.summary = "list, show, create, change and delete what users make",
		.help =
"Does what the API does, as that user: PATH is that of the API, such as prompts or\n"
"projects/ID/tasks/ID (lamplighter list resources). list takes the parameters of the\n"
"list: q=WORDS, a filter, order=KEY, pageSize=N, cursor=TEXT. FILE (- : stdin) has the\n"
"body, an object of JSON. list, show, create and change print what the API answers.\n"
"A change is made to the row as it is now, whatever was read before.\n"
"Keys and other secrets are not taken from files, in which they could be read.\n",
	},
	{
		.name = "setting",
		.args = "list | show KEY | set KEY VALUE (--user LOGIN "
			"[--group G]... | --team G | --tenant); export | "
			"import FILE",
		.run = cli_setting,
		.summary = "show and change settings of users, groups, the tenant",
		.help =
"list prints each setting with its current value and the level that it comes\n"
"from; show prints what each level sets. set stores a value for the user, the\n"
"group or the whole tenant; null unsets it. Values that are not text are JSON:\n"
"true, 20, [\"main\",\"small\"].\n"
"export prints all that was set, as YAML: of the tenant, of teams, of users.\n"
"import reads such a file (- : stdin), checks all of it, and sets its values;\n"
"others stay as they are. A map may have at most 4096 names.\n",
	},
	{
		.name = "tools",
		.args = "list | show NAME | call NAME [--args JSON] [--dry-run] "
			"--user LOGIN [--group G]... [--workspace W] "
			"[--agent A]",
		.run = cli_tools,
		.summary = "show the tools of a user, and call them by hand",
		.help =
"list prints the name, kind, effect, group and file of each tool that the user is\n"
"offered when they ask for the web; show prints everything about one tool. call\n"
"runs it as that user, without approval, and prints what the model would get.\n"
"With --dry-run it prints what would be sent (SQL with its values, the request,\n"
"the program with its environment, an agent's prompt) and sends nothing.\n"
"Secrets are shown as ***.\n",
	},
	{
		.name = "preview",
		.args = "--user LOGIN [--group G]... [--workspace W] "
			"[--agent A] [--conversation ID] TEXT",
		.run = cli_preview,
		.summary = "show what the model would be sent for a message",
		.help =
"Prints as JSON what the model would be sent if that user wrote TEXT, in a new\n"
"conversation or in one of theirs, with its agent: each part of the context with\n"
"its tokens and, for the system prompt, its text; the tools with their schemas;\n"
"and the request in the provider's format. Stores nothing and calls no model.\n",
	},
	{
		.name = "turn", .args = "show ID", .run = cli_turn,
		.summary = "show what answered a turn, with what, and what it cost",
		.help =
"ID is a turn's, as the page and the log show it, a message's, or a conversation's\n"
"(then its newest turn). Prints who asked where, and for each service that was\n"
"asked: its model, the prompts with name, version and hash, the tools with their\n"
"times, the tokens and the cost; then the sources. Never what was said.\n",
	},
	{
		.name = "eval",
		.args = "--user LOGIN [--group G]... [--workspace W] [--agent A] "
			"[--service ID] [--keep] FILE...",
		.run = cli_eval,
		.summary = "try a model with the conversations of files",
		.help =
"Holds the conversations of YAML files as that user, and prints for each what it\n"
"checked: what an answer has and lacks, which tools were called, and what is\n"
"remembered at the end. With --service, that LLM service answers. They are real\n"
"turns, which cost what they cost; the conversations are deleted afterwards, or\n"
"stay with --keep. The exit code is 1 if a check failed.\n",
	},
	{
		.name = "trace",
		.args = "turn --user LOGIN [--group G]... [--workspace W] "
			"[--agent A] [--conversation ID] [--warm N] TEXT",
		.run = cli_trace,
		.summary = "show where the time of a turn goes",
		.help =
"Runs a turn as that user, in a new conversation or in one of theirs, and prints\n"
"where its time goes, in microseconds and by thread: round trips to the database,\n"
"the request to the model, its first byte, decoding and sending; then a sum per\n"
"stage. It is a real turn: the model is asked and the answer is stored. --warm N\n"
"runs N such turns first (default: 1), to open connections and prepare statements.\n"
"The web server and FastCGI are not in it.\n",
	},
	{
		.name = "work", .args = "[--for SECONDS] [--list]",
		.run = cli_work,
		.summary = "run background jobs",
		.help =
"Runs the jobs that are due, such as deleting the rows of deleted conversations.\n"
"A responder does this by itself after its answers; if it runs only now and then,\n"
"or as plain CGI, let cron call this command every minute. It ends when no job is\n"
"due; with --for it checks again every second until the time is over. Any number\n"
"may run at the same time, on any node. --list prints the jobs instead: kind,\n"
"subject, due time, attempts and the last error.\n",
	},
	{
		.name = "files", .args = "check|move|take",
		.run = cli_files,
		.summary = "check the contents of uploads, or move them",
		.help =
"check compares every file with its hash. move moves every file to the store that\n"
"file_store names for new ones, from the database to file_dir or back, while the\n"
"server runs. Both print the id and store of files that are damaged or missing;\n"
"the exit status is 1 if there are any.\n"
"take makes file_dir this installation's if it has the mark of another one, which\n"
"must not use it any more: files without a row of this installation are deleted\n"
"after a day.\n",
	},
	{
		.name = "kb", .args = "list | sync [SOURCE] | status",
		.run = cli_kb,
		.summary = "read the sources of knowledge bases",
		.help =
"list prints the sources in knowledge.sources. sync reads all of them, or one:\n"
"new and changed documents are stored, those whose file, page or row is gone are\n"
"deleted, and a line says how many. Files, pages and rows that cannot be read are\n"
"listed. It can be interrupted and run again. status prints the results of the\n"
"last runs, including those of the job. Exit status: 1 if a source cannot be read.\n",
	},
	{
		.name = "decode", .args = "[--quirks JSON] PROVIDER",
		.run = cli_decode,
		.summary = "decode a recorded answer of a provider",
		.help =
"Reads the body of an answer on stdin, as the provider sent it (event stream,\n"
"lines of JSON or one document), and prints the events that Lamplighter makes of\n"
"it, one JSON object per line. Needs no configuration. Attach the output to a bug\n"
"report.\n",
	},
	{
		.name = "version", .args = "", .run = cli_version,
		.summary = "print the version, its commit and its schema",
		.help = "",
	},
	{
		.name = "help", .args = "[COMMAND]", .run = cli_help,
		.summary = "show how to use a command", .help = "",
	},
};

static void overview(FILE *f)
{
	fputs("usage: lamplighter [-c CONFIG] COMMAND ...\n\n", f);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(f, "  %-8s  %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nCONFIG is the main file; default: $LAMPLIGHTER_CONFIG, then\n"
	      LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml.\n"
	      "`lamplighter help COMMAND` shows how to use it.\n", f);
}

static void synopsis(FILE *f, const struct cli_command *c)
{
	fprintf(f, "usage: lamplighter [-c CONFIG] %s%s%s\n", c->name,
		*c->args ? " " : "", c->args);
}

static const struct cli_command *find_command(const char *name)
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
		return cli_usage(cli, "name one command");
	if (argc < 2) {
		overview(stdout);
		return CLI_OK;
	}
	c = find_command(argv[1]);
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
		return cli_usage(cli, "this command takes no arguments");
	version_print();
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

int cli_read(const char *file, struct buf *out, struct err *e)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char part[65536], why[128];
	int rc = 0;
	size_t n;

	while (f && buf_ok(out) && (n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(out, part, n);
	if (!f || ferror(f))
		rc = err_set(e, ERR_CONFIG, "%s: %s", file,
			     err_errno(errno, why, sizeof(why)));
	else if (!buf_ok(out))
		rc = err_set(e, ERR_TOO_BIG, "%s is larger than %zu bytes", file, out->cap);
	if (f && f != stdin)
		fclose(f);
	return rc;
}

int cli_print(struct buf *b)
{
	int rc = CLI_OK;

	if (!buf_ok(b)) {
		fputs("lamplighter: the output is too long to print\n", stderr);
		rc = CLI_FAILED;
	}
	if (isatty(STDOUT_FILENO)) {	/* which interprets control
					 * characters */
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
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	const char *env = getenv("LAMPLIGHTER_CONFIG");
	struct cli cli = {
		.conf_file = env && *env ? env
			: LAMPLIGHTER_SYSCONFDIR "/lamplighter.yaml",
	};
	int c;

	/* A web server would run it for anybody, with arguments of a query. */
	if (getenv("GATEWAY_INTERFACE")) {
		puts("Status: 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n"
		     "This is not a CGI program.");
		return CLI_USAGE;
	}
	/* Keys are in memory. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	setlocale(LC_CTYPE, "");
	log_setup(LOG_LVL_WARN, LOG_TO_STDERR);
	jx_seed();
	if (sodium_init() < 0)
		BUG("libsodium cannot be used");
	while ((c = getopt_long(argc, argv, "+c:hV", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			cli.conf_file = optarg;
			break;
		case 'h':
			overview(stdout);
			return finish(CLI_OK);
		case 'V':
			version_print();
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
	cli.command = find_command(argv[optind]);
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
