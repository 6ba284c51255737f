/* SPDX-License-Identifier: MIT */
/* The origin of a text. */
#ifndef CONTEXT_TEXT_ORIGIN_H
#define CONTEXT_TEXT_ORIGIN_H

#include <stdbool.h>

#include "base/str.h"

struct context;

/*
 * Whether the user said text, or a tool returned it before the model wrote it
 * (text_origin.c). Of an agent within a call, the messages around it count, too.
 */
bool context_from_others(const struct context *cx, struct str text);

#endif
