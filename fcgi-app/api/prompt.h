/* Prompts to choose from, as a resource: what is odd about them. */
#ifndef API_PROMPT_H
#define API_PROMPT_H

#include "api/resource.h"

/* The rows of resource.c's table. */
extern const struct resource_odd api_prompt_odd;
extern const struct resource_odd api_prompt_category_odd;

#endif
