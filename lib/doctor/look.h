/* SPDX-License-Identifier: MIT */
/* The parts of doctor_look. */
#ifndef DOCTOR_LOOK_H
#define DOCTOR_LOOK_H

#include "base/err.h"
#include "doctor/doctor.h"

/* What the log would say. */
const char *doctor_log_text(const struct err *e);

/* How many answers may stay open, and whether the web server has that much. */
void doctor_look_places(struct doctor *d, const struct doctor_inside *in);

/* Whether others can read or change the configuration. */
void doctor_look_files(struct doctor *d, const struct doctor_inside *in);

/* Whether files can be stored, and by us alone. */
void doctor_look_store(struct doctor *d, const struct doctor_inside *in);

/* Whether a source of a knowledge base can be read, in at most 5 s. */
struct conf_intake;
void doctor_look_source(struct doctor *d, const struct doctor_inside *in,
			const struct conf_intake *s);

#endif
