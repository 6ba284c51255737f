/* SPDX-License-Identifier: MIT */
/*
 * The context pack of a project measured (lib/entity/pack.c), beside many others: how long
 * it takes, in how many round trips, and how large it is, against the same facts as full
 * records, and as the answers of the tools that find them. Prints a line a figure.
 *
 *     LAMPLIGHTER_TEST_POOL=4G tests/unit/with-mariadb build/tests/bench/pack \
 *         [entities of all projects [projects]]
 *
 * 5,000,000 take some 5 GB in TMPDIR, and as much again while the keys are made.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/util.h"
#include "caller_lab.h"
#include "dbtest.h"
#include "entity/entity.h"
#include "entity/pack.h"
#include "kind_lab.h"
#include "store/store.h"

enum {
	USERS = 100, ASKED = 300, OTHERS = 200,
	LARGE = 2000, LARGE_DOCUMENTS = 500,	/* in the project that is measured */
};

static struct db *db;
static struct entity_packs *packs;	/* NULL: nothing is kept */
static struct caller by;
static struct uuid project;

static int by_size(const void *x, const void *y)
{
	double d = *(const double *)x - *(const double *)y;

	return d < 0 ? -1 : d > 0;
}

static const char *hex(const struct uuid *id)
{
	static char text[4][33];
	static unsigned at;
	char *out = text[at++ % 4];

	for (size_t i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", id->b[i]);
	return out;
}

/* -- rows ------------------------------------------------------------------------------ */

#define KIND_OF_ALL "ELT(1 + seq %% 7, 'document', 'task', 'goal', 'plan', 'milestone'," \
	" 'risk', 'requirement')"
#define KIND_OF_LARGE "ELT(1 + seq %% 6, 'task', 'goal', 'plan', 'milestone', 'risk'," \
	" 'requirement')"

static void make_projects(size_t n)
{
	dbtest_sql("INSERT INTO project (id, tenant_id, user_id, version, created_us,"
		   " updated_us, holder_id, sort_key, name, description, type_key,"
		   " state_key, tier) SELECT UNHEX(MD5(CONCAT('p', seq))), 'default', u, 0, seq, seq,"
		   " u, CONCAT('project ', seq), CONCAT('Project ', seq),"
		   " REPEAT('What it is for. ', 10), 'general', 'active', 'private'"
		   " FROM (SELECT seq, IF(seq %% %d = 1, UNHEX('%s'),"
		   " UNHEX(MD5(CONCAT('u', seq %% %d)))) AS u FROM seq_1_to_%zu) s",
		   USERS, hex(&by.owner.user_id), USERS, n);
	dbtest_sql("INSERT INTO project_reader (tenant_id, reader_id, sort_key, row_id, role)"
		   " SELECT tenant_id, holder_id, sort_key, id, 3 FROM project");
}

/*
 * What is in the projects: each other entity in one of all of them, the last ones in the
 * first, which is measured. In one statement on an empty table that checks no keys, InnoDB
 * sorts what belongs into its keys instead of looking for the place of each row.
 */
static void make_entities(size_t n, size_t projects)
{
	dbtest_sql("SET GLOBAL unique_checks = 0, GLOBAL foreign_key_checks = 0");
	dbtest_sql("INSERT INTO entity (id, tenant_id, user_id, version, created_us,"
		   " updated_us, parent_id, top_id, kind, title, description, type_key,"
		   " state_key, due_date, content_length, content_bytes)"
		   " SELECT UNHEX(MD5(CONCAT('e', s.seq))), 'default', p.user_id, 0, s.seq, s.seq,"
		   " p.id, p.id, s.kind, CONCAT('Something to be done, number ', s.seq),"
		   " 'What is to be done, by whom, and why it matters to the others.', 'general',"
		   " ELT(1 + s.seq %% 3, 'todo', 'in_progress', 'done'), DATE '2027-01-01' +"
		   " INTERVAL s.seq %% 300 DAY, IF(s.kind = 'document', 2000, NULL),"
		   " IF(s.kind = 'document', 2000, NULL) FROM (SELECT seq, IF(seq <= %zu, "
		   KIND_OF_ALL ", IF(seq <= %zu, 'document', " KIND_OF_LARGE ")) AS kind,"
		   " UNHEX(MD5(CONCAT('p', IF(seq <= %zu, 1 + (seq * 7919) %% %zu, 1)))) AS top"
		   " FROM seq_1_to_%zu) s STRAIGHT_JOIN project p ON p.id = s.top",
		   n, n + LARGE_DOCUMENTS, n, projects, n + LARGE + LARGE_DOCUMENTS);
	dbtest_sql("SET GLOBAL unique_checks = 1, GLOBAL foreign_key_checks = 1");
}

static void make_rows(size_t entities, size_t projects)
{
	int64_t began_ms = clock_mono_ms();

	make_projects(projects);
	make_entities(entities, projects);
	dbtest_sql("INSERT INTO entity_content (row_id, top_id, text) SELECT id, top_id,"
		   " REPEAT('A sentence of its text. ', 83) FROM entity WHERE parent_id ="
		   " UNHEX(MD5('p1')) AND kind = 'document'");
	dbtest_sql("INSERT INTO entity_edge (id, tenant_id, user_id, version, created_us,"
		   " updated_us, parent_id, top_id, from_id, to_id, relation)"
		   " SELECT UNHEX(MD5(CONCAT('g', HEX(id)))), 'default', user_id, 0, 1, 1, parent_id,"
		   " top_id, id, UNHEX(MD5(CONCAT('e', %zu + 1))), 'relates_to' FROM entity"
		   " WHERE parent_id = UNHEX(MD5('p1')) AND kind = 'task' LIMIT 200", entities);
	dbtest_sql("ANALYZE TABLE project, project_reader, entity, entity_edge");
	printf("rows made, s\t%.0f\n", (double)(clock_mono_ms() - began_ms) / 1000);
	printf("rows of entity\t%lld\n", (long long)dbtest_sql("SELECT COUNT(*) FROM entity"));
	printf("entity and its keys, MB\t%lld\n", (long long)dbtest_sql(
		"SELECT (data_length + index_length) DIV 1000000 FROM information_schema.tables"
		" WHERE table_schema = DATABASE() AND table_name = 'entity'"));
}

/* -- time ------------------------------------------------------------------------------ */

static struct uuid md5_id(const char *name)
{
	struct uuid id;

	assert_true(uuid_parse(str_of(dbtest_text(
		"SELECT LOWER(CONCAT_WS('-', SUBSTR(m, 1, 8), SUBSTR(m, 9, 4), SUBSTR(m, 13, 4),"
		" SUBSTR(m, 17, 4), SUBSTR(m, 21))) FROM (SELECT MD5('%s') AS m) x", name)), &id));
	return id;
}

static void read_pack(const struct uuid *of, const struct uuid *focus,
		      struct entity_pack *out)
{
	ok(entity_pack(&by, packs, of, focus, out, &e));
	assert_true(out->there);
}

static void measure(const char *what, const struct uuid *of, const struct uuid *focus)
{
	static double v[ASKED];
	struct arena *kept = by.arena;
	struct db_stats before, after;
	size_t bytes = 0;

	for (size_t i = 0; i < ASKED; i++) {
		struct arena mine = ARENA_INIT;
		struct entity_pack pack;
		int64_t began_us;

		by.arena = &mine;
		if (i == 1)
			db_stats(db, &before);
		began_us = clock_mono_us();
		read_pack(of, focus, &pack);
		v[i] = (double)(clock_mono_us() - began_us) / 1000;
		bytes = pack.text.n;
		arena_release(&mine);
	}
	db_stats(db, &after);
	by.arena = kept;
	printf("%s, first, ms\t%.2f\n", what, v[0]);
	qsort(v, ASKED, sizeof(*v), by_size);
	printf("%s, 5 %%, median and 95 %%, ms\t%.2f\t%.2f\t%.2f\n", what,
	       v[ASKED / 20], v[ASKED / 2], v[ASKED * 95 / 100]);
	printf("%s, round trips\t%.2f\n", what, (double)(after.round_trips -
	       before.round_trips) / (ASKED - 1));
	printf("%s, tokens at 4 bytes\t%zu\n", what, bytes / 4);
}

/* The first look at each of many others. */
static void measure_others(size_t projects)
{
	static double v[OTHERS];
	struct arena *kept = by.arena;
	size_t n = MIN((size_t)OTHERS, projects / USERS - 1);

	for (size_t i = 0; i < n; i++) {
		struct arena mine = ARENA_INIT;
		struct entity_pack pack;
		struct uuid id;
		int64_t began_us;
		char name[32];

		snprintf(name, sizeof(name), "p%zu", 1 + (i + 1) * USERS);
		id = md5_id(name);
		by.arena = &mine;
		began_us = clock_mono_us();
		read_pack(&id, NULL, &pack);
		v[i] = (double)(clock_mono_us() - began_us) / 1000;
		arena_release(&mine);
	}
	by.arena = kept;
	qsort(v, n, sizeof(*v), by_size);
	printf("other projects, each once, median and 95 %%, ms\t%.2f\t%.2f\n", v[n / 2],
	       v[n * 95 / 100]);
}

/* -- size: the same facts in other ways (D61) ------------------------------------------- */

/* The bytes of a list as its tool answers it, and of its first n records, each whole. */
static void weigh(enum resource_id of, size_t n, size_t *listed, size_t *whole)
{
	const struct resource *r = &resources[of];
	struct resource_answer *out = arena_new(by.arena, struct resource_answer);
	struct resource_answer *one = arena_new(by.arena, struct resource_answer);
	char parent[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];
	struct resource_call c = {
		.r = r, .verb = VERB_LIST, .parent = str_of(uuid_format(&project, parent)),
		.query = { .size = n },
	};
	struct buf b = BUF_INIT(1 << 26);
	struct jw w = jw_on(&b);

	ok(resource_call(&by, &c, out, &e));
	resource_answer_write(&w, &by, r, out);
	*listed += b.n;
	for (size_t i = 0; i < out->n; i++) {
		c = (struct resource_call){
			.r = r, .verb = VERB_GET, .parent = c.parent,
			.id = str_of(uuid_format(&out->items[i].row->id, id)),
		};
		b.n = 0;
		w = jw_on(&b);
		ok(resource_call(&by, &c, one, &e));
		resource_answer_write(&w, &by, r, one);
		*whole += b.n;
	}
	buf_release(&b);
}

static void measure_size(void)
{
	static const struct {
		enum resource_id of;
		size_t told;		/* as many as a pack tells of */
	} lists[] = {
		{ RESOURCE_PROJECT_DOCUMENT, 40 }, { RESOURCE_PROJECT_TASK, 40 },
		{ RESOURCE_PROJECT_GOAL, 15 }, { RESOURCE_PROJECT_PLAN, 15 },
		{ RESOURCE_PROJECT_MILESTONE, 15 }, { RESOURCE_PROJECT_RISK, 15 },
		{ RESOURCE_PROJECT_REQUIREMENT, 15 },
	};
	size_t listed = 0, whole = 0;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		weigh(lists[i].of, lists[i].told, &listed, &whole);
	printf("the same facts as full records, tokens at 4 bytes\t%zu\n", whole / 4);
	printf("the same facts by %zu calls of list tools, tokens at 4 bytes\t%zu\n",
	       ARRAY_LEN(lists), listed / 4);
}

int main(int argc, char **argv)
{
	const size_t entities = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
	const size_t projects = argc > 2 ? strtoul(argv[2], NULL, 10) : 50000;
	struct arena mine = ARENA_INIT;
	struct uuid focus;

	setvbuf(stdout, NULL, _IOLBF, 0);
	unit_need_database(argv);
	ok(dbtest_open(NULL));
	db = store_open(dbtest_schema("t_bench", 4), &e);
	if (!db)
		fail_msg("%s", e.text);
	ok(kind_lab_up(NULL));
	kind_lab_conf("log: {level: error}\n", "{}\n");
	by = lab_caller(kind_lab.conf, "u", "u", "", &mine);
	by.db = db;
	make_rows(entities, projects);
	project = md5_id("p1");
	focus = md5_id(dbtest_text("SELECT CONCAT('e', %zu + 1)", entities));
	measure("a project of 2,500", &project, NULL);
	measure("with a document in focus", &project, &focus);
	packs = entity_packs_new();
	measure("a project of 2,500, kept", &project, NULL);
	measure("with a document in focus, kept", &project, &focus);
	entity_packs_free(packs);
	packs = NULL;
	measure("without a project", NULL, NULL);
	measure_others(projects);
	measure_size();
	arena_release(&mine);
	return kind_lab_down(NULL);
}
