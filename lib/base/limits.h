/* SPDX-License-Identifier: MIT */
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
#define LIM_DATA_BODY_BYTES  33554432	/* of clients that send files in their messages */
#define LIM_BODY_DRAIN_BYTES 33554432	/* of a body that nobody wants; more than
					   the samples of conf/ let through */
#define LIM_JSON_DEPTH       64		/* nesting of inbound JSON */
#define LIM_JSON_VALUES      500000	/* in one inbound document */
#define LIM_MESSAGE_CHARS    100000	/* one user message */
#define LIM_CORRECTION_CHARS 1000000	/* an answer as its user wants it */
#define LIM_TITLE_CHARS      200
#define LIM_TAG_CHARS        40	/* of a conversation */
#define LIM_TAGS             20	/* of a conversation */
#define LIM_FOLDERS          500	/* of a user */
#define LIM_PLANS 1000000		/* of a user; the program makes them */
#define LIM_CONVERSATION_SHARES 1000	/* of a user */
#define LIM_SHARED_FORK_ROWS 1000	/* of a shared conversation that one goes on with */
#define LIM_SHARED_FORK_BYTES 4194304
#define LIM_SLUG_BYTES       64		/* workspace, agent, dataset ids */
#define LIM_NAME_BYTES       200	/* of a client's own name in a path */
#define LIM_USER_BYTES       190	/* login name */
#define LIM_LANGUAGE_BYTES   35	/* of a language tag (RFC 5646, 4.4.1) */
#define LIM_GROUPS           256	/* groups of one caller */
#define LIM_GROUP_BYTES      190	/* name of a group that a command is given */
#define LIM_MODEL_CHARS      190	/* name of a model that is stored, cut */
#define LIM_PAGE_DEFAULT     30
#define LIM_PAGE_MAX         100
#define LIM_COUNTED          1000	/* rows for a totalCount; beyond it is null */
#define LIM_LOOKED_AT        5000	/* rows that a page of a search looks at */
#define LIM_CURSOR_BYTES     512
#define LIM_FORM_TEXT_BYTES  512	/* a label, path or list of choices of a form */
#define LIM_KEY_BYTES        255	/* Idempotency-Key */
#define LIM_TOKENS           100	/* API tokens of one user, those that ended too */
#define LIM_TOKEN_GROUPS_BYTES 65535	/* JSON of the groups of a token */
#define LIM_SETTING_NAMES    64	/* in a list that a setting is */
#define LIM_CUSTOM_CONTEXT_CHARS 4000	/* what a user says about themselves */
#define LIM_PROMPTS          1000	/* of one user, one group, or the tenant */
#define LIM_PROMPT_CHARS     20000	/* body of one */
#define LIM_PREVIEW_CHARS    32768	/* text of one part in a preview */
#define LIM_MODULE_TEXT_CHARS 4000	/* parameter of a module */
#define LIM_MODULE_ID_CHARS  64		/* parameter that is an id */
#define LIM_MODULE_NAME_BYTES 40	/* of a parameter */
#define LIM_MODULE_PARAMS    32
#define LIM_MODULE_CHOICES   100
#define LIM_PARAM_ITEMS      100	/* of a list that is a parameter */
#define LIM_PARAM_NUMBER     1e15	/* largest number that is one */
#define LIM_TEAM_PROMPT_CHARS 4000	/* what a team says of its prompt layer */
#define LIM_TEAM_PROMPTS     16	/* in one turn */
#define LIM_VERSIONS         100	/* of one row that are kept */
#define LIM_VERSION_BYTES    1048576	/* of these; the newest is always kept */
#define LIM_VERSION_DAYS     90		/* after they were replaced */
#define LIM_CHANGES          1000000	/* of one project; none is refused */
#define LIM_CHANGE_DAYS      30		/* that it can be taken back */
#define LIM_CHANGE_BYTES     67108864	/* of one user's, of what long texts were before */
#define LIM_PROJECTS         500	/* of one user, one group, or the tenant */
#define LIM_PROJECT_MEMBERS  200	/* of one */
#define LIM_ENTITIES         5000	/* of one kind in one project */
#define LIM_PROJECT_FILE_BYTES 16777216	/* a project as a file, out and in */
#define LIM_PROJECT_FILES    20000	/* of Markdown in such an archive */
#define LIM_EDGES            10000	/* links in one project */
#define LIM_EVENTS           5000	/* of one user, and in one project */
#define LIM_OCCURRENCES      1000	/* of events, in one answer */
#define LIM_CALENDAR_DAYS    400	/* that one answer is about */
#define LIM_RRULE_CHARS      500	/* how an event is repeated */
#define LIM_RRULE_COUNT      10000	/* COUNT in it */
#define LIM_EVENT_SKIPPED    400	/* days on which an event is not repeated */
#define LIM_ICS_BYTES        2097152	/* a calendar file that is read */
#define LIM_ICS_EVENTS       1000	/* of one */
#define LIM_EVENT_DAYS       366	/* how long one lasts */
#define LIM_TREE_DEPTH       16		/* of its documents */
#define LIM_PROPS_BYTES      65536	/* of the members of props of one row */
#define LIM_ENTITY_CHARS     4000	/* of its description and the like */
#define LIM_LONG_BODY_BYTES  8388608	/* request body of a resource with a long text */
#define LIM_CONTENT_CHARS    1000000	/* of a document of a project */
#define LIM_PROMPT_SHARES    50		/* groups that one is shared with */
#define LIM_PROMPT_CATEGORIES 200	/* of a tenant */
#define LIM_PROMPT_IN        20		/* categories of one prompt */
#define LIM_WORKSPACES       50		/* that one user has made */
#define LIM_AGENTS           200	/* of one user, or shown to all of a workspace */
#define LIM_AGENT_TOOLS      200	/* names in a list of tools */
#define LIM_AGENT_TEMPLATES  1000	/* in the catalogue */
#define LIM_MANAGERS         50		/* users, groups, or groups that see it, of a workspace */
#define LIM_SUGGESTIONS      20		/* of a workspace */
#define LIM_BLANKS           30		/* in one prompt */
#define LIM_BLANK_CHARS      60		/* name of one */
#define LIM_BLANK_CHOICES    50		/* of one */
#define LIM_MENTIONS         10		/* in one message */
#define LIM_MENTION_REF_BYTES 300	/* reference of one */
#define LIM_MENTION_LABEL_CHARS 120	/* label or description of one */
#define LIM_MENTION_CHARS    12000	/* of one that a model is told, cut */
#define LIM_MENTION_FOUND    50		/* in one answer of the picker */
#define LIM_MENTION_TYPED_CHARS 100	/* what is looked for */
#define LIM_MENTION_DATASETS 16		/* that one answer looks into */
#define LIM_ATTACHMENTS      5000	/* of one user, sent or not */
#define LIM_ATTACHMENT_NAME_CHARS 200	/* name of one, cut */
#define LIM_MESSAGE_ATTACHMENTS 20	/* of one message */
#define LIM_FILE_BYTES       104857600	/* one attachment, default */
#define LIM_FILE_PIECE_BYTES 262144	/* of a file, in one row */
#define LIM_FILE_TEXT_BYTES  4194304	/* text of one file that is kept */
#define LIM_PART_HEAD_BYTES  16384	/* header lines of a part of a multipart body */
#define LIM_FEEDS            32		/* turns that one stream of notices follows */
#define LIM_PAGE_BYTES       4194304	/* texts of a page of a list; one item may be more */
#define LIM_HISTORY_ROWS     1000	/* for a client that has so many messages */
#define LIM_HISTORY_BYTES    16777216	/* texts of the history that a turn reads */
#define LIM_CACHED_STATEMENTS  16		/* prepared on one connection for datasets */
#define LIM_CACHED_STATEMENT_BYTES 16384	/* text of one that is kept */
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
#define LIM_PROGRAM_TOOLS    128	/* that a client of the OpenAI server may declare */
#define LIM_PROGRAM_TOOLS_BYTES 524288	/* of their declarations */
#define LIM_ANSWER_CHARS     10000	/* to a question of the model */
#define LIM_FACT_BYTES       24000	/* of a fact; beyond it its texts are cut more */
#define LIM_STATE_BYTES      131072	/* of the agent state of a conversation */
#define LIM_SUMMARY_CHARS    8000	/* of the summary of a conversation: 2,000 tokens */
#define LIM_MEMORY_VERSIONS  50	/* kept of a conversation */
#define LIM_PERSONAL_MEMORIES 300	/* of a user, with what is proposed and refused */
#define LIM_PERSONAL_MEMORY_CHARS 300
#define LIM_RATINGS          10000	/* of a user */
#define LIM_RATED_CHARS      8000	/* of a question or an answer, kept with its rating */
#define LIM_TOOL_OUTPUT_BYTES 4194304	/* kept of a longer one, for read_result */
#define LIM_TOOL_RESULT_BYTES 65536	/* tool result sent to the model */
#define LIM_IMAGE_BYTES      3932160	/* for a model; 5 MiB as base64, what Anthropic takes */
#define LIM_UNSTORED_BYTES   6291456	/* of a turn's end that its client is handed */
#define LIM_PAGE_COPY_BYTES  32768	/* of a page of a thread that is kept */

/* what a person or a client sends */
#define LIM_TOKEN_BYTES      512	/* API token; a longer one is not looked up */
#define LIM_CLAIMS_BYTES     65536	/* claims of a signed token of a user */
#define LIM_TOKEN_NAME_CHARS 100	/* name of a token that the command makes */
#define LIM_TOKEN_DAYS       36500	/* and its life, in days */
#define LIM_QUERY_PARAMS     32		/* parameters of a query string */
#define LIM_FORM_VALUE_BYTES 32768	/* of a field beside a file in a multipart body */
#define LIM_SETTINGS_PAGE_BYTES 1048576	/* what a page of settings is made from */
#define LIM_FORM_FIELDS      32		/* fields of a form; parts of a multipart body */
#define LIM_INLINE_GET_BYTES 20971520	/* a file at an address in a client's message */
#define LIM_CORS_HEADERS_BYTES 2048	/* that a page elsewhere asks for */
#define LIM_TOKEN_LIST       50		/* agents, and tools, that a token may name */
#define LIM_CLIENT_CHARS     64		/* name of a program that uses the API */
#define LIM_CLIENT_NAME_CHARS 200	/* a client's id of a thread, a run, a chat */
#define LIM_OPENAI_GIVEN_BYTES 8388608	/* messages before the last, of an OpenAI client */
#define LIM_PAGE_TOOL_CHARS  2000	/* description of one tool of a page */
#define LIM_PROGRAM_TOOL_CHARS 16384	/* the same of a program */
#define LIM_PROMPT_NAME_CHARS 100	/* user's name in a prompt */
#define LIM_MARKDOWN_BYTES   262144	/* longer texts are shown as they are */
#define LIM_HREF_BYTES       2048	/* link in Markdown */

/* models */
#define LIM_SHOWN            64		/* texts of a page, with a message */
#define LIM_SHOWN_BYTES      32768	/* of them */
#define LIM_OFFER_BODY_BYTES 8388608	/* texts of a program, for vectors or ranks */
#define LIM_SOUND_BODY_BYTES 27262976	/* a form with a file of sound of a program */
#define LIM_OFFER_TEXTS      2048	/* in it */
#define LIM_OFFER_NUMBERS    4194304	/* of all vectors of an answer */
#define LIM_LLM_BODY_BYTES   33554432	/* request to a model */
#define LIM_STREAM_BLOCKS    512	/* content blocks of one answer */
#define LIM_TOKEN_COUNT      INT64_C(1000000000000)	/* that an upstream says it counted */
#define LIM_MODEL_LIST_BYTES 4194304	/* a server's list of models */
#define LIM_RETRY_AFTER_MS   60000	/* that a model may ask us to wait */
#define LIM_ACTION_URL_BYTES 4096	/* link that an agent suggests */
#define LIM_ACTION_VALUE_CHARS 200	/* one placeholder in it */
#define LIM_SOURCE_CHARS     200	/* name of where a text of others is from */

/* queries of datasets */
#define LIM_QUERY_SELECT     64		/* columns that a query names */
#define LIM_QUERY_FILTERS    32		/* filters of a query */
#define LIM_QUERY_GROUP      8		/* columns that it groups by */
#define LIM_QUERY_AGGREGATES 16		/* of a query */
#define LIM_QUERY_SORT       8		/* columns that it sorts by */
#define LIM_QUERY_IN         200	/* values of one filter */
#define LIM_QUERY_TEXT_BYTES 4096	/* one value of a filter */
#define LIM_QUERY_WORDS      8		/* words of a search in a dataset */
#define LIM_QUERY_OFFSET     100000	/* rows before a page; no cursor beyond */

/* what tools reach */
#define LIM_RAW_RESULT_BYTES 16777216	/* of a tool, before it is cut for the model */
#define LIM_URL_BYTES        65536	/* address that is put together */
#define LIM_REDIRECTS        5		/* that a visit of the web follows */
#define LIM_WEB_PAGE_BYTES   16777216	/* most that page_bytes of web_visit may say */
#define LIM_WEB_SEARCH_BYTES 2097152	/* answer of a search engine */
#define LIM_ROBOTS_BYTES     512000	/* RFC 9309 section 2.5: at least 500 KiB */
#define LIM_HTML_DEPTH       200	/* nesting of elements whose text is taken */
#define LIM_EXTRACT_ATTRIBUTES 1000	/* of one tag of XML or HTML */
#define LIM_EXTRACT_INPUT_BYTES 16777216	/* file or page whose text is taken */
#define LIM_EXTRACT_FILE_BYTES 67108864	/* attachment whose text is taken */
#define LIM_EXTRACT_HEAD_BYTES 1048576	/* of a larger one, by which its type is found */
#define LIM_EXTRACT_PAGES    5000	/* of one file whose text is taken */
#define LIM_SCAN_PIXELS      50000000	/* of an image whose text is recognised */
#define LIM_SCAN_PAGES       2000	/* of one file whose text is recognised, at most */
#define LIM_EXTRACT_HEADING_BYTES 200	/* a line of a PDF that is longer is no heading */
#define LIM_EXTRACT_UNPACKED_BYTES 134217728	/* of the documents in an archive */
#define LIM_EXTRACT_ENTRIES  20000	/* files in an archive */
#define LIM_EXTRACT_OUTPUT_BYTES 67108864	/* that text */
#define LIM_TOOL_URL_BYTES   16384	/* address that a tool calls */
#define LIM_TOOL_HEADERS     72		/* fields of its request */
#define LIM_OPENAPI_DEPTH    40		/* nesting of a schema, $refs followed */
#define LIM_OPENAPI_SCHEMA_BYTES 65536	/* all arguments of one operation */
#define LIM_OPENAPI_TEXT_BYTES 2000	/* description of an operation */

/* MCP servers */
#define LIM_MCP_MESSAGE_BYTES 8388608	/* one message of a server */
#define LIM_MCP_ANSWER_BYTES 33554432	/* all that comes for one request */
#define LIM_MCP_REPLIES      100	/* of ours within one exchange */
#define LIM_MCP_PAGES        50		/* of one list of a server (G10) */
#define LIM_MCP_TOOLS        1000	/* of one server, accepted or not */
#define LIM_MCP_ENTRIES      10000	/* looked at, whether allowed or not */
#define LIM_MCP_CURSOR_BYTES 4096	/* of a page of a list */
#define LIM_MCP_NAME_BYTES   128	/* name of a tool */
#define LIM_MCP_TITLE_CHARS  80		/* of a tool */
#define LIM_MCP_DESCRIPTION_BYTES 8192	/* of a tool */
#define LIM_MCP_DEFINITION_BYTES 65536	/* schema of a tool */
#define LIM_MCP_DEFINITION_DEPTH 30	/* JSON_VALID of MariaDB takes 32 levels */
#define LIM_MCP_KEPT_BYTES   8388608	/* all definitions and descriptions of a server */
#define LIM_MCP_PROGRESS_CHARS 200	/* what a call says that it is at */
#define LIM_MCP_PINS         4096	/* kept of one server */

#define LIM_API_KEY_CHARS    4096	/* key of a provider */
#define LIM_CAPABILITIES     16		/* names in the list of an LLM service */
#define LIM_FALLBACKS        8		/* of an LLM service */
#define LIM_QUIRKS_BYTES     4096	/* of a stored LLM service, as JSON */
#define LIM_LLM_SERVICES     200	/* of a tenant, made over the API */
#define LIM_WORKSPACE_SERVICES 20	/* of one workspace */
#define LIM_PROVIDER_INSTANCES 20	/* of one user */
#define LIM_INSTANCE_AGENTS 50		/* that one of them serves */

/* search */
#define LIM_WORD_BYTES       128	/* of a word; what is behind them is not looked at */
#define LIM_HEADING_CHARS    200	/* of one heading */
#define LIM_HEADINGS_CHARS   600	/* of all headings of a passage; outer ones are left out */
#define LIM_PAGE_MARK        1000000	/* pages that marks in a text may count */
#define LIM_CHUNKS           20000	/* of one document */
#define LIM_BASE_CHUNKS      2147483647	/* ever, in one base */
#define LIM_AUDIENCES        200	/* sets of groups in one base, besides all */
#define LIM_BATCH_WORDS      4194304	/* in what is indexed at once */
#define LIM_BATCH_BYTES      67108864	/* of postings made of it */
#define LIM_QUESTION_CHARS   2000	/* that is searched for */
#define LIM_QUESTION_WORDS   64		/* of it that count */
#define LIM_QUESTION_POSTS   8388608	/* of its words in one base, in memory */
#define LIM_EXCERPT_CHARS    20000	/* bytes shown on each side of a passage */
#define LIM_SOURCES          200	/* passages that one turn uses */
#define LIM_SOURCE_TEXT_CHARS 6000	/* kept of what one says */
#define LIM_SOURCE_SHOWN_CHARS 600	/* of it in its event */
#define LIM_FOUND            50		/* passages that a search gives */
#define LIM_FIND_CHARS       200	/* of what a list is searched for */
#define LIM_FOLDED_BYTES     2097152	/* of what a row is found by */
#define LIM_FIND_WORDS       8		/* of it, the last one with all that follow */
#define LIM_CHATS_PASSAGES   200	/* of own conversations that a search looks at */
#define LIM_SEARCH_DOCUMENTS 200	/* that a search may be limited to */
#define LIM_SEARCH_PROJECTS  200	/* that are searched together */
#define LIM_KNOWLEDGE_BASES  200	/* of one user, one group, or the tenant */
#define LIM_PRIVATE_BASES    20		/* of these, private ones of one user */
#define LIM_DOCUMENTS        200000	/* of one knowledge base */
#define LIM_PRIVATE_DOCUMENTS 10000	/* of a private one */
#define LIM_KNOWLEDGE_SHARES 50		/* groups that one is shared with */
#define LIM_DOCUMENT_BYTES   8388608	/* text of one document */
#define LIM_DOCUMENT_BODY_BYTES 16777216 /* that it comes in as JSON */
#define LIM_DOCUMENT_ID_CHARS 190	/* the id that its writer knows it by */
#define LIM_DOCUMENT_GROUPS  50		/* that see one document */
#define LIM_DOCUMENT_GROUP_CHARS 200	/* name of one of them */
#define LIM_DOCUMENT_URL_CHARS 2000
#define LIM_INTAKE_ENTRIES   400000	/* of a directory that a source is, with all below */
#define LIM_INTAKE_DEPTH     32		/* directories in each other */
#define LIM_INTAKE_PATH      4096	/* of a file below the directory, bytes */
#define LIM_INTAKE_FAULTS    20		/* sentences kept of one run */
#define LIM_INTAKE_FAULT_BYTES 16384	/* and their length */
#define LIM_INTAKE_ROWS      200	/* of a table looked at together */
#define LIM_INTAKE_READ      20		/* of these that are read together */
#define LIM_SITE_URLS        1000	/* addresses that a source names */
#define LIM_SITE_PAGES       50000	/* most that max_pages of a source may say */
#define LIM_SITE_DELAY_MS    60000	/* most between two requests to a site */
#define LIM_SITEMAP_URLS     50000	/* in one sitemap */
#define LIM_SITEMAP_BYTES    52428800	/* of one, unpacked */
#define LIM_SITEMAP_DEPTH    3		/* indexes of sitemaps in each other */
#define LIM_SAME_PAGES       16		/* pages looked at that name each other as their address */
#define LIM_SITEMAPS         1000	/* that one run of a source reads */
#define LIM_INDEXED_AT_ONCE  64	/* documents that one look brings */
#define LIM_INDEXED_BYTES    1048576	/* and their texts; one may be longer */
#define LIM_DIMENSION        4096	/* of a vector */
#define LIM_EMBED_TEXTS      64		/* in one request for vectors */
#define LIM_EMBED_CHARS      8000	/* of each that are sent, for vectors and ranks */
#define LIM_EMBED_AT_ONCE    256	/* passages that get their vectors together */
#define LIM_RETRIEVAL_BYTES  16777216	/* an answer with vectors or ranks */
#define LIM_RAG_CHARS        40000	/* of passages that a turn is given unasked */
#define LIM_READY_CALLS      64		/* of the model, in one call of a ready tool */
#define LIM_READY_PART_BYTES 48000	/* of a long text that one of them gets */
#define LIM_KNOWLEDGE_SET    32		/* bases that an agent or a conversation names */
#define LIM_BASES_SEARCHED   1000	/* where none are named */

#define LIM_CONF_FILE_BYTES  1048576	/* one YAML file */
#define LIM_IMPORT_BYTES     16777216	/* a YAML file that a command imports */
#define LIM_CONF_DEPTH       32
#define LIM_CONF_NODES       200000	/* values in all YAML files together */
#define LIM_CONF_KEYS        4096	/* keys of one map */
#define LIM_CONF_ITEMS       256	/* structs in one list */
#define LIM_CONF_FILES       1024	/* files in one directory */
#define LIM_CONF_BYTES       16777216	/* all YAML files together */
#define LIM_SECRET_BYTES     65536	/* a file named by `file:` */
#define LIM_ARENA_BYTES      268435456	/* one request's arena; then ERR_TOO_BIG */
#define LIM_TRACE_MARKS      4096	/* spans and points of a traced turn */

#endif
