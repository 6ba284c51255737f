/* SPDX-License-Identifier: MIT */
/*
 * A server as one credential sees it: its era, its session or its child process,
 * and the recovery when that turns out to be gone.
 *
 * Over HTTP the era is found by server/discover in the modern form, which no
 * server of either era acts upon (8.3); over stdio initialize comes first,
 * since every server of the session era answers it, and a modern one refuses it.
 * Nothing is ever sent twice that might run twice, unless the admin says that
 * the tool only reads, or is idempotent (P-G5).
 */
#include "tool/mcp/mcp_peer.h"

#include <stdio.h>

#include "auth/user_token.h"
#include "base/clock.h"
#include "base/log.h"

#include "base/banned.h"

enum { ROUNDS = 5 };	/* answers "input_required" that only have a state */

/* -- whose it is ------------------------------------------------------------ */

int mcp_credential(const struct conf_mcp *s, const struct tool_ctx *ctx,
		   struct arena *a, const char **out, struct err *e)
{
	bool bearer = strcasecmp(s->token_header, "Authorization") == 0;
	struct str token;

	*out = NULL;
	if (!s->token || !ctx->turn.by.who)
		return 0;
	if (user_token_make(s->token, ctx->turn.by.who, clock_now_us(), a,
			    &token, e) < 0)
		return -1;
	*out = arena_printf(a, "%s: %s%.*s", s->token_header,
			    bearer ? "Bearer " : "", STR_ARG(token));
	return 0;
}

/* -- the current mode ------------------------------------------------------- */

static void mode_release(struct mcp_mode *m)
{
	mcp_child_put(m->child);
	m->child = NULL;
}

/* A copy of the current mode; m->opened is 0 if there is none. */
static void look_at(struct mcp_peer *p, struct mcp_mode *m)
{
	struct mcp_child *dead = NULL;

	*m = (struct mcp_mode){ .era = MCP_ERA_UNKNOWN };
	pthread_mutex_lock(&p->lock);
	if (p->child && !mcp_child_alive(p->child)) {
		dead = p->child;
		p->child = NULL;
		p->era = MCP_ERA_UNKNOWN;
	}
	if (p->era != MCP_ERA_UNKNOWN) {
		m->era = p->era;
		m->opened = p->opened;
		snprintf(m->version, sizeof(m->version), "%s", p->version);
		snprintf(m->session, sizeof(m->session), "%s", p->session);
		m->child = p->child;
		if (m->child)
			mcp_child_hold(m->child);
	}
	pthread_mutex_unlock(&p->lock);
	if (dead)
		mcp_child_stop(dead);
}

void mcp_peer_close(struct mcp_peer *p)
{
	struct mcp_mode m;

	look_at(p, &m);
	if (m.session[0])
		mcp_http_end(p, &p->conf, &m);
	mode_release(&m);
	if (p->child)
		mcp_child_stop(p->child);
}

/* -- opening --------------------------------------------------------------- */

/*
 * Makes m the mode for all callers. If another thread was faster, its mode stays
 * and ours is closed again.
 */
static void publish(struct mcp_peer *p, const struct conf_mcp *s,
		    struct mcp_mode *m)
{
	struct mcp_mode ours = *m;
	bool first;

	pthread_mutex_lock(&p->lock);
	first = p->era == MCP_ERA_UNKNOWN;
	if (first) {
		p->era = m->era;
		p->opened = m->opened = p->opened + 1;
		snprintf(p->version, sizeof(p->version), "%s", m->version);
		snprintf(p->session, sizeof(p->session), "%s", m->session);
		p->child = m->child;
	}
	pthread_mutex_unlock(&p->lock);
	if (first)
		return;
	mcp_http_end(p, s, &ours);
	if (ours.child) {
		mcp_child_stop(ours.child);
		mcp_child_put(ours.child);
	}
	look_at(p, m);
}

/* The mode with the number `opened` does not work any more. */
static void forget(struct mcp_peer *p, unsigned opened)
{
	pthread_mutex_lock(&p->lock);
	if (p->opened == opened) {
		p->era = MCP_ERA_UNKNOWN;
		p->session[0] = '\0';
	}
	pthread_mutex_unlock(&p->lock);
}

static int exchange(struct mcp_peer *p, struct mcp_call *c,
		    const struct mcp_mode *m, struct mcp_outcome *out,
		    struct err *e)
{
	*out = (struct mcp_outcome){ .status = 0 };
	return m->child ? mcp_stdio_exchange(p, c, m, out, e)
		: mcp_http_exchange(p, c, m, out, e);
}

static int64_t error_code(const struct mcp_call *c)
{
	return c->error ? jx_int(c->error, "code", 0) : 0;
}

/* Versions of the session era that we speak. */
static bool known_version(struct str v)
{
	static const char *const known[] = {
		"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(v, known[i]))
			return true;
	return false;
}

static bool is_refusal(const struct mcp_outcome *out)
{
	return out->status == 401 ||
		(out->status == 403 && (out->needs[0] || !out->answered));
}

/* For the log and the command: what the server requires, and who provides it. */
static int say_refused(const struct mcp_outcome *out, struct err *e)
{
	return err_set(e, ERR_UPSTREAM_AUTH, "status %d: `headers` or `token` "
		       "of mcp_servers must give a credential%s%s", out->status,
		       out->needs[0] ? "; it asks for " : "", out->needs);
}

/* The era of sessions: initialize, then the initialized notification. */
static int initialize(struct mcp_peer *p, const struct mcp_call *asked,
		      struct mcp_mode *m, struct mcp_outcome *out,
		      struct err *e)
{
	struct mcp_call c = {
		.server = asked->server, .method = "initialize",
		.credential = asked->credential,
		.timeout_ms = asked->timeout_ms, .abort = asked->abort,
		.params = json_pack("{s:s, s:{}, s:{s:s, s:s}}",
			"protocolVersion", MCP_LEGACY, "capabilities",
			"clientInfo", "name", "lamplighter", "version", "1"),
	};
	struct str version;
	int rc;

	m->era = MCP_ERA_SESSION;
	m->version[0] = m->session[0] = '\0';
	rc = exchange(p, &c, m, out, e);
	version = jx_str(c.result, "protocolVersion");
	if (rc == 0 && c.result && !known_version(version))
		rc = err_set(e, ERR_UPSTREAM_PROTOCOL,
			     "it speaks version \"%.32s\" only", version.p
			     ? version.p : "");
	else if (rc == 0 && !c.result && is_refusal(out))
		rc = say_refused(out, e);
	else if (rc == 0 && !c.result && !c.error &&
		 (out->status == 404 || out->status == 405))
		rc = err_set(e, ERR_UPSTREAM_PROTOCOL, "initialize was answered "
			     "%d: there is no Streamable HTTP at this url; a "
			     "server that speaks only HTTP+SSE (of 2024-11-05) "
			     "is not supported", out->status);
	else if (rc == 0 && !c.result)
		rc = err_set(e, ERR_UPSTREAM_PROTOCOL,
			     "initialize was answered %d %.100s", out->status,
			     c.error ? jx_str(c.error, "message").p : "");
	if (rc == 0) {
		snprintf(m->version, sizeof(m->version), "%.*s",
			 STR_ARG(version));
		snprintf(m->session, sizeof(m->session), "%s", out->session);
		if (m->child)
			mcp_stdio_notify(m, "notifications/initialized", -1);
		else
			mcp_http_notify(p, asked, m,
					"notifications/initialized", -1);
	}
	mcp_call_release(&c);
	json_decref(c.params);
	return rc;
}

static bool names_modern(const json_t *versions)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)versions, i, v)
		if (json_is_string(v) &&
		    !strcmp(json_string_value(v), MCP_MODERN))
			return true;
	return false;
}

/*
 * Whether only a server of the modern era gives this answer. Some servers of the
 * session era answer {} to unknown requests.
 */
static bool is_modern(const struct mcp_call *c, const struct mcp_outcome *out)
{
	int64_t code = error_code(c);

	if (c->result)
		return out->status / 100 == 2 &&
			names_modern(jx_arr(c->result, "supportedVersions"));
	if (code == -32022)	/* it names the versions that it has */
		return names_modern(jx_arr(jx_obj(c->error, "data"),
					   "supported"));
	return code == -32020 || code == -32021 ||
	       (code == -32601 && out->status == 404);
}

static int open_http(struct mcp_peer *p, const struct mcp_call *asked,
		     struct mcp_mode *m, struct err *e)
{
	struct mcp_call probe = {
		.server = asked->server, .method = "server/discover",
		.credential = asked->credential,
		.timeout_ms = asked->timeout_ms, .abort = asked->abort,
	};
	struct mcp_outcome out;
	bool modern;

	*m = (struct mcp_mode){ .era = MCP_ERA_STATELESS,
				.version = MCP_MODERN };
	if (exchange(p, &probe, m, &out, e) < 0)
		return -1;
	modern = is_modern(&probe, &out);
	mcp_call_release(&probe);
	if (modern)
		return 0;
	if (is_refusal(&out))
		return say_refused(&out, e);
	if (out.status >= 500 || out.status / 100 == 3)
		return err_set(e, ERR_UPSTREAM, "status %d", out.status);
	return initialize(p, asked, m, &out, e);
}

static int open_stdio(struct mcp_peer *p, const struct mcp_call *asked,
		      struct mcp_mode *m, struct err *e)
{
	struct mcp_outcome out;
	struct err refused = ERR_INIT;

	*m = (struct mcp_mode){ .era = MCP_ERA_SESSION };
	m->child = mcp_child_start(p, asked->server, e);
	if (!m->child)
		return -1;
	if (initialize(p, asked, m, &out, &refused) == 0)
		return 0;
	if (out.answered && refused.code == ERR_UPSTREAM_PROTOCOL) {
		m->era = MCP_ERA_STATELESS;
		snprintf(m->version, sizeof(m->version), "%s", MCP_MODERN);
		return 0;	/* the first request shows whether it is so */
	}
	*e = refused;
	mcp_child_stop(m->child);
	mode_release(m);
	return -1;
}

/* Fills m, opening the server if needed. Release it with mode_release. */
static int ready(struct mcp_peer *p, const struct mcp_call *c,
		 struct mcp_mode *m, struct err *e)
{
	int rc;

	look_at(p, m);
	if (m->era != MCP_ERA_UNKNOWN)
		return 0;
	rc = c->server->command.n ? open_stdio(p, c, m, e)
		: open_http(p, c, m, e);
	if (rc == 0)
		publish(p, c->server, m);
	return rc;
}

/* -- requests -------------------------------------------------------------- */

/*
 * Whether the server did not know our session, or not our era: then nothing was
 * run (P-G9). A 400 counts when it says so.
 */
static bool is_lost(const struct mcp_call *c, const struct mcp_mode *m,
		    const struct mcp_outcome *out)
{
	struct str message = jx_str(c->error, "message");
	int64_t code = error_code(c);

	if (m->era == MCP_ERA_SESSION && (out->status == 404 ||
					  code == -32020 || code == -32022))
		return true;	/* the latter two: it became stateless */
	if (m->era == MCP_ERA_STATELESS)
		return out->status == 400 && code != -32020 && code != -32021 &&
			code != -32602;
	return out->status == 400 && message.p &&
		(strcasestr(message.p, "session") ||
		 strcasestr(message.p, "initialize") ||
		 strcasestr(message.p, "protocol version"));
}

/* A status without an answer to it. */
static int from_status(const struct mcp_outcome *out, struct err *e)
{
	int status = out->status;

	if (is_refusal(out))
		return say_refused(out, e);
	if (status == 429 || status == 503)
		return err_set(e, ERR_UPSTREAM_OVERLOAD, "status %d", status);
	if (status / 100 == 2)
		return err_set(e, ERR_UPSTREAM_EARLY_END,
			       "the answer ended without a result");
	return err_set(e, ERR_UPSTREAM, "status %d", status);
}

/* An exchange that ended before its answer, and not because we ended it. */
static bool is_broken(int rc, const struct mcp_outcome *out,
		      const struct err *e)
{
	if (rc == 0)
		return !out->answered && out->status / 100 == 2;
	return e->code != ERR_CANCELLED && e->code != ERR_UPSTREAM_TIMEOUT &&
		e->code != ERR_TOO_BIG;
}

/* Whether the call may have been run although we got no answer (P-G5). */
static bool is_unknown(int rc, const struct mcp_call *c,
		       const struct mcp_outcome *out)
{
	bool answered = out->answered || (rc == 0 && out->status / 100 != 2 &&
					  (out->status < 500 || out->status == 503));

	return out->sent && !c->repeatable && !answered;
}

/* Once, and again in a new session if it forgot ours. */
static int transact(struct mcp_peer *p, struct mcp_call *c, bool *unknown,
		    struct err *e)
{
	for (int n = 0; ; n++) {
		struct mcp_outcome out;
		struct mcp_mode m;
		bool lost, again;
		int rc;

		if (ready(p, c, &m, e) < 0)
			return -1;
		rc = exchange(p, c, &m, &out, e);
		lost = rc == 0 && is_lost(c, &m, &out);
		/*
		 * Whether to retry: a child that ended before it read, or a
		 * repeatable call.
		 */
		again = is_broken(rc, &out, e) && (!out.sent || c->repeatable);
		if (lost || (again && m.child))
			forget(p, m.opened);
		*unknown = is_unknown(rc, c, &out);
		mode_release(&m);
		if (n == 0 && (lost || (again && (m.era == MCP_ERA_STATELESS ||
						  c->server->command.n)))) {
			mcp_call_release(c);
			err_clear(e);
			continue;
		}
		/* HeaderMismatch: our list of its tools is old (8.2). */
		if (error_code(c) == -32020)
			atomic_store(&p->changed, true);
		if (rc == 0 && out.answered && !is_refusal(&out))
			return 0;
		mcp_call_release(c);
		return rc < 0 ? -1 : from_status(&out, e);
	}
}

/* The error as the model and the log get it. */
static int explain(const struct mcp_call *c, const struct err *why,
		   bool unknown, struct err *e)
{
	const char *id = c->server->id, *what;
	enum err_code code = ERR_TOOL_FAILED;

	switch (why->code) {
	case ERR_CANCELLED:
		*e = *why;
		return -1;
	case ERR_UPSTREAM_TIMEOUT:
		code = ERR_TOOL_TIMEOUT;
		what = "did not answer in time";
		break;
	case ERR_ADDRESS_REFUSED:
		what = "has an address that may not be reached from here";
		break;
	case ERR_UPSTREAM_CONNECT:
		what = "cannot be reached";
		break;
	case ERR_OVERLOADED:
	case ERR_TOOL_FAILED:
		what = "cannot be started";
		break;
	case ERR_UPSTREAM_AUTH:
		what = "refused our credential; tell the user that an "
			"administrator has to check it";
		break;
	case ERR_UPSTREAM_OVERLOAD:
		what = "is overloaded; it may work later";
		break;
	case ERR_UPSTREAM_EARLY_END:
		what = "ended its answer early";
		break;
	case ERR_TOO_BIG:
		what = "sent or was sent more than is allowed; ask for less";
		break;
	default:
		what = "gave an answer that cannot be understood";
		break;
	}
	log_warn("MCP server failed", "server", id, "method", c->method,
		 "because", why->text);
	return err_public(e, code, "The MCP server \"%s\" %s.%s", id, what,
			  unknown ? " It is not known if the call was carried "
			  "out: find out before making it again." : "");
}

/* input_required without a question: the same again, with its state (8.2). */
static bool asks_again(struct mcp_call *c, struct err *e)
{
	json_t *state = json_object_get(c->result, "requestState");
	const json_t *given = json_object_get(c->result, "resultType");
	struct str type = jx_str(c->result, "resultType");

	if (!given || json_is_null(given) || str_is(type, "complete"))
		return false;
	if (!str_is(type, "input_required") || !json_is_string(state) ||
	    !c->params ||
	    json_object_size(jx_obj(c->result, "inputRequests")) ||
	    json_array_size(jx_arr(c->result, "inputRequests"))) {
		err_public(e, ERR_TOOL_FAILED, "The MCP server \"%s\" asks for "
			   "something that is not possible here.",
			   c->server->id);
		return false;
	}
	json_object_set(c->params, "requestState", state);
	return true;
}

int mcp_request(struct mcp_peer *p, struct mcp_call *c, struct err *e)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct err why = ERR_INIT;
		bool unknown = false;

		if (transact(p, c, &unknown, &why) < 0)
			return explain(c, &why, unknown, e);
		if (!c->result || !asks_again(c, e))
			return e->code == ERR_NONE ? 0 : -1;
		json_decref(jx_move(&c->result));
	}
	return err_public(e, ERR_TOOL_FAILED, "The MCP server \"%s\" did not "
			  "come to an end.", c->server->id);
}

void mcp_call_release(struct mcp_call *c)
{
	json_decref(jx_move(&c->result));
	json_decref(jx_move(&c->error));
}
