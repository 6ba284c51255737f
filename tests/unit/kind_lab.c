/* SPDX-License-Identifier: MIT */
/* See kind_lab.h. */
#include "kind_lab.h"

#include "caller_lab.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct kind_lab kind_lab = { .dir = "/tmp/lamp-kind-XXXXXX" };

void kind_lab_file(const char *name, const char *text, unsigned mode)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", kind_lab.dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

int kind_lab_up(void **state)
{
	struct err e = ERR_INIT;
	char path[256];

	(void)state;
	jx_seed();
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(http_global_init(&e), 0);
	assert_non_null(mkdtemp(kind_lab.dir));
	snprintf(path, sizeof(path), "%s/workspaces.d", kind_lab.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	kind_lab.http = http_pool_new(8);
	kind_lab.env = tool_env_new(kind_lab.http);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

int kind_lab_down(void **state)
{
	(void)state;
	tool_env_free(kind_lab.env);
	http_pool_free(kind_lab.http);
	http_global_cleanup();
	conf_put(kind_lab.conf);
	return nftw(kind_lab.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int kind_lab_load(const char *main_file, const char *workspace,
			 struct err *e)
{
	char path[256];

	conf_put(kind_lab.conf);
	kind_lab.conf = NULL;
	kind_lab_file("lamplighter.yaml", main_file, 0600);
	kind_lab_file("workspaces.d/w.yaml", workspace, 0600);
	snprintf(path, sizeof(path), "%s/lamplighter.yaml", kind_lab.dir);
	kind_lab.conf = conf_load(path, e);
	return kind_lab.conf ? tool_check_conf(kind_lab.conf, e) : -1;
}

void kind_lab_conf(const char *main_file, const char *workspace)
{
	struct err e = ERR_INIT;

	if (kind_lab_load(main_file, workspace, &e) < 0)
		fail_msg("%s", e.text);
}

void kind_lab_ctx(const char *groups, struct arena *a,
			 struct tool_ctx *ctx)
{
	const struct workspace *w = &catalog_of(kind_lab.conf)->workspaces[0];

	*ctx = (struct tool_ctx){
		.turn = {
			.by = lab_caller(kind_lab.conf, "anna", "Anna Ünal",
					 groups, a),
			.env = kind_lab.env, .workspace = w,
			.agent = workspace_default_agent(w),
			.abort = kind_lab.abort,
		},
		.arena = a,
	};
}

struct tool_result kind_lab_call(const char *groups, const char *tool,
					const char *args, struct arena *a)
{
	struct err e = ERR_INIT;
	struct tool_result r;
	struct tool_ctx ctx;
	struct tool_set set;

	kind_lab_ctx(groups, a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	tool_call(&set, &ctx, str_of(tool), str_of(args), &r);
	return r;
}

const char *kind_lab_offered(const char *groups, struct arena *a)
{
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;
	struct tool_ctx ctx;
	struct tool_set set;
	const char *out;

	kind_lab_ctx(groups, a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	for (size_t i = 0; i < set.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", set.v[i].tool->name);
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}
