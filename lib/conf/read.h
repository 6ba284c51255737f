/* SPDX-License-Identifier: MIT */
/* Reading one generation with its sources, for read.c and live.c only. */
#ifndef CONF_READ_H
#define CONF_READ_H

#include "conf/conf.h"
#include "conf/source.h"

/*
 * As conf_load_report, and leaves in src what was read, also after a failure.
 * src needs no initialisation and is released by the caller.
 */
struct conf *conf_read(const char *main_file, struct conf_sources *src,
		       struct buf *report, struct err *e) MUST_CHECK;

#endif
