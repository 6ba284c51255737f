/* SPDX-License-Identifier: MIT */
/* files: the contents of uploads, compared with their rows, or moved. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "file/move.h"
#include "store/blob.h"
#include "store/blob_mark.h"

#include "base/banned.h"

typedef int files_all(struct db *db, struct file_moved *n, struct buf *out,
		      struct err *e);

static int all(struct cli_session *s, files_all *fn, const char *done)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;
	struct file_moved n;
	int rc = fn(s->db, &n, &out, &e);

	(void)cli_print(&out);
	if (rc < 0)
		return cli_failed(&e);
	fprintf(stderr, "%zu %s, %zu damaged or missing\n", n.moved, done,
		n.damaged);
	return n.damaged ? CLI_FAILED : CLI_OK;
}

static int check_folders(struct cli_session *s)
{
	return all(s, file_check_all, "fine");
}

static int move(struct cli_session *s)
{
	return all(s, file_move_all, "moved");
}

static int adopt_folder(struct cli_session *s)
{
	struct err e = ERR_INIT;

	if (!blob_dir()) {
		fputs("file_dir is not set\n", stderr);
		return CLI_FAILED;
	}
	if (blob_mark_take(s->db, &e))
		return cli_failed(&e);
	fprintf(stderr, "%s belongs to this installation\n", blob_dir());
	return CLI_OK;
}

int cli_files(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct cli_session *s);
	} actions[] = { { "check", check_folders }, { "move", move }, { "take", adopt_folder } };
	struct cli_session s;
	size_t i = 0;
	int rc;

	while (argc == 2 && i < ARRAY_LEN(actions) &&
	       strcmp(argv[1], actions[i].name) != 0)
		i++;
	if (argc != 2 || i == ARRAY_LEN(actions))
		return cli_usage(cli, "the subcommand must be check, move or "
				 "take");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	rc = actions[i].run(&s);
	cli_session_close(&s);
	return rc;
}
