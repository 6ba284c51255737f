/* SPDX-License-Identifier: MIT */
/*
 * The tools of a server: reads all pages of tools/list into definitions for the
 * model, each with its state from the pins. See mcp.h.
 */
#include <fnmatch.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "llm/toolname.h"
#include "prompt/untrusted.h"
#include "store/mcp_pin.h"
#include "tool/core/env.h"
#include "tool/mcp/mcp_peer.h"

#include "base/banned.h"

/* -- arguments in headers -------------------------------------------------- */

/* Arguments of a server's tools that go into headers as well (MCP 8.2). */

enum {
	PARAM_DEPTH = 8,
	PARAMS = 24,		/* of one tool */
};

struct params {
	struct arena *a;
	struct mcp_tool *tool;
	const char *path[PARAM_DEPTH];
	const char *bad;
};

static bool is_token(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n <= 64 &&
		strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
}

static bool is_plain_type(const json_t *schema)
{
	struct str type = jx_str(schema, "type");

	return str_is(type, "string") || str_is(type, "integer") ||
		str_is(type, "boolean");
}

static void add_param(struct params *p, const json_t *schema,
		      const json_t *name, size_t depth)
{
	struct mcp_tool *t = p->tool;
	struct mcp_param *v;
	const char **path;

	if (t->n_params == PARAMS) {
		p->bad = "it has too many x-mcp-header";
		return;
	}
	if (!json_is_string(name) || !is_token(json_string_value(name)) ||
	    depth == 0 || !is_plain_type(schema)) {
		p->bad = "its x-mcp-header is not valid";
		return;
	}
	v = arena_alloc(p->a, (t->n_params + 1) * sizeof(*v));
	path = arena_alloc(p->a, depth * sizeof(*path));
	memcpy(path, p->path, depth * sizeof(*path));
	if (t->n_params)
		memcpy(v, t->params, t->n_params * sizeof(*v));
	v[t->n_params] = (struct mcp_param){
		.header = arena_printf(p->a, "Mcp-Param-%s",
				       json_string_value(name)),
		.path = path, .depth = depth,
	};
	for (size_t i = 0; i < t->n_params; i++)
		if (!strcasecmp(v[i].header, v[t->n_params].header))
			p->bad = "it has the same x-mcp-header twice";
	t->params = v;
	t->n_params++;
}

/* chain: reached from the root by properties only. */
static void find_params(struct params *p, const json_t *j, size_t depth,
			bool chain)
{
	const json_t *name = json_object_get(j, "x-mcp-header");
	const char *key, *prop;
	json_t *sub, *child;
	size_t i;

	if (name && chain)
		add_param(p, j, name, depth);
	else if (name)
		p->bad = "its x-mcp-header is in the wrong place";
	json_object_foreach((json_t *)j, key, sub) {
		if (chain && depth < PARAM_DEPTH && !strcmp(key, "properties")) {
			json_object_foreach(sub, prop, child) {
				p->path[depth] = arena_strdup(p->a, prop);
				find_params(p, child, depth + 1, true);
			}
		} else {
			find_params(p, sub, depth, false);
		}
	}
	json_array_foreach((json_t *)j, i, sub)
		find_params(p, sub, depth, false);
}

static const char *mcp_find_params(struct arena *a, const json_t *schema,
				   struct mcp_tool *t)
{
	struct params p = { .a = a, .tool = t };

	find_params(&p, schema, 0, true);
	return p.bad;
}

/* -- the list ----------------------------------------------------------------- */

enum {
	FIRST_PINS = LIM_MCP_PINS / 2,	/* accepted at their first use */
	TTL_MS = 300000,	/* where the server names none */
	TTL_LEAST_MS = 5000,
	TTL_MOST_MS = 3600000,
	PINS_MS = 5000,
	RETRY_MS = 15000,
	LIST_MS = 10000,	/* to wait for a page, at most */
	ALL_PAGES_MS = 120000,
};

/* -- one tool -------------------------------------------------------------- */

struct tool_reading {
	struct arena *a;
	const struct conf_mcp *server;
	struct mcp_tool *v;
	size_t n, size;
	size_t n_seen;		/* entries, of all pages */
	size_t n_unfit;		/* of them left out for their names, or too many */
	size_t kept_bytes;
};

static bool deeper_than(const json_t *j, int levels)
{
	const char *key;
	json_t *sub;
	size_t i;

	if (levels == 0)
		return json_is_object(j) || json_is_array(j);
	json_object_foreach((json_t *)j, key, sub)
		if (deeper_than(sub, levels - 1))
			return true;
	json_array_foreach((json_t *)j, i, sub)
		if (deeper_than(sub, levels - 1))
			return true;
	return false;
}

/* Name, description, schemas and hints: what an admin accepts. */
static void pin(struct tool_reading *r, const json_t *j, struct mcp_tool *t)
{
	static const char *const pinned[] = {
		"name", "title", "description", "inputSchema", "outputSchema",
		"annotations",
	};
	json_auto_t *def = json_object();
	struct buf b = BUF_INIT(LIM_MCP_DEFINITION_BYTES);

	for (size_t i = 0; i < ARRAY_LEN(pinned); i++)
		if (json_object_get(j, pinned[i]))
			json_object_set(def, pinned[i],
					json_object_get(j, pinned[i]));
	jx_dump_sorted(&b, def);
	if (!buf_ok(&b))
		t->refused = "its definition is larger than 65536 bytes";
	else if (deeper_than(def, LIM_MCP_DEFINITION_DEPTH))
		t->refused = "its definition is nested more than 30 levels deep";
	else
		t->definition = arena_memdup(r->a, b.p, b.n);
	crypto_hash_sha256(t->hash, (const unsigned char *)b.p, b.n);
	buf_release(&b);
}

/* A name that every provider accepts: cut, cleaned, and then with a hash (P-B14). */
static const char *offered_name(struct arena *a, const char *server,
				const char *remote)
{
	char out[TOOLNAME_BYTES];

	toolname_wire(str_of(arena_printf(a, "%s_%s", server, remote)), out);
	return arena_strdup(a, out);
}

static const char *clean(struct arena *a, struct str s, size_t max_bytes)
{
	struct buf b = BUF_INIT(8 * LIM_MCP_DESCRIPTION_BYTES);
	const char *text;

	s.n = MIN(s.n, max_bytes);
	untrusted_clean(NULL, s, &b);
	text = arena_strdup(a, b.p);
	buf_release(&b);
	return text;
}

/* The title, or that of the hints (8.5), as one short line; NULL = none. */
static const char *clean_title(struct arena *a, const json_t *j)
{
	struct str s = jx_str(j, "title");
	char *text;

	if (!s.n)
		s = jx_str(jx_obj(j, "annotations"), "title");
	s = str_trim(utf8_head(s, LIM_MCP_TITLE_CHARS));
	if (!s.n)
		return NULL;
	text = arena_strdup(a, clean(a, s, s.n));
	for (char *c = text; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	return text;
}

/* -- reading --------------------------------------------------------------- */

static bool allowed(const struct conf_mcp *s, const char *name)
{
	for (size_t i = 0; i < s->allow.n; i++)
		if (fnmatch(s->allow.v[i], name, 0) == 0)
			return true;
	return false;
}

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return true;
	return false;
}

static void read_schema(struct tool_reading *r, const json_t *j,
			struct mcp_tool *t)
{
	const json_t *given = json_object_get(j, "inputSchema");
	const char *bad = NULL;

	if (t->refused)
		return;
	t->schema = jx_keep(r->a, schema_relaxed(given, t->name));
	if (!untrusted_clean_schema(t->schema, LIM_MCP_DESCRIPTION_BYTES))
		t->refused = "its schema has control tokens or hidden characters";
	if (*r->server->url)
		bad = mcp_find_params(r->a, given, t);
	if (bad)
		t->refused = bad;
}

/*
 * A tool that the configuration does not allow is ignored: it takes no memory.
 */
static void read_tool(struct tool_reading *r, const json_t *j)
{
	struct str name = jx_str(j, "name");
	const json_t *hints = jx_obj(j, "annotations");
	struct mcp_tool *t;

	if (!name.n || name.n > LIM_MCP_NAME_BYTES || has_control(name)) {
		r->n_unfit++;
		return;
	}
	if (!allowed(r->server, name.p))
		return;
	if (r->n == LIM_MCP_TOOLS) {
		r->n_unfit++;
		return;
	}
	if (r->n == r->size) {
		size_t size = MAX(r->size * 2, 16);
		struct mcp_tool *bigger = arena_zalloc(r->a, size,
						       sizeof(*bigger));

		if (r->n)
			memcpy(bigger, r->v, r->n * sizeof(*bigger));
		r->v = bigger;
		r->size = size;
	}
	t = &r->v[r->n];
	*t = (struct mcp_tool){
		.remote = arena_memdup(r->a, name.p, name.n),
		.description = clean(r->a, jx_str(j, "description"),
				     LIM_MCP_DESCRIPTION_BYTES),
		.title = clean_title(r->a, j),
		.read_only = jx_bool(hints, "readOnlyHint", false),
		.idempotent = jx_bool(hints, "idempotentHint", false),
		.destructive = jx_bool(hints, "destructiveHint", false),
	};
	t->name = offered_name(r->a, r->server->id, t->remote);
	pin(r, j, t);
	read_schema(r, j, t);
	r->kept_bytes += strlen(t->description) +
		(t->definition ? strlen(t->definition) : 0);
	r->n++;
}

/* The tools of a page. Exceeding the total is an error of the server. */
static int read_tools(struct tool_reading *r, const json_t *tools, struct err *e)
{
	const json_t *tool;
	size_t i;

	r->n_seen += json_array_size(tools);
	if (r->n_seen > LIM_MCP_ENTRIES)
		return err_public(e, ERR_TOO_BIG, "The MCP server %s lists "
				  "more than %d tools.", r->server->id,
				  LIM_MCP_ENTRIES);
	json_array_foreach((json_t *)tools, i, tool) {
		read_tool(r, tool);
		if (r->kept_bytes > LIM_MCP_KEPT_BYTES)
			return err_public(e, ERR_TOO_BIG, "The MCP server %s "
					  "defines its tools in more than %d "
					  "bytes.", r->server->id, LIM_MCP_KEPT_BYTES);
	}
	return 0;
}

/* The cursor of the page that follows; p == NULL: this was the last. */
static int read_cursor(struct tool_reading *r, const json_t *result,
		       struct str *out, struct err *e)
{
	struct str s = jx_str(result, "nextCursor");

	if (s.n > LIM_MCP_CURSOR_BYTES)
		return err_public(e, ERR_TOO_BIG, "The MCP server %s names the "
				  "next page of its tools in more than %d "
				  "bytes.", r->server->id, LIM_MCP_CURSOR_BYTES);
	*out = s.p ? arena_str(r->a, s) : s;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct mcp_tool *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Two tools of one name cannot be told apart. */
static void refuse_twins(struct tool_reading *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (!strcmp(r->v[i].name, r->v[i - 1].name))
			r->v[i].refused = r->v[i - 1].refused =
				"the server has two tools with this name";
}

static bool seen(const struct str *cursors, size_t n, struct str cursor)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(cursors[i], cursor))
			return true;
	return false;
}

/* All pages; *ttl_ms as the server wants it. */
static int read_pages(struct mcp_peer *p, const struct conf_mcp *s,
		      const struct tool_ctx *ctx, struct tool_reading *r,
		      int64_t *ttl_ms, struct err *e)
{
	struct str cursors[LIM_MCP_PAGES];
	json_auto_t *params = json_object();
	int64_t until_ms = clock_mono_ms() + ALL_PAGES_MS;
	const char *credential;

	if (mcp_credential(s, ctx, r->a, &credential, e) < 0)
		return -1;
	for (size_t page = 0; page < LIM_MCP_PAGES; page++) {
		struct mcp_call c = {
			.server = s, .method = "tools/list", .params = params,
			.credential = credential,
			.timeout_ms = MIN(s->timeout_ms, LIST_MS),
			.abort = ctx->turn.abort, .repeatable = true,
		};
		const json_t *tools;
		struct str next;

		if (clock_mono_ms() > until_ms)
			return err_public(e, ERR_TOOL_TIMEOUT, "The MCP server "
					  "%s takes more than %d seconds to "
					  "list its tools.", s->id,
					  ALL_PAGES_MS / 1000);
		if (mcp_request(p, &c, e) < 0)
			return -1;
		tools = jx_arr(c.result, "tools");
		if (!tools) {
			struct str message = jx_str(c.error, "message");

			err_set(e, ERR_TOOL_FAILED, "MCP server %s gives no "
				"tools: %.*s", s->id, (int)MIN(message.n, 100),
				message.p ? message.p : "");
			mcp_call_release(&c);
			return -1;
		}
		*ttl_ms = jx_int(c.result, "ttlMs", TTL_MS);
		if (read_tools(r, tools, e) < 0 ||
		    read_cursor(r, c.result, &next, e) < 0) {
			mcp_call_release(&c);
			return -1;
		}
		if (!next.p || seen(cursors, page, next)) {
			mcp_call_release(&c);
			return 0;
		}
		cursors[page] = next;
		json_object_set_new(params, "cursor", jx_string(next));
		mcp_call_release(&c);
	}
	log_warn("MCP server has too many pages of tools", "server", s->id);
	return 0;
}

static struct mcp_list *list_new(void)
{
	struct mcp_list *l = xcalloc(1, sizeof(*l));

	atomic_init(&l->users, 1);
	return l;
}

static struct mcp_list *fetch(struct mcp_peer *p, const struct conf_mcp *s,
			      const struct tool_ctx *ctx, int64_t *ttl_ms,
			      struct err *e)
{
	struct mcp_list *l = list_new();
	struct tool_reading r = { .a = &l->arena, .server = s };

	if (read_pages(p, s, ctx, &r, ttl_ms, e) < 0) {
		mcp_list_put(l);
		return NULL;
	}
	if (r.n_unfit)
		log_warn("MCP tools left out: invalid names, or "
			 "too many", "server", s->id);
	if (r.n)
		qsort(r.v, r.n, sizeof(*r.v), by_name);
	refuse_twins(&r);
	l->tools = r.v;
	l->n = r.n;
	*ttl_ms = MIN(MAX(*ttl_ms, TTL_LEAST_MS), TTL_MOST_MS);
	return l;
}

/* -- pins ------------------------------------------------------------------ */

static const struct mcp_pin *pin_of(const struct mcp_pin *pins, size_t n,
				    const char *tool)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(pins[i].tool, tool))
			return &pins[i];
	return NULL;
}

static enum mcp_state state_of(const struct mcp_tool *t,
			       const struct mcp_pin *pinned)
{
	if (t->refused)
		return MCP_REFUSED;
	if (!pinned)
		return MCP_NEW;
	return pinned->hash.n == MCP_HASH_BYTES &&
	       !memcmp(pinned->hash.p, t->hash, MCP_HASH_BYTES)
		? MCP_ACCEPTED : MCP_CHANGED;
}

struct mcp_pin mcp_pin_of(const struct mcp_tool *t)
{
	return (struct mcp_pin){
		.tool = str_of(t->remote),
		.hash = { (const char *)t->hash, MCP_HASH_BYTES },
		.definition = str_of(t->definition),
	};
}

/* pin: first-use. Only for new tools: changed ones wait for an admin. */
static int accept_new(const struct conf_mcp *s, const struct tool_ctx *ctx,
		      const struct mcp_list *l, const struct mcp_pin *pins,
		      size_t n, bool *more, struct err *e)
{
	size_t n_new = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct mcp_tool *t = &l->tools[i];
		struct mcp_pin now = mcp_pin_of(t);

		if (state_of(t, pin_of(pins, n, t->remote)) != MCP_NEW)
			continue;
		if (n + n_new++ >= FIRST_PINS) {
			log_warn("MCP server has too many tools for "
				 "`pin: first-use`", "server", s->id);
			return 0;
		}
		*more = true;
		log_info("MCP tool accepted at its first use", "tool", t->name);
		if (store_mcp_pin_first(ctx->turn.by.db,
					str_of(ctx->turn.by.conf->tenant),
					str_of(s->id), &now, e) < 0)
			return -1;
	}
	return 0;
}

/* A list with states, over the one that was fetched. Takes base. */
static struct mcp_list *with_pins(const struct conf_mcp *s,
				  const struct tool_ctx *ctx,
				  struct mcp_list *base, struct err *e)
{
	struct mcp_list *l = list_new();
	struct arena a = ARENA_INIT;
	struct mcp_tool *tools;
	struct mcp_pin *pins;
	bool again = false;
	size_t n;

	l->base = base;
	do {
		bool more = false;

		if (store_mcp_pin_hashes(ctx->turn.by.db,
					 str_of(ctx->turn.by.conf->tenant),
					 str_of(s->id), &a, &pins, &n, e) < 0)
			goto fail;
		if (s->pin == PIN_FIRST_USE && !again &&
		    accept_new(s, ctx, base, pins, n, &more, e) < 0)
			goto fail;
		again = more;
	} while (again);
	tools = arena_zalloc(&l->arena, base->n + 1, sizeof(*tools));
	for (size_t i = 0; i < base->n; i++) {
		tools[i] = base->tools[i];
		tools[i].state = state_of(&tools[i],
					  pin_of(pins, n, tools[i].remote));
		if (tools[i].state == MCP_CHANGED)
			log_warn("MCP tool changed, it waits for "
				 "`lamplighter mcp accept`", "tool",
				 tools[i].name);
	}
	l->tools = tools;
	l->n = base->n;
	arena_release(&a);
	return l;
fail:
	arena_release(&a);
	mcp_list_put(l);
	return NULL;
}

/* -- the cache ------------------------------------------------------------- */

void mcp_list_put(void *p)
{
	struct mcp_list *l = p;

	while (l && atomic_fetch_sub(&l->users, 1) == 1) {
		struct mcp_list *base = l->base;

		arena_release(&l->arena);
		free(l);
		l = base;
	}
}

static struct mcp_list *hold(struct mcp_list *l)
{
	atomic_fetch_add(&l->users, 1);
	return l;
}

/*
 * The list, if it is available at once; else NULL, and the caller must fetch it.
 * *base is then a list of which only the pins must be read again, or NULL. Under
 * p's lock.
 */
static struct mcp_list *known(struct mcp_peer *p, int64_t now,
			      struct mcp_list **base, struct err *e)
{
	bool fresh = p->list && now < p->list_until_ms &&
		!atomic_load(&p->changed);

	*base = NULL;
	if (fresh && now < p->pins_until_ms)
		return hold(p->list);
	if (p->list && (p->listing || now < p->retry_ms))
		return hold(p->list);
	if (now < p->retry_ms) {
		*e = p->list_err;
		return NULL;
	}
	if (fresh)
		*base = hold(p->list->base);
	p->listing = true;
	atomic_store(&p->changed, false);
	return NULL;
}

static void publish(struct mcp_peer *p, struct mcp_list *l, int64_t ttl_ms,
		    const struct err *e)
{
	struct mcp_list *old = NULL;
	int64_t now = clock_mono_ms();

	pthread_mutex_lock(&p->lock);
	p->listing = false;
	if (l) {
		old = p->list;
		p->list = hold(l);
		if (ttl_ms)
			p->list_until_ms = now + ttl_ms;
		p->pins_until_ms = now + PINS_MS;
		p->retry_ms = 0;
	} else if (e->code != ERR_CANCELLED) {
		p->retry_ms = now + RETRY_MS;
		p->list_err = *e;
	}
	pthread_mutex_unlock(&p->lock);
	mcp_list_put(old);
}

struct mcp_list *mcp_list_get(struct mcp_peer *p, const struct conf_mcp *s,
			      const struct tool_ctx *ctx, struct err *e)
{
	struct mcp_list *l, *base;
	int64_t ttl_ms = 0;

	pthread_mutex_lock(&p->lock);
	l = known(p, clock_mono_ms(), &base, e);
	pthread_mutex_unlock(&p->lock);
	if (l || e->code != ERR_NONE)
		return l;
	if (!base)
		base = fetch(p, s, ctx, &ttl_ms, e);
	if (base)
		l = with_pins(s, ctx, base, e);
	publish(p, l, ttl_ms, e);
	return l;
}
