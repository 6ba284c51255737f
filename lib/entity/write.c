/* SPDX-License-Identifier: MIT */
/* What is in projects as JSON, for the API and for models. */
#include "entity/entity.h"

#include "base/banned.h"

void entity_write_brief(struct jw *w, const struct entity_brief *b)
{
	jw_kuuid(w, "id", &b->id);
	jw_kstr(w, "kind", b->kind);
	jw_kstr(w, "title", b->title);
	if (!uuid_eq(&b->id, &b->project_id)) {
		jw_kuuid(w, "projectId", &b->project_id);
		jw_kstr(w, "project", b->project);
	}
	jw_kstr_given(w, "description", b->description);
	jw_kstr(w, "typeKey", b->type_key);
	jw_kstr(w, "stateKey", b->state_key);
	jw_kstr_given(w, "owner", b->owner);
	jw_kstr_given(w, "priority", b->priority);
	jw_kstr_given(w, "dueDate", b->due_date);
	if (str_is(b->kind, entity_kinds[ENTITY_DOCUMENT].name))
		jw_kint(w, "contentLength", b->length);
	jw_kint(w, "version", b->version + 1);
	jw_ktime(w, "updatedAt", b->updated_us);
}

void entity_write_found(struct jw *w, const struct entity_found *f)
{
	entity_write_brief(w, &f->of);
	if (!f->snippet.text.p)
		return;
	jw_key(w, "snippet");
	snippet_write(w, &f->snippet);
}

void entity_write_linked(struct jw *w, const struct uuid *of,
			 const struct entity_edge *edges, size_t n_edges,
			 const struct entity_brief *briefs, size_t n)
{
	jw_arr(w);
	for (size_t i = 0; i < n_edges; i++) {
		const bool out = uuid_eq(&edges[i].from_id, of);
		const struct entity_brief *other = entity_among(
			briefs, n, out ? &edges[i].to_id : &edges[i].from_id);

		if (!other)	/* deleted meanwhile */
			continue;
		jw_obj(w);
		jw_kuuid(w, "edgeId", &edges[i].id);
		jw_kstr(w, "relation", edges[i].relation);
		jw_kstrz(w, "direction", out ? "out" : "in");
		jw_key(w, "entity");
		jw_obj(w);
		entity_write_brief(w, other);
		jw_end_obj(w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}
