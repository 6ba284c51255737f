/* SPDX-License-Identifier: MIT */
#include "entity/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "hold/stored.h"
#include "resource/call.h"
#include "resource/change.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	GAP = 1 << 20,		/* between places that are numbered anew */
	TRIES = 16,		/* of a move, while others move, too */
};

static const struct resource *const project_rows = &resources[RESOURCE_PROJECT];
static const struct resource *const document_rows = &resources[RESOURCE_PROJECT_DOCUMENT];

static const struct db_field node_fields[] = {
#define F(m, t, sql) FIELD_OF(struct tree_node, m, t)
	ENTITY_NODE_FIELDS(F, COMMA)
#undef F
};

/* -- reading ------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct tree_node *const *x = a, *const *y = b;

	return memcmp((*x)->id.b, (*y)->id.b, sizeof((*x)->id.b));
}

static void append(struct tree *t, struct tree_node *above, struct tree_node *node)
{
	struct tree_node **first = above ? &above->first : &t->first;
	struct tree_node **last = above ? &above->last : &t->last;

	node->order = *last ? (*last)->order + 1 : 0;
	if (*last)
		(*last)->next = node;
	else
		*first = node;
	*last = node;
}

/* Whether the way up from the node ends at the top, and how long it is. */
static bool reach_top(struct tree_node *node, size_t n)
{
	size_t depth = 1;

	for (const struct tree_node *up = node->above; up; up = up->above)
		if (++depth > n)
			return false;
	node->depth = depth;
	return true;
}

/* Documents whose one above is gone, or that are in a circle, are at the top. */
static void join(struct tree *t, struct arena *a)
{
	struct tree_node **sorted = arena_zalloc(a, t->n + 1, sizeof(struct tree_node *));

	for (size_t i = 0; i < t->n; i++)
		sorted[i] = &t->v[i];
	qsort(sorted, t->n, sizeof(*sorted), by_id);
	for (size_t i = 0; i < t->n; i++) {
		const struct tree_node key = { .id = t->v[i].under_id };
		const struct tree_node *at = &key;
		struct tree_node **found = bsearch(&at, sorted, t->n, sizeof(*sorted),
						   by_id);

		t->v[i].above = found && *found != &t->v[i] ? *found : NULL;
	}
	for (size_t i = 0; i < t->n; i++)
		if (!reach_top(&t->v[i], t->n)) {
			t->v[i].above = NULL;
			t->v[i].depth = 1;
		}
	for (size_t i = 0; i < t->n; i++)
		append(t, t->v[i].above, &t->v[i]);
}

int tree_read(const struct caller *by, const struct uuid *project, struct tree *out,
	      struct err *e)
{
	const struct resource_at at = resource_for(by);
	struct resource_row row;

	*out = (struct tree){ .version = 0 };
	if (resource_visible(by, project_rows, project, &row, e) < 0 ||
	    db_int(by->db, STMT_ENTITY_TREE_VERSION,
		   DB_ARGS(DB_U(project), DB_S(by->owner.tenant_id)), &out->version,
		   e) < 0 ||
	    db_list(by->db, STMT_ENTITY_NODES,
		    DB_ARGS(DB_S(by->owner.tenant_id), DB_U(project),
			    DB_S(resource_ids_json(at.readers, at.n_readers, by->arena))),
		    by->arena, node_fields, sizeof(*out->v), 0, &out->v, &out->n, e))
		return -1;
	join(out, by->arena);
	return 0;
}

struct tree_node *tree_find(const struct tree *t, const struct uuid *id)
{
	for (size_t i = 0; i < t->n; i++)
		if (uuid_eq(&t->v[i].id, id))
			return &t->v[i];
	return NULL;
}

static void write_node(struct jw *w, const struct tree_node *node)
{
	jw_kuuid(w, "id", &node->id);
	jw_kint(w, "order", node->order);
	jw_kstr(w, "title", node->title);
	jw_kstr(w, "description", node->description);
	jw_kstr(w, "typeKey", node->type_key);
	jw_kstr(w, "stateKey", node->state_key);
	jw_kint(w, "contentLength", node->length);
	jw_ktime(w, "updatedAt", node->updated_us);
}

/* Rows may say more levels than moves allow: no recursion. */
void tree_write(struct jw *w, const struct tree_node *first)
{
	const struct tree_node *node = first;

	jw_arr(w);
	while (node) {
		jw_obj(w);
		write_node(w, node);
		jw_key(w, "children");
		jw_arr(w);
		if (node->first) {
			node = node->first;
			continue;
		}
		for (;;) {
			jw_end_arr(w);
			jw_end_obj(w);
			if (node->next || node->above == first->above)
				break;
			node = node->above;
		}
		node = node->next;
	}
	jw_end_arr(w);
}

/* -- new and deleted documents ------------------------------------------------------ */

/*
 * Whether a document may be made under this one: ERR_INVALID_FIELD naming parentId if it
 * is none of the project's, or the tree would be too deep.
 */
static int tree_check(const struct caller *by, const struct uuid *project,
		      const struct uuid *under, struct err *e)
{
	const struct resource_at at = resource_for(by);
	int64_t depth = 0;

	if (db_int(by->db, STMT_ENTITY_DEPTH,
		   DB_ARGS(DB_U(under), DB_U(project), DB_S(by->owner.tenant_id),
			   DB_S(resource_ids_json(at.readers, at.n_readers, by->arena)),
			   DB_U(project)), &depth, e) < 0)
		return -1;
	if (!depth)
		return err_field(e, ERR_INVALID_FIELD, "parentId", "parentId must be a "
				 "document of the same project.");
	return depth < LIM_TREE_DEPTH ? 0
		: err_field(e, ERR_INVALID_FIELD, "parentId", "The tree has at most %d "
			    "levels.", LIM_TREE_DEPTH);
}

/*
 * In the transaction (by->db) of a new document, and of one that is deleted, before that:
 * what was under it moves up.
 */
static int tree_grew(const struct caller *by, const struct uuid *project, struct err *e)
{
	return db_exec(by->db, STMT_ENTITY_TREE_MOVED,
		       DB_ARGS(DB_U(project), DB_S(by->owner.tenant_id)), NULL, e);
}

static int tree_cut(const struct caller *by, const struct uuid *project,
		    const struct uuid *document, const struct uuid *under, struct err *e)
{
	if (db_exec(by->db, STMT_ENTITY_LIFT,
		    DB_ARGS(DB_U_IF(under), DB_U(document), DB_U(project)), NULL, e))
		return -1;
	return tree_grew(by, project, e);
}

/* How deep the deepest one below the node is, it being 1. */
static size_t height(const struct tree *t, const struct tree_node *node)
{
	size_t most = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tree_node *up = &t->v[i];
		size_t above = 1;

		for (; up && up != node; up = up->above)
			above++;
		if (up && above > most)
			most = above;
	}
	return most;
}

/* -- documents that are restored ------------------------------------------------------ */

/*
 * What tree_restore needs of a document that will be deleted: JSON objects, separated by
 * commas. In by's arena.
 */
static int tree_note(const struct caller *by, const struct uuid *project,
		     const struct uuid *document, struct str *out, struct err *e)
{
	struct buf b = BUF_INIT(65536 + 64 * LIM_ENTITIES);
	struct jw w = jw_on(&b);
	const struct tree_node *node;
	struct tree t;

	if (tree_read(by, project, &t, e) < 0)
		return -1;
	node = tree_find(&t, document);
	jw_arr(&w);
	if (node) {
		jw_obj(&w);
		jw_kint(&w, "place", node->place);
		jw_end_obj(&w);
	}
	for (node = node ? node->first : NULL; node; node = node->next) {
		jw_obj(&w);
		jw_kuuid(&w, "childId", &node->id);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	*out = arena_str(by->arena, str_of(buf_str(&b).p + 1));	/* without [ */
	out->n--;						/* and ] */
	buf_release(&b);
	return 0;
}

static int lower(const struct caller *by, const struct uuid *project, const struct tree *t,
		 const struct tree_node *node, const struct uuid *id, struct err *e)
{
	const struct tree_node *child = tree_find(t, id);

	if (!child || child == node || child->above != node->above ||
	    node->depth + height(t, child) > LIM_TREE_DEPTH)
		return 0;
	return db_exec(by->db, STMT_ENTITY_LOWER,
		       DB_ARGS(DB_U(&node->id), DB_U(id), DB_U(project)), NULL, e);
}

/*
 * In the transaction (by->db) that makes a deleted document again, under the one that it
 * was under: it has its place, and what was right below it and moved up when it was
 * deleted is below it again, if it has not been moved since then, and the tree does not
 * become too deep. noted: an array that has what tree_note has told.
 */
static int tree_restore(const struct caller *by, const struct uuid *project,
			const struct uuid *document, const json_t *noted, struct err *e)
{
	const struct tree_node *node;
	const json_t *one;
	struct tree t;
	struct uuid id;
	size_t i;

	if (tree_read(by, project, &t, e) < 0)
		return -1;
	node = tree_find(&t, document);
	json_array_foreach(noted, i, one) {
		if (!node)
			break;
		if (json_object_get(one, "place") &&
		    db_exec(by->db, STMT_ENTITY_PLACE,
			    DB_ARGS(DB_I(jx_int(one, "place", 0)), DB_U(document),
				    DB_U(project)), NULL, e) < 0)
			return -1;
		if (uuid_parse(jx_str(one, "childId"), &id) &&
		    lower(by, project, &t, node, &id, e) < 0)
			return -1;
	}
	return 0;
}

/* -- moving -------------------------------------------------------------------------- */

struct tree_step {
	const struct caller *by;
	const struct uuid *project;
	struct tree tree;
	struct tree_node *node, *under;
	size_t position;
	int64_t read;		/* the version that the caller has read */
	struct resource_at at;	/* with what the caller may write */
	bool late;		/* out: the tree has changed since it was read */
	/* out: the change, and the document as far as a move concerns it */
	struct resource_change_row change;
	struct resource_row row;
};

static int check_step(const struct tree_step *m, struct err *e)
{
	for (const struct tree_node *up = m->under; up; up = up->above)
		if (up == m->node)
			return err_field(e, ERR_INVALID_FIELD, "parentId", "A document "
					 "cannot be under itself, or under what is below "
					 "it.");
	if ((m->under ? m->under->depth : 0) + height(&m->tree, m->node) > LIM_TREE_DEPTH)
		return err_field(e, ERR_INVALID_FIELD, "parentId", "The tree has at most "
				 "%d levels.", LIM_TREE_DEPTH);
	return 0;
}

static int set_place(struct db *tx, const struct tree_step *m, const struct tree_node *node,
		     int64_t place, struct err *e)
{
	return db_exec(tx, STMT_ENTITY_MOVE,
		       DB_ARGS(DB_U_IF(m->under ? &m->under->id : NULL), DB_I(place),
			       DB_U(&node->id), DB_S(m->by->owner.tenant_id),
			       DB_U(m->project), DB_S(m->at.writers_json)), NULL, e);
}

/* {parentId, position}, and the title for who follows; p == NULL: without. In a. */
static struct str place_text(const struct tree_node *under, int64_t position,
			     struct str title, struct arena *a)
{
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);
	struct str s;

	jw_obj(&w);
	jw_key(&w, "parentId");
	if (under)
		jw_uuid(&w, &under->id);
	else
		jw_null(&w);
	jw_kint(&w, "position", position);
	if (title.p)
		jw_kstr(&w, "title", title);
	jw_end_obj(&w);
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}

/* Writes the change: it moves no version, its patch is the move and not the tree. */
static int note_move(struct db *tx, struct tree_step *m, int64_t position, struct err *e)
{
	struct caller by = *m->by;

	by.db = tx;
	resource_new(document_rows, &m->row);
	m->row.id = m->node->id;
	m->row.holder = *m->project;
	m->row.version = m->node->version;
	m->row.v[COLUMN(PROJECT_DOCUMENT, title)] = DB_S(m->node->title);
	m->change.row = &m->row;
	m->change.before = place_text(m->node->above, m->node->order,
					  (struct str){ NULL, 0 }, by.arena);
	m->change.patch = place_text(m->under, position, m->node->title, by.arena);
	return resource_change_add(&by, &m->change, e);
}

static int put_moved(struct db *tx, struct tree_step *m, int64_t place, int64_t position,
		     struct err *e)
{
	return set_place(tx, m, m->node, place, e) < 0 ? -1 : note_move(tx, m, position, e);
}

/* There is no room between two places: all siblings are numbered anew. */
static int number(struct db *tx, struct tree_step *m, const struct tree_node *first,
		  int64_t position, struct err *e)
{
	int64_t k = 0;

	for (const struct tree_node *s = first; s; s = s->next) {
		if (s == m->node)
			continue;
		if (set_place(tx, m, s, GAP * (k + (k >= position) + 1), e) < 0)
			return -1;
		k++;
	}
	return put_moved(tx, m, GAP * (position + 1), position, e);
}

static int move_tx(struct db *tx, void *ctx, struct err *e)
{
	struct tree_step *m = ctx;
	const struct tree_node *first = m->under ? m->under->first : m->tree.first;
	const struct tree_node *before = NULL, *after = first;
	struct db_result r;
	int64_t position = 0;

	if (db_exec(tx, STMT_ENTITY_TREE_FROM,
		    DB_ARGS(DB_U(m->project), DB_S(m->by->owner.tenant_id),
			    DB_I(m->tree.version)), &r, e))
		return -1;
	m->late = !r.affected;
	if (m->late)
		return 0;
	for (; after && (after == m->node || position < (int64_t)m->position);
	     after = after->next)
		if (after != m->node) {
			before = after;
			position++;
		}
	if (before && after && after->place - before->place < 2)
		return number(tx, m, first, position, e);
	return put_moved(tx, m, before && after
			 ? before->place + (after->place - before->place) / 2
			 : before ? before->place + GAP
			 : after ? after->place - GAP : GAP, position, e);
}

static int move_once(struct tree_step *m, const struct uuid *document,
		     const struct uuid *under, struct err *e)
{
	enum resource_role role;

	if (tree_read(m->by, m->project, &m->tree, e) < 0 ||
	    resource_roles(m->by, project_rows, &m->at, m->project, 1, &role, e) < 0)
		return -1;
	if (role < ROLE_EDITOR)
		return resource_read_only(project_rows, e);
	m->node = tree_find(&m->tree, document);
	m->under = under ? tree_find(&m->tree, under) : NULL;
	if (!m->node)
		return err_set(e, ERR_NOT_FOUND, "no such document");
	if (m->read != TREE_ANY && m->read != m->tree.version)
		return err_public(e, ERR_PRECONDITION, "The documents of this project have been "
				  "rearranged since you read them.");
	if (under && !m->under)
		return err_field(e, ERR_INVALID_FIELD, "parentId", "parentId must be a "
				 "document of the same project.");
	return check_step(m, e) < 0 ? -1 : db_tx(m->by->db, move_tx, m, e);
}

int tree_move(const struct caller *by, const struct uuid *project,
	      const struct uuid *document, const struct uuid *under, size_t position,
	      int64_t read, int64_t *version, struct err *e)
{
	struct tree_step m = { .by = by, .project = project, .position = position,
			  .read = read,
			  .at = resource_for(by), .late = true,
			  .change = { .id = uuid_new(), .r = document_rows,
				      .verb = STR("move"),
				      .fields = STR("[\"parentId\",\"position\"]") } };

	resource_writing(by, project_rows, &m.at);
	for (int i = 0; m.late && i < TRIES; i++)
		if (move_once(&m, document, under, e) < 0)
			return -1;
	if (m.late)
		return err_public(e, ERR_CONFLICT, "Others move documents of this project at "
				  "the same time. Try again.");
	resource_change_tell(by, &m.change);
	*version = m.tree.version + 1;
	return 0;
}

/* -- documents ------------------------------------------------------------- */

/* Documents of projects: the length of their content, room for it, and their tree. */

/* Refuses what the user has no room for. */
static int check_room(const struct caller *by, size_t bytes, struct err *e)
{
	struct share_part part = { 0 };
	int rc = hold_take(by->db, by->conf, &by->owner, (int64_t)bytes, &part, e);

	if (rc == 0)
		share_give(&part);
	return rc;
}

static int measure(const struct caller *by, const struct resource *r,
		   struct resource_change *k, struct err *e)
{
	const size_t length = COLUMN(PROJECT_DOCUMENT, content_length);
	const size_t bytes = COLUMN(PROJECT_DOCUMENT, content_bytes);
	struct str content = resource_text(&k->row,
					   COLUMN(PROJECT_DOCUMENT, entity_content));

	(void)r;
	if (k->now && !k->row.given[COLUMN(PROJECT_DOCUMENT, entity_content)])
		return 0;
	k->row.v[length] = DB_I((int64_t)utf8_chars(content));
	k->row.v[bytes] = DB_I((int64_t)content.n);
	k->row.given[length] = k->row.given[bytes] = true;
	return content.n && !by->has_room ? check_room(by, content.n, e) : 0;
}

/* -- the tree ------------------------------------------------------------------------ */

/* The document that the row is under; NULL: at the top. */
static const struct uuid *under(const struct resource_row *row)
{
	const struct db_val *v = &row->v[COLUMN(PROJECT_DOCUMENT, under_id)];

	return v->null ? NULL : (const struct uuid *)v->s.p;
}

static int check_document(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	if (!k->now && under(&k->row) &&
	    tree_check(by, &k->at.holder, under(&k->row), e) < 0)
		return -1;
	return measure(by, r, k, e);
}

static int grow(const struct caller *by, const struct resource *r,
		struct resource_change *k, struct err *e)
{
	(void)r;
	return k->now ? 0 : tree_grew(by, &k->row.holder, e);
}

static int cut(const struct caller *by, const struct resource *r,
	       struct resource_change *k, struct err *e)
{
	(void)r;
	if (tree_note(by, &k->now->holder, &k->now->id, &k->with, e) < 0)
		return -1;
	return tree_cut(by, &k->now->holder, &k->now->id, under(k->now), e);
}

static int grow_again(const struct caller *by, const struct resource_again *k,
		      struct err *e)
{
	return tree_restore(by, k->top, k->id, k->with, e);
}

const struct resource_hooks project_document_hooks = {
	.check = check_document, .store = grow, .gone = cut, .recreated = grow_again,
};
