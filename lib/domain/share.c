/* SPDX-License-Identifier: MIT */
/*
 * Shares of conversations as a resource: who may read one, from when on, and how much of
 * it. What they read is in store/shared.h. A link (public_link.h) is read by nobody who is
 * signed in: its reader is an id of its own, as which those read who have the link.
 */
#include "base/clock.h"
#include "base/log.h"
#include "domain/public_link.h"
#include "resource/call.h"
#include "store/conversation.h"
#include "store/stmt.h"

#include "base/banned.h"

#define MINUTE_US 60000000LL
#define DAY_US (1440 * MINUTE_US)

static struct str text_of(const struct resource_change *k, size_t column)
{
	return resource_text(&k->row, column);
}

static bool is_link(const struct resource_row *row)
{
	return str_is(resource_text(row, COLUMN(CONVERSATION_SHARE, kind)), "link");
}

/* What is not chosen is off. */
static const size_t choices[] = {
	COLUMN(CONVERSATION_SHARE, live), COLUMN(CONVERSATION_SHARE, tools),
	COLUMN(CONVERSATION_SHARE, files),
};

static int set_reader(const struct caller *by, const struct resource *r,
		      struct resource_change *k, struct err *e)
{
	struct str login = text_of(k, COLUMN(CONVERSATION_SHARE, member_id));
	struct str group = text_of(k, COLUMN(CONVERSATION_SHARE, group_name));
	struct uuid *reader = arena_new(by->arena, struct uuid);
	struct db_val *v = k->row.v;
	struct conversation c;
	struct uuid id;

	(void)r;
	memcpy(id.b, v[COLUMN(CONVERSATION_SHARE, conversation_id)].s.p, sizeof(id.b));
	if (conversation_get(by->db, &by->owner, &id, by->arena, &c, e) < 0)
		return -1;
	*reader = is_link(&k->row) ? uuid_new()
		: group.p ? resource_of_group(by->owner.tenant_id, group)
		: uuid_of_name(by->owner.tenant_id, login);
	v[COLUMN(CONVERSATION_SHARE, reader_id)] = DB_U(reader);
	for (size_t i = 0; i < ARRAY_LEN(choices); i++)
		if (v[choices[i]].null || v[choices[i]].type != 'i')
			v[choices[i]] = DB_I(0);
	v[COLUMN(CONVERSATION_SHARE, upto_seq)] =
		DB_I_IF(!v[COLUMN(CONVERSATION_SHARE, live)].i, c.last_seq);
	return 0;
}

static bool is_member(const struct caller *by, struct str group)
{
	for (size_t i = 0; i < by->who->n_groups; i++)
		if (str_eq(by->who->groups[i], group))
			return true;
	return false;
}

/* An end that is to come, and as near as the tenant wants it; asked when it is changed. */
static int check_end(const struct caller *by, const struct resource_change *k,
		     struct err *e)
{
	const size_t at = COLUMN(CONVERSATION_SHARE, expires_us);
	const struct db_val *end = &k->row.v[at];
	const int64_t now_us = clock_now_us();
	int64_t days;

	if (k->now && resource_same(end, &k->now->v[at]))
		return 0;
	if (public_link_days(by->conf, by->db, by->arena, &days, e) < 0)
		return -1;
	if (!days)
		return err_field(e, ERR_INVALID_FIELD, "kind", "Links that need no sign-on "
				 "are switched off here.");
	/* A minute for clocks that differ. */
	if (end->null || end->i <= now_us || end->i > now_us + days * DAY_US + MINUTE_US)
		return err_field(e, ERR_INVALID_FIELD, "expiresAt", "A link needs an end, "
				 "at most %lld days from now.", (long long)days);
	return 0;
}

static int check_reader(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct str login = text_of(k, COLUMN(CONVERSATION_SHARE, member_id));
	struct str group = text_of(k, COLUMN(CONVERSATION_SHARE, group_name));
	struct uuid reader;

	(void)r;
	if (is_link(&k->row))
		return login.p || group.p
			? err_field(e, ERR_INVALID_FIELD, login.p ? "user" : "group",
				    "A link is for everyone who has it.")
			: check_end(by, k, e);
	if (k->now)
		return 0;
	if (!login.p == !group.p)
		return err_field(e, ERR_INVALID_FIELD, "user", "Share it with a user or a "
				 "group: give one of them.");
	if (group.p)
		return is_member(by, group) ? 0
			: err_field(e, ERR_INVALID_FIELD, "group",
				    "group must be one of your groups.");
	reader = uuid_of_name(by->owner.tenant_id, login);
	return uuid_eq(&reader, &by->owner.user_id)
		? err_field(e, ERR_INVALID_FIELD, "user", "It is yours.") : 0;
}

/* "link", for its owner. */
static void write_link(struct jw *w, const struct caller *by,
		       const struct resource_change *k, const struct resource_item *item)
{
	struct err e = ERR_INIT;
	char text[PUBLIC_LINK_BYTES];

	(void)k;
	jw_key(w, "link");
	if (!is_link(item->row)) {
		jw_null(w);
	} else if (public_link_text(by->db, by->owner.tenant_id, &item->row->id, text,
				   &e) < 0) {
		log_err("the link of a share", &e);
		jw_null(w);
	} else {
		jw_str(w, str_of(arena_printf(by->arena, "plain/links/%s", text)));
	}
}

const struct resource_hooks conversation_share_hooks = {
	.prepare = set_reader, .check = check_reader, .write = write_link,
};
