/* SPDX-License-Identifier: MIT */
/*
 * See confine.h. Three lines of defence: the limits that the parent set
 * (lib/file/extract.c), limits here that forbid new descriptors, and the filter.
 * The second one works without seccomp: no file, socket or pipe can be opened
 * without a free descriptor.
 */
#include "extract/confine.h"

#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/banned.h"

/*
 * Calls that are allowed with any arguments; executable memory and signals are
 * handled below.
 */
static const int plain[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(futex),
	SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(close),
};

/* Further calls of sanitizer runtimes. */
static const int of_sanitizers[] = {
	SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield), SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(getrusage), SCMP_SYS(prctl),
	SCMP_SYS(sched_getaffinity),
};

static int allow(scmp_filter_ctx f, const int *calls, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, calls[i], 0);
	return rc;
}

/* Returns 0 or a negative errno. */
static int fill(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp not_run = {
		.arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = PROT_EXEC,
		.datum_b = 0,
	};
	const struct scmp_arg_cmp self = {
		.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid(),
	};
	int rc = allow(f, plain, ARRAY_LEN(plain));

	if (rc == 0 && SANITIZED)
		rc = allow(f, of_sanitizers, ARRAY_LEN(of_sanitizers));
	if (rc == 0)
		rc = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap),
					    1, &not_run);
	if (rc == 0)
		rc = seccomp_rule_add_array(f, SCMP_ACT_ALLOW,
					    SCMP_SYS(mprotect), 1, &not_run);
	/* abort() sends the process a signal. */
	if (rc == 0)
		rc = seccomp_rule_add_array(f, SCMP_ACT_ALLOW,
					    SCMP_SYS(tgkill), 1, &self);
	return rc;
}

static int filter(bool quiet)
{
	scmp_filter_ctx f = seccomp_init(quiet ? SCMP_ACT_ERRNO(EPERM)
					 : SCMP_ACT_KILL_PROCESS);
	int rc;

	if (!f)
		return -ENOMEM;
	rc = fill(f);
	if (rc == 0)
		rc = seccomp_load(f);
	seccomp_release(f);
	return rc;
}

void confine_limits(void)
{
	static const struct rlimit none = { 0, 0 };

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)setrlimit(RLIMIT_NOFILE, &none);
	(void)setrlimit(RLIMIT_NPROC, &none);
	(void)setrlimit(RLIMIT_FSIZE, &none);
	(void)setrlimit(RLIMIT_CORE, &none);
}

int confine(bool quiet, struct buf *why)
{
	int rc;

	confine_limits();
	rc = filter(quiet);
	if (rc < 0)
		buf_addf(why, "seccomp: %s", strerrordesc_np(-rc));
	return rc < 0 ? -1 : 0;
}
