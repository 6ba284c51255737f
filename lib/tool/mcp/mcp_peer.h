/* SPDX-License-Identifier: MIT */
/* Shared by the files of the MCP client. */
#ifndef TOOL_MCP_PEER_H
#define TOOL_MCP_PEER_H

#include <pthread.h>
#include <stdatomic.h>

#include "tool/mcp/mcp.h"

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25"		/* what initialize asks for */

enum {
	MCP_SESSION_BYTES = 257,
	MCP_NEEDS_BYTES = 180,
	MCP_CONNECT_MS = 5000,
};

enum mcp_era { MCP_ERA_UNKNOWN, MCP_ERA_SESSION, MCP_ERA_STATELESS };

struct mcp_child;

struct mcp_peer {
	struct mcp_hub *hub;
	struct http_pool *http;		/* the handles of its hub */
	struct mcp_peer *next;
	char *key;			/* server, its settings, whose */
	struct arena arena;		/* of conf */
	struct conf_mcp conf;		/* what ending a session needs */
	struct conf_list allow_private;	/* of its address */
	int users;			/* under the hub's lock */
	int64_t used_ms;
	_Atomic int64_t next_id;
	atomic_bool changed;		/* the server reported a changed list;
					   no lock: a child's lock is held then */

	pthread_mutex_t lock;		/* over what follows; never over I/O */
	enum mcp_era era;
	char version[16];		/* negotiated */
	char session[MCP_SESSION_BYTES];	/* "" = none */
	unsigned opened;		/* counts openings */
	struct mcp_child *child;	/* stdio; NULL = not running */

	struct mcp_list *list;
	int64_t list_until_ms, pins_until_ms, retry_ms;
	bool listing;
	struct err list_err;
};

/* Ends its session and its child. Nobody uses it any more. */
void mcp_peer_close(struct mcp_peer *p);

/* How a request is sent: a copy of the peer's state at one moment. */
struct mcp_mode {
	enum mcp_era era;
	char version[16], session[MCP_SESSION_BYTES];
	unsigned opened;
	struct mcp_child *child;	/* held: mcp_child_put */
};

/* The outcome of one exchange, besides c->result and c->error. */
struct mcp_outcome {
	int status;			/* HTTP; 0 = none, or stdio */
	bool sent;			/* the server may have seen it */
	bool answered;			/* result or error is there */
	char session[MCP_SESSION_BYTES];	/* that the answer names */
	char needs[MCP_NEEDS_BYTES];	/* its WWW-Authenticate, made plain */
};

/* -- mcp_wire.c ------------------------------------------------------------ */

/* The request as JSON text; adds _meta as the era wants it. */
void mcp_write(struct buf *out, const struct mcp_call *c, int64_t id,
	       enum mcp_era era);
void mcp_write_notice(struct buf *out, const char *method, int64_t cancelled);

/*
 * Handles a message while waiting for the answer to id. MCP_ANSWER: c->result or
 * c->error is set, and no longer part of message. MCP_ASKED: *reply is our answer
 * to a request of the server (new). Everything else is done here: progress is
 * reported (*life is set), a changed list is noted in p, wrong ids and invalid
 * messages are ignored.
 */
enum mcp_heard { MCP_NOTHING, MCP_ANSWER, MCP_ASKED };
enum mcp_heard mcp_hear(struct mcp_peer *p, struct mcp_call *c, int64_t id,
			json_t *message, json_t **reply, bool *life);

/* Whose answer a message is, or -1. */
int64_t mcp_answer_id(const json_t *message);

/* -- mcp_http.c ------------------------------------------------------------ */

/*
 * One request over HTTP. -1 with an ERR_UPSTREAM_… when no answer came;
 * 0 with out->answered, or without it where a status tells why.
 */
int mcp_http_exchange(struct mcp_peer *p, struct mcp_call *c,
		      const struct mcp_mode *m, struct mcp_outcome *out,
		      struct err *e) MUST_CHECK;

/* A notification; its outcome does not matter. */
void mcp_http_notify(struct mcp_peer *p, const struct mcp_call *c,
		     const struct mcp_mode *m, const char *method,
		     int64_t cancelled);

/* DELETE of a session; the outcome does not matter. */
void mcp_http_end(struct mcp_peer *p, const struct conf_mcp *s,
		  const struct mcp_mode *m);

/* -- mcp_stdio.c ----------------------------------------------------------- */

/*
 * Starts the server's program, with two references: the peer's and the caller's.
 * NULL with ERR_OVERLOADED or ERR_TOOL_FAILED. The last reference frees it; put
 * accepts NULL.
 */
struct mcp_child *mcp_child_start(struct mcp_peer *p, const struct conf_mcp *s,
				  struct err *e) MUST_CHECK;
void mcp_child_hold(struct mcp_child *child);
void mcp_child_put(struct mcp_child *child);

/* Ends it: closes its stdin, then signals; waits. Drops the peer's reference. */
void mcp_child_stop(struct mcp_child *child);

/* Whether it still runs and takes requests. */
bool mcp_child_alive(struct mcp_child *child);

/* As mcp_http_exchange and mcp_http_notify, over m->child. */
int mcp_stdio_exchange(struct mcp_peer *p, struct mcp_call *c,
		       const struct mcp_mode *m, struct mcp_outcome *out,
		       struct err *e) MUST_CHECK;
void mcp_stdio_notify(const struct mcp_mode *m, const char *method,
		      int64_t cancelled);

#endif
