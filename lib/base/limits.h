/*
 * Every cap on a size that comes from outside, in one place. Those that an
 * admin may change are options too (lib/conf/option.def) with these as their
 * defaults or bounds.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define LIM_URI_BYTES        8192	/* request target */
#define LIM_PARAMS           256	/* FastCGI parameters of one request */
#define LIM_PARAMS_BYTES     65536	/* their total size */
#define LIM_BODY_BYTES       1048576	/* JSON request body, default */
#define LIM_BODY_DRAIN_BYTES 4194304	/* of a body that nobody wants */
#define LIM_JSON_DEPTH       64		/* nesting of inbound JSON */
#define LIM_JSON_VALUES      500000	/* in one inbound document */
#define LIM_MESSAGE_CHARS    100000	/* one user message */
#define LIM_TITLE_CHARS      200
#define LIM_SLUG_BYTES       64		/* workspace, agent, dataset ids */
#define LIM_NAME_BYTES       200	/* of a client's own name in a path */
#define LIM_USER_BYTES       190	/* login name */
#define LIM_GROUPS           256	/* groups of one caller */
#define LIM_GROUP_BYTES      190	/* name of a group that a command is given */
#define LIM_MODEL_CHARS      190	/* name of a model that is stored, cut */
#define LIM_PAGE_DEFAULT     30
#define LIM_PAGE_MAX         100
#define LIM_COUNTED          1000	/* rows for a totalCount; beyond it is null */
#define LIM_LOOKED_AT        5000	/* rows that a page of a search looks at */
#define LIM_CURSOR_BYTES     512
#define LIM_KEY_BYTES        255	/* Idempotency-Key */
#define LIM_TOKENS           100	/* API tokens of one user, those that ended too */
#define LIM_TOKEN_GROUPS_BYTES 65535	/* JSON of the groups of a token */
#define LIM_FEEDS            32		/* turns that one stream of notices follows */
#define LIM_PAGE_BYTES       4194304	/* texts of a page of a list; one item may be more */
#define LIM_HISTORY_BYTES    16777216	/* texts of the history that a turn reads */
#define LIM_VARIANTS         1000	/* at one place of a thread */
#define LIM_VARIANT_MESSAGES 20		/* shown of each in a list */

#define LIM_SSE_LINE_BYTES   8388608	/* one line of an upstream stream */
#define LIM_SSE_EVENT_BYTES  8388608	/* data of one upstream event */
#define LIM_UPSTREAM_BYTES   67108864	/* whole upstream body, stream or not */
#define LIM_ERROR_BODY_BYTES 65536	/* upstream error body that we look at */
#define LIM_ANSWER_BYTES     4194304	/* text of one model answer */
#define LIM_TOOL_ARGS_BYTES  262144	/* arguments of one tool call */
#define LIM_MODELS           2000	/* of a provider's list */
#define LIM_MODEL_BYTES      200	/* id or name of one of them */
#define LIM_TOOL_CALLS       64		/* calls in one model step */
#define LIM_CLIENT_RESULT_BYTES 262144	/* of one call, from the page */
#define LIM_PAGE_TOOLS       32		/* that a page may declare */
#define LIM_PAGE_TOOLS_BYTES 65536	/* of their declarations */
#define LIM_ANSWER_CHARS     10000	/* to a question of the model */
#define LIM_TOOL_OUTPUT_BYTES 4194304	/* kept of a longer one, for read_result */
#define LIM_TOOL_RESULT_BYTES 65536	/* tool result sent to the model */
#define LIM_IMAGE_BYTES      3932160	/* for a model; 5 MiB as base64, what Anthropic takes */
#define LIM_UNSTORED_BYTES   6291456	/* of a turn's end that its client is handed */
#define LIM_PAGE_COPY_BYTES  32768	/* of a page of a thread that is kept */

#define LIM_CONF_FILE_BYTES  1048576	/* one YAML file */
#define LIM_CONF_DEPTH       32
#define LIM_CONF_NODES       200000	/* values in all YAML files together */
#define LIM_CONF_KEYS        4096	/* keys of one map */
#define LIM_CONF_FILES       1024	/* files in one directory */
#define LIM_CONF_BYTES       16777216	/* all YAML files together */
#define LIM_SECRET_BYTES     65536	/* a file named by `file:` */
#define LIM_ARENA_BYTES      268435456	/* one request's arena; then ERR_TOO_BIG */

#endif
