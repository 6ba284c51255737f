/* files: the contents of uploads, compared with their rows, or moved. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "file/move.h"

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

int cli_files(struct cli *cli, int argc, char **argv)
{
	struct cli_session s;
	int rc;

	if (argc != 2 || (strcmp(argv[1], "check") && strcmp(argv[1], "move")))
		return cli_usage(cli, "say check or move");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	rc = strcmp(argv[1], "move") ? all(&s, file_check_all, "fine")
		: all(&s, file_move_all, "moved");
	cli_session_close(&s);
	return rc;
}
