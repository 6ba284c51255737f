/* SPDX-License-Identifier: MIT */
/*
 * Shares of conversations as a resource: who may read one, from when on, and how much of
 * it. What they read is in store/shared.h.
 */
#include "resource/call.h"
#include "store/conversation.h"
#include "store/stmt.h"

#include "base/banned.h"

static struct str text_of(const struct resource_change *k, size_t column)
{
	return resource_text(&k->row, column);
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
	*reader = group.p ? resource_of_group(by->owner.tenant_id, group)
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

static int check_reader(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct str login = text_of(k, COLUMN(CONVERSATION_SHARE, member_id));
	struct str group = text_of(k, COLUMN(CONVERSATION_SHARE, group_name));
	struct uuid reader;

	(void)r;
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

const struct resource_hooks conversation_share_hooks = {
	.prepare = set_reader, .check = check_reader,
};
