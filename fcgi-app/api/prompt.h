/* SPDX-License-Identifier: MIT */
/* Prompts to choose from, as a resource: their special handling. */
#ifndef API_PROMPT_H
#define API_PROMPT_H

#include "api/resource.h"

/* Entries of resource.c's table. */
extern const struct resource_odd api_prompt_odd;
extern const struct resource_odd api_prompt_category_odd;

#endif
