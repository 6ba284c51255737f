/* SPDX-License-Identifier: MIT */
/* Secrets of the configuration are never shown: not in results, not in logs. */
#ifndef TOOL_SECRET_H
#define TOOL_SECRET_H

#include "base/buf.h"
#include "base/str.h"

enum { SECRET_LEAST_BYTES = 6 };	/* shorter ones are no secrets */

/* Replaces every occurrence of secret in b by ***. */
void secret_mask(struct buf *b, struct str secret);

#endif
