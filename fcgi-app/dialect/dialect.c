/* SPDX-License-Identifier: MIT */
#include "dialect/dialect.h"

#include "base/banned.h"

static const struct dialect *const dialects[] = {
	[DIALECT_NATIVE] = &dialect_native,
	[DIALECT_V2] = &dialect_v2,
	[DIALECT_FORGE] = &dialect_forge,
	[DIALECT_AI_SDK] = &dialect_ai_sdk,
	[DIALECT_AG_UI] = &dialect_ag_ui,
	[DIALECT_OPENAI] = &dialect_openai,
};
_Static_assert(ARRAY_LEN(dialects) == DIALECT__MAX, "a dialect without a row");

#define IS(n) { .name = n }
#define OWN(n) { .name = n, .own = true }
#define FRAMES(n, all) { .name = n, .own = true, .frames = all }
#define NOT(why) { .left_out = why }
#define WIRE(...) { __VA_ARGS__ }

/* One decision for each dialect; a test finds a row that has fewer. */
const struct dialect_row dialect_rows[TURN_EV__MAX][DIALECT__MAX] = {
#define EVENT(n, letter, flags, when, fields, wire) [TURN_EV_##n] = wire,
#include "event/event.def"
};

const struct dialect *dialect_get(enum dialect_id id)
{
	return dialects[id];
}

struct dialect_state dialect_open(enum dialect_id id, enum record_style style,
				  const void *asked, struct arena *a)
{
	size_t n = dialects[id]->own_bytes;

	return (struct dialect_state){
		.style = style, .asked = asked,
		.retry_due = dialects[id]->retries,
		.own = n ? arena_zalloc(a, 1, n) : NULL, .arena = a,
	};
}

enum dialect_id dialect_find(struct str name)
{
	size_t i = 0;

	while (i < DIALECT__MAX && !str_is(name, dialects[i]->name))
		i++;
	return (enum dialect_id)i;
}

void dialect_names(struct buf *out)
{
	for (size_t i = 0; i < DIALECT__MAX; i++)
		buf_addf(out, "%s%s", i ? ", " : "", dialects[i]->name);
}

static void print_fields(struct buf *out, const struct turn_event_field *f)
{
	for (size_t i = 0; f[i].key; i++)
		buf_addf(out, "%s%s%s", i ? " " : "", f[i].key,
			 f[i].kind == TURN_FIELD_TEXT_IF_ANY ||
			 f[i].kind == TURN_FIELD_TEXT_OR_NONE ? "?" : "");
}

void dialect_print_events(struct buf *out)
{
	for (int t = 0; t < TURN_EV__MAX; t++) {
		const struct turn_event_row *ev = &event_table[t];

		buf_addf(out, "%s\t%s%s%s\t", ev->name,
			 ev->letter ? "stored" : "not stored",
			 ev->coalesced ? ", coalesced" : "",
			 ev->urgent ? ", urgent" : "");
		print_fields(out, ev->fields);
		for (int d = 0; d < DIALECT__MAX; d++) {
			const char *name = dialect_rows[t][d].name;

			buf_addf(out, "\t%s", name ? name : "-");
		}
		buf_addf(out, "\t%s\n", ev->when);
	}
}

void dialect_print_table(struct buf *out)
{
	buf_adds(out, "| event |");
	for (int d = 0; d < DIALECT__MAX; d++)
		buf_addf(out, " %s |", dialects[d]->name);
	buf_adds(out, "\n|---|");
	for (int d = 0; d < DIALECT__MAX; d++)
		buf_adds(out, "---|");
	for (int t = 0; t < TURN_EV__MAX; t++) {
		buf_addf(out, "\n| %s |", event_table[t].when);
		for (int d = 0; d < DIALECT__MAX; d++) {
			const struct dialect_row *row = &dialect_rows[t][d];

			if (row->frames)
				buf_addf(out, " %s |", row->frames);
			else if (row->name)
				buf_addf(out, " %s`%s` |", !row->own &&
					 dialects[d]->any_is ?
					 dialects[d]->any_is : "", row->name);
			else
				buf_adds(out, " |");
		}
	}
	buf_addc(out, '\n');
}

void dialect_print_schemas(struct buf *out)
{
	const char *comma = "";

	buf_adds(out, "    NativeEvent: {enum: [");
	for (int t = 0; t < TURN_EV__MAX; t++) {
		const char *name = dialect_rows[t][DIALECT_NATIVE].name;

		if (!name)
			continue;
		buf_addf(out, "%s%s", comma, name);
		comma = ", ";
	}
	buf_adds(out, "]}\n");
}
