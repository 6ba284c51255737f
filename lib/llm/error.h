/* SPDX-License-Identifier: MIT */
/*
 * The meaning of a provider's failure: one classification for statuses, error
 * bodies and errors inside a stream (P-A3, P-A8 to P-A12), and the possible remedies.
 */
#ifndef LLM_ERROR_H
#define LLM_ERROR_H

#include "llm/llm.h"

/* Changes to a request that a refusal asks for; each is tried once. */
enum {
	REPAIR_MAX_TOKENS = 1,	/* the other name of max_tokens (P-E1) */
	REPAIR_STRIP = 2,	/* without signatures and opaque members (P-B12) */
	REPAIR_SAMPLING = 4,	/* without temperature and top_p (P-E2) */
	REPAIR_SYSTEM_ROLE = 8,	/* system text in the first user message (P-E6) */
	REPAIR_STREAM_OPTIONS = 16,	/* without stream_options (P-E7) */
	REPAIR_TOP_P = 32,	/* without top_p: not both of them */
	REPAIR_OUTPUT = 64,	/* without a limit of the output */
	REPAIR_ROLES = 128,	/* earlier calls and results as text */
	REPAIR_TOOLS = 256,	/* the same, and without tools */
	REPAIR_SHORT_TOOLS = 512,	/* 128 tools with 1,024 characters each */
	REPAIR_TOOL_CHOICE = 1024,	/* without tools instead of tool_choice */
	REPAIR_PARALLEL = 2048,	/* without parallel_tool_calls */
	REPAIR_EFFORT = 4096,	/* without reasoning_effort and thinking */
	REPAIR_FORMAT = 8192,	/* typed output asked for in the prompt */
	REPAIR_REASONING = 16384,	/* with reasoning in each answer */
	REPAIR_WISHES = 32768,	/* without seed and penalties */
	REPAIR_MOST_TOOLS = 65536,	/* times n, below 1024: no more than n tools */
	REPAIR_BITS = 26,
};

struct llm_fault {
	enum err_code code;
	bool retry;		/* the same request may succeed soon */
	bool once;		/* … but one retry is enough (P-B18) */
	unsigned repair;	/* REPAIR_* that may help */
	struct {		/* of a refusal, for llm_fewer_tools */
		uint16_t n[8];	/* numbers in it that may be a number of tools */
		uint8_t n_n;
		bool tools;	/* it is about tools */
	} counts;
	int64_t retry_after_ms;	/* as the server said; -1 = nothing */
};

/* An answer that is not 2xx. Values may be empty. Sets *f and e. */
struct llm_answer {
	int status;
	struct str retry_after, retry_after_ms, should_retry;
	struct str body;
	int64_t tokens;		/* of the request, estimated; 0: not known */
};
void llm_fault_of_answer(const struct llm_answer *a, struct llm_fault *f,
			 struct err *e);

/*
 * An error object inside a 200 answer, in any shape; tokens as above. Sets *f and e.
 */
void llm_fault_of_json(const json_t *j, int64_t tokens, struct llm_fault *f,
		       struct err *e);

/*
 * With how many tools a request that was refused with n of them may be accepted, by the
 * numbers of the refusal, whatever its words: the largest one below n, if it is about
 * tools or names n as well. 0: it is not refused for that.
 */
unsigned llm_fewer_tools(const struct llm_fault *f, size_t n);

/* Whether j, a payload of a stream named name, is an error (P-A3). */
bool llm_is_error(struct str name, const json_t *j);

/*
 * Milliseconds from a Retry-After value: seconds or an HTTP date, which is
 * compared with now_us (wall clock). -1 = neither.
 */
int64_t llm_retry_after_ms(struct str value, int64_t now_us);

/*
 * Milliseconds until retry number n (from 0): the server's value if it is at most
 * a minute, plus up to an eighth, because many clients may have got the same value
 * (P-A8); else half a second, doubling up to eight seconds, minus up to a quarter.
 * random determines these parts.
 */
int llm_backoff_ms(const struct llm_fault *f, int n, uint8_t random);

#endif
