/* SPDX-License-Identifier: MIT */
#include "knowledge/embed.h"

#include <string.h>

#include "domain/catalog.h"
#include "domain/stored_service.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "search/embed.h"
#include "search/vector.h"
#include "store/stmt.h"
#include "store/usage.h"

#include "base/banned.h"

enum {
	PASSAGES_MS = 60000,	/* per request of the job */
};

int embed_service(const struct caller *by, struct str within, struct str id,
		  unsigned can, struct arena *a, const struct llm_service **out,
		  struct err *e)
{
	const char *preset = by->conf->knowledge.embedding_service;

	*out = NULL;
	if (!id.p && can == LLM_CAN_EMBED && preset && preset[0])
		id = str_of(preset);
	if (!id.n)
		return 0;
	if (service_find(by, within, id, a, out, e))
		return -1;
	if (*out && !((*out)->capabilities & can))
		*out = NULL;
	return 0;
}

int embed_check_conf(const struct caller *by, struct err *e)
{
	const char *id = by->conf->knowledge.embedding_service;

	return *id ? stored_service_named(by, "knowledge.embedding_service", id, e) : 0;
}

void embed_record(struct db *db, const struct owner *o, int kind,
		  const struct llm_service *s, const struct llm_usage *u,
		  int64_t began_ms, bool worked)
{
	struct usage r = usage_init((enum usage_kind)kind);
	struct err e = ERR_INIT;

	r.workspace_id = STR("");
	llm_usage_record(&r, s, u);
	r.iterations = 1;
	r.duration_ms = clock_mono_ms() - began_ms;
	r.finish_reason = str_of(worked ? "stop" : "error");
	if (usage_insert(db, o, &r, &e))
		log_err("usage not recorded", &e);
}

int embed_question(const struct caller *by, const struct llm_call *io,
		   const struct llm_service *s, struct str text, struct arena *a,
		   float **out, int *dimension, struct err *e)
{
	struct llm_service quick = llm_service_aside(s);
	const struct str asked = utf8_head(str_trim(text), LIM_QUESTION_CHARS);
	int64_t began_ms = clock_mono_ms();
	struct llm_vectors v;
	int rc;

	quick = llm_service_within(&quick, by->conf->knowledge.question_ms);
	rc = llm_embed(io, &quick, &asked, 1, LLM_QUESTIONS, a, &v, e);
	if (by->db && by->who)
		embed_record(by->db, &by->owner, USAGE_EMBED, s, &v.usage,
			     began_ms, rc == 0);
	if (rc)
		return -1;
	*out = v.v;
	*dimension = v.dimension;
	return vector_normalise(v.v, v.dimension, e);
}

/* -- the job ------------------------------------------------------------------------ */

struct asked {		/* settings in the base's row */
	struct uuid user_id;
	struct str tenant_id, service_id, workspace_id;
	int64_t paused;
};

static const struct db_field asked_fields[] = {
	{ .column = "user_id", .type = 'u', .offset = offsetof(struct asked, user_id) },
	{ .column = "tenant_id", .type = 's',
	  .offset = offsetof(struct asked, tenant_id) },
	{ .column = "embedding_service_id", .type = 's',
	  .offset = offsetof(struct asked, service_id) },
	{ .column = "workspace_id", .type = 's',
	  .offset = offsetof(struct asked, workspace_id) },
	{ .column = "paused", .type = 'i', .offset = offsetof(struct asked, paused) },
};

struct embedding {
	struct db *db;
	const struct llm_call *io;
	const struct uuid *base;
	struct owner owner;
	const struct llm_service *named;	/* as configured */
	struct llm_service s;			/* as called */
	struct arena *a;			/* of this round */
};

/* Whether the error may be due to a text only; servers that do not check fail at it. */
static bool is_of_text(const struct err *e)
{
	return e->code == ERR_UPSTREAM_REQUEST || e->code == ERR_UPSTREAM_CONTEXT ||
	       e->code == ERR_UPSTREAM_FILTER || e->code == ERR_UPSTREAM;
}

/* Whether a text that nothing is wrong with gets its vector: else the service is at fault. */
static bool works(struct embedding *k)
{
	const struct str any = STR("Lamplighter");
	int64_t began_ms = clock_mono_ms();
	struct err why = ERR_INIT;
	struct llm_vectors got;
	int rc = llm_embed(k->io, &k->s, &any, 1, LLM_PASSAGES, k->a, &got, &why);

	embed_record(k->db, &k->owner, USAGE_EMBED, k->named, &got.usage, began_ms,
		     rc == 0);
	return rc == 0;
}

/* Requests the vectors of n parts and stores them. reason: what the service says if it fails. */
static int make(struct embedding *k, const struct search_bare *v, size_t n,
		struct str *reason, struct err *e)
{
	struct str *texts = arena_zalloc(k->a, LIM_EMBED_AT_ONCE, sizeof(*texts));
	int64_t began_ms = clock_mono_ms();
	struct llm_vectors got;
	size_t all = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < v[i].n && all < LIM_EMBED_AT_ONCE; c++)
			texts[all++] = v[i].texts[c];
	rc = llm_embed(k->io, &k->s, texts, all, LLM_PASSAGES, k->a, &got, e);
	embed_record(k->db, &k->owner, USAGE_EMBED, k->named, &got.usage,
		     began_ms, rc == 0);
	*reason = got.reason;
	return rc ? -1 : search_embed_put(k->db, k->base, llm_embed_name(k->named, k->a),
					  got.dimension, v, n, got.v, e);
}

/* Those who read the document see why it has no vectors. */
static int refuse(struct embedding *k, const struct search_bare *v, struct str reason,
		  struct err *e)
{
	return search_embed_refuse(k->db, k->base, v, str_of(arena_printf(
		k->a, "The embedding service refused its text.%s%.*s", reason.n ? " " : "",
		STR_ARG(reason))), e);
}

/* Requests one part at a time, to find the text that is refused. */
static int make_each(struct embedding *k, const struct search_bare *v, size_t n,
		     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct err why = ERR_INIT;
		struct str reason;

		if (make(k, &v[i], 1, &reason, &why) == 0)
			continue;
		if (!is_of_text(&why) || (why.code == ERR_UPSTREAM && !works(k))) {
			*e = why;
			return -1;
		}
		if (refuse(k, &v[i], reason, e))
			return -1;
	}
	return 0;
}

/* One round. Returns 1 when there is nothing left to do. */
static int make_some(struct embedding *k, struct err *e)
{
	struct search_bare *v;
	struct err why = ERR_INIT;
	struct str reason;
	size_t n;

	if (search_embed_next(k->db, k->base, k->a, &v, &n, e))
		return -1;
	if (!n)
		return 1;
	if (make(k, v, n, &reason, &why) == 0)
		return 0;
	if (!is_of_text(&why) || !works(k)) {
		*e = why;
		return -1;
	}
	return n == 1 ? refuse(k, v, reason, e) : make_each(k, v, n, e);
}

/* Deletes vectors of another model until until_ms. Returns 1 if none is left. */
static int make_room(struct embedding *k, int64_t until_ms, struct err *e)
{
	struct search_base b;

	if (search_base_get(k->db, k->base, k->a, &b, e))
		return -1;
	if (!b.stale && (!b.model.p ||
			 str_eq(b.model, llm_embed_name(k->named, k->a))))
		return 1;
	return search_embed_reset(k->db, k->base, until_ms, e);
}

/* Records the error for the users of the base; the job still returns it. */
static void note(struct embedding *k, const struct err *why)
{
	struct err e = ERR_INIT;
	const char *text = arena_printf(k->a, "The embedding service \"%.64s\": %s",
					k->named->id, err_message(why));

	if (search_embed_note(k->db, k->base, str_of(text), &e))
		log_err("knowledge base", &e);
}

static int embed_rounds(struct embedding *k, int64_t until_ms, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc;

	k->a = &a;
	rc = make_room(k, until_ms, e);
	if (rc <= 0) {
		arena_release(&a);
		return rc;
	}
	do {
		arena_reset(&a);
		rc = make_some(k, e);
	} while (!rc && clock_mono_ms() < until_ms);
	/* A shutdown is not an error. */
	if (rc < 0 && e->code == ERR_CANCELLED) {
		err_clear(e);
		rc = 0;
	}
	if (rc < 0 && e->code != ERR_NOT_FOUND)
		note(k, e);
	/* Permanent until another service is chosen. */
	if (rc < 0 && e->code == ERR_CONFLICT) {
		err_clear(e);
		rc = 1;
	}
	arena_release(&a);
	return rc;
}

int embed_base(struct db *db, const struct conf *conf, const struct llm_call *io,
	       const struct uuid *base, int64_t until_ms, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct embedding k = { .db = db, .io = io, .base = base };
	struct asked row;
	struct caller by = caller_of(conf, NULL, db, &a);
	int rc = db_get(db, STMT_KB_EMBED_ASKED, DB_ARGS(DB_U(base)), &a,
			asked_fields, &row, e);

	if (rc > 0 && !row.paused) {
		k.owner = by.owner = (struct owner){ row.tenant_id, row.user_id };
		rc = embed_service(&by, row.workspace_id, row.service_id,
				   LLM_CAN_EMBED, &a, &k.named, e) ? -1 : 1;
		if (rc > 0 && k.named) {
			k.s = llm_service_within(k.named, PASSAGES_MS);
			rc = embed_rounds(&k, until_ms, e);
		}
	} else if (rc == 0) {
		rc = 1;
	}
	if (rc < 0 && e->code == ERR_NOT_FOUND) {	/* the base was deleted */
		err_clear(e);
		rc = 1;
	}
	arena_release(&a);
	return rc;
}
