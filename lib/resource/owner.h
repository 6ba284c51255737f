/* Whose data: every statement on it carries both. */
#ifndef RESOURCE_OWNER_H
#define RESOURCE_OWNER_H

#include "base/str.h"
#include "base/uuid.h"

/* The outermost scope and the person. Borrowed text. */
struct owner {
	struct str tenant_id;	/* slug */
	struct uuid user_id;	/* uuid_of_name(tenant, login) */
};

#endif
