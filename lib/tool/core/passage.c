/* SPDX-License-Identifier: MIT */
#include "tool/core/passage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

struct passages {
	pthread_mutex_t lock;
	struct arena a;		/* calls of a step add from their threads */
	struct source *v[LIM_SOURCES];
	size_t n;
	int64_t last;		/* highest number in use */
	bool searched;
};

struct passages *passages_new(void)
{
	struct passages *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void passages_free(struct passages *p)
{
	if (!p)
		return;
	arena_release(&p->a);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static bool same(const struct source *a, const struct source *b)
{
	return a->chunk == b->chunk && uuid_eq(&a->base_id, &b->base_id) &&
	       uuid_eq(&a->document_id, &b->document_id) &&
	       uuid_eq(&a->attachment_id, &b->attachment_id);
}

/* URLs that a page may show as links. */
static bool is_link(struct str url)
{
	return (url.n > 8 && !strncasecmp(url.p, "https://", 8)) ||
	       (url.n > 7 && !strncasecmp(url.p, "http://", 7));
}

/* NULL stays NULL. */
static struct str copy(struct arena *a, struct str s)
{
	return s.p ? arena_str(a, s) : s;
}

/* Under the lock. */
static struct source *add_source(struct passages *p, const struct source *s)
{
	struct source *to = arena_new(&p->a, struct source);

	*to = *s;
	to->title = arena_str(&p->a, s->title);
	to->text = arena_str(&p->a, s->text);
	to->external_id = copy(&p->a, s->external_id);
	to->url = is_link(s->url) ? copy(&p->a, s->url)
				  : (struct str){ NULL, 0 };
	p->v[p->n++] = to;
	return to;
}

/* Under the lock. */
static struct source *find_source(struct passages *p, const struct source *s)
{
	for (size_t i = 0; i < p->n; i++)
		if (same(p->v[i], s))
			return p->v[i];
	return NULL;
}

int passages_add(struct passages *p, const struct source *s)
{
	struct source *to;
	int no = 0;

	if (!p)
		return 0;
	pthread_mutex_lock(&p->lock);
	to = find_source(p, s);
	if (!to && p->n < LIM_SOURCES && p->last < LIM_SOURCES) {
		to = add_source(p, s);
		to->no = ++p->last;
	}
	if (to)
		no = (int)to->no;
	pthread_mutex_unlock(&p->lock);
	return no;
}

void passages_restore(struct passages *p, const struct source *s)
{
	pthread_mutex_lock(&p->lock);
	if (p->n < LIM_SOURCES)
		add_source(p, s);
	p->last = MAX(p->last, s->no);
	pthread_mutex_unlock(&p->lock);
}

void passages_reserve(struct passages *p, int64_t no)
{
	pthread_mutex_lock(&p->lock);
	p->last = MAX(p->last, no);
	pthread_mutex_unlock(&p->lock);
}

void passages_note_search(struct passages *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->searched = true;
	pthread_mutex_unlock(&p->lock);
}

bool passages_searched(struct passages *p)
{
	bool searched;

	pthread_mutex_lock(&p->lock);
	searched = p->searched;
	pthread_mutex_unlock(&p->lock);
	return searched;
}

const struct source *passages_at(struct passages *p, size_t i)
{
	const struct source *s;

	pthread_mutex_lock(&p->lock);
	s = i < p->n ? p->v[i] : NULL;
	pthread_mutex_unlock(&p->lock);
	return s;
}

void passages_write_place(struct jw *w, const struct source *s)
{
	char chunk[24];

	snprintf(chunk, sizeof(chunk), "%lld", (long long)s->chunk);
	jw_kint(w, "number", s->no);
	jw_kuuid_if(w, "documentId", &s->document_id);
	jw_kuuid_if(w, "knowledgeBaseId", &s->base_id);
	jw_kuuid_if(w, "attachmentId", &s->attachment_id);
	jw_kstrz(w, "chunkId", chunk);
	jw_kint_if(w, "page", s->page, s->page);
	jw_key(w, "score");
	jw_rounded(w, s->score);
}

void passages_write_members(struct jw *w, const struct source *s,
			    size_t text_chars)
{
	passages_write_place(w, s);
	jw_kstr(w, "externalId", s->external_id);
	jw_kstr(w, "title", s->title);
	jw_kstr(w, "url", s->url);
	jw_kstr(w, "text", utf8_head(s->text, text_chars));
}
