/* SPDX-License-Identifier: MIT */
/* What the responder (or the command by itself) sees from inside. */
#include "doctor/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "db/db.h"
#include "domain/catalog.h"
#include "file/extract.h"
#include "intake/intake.h"
#include "llm/probe.h"
#include "net/guard.h"
#include "net/http.h"
#include "resource/reseal.h"
#include "store/blob.h"
#include "store/blob_mark.h"
#include "store/server.h"
#include "store/store.h"
#include "tool/command/option.h"
#include "tool/core/env.h"
#include "tool/http/option.h"
#include "tool/mcp/mcp.h"

#include "base/banned.h"

/* What the log would say. */
static const char *doctor_log_text(const struct err *e)
{
	return *e->text ? e->text : err_message(e);
}

/* -- sources of knowledge -------------------------------------------------- */

/* Sources of knowledge bases: whether they can be read, and how the last run went. */

enum { SITE_MS = 5000 };

static int answered(void *ctx, const struct http_result *res)
{
	*(int *)ctx = res->status;
	return -1;	/* what it says is not wanted */
}

/* The sitemap, or the first address. */
static void look_site(struct doctor *d, const struct doctor_inside *in,
		      const struct conf_intake *s)
{
	const char *url = *s->sitemap ? s->sitemap : s->urls.v[0];
	const struct net_guard guard = { .allow = &s->allow_private };
	struct http_result res = { .status = 0 };
	struct err e = ERR_INIT;
	int status = 0;
	const struct http_request r = {
		.method = "GET", .url = url, .headers = s->headers.v,
		.n_headers = s->headers.n, .guard = &guard, .watch_fd = -1,
		.total_timeout_ms = SITE_MS, .on_head = answered, .ctx = &status,
	};

	if (http_do(in->http, &r, &res, &e) && !status)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_PROBLEM, s->name,
			   e.code == ERR_ADDRESS_REFUSED
			   ? "allow_private: [HOST]   # of the source" : "",
			   "The site cannot be read: %s", doctor_log_text(&e));
	else if (status != 200)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_WARNING, s->name, "",
			   "%s answers %d.", url, status);
	else
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_OK, s->name, "",
			   "The site answers.");
}

/* Whether a source of a knowledge base can be read, in at most 5 s. */
static void doctor_look_source(struct doctor *d, const struct doctor_inside *in,
			       const struct conf_intake *s)
{
	struct intake_state st;
	struct err e = ERR_INIT;

	if (*s->sitemap || s->urls.n)
		look_site(d, in, s);
	else if (*s->directory && access(s->directory, R_OK | X_OK) < 0)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_PROBLEM, s->name, "",
			   "The directory %s cannot be opened.", s->directory);
	if (intake_state_get(in->db, d->conf, str_of(s->name), d->arena, &st,
			     &e) == 0 && st.faults.n)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_WARNING, s->name,
			   "lamplighter kb status",
			   "The last run could not read everything.");
}

/* -- places ---------------------------------------------------------------- */

/*
 * How many answers may stay open at the web server (places.h), compared with what
 * the web server's files say, where they are in the usual place and readable.
 */

#define LINE_BYTES 1024

/* Of Debian's Apache, one of which is there; of Red Hat's; of Alpine's. */
static const char *const apache_files[] = {
	"/etc/apache2/mods-enabled/mpm_event.conf",
	"/etc/apache2/mods-enabled/mpm_worker.conf",
	"/etc/apache2/mods-enabled/mpm_prefork.conf",
	"/etc/httpd/conf.modules.d/00-mpm.conf",
	"/etc/apache2/conf.d/mpm.conf",
};

/* The last MaxRequestWorkers of a file of Apache; 0: none, or not readable. */
static int doctor_file_workers(const char *file)
{
	static const char name[] = "MaxRequestWorkers";
	FILE *f = fopen(file, "re");
	char line[LINE_BYTES];
	int workers = 0;

	while (f && fgets(line, sizeof(line), f)) {
		const char *p = line + strspn(line, " \t");

		if (!strncasecmp(p, name, sizeof(name) - 1))
			workers = (int)strtol(p + sizeof(name) - 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return MAX(workers, 0);
}

/* A file that allows less than what is counted on. */
static void compare(struct doctor *d, int workers)
{
	for (size_t i = 0; i < ARRAY_LEN(apache_files); i++) {
		int theirs = doctor_file_workers(apache_files[i]);

		if (!theirs || theirs >= workers)
			continue;
		doctor_add(d, DOCTOR_PLACES, DOCTOR_WARNING, apache_files[i],
			   arena_printf(d->arena, "server: {workers: %d}"
					"   # in lamplighter.yaml", theirs),
			   "MaxRequestWorkers is %d, but %d requests at the same "
			   "time are counted on: open answers may stop the whole "
			   "web server.", theirs, workers);
		return;
	}
}

/* How many answers may stay open, and whether the web server has that much. */
static void doctor_look_places(struct doctor *d, const struct doctor_inside *in)
{
	int set = d->conf->server.workers;
	int workers = in->places.workers;
	const char *of = set ? "server.workers" : "what it has if it is not configured; "
		"server.workers is not set";

	if (!in->places.answers)
		return;
	if (d->web == WEB_APACHE_PROXY || d->web == WEB_APACHE_FCGID ||
	    d->web == WEB_APACHE_CGI)
		compare(d, workers);
	if (in->places.refused)
		doctor_add(d, DOCTOR_PLACES, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_WORKERS),
			   "%lld requests found no place for an open answer since "
			   "this process started, and their clients polled. %d "
			   "notification streams and %d answers may stay open, of "
			   "%d requests at the same time (%s).",
			   (long long)in->places.refused, in->places.notifications,
			   in->places.answers, workers, of);
	else
		doctor_add(d, DOCTOR_PLACES, DOCTOR_OK, "", "",
			   "At most %d notification streams and %d answers stay "
			   "open, of %d requests at the same time (%s).",
			   in->places.notifications, in->places.answers, workers,
			   of);
}

/* -- files ----------------------------------------------------------------- */

/* Who can read and write the configuration, and the directory of uploads. */

static bool is_yaml(const char *path)
{
	size_t n = strlen(path);

	return n > 5 && (!strcmp(path + n - 5, ".yaml") ||
			 !strcmp(path + n - 4, ".yml"));
}

/* Whether path, with its links followed, lies below dir. */
static bool is_below(const char *path, struct str dir)
{
	char root[4096], *real = realpath(path, NULL), *home = NULL;
	bool below = false;

	if (real && dir.n > 1 && dir.n < sizeof(root)) {
		memcpy(root, dir.p, dir.n);
		root[dir.n] = '\0';
		home = realpath(root, NULL);
	}
	if (home && strlen(home) > 1)
		below = !strncmp(real, home, strlen(home)) &&
			real[strlen(home)] == '/';
	free(real);
	free(home);
	return below;
}

/*
 * How to remove the rights of others while keeping ours. On a shared host, the owner
 * of a file cannot be changed.
 */
static const char *close_advice(struct doctor *d, const char *path,
				const struct stat *st)
{
	if (geteuid() != 0 && st->st_uid == geteuid())
		return arena_printf(d->arena, "chmod 0600 %s", path);
	if (d->web == WEB_APACHE_CGI)
		return arena_printf(d->arena, "setfacl -m u:%u:r %s && "
				    "chmod o-r %s", (unsigned)geteuid(), path,
				    path);
	return arena_printf(d->arena, "chown root:www-data %s && "
			    "chmod 0640 %s", path, path);
}

/* True when there is nothing to say of it. */
static bool look_file(struct doctor *d, const struct doctor_inside *in,
		      const char *path)
{
	bool main_file = !strcmp(path, d->conf->file), dir, secret;
	struct stat st;

	if (stat(path, &st) < 0)
		return true;
	dir = S_ISDIR(st.st_mode);
	secret = !dir && !is_yaml(path);
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		doctor_add(d, DOCTOR_FILES, DOCTOR_PROBLEM, path,
			   arena_printf(d->arena, "chmod o-w %s", path),
			   "Every user of this machine can change it.");
	else if ((main_file || secret || dir) &&
		 is_below(path, in->document_root))
		doctor_add(d, DOCTOR_FILES, DOCTOR_PROBLEM, path, "",
			   "It is below the web server's document root (%.*s), "
			   "so anybody may be able to download it: move it.",
			   STR_ARG(in->document_root));
	else if (st.st_mode & S_IROTH && secret)
		doctor_add(d, DOCTOR_FILES, DOCTOR_PROBLEM, path,
			   arena_printf(d->arena, "chmod o-r %s", path),
			   "Every user of this machine can read this secret.");
	else if (st.st_mode & S_IROTH &&
		 conf_list_has(&d->conf->open_secrets, str_of(path)))
		doctor_add(d, DOCTOR_FILES, DOCTOR_WARNING, path,
			   close_advice(d, path, &st),
			   "Every user of this machine can read this file, "
			   "and it contains passwords.");
	else
		return true;
	return false;
}

/* Whoever can write to a directory can replace the files in it. */
static bool look_directory(struct doctor *d, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *path = !slash ? "." : slash == file ? "/"
		: arena_printf(d->arena, "%.*s", (int)(slash - file), file);
	struct stat st;

	if (stat(path, &st) < 0 || !(st.st_mode & S_IWOTH) ||
	    st.st_mode & S_ISVTX)
		return true;
	doctor_add(d, DOCTOR_FILES, DOCTOR_PROBLEM, path,
		   arena_printf(d->arena, "chmod o-w %s", path),
		   "Every user of this machine can replace %s.", file);
	return false;
}

/*
 * Files beside the main one that the documentation has an admin make: passwords of
 * people, and the environment of the service.
 */
static bool look_neighbours(struct doctor *d)
{
	static const struct {
		const char *name, *has;
	} files[] = {
		{ "htpasswd", "the hashes of people's passwords" },
		{ "env", "secrets" },
	};
	const char *slash = strrchr(d->conf->file, '/');
	bool fine = true;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		/* On a shared host, Apache is one of the others. */
		mode_t others = i == 0 && d->web == WEB_APACHE_CGI
			? S_IWOTH : S_IROTH | S_IWOTH;
		const char *path = arena_printf(d->arena, "%.*s%s", slash
			? (int)(slash + 1 - d->conf->file) : 0, d->conf->file,
			files[i].name);
		struct stat st;

		if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		    !(st.st_mode & others))
			continue;
		fine = false;
		doctor_add(d, DOCTOR_FILES, DOCTOR_PROBLEM, path, i == 0
			   ? arena_printf(d->arena, "chown root:www-data %s && "
					  "chmod 0640 %s", path, path)
			   : arena_printf(d->arena, "chmod 0600 %s", path),
			   "Every user of this machine can %s it, and it contains "
			   "%s.", st.st_mode & S_IWOTH ? "change" : "read",
			   files[i].has);
	}
	return fine;
}

void doctor_look_files(struct doctor *d, const struct doctor_inside *in)
{
	const struct conf_list *l = &d->conf->files;
	bool fine = look_directory(d, d->conf->file);

	fine &= look_neighbours(d);

	for (size_t i = 0; i < l->n; i++)
		fine &= look_file(d, in, l->v[i]);
	if (fine)
		doctor_add(d, DOCTOR_FILES, DOCTOR_OK, "", "",
			   "%zu files and directories, none accessible to others.",
			   l->n);
}

/* Without a database that answers: nobody knows. */
static bool is_ours(struct doctor *d, const struct doctor_inside *in,
		    const char *dir)
{
	struct err e = ERR_INIT;

	if (access(dir, R_OK | W_OK | X_OK) < 0 ||
	    blob_mark_write(in->db, &e) == 0 || e.code != ERR_FILE_STORE)
		return true;
	doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_PROBLEM, dir, "",
		   "Uploads fail: %s", doctor_log_text(&e));
	return false;
}

/* The directory of uploads: ours alone, and never served. */
static void doctor_look_store(struct doctor *d, const struct doctor_inside *in)
{
	const char *dir = blob_dir();
	struct err e = ERR_INIT;
	struct stat st;

	if (!dir)
		doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_OK, "", "",
			   "Uploaded files are in the database.");
	else if (!is_ours(d, in, dir))
		return;
	else if (blob_try(&e) < 0)
		doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_PROBLEM, dir,
			   arena_printf(d->arena, "install -d -m 0700 -o %u %s",
					(unsigned)geteuid(), dir),
			   "Uploads fail: %s", doctor_log_text(&e));
	else if (is_below(dir, in->document_root))
		doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_PROBLEM, dir, "",
			   "It is below the web server's document root (%.*s), "
			   "so anybody may be able to download what others "
			   "uploaded: move it.", STR_ARG(in->document_root));
	else if (stat(dir, &st) == 0 && st.st_mode & (S_IRWXG | S_IRWXO))
		doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_WARNING, dir,
			   arena_printf(d->arena, "chmod 0700 %s", dir),
			   "Other users of this machine can open the directory "
			   "of uploads.");
	else
		doctor_add(d, DOCTOR_FILE_STORE, DOCTOR_OK, dir, "",
			   "Uploaded files can be stored, read and deleted%s.",
			   blob_for_new() ? "" : "; new ones go to the database");
}

/* -- findings -------------------------------------------------------------- */

#define MIN_VERSION      "10.11"
#define MIN_PACKET_BYTES 8388608	/* answers of 4 MiB, escaped */
#define SKEW_WARN_US     2000000
#define SKEW_BAD_US      10000000	/* leases are 30 s */
#define BUDGET_MS        40000		/* web servers wait 60 s, some of them */

/* Whether there is no time left for another check, which is then reported. */
static bool late(struct doctor *d, int64_t until_ms, enum doctor_check check,
		 const char *subject)
{
	if (clock_mono_ms() < until_ms)
		return false;
	doctor_add(d, check, DOCTOR_WARNING, subject, "",
		   "Not checked: the checks before it took %d s.", BUDGET_MS / 1000);
	return true;
}

/* -- the database ---------------------------------------------------------------- */

static bool too_old(const char *version)
{
	char *rest;
	long major = strtol(version, &rest, 10), minor = 0;

	if (*rest == '.')
		minor = strtol(rest + 1, NULL, 10);
	return major < 10 || (major == 10 && minor < 11);
}

static void look_settings(struct doctor *d, const struct db_server *s)
{
	if (too_old(s->version.p) || !strstr(s->version.p, "MariaDB"))
		doctor_add(d, DOCTOR_DATABASE, DOCTOR_PROBLEM, "version", "",
			   "The server is %s; MariaDB %s or newer is needed.",
			   s->version.p, MIN_VERSION);
	if (s->max_packet_bytes < MIN_PACKET_BYTES)
		doctor_add(d, DOCTOR_DATABASE, DOCTOR_WARNING,
			   "max_allowed_packet",
			   "[mariadbd]\nmax_allowed_packet = 16M",
			   "Long answers and tool results do not fit into %lld "
			   "bytes.", (long long)s->max_packet_bytes);
	if (s->max_connections <= d->conf->db.pool)
		doctor_add(d, DOCTOR_DATABASE, DOCTOR_WARNING,
			   "max_connections",
			   arena_printf(d->arena, "[mariadbd]\n"
					"max_connections = %d",
					4 * d->conf->db.pool),
			   "The server allows %lld connections; one responder "
			   "may need %d (database.pool).",
			   (long long)s->max_connections, d->conf->db.pool);
	if (s->read_only)
		doctor_add(d, DOCTOR_DATABASE, DOCTOR_PROBLEM, "read_only", "",
			   "The server is read-only (a replica?): nothing can "
			   "be stored.");
}

/* Checks each host of a list. */
static void look_db_hosts(struct doctor *d, struct db *db, const char *id,
			  enum doctor_check check)
{
	struct db_host *hosts = arena_zalloc(d->arena, DB_HOSTS_MAX,
					     sizeof(*hosts));
	size_t n = db_hosts(db, hosts);

	if (n < 2)
		return;
	n = db_hosts_try(db, hosts);
	for (size_t i = 0; i < n; i++) {
		const char *name = arena_printf(d->arena, "%s%s%s:%d", id,
						*id ? " " : "", hosts[i].name,
						hosts[i].port);

		if (hosts[i].bad)
			doctor_add(d, check, DOCTOR_WARNING, name, "",
				   "The host is not used: %s.", hosts[i].why);
		else
			doctor_add(d, check, DOCTOR_OK, name, "",
				   "The host is %s.", i ? "ready" : "ready, and "
				   "the first");
	}
}

/* Nothing: they are counted. */
static void note_lost(void *ctx, const char *table, const char *column,
		      const struct uuid *row, const struct err *why)
{
	(void)ctx;
	(void)table;
	(void)column;
	(void)row;
	(void)why;
}

/* Keys that people stored, sealed with a key that secrets.key does not have any more. */
static void look_seals(struct doctor *d, const struct doctor_inside *in)
{
	struct resource_resealed n;
	struct err e = ERR_INIT;

	if (resource_try_seals(in->db, d->conf, note_lost, NULL, &n, &e) < 0)
		return;		/* the database was checked */
	if (n.lost)
		doctor_add(d, DOCTOR_SECRETS, DOCTOR_PROBLEM, "",
			   "secrets: {key: \"file:…\"}   # in lamplighter.yaml: add "
			   "the old key behind the present one\n"
			   "lamplighter secret rotate",
			   "%lld stored keys cannot be opened: they were sealed with "
			   "a key that is not in secrets.key. %lld others can.",
			   (long long)n.lost, (long long)n.done);
	else if (n.done)
		doctor_add(d, DOCTOR_SECRETS, DOCTOR_OK, "", "",
			   "All %lld stored keys can be opened.", (long long)n.done);
}

static void look_database(struct doctor *d, const struct doctor_inside *in)
{
	int64_t before_us = clock_now_us(), took_us, off_us;
	struct db_server s;
	struct err e = ERR_INIT;

	look_db_hosts(d, in->db, "", DOCTOR_DATABASE);
	if (server_get(in->db, d->arena, &s, &e) < 0) {
		doctor_add(d, DOCTOR_DATABASE, DOCTOR_PROBLEM, "",
			   e.code == ERR_DB_DOWN
			   ? "database: {socket: …, name: …, user: …, "
			     "password: …}   # in lamplighter.yaml" : "",
			   "The database does not answer: %s", doctor_log_text(&e));
		return;
	}
	took_us = clock_now_us() - before_us;
	doctor_add(d, DOCTOR_DATABASE, DOCTOR_OK, "", "",
		   "%s answers within %lld.%03lld ms.", s.version.p,
		   (long long)(took_us / 1000), (long long)(took_us % 1000));
	look_settings(d, &s);
	off_us = s.now_us - before_us - took_us / 2;
	off_us = MAX((off_us < 0 ? -off_us : off_us) - took_us / 2, 0);
	doctor_add(d, DOCTOR_CLOCK, off_us >= SKEW_BAD_US ? DOCTOR_PROBLEM
		   : off_us >= SKEW_WARN_US ? DOCTOR_WARNING : DOCTOR_OK,
		   "the database",
		   off_us >= SKEW_WARN_US ? "timedatectl set-ntp true" : "",
		   "The clocks of the database and the responder differ by "
		   "%lld.%03lld s.", (long long)(off_us / 1000000),
		   (long long)(off_us / 1000 % 1000));
	if (db_schema_not_newer(in->db, version_schema(), &e) < 0)
		doctor_add(d, DOCTOR_SCHEMA, DOCTOR_PROBLEM, "", "", "%s",
			   doctor_log_text(&e));
	else if (db_schema_check(in->db, in->sql_dir, &e) < 0)
		doctor_add(d, DOCTOR_SCHEMA, DOCTOR_PROBLEM, "",
			   "lamplighter migrate", "%s", doctor_log_text(&e));
	else
		doctor_add(d, DOCTOR_SCHEMA, DOCTOR_OK, "", "",
			   "All migrations in %s have been applied.", in->sql_dir);
	look_seals(d, in);
}

/* Tables of datasets without declared columns; the others list theirs. */
static void look_tables(struct doctor *d, const struct conf *conf,
			const struct conf_db *c, struct db *db)
{
	const struct catalog *all = catalog_of(conf);

	for (size_t i = 0; i < all->n_workspaces; i++)
		for (size_t k = 0; k < all->workspaces[i].n_datasets; k++) {
			const struct conf_dataset *s =
				&all->workspaces[i].datasets[k];
			struct err e = ERR_INIT;
			struct db_column *columns;
			size_t n;

			if (!*s->table || strcmp(s->database, c->id) != 0 ||
			    db_columns(db, str_of(s->table), d->arena, &columns,
				       &n, &e) == 0)
				continue;
			doctor_add(d, DOCTOR_DATASETS, DOCTOR_PROBLEM,
				   arena_printf(d->arena, "%s %s", c->id, s->name),
				   arena_printf(d->arena, "GRANT SELECT ON %s TO "
						"...;   # or fix the dataset in %s",
						s->table, s->file),
				   "The dataset cannot be read: %s", doctor_log_text(&e));
			if (e.code != ERR_NOT_FOUND)
				return;	/* the next one would fail, too */
		}
}

/* A connection of its own, as the first query would make it. */
static void look_foreign(struct doctor *d, const struct conf *conf,
			 const struct conf_db *c)
{
	const struct db_options o = {
		.conf = c, .foreign = true, .connect_timeout_s = 5,
	};
	struct err e = ERR_INIT;
	struct db *db = db_open(&o, &e);

	if (db && db_ping(db, &e) == 0) {
		doctor_add(d, DOCTOR_DATASETS, DOCTOR_OK, c->id, "",
			   "The database answers.");
		look_db_hosts(d, db, c->id, DOCTOR_DATASETS);
		look_tables(d, conf, c, db);
	} else {
		doctor_add(d, DOCTOR_DATASETS, DOCTOR_PROBLEM, c->id,
			   arena_printf(d->arena, "databases: {%s: {socket: …, "
					"name: …, user: …, password: …}}"
					"   # in lamplighter.yaml", c->id),
			   "The database does not answer: %s", doctor_log_text(&e));
	}
	if (db)
		db_close(db);
}

/* -- LLM services -------------------------------------------------------------- */

static void judge_answer(struct doctor *d, const struct llm_service *s,
			 const struct llm_probe *p)
{
	if (p->status == 401 || p->status == 403)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_PROBLEM, s->id,
			   arena_printf(d->arena, "llm_services: {%s: {api_key: "
					"…}}   # in lamplighter.yaml", s->id),
			   "The server refused the credential (GET %s: %d).", p->url,
			   p->status);
	else if (p->status == 404 || p->status == 405)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_OK, s->id, "",
			   "The server answers within %lld ms. It has no list "
			   "of models, so the credential was not checked "
			   "(GET %s: %d).", (long long)p->ms, p->url, p->status);
	else if (p->status != 200)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_WARNING, s->id, "",
			   "The server answers with an error (GET %s: %d).",
			   p->url, p->status);
	else if (p->has_list && !p->has_model && !p->models.cut)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_WARNING, s->id,
			   arena_printf(d->arena, "llm_services: {%s: {model: "
					"…}}   # in lamplighter.yaml", s->id),
			   "The server answers, but its list of models does "
			   "not contain %s.", s->model);
	else
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_OK, s->id, "",
			   "The server answers within %lld ms%s (GET %s).",
			   (long long)p->ms, p->has_model
			   ? ", and has the model" : "", p->url);
}

static void look_provider(struct doctor *d, const struct doctor_inside *in,
			  const struct llm_service *s)
{
	struct err e = ERR_INIT;
	struct llm_probe p;

	if (llm_probe(in->http, s, d->arena, &p, &e) == 0)
		judge_answer(d, s, &p);
	else if (e.code == ERR_LLM_NO_CREDENTIAL)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_PROBLEM, s->id,
			   arena_printf(d->arena, "llm_services: {%s: {api_key: "
					"\"${NAME}\"}}   # in lamplighter.yaml",
					s->id),
			   "The service has no api_key (an empty environment "
			   "variable?).");
	else
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_PROBLEM, s->id, "",
			   "The service cannot be reached: %s", doctor_log_text(&e));
}

static void look_providers(struct doctor *d, const struct doctor_inside *in,
			   int64_t until_ms)
{
	const struct catalog *c = catalog_of(d->conf);

	if (!c->n_services)
		doctor_add(d, DOCTOR_PROVIDER, DOCTOR_PROBLEM, "",
			   "llm_services: {main: {provider: openai, model: …, "
			   "api_key: …}}   # in lamplighter.yaml",
			   "No LLM service is configured.");
	for (size_t i = 0; i < c->n_services; i++)
		if (!late(d, until_ms, DOCTOR_PROVIDER, c->services[i].id))
			look_provider(d, in, &c->services[i]);
}

/* People need one to chat in; those of the API are rows. */
static void look_workspaces(struct doctor *d, const struct doctor_inside *in)
{
	size_t n = catalog_of(d->conf)->n_workspaces;
	int64_t rows = 0;
	struct err e = ERR_INIT;

	if (!n && server_workspaces(in->db, str_of(d->conf->tenant), &rows, &e) < 0)
		return;
	if (n || rows)
		doctor_add(d, DOCTOR_WORKSPACE, DOCTOR_OK, "", "",
			   "%lld workspaces are %s.", n ? (long long)n
			   : (long long)rows, n ? "in the files"
			   : "made by people, none in the files");
	else
		doctor_add(d, DOCTOR_WORKSPACE, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_WORKSPACE),
			   "There is no workspace, so nobody can chat: %s has no "
			   "file *.yaml, and nobody made one over the API.",
			   d->conf->workspaces_dir);
}

/* -- tools: a row per kind that has something to look at ------------------------- */

static void look_command(struct doctor *d, const struct doctor_inside *in,
			 const struct conf_tool *t)
{
	const char *program = t->command && t->command->run.n
		? t->command->run.v[0] : NULL;

	(void)in;
	if (!program)
		return;
	if (access(program, X_OK) == 0)
		doctor_add(d, DOCTOR_TOOL, DOCTOR_OK, t->name, "",
			   "%s can be run.", program);
	else if (access(program, F_OK) < 0)
		doctor_add(d, DOCTOR_TOOL, DOCTOR_PROBLEM, t->name,
			   arena_printf(d->arena, "tools: {%s: {command: {run: "
					"[…]}}}   # in lamplighter.yaml",
					t->name),
			   "The responder's user cannot find %s.", program);
	else
		doctor_add(d, DOCTOR_TOOL, DOCTOR_PROBLEM, t->name,
			   arena_printf(d->arena, "chmod 0755 %s", program),
			   "The responder's user cannot run %s.", program);
}

/*
 * Checks only that the server can be reached: HEAD of its root, without the tool's
 * credential, with the tool's address guard. Any answer is good.
 */
static void look_http(struct doctor *d, const struct doctor_inside *in,
		      const struct conf_tool *t)
{
	const char *url = t->http ? t->http->url : "";
	const char *host = strstr(url, "://");
	const struct conf_list *own = t->http ? &t->http->allow_private : NULL;
	const struct net_guard guard = {
		.allow = own && own->n ? own : &d->conf->allow_private,
	};
	struct http_request rq = {
		.method = "HEAD", .watch_fd = -1, .guard = &guard,
		.connect_timeout_ms = 5000, .total_timeout_ms = 10000,
	};
	struct err e = ERR_INIT;
	struct http_result res;

	if (!host)
		return;
	host += 3;
	rq.url = arena_printf(d->arena, "%.*s/",
			      (int)(host - url) + (int)strcspn(host, "/?#"),
			      url);
	if (http_do(in->http, &rq, &res, &e) == 0)
		doctor_add(d, DOCTOR_TOOL, DOCTOR_OK, t->name, "",
			   "%s can be reached.", rq.url);
	else
		doctor_add(d, DOCTOR_TOOL, DOCTOR_PROBLEM, t->name, "",
			   "%s cannot be reached: %s", rq.url, doctor_log_text(&e));
}

static const struct {
	const char *kind;
	void (*look)(struct doctor *d, const struct doctor_inside *in,
		     const struct conf_tool *t);
} tool_rows[] = {
	{ "command", look_command },
	{ "http", look_http },
};

static void look_tools(struct doctor *d, const struct doctor_inside *in,
		       const struct conf_tool *v, size_t n, int64_t until_ms)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_LEN(tool_rows); k++)
			if (!strcmp(v[i].kind, tool_rows[k].kind) &&
			    !late(d, until_ms, DOCTOR_TOOL, v[i].name))
				tool_rows[k].look(d, in, &v[i]);
}

/* Untrusted input is read by two programs, which are tried here. */
static void look_extract(struct doctor *d, bool files)
{
	const char *program = arena_printf(d->arena, "%s%s",
		file_extract_program(), files ? FILE_EXTRACT_FILES : "");
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_INIT;
	bool confined;

	if (file_extract_try(files, &confined, &why, &e) < 0)
		doctor_add(d, DOCTOR_EXTRACT, DOCTOR_PROBLEM, "",
			   arena_printf(d->arena, "ls -l %s", program),
			   "%s cannot be read: %s", files ? "Uploaded files"
			   : "Web pages", doctor_log_text(&e));
	else if (!confined)
		doctor_add(d, DOCTOR_EXTRACT, DOCTOR_WARNING, "", "",
			   "%s works, with limits but %s", program, why.p);
	else
		doctor_add(d, DOCTOR_EXTRACT, DOCTOR_OK, "", "",
			   "%s works, with limits and a system call filter.",
			   program);
	buf_release(&why);
}

/* Checks what reads scanned pages and images. */
static void look_scans(struct doctor *d)
{
	const struct conf *c = d->conf;
	const struct llm_service *eyes = catalog_service(c, str_of(c->scans.llm_service));
	struct err e = ERR_INIT;
	int can = c->scans.tesseract
		? file_extract_can_scan(c->scans.languages, &e) : 0;

	/* The configuration is checked, the provider's limits are not. */
	if (!can && eyes)
		can = llm_check_can(eyes, LLM_CAN_VISION, &e);
	if (can < 0)
		doctor_add(d, DOCTOR_SCANS, DOCTOR_PROBLEM, "", "",
			   "Scanned pages cannot be read: %s", doctor_log_text(&e));
	else if (can)
		doctor_add(d, DOCTOR_SCANS, DOCTOR_OK, "", "",
			   "Tesseract recognises the text of scanned pages and "
			   "images (%s).", c->scans.languages);
	else if (eyes)
		doctor_add(d, DOCTOR_SCANS, DOCTOR_OK, "", "",
			   "The LLM service \"%s\" reads scanned pages and images.",
			   eyes->id);
	else
		doctor_add(d, DOCTOR_SCANS, DOCTOR_OK, "", "",
			   "Nothing reads scanned pages and images: there is no "
			   "Tesseract for \"%s\" (scans.languages), and no "
			   "scans.llm_service.", c->scans.languages);
}

/* A server is asked for its list of tools, which it keeps for a while. */
static void look_mcp(struct doctor *d, const struct doctor_inside *in,
		     const struct conf_mcp *m)
{
	const struct tool_ctx ctx = {
		.turn = {
			.by = caller_of(d->conf, NULL, in->db, d->arena),
			.env = in->tools,
		},
		.arena = d->arena,
	};
	struct mcp_peer *p = mcp_peer_get(tool_env_mcp(ctx.turn.env), &ctx, m);
	struct err e = ERR_INIT;
	struct mcp_list *l = mcp_list_get(p, m, &ctx, &e);
	size_t waiting = 0;

	mcp_peer_put(p);
	if (!l) {
		doctor_add(d, DOCTOR_TOOL, DOCTOR_PROBLEM, m->id, "",
			   "The MCP server does not answer: %s", doctor_log_text(&e));
		return;
	}
	for (size_t i = 0; i < l->n; i++)
		waiting += l->tools[i].state == MCP_NEW ||
			l->tools[i].state == MCP_CHANGED;
	if (waiting)
		doctor_add(d, DOCTOR_TOOL, DOCTOR_WARNING, m->id,
			   arena_printf(d->arena, "lamplighter mcp show %s\n"
					"lamplighter mcp accept %s", m->id,
					m->id),
			   "The MCP server answers. %zu of its %zu tools are new "
			   "or have changed and are not used.", waiting, l->n);
	else
		doctor_add(d, DOCTOR_TOOL, DOCTOR_OK, m->id, "",
			   "The MCP server answers, with %zu tools.", l->n);
	mcp_list_put(l);
}

/* -- the identity chain -------------------------------------------------------- */

static void look_anonymous(struct doctor *d)
{
	for (size_t i = 0; i < d->conf->n_chain; i++) {
		const struct conf_identity *link = &d->conf->chain[i];
		struct buf names = BUF_INIT(512);
		bool any = false;

		if (link->kind != IDENTITY_ANONYMOUS)
			continue;
		for (size_t k = 0; k < link->hosts.n; k++) {
			any |= !strcmp(link->hosts.v[k], "*");
			buf_addf(&names, "%s%s", k ? ", " : "",
				 link->hosts.v[k]);
		}
		if (any)
			doctor_add(d, DOCTOR_HOSTS, DOCTOR_WARNING, "",
				   "identity: {chain: [{kind: anonymous, hosts: "
				   "[chat.example.org]}]}   # in "
				   "lamplighter.yaml",
				   "Anonymous access is open under every host "
				   "name: any page on the web can make its own "
				   "name resolve to this server and use the "
				   "chat from within your network.");
		else
			doctor_add(d, DOCTOR_HOSTS, DOCTOR_OK, "", "",
				   "Anonymous access is limited to %s.",
				   buf_ok(&names) ? names.p : "some names");
		buf_release(&names);
	}
}

/* Web servers that start the responder themselves know when it is not there. */
static void look_restart(struct doctor *d, const struct doctor_inside *in)
{
	if (in->gateway != GATEWAY_SOCKET)
		return;
	if (in->socket_stays)
		doctor_add(d, DOCTOR_RESTART, DOCTOR_OK, "", "",
			   "The socket outlives the responder: requests wait "
			   "while it restarts.");
	else
		doctor_add(d, DOCTOR_RESTART, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_RESTART),
			   "The socket ends with the responder: requests are "
			   "refused while it restarts.");
}

void doctor_look(struct doctor *d, const struct doctor_inside *in)
{
	int64_t until_ms = clock_mono_ms() + BUDGET_MS;
	const struct conf *c = d->conf;
	const struct catalog *all = catalog_of(c);

	look_anonymous(d);
	doctor_look_files(d, in);
	doctor_look_store(d, in);
	doctor_look_places(d, in);
	look_restart(d, in);
	look_database(d, in);
	for (size_t i = 0; i < c->n_databases; i++)
		if (!late(d, until_ms, DOCTOR_DATASETS, c->databases[i].id))
			look_foreign(d, c, &c->databases[i]);
	for (size_t i = 0; i < c->knowledge.n_sources; i++)
		if (!late(d, until_ms, DOCTOR_SOURCES, c->knowledge.sources[i].name))
			doctor_look_source(d, in, &c->knowledge.sources[i]);
	look_workspaces(d, in);
	look_providers(d, in, until_ms);
	for (int files = 0; files <= 1; files++)
		if (!late(d, until_ms, DOCTOR_EXTRACT, ""))
			look_extract(d, files);
	if (c->scans.pages && !late(d, until_ms, DOCTOR_SCANS, ""))
		look_scans(d);
	look_tools(d, in, c->tools, c->n_tools, until_ms);
	for (size_t i = 0; i < c->n_mcp_servers; i++)
		if (!late(d, until_ms, DOCTOR_TOOL, c->mcp_servers[i].id))
			look_mcp(d, in, &c->mcp_servers[i]);
	for (size_t i = 0; i < all->n_workspaces; i++)
		look_tools(d, in, all->workspaces[i].tools,
			   all->workspaces[i].n_tools, until_ms);
}
