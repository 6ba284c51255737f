/* SPDX-License-Identifier: MIT */
/*
 * Part of stmt.h, which includes it: the rows of knowledge bases, of their intake and
 * of the search in them and in conversations. Lists F(member, type letter, SQL) as
 * stmt.h explains, and parts of SQL for stmt.def.
 */
#ifndef STORE_STMT_SEARCH_H
#define STORE_STMT_SEARCH_H

#define INTAKE_FIELDS(F, SEP) \
	F(base_id, u, "s.base_id") SEP \
	F(run, i, "s.run") SEP \
	F(going, i, "s.going") SEP \
	F(place, b, "s.place") SEP \
	F(begun_us, I, "s.begun_us") SEP \
	F(ended_us, I, "s.ended_us") SEP \
	F(created, i, "s.created") SEP \
	F(changed, i, "s.changed") SEP \
	F(same, i, "s.same") SEP \
	F(gone, i, "s.gone") SEP \
	F(failed, i, "s.failed") SEP \
	F(faults, s, "s.faults") SEP \
	F(next_us, I, "s.next_us") SEP \
	F(left_us, I, "s.left_us") SEP \
	F(lease_until_us, I, "s.lease_until_us") SEP \
	F(origin, B, "s.origin")

#define INTAKE_PAGE_FIELDS(F, SEP) \
	F(item, b, "p.item") SEP \
	F(url, s, "p.url") SEP \
	F(depth, i, "p.depth") SEP \
	F(lastmod, s, "p.lastmod") SEP \
	F(read_mod, s, "p.read_mod") SEP \
	F(etag, b, "p.etag") SEP \
	F(modified, b, "p.modified") SEP \
	F(listed, I, "p.listed") SEP \
	F(listed_of, B, "p.listed_of")

#define SEARCH_BASE_FIELDS(F, SEP) \
	F(language, s, "language") SEP \
	F(next_chunk, i, "next_chunk") SEP \
	F(version, i, "version") SEP \
	F(parts, i, "parts") SEP \
	F(merge_term, i, "COALESCE(merge_term, -1)") SEP \
	F(model, S, "model") SEP \
	F(dimension, I, "dimension") SEP \
	F(vectors, i, "vectors") SEP \
	F(stale, i, "stale") SEP \
	F(embed_error, S, "embed_error")
/* Their columns in a row of SEARCH_LOOK that is about no base. */
#define AS_NO_BASE(member, t, sql) NO_BASE_##t
#define NO_BASE_i "0"
#define NO_BASE_s "''"
#define NO_BASE_I "CAST(NULL AS SIGNED)"
#define NO_BASE_S "CAST(NULL AS CHAR)"
/* Bases that are searched together; i: their places in the list, from 1 on. */
#define SEARCH_BASES \
	" FROM JSON_TABLE(?, '$[*]' COLUMNS (i FOR ORDINALITY," \
	" x CHAR(32) PATH '$')) j STRAIGHT_JOIN "
/* [{"b": base, "x": [what of it is read, …]}, …] */
#define SEARCH_LISTS(type) \
	" FROM JSON_TABLE(?, '$[*]' COLUMNS (i FOR ORDINALITY," \
	" b CHAR(32) PATH '$.b', NESTED PATH '$.x[*]' COLUMNS (x " type \
	" PATH '$'))) j STRAIGHT_JOIN "
/* Of the file that a document is made of, until it is read. */
#define KB_WHILE_READ(what) \
	"IF(d.unread = 1 AND d.status = 0, (SELECT " what " FROM attachment a" \
	" WHERE a.id = d.attachment_id), NULL)"
/* What a user has written into bases that are not the tenant's. */
#define DOCUMENTS_OF_WRITER \
	" FROM document d FORCE INDEX (document_writer)" \
	" STRAIGHT_JOIN knowledge_base b ON b.id = d.base_id" \
	" STRAIGHT_JOIN search_base s ON s.id = d.base_id" \
	" WHERE d.tenant_id = ? AND d.user_id = ? AND b.tier <> 'tenant'"
/* The headings above search_chunk c; older rows have them themselves. */
#define CHUNK_HEADING "COALESCE(h.text, '')"
#define CHUNK_HEADINGS \
	" LEFT JOIN search_heading h ON h.base_id = c.base_id" \
	" AND h.chunk = c.heading_of"
#define KB_DOCUMENT_FIELDS(F, SEP) \
	F(id, u, "d.id") SEP \
	F(base_id, u, "d.base_id") SEP \
	F(user_id, u, "d.user_id") SEP \
	F(external_id, S, "d.external_id") SEP \
	F(title, s, "d.title") SEP \
	F(url, S, "d.url") SEP \
	F(groups, s, "d.groups") SEP \
	F(audience, i, "d.audience") SEP \
	F(status, i, "d.status") SEP \
	F(error, S, "d.error") SEP \
	F(embed_error, S, "d.embed_error") SEP \
	F(bytes, i, "d.bytes") SEP \
	F(chunks, i, "d.chunks") SEP \
	F(version, i, "d.version") SEP \
	F(created_us, i, "d.created_us") SEP \
	F(updated_us, i, "d.updated_us") SEP \
	F(attachment_id, U, "d.attachment_id") SEP \
	F(file_name, S, "d.file_name") SEP \
	F(media_type, S, "d.media_type") SEP \
	F(file_size, I, "d.file_size") SEP \
	F(pages, I, "COALESCE(d.pages, " KB_WHILE_READ("a.pages") ")") SEP \
	F(unread_page, I, KB_WHILE_READ("a.unread_page"))
#define KB_DOCUMENT_SEEN " AND (? OR FIND_IN_SET(d.audience, ?))"
#define CHATS_DUE_FIELDS(F, SEP) \
	F(id, u, "c.id") SEP \
	F(version, i, "c.version") SEP \
	F(indexed, i, "c.indexed") SEP \
	F(title, S, "c.title")
#define CHATS_FOUND_FIELDS(F, SEP) \
	F(id, u, "c.id") SEP \
	F(workspace_id, s, "c.workspace_id") SEP \
	F(agent_id, s, "c.agent_id") SEP \
	F(title, S, "c.title") SEP \
	F(created_us, i, "c.created_us") SEP \
	F(updated_us, i, "c.updated_us")
#define SEARCH_BASE_FROM " FROM search_base WHERE id = ? AND dead = 0"

#endif
