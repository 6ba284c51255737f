/* SPDX-License-Identifier: MIT */
/*
 * How many answers may stay open at the web server (places.h), compared with what
 * the web server's files say, where they are in the usual place and readable.
 */
#include "doctor/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/banned.h"

#define LINE_BYTES 1024

/* Of Debian's Apache, one of which is there; of Red Hat's; of Alpine's. */
static const char *const apache_files[] = {
	"/etc/apache2/mods-enabled/mpm_event.conf",
	"/etc/apache2/mods-enabled/mpm_worker.conf",
	"/etc/apache2/mods-enabled/mpm_prefork.conf",
	"/etc/httpd/conf.modules.d/00-mpm.conf",
	"/etc/apache2/conf.d/mpm.conf",
};

/* The last MaxRequestWorkers of a file of Apache; 0: none, or not readable. */
static int doctor_file_workers(const char *file)
{
	static const char name[] = "MaxRequestWorkers";
	FILE *f = fopen(file, "re");
	char line[LINE_BYTES];
	int workers = 0;

	while (f && fgets(line, sizeof(line), f)) {
		const char *p = line + strspn(line, " \t");

		if (!strncasecmp(p, name, sizeof(name) - 1))
			workers = (int)strtol(p + sizeof(name) - 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return MAX(workers, 0);
}

/* A file that allows less than what is counted on. */
static void compare(struct doctor *d, int workers)
{
	for (size_t i = 0; i < ARRAY_LEN(apache_files); i++) {
		int theirs = doctor_file_workers(apache_files[i]);

		if (!theirs || theirs >= workers)
			continue;
		doctor_add(d, DOCTOR_PLACES, DOCTOR_WARNING, apache_files[i],
			   arena_printf(d->arena, "server: {workers: %d}"
					"   # in lamplighter.yaml", theirs),
			   "MaxRequestWorkers is %d, but %d requests at the same "
			   "time are counted on: open answers may stop the whole "
			   "web server.", theirs, workers);
		return;
	}
}

void doctor_look_places(struct doctor *d, const struct doctor_inside *in)
{
	int set = d->conf->server.workers;
	int workers = in->places.workers;
	const char *of = set ? "server.workers" : "what it has if it is not configured; "
		"server.workers is not set";

	if (!in->places.answers)
		return;
	if (d->web == WEB_APACHE_PROXY || d->web == WEB_APACHE_FCGID ||
	    d->web == WEB_APACHE_CGI)
		compare(d, workers);
	if (in->places.refused)
		doctor_add(d, DOCTOR_PLACES, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_WORKERS),
			   "%lld requests found no place for an open answer since "
			   "this process started, and their clients polled. %d "
			   "notification streams and %d answers may stay open, of "
			   "%d requests at the same time (%s).",
			   (long long)in->places.refused, in->places.notifications,
			   in->places.answers, workers, of);
	else
		doctor_add(d, DOCTOR_PLACES, DOCTOR_OK, "", "",
			   "At most %d notification streams and %d answers stay "
			   "open, of %d requests at the same time (%s).",
			   in->places.notifications, in->places.answers, workers,
			   of);
}
