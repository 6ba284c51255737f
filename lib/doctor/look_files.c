/* SPDX-License-Identifier: MIT */
/* Who can read and write the configuration, and the directory of uploads. */
#include "doctor/look.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/blob.h"
#include "store/blob_mark.h"

#include "base/banned.h"

const char *doctor_log_text(const struct err *e)
{
	return *e->text ? e->text : err_message(e);
}

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
void doctor_look_store(struct doctor *d, const struct doctor_inside *in)
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
