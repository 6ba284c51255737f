/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#include <stdio.h>
#include <stdlib.h>

#include "config.h"

#include "base/stamp.h"

#include "base/banned.h"

const char version_name[] = PACKAGE_VERSION;

int version_schema(void)
{
	return (int)strtol(LAMPLIGHTER_SCHEMA, NULL, 10);
}

void version_print(void)
{
	printf("lamplighter %s\ncommit %s\nschema %s\n", version_name,
	       *LAMPLIGHTER_COMMIT ? LAMPLIGHTER_COMMIT : "unknown",
	       LAMPLIGHTER_SCHEMA);
}
