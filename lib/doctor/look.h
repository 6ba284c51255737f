/* SPDX-License-Identifier: MIT */
/* The parts of doctor_look. */
#ifndef DOCTOR_LOOK_H
#define DOCTOR_LOOK_H

#include "base/err.h"
#include "doctor/doctor.h"

/* Whether others can read or change the configuration. */
void doctor_look_files(struct doctor *d, const struct doctor_inside *in);

#endif
