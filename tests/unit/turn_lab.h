/* SPDX-License-Identifier: MIT */
/*
 * What tests of turns stand on: the stand-in model as a child process, the
 * store in a private MariaDB (with-mariadb), a configuration, and a sink that
 * writes down what it is told.
 */
#ifndef UNIT_TURN_LAB_H
#define UNIT_TURN_LAB_H

#include "unit.h"

#include <mysql.h>

#include "store/store.h"
#include "tool/core/tool.h"
#include "event/live.h"
#include "turn/loop.h"

struct lab {
	struct conf *conf;
	struct turn_deps deps;
	struct db *root;	/* the store again, for tests to look into */
	int llm_pid;
	const char *workspace;	/* of plays; NULL = "lab" */
	bool at_once;		/* plays ask the model before the begin is committed */
};
extern struct lab lab;

int lab_up(void **state);
int lab_down(void **state);

/* The database directly, as root. */
MYSQL *lab_root(void);

/* Stops the database (SIGKILL), starts it, waits until it answers. */
void lab_db_stop(void);
void lab_db_start(void);

/* Milliseconds since an arbitrary time; waiting with a deadline. */
int64_t lab_ms(void);
void lab_nap(void);

struct record;
typedef void lab_hook(struct record *r, const struct turn_event *ev);

/*
 * A sink. log has a line per event, "token Hello" and so on; tokens in a row
 * are joined.
 */
struct record {
	struct sink sink;
	struct buf log;
	enum turn_event_type last;
	int events, tokens, terminals, idles;
	lab_hook *hook;		/* sees each event, after it was noted */
};

/* One turn with everything it needs. */
struct play {
	struct arena arena;
	struct identity who;
	struct turn_run run;
	struct record record;
	enum turn_status status;
	struct err err;		/* of turn_start */
};

/* Opens a turn of user "anna" with agent (NULL: the default). 0 or -1. */
int play_open(struct play *p, const char *agent, const struct uuid *conversation,
	      const char *content);

/* Runs the opened turn. */
void play_run(struct play *p, lab_hook *hook);

/* Both, and the turn must open. */
void play(struct play *p, const char *agent, const struct uuid *conversation,
	  const char *content);
void play_end(struct play *p);

/* A member of the answer's metadata; kept by the play's arena. */
json_t *play_meta(struct play *p, const char *key);

/* The request as it was last sent; its part of this kind, and all tokens; its tools. */
const struct llm_request *play_request(const struct play *p);
const struct part_share *play_share(const struct play *p, enum part_id part);
int64_t play_tokens(const struct play *p);

/* What the turn's calls see: to be changed before it runs. */
struct tool_ctx *play_tool_ctx(struct play *p);

/* Drops the older half of what was sent of the history; false if none is left. */
bool play_shorten(struct play *p);

/* Before it runs: so often it says that it is alive. */
void play_idle_ms(struct play *p, int ms);

/* The number of its last event; waits for the COMMIT of its begin. */
int64_t play_last_event(const struct play *p);
void play_commit(struct play *p);

/* A context of these messages, of an agent within outer (NULL: it is a turn's). */
struct context lab_context(struct llm_message *m, size_t n, const struct context *outer);

/* The log is want; has part in it. */
void play_assert_log(const struct play *p, const char *want);
void play_assert_has(const struct play *p, const char *part);

/* Whose it is; the thread as it is stored, oldest first; the turn's row. */
struct owner play_owner(const struct play *p);
struct message_page play_thread(struct play *p);
struct turn play_turn(struct play *p);

/* The usage record of this kind that the turn has: these columns, up to ten. In p's
   arena; "" for NULL. */
const char **play_usage(struct play *p, enum usage_kind kind, const char *columns);

/* Pieces of scripts: a call that counts the tickets, one that takes 300 ms. */
#define COUNT_TICKETS "{\"name\":\"query_data\",\"args\":{\"dataset\":" \
	"\"ticket\",\"aggregates\":[{\"fn\":\"count\"}]}}"
#define SLOW(limit) "{\"name\":\"query_data\",\"args\":{\"dataset\":" \
	"\"slow\",\"limit\":" limit "}}"

#endif
