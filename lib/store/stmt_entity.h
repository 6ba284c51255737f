/* SPDX-License-Identifier: MIT */
/*
 * Part of stmt.h, which includes it: what is in projects, their search, links and trees.
 * Lists F(member, type letter, SQL) as stmt.h explains, and parts of SQL for stmt.def.
 */
#ifndef STORE_STMT_ENTITY_H
#define STORE_STMT_ENTITY_H

/* Of a row e of entity in a project p. */
#define ENTITY_BRIEF_FIELDS(F, SEP) \
	F(id, u, "e.id") SEP \
	F(project_id, u, "e.top_id") SEP \
	F(kind, s, "e.kind") SEP \
	F(title, s, "e.title") SEP \
	F(project, s, "p.name") SEP \
	F(description, S, "LEFT(e.description, 300)") SEP \
	F(type_key, s, "e.type_key") SEP \
	F(state_key, s, "e.state_key") SEP \
	F(owner, S, "(SELECT u.login FROM user u WHERE u.id = e.owner_id)") SEP \
	F(priority, S, "e.priority") SEP \
	F(due_date, S, "e.due_date") SEP \
	F(length, I, "e.content_length") SEP \
	F(version, i, "e.version") SEP \
	F(updated_us, i, "e.updated_us")
/* The same of a project. */
#define ENTITY_AS_PROJECT \
	"SELECT p.id, p.id, 'project', p.name, p.name, LEFT(p.description, 300), p.type_key," \
	" p.state_key, NULL, NULL, p.due_date, NULL, p.version, p.updated_us"

/* A row that each id of a JSON array has, of upper-case digits. */
#define ENTITY_IDS "JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) "
/* Whether one who reads as these ids sees the project of this id. */
#define ENTITY_SEEN(id) " AND EXISTS (SELECT 1 FROM " ENTITY_IDS "r" \
	" STRAIGHT_JOIN project_reader s ON s.row_id = " id \
	" AND s.reader_id = UNHEX(r.x))"

/*
 * What was committed in a project p since a time: another text after each commit, also of a
 * transaction that began before others that were committed first.
 */
#define ENTITY_STAMP "(SELECT CONCAT(COUNT(*), ' ', COALESCE(BIT_XOR(CRC32(c.id)), 0))" \
	" FROM resource_change c WHERE c.tenant_id = p.tenant_id AND c.parent_id = p.id" \
	" AND c.created_us > ?)"
/* Whether only this user works on a project p. */
#define ENTITY_OWN "p.holder_id = ? AND p.shared = 0 AND p.others = 0 AND (SELECT COUNT(*)" \
	" FROM project_reader s WHERE s.row_id = p.id) = 1"

#define ENTITY_STAMP_FIELDS(F, SEP) \
	F(own, S, "IF(" ENTITY_OWN ", 'own', '')") SEP \
	F(stamp, S, ENTITY_STAMP)

#define ENTITY_DUE_FIELDS(F, SEP) \
	F(id, u, "q.row_id") SEP \
	F(changes, i, "q.changes") SEP \
	F(title, S, "COALESCE(e.title, p.name)") SEP \
	F(description, S, "COALESCE(e.description, p.description)") SEP \
	F(more, S, "CONCAT_WS('\\n\\n', e.mitigation, e.acceptance)") SEP \
	F(props, S, "COALESCE(e.props, p.props)") SEP \
	F(content, S, "c.text")

/* A document in the tree of its project. */
#define ENTITY_NODE_FIELDS(F, SEP) \
	F(id, u, "e.id") SEP \
	F(under_id, U, "e.under_id") SEP \
	F(place, i, "COALESCE(e.place, e.created_us)") SEP \
	F(title, s, "e.title") SEP \
	F(description, S, "LEFT(e.description, 300)") SEP \
	F(type_key, s, "e.type_key") SEP \
	F(state_key, s, "e.state_key") SEP \
	F(length, I, "e.content_length") SEP \
	F(updated_us, i, "e.updated_us") SEP \
	F(version, i, "e.version")

/* A change, and one who reads its project; or, not in one, all who are told. */
#define CHANGE_RECENT_FIELDS(F, SEP) \
	F(id, u, "c.id") SEP \
	F(created_us, i, "c.created_us") SEP \
	F(project_id, u, "c.top_id") SEP \
	F(row_id, u, "c.row_id") SEP \
	F(reader_id, U, "r.reader_id") SEP \
	F(readers, B, "c.readers") SEP \
	F(kind, s, "c.kind") SEP \
	F(verb, s, "c.verb") SEP \
	F(number, i, "c.number")

/* A link and what is at its ends. */
#define ENTITY_EDGE_FIELDS(F, SEP) \
	F(id, u, "g.id") SEP \
	F(from_id, u, "g.from_id") SEP \
	F(to_id, u, "g.to_id") SEP \
	F(relation, s, "g.relation")
/* Whether one who reads and may write as these sees and may change the project. */
#define ENTITY_WRITES(id) " AND EXISTS (SELECT 1 FROM" \
	" JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) r" \
	" STRAIGHT_JOIN project_reader s ON s.row_id = " id \
	" AND s.reader_id = UNHEX(r.x) AND s.role BETWEEN 2 AND r.m)"

/* An event of a user or of a project p. */
#define EVENT_ROW_FIELDS(F, SEP) \
	F(id, u, "v.id") SEP \
	F(project_id, u, "v.parent_id") SEP \
	F(project, S, "p.name") SEP \
	F(title, s, "v.title") SEP \
	F(description, S, "v.description") SEP \
	F(location, S, "v.location") SEP \
	F(starts, s, "v.starts") SEP \
	F(ends, s, "v.ends") SEP \
	F(zone, S, "v.zone") SEP \
	F(rrule, S, "v.rrule") SEP \
	F(skipped, S, "v.skipped") SEP \
	F(type_key, s, "v.type_key") SEP \
	F(state_key, s, "v.state_key") SEP \
	F(series_id, U, "v.series_id") SEP \
	F(occurrence, S, "v.occurrence") SEP \
	F(recurs_until, i, "v.recurs_until") SEP \
	F(version, i, "v.version") SEP \
	F(uid, S, "v.uid") SEP \
	F(created_us, i, "v.created_us") SEP \
	F(updated_us, i, "v.updated_us")
/* As ENTITY_SEEN, of the calendar of a project. */
#define EVENT_SEEN(id) " AND EXISTS (SELECT 1 FROM " ENTITY_IDS "r" \
	" STRAIGHT_JOIN project_reader s ON s.row_id = " id \
	" AND s.reader_id = UNHEX(r.x) AND " EVENT_ROLE ")"
#define EVENT_ROLE "s.role >= COALESCE((SELECT FIELD(c.visibility, 'viewer', 'editor'," \
	" 'owner') FROM project_calendar c WHERE c.top_id = s.row_id), 1)"

#endif
