/* SPDX-License-Identifier: MIT */
/* What is stored of a user, as one JSON. */
#ifndef STORE_EXPORT_H
#define STORE_EXPORT_H

#include "resource/export.h"

/*
 * Writes an object with the settings of the user, their conversations with all messages,
 * and what resource_export writes. login: of owner's user. Needs constant memory, like that
 * one. Database errors, and those of flush.
 */
int store_export(struct db *db, const struct owner *owner, struct str login, struct jw *w,
		 resource_flush *flush, void *ctx, struct err *e) MUST_CHECK;

#endif
