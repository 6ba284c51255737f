/* SPDX-License-Identifier: MIT */
#include "knowledge/retrieve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "knowledge/embed.h"
#include "resource/resource.h"
#include "search/cache.h"
#include "search/rank.h"
#include "store/attachment.h"
#include "store/known.h"
#include "store/stmt.h"
#include "store/usage.h"

#include "base/banned.h"

/* -- which bases ----------------------------------------------------------- */

enum {
	FEW = 20,		/* bases that are read without an order */
	PAGE = 100,		/* of more: bases that are read together */
};

static const struct resource *const all_bases = &resources[RESOURCE_KNOWLEDGE_BASE];

static bool is_of(const struct workspace *w, const struct resource_row *base)
{
	struct str of = resource_text(base, COLUMN(KNOWLEDGE_BASE, workspace_id));

	return !w || !of.p || str_is(of, w->id);
}

static struct resource_at reading(const struct caller *by, struct arena *a)
{
	return resource_reading(&by->owner, by->who->groups, by->who->n_groups, a);
}

static bool uuid_among(const struct uuid *v, size_t n, const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&v[i], id))
			return true;
	return false;
}

static bool is_listed(const struct resource_row *base, const struct conf_list *list)
{
	struct str name = resource_text(base, COLUMN(KNOWLEDGE_BASE, name));

	for (size_t i = 0; i < list->n; i++) {
		struct str entry = str_of(list->v[i]);
		struct uuid id;

		if (uuid_parse(entry, &id) ? uuid_eq(&id, &base->id)
					  : str_eq(entry, name))
			return true;
	}
	return false;
}

/* Adds those of a page that are of the workspace and in the list (NULL: all), at most max. */
static void add_bases(const struct workspace *w, const struct conf_list *list,
		      const struct resource_row *page, size_t n, size_t max,
		      struct arena *a, size_t *room, struct retrieve_bases *out)
{
	for (size_t i = 0; i < n && !out->more; i++) {
		if (!is_of(w, &page[i]) || (list && !is_listed(&page[i], list)))
			continue;
		out->more = out->n == max;
		if (out->more)
			break;
		out->v = arena_room(a, out->v, out->n, 1, room, sizeof(*out->v));
		out->v[out->n++] = page[i];
	}
}

/*
 * Reads the bases that the caller sees, in the order of their names, at most max: those
 * in a list of names or ids (NULL: all).
 */
static int seen_bases(const struct caller *by, const struct workspace *w,
		      const struct conf_list *list, size_t max, struct arena *a,
		      struct retrieve_bases *out, struct err *e)
{
	const struct resource_at at = reading(by, a);
	struct resource_want want = { .size = PAGE };
	struct resource_row *page = arena_zalloc(a, FEW + 1, sizeof(*page));
	size_t room = 0, n;
	bool more;

	/* Most callers see few bases: one statement, which sorts nothing. */
	if (resource_few(by->db, all_bases, RSTMT_KNOWLEDGE_BASE_FEW, &at, FEW, a, page,
			 &n, e))
		return -1;
	more = n > FEW;
	if (!more)
		add_bases(w, list, page, n, max, a, &room, out);
	while (more && !out->more) {
		if (resource_list(by->db, all_bases, &at, &want, a, &page, &n, &more,
				  e))
			return -1;
		add_bases(w, list, page, n, max, a, &room, out);
		more = more && n;
		want.after = n ? &page[n - 1] : NULL;
	}
	return arena_check(a, e);
}

/* The bases of a set that still exist and the caller may see, without duplicates. */
static int named_bases(const struct caller *by, const struct workspace *w,
		       const json_t *set, struct arena *a,
		       struct retrieve_bases *out, struct err *e)
{
	const struct resource_at at = reading(by, a);
	size_t n = 0, n_rows, i;
	struct resource_row *rows;
	struct uuid *ids;
	json_t *item;

	ids = arena_zalloc(a, json_array_size(set) + 1, sizeof(*ids));
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);

		n += text && uuid_parse(str_of(text), &ids[n]) &&
			!uuid_among(ids, n, &ids[n]);
	}
	rows = arena_zalloc(a, n + 1, sizeof(*rows));
	out->v = arena_zalloc(a, n + 1, sizeof(*out->v));
	if (resource_set(by->db, all_bases, RSTMT_KNOWLEDGE_BASE_SET, &at, ids, n, a,
			 rows, &n_rows, e))
		return -1;
	for (i = 0; i < n; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &ids[i]) && is_of(w, &rows[k]))
				out->v[out->n++] = rows[k];
	return 0;
}

int retrieve_bases(const struct caller *by, const struct workspace *w,
		   const struct agent *agent, struct str set, struct arena *a,
		   struct retrieve_bases *out, struct err *e)
{
	json_auto_t *ids = NULL;

	*out = (struct retrieve_bases){ .n = 0 };
	if (!set.p && agent && agent->row)
		set = resource_text(agent->row, COLUMN(AGENT, knowledge_base_ids));
	if (set.p) {
		ids = jx_try(set);
		return named_bases(by, w, ids, a, out, e);
	}
	if (agent && agent->set.rag.bases)
		return seen_bases(by, w, &agent->rag.bases, LIM_KNOWLEDGE_SET, a,
				  out, e);
	return seen_bases(by, w, NULL, LIM_BASES_SEARCHED, a, out, e);
}

int retrieve_set(const struct caller *by, const struct uuid *conversation,
		 struct arena *a, struct str *out, struct err *e)
{
	*out = (struct str){ NULL, 0 };
	if (!conversation || uuid_is_nil(conversation))
		return 0;
	return db_text(by->db, STMT_CONVERSATION_KNOWLEDGE,
		       DB_ARGS(DB_U(conversation), DB_S(by->owner.tenant_id),
			       DB_U(&by->owner.user_id)), a, out, e) < 0 ? -1 : 0;
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

static int no_base(const char *key, const char *text, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, key, "There is no knowledge base "
			 "\"%.60s\".", text);
}

/* Reads the ids of a set, each once, into ids. known: whether each is in had; if so, its
   base need not exist. */
static int read_set(const json_t *set, const json_t *had, const char *key,
		    struct uuid *ids, bool *known, size_t *n, struct err *e)
{
	size_t i;
	json_t *item;

	*n = 0;
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);

		if (!text)
			return err_field(e, ERR_INVALID_FIELD, key, "%s must be a "
					 "list of strings.", key);
		if (!uuid_parse(str_of(text), &ids[*n]))
			return no_base(key, text, e);
		known[*n] = is_in(had, text);
		*n += !uuid_among(ids, *n, &ids[*n]);
	}
	return 0;
}

/* The empty list: unchanged, if all bases of the old set were deleted; else no set. */
static int check_empty(const struct caller *by, struct str old, struct arena *a,
		       struct str *out, struct err *e)
{
	struct str known = old, *set = &known;

	if (store_known_bases(by->db, by->owner.tenant_id, &set, 1, a, e))
		return -1;
	if (known.p && str_is(known, "[]"))
		*out = old;
	return 0;
}

int retrieve_set_check(const struct caller *by, const json_t *set, struct str old,
		       struct arena *a, struct str *out, struct err *e)
{
	static const char key[] = "knowledgeBaseIds";
	const struct resource_at at = reading(by, a);
	json_auto_t *had = old.p ? jx_try(old) : NULL, *once = json_array();
	struct uuid ids[LIM_KNOWLEDGE_SET];
	bool known[LIM_KNOWLEDGE_SET];
	struct resource_row *rows;
	char text[UUID_TEXT_BYTES];
	size_t n, n_rows;

	*out = (struct str){ NULL, 0 };
	if (!set || json_is_null(set))
		return 0;
	if (json_is_array(set) && !json_array_size(set))
		return check_empty(by, old, a, out, e);
	if (!json_is_array(set))
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "strings.", key);
	if (json_array_size(set) > LIM_KNOWLEDGE_SET)
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "at most %d ids of knowledge bases.", key,
				 LIM_KNOWLEDGE_SET);
	if (read_set(set, had, key, ids, known, &n, e))
		return -1;
	rows = arena_zalloc(a, n + 1, sizeof(*rows));
	if (resource_set(by->db, all_bases, RSTMT_KNOWLEDGE_BASE_SET, &at, ids, n, a,
			 rows, &n_rows, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n_rows; k++)
			known[i] |= uuid_eq(&rows[k].id, &ids[i]);
		if (!known[i])
			return no_base(key, uuid_format(&ids[i], text), e);
		json_array_append_new(once, json_string(uuid_format(&ids[i],
								    text)));
	}
	*out = str_of(jx_text(a, once));
	return 0;
}

/* The ranker gets this many times the requested passages. */
enum { RERANKED_DEPTH = 3 };

enum { NOTICES = 8 };	/* more kinds of failures than there are */

/* -- retrieval options of an agent -------------------------------------------------- */

struct retrieve_options retrieve_options_of(const struct agent *agent)
{
	const struct agent_rag *r = agent ? &agent->rag : NULL;

	return r ? (struct retrieve_options){
		.enabled = r->enabled, .ranks = r->ranks, .max = (size_t)r->max,
		.max_ranked = (size_t)r->max_ranked, .min_score = r->min_score,
		.ranker = r->ranker && *r->ranker ? str_of(r->ranker) : (struct str){ NULL, 0 },
	} : (struct retrieve_options){ .enabled = false };
}

/* -- searching ---------------------------------------------------------------------- */

struct asked_vector {		/* vector of the question by one service */
	struct str id;		/* as bases name it; p == NULL: default service */
	struct str within;	/* the workspace of the bases; p == NULL: any */
	const struct llm_service *s;	/* NULL: no such service */
	bool tried;
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
	const char *notices[NOTICES];	/* sentences about what failed */
	size_t n_notices;
};

/* Adds one, once. */
static void hint(struct retrieving *k, const char *sentence)
{
	for (size_t i = 0; i < k->n_notices; i++)
		if (!strcmp(k->notices[i], sentence))
			return;
	if (k->n_notices < NOTICES)
		k->notices[k->n_notices++] = sentence;
}

/* The service of this id in this workspace, looked up once. */
static int service_of(struct retrieving *k, struct str within, struct str id,
		      struct asked_vector **out, struct err *e)
{
	struct asked_vector *v = k->asked;

	for (*out = v; *out < v + k->n_asked; ++*out)
		if (str_eq((*out)->id, id) && !(*out)->id.p == !id.p &&
		    (!id.p || str_eq((*out)->within, within)))
			return 0;
	k->n_asked++;
	(*out)->id = id;
	(*out)->within = within;
	return embed_service(k->q->by, within, id, LLM_CAN_EMBED, k->a, &(*out)->s,
			     e);
}

/* The question's vector by this service, asked for once. */
static void ask_vector(struct retrieving *k, struct asked_vector *v)
{
	struct err e = ERR_INIT;

	if (v->tried)
		return;
	v->tried = true;
	db_early_settle();
	if (embed_question(k->q->by, k->q->io, v->s, k->q->ask.text, k->a, &v->v,
			   &v->dimension, &e)) {
		log_err("the question's vector", &e);
		v->v = NULL;
		hint(k, "The embedding service did not answer, so only words were searched.");
	}
}

static const char other_model[] =
	"The vectors of a knowledge base are of another model than its embedding "
	"service, so only words were searched there.";

/* Sets the vector to search this base with; none: words only. */
static int vector_for(struct retrieving *k, const struct resource_row *base,
		      const struct search_base *info, struct search_ask *ask,
		      struct err *e)
{
	struct asked_vector *got;

	if (info->vectors <= 0 || info->stale || !info->model.p)
		return 0;
	if (service_of(k, resource_text(base, COLUMN(KNOWLEDGE_BASE, workspace_id)),
		       resource_text(base, COLUMN(KNOWLEDGE_BASE, embedding_service_id)), &got,
		       e))
		return -1;
	if (!got->s || !str_eq(info->model, llm_embed_name(got->s, k->a))) {
		hint(k, other_model);
		return 0;
	}
	ask_vector(k, got);
	if (!got->v)
		return 0;
	if (got->dimension != info->dimension) {
		hint(k, arena_printf(k->a, "The embedding service gave a vector of %d dimensions "
				     "for a knowledge base of %lld, so only words were searched "
				     "there.", got->dimension, (long long)info->dimension));
		return 0;
	}
	ask->vector = got->v;
	ask->dimension = got->dimension;
	ask->model = info->model;
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

/*
 * Sets up the query of each base in `in`. *looked: what it has read of the bases; bases
 * == NULL if nothing, or if it may be outdated because a service was asked meanwhile.
 */
static int prepare_search(struct retrieving *k, struct search_in *in,
			  struct search_looked *looked, struct err *e)
{
	const struct retrieve_ask *q = k->q;
	struct search_ask *asks = arena_zalloc(k->a, q->n_bases, sizeof(*asks));

	for (size_t i = 0; i < q->n_bases; i++) {
		asks[i] = q->ask;
		asks[i].groups = q->by->who->groups;
		asks[i].n_groups = q->by->who->n_groups;
		asks[i].vector = NULL;
		in[i] = (struct search_in){
			.base = &q->bases[i].id, .ask = &asks[i],
			.language = resource_text(&q->bases[i],
						  COLUMN(KNOWLEDGE_BASE, language)),
		};
	}
	if (q->ask.mode != SEARCH_WORDS && q->io && q->io->http &&
	    search_look(q->by->db, in, q->n_bases, k->a, looked, e))
		return -1;
	for (size_t i = 0; i < q->n_bases; i++) {
		if (looked->bases &&
		    vector_for(k, &q->bases[i], &looked->bases[i], &asks[i], e))
			return -1;
		if (q->ask.mode == SEARCH_VECTORS && !asks[i].vector && !k->n_notices)
			return err_field(e, ERR_INVALID_FIELD, "mode", "This "
					 "knowledge base has no vectors. Use words "
					 "or fused.");
	}
	for (size_t i = 0; i < k->n_asked; i++)
		if (k->asked[i].tried)
			search_looked_end(looked);
	return 0;
}

/* Their order among all: equal ones by base, and within it as they were found. */
static int by_found(const void *x, const void *y)
{
	const struct retrieve_hit *a = x, *b = y;

	if (a->found->score > b->found->score || a->found->score < b->found->score)
		return a->found->score > b->found->score ? -1 : 1;
	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->found < b->found ? -1 : a->found > b->found;
}

/* Replaces scores that cannot be compared between bases by ranks. */
static void score_by_rank(struct search_in *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t h = 0; h < in[i].n; h++)
			/* As of one that both words and vectors have at this rank. */
			in[i].v[h].score = 2.0 / (double)(RRF_K + 1 + h);
}

/* All passages of all bases, best first, without what they say: into *v. */
static int find_all(struct retrieving *k, struct retrieve_hit **v, size_t *n,
		    struct err *e)
{
	const struct retrieve_ask *q = k->q;
	struct search_in *in = arena_zalloc(k->a, q->n_bases + 1, sizeof(*in));
	struct search_looked looked = { .bases = NULL };
	size_t all = 0;
	int rc;

	rc = prepare_search(k, in, &looked, e) ||
		search_rank_all(q->by->db, in, q->n_bases,
				looked.bases ? &looked : NULL, k->a, e);
	search_looked_end(&looked);
	if (rc)
		return -1;
	for (size_t i = 0; i < q->n_bases; i++) {
		if (in[i].unused)	/* the base's model changed meanwhile */
			hint(k, other_model);
		if (in[i].n && in[i].ask->vector && !in[i].unused)
			k->n_near++;
		else if (in[i].n)
			k->n_words++;
		all += in[i].n;
	}
	if (k->n_near && k->n_words)
		score_by_rank(in, q->n_bases);
	*v = arena_zalloc(k->a, all + 1, sizeof(**v));
	*n = 0;
	for (size_t i = 0; i < q->n_bases; i++)
		for (size_t h = 0; h < in[i].n; h++)
			(*v)[(*n)++] = (struct retrieve_hit){
				.base = &q->bases[i], .found = &in[i].v[h] };
	if (all)
		qsort(*v, all, sizeof(**v), by_found);
	return 0;
}

/* Reads what n passages say, and their documents if the caller sees them. */
static int read_hits(struct retrieving *k, struct retrieve_hit *v, size_t n,
		     struct err *e)
{
	struct search_pick *picks = arena_zalloc(k->a, n, sizeof(*picks));
	struct kb_at *at = arena_zalloc(k->a, n, sizeof(*at));
	const struct kb_document **docs = arena_zalloc(k->a, n, sizeof(struct kb_document *));

	for (size_t i = 0; i < n; i++) {
		picks[i] = (struct search_pick){ &v[i].base->id, v[i].found };
		at[i] = sight_of(k->q->by, &v[i].base->id);
		at[i].all = k->q->ask.all;
	}
	if (kb_passages(k->q->by->db, at, picks, n, k->a, docs, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		v[i].document = docs[i];
	return 0;
}

enum { GONE = 2 };	/* passages that may have been deleted since they were found */

/*
 * The best passages, at most max, and of each base as many as were asked for. Only
 * what may be among them is read: of many bases that is a small part.
 */
static int search_all(struct retrieving *k, size_t max, struct err *e)
{
	size_t *taken = arena_zalloc(k->a, k->q->n_bases + 1, sizeof(*taken));
	struct retrieve_hit *v;
	size_t n, n_read = 0;

	if (find_all(k, &v, &n, e))
		return -1;
	k->v = v;
	while (n_read < n && k->n < max) {
		size_t from = n_read;

		n_read = MIN(n, from + max + (from ? SEARCH_SPARE : GONE));
		if (read_hits(k, v + from, n_read - from, e))
			return -1;
		for (size_t i = from; i < n_read && k->n < max; i++)
			if (v[i].document &&
			    taken[v[i].base - k->q->bases]++ < k->q->ask.max)
				v[k->n++] = v[i];
	}
	return 0;
}

/* -- ranking by a service -------------------------------------------------------------- */

/* Returns whether a service ranked. If it fails, the order stays, and the notice says so. */
static bool rerank(struct retrieving *k)
{
	const struct retrieve_ask *q = k->q;
	struct llm_service s;
	size_t n = MIN(k->n, (size_t)LIM_FOUND), kept = 0;
	double scores[LIM_FOUND];
	struct str texts[LIM_FOUND];
	int64_t began_ms = clock_mono_ms();
	struct llm_ranks ranks;
	struct err e = ERR_INIT;
	int rc;

	if (!q->ranker || !n || !q->io || !q->io->http)
		return false;
	for (size_t i = 0; i < n; i++)
		texts[i] = k->v[i].found->text;
	db_early_settle();
	s = llm_service_aside(q->ranker);
	s = llm_service_within(&s, q->by->conf->knowledge.question_ms);
	rc = llm_rerank(q->io, &s, q->ask.text, texts, n, LLM_PASSAGES, scores, k->a,
			&ranks, &e);
	embed_record(q->by->db, &q->by->owner, USAGE_RERANK, q->ranker, &ranks.usage,
		     began_ms, rc == 0);
	if (rc) {
		log_err("ranking", &e);
		hint(k, "The ranking service did not answer, so the passages are in the order of "
			 "the search.");
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(scores[i]))
			continue;
		k->v[i].found->score = scores[i];
		k->v[kept++] = k->v[i];
	}
	k->n = kept;
	if (kept)
		qsort(k->v, kept, sizeof(*k->v), by_found);
	return true;
}

/* -- scores ---------------------------------------------------------------------------- */

/*
 * Replaces the scores of the ranking by how sure each passage is, and drops those below the
 * floor. The order stays the ranking's; a service that ranks decides it alone, because what
 * its scores mean depends on its model.
 */
static void score_by_evidence(struct retrieving *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++) {
		k->v[i].found->score = k->v[i].found->sure;
		if (k->v[i].found->score >= k->q->min_score)
			k->v[kept++] = k->v[i];
	}
	k->n = kept;
}

int retrieve_find(const struct retrieve_ask *q, struct arena *a,
		  struct retrieve_found *out, struct err *e)
{
	struct retrieve_ask asked = *q;
	struct retrieving k = { .q = &asked, .a = a };
	const char *notice = NULL;
	bool ranked;

	search_cache_limit((size_t)q->by->conf->knowledge.cache_mb << 20);
	if (q->ranker)
		asked.ask.max = MIN((size_t)LIM_FOUND, q->ask.max * RERANKED_DEPTH);
	k.asked = arena_zalloc(a, q->n_bases + 1, sizeof(*k.asked));
	if (q->n_bases && search_all(&k, q->ranker ? (size_t)LIM_FOUND : q->ask.max,
				     e))
		return -1;
	ranked = rerank(&k);
	score_by_evidence(&k);
	if (q->more)
		notice = arena_printf(a, "Only the first %d knowledge bases, by name, were "
				      "searched. Choose the ones to search in the agent or the "
				      "conversation.", LIM_BASES_SEARCHED);
	for (size_t i = 0; i < k.n_notices; i++)
		notice = notice ? arena_printf(a, "%s %s", notice, k.notices[i])
			: k.notices[i];
	*out = (struct retrieve_found){
		.v = k.v, .notice = notice,
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
	const struct resource_at as = resource_reading(
		&k->by->owner, k->by->who->groups, k->by->who->n_groups, k->a);
	struct resource_row row;

	if (k->sight)
		return k->sight(k->ctx, base, at, e);
	*at = sight_of(k->by, base);
	return resource_get(k->by->db, all_bases, &as, base, k->a, &row, e);
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

static int see_documents(const struct seeing *k, struct err *e)
{
	struct kb_at *at = arena_zalloc(k->a, k->n + 1, sizeof(*at));
	struct uuid *ids = arena_zalloc(k->a, k->n + 1, sizeof(*ids));
	size_t n_at = 0, n = 0, n_docs;
	struct kb_document *docs;

	for (size_t i = 0; i < k->n; i++) {
		int rc;

		if (!uuid_is_nil(&k->v[i].attachment_id))
			continue;
		ids[n++] = k->v[i].document_id;
		if (!is_first_of_base(k, i))
			continue;
		rc = find_base(k, &k->v[i].base_id, &at[n_at], e);
		if (rc && !is_gone(rc, e))
			return -1;
		n_at += !rc;
	}
	if (kb_of_ids(k->by->db, at, n_at, ids, n, k->a, &docs, &n_docs, e))
		return -1;
	for (size_t i = 0; i < k->n; i++) {
		const struct kb_document *d = kb_among(docs, n_docs,
						       &k->v[i].document_id);

		if (uuid_is_nil(&k->v[i].attachment_id))
			k->seen[i] = d && uuid_eq(&k->v[i].base_id, &d->base_id);
	}
	return 0;
}

int retrieve_seen(const struct caller *by, retrieve_sight *sight, void *ctx,
		  struct source *v, size_t *n, struct arena *a, struct err *e)
{
	const struct seeing k = {
		.by = by, .sight = sight, .ctx = ctx, .v = v, .n = *n,
		.seen = arena_zalloc(a, *n + 1, sizeof(bool)), .a = a,
	};
	size_t kept = 0;

	for (size_t i = 0; i < k.n; i++)
		if (!uuid_is_nil(&v[i].attachment_id) &&
		    see_attachment(&k, i, e))
			return -1;
	if (policy_may(by->who, PERM_KNOWLEDGE_READ) && see_documents(&k, e))
		return -1;
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
