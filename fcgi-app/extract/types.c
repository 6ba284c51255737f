/* SPDX-License-Identifier: MIT */
/* The supported types. To add one, add a row here and a file with its functions. */
#include "extract/extract.h"

#include "extract/calendar.h"
#include "extract/page.h"
#include "extract/web.h"

#include "base/banned.h"

static const struct extract_type types[] = {
	{ .name = "html", .prepare = extract_page_prepare, .extract = extract_page_read },
	{ .name = "calendar", .prepare = extract_calendar_prepare,
	  .extract = extract_calendar_read },
	{ .name = "web", .prepare = extract_page_prepare, .extract = extract_web_read },
};

const struct extract_type *extract_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}
