/* SPDX-License-Identifier: MIT */
/* The owner of rows: every statement on user data binds both members. */
#ifndef AUTH_OWNER_H
#define AUTH_OWNER_H

#include "base/str.h"
#include "base/uuid.h"

/* Tenant and user. Borrows the text. */
struct owner {
	struct str tenant_id;	/* slug */
	struct uuid user_id;	/* uuid_of_name(tenant, login) */
};

#endif
