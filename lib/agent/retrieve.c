#include "agent/retrieve.h"

#include <math.h>
#include <stdlib.h>

#include "agent/embed.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "resource/resource.h"
#include "search/cache.h"
#include "search/rank.h"
#include "store/attachment.h"
#include "store/stmt.h"
#include "store/usage.h"

#include "base/banned.h"

enum { RERANKED_DEPTH = 3 };	/* times what is asked: what the ranker is shown */

static const struct resource *const bases = &resources[RESOURCE_KNOWLEDGE_BASE];
static const struct resource *const agents = &resources[RESOURCE_AGENT];

/* -- which bases ------------------------------------------------------------------- */

static bool is_of(const struct workspace *w, const struct resource_row *base)
{
	struct str of = resource_text(bases, base, "workspace_id");

	return !w || !of.p || str_is(of, w->id);
}

static struct resource_at reading(const struct caller *by, struct arena *a)
{
	return resource_reading(&by->owner, by->who->groups, by->who->n_groups, a);
}

static bool is_there(const struct resource_row *v, size_t n,
		     const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&v[i].id, id))
			return true;
	return false;
}

/* The bases of this name that the caller sees, behind those in out. */
static int bases_of_name(const struct caller *by, const struct workspace *w,
			 struct str name, struct arena *a,
			 struct resource_row *out, size_t *n, struct err *e)
{
	const struct resource_at at = reading(by, a);
	const struct resource_want want = {
		.size = LIM_KNOWLEDGE_SET, .prefix = resource_fold(a, name),
	};
	struct resource_row *found;
	size_t n_found;
	bool more;

	if (resource_list(by->db, bases, &at, &want, a, &found, &n_found, &more,
			  e))
		return -1;
	for (size_t i = 0; i < n_found && *n < LIM_KNOWLEDGE_SET; i++)
		if (str_eq(resource_text(bases, &found[i], "name"), name) &&
		    is_of(w, &found[i]) && !is_there(out, *n, &found[i].id))
			out[(*n)++] = found[i];
	return 0;
}

/* Those that a file names, by name or id. */
static int listed_bases(const struct caller *by, const struct workspace *w,
			const struct conf_list *list, struct arena *a,
			struct resource_row **out, size_t *n, struct err *e)
{
	const struct resource_at at = reading(by, a);

	*out = arena_zalloc(a, LIM_KNOWLEDGE_SET, sizeof(**out));
	*n = 0;
	for (size_t i = 0; i < list->n && *n < LIM_KNOWLEDGE_SET; i++) {
		struct str said = str_of(list->v[i]);
		struct uuid id;

		if (!uuid_parse(said, &id)) {
			if (bases_of_name(by, w, said, a, *out, n, e))
				return -1;
		} else if (!resource_get(by->db, bases, &at, &id, a, &(*out)[*n],
					 e)) {
			*n += is_of(w, &(*out)[*n]);
		} else if (e->code != ERR_NOT_FOUND) {
			return -1;
		} else {
			err_clear(e);
		}
	}
	return 0;
}

/* The bases of a set that still exist for the caller, without repetitions. */
static int named_bases(const struct caller *by, const struct workspace *w,
		       const json_t *set, struct arena *a,
		       struct resource_row **out, size_t *n, struct err *e)
{
	const struct resource_at at = reading(by, a);
	size_t i;
	json_t *item;

	*out = arena_zalloc(a, json_array_size(set) + 1, sizeof(**out));
	*n = 0;
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);
		struct uuid id;

		if (!text || !uuid_parse(str_of(text), &id) ||
		    is_there(*out, *n, &id))
			continue;
		if (resource_get(by->db, bases, &at, &id, a, &(*out)[*n], e)) {
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);
		} else if (is_of(w, &(*out)[*n])) {
			(*n)++;
		}
	}
	return 0;
}

int retrieve_bases(const struct caller *by, const struct workspace *w,
		   const struct agent *agent, struct str set, struct arena *a,
		   struct resource_row **out, size_t *n, struct err *e)
{
	const struct resource_at at = reading(by, a);
	const struct resource_want want = { .size = LIM_KNOWLEDGE_SET };
	json_auto_t *ids = NULL;
	size_t all;
	bool more;

	if (!set.p && agent && agent->row)
		set = resource_text(agents, agent->row, "knowledge_base_ids");
	if (set.p) {
		ids = jx_try(set);
		return named_bases(by, w, ids, a, out, n, e);
	}
	if (agent && agent->rag && agent->rag->bases.n)
		return listed_bases(by, w, &agent->rag->bases, a, out, n, e);
	if (resource_list(by->db, bases, &at, &want, a, out, &all, &more, e))
		return -1;
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (is_of(w, &(*out)[i]))
			(*out)[(*n)++] = (*out)[i];
	return 0;
}

static int take_set(void *ctx, const struct db_val *row, struct err *e)
{
	(void)e;
	if (!row[0].null)
		*(struct str *)ctx = row[0].s;
	return 0;
}

int retrieve_set(const struct caller *by, const struct uuid *conversation,
		 struct arena *a, struct str *out, struct err *e)
{
	*out = (struct str){ NULL, 0 };
	if (!conversation || uuid_is_nil(conversation))
		return 0;
	return db_each(by->db, STMT_CONVERSATION_KNOWLEDGE,
		       DB_ARGS(DB_U(conversation), DB_S(by->owner.tenant_id),
			       DB_U(&by->owner.user_id)), a, take_set, out, e);
}

static bool is_in(const json_t *set, const char *id)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)(uintptr_t)set, i, item)
		if (json_is_string(item) && !strcmp(json_string_value(item), id))
			return true;
	return false;
}

int retrieve_set_check(const struct caller *by, const json_t *set, struct str old,
		       const char *key, struct arena *a, struct err *e)
{
	const struct resource_at at = reading(by, a);
	json_auto_t *had = old.p ? jx_try(old) : NULL;
	size_t i;
	json_t *item;

	if (!json_is_array(set))
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "strings.", key);
	if (json_array_size(set) > LIM_KNOWLEDGE_SET)
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "at most %d ids of knowledge bases.", key,
				 LIM_KNOWLEDGE_SET);
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);
		struct resource_row row;
		struct uuid id;

		if (!text)
			return err_field(e, ERR_INVALID_FIELD, key, "%s must be a "
					 "list of strings.", key);
		if (is_in(had, text))
			continue;
		if (uuid_parse(str_of(text), &id) &&
		    !resource_get(by->db, bases, &at, &id, a, &row, e))
			continue;
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, key, "There is no knowledge "
				 "base \"%.60s\".", text);
	}
	return 0;
}

/* -- retrieval options of an agent -------------------------------------------------- */

static const struct db_val *value(const struct resource_row *row,
				  const char *column)
{
	return resource_value(agents, (struct resource_row *)(uintptr_t)row,
			      column);
}

static size_t number(const struct resource_row *row, const char *column)
{
	const struct db_val *v = value(row, column);

	return v->null || v->i < 0 ? 0 : (size_t)v->i;
}

static struct retrieve_wish wish_of_file(const struct conf_rag *r)
{
	return (struct retrieve_wish){
		.enabled = r->enabled, .ranks = r->ranks, .max = (size_t)r->max,
		.max_ranked = (size_t)r->max_ranked, .min_score = r->min_score,
		.ranker = *r->ranker ? str_of(r->ranker) : (struct str){ NULL, 0 },
	};
}

struct retrieve_wish retrieve_wish_of(const struct agent *agent)
{
	const struct resource_row *row = agent ? agent->row : NULL;
	struct retrieve_wish w = { .enabled = false };
	struct str score;

	if (!row)
		return agent && agent->rag ? wish_of_file(agent->rag) : w;
	w.enabled = number(row, "rag_enabled") == 1;
	w.ranks = number(row, "rerank_enabled") == 1;
	w.max = number(row, "rag_max_results");
	w.max_ranked = number(row, "rerank_max_results");
	w.ranker = resource_text(agents, row, "reranking_service_id");
	score = resource_text(agents, row, "rag_min_score");
	if (!score.p || !str_real(score, &w.min_score))
		w.min_score = 0;
	return w;
}

/* -- searching ---------------------------------------------------------------------- */

struct asked_vector {		/* of a question, by the service */
	const struct llm_service *s;
	float *v;		/* NULL: it failed */
	int dimension;
};

struct retrieving {
	const struct retrieve_ask *q;
	struct arena *a;
	struct asked_vector *asked;
	size_t n_asked;
	struct retrieve_hit *v;
	size_t n;
	int n_near, n_words;	/* bases with hits, searched with and without
				   vectors */
	const char *notice;
};

/* The question's vector by this service, asked for once. */
static const struct asked_vector *vector_by(struct retrieving *k,
					    const struct llm_service *s)
{
	struct asked_vector *v;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < k->n_asked; i++)
		if (!strcmp(k->asked[i].s->id, s->id))
			return &k->asked[i];
	v = &k->asked[k->n_asked++];
	v->s = s;
	if (embed_question(k->q->by, k->q->io, s, k->q->ask.text, k->a, &v->v,
			   &v->dimension, &e)) {
		log_err("the question's vector", &e);
		v->v = NULL;
		k->notice = "The embedding service did not answer, so only words "
			"were searched.";
	}
	return v;
}

static const char other_model[] =
	"The vectors of a knowledge base are of another model than its embedding "
	"service, so only words were searched there.";

/* The vector to search this base with, into ask; none: only words. */
static int vector_for(struct retrieving *k, const struct resource_row *base,
		      struct search_ask *ask, struct err *e)
{
	const struct retrieve_ask *q = k->q;
	const struct llm_service *s;
	const struct asked_vector *got;
	struct search_base info;

	ask->vector = NULL;
	if (q->ask.mode == SEARCH_WORDS || !q->io || !q->io->http)
		return 0;
	if (search_base_get(q->by->db, &base->id, k->a, &info, e)) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	}
	if (info.vectors <= 0 || info.stale || !info.model.p)
		return 0;
	if (embed_service(q->by, resource_text(bases, base,
					       "embedding_service_id"),
			  LLM_CAN_EMBED, k->a, &s, e))
		return -1;
	if (!s || !str_is(info.model, s->model)) {
		k->notice = other_model;
		return 0;
	}
	got = vector_by(k, s);
	if (!got->v)
		return 0;
	if (got->dimension != info.dimension) {
		k->notice = arena_printf(k->a, "The embedding service gave a "
			"vector of %d dimensions for a knowledge base of %lld, so "
			"only words were searched there.", got->dimension,
			(long long)info.dimension);
		return 0;
	}
	ask->vector = got->v;
	ask->dimension = got->dimension;
	ask->model = info.model;
	return 0;
}

static struct kb_at sight_of(const struct caller *by, const struct uuid *base)
{
	return (struct kb_at){
		.tenant_id = by->owner.tenant_id, .user_id = by->owner.user_id,
		.base = *base, .groups = by->who->groups,
		.n_groups = by->who->n_groups,
	};
}

/* The passages of one base behind those that there are. */
static int search_one(struct retrieving *k, const struct resource_row *base,
		      struct err *e)
{
	const struct retrieve_ask *q = k->q;
	const struct caller *by = q->by;
	struct search_ask ask = q->ask;
	struct kb_at at = sight_of(by, &base->id);
	struct search_found *found;
	struct kb_document *docs;
	struct uuid *ids;
	size_t n, n_docs;
	bool unused;

	at.all = ask.all;
	ask.groups = by->who->groups;
	ask.n_groups = by->who->n_groups;
	ask.unused = &unused;
	if (vector_for(k, base, &ask, e))
		return -1;
	if (ask.mode == SEARCH_VECTORS && !ask.vector && !k->notice)
		return err_field(e, ERR_INVALID_FIELD, "mode", "This knowledge base "
				 "has no vectors. Use words or fused.");
	if (search_find(by->db, &base->id, &ask, k->a, &found, &n, e))
		return -1;
	if (unused) {	/* the base changed while the service was asked */
		ask.vector = NULL;
		k->notice = other_model;
	}
	ids = arena_zalloc(k->a, n + 1, sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		ids[i] = found[i].document_id;
	if (kb_of_ids(by->db, &at, ids, n, k->a, &docs, &n_docs, e))
		return -1;
	*(ask.vector ? &k->n_near : &k->n_words) += n > 0;
	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < n_docs; d++)
			if (uuid_eq(&docs[d].id, &ids[i])) {
				k->v[k->n++] = (struct retrieve_hit){
					base, &found[i], &docs[d] };
				break;
			}
	return 0;
}

static int by_score(const void *x, const void *y)
{
	const struct retrieve_hit *a = x, *b = y;

	return a->found->score > b->found->score ? -1
		: a->found->score < b->found->score;
}

/* Replaces scores that cannot be compared between bases by ranks. */
static void score_by_rank(struct retrieving *k)
{
	size_t rank = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (i && k->v[i].base != k->v[i - 1].base)
			rank = 0;
		k->v[i].found->score = 2.0 / (double)(RRF_K + 1 + rank++);
	}
}

/* -- ranking by a service -------------------------------------------------------------- */

static void to_probabilities(double *v, size_t n)
{
	bool beyond = false;

	for (size_t i = 0; i < n; i++)
		beyond |= isfinite(v[i]) && (v[i] < 0 || v[i] > 1);
	for (size_t i = 0; beyond && i < n; i++)
		v[i] = 1 / (1 + exp(-v[i]));
}

/* Whether the service ranked; if not, the order stays and the notice says why. */
static bool rank_again(struct retrieving *k)
{
	const struct retrieve_ask *q = k->q;
	struct llm_service s;
	size_t n = MIN(k->n, (size_t)LIM_FOUND), kept = 0;
	double scores[LIM_FOUND];
	struct str texts[LIM_FOUND];
	int64_t began_ms = clock_mono_ms();
	struct llm_usage usage;
	struct err e = ERR_INIT;
	int rc;

	if (!q->ranker || !n || !q->io || !q->io->http)
		return false;
	for (size_t i = 0; i < n; i++)
		texts[i] = k->v[i].found->text;
	s = llm_service_aside(q->ranker);
	s = llm_service_within(&s, q->by->conf->knowledge.question_ms);
	rc = llm_rerank(q->io, &s, q->ask.text, texts, n, scores, k->a, &usage, &e);
	embed_record(q->by->db, &q->by->owner, USAGE_RERANK, q->ranker, &usage,
		     began_ms, rc == 0);
	if (rc) {
		log_err("ranking", &e);
		k->notice = "The ranking service did not answer, so the passages "
			"are in the order of the search.";
		return false;
	}
	to_probabilities(scores, n);
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(scores[i]))
			continue;
		k->v[i].found->score = scores[i];
		k->v[kept++] = k->v[i];
	}
	k->n = kept;
	if (kept)
		qsort(k->v, kept, sizeof(*k->v), by_score);
	return true;
}

/* Drops passages below the minimum score. */
static void keep_good(struct retrieving *k, bool ranked)
{
	double best = k->n ? k->v[0].found->score : 0, whole = 1;
	size_t n = 0;

	if (k->q->min_score <= 0)
		return;
	if (!ranked && k->q->ask.mode != SEARCH_VECTORS)
		whole = k->n_near ? 2.0 / (RRF_K + 1) : best;
	while (n < k->n && whole > 0 &&
	       k->v[n].found->score / whole >= k->q->min_score)
		n++;
	k->n = n;
}

int retrieve_find(const struct retrieve_ask *q, struct arena *a,
		  struct retrieve_found *out, struct err *e)
{
	struct retrieve_ask asked = *q;
	struct retrieving k = { .q = &asked, .a = a };
	bool ranked;

	search_cache_limit((size_t)q->by->conf->knowledge.cache_mb << 20);
	if (q->ranker)
		asked.ask.max = MIN((size_t)LIM_FOUND, q->ask.max * RERANKED_DEPTH);
	k.v = arena_zalloc(a, q->n_bases * asked.ask.max + 1, sizeof(*k.v));
	k.asked = arena_zalloc(a, q->n_bases + 1, sizeof(*k.asked));
	for (size_t i = 0; i < q->n_bases; i++)
		if (search_one(&k, &q->bases[i], e))
			return -1;
	if (k.n_near && k.n_words)
		score_by_rank(&k);
	if (k.n)
		qsort(k.v, k.n, sizeof(*k.v), by_score);
	ranked = rank_again(&k);
	keep_good(&k, ranked);
	*out = (struct retrieve_found){
		.v = k.v, .notice = k.notice,
		.n = MIN(k.n, ranked && q->max_ranked ? q->max_ranked
			 : q->ask.max),
	};
	return 0;
}

/* -- passages found earlier -------------------------------------------------------- */

/* Whether rc and e say "not found"; e is cleared then. */
static bool is_gone(int rc, struct err *e)
{
	if (!rc || e->code != ERR_NOT_FOUND)
		return false;
	err_clear(e);
	return true;
}

struct seeing {
	const struct caller *by;
	retrieve_sight *sight;
	void *ctx;
	const struct source *v;
	size_t n;
	bool *seen;		/* per source */
	struct arena *a;
};

static int find_base(const struct seeing *k, const struct uuid *base,
		     struct kb_at *at, struct err *e)
{
	const struct resource_at as = reading(k->by, k->a);
	struct resource_row row;

	if (k->sight)
		return k->sight(k->ctx, base, at, e);
	*at = sight_of(k->by, base);
	return resource_get(k->by->db, bases, &as, base, k->a, &row, e);
}

/* Those of the base of v[first] from there on. */
static int see_base(const struct seeing *k, size_t first, struct err *e)
{
	const struct uuid *base = &k->v[first].base_id;
	struct uuid ids[LIM_SOURCES];
	struct kb_document *docs;
	struct kb_at at;
	size_t n = 0, n_docs;
	int rc = find_base(k, base, &at, e);

	if (rc)
		return is_gone(rc, e) ? 0 : -1;
	for (size_t i = first; i < k->n && n < LIM_SOURCES; i++)
		if (uuid_eq(&k->v[i].base_id, base))
			ids[n++] = k->v[i].document_id;
	if (kb_of_ids(k->by->db, &at, ids, n, k->a, &docs, &n_docs, e))
		return -1;
	for (size_t i = first; i < k->n; i++)
		for (size_t d = 0; d < n_docs && !k->seen[i]; d++)
			k->seen[i] = uuid_eq(&k->v[i].base_id, base) &&
				uuid_eq(&k->v[i].document_id, &docs[d].id);
	return 0;
}

static int see_attachment(const struct seeing *k, size_t i, struct err *e)
{
	struct attachment t;
	int rc;

	for (size_t j = 0; j < i; j++)
		if (uuid_eq(&k->v[j].attachment_id, &k->v[i].attachment_id)) {
			k->seen[i] = k->seen[j];
			return 0;
		}
	rc = attachment_get(k->by->db, &k->by->owner, &k->v[i].attachment_id,
			    k->a, &t, e);
	k->seen[i] = !rc;
	return !rc || is_gone(rc, e) ? 0 : -1;
}

static bool is_first_of_base(const struct seeing *k, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (uuid_is_nil(&k->v[j].attachment_id) &&
		    uuid_eq(&k->v[j].base_id, &k->v[i].base_id))
			return false;
	return true;
}

int retrieve_seen(const struct caller *by, retrieve_sight *sight, void *ctx,
		  struct source *v, size_t *n, struct arena *a, struct err *e)
{
	const struct seeing k = {
		.by = by, .sight = sight, .ctx = ctx, .v = v, .n = *n,
		.seen = arena_zalloc(a, *n + 1, sizeof(bool)), .a = a,
	};
	bool reads = policy_may(by->who, PERM_KNOWLEDGE_READ);
	size_t kept = 0;

	for (size_t i = 0; i < k.n; i++) {
		int rc = 0;

		if (!uuid_is_nil(&v[i].attachment_id))
			rc = see_attachment(&k, i, e);
		else if (reads && is_first_of_base(&k, i))
			rc = see_base(&k, i, e);
		if (rc)
			return -1;
	}
	for (size_t i = 0; i < k.n; i++)
		if (k.seen[i])
			v[kept++] = v[i];
	*n = kept;
	return 0;
}

struct source retrieve_source(const struct retrieve_hit *hit)
{
	return (struct source){
		.base_id = hit->base->id, .document_id = hit->document->id,
		.chunk = hit->found->chunk, .page = hit->found->page,
		.score = hit->found->score,
		.external_id = hit->document->external_id,
		.title = hit->document->title, .url = hit->document->url,
		.text = hit->found->text,
	};
}
