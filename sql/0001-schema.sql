-- SPDX-License-Identifier: MIT
-- The schema.
--
-- Conventions: ids are UUIDs in BINARY(16), made by the program before the INSERT; times are
-- BIGINT, microseconds since 1970 UTC. Keys that are compared by bytes have the collation
-- utf8mb4_nopad_bin, texts utf8mb4_bin, names and titles utf8mb4_uca1400_ai_ci (any case, any
-- accent); every collation is named, because defaults differ between server versions. There are no
-- foreign keys: lib/resource/resource.def says what is deleted with what. Every statement can run
-- again, so a migration that was cut off continues at its last statement.

-- ---- People and their credentials ----------------------------------------------------------

CREATE TABLE IF NOT EXISTS user (
  id            BINARY(16)   NOT NULL COMMENT 'UUIDv8: hash of tenant and login, the same on every node',
  tenant_id     VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  login         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name as the web server or the token says it',
  name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'display name; NULL: none known',
  first_seen_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  last_seen_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC; moved every few minutes at most',
  PRIMARY KEY (id),
  UNIQUE KEY user_login (tenant_id, login),
  KEY user_name (tenant_id, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='people seen; identity itself comes from the web server';

-- Tokens that ended are deleted some time later (the tidy job finds them by their end); the
-- list of a user does not read revoked ones.
CREATE TABLE IF NOT EXISTS api_token (
  id         BINARY(16)   NOT NULL COMMENT 'UUIDv7',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'whose rights it has: user.id (row may not exist yet)',
  login      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'login of that user',
  name       VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'what it is for; NULL: not said',
  hash       BINARY(32)   NOT NULL COMMENT 'SHA-256 of the token text, which is not stored',
  groups     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array of group names' CHECK (JSON_VALID(groups)),
  version    BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL DEFAULT 0 COMMENT 'us since 1970 UTC',
  expires_us BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: never',
  revoked_us BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: in force',
  ended_us   BIGINT       AS (LEAST(COALESCE(revoked_us, 9223372036854775807), COALESCE(expires_us, 9223372036854775807))) PERSISTENT COMMENT 'us since 1970 UTC: revoked or expired, whichever is first; 2^63-1: neither',
  read_only  TINYINT      NOT NULL DEFAULT 0 COMMENT '1: it asks agents and reads, and changes nothing else; no tools that change something',
  approve    TINYINT      NOT NULL DEFAULT 0 COMMENT '1: it may decide approvals, if its user may',
  agents     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of workspace and workspace/agent: those only; NULL: all' CHECK (agents IS NULL OR JSON_VALID(agents)),
  tools      TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names of tools: those only; NULL: all' CHECK (tools IS NULL OR JSON_VALID(tools)),
  used_us    BIGINT       NULL COMMENT 'us since 1970 UTC, to ten minutes: when it was used last; NULL: never',
  PRIMARY KEY (id),
  UNIQUE KEY api_token_hash (hash),
  KEY api_token_tenant (tenant_id, id),
  KEY api_token_ended (ended_us),
  KEY api_token_live (tenant_id, user_id, revoked_us, created_us, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='bearer credentials, made and revoked by the command';

-- Keys that the processes of a deployment share and nobody else knows.
CREATE TABLE IF NOT EXISTS site_key (
  purpose    VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what it is for: form',
  secret     BINARY(32)  NOT NULL COMMENT 'random bytes, made by the first process that needs them; deleting the row makes a new key',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (purpose)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='keys of this deployment, of no tenant';

-- Processes that keep answers open, which share the capacity of one web server.
CREATE TABLE IF NOT EXISTS web_process (
  process    BINARY(16)  NOT NULL COMMENT 'UUIDv7 that a process makes for itself when it starts',
  host       VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of its machine, which stands for the web server',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC; written again while it keeps answers open, so an old one has none',
  PRIMARY KEY (process),
  KEY web_process_host (host, created_us),
  KEY web_process_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='processes with open answers, by machine; expire';

-- ---- Conversations -------------------------------------------------------------------------

-- version is incremented by every change. A deleted conversation belongs to no one until the
-- purge has deleted its rows. A fork of a long thread can be read at once: a job copies its
-- older messages (copy_of). Each user has an index of their conversations (search_base.id is
-- the user's): what it lacks is marked in unindexed.
-- Each of its lists (shelf) is a range of one key. How many users an agent has is read from an
-- index alone: a conversation's agent and user never change, so turns do not touch it.
CREATE TABLE IF NOT EXISTS conversation (
  id                 BINARY(16)   NOT NULL COMMENT 'UUIDv7, or the id that the client chose',
  tenant_id          VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug; empty: being deleted',
  user_id            BINARY(16)   NOT NULL COMMENT 'owner: user.id; zero: being deleted',
  workspace_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'workspace slug',
  agent_id           VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'agent slug within the workspace',
  title              VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'NULL: none yet',
  title_by           TINYINT      NOT NULL DEFAULT 0 COMMENT '0 none, 1 first message, 2 model, 3 person',
  last_seq           INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'newest message.seq = number of messages',
  turns              INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'turns begun',
  running_turn_id    BINARY(16)   NULL COMMENT 'turn.id that holds the conversation; NULL: free',
  created_us         BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us         BIGINT       NOT NULL COMMENT 'us since 1970 UTC; moved by turns and by renaming, orders the list',
  version            BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by every change of title, thread or running turn',
  superseded         INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'numbers up to last_seq that are not in the thread: superseded messages and gaps',
  forked_from        BINARY(16)   NULL COMMENT 'conversation.id that it was copied from; NULL: none, or it was deleted',
  forked_seq         INT UNSIGNED NULL COMMENT 'message.seq of the last message that was copied; NULL: no fork',
  copy_of            BINARY(16)   NULL COMMENT 'conversation.id that its older messages are still to be copied from; NULL: it has them all',
  copy_seq           INT UNSIGNED NULL COMMENT 'message.seq up to which they are; NULL: it has them all',
  knowledge_base_ids TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: ids of knowledge bases, of deleted ones too; NULL: not said' CHECK (JSON_VALID(knowledge_base_ids)),
  unindexed          TINYINT      NULL DEFAULT 1 COMMENT '1: the search index has to look at it; NULL: it has it as it is',
  indexed            BIGINT       NOT NULL DEFAULT 0 COMMENT 'the index has its title and the messages below this message.seq; 0: nothing; -1: what it said before',
  client             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'program that it belongs to, as it is called; NULL: it is the user''s own',
  archived           TINYINT      NOT NULL DEFAULT 0 COMMENT '1: it is in the list of archived ones',
  shelf              TINYINT      GENERATED ALWAYS AS (IF(archived = 1, 1, IF(agent_id = '~draft', 3, IF(client IS NULL, 0, 2)))) STORED COMMENT 'its list. 0: the user''s own; 1: archived; 2: of programs; 3: in none',
  pinned_us          BIGINT       NULL COMMENT 'us since 1970 UTC: since when it is pinned; NULL: it is not',
  folder_id          BINARY(16)   NULL COMMENT 'conversation_folder.id; NULL: in none',
  tags               TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a line each, with a line end also before the first; NULL: none',
  context_type       VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'a context type of tool/core/pool.def; NULL: by project_id',
  project_id         VARCHAR(36)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'project.id as text; there may be none any more; NULL: none',
  focus_id           VARCHAR(36)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'entity.id as text, which the user looks at; NULL: none',
  bytes              INT UNSIGNED GENERATED ALWAYS AS (COALESCE(LENGTH(title), 0) + COALESCE(LENGTH(tags), 0) + COALESCE(LENGTH(knowledge_base_ids), 0)) STORED COMMENT 'of its title, tags and ids of knowledge bases',
  PRIMARY KEY (id),
  KEY conversation_fork (forked_from),
  KEY conversation_of_agent (tenant_id, user_id, workspace_id, agent_id, created_us, id),
  KEY conversation_copy (copy_of),
  KEY conversation_of_workspace (tenant_id, workspace_id, agent_id, created_us, id),
  KEY conversation_unindexed (unindexed, tenant_id, user_id, id),
  KEY conversation_shelf (tenant_id, user_id, shelf, updated_us, id),
  KEY conversation_pinned (tenant_id, user_id, pinned_us),
  KEY conversation_folder (folder_id),
  KEY conversation_bytes (tenant_id, user_id, bytes),
  KEY conversation_users (tenant_id, workspace_id, agent_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='a thread of one user with one agent';

-- Clustered by thread: a page is one range at any depth. The public id is derived from
-- (conversation_id, seq), so it needs no index. What the program asks of a message is a
-- column; meta has texts of others, is parsed where it is read, and never searched. It has no
-- JSON_VALID check: the parser of the server stops at 32 levels, and a model may nest the
-- arguments of a call deeper.
CREATE TABLE IF NOT EXISTS message (
  conversation_id BINARY(16)        NOT NULL COMMENT 'conversation.id',
  seq             INT UNSIGNED      NOT NULL COMMENT '1, 2, ... in the thread',
  role            TINYINT UNSIGNED  NOT NULL COMMENT '1 user, 2 assistant, 3 system, 4 tool',
  turn_id         BINARY(16)        NULL COMMENT 'turn.id that it belongs to; NULL: none',
  created_us      BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  content         MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'text; may be empty for an assistant row with tool calls',
  meta            MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object as on the wire; NULL: {}',
  variant_index   SMALLINT UNSIGNED NULL COMMENT 'which of the variants at its place it is, from 1; NULL: the only one',
  variant_count   SMALLINT UNSIGNED NULL COMMENT 'variants at its place when it came into the thread; NULL: the only one',
  kind            TINYINT UNSIGNED  NOT NULL COMMENT '1 said by the user or the system, 2 step: assistant row that called tools, 3 answer, 4 result of a tool, 5 result of a question: what the user chose',
  finish_reason   VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'how the answer ended, as in meta; NULL: not an answer',
  client_id       VARCHAR(200)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'what the client calls it, as in meta; NULL: it has no name for it',
  web             TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: the user wants the web to be searched, as in meta',
  continues_seq   INT UNSIGNED      NULL COMMENT 'message.seq of the answer that was cut short and continues here; NULL: none',
  kept            TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: a result of a tool that was cut, and is in tool_output as a whole',
  prompt_id       VARCHAR(36)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'prompt.id as text, or that of a shipped one, as in meta; NULL: none',
  attachments     TEXT              CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of the files that were sent with it, as in meta; NULL: none',
  bytes           INT UNSIGNED      GENERATED ALWAYS AS (LENGTH(content) + COALESCE(LENGTH(meta), 0)) STORED COMMENT 'of content and meta',
  context_type    VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'a context type of tool/core/pool.def, as in meta; NULL: global',
  project_id      VARCHAR(36)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'project.id as text, which the user was in, as in meta; NULL: none',
  focus_id        VARCHAR(36)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'entity.id as text, which the user looked at, as in meta; NULL: none',
  PRIMARY KEY (conversation_id, seq),
  KEY message_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what was said, clustered by thread';

CREATE TABLE IF NOT EXISTS variant (
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  after_seq       INT UNSIGNED NOT NULL COMMENT 'its place: message.seq of what it follows; 0: it begins the thread',
  head_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq of its first message; the newest one''s may be to come',
  last_seq        INT UNSIGNED NULL COMMENT 'no message of it has a greater message.seq; NULL: it is the current one at its place',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (conversation_id, after_seq, head_seq),
  UNIQUE KEY variant_head (conversation_id, head_seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what follows a message, where there is more than one';

-- Which messages are not in a thread is stored as ranges: superseding a tail writes one row,
-- and a page skips the range without reading it.
CREATE TABLE IF NOT EXISTS thread_gap (
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  head_seq        INT UNSIGNED NOT NULL COMMENT '0: a gap of the thread; else of the superseded variant whose variant.head_seq it is',
  from_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq from which on there is nothing of it',
  to_seq          INT UNSIGNED NOT NULL COMMENT 'the last such number; 4294967295: what is behind a superseded variant',
  PRIMARY KEY (conversation_id, head_seq, from_seq),
  UNIQUE KEY thread_gap_to (conversation_id, head_seq, to_seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='numbers between the messages of a thread or a variant; no two touch';

-- Conversations of programs that send the whole thread with each request (store/prefix.h).
CREATE TABLE IF NOT EXISTS client_prefix (
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'owner of the conversation: user.id',
  hash            BINARY(16)   NOT NULL COMMENT 'of client, agent, and the thread up to an answer as the client has it',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  user_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq of the last user message in it',
  answer_seq      INT UNSIGNED NULL COMMENT 'message.seq of the answer; NULL: the turn waited',
  instructions    BINARY(16)   NOT NULL COMMENT 'hash of the system messages that the client sent with it',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC; moved on with the conversation, when the row is looked at',
  PRIMARY KEY (tenant_id, user_id, hash),
  KEY client_prefix_conversation (conversation_id),
  KEY client_prefix_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='threads by what their clients send';

CREATE TABLE IF NOT EXISTS conversation_folder (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  sort_key   VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name, folded',
  name       VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its name',
  under_id   BINARY(16)   NULL COMMENT 'conversation_folder.id that it is in; NULL: at the top',
  folded     MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY conversation_folder_list (tenant_id, user_id, sort_key, id),
  KEY conversation_folder_under (under_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='folders of conversations';

-- What is remembered of a conversation beyond its newest messages (docs/memory.md).
CREATE TABLE IF NOT EXISTS conversation_memory (
  conversation_id BINARY(16)       NOT NULL COMMENT 'conversation.id',
  number          INT UNSIGNED     NOT NULL COMMENT '1, 2, ...: the version; of the rows of a path the greatest is the one of now',
  seen_seq        INT UNSIGNED     NOT NULL COMMENT 'message.seq of the last message that it knows; it belongs to the paths that have this message',
  upto_seq        INT UNSIGNED     NOT NULL COMMENT 'message.seq of the last message that the summary replaces; 0: none',
  replaces        INT UNSIGNED     NULL COMMENT 'number of the version that it was made from; NULL: none',
  why             TINYINT UNSIGNED NOT NULL COMMENT '1 turns, 2 characters, 3 budget: folded for that reason; 4 results of tools; 5 changed by the user; 6 removed by the user; 7 the agent state was cleared',
  summary         MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what was said before; empty: nothing is remembered',
  state           MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: the AgentState without its sessionId; NULL: empty' CHECK (JSON_VALID(state)),
  kept            VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'JSON array: message.seq of those up to upto_seq that are still sent whole; NULL: none' CHECK (JSON_VALID(kept)),
  origins         TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text it was made from, besides the user; NULL: nobody else' CHECK (JSON_VALID(origins)),
  service         VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of the LLM service that wrote it; NULL: none',
  created_us      BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  bytes           INT UNSIGNED     GENERATED ALWAYS AS (LENGTH(summary) + COALESCE(LENGTH(state), 0)) STORED COMMENT 'of summary and state',
  PRIMARY KEY (conversation_id, number),
  KEY conversation_memory_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='versions of the summary and the agent state of conversations';

CREATE TABLE IF NOT EXISTS conversation_fact (
  conversation_id BINARY(16)       NOT NULL COMMENT 'conversation.id',
  seq             INT UNSIGNED     NOT NULL COMMENT 'message.seq of the result that it was made from',
  kind            TINYINT UNSIGNED NOT NULL COMMENT '1 a change, 2 a change that the user refused, 3 a choice of the user',
  tool            VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the tool',
  fact            MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON object: args and result, long texts cut; approvalId' CHECK (JSON_VALID(fact)),
  origins         TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text is in it; NULL: nobody else''s' CHECK (JSON_VALID(origins)),
  created_us      BIGINT           NOT NULL COMMENT 'us since 1970 UTC: of the result',
  bytes           INT UNSIGNED     GENERATED ALWAYS AS (LENGTH(fact)) STORED COMMENT 'of fact',
  PRIMARY KEY (conversation_id, seq),
  KEY conversation_fact_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what was changed and decided in conversations, result by result';

-- Conversations that others may read, and links that need no sign-on.
CREATE TABLE IF NOT EXISTS conversation_share (
  id              BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'owner of the conversation: user.id',
  version         BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  member_id       BINARY(16)   NULL COMMENT 'user.id; NULL: it is a group',
  group_name      VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a group; NULL: it is a person',
  reader_id       BINARY(16)   NOT NULL COMMENT 'who may read it: user.id, or the id of a group',
  live            TINYINT      NOT NULL COMMENT '1: also what is said later',
  upto_seq        INT UNSIGNED NULL COMMENT 'the last message.seq that they may read; NULL: live',
  tools           TINYINT      NOT NULL COMMENT '1: with the calls of tools and their results',
  files           TINYINT      NOT NULL COMMENT '1: with the names of attached files',
  expires_us      BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: never',
  kind            VARCHAR(5)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL DEFAULT 'named' COMMENT 'named: of a person or a group; link: of all who have its link',
  PRIMARY KEY (id),
  UNIQUE KEY conversation_share_reader_id (conversation_id, reader_id),
  KEY conversation_share_list (tenant_id, user_id, created_us, id),
  KEY conversation_share_conversation (tenant_id, user_id, conversation_id, id),
  KEY conversation_share_readers (tenant_id, reader_id, id),
  KEY conversation_share_person (tenant_id, member_id),
  KEY conversation_share_kind (tenant_id, kind, created_us, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who may read whose conversations';

-- What is remembered of users in all their conversations (docs/memory.md).
CREATE TABLE IF NOT EXISTS personal_memory (
  id              BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'of whom: user.id',
  version         BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  text            VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a sentence about them',
  state           VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'kept, proposed or refused; only kept ones are sent to a model',
  conversation_id BINARY(16)   NULL COMMENT 'conversation.id in which it was said; NULL: written by the user, or deleted',
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text it was made from, besides the user; NULL: nobody else' CHECK (JSON_VALID(origins)),
  PRIMARY KEY (id),
  KEY personal_memory_list (tenant_id, user_id, created_us, id),
  KEY personal_memory_updated (tenant_id, user_id, updated_us, id),
  KEY personal_memory_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what users let be remembered of themselves';

-- How users rated the answers that they got.
CREATE TABLE IF NOT EXISTS rating (
  id              BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'who rated: user.id',
  version         BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  message_id      VARCHAR(48)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the answer: conversation and number',
  value           VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'good or bad',
  reasons         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of words; NULL: none' CHECK (JSON_VALID(reasons)),
  comment         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'in words of the user; NULL: none',
  with_text       TINYINT      NOT NULL COMMENT '1: question and answer are shown to who reads all ratings',
  turn_id         BINARY(16)   NULL COMMENT 'turn.id of the answer; NULL: it was copied',
  workspace_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of the conversation',
  agent_id        VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of the answer, or of the conversation',
  model           VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'that wrote it; NULL: not known',
  finish_reason   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it ended; NULL: not known',
  documents       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of ids: the documents that it was given' CHECK (JSON_VALID(documents)),
  question        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was asked, if with_text',
  answer          MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the answer, if with_text',
  PRIMARY KEY (id),
  UNIQUE KEY rating_message_id (tenant_id, user_id, message_id),
  KEY rating_list (tenant_id, user_id, created_us, id),
  KEY rating_all (tenant_id, created_us, id),
  KEY rating_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='ratings of answers';

-- ---- Turns ---------------------------------------------------------------------------------

-- Running turns are few, so those whose lease has ended are found among them. The lease is in
-- no key: it is extended several times a minute. The end of a turn belongs to the run that
-- reached it (resumes).
CREATE TABLE IF NOT EXISTS turn (
  id               BINARY(16)        NOT NULL COMMENT 'UUIDv7',
  conversation_id  BINARY(16)        NOT NULL COMMENT 'conversation.id; tenant and owner are found there',
  status           TINYINT UNSIGNED  NOT NULL COMMENT '1 running, 2 waiting, 3 done, 4 error, 5 cancelled, 6 interrupted',
  lease_until_us   BIGINT            NOT NULL COMMENT 'us since 1970 UTC; a running turn beyond it is dead',
  cancel_requested TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: it was asked to stop',
  user_seq         INT UNSIGNED      NOT NULL COMMENT 'message.seq of what the user said',
  answer_seq       INT UNSIGNED      NULL COMMENT 'message.seq of the answer; NULL: none yet',
  last_event_seq   INT UNSIGNED      NOT NULL DEFAULT 0 COMMENT 'newest stored event; 0: none',
  started_us       BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  ended_us         BIGINT            NULL COMMENT 'us since 1970 UTC; NULL: not ended',
  error_code       VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'wire code; NULL: no error',
  error_text       VARCHAR(255)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'public text; NULL: no error',
  variant_index    SMALLINT UNSIGNED NULL COMMENT 'message.variant_index of the answer to come; NULL: none',
  variant_count    SMALLINT UNSIGNED NULL COMMENT 'message.variant_count of the answer to come; NULL: none',
  wakes            INT UNSIGNED      NOT NULL DEFAULT 0 COMMENT 'how often an answer to what it waited for came in; written by each, so two at once conflict',
  client           MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON {tools, webSearch}: what its request said of the page that it may call tools of, and of the web; NULL: nothing',
  provider         VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'provider row of the service that it began with',
  model            VARCHAR(190)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'model of that service',
  payer            TINYINT UNSIGNED  NULL COMMENT '1 the installation, 2 the tenant, 3 the user, as usage_record.payer; NULL: not known',
  resumes          INT UNSIGNED      NOT NULL DEFAULT 0 COMMENT 'how often it was resumed after it waited: the number of its run',
  journal_id       BINARY(16)        NULL COMMENT 'turn_journal.process where its events are; NULL: in turn_event alone',
  journal_from     INT UNSIGNED      NULL COMMENT 'turn_journal.number of the first row with some; NULL: none',
  journal_seq      INT UNSIGNED      NULL COMMENT 'number of the first event there; NULL: none',
  journal_key      BINARY(32)        NULL COMMENT 'ChaCha20 key of its part of each row; NULL: none',
  bytes            INT UNSIGNED      GENERATED ALWAYS AS (COALESCE(LENGTH(client), 0)) STORED COMMENT 'of client',
  stop_us          BIGINT            NULL COMMENT 'us since 1970 UTC: it is stopped then, for its client has left and none has come back; NULL: nobody left',
  response_gone    TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: a program has deleted its response (docs/openai-server.md); the last one of a conversation takes that along',
  PRIMARY KEY (id),
  KEY turn_conversation (conversation_id, id),
  KEY turn_status (status),
  KEY turn_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one run of the loop';

CREATE TABLE IF NOT EXISTS turn_event (
  turn_id    BINARY(16)        NOT NULL COMMENT 'turn.id',
  seq        INT UNSIGNED      NOT NULL COMMENT 'number of the first event in the batch, from 1',
  n          SMALLINT UNSIGNED NOT NULL COMMENT 'events in the batch',
  created_us BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  data       MEDIUMBLOB        NOT NULL COMMENT 'the events, packed by the turn loop',
  PRIMARY KEY (turn_id, seq),
  KEY turn_event_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='flushed event batches, for resuming streams; expire';

-- What running turns emit, one row per process and round for all of them. The part of each
-- turn is encrypted with a key that is in its turn row only: without that row the text is
-- gone.
CREATE TABLE IF NOT EXISTS turn_journal (
  process    BINARY(16)   NOT NULL COMMENT 'UUIDv7 of the process that writes it',
  number     INT UNSIGNED NOT NULL COMMENT '1, 2, … within the process',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  turns      MEDIUMBLOB   NOT NULL COMMENT '32 bytes for each turn: turn.id, first and last event, offset and length in data; numbers with the high byte first',
  data       MEDIUMBLOB   NOT NULL COMMENT 'events as in turn_event.data, each part encrypted with its turn''s journal_key',
  PRIMARY KEY (process, number)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='events of running turns; store/journal.c prunes it';

-- A row lives as long as its conversation: it records who decided what, and when.
CREATE TABLE IF NOT EXISTS turn_wait (
  turn_id         BINARY(16)        NOT NULL COMMENT 'turn.id',
  position        SMALLINT UNSIGNED NOT NULL COMMENT '1, 2, ... within the turn',
  id              BINARY(16)        NOT NULL COMMENT 'UUIDv7; the approval id on the wire',
  conversation_id BINARY(16)        NOT NULL COMMENT 'conversation.id',
  tenant_id       VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)        NOT NULL COMMENT 'who is asked: the owner of the conversation, user.id',
  kind            TINYINT UNSIGNED  NOT NULL COMMENT '1 approval, 2 tool of the page, 3 question',
  status          TINYINT UNSIGNED  NOT NULL COMMENT '1 open, 2 approved, 3 denied, 4 expired, 5 superseded, 6 answered',
  call_id         TEXT              CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'of the tool call, as the model named it',
  tool            VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of the tool',
  effect          TINYINT UNSIGNED  NOT NULL COMMENT '0 read, 1 write, 2 destructive',
  flags           TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1 arguments may be edited, 2 may be allowed for the whole conversation',
  reason          VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'why it is asked: policy, tainted; empty: not an approval',
  origins         TEXT              CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON [{kind, name}]: whose text the model had read; NULL: not an approval',
  args            MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'arguments that were shown, canonical JSON',
  digest          BINARY(32)        NOT NULL COMMENT 'BLAKE2b of turn, call, tool and args',
  edited          MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'arguments as the user changed them, canonical JSON; NULL: not changed',
  result          MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the page or the user answered, JSON; NULL: nothing',
  is_error        TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: result is the text of an error',
  created_us      BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  expires_us      BIGINT            NOT NULL COMMENT 'us since 1970 UTC; later it can only be denied',
  decided_us      BIGINT            NULL COMMENT 'us since 1970 UTC; NULL: open',
  decided_seq     INT UNSIGNED      NULL COMMENT 'number of the last event of the turn when it was decided; NULL: open',
  decided_by      BINARY(16)        NULL COMMENT 'user.id; NULL: open, or nobody did',
  decided_via     VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'how they were signed in; NULL: nobody did',
  used_us         BIGINT            NULL COMMENT 'us since 1970 UTC; the decision was taken up, once; NULL: not yet',
  bytes           INT UNSIGNED      GENERATED ALWAYS AS (LENGTH(args) + COALESCE(LENGTH(edited), 0) + COALESCE(LENGTH(result), 0)) STORED COMMENT 'of what was asked and answered',
  PRIMARY KEY (turn_id, position),
  UNIQUE KEY turn_wait_id (id),
  KEY turn_wait_conversation (conversation_id),
  KEY turn_wait_open (tenant_id, user_id, status, kind, expires_us),
  KEY turn_wait_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='calls that wait for the user or the page, and what became of them';

CREATE TABLE IF NOT EXISTS conversation_allow (
  conversation_id BINARY(16)  NOT NULL COMMENT 'conversation.id',
  tool            VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a tool that the user need not be asked about here',
  wait_id         BINARY(16)  NOT NULL COMMENT 'turn_wait.id at which it was decided',
  created_us      BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (conversation_id, tool)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='always allow in this conversation';

-- Results of tools that were too long for the model, read page by page.
CREATE TABLE IF NOT EXISTS tool_output (
  id              BINARY(16)   NOT NULL COMMENT 'UUIDv7, which the model is told',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'whose call it was: user.id',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id; deleted with it',
  tool            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the tool',
  content         MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the result, at most 4 MiB of it',
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON [{kind, name}]: whose text it is; NULL: the tool says it',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC; kept for a day',
  bytes           INT UNSIGNED GENERATED ALWAYS AS (LENGTH(content)) STORED COMMENT 'of content',
  PRIMARY KEY (id),
  KEY tool_output_conversation (conversation_id, id),
  KEY tool_output_created (created_us),
  KEY tool_output_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='long results of tools';

-- The passages that a turn used, as the model was sent them. The metadata of the answer has
-- their numbers and ids; the text is only here, so it is deleted with the document, its base,
-- the attachment or the conversation.
CREATE TABLE IF NOT EXISTS turn_source (
  turn_id         BINARY(16)        NOT NULL COMMENT 'turn.id',
  no              SMALLINT UNSIGNED NOT NULL COMMENT 'number within the turn, from 1',
  conversation_id BINARY(16)        NOT NULL COMMENT 'conversation.id',
  base_id         BINARY(16)        NULL COMMENT 'knowledge_base.id; NULL: of an attachment',
  document_id     BINARY(16)        NULL COMMENT 'document.id; NULL: of an attachment',
  attachment_id   BINARY(16)        NULL COMMENT 'attachment.id; NULL: of a document',
  chunk           INT UNSIGNED      NOT NULL COMMENT 'search_chunk.chunk, or number within the attachment',
  page            INT               NOT NULL COMMENT 'where it begins; 0: there are no pages',
  score           DOUBLE            NOT NULL COMMENT 'of the search that found it',
  external_id     VARCHAR(190)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'document.external_id then',
  title           VARCHAR(255)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'of the document then, or name of the attachment',
  url             VARCHAR(2000)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'document.url then; http and https only',
  text            MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the passage, cut at LIM_SOURCE_TEXT_CHARS',
  bytes           INT UNSIGNED      GENERATED ALWAYS AS (LENGTH(text)) STORED COMMENT 'of text',
  PRIMARY KEY (turn_id, no),
  KEY turn_source_base (base_id, document_id),
  KEY turn_source_attachment (attachment_id),
  KEY turn_source_conversation (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='passages that turns used';

-- What model calls cost. Never text of prompts or answers.
CREATE TABLE IF NOT EXISTS usage_record (
  id                 BINARY(16)       NOT NULL COMMENT 'UUIDv7',
  tenant_id          VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id            BINARY(16)       NOT NULL COMMENT 'who caused it: user.id',
  kind               TINYINT UNSIGNED NOT NULL COMMENT '1 chat turn, 2 single-shot completion, 3 title, 4 agent as a tool',
  workspace_id       VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'workspace slug',
  agent_id           VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'agent slug; NULL: none',
  conversation_id    BINARY(16)       NULL COMMENT 'conversation.id; NULL: none, or it was deleted',
  turn_id            BINARY(16)       NULL COMMENT 'turn.id; NULL: none, or it was deleted',
  turn_number        INT UNSIGNED     NOT NULL DEFAULT 0 COMMENT 'of the conversation, from 1; 0: none',
  service_id         VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of the LLM service; own: one of the user; NULL: not known',
  provider           VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'provider row',
  model              VARCHAR(190)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as the server named it',
  payer              TINYINT UNSIGNED NULL COMMENT '1 the installation (a service of the configuration), 2 the tenant (a service made over the API), 3 the user (a key of their own), 4 the workspace (a service that its managers made); NULL: not known',
  input_tokens       INT UNSIGNED     NULL COMMENT 'not cached input; NULL: unknown',
  cache_read_tokens  INT UNSIGNED     NULL COMMENT 'input read from a cache; NULL: unknown',
  cache_write_tokens INT UNSIGNED     NULL COMMENT 'input written to a cache; NULL: unknown',
  output_tokens      INT UNSIGNED     NULL COMMENT 'all output; NULL: unknown',
  reasoning_tokens   INT UNSIGNED     NULL COMMENT 'part of output_tokens; NULL: unknown',
  cost               DOUBLE           NULL COMMENT 'of the counters at the prices of the service, in prices.currency; without prices what the provider says, in its own currency; NULL: unknown',
  estimated          TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: the counters are our estimate',
  iterations         INT UNSIGNED     NOT NULL DEFAULT 0 COMMENT 'model calls',
  ttft_ms            INT UNSIGNED     NULL COMMENT 'ms to the first token; NULL: there was none',
  duration_ms        INT UNSIGNED     NOT NULL COMMENT 'ms, whole turn or call',
  finish_reason      VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'stop, length, error, ...',
  prompts            TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array of prompt stamps: layer, name, version, hash' CHECK (JSON_VALID(prompts)),
  tools              MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of tool timings: name, ms, ok; NULL: none' CHECK (JSON_VALID(tools)),
  created_us         BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (id),
  KEY usage_user (tenant_id, user_id, created_us),
  KEY usage_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one row per turn, completion or title';

-- Plans: work of a turn in steps that run in parallel, wait, and go on in any process
-- (docs/plans.md).
CREATE TABLE IF NOT EXISTS plan (
  id              BINARY(16)   NOT NULL COMMENT 'UUID, of the turn and the call',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  version         BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  turn_id         BINARY(16)   NOT NULL COMMENT 'turn.id: the turn that it belongs to',
  call_id         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the call of the tool plan in that turn',
  goal            TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it is to reach',
  status          VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'proposed, running, waiting, done, partial or stopped',
  plan            MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: the AgentPlan' CHECK (JSON_VALID(plan)),
  progress        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array: state and cost of each step' CHECK (JSON_VALID(progress)),
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text it was made from, besides the user; NULL: nobody else' CHECK (JSON_VALID(origins)),
  bytes           INT UNSIGNED GENERATED ALWAYS AS (LENGTH(goal) + LENGTH(plan) + LENGTH(progress)) STORED COMMENT 'of its texts',
  rights          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: the identity of the last request that ran it (lib/auth/saved.h); NULL: no job runs it' CHECK (rights IS NULL OR JSON_VALID(rights)),
  asked_us        BIGINT       NOT NULL DEFAULT 0 COMMENT 'us since 1970 UTC: of that request; 0: none',
  wakes           INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often a job has gone on with it since a step or call of it ended, or since that request',
  woken_at        INT UNSIGNED NULL COMMENT 'how many steps and calls of it had ended when a job went on with it last; NULL: none has',
  PRIMARY KEY (id),
  KEY plan_turn (turn_id),
  KEY plan_list (tenant_id, user_id, created_us, id),
  KEY plan_conversation (conversation_id),
  KEY plan_of (tenant_id, user_id, conversation_id, id),
  KEY plan_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='plans of turns';

CREATE TABLE IF NOT EXISTS plan_step (
  plan_id         BINARY(16)       NOT NULL COMMENT 'plan.id',
  number          INT UNSIGNED     NOT NULL COMMENT '0, 1, ... in the order of the plan',
  conversation_id BINARY(16)       NOT NULL COMMENT 'conversation.id',
  status          TINYINT UNSIGNED NOT NULL COMMENT '1 ready, 2 running, 3 waiting, 4 done, 5 failed, 6 skipped',
  result          MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its answer, or why it failed; NULL: none yet',
  origins         TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text is in the result; NULL: nobody else''s' CHECK (JSON_VALID(origins)),
  tokens          BIGINT           NOT NULL COMMENT 'tokens: of its model calls',
  cost            DOUBLE           NULL COMMENT 'in the currency of the service; NULL: unknown',
  started_us      BIGINT           NULL COMMENT 'us since 1970 UTC; NULL: not yet',
  ended_us        BIGINT           NULL COMMENT 'us since 1970 UTC; NULL: not yet',
  stop_us         BIGINT           NULL COMMENT 'us since 1970 UTC: the user stopped it while it ran; NULL: no',
  bytes           INT UNSIGNED     GENERATED ALWAYS AS (COALESCE(LENGTH(result), 0)) STORED COMMENT 'of its result',
  PRIMARY KEY (plan_id, number),
  KEY plan_step_conversation (conversation_id),
  KEY plan_step_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='steps of plans';

CREATE TABLE IF NOT EXISTS plan_call (
  plan_id         BINARY(16)       NOT NULL COMMENT 'plan.id',
  number          BIGINT           NOT NULL COMMENT 'step << 20 | round << 8 | call of the round',
  conversation_id BINARY(16)       NOT NULL COMMENT 'conversation.id',
  call_id         TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the model''s id of the call',
  tool            VARCHAR(128)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the tool',
  args            MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the model''s arguments',
  text            MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the model said before the calls; only of the first call of a round',
  tries           INT UNSIGNED     NOT NULL COMMENT 'how often it was begun: who begins it moves this, and only the last may write',
  landed          INT UNSIGNED     NOT NULL COMMENT 'changes of resources that it has made, counted in their transactions',
  result          MEDIUMTEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the model got; NULL: none yet',
  flags           TINYINT UNSIGNED NOT NULL COMMENT '1: the result is JSON; 2: an error; 4: others'' text',
  origins         TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text is in the result; NULL: nobody else''s' CHECK (JSON_VALID(origins)),
  bytes           INT UNSIGNED     GENERATED ALWAYS AS (LENGTH(args) + COALESCE(LENGTH(text), 0) + COALESCE(LENGTH(result), 0)) STORED COMMENT 'of its texts',
  PRIMARY KEY (plan_id, number),
  KEY plan_call_conversation (conversation_id),
  KEY plan_call_bytes (conversation_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='calls of tools in steps of plans';

-- ---- Notices -------------------------------------------------------------------------------

-- Numbers are taken under the lock of this row and become visible with its commit, so a reader
-- that has read up to a number has missed nothing below it. Only users who have ever listened
-- have a row; nothing is written for others.
CREATE TABLE IF NOT EXISTS notification_topic (
  user_id    BINARY(16)  NOT NULL COMMENT 'whose: user.id, which holds the tenant too (hash of tenant and login)',
  tenant_id  VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  last_seq   BIGINT      NOT NULL DEFAULT 0 COMMENT 'newest notification.seq ever given; 0: none',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one per user who has listened: the numbers of notifications';

CREATE TABLE IF NOT EXISTS notification (
  user_id         BINARY(16)       NOT NULL COMMENT 'notification_topic.user_id',
  seq             BIGINT           NOT NULL COMMENT '1, 2, ... for this user',
  kind            TINYINT UNSIGNED NOT NULL COMMENT '1 turn status, 2 title, 3 conversation, 4 job progress, 5 refresh',
  subject_id      BINARY(16)       NULL COMMENT 'turn.id or job; NULL: none',
  conversation_id BINARY(16)       NULL COMMENT 'conversation.id; NULL: none',
  word            VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'status, change, or what to read again; NULL: none',
  title           VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of the conversation; NULL: none, or it was deleted',
  done            BIGINT           NULL COMMENT 'of a job, in its own unit; NULL: not a job',
  total           BIGINT           NULL COMMENT 'of a job; NULL: not known',
  created_us      BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (user_id, seq),
  KEY notification_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='notices, clustered by user; they expire after an hour';

-- ---- Jobs and metrics ----------------------------------------------------------------------

-- Work that outlives a response: one row each, taken by a lease.
CREATE TABLE IF NOT EXISTS job (
  kind       VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of job.def',
  subject    VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what it is about, by kind: an id; asked for twice, it is one job',
  tenant_id  VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)       NULL COMMENT 'user.id of the person who asked; NULL: the installation itself, or several persons',
  args       TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what else it needs: a JSON object, by kind',
  due_us     BIGINT           NOT NULL COMMENT 'us since 1970 UTC from when it may be taken; whoever takes it moves it to the end of their lease; 9223372036854775807: it failed for good',
  asked      BIGINT           NOT NULL DEFAULT 1 COMMENT 'how often it was asked for: whoever ends it sees what came meanwhile',
  attempts   INT              NOT NULL DEFAULT 0 COMMENT 'how often it was taken since it last got on',
  taken      TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: somebody took it and runs it until due_us, then it is due; counted for the person',
  error      VARCHAR(300)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why the last attempt failed',
  created_us BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (kind, subject),
  KEY job_due_age (due_us, created_us),
  KEY job_person (user_id, due_us),
  KEY job_running (user_id, taken)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='work that outlives a response';

-- What the processes have counted (lib/metric/metric.def).
CREATE TABLE IF NOT EXISTS metric (
  name  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of metric.def',
  cell  VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its labels with their values, as GET /metrics prints them',
  value BIGINT       NOT NULL COMMENT 'sum of all processes since the installation began; of the sum of a histogram: ms',
  PRIMARY KEY (name, cell)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='counters of the installation';

CREATE TABLE IF NOT EXISTS metric_gauge (
  process    BINARY(16)   NOT NULL COMMENT 'UUIDv7 that a process makes for itself when it starts',
  name       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of metric.def',
  cell       VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as metric.cell',
  value      BIGINT       NOT NULL COMMENT 'of that process',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC; written again each minute, so an old one is of a process that died',
  PRIMARY KEY (process, name, cell),
  KEY metric_gauge_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what the processes have now; expire';

-- ---- Workspaces, agents, services, settings ------------------------------------------------

-- Workspaces and agents that people make. Those of the configuration are in files and have no
-- rows, but a workspace of a file may have agents here.
CREATE TABLE IF NOT EXISTS workspace (
  id                  BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id           VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id             BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version             BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id           BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  sort_key            VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  workspace_id        VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug, in addresses and conversations',
  name                VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  prompt              MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'prompt layer; NULL: none',
  llm_service_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: that of the installation',
  tools               TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: names of tools and group:NAME; NULL: all' CHECK (JSON_VALID(tools)),
  max_tool_iterations BIGINT       NULL COMMENT 'rounds of tool calls in a turn; NULL: the default',
  suggestions         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: first messages to choose from; NULL: none' CHECK (JSON_VALID(suggestions)),
  default_agent_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'agent.agent_id; NULL, or of none: a built-in one',
  manager_users       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: logins of those who change it; NULL: none' CHECK (JSON_VALID(manager_users)),
  manager_groups      TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: groups of those who change it; NULL: none' CHECK (JSON_VALID(manager_groups)),
  visible_to          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: groups that see it, * for everyone; NULL: none' CHECK (JSON_VALID(visible_to)),
  author_id           BINARY(16)   NULL COMMENT 'who wrote prompt: user.id; NULL: unknown, or the installation',
  author              MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  folded              MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  UNIQUE KEY workspace_workspace_id (tenant_id, workspace_id),
  KEY workspace_holder (tenant_id, holder_id, id),
  KEY workspace_service (tenant_id, llm_service_id),
  KEY workspace_author (tenant_id, author_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='workspaces that people made';

CREATE TABLE IF NOT EXISTS workspace_reader (
  tenant_id VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)       NOT NULL COMMENT 'who sees it: user.id, or the id of a group, the tenant or its admins',
  sort_key  VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as workspace.sort_key',
  row_id    BINARY(16)       NOT NULL COMMENT 'workspace.id',
  role      TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY workspace_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which workspaces, in the order of their names';

-- user_id is who made the row; author_id is who wrote its prompt, which counts as a text of
-- theirs for others.
CREATE TABLE IF NOT EXISTS agent (
  id                   BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id              BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version              BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us           BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us           BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id            BINARY(16)   NOT NULL COMMENT 'its workspace: workspace.id, or an id made of the name of one of a file',
  holder_id            BINARY(16)   NOT NULL COMMENT 'parent_id: of the workspace; else user.id: private',
  workspace_id         VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug of its workspace',
  agent_id             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug, in addresses and conversations',
  visibility           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private or workspace, as holder_id says',
  name                 VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  system_prompt        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its prompt; NULL: that of the installation',
  user_prompt          MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a first message to offer; NULL: none',
  llm_service_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: that of the workspace',
  tools                TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: names of tools and group:NAME; NULL: those of the workspace' CHECK (JSON_VALID(tools)),
  max_tool_iterations  BIGINT       NULL COMMENT 'rounds of tool calls in a turn; NULL: as the workspace has it',
  rag_enabled          TINYINT      NULL COMMENT '1: searches knowledge bases; NULL: not said',
  knowledge_base_ids   TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: ids of knowledge bases; NULL: none' CHECK (JSON_VALID(knowledge_base_ids)),
  rag_max_results      BIGINT       NULL COMMENT 'passages at most; NULL: not said',
  rag_min_score        DOUBLE       NULL COMMENT '0 to 1; NULL: not said',
  rerank_enabled       TINYINT      NULL COMMENT '1: passages are ranked again; NULL: not said',
  reranking_service_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: not said',
  rerank_max_results   BIGINT       NULL COMMENT 'passages behind the ranking; NULL: not said',
  author_id            BINARY(16)   NULL COMMENT 'who wrote system_prompt: user.id; NULL: unknown, or the installation',
  author               MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON {login, groups}: that user, and their groups when they wrote it; {}: the installation; NULL: unknown' CHECK (JSON_VALID(author)),
  bytes                INT UNSIGNED GENERATED ALWAYS AS (LENGTH(name) + COALESCE(LENGTH(description), 0) + COALESCE(LENGTH(system_prompt), 0) + COALESCE(LENGTH(user_prompt), 0) + COALESCE(LENGTH(tools), 0) + COALESCE(LENGTH(knowledge_base_ids), 0)) STORED COMMENT 'of its texts',
  folded               MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  UNIQUE KEY agent_agent_id (parent_id, holder_id, agent_id),
  KEY agent_holder (tenant_id, holder_id, id),
  KEY agent_service (tenant_id, llm_service_id),
  KEY agent_author (tenant_id, author_id),
  KEY agent_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='agents that people made';

-- LLM services made over the API, and services of users with keys of their own. Keys are
-- sealed (lib/secret): a copy of the database does not reveal them.
CREATE TABLE IF NOT EXISTS llm_service (
  id                     BINARY(16)       NOT NULL COMMENT 'UUID',
  tenant_id              VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug: whose it is',
  user_id                BINARY(16)       NOT NULL COMMENT 'who made it: user.id',
  version                BIGINT           NOT NULL COMMENT 'moved by every change, and when an agent or a workspace is bound to it',
  created_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  updated_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  sort_key               VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  service_id             VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug by which workspaces and agents name it',
  name                   VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  provider               VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'provider row',
  model                  VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider',
  url                    VARCHAR(2048)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'base URL; NULL: the provider''s own',
  api_key                VARBINARY(16448) NULL COMMENT 'sealed key; NULL: none',
  api_version            VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: the provider''s default',
  deployment             VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'Azure; NULL: that of the model',
  capabilities           TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names; NULL: chat and tools' CHECK (JSON_VALID(capabilities)),
  context_tokens         INT UNSIGNED     NULL COMMENT 'tokens of the context window; NULL: the default',
  max_output_tokens      INT UNSIGNED     NULL COMMENT 'tokens of the longest answer; NULL: the default',
  temperature            DOUBLE           NULL COMMENT '0 to 2; NULL: not sent',
  top_p                  DOUBLE           NULL COMMENT '0 to 1; NULL: not sent',
  reasoning_effort       VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'in the provider''s terms; NULL: not sent',
  thinking_budget_tokens INT UNSIGNED     NULL COMMENT 'tokens for thinking; NULL: off',
  connect_timeout_ms     INT UNSIGNED     NULL COMMENT 'ms to connect; NULL: the default',
  first_byte_timeout_ms  INT UNSIGNED     NULL COMMENT 'ms until the answer begins; NULL: the default',
  idle_timeout_ms        INT UNSIGNED     NULL COMMENT 'ms of silence within an answer; NULL: the default',
  total_timeout_ms       INT UNSIGNED     NULL COMMENT 'ms of the longest answer; NULL: the default',
  retries                TINYINT UNSIGNED NULL COMMENT 'new attempts; NULL: the default',
  fallbacks              TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of service ids; NULL: none' CHECK (JSON_VALID(fallbacks)),
  quirks                 TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object; NULL: those of the provider' CHECK (JSON_VALID(quirks)),
  folded                 MEDIUMBLOB       NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY llm_service_list (tenant_id, sort_key, id),
  UNIQUE KEY llm_service_service_id (tenant_id, service_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='LLM services of a tenant, made over the API';

CREATE TABLE IF NOT EXISTS provider_instance (
  id           BINARY(16)       NOT NULL COMMENT 'UUID',
  tenant_id    VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id      BINARY(16)       NOT NULL COMMENT 'whose it is: user.id',
  version      BIGINT           NOT NULL COMMENT 'moved by every change',
  created_us   BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  updated_us   BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  display_name VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as its user sees it',
  provider     VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'provider row',
  model        VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider',
  url          VARCHAR(2048)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'base URL; NULL: the provider''s own',
  api_key      VARBINARY(16448) NULL COMMENT 'sealed key; NULL: none',
  api_version  VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: the provider''s default',
  deployment   VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'Azure; NULL: that of the model',
  capabilities TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names; NULL: chat and tools' CHECK (JSON_VALID(capabilities)),
  agents       TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of "workspace/agent" whose turns it serves before the active one; NULL: none' CHECK (JSON_VALID(agents)),
  active       TINYINT UNSIGNED NULL COMMENT '1: used for its user''s calls; of several, the one changed last',
  PRIMARY KEY (id),
  KEY provider_instance_list (tenant_id, user_id, created_us, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='services of users, with keys of their own (BYOK)';

-- What users, groups and the tenant have set, one row for each of them.
CREATE TABLE IF NOT EXISTS setting (
  holder_id   BINARY(16)   NOT NULL COMMENT 'whose: user.id, or the id of a group or of the tenant, as prompt.holder_id',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  level       TINYINT      NOT NULL COMMENT '3 user, 4 team, 5 tenant',
  name        VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'login, name of the group, or tenant slug',
  version     BIGINT       NOT NULL COMMENT 'moved by every change',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  values_json MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON object: name of a setting (lib/setting/setting.def) to its value; read as a whole, never searched' CHECK (JSON_VALID(values_json)),
  author_id   BINARY(16)   NULL COMMENT 'who wrote team_prompt: user.id; NULL: unknown, or the installation',
  author      MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  PRIMARY KEY (holder_id),
  KEY setting_level (tenant_id, level, name),
  KEY setting_author (tenant_id, author_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='settings of users, groups and the tenant';

-- What an admin accepted of the tools that MCP servers offer.
CREATE TABLE IF NOT EXISTS mcp_pin (
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  server      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'key of mcp_servers in the configuration',
  tool        VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of the tool as the server says it',
  hash        BINARY(32)   NOT NULL COMMENT 'SHA-256 of definition',
  definition  MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'canonical JSON of name, description, schemas and hints as they were accepted' CHECK (JSON_VALID(definition)),
  accepted_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (tenant_id, server, tool)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='definitions of MCP tools that an admin, or the first use, accepted';

-- LLM services that the managers of a workspace make for it (B4). Keys are sealed, as those
-- of llm_service, whose columns they have, without those that only administrators set.
CREATE TABLE IF NOT EXISTS workspace_service (
  id                     BINARY(16)       NOT NULL COMMENT 'UUID',
  tenant_id              VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id                BINARY(16)       NOT NULL COMMENT 'who made it: user.id',
  version                BIGINT           NOT NULL COMMENT 'moved by every change, and when the workspace or an agent is bound to it',
  created_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  updated_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  parent_id              BINARY(16)       NOT NULL COMMENT 'whose it is: workspace.id',
  sort_key               VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  service_id             VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the id as text, by which the workspace and its agents name it',
  name                   VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  provider               VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'provider row',
  model                  VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider',
  url                    VARCHAR(2048)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'base URL; NULL: the provider''s own',
  api_key                VARBINARY(16448) NULL COMMENT 'sealed key; NULL: none',
  api_version            VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: the provider''s default',
  deployment             VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'Azure; NULL: that of the model',
  capabilities           TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names; NULL: chat and tools' CHECK (JSON_VALID(capabilities)),
  context_tokens         INT UNSIGNED     NULL COMMENT 'tokens of the context window; NULL: the default',
  max_output_tokens      INT UNSIGNED     NULL COMMENT 'tokens of the longest answer; NULL: the default',
  temperature            DOUBLE           NULL COMMENT '0 to 2; NULL: not sent',
  top_p                  DOUBLE           NULL COMMENT '0 to 1; NULL: not sent',
  reasoning_effort       VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'in the provider''s terms; NULL: not sent',
  thinking_budget_tokens INT UNSIGNED     NULL COMMENT 'tokens for thinking; NULL: off',
  folded                 MEDIUMBLOB       NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY workspace_service_list (tenant_id, parent_id, sort_key, id),
  KEY workspace_service_parent (parent_id),
  UNIQUE KEY workspace_service_service_id (tenant_id, service_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='LLM services of workspaces, made by those who manage them';

CREATE TABLE IF NOT EXISTS workspace_version (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'who made it so: user.id',
  version     BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)   NOT NULL COMMENT 'workspace.id',
  number      BIGINT       NOT NULL COMMENT 'version of the workspace, as shown',
  bytes       BIGINT       NOT NULL COMMENT 'of its texts, in UTF-8',
  name        VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as workspace.name',
  description TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as workspace.description',
  prompt      MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as workspace.prompt',
  replaced_us BIGINT       NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY workspace_version_list (tenant_id, parent_id, created_us, id),
  KEY workspace_version_parent (parent_id),
  KEY workspace_version_replaced (replaced_us),
  KEY workspace_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how workspaces read, version by version';

-- How agents that people made read, version by version; the newest is how they are now.
CREATE TABLE IF NOT EXISTS agent_version (
  id            BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id     VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id       BINARY(16)   NOT NULL COMMENT 'who made it so: user.id',
  version       BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us    BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us    BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id     BINARY(16)   NOT NULL COMMENT 'agent.id',
  number        BIGINT       NOT NULL COMMENT 'version of the agent, as shown',
  bytes         BIGINT       NOT NULL COMMENT 'of its texts, in UTF-8',
  name          VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as agent.name',
  description   TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.description',
  system_prompt MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.system_prompt',
  user_prompt   MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.user_prompt',
  replaced_us   BIGINT       NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY agent_version_list (tenant_id, parent_id, created_us, id),
  KEY agent_version_parent (parent_id),
  KEY agent_version_replaced (replaced_us),
  KEY agent_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how agents read, version by version';

-- ---- The catalogue of prompts --------------------------------------------------------------

-- Prompts of the tenant, of groups and of users. Sharing a prompt changes its row, so it
-- cannot be renamed or deleted on another node at the same moment.
CREATE TABLE IF NOT EXISTS prompt (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version        BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id      BINARY(16)   NOT NULL COMMENT 'whose it is: user.id, or the id of a group or of the tenant',
  sort_key       VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name           VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description    VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  icon           VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of an icon, or an emoji; NULL: none',
  colour         CHAR(7)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT '#rrggbb; NULL: none',
  body           MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the prompt, with its {{blanks}}',
  tier           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant',
  team           VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'group that holds a prompt of a team; else NULL',
  copied_from    BINARY(16)   NULL COMMENT 'the prompt that it was copied from; NULL: none',
  copied_version BIGINT       NULL COMMENT 'at which version, as shown; NULL: not a copy',
  shared         BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved when a share is made or taken back',
  author_id      BINARY(16)   NULL COMMENT 'who wrote body: user.id; NULL: unknown, or the installation',
  author         MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  folded         MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY prompt_holder (tenant_id, holder_id, id),
  KEY prompt_author (tenant_id, author_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='prompts to choose from: of users, groups and the tenant';

CREATE TABLE IF NOT EXISTS prompt_reader (
  tenant_id VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)       NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as prompt.sort_key',
  row_id    BINARY(16)       NOT NULL COMMENT 'prompt.id',
  role      TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY prompt_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which prompts, in the order of their names';

CREATE TABLE IF NOT EXISTS prompt_share (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who shared it: user.id',
  version    BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'prompt.id',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'whose members see it',
  PRIMARY KEY (id),
  KEY prompt_share_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY prompt_share_group_name (parent_id, group_name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='groups that prompts are shared with';

CREATE TABLE IF NOT EXISTS prompt_version (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'who wrote it: user.id',
  version     BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)   NOT NULL COMMENT 'prompt.id',
  number      BIGINT       NOT NULL COMMENT 'version of the prompt, as shown',
  name        VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as prompt.name',
  description VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as prompt.description',
  body        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as prompt.body',
  replaced_us BIGINT       NULL COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  bytes       BIGINT       NOT NULL DEFAULT 0 COMMENT 'of its texts, in UTF-8',
  PRIMARY KEY (id),
  KEY prompt_version_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY prompt_version_number (parent_id, number),
  KEY prompt_version_replaced (replaced_us),
  KEY prompt_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how prompts read, version by version';

-- Its list is read in its order: a unique key is not known to end with the id.
CREATE TABLE IF NOT EXISTS prompt_category (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug: whose it is',
  user_id     BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version     BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  sort_key    VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name        VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what is filed there; NULL: not said',
  icon        VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of an icon, or an emoji; NULL: none',
  colour      CHAR(7)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT '#rrggbb; NULL: none',
  folded      MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  UNIQUE KEY prompt_category_name (tenant_id, sort_key),
  KEY prompt_category_list (tenant_id, sort_key, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='categories of a tenant for its prompts';

CREATE TABLE IF NOT EXISTS prompt_in_category (
  row_id   BINARY(16) NOT NULL COMMENT 'prompt.id',
  other_id BINARY(16) NOT NULL COMMENT 'prompt_category.id',
  PRIMARY KEY (row_id, other_id),
  KEY prompt_in_category_other (other_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='which prompts are filed under which categories';

CREATE TABLE IF NOT EXISTS prompt_use (
  tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  prompt_id BINARY(16)  NOT NULL COMMENT 'prompt.id, or that of a shipped one',
  user_id   BINARY(16)  NOT NULL COMMENT 'who sent a message made from it: user.id',
  PRIMARY KEY (tenant_id, prompt_id, user_id),
  KEY prompt_use_prompt (prompt_id),
  KEY prompt_use_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who has used which prompts';

-- ---- Projects -----------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS project (
  id           BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id      BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version      BIGINT       NOT NULL COMMENT 'moved by every change of its own fields',
  created_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id    BINARY(16)   NOT NULL COMMENT 'whose: user.id, or the id of a group or of the tenant',
  sort_key     VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name, folded',
  name         VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its name',
  description  TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for',
  type_key     VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  state_key    VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  start_date   DATE         NULL COMMENT 'when it begins',
  due_date     DATE         NULL COMMENT 'when it shall end',
  tier         VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant: what holder_id is',
  team         VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'group that it belongs to; NULL: not the tier team',
  shared       BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved when its members change',
  tree_version BIGINT       NOT NULL DEFAULT 1 COMMENT 'moved when the tree of its documents changes',
  props        JSON         NULL COMMENT 'object; its members are declared in YAML, or were; NULL: it has none' CHECK (JSON_VALID(props)),
  others       TINYINT      NOT NULL DEFAULT 0 COMMENT '1: text of others may be in it: it came from a file, or an agent wrote after reading such text',
  deleted_us   BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: it is not deleted',
  folded       MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY project_holder (tenant_id, holder_id, id),
  KEY project_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='projects';

CREATE TABLE IF NOT EXISTS project_reader (
  tenant_id VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)       NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as project.sort_key',
  row_id    BINARY(16)       NOT NULL COMMENT 'project.id',
  role      TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes it and what is below it; 3: it is theirs',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY project_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which projects';

CREATE TABLE IF NOT EXISTS project_member (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)   NOT NULL COMMENT 'project.id',
  member_id  BINARY(16)   NULL COMMENT 'user.id; NULL: it is a group',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a group; NULL: it is a person',
  reader_id  BINARY(16)   NOT NULL COMMENT 'project_reader.reader_id',
  role       VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'viewer, editor or owner',
  PRIMARY KEY (id),
  UNIQUE KEY project_member_reader_id (parent_id, reader_id),
  KEY project_member_list (tenant_id, parent_id, created_us, id),
  KEY project_member_parent (parent_id),
  KEY project_member_top (top_id),
  KEY project_member_user (tenant_id, user_id),
  KEY project_member_person (tenant_id, member_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who works on projects besides their owners';

CREATE TABLE IF NOT EXISTS entity (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version        BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id      BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id         BINARY(16)   NOT NULL COMMENT 'project.id',
  kind           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'document, task, goal, plan, milestone, risk or requirement',
  title          VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its title',
  description    TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is',
  type_key       VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  state_key      VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  owner_id       BINARY(16)   NULL COMMENT 'who is responsible: user.id',
  priority       VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of tasks and requirements',
  start_date     DATE         NULL COMMENT 'of tasks and plans: when it begins',
  due_date       DATE         NULL COMMENT 'when it shall be done or reached',
  done_date      DATE         NULL COMMENT 'of tasks and milestones: when it was done or reached',
  likelihood     VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of risks',
  impact         VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of risks',
  mitigation     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of risks: what is done about it',
  acceptance     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of requirements: when it is met',
  under_id       BINARY(16)   NULL COMMENT 'of documents: entity.id of the one above it in the tree; NULL: at the top',
  place          BIGINT       NULL COMMENT 'of documents: order among those under the same one',
  linked         BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by links, so that they conflict with a deletion on another node',
  content_length BIGINT       NULL COMMENT 'of documents: characters of the content',
  content_bytes  BIGINT       NULL COMMENT 'of documents: bytes of the content',
  bytes          BIGINT       GENERATED ALWAYS AS (LENGTH(title) + COALESCE(LENGTH(description), 0) + COALESCE(LENGTH(mitigation), 0) + COALESCE(LENGTH(acceptance), 0) + COALESCE(content_bytes, 0)) STORED COMMENT 'of its texts',
  props          JSON         NULL COMMENT 'as project.props' CHECK (JSON_VALID(props)),
  folded         MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY entity_list (tenant_id, parent_id, kind, created_us, id),
  KEY entity_updated (tenant_id, parent_id, kind, updated_us, id),
  KEY entity_due (tenant_id, parent_id, kind, due_date, id),
  KEY entity_owner (tenant_id, owner_id, due_date, id),
  KEY entity_parent (parent_id),
  KEY entity_top (top_id),
  KEY entity_under (under_id),
  KEY entity_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what is in projects: seven kinds';

CREATE TABLE IF NOT EXISTS entity_content (
  row_id BINARY(16) NOT NULL COMMENT 'entity.id of a document',
  top_id BINARY(16) NOT NULL COMMENT 'project.id',
  text   MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its content, Markdown',
  PRIMARY KEY (row_id),
  KEY entity_content_top (top_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of documents';

CREATE TABLE IF NOT EXISTS entity_version (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it so: user.id',
  version        BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id      BINARY(16)   NOT NULL COMMENT 'entity.id of a document',
  top_id         BINARY(16)   NOT NULL COMMENT 'project.id',
  number         BIGINT       NOT NULL COMMENT 'version of the document, as shown',
  bytes          BIGINT       NOT NULL COMMENT 'of its texts, in UTF-8',
  title          VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as entity.title',
  description    TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as entity.description',
  entity_content MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as entity_content.text',
  replaced_us    BIGINT       NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY entity_version_list (tenant_id, parent_id, created_us, id),
  KEY entity_version_parent (parent_id),
  KEY entity_version_top (top_id),
  KEY entity_version_replaced (replaced_us),
  KEY entity_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how documents read, version by version';

CREATE TABLE IF NOT EXISTS entity_edge (
  id         BINARY(16)  NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)  NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT      NOT NULL COMMENT 'moved by every change',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)  NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)  NOT NULL COMMENT 'project.id',
  from_id    BINARY(16)  NOT NULL COMMENT 'entity.id',
  to_id      BINARY(16)  NOT NULL COMMENT 'entity.id',
  relation   VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  PRIMARY KEY (id),
  UNIQUE KEY entity_edge_to_id (from_id, to_id, relation),
  KEY entity_edge_list (tenant_id, parent_id, created_us, id),
  KEY entity_edge_parent (parent_id),
  KEY entity_edge_top (top_id),
  KEY entity_edge_end (to_id),
  KEY entity_edge_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how what is in a project belongs together';

CREATE TABLE IF NOT EXISTS entity_due (
  base_id   BINARY(16)  NOT NULL COMMENT 'project.id, and search_base.id',
  row_id    BINARY(16)  NOT NULL COMMENT 'entity.id or project.id; there may be none any more',
  tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  changes   BIGINT      NOT NULL COMMENT 'moved by every change while it waits',
  PRIMARY KEY (base_id, row_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what of projects the index does not have as it is now';

-- What was changed, when and by whom: in projects also what it was before, elsewhere who is told.
CREATE TABLE IF NOT EXISTS resource_change (
  id              BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'who changed it: user.id',
  version         BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id       BINARY(16)   NOT NULL DEFAULT '' COMMENT 'project.id; zero: it is not in one',
  top_id          BINARY(16)   NOT NULL DEFAULT '' COMMENT 'project.id; zero: it is not in one',
  kind            VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as entity.kind, or project or edge; elsewhere what those who read it read again',
  row_id          BINARY(16)   NOT NULL COMMENT 'id of what was changed; it may be gone',
  title           VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its title then; of an edge: its relation; elsewhere empty',
  verb            VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'create, update, delete or move',
  number          BIGINT       NOT NULL COMMENT 'its version after the change, as shown; deleted: before it',
  fields          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array: keys of the fields that have other values now',
  turn_id         BINARY(16)   NULL COMMENT 'of the agent that made it; NULL: a person did, or the conversation is gone',
  conversation_id BINARY(16)   NULL COMMENT 'conversation.id of that turn; NULL: as turn_id',
  undoes          BINARY(16)   NULL COMMENT 'resource_change.id of what it takes back',
  before_json     MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object: the values of these fields before; deleted: all of them',
  bytes           BIGINT       GENERATED ALWAYS AS (COALESCE(LENGTH(before_json), 0)) STORED COMMENT 'of before_json',
  can_undo        TINYINT      NOT NULL DEFAULT 1 COMMENT '1: what it was before is known, and nobody has taken the change back',
  readers         MEDIUMBLOB   NULL COMMENT 'not in a project: ids, each of 16 bytes, of those who read it; NULL: those of the project',
  announced_us         BIGINT       NULL COMMENT 'us since 1970 UTC, of rows with readers: they are deleted soon',
  PRIMARY KEY (id),
  KEY resource_change_announced (announced_us),
  KEY resource_change_list (tenant_id, parent_id, created_us, id),
  KEY resource_change_created (created_us),
  KEY resource_change_parent (parent_id),
  KEY resource_change_top (top_id),
  KEY resource_change_conversation (conversation_id),
  KEY resource_change_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='changes of what is stored, of which others are told';

-- The words of titles in projects, for pickers: what begins as somebody types.
CREATE TABLE IF NOT EXISTS entity_word (
  base_id BINARY(16)  NOT NULL COMMENT 'project.id',
  head    VARCHAR(2)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its first two characters',
  word    VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a word in lower case, its first 32 characters',
  row_id  BINARY(16)  NOT NULL COMMENT 'entity.id, or project.id',
  PRIMARY KEY (base_id, head, word, row_id),
  KEY entity_word_row (base_id, row_id, word)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='words of titles in projects';

-- Deleted projects that can be restored: their readers meanwhile.
CREATE TABLE IF NOT EXISTS project_bin (
  tenant_id VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)       NOT NULL COMMENT 'as project_reader.reader_id',
  row_id    BINARY(16)       NOT NULL COMMENT 'project.id of a deleted one',
  sort_key  VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as project.sort_key',
  role      TINYINT UNSIGNED NOT NULL COMMENT 'as project_reader.role',
  PRIMARY KEY (tenant_id, reader_id, row_id),
  KEY project_bin_row (row_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who saw deleted projects';

-- ---- Calendars ----------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS event (
  id           BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id      BINARY(16)   NOT NULL COMMENT 'whose it is, or who made it in a project: user.id',
  version      BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id    BINARY(16)   NOT NULL DEFAULT '' COMMENT 'project.id; of a user: the nil id',
  top_id       BINARY(16)   NOT NULL DEFAULT '' COMMENT 'as parent_id',
  kind         VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'own or project',
  title        VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its title',
  description  TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is about',
  location     VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'where it is',
  starts       VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'on the clocks of its zone, 2027-03-01T09:00; a day: for whole days',
  ends         VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'in the same form; of whole days: the last one',
  zone         VARCHAR(63)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'time zone; NULL: whole days',
  rrule        VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'RRULE of RFC 5545; NULL: once',
  skipped      TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: days on which it is not repeated',
  type_key     VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  state_key    VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  series_id    BINARY(16)   NULL COMMENT 'event.id of what it is an occurrence of that was changed alone',
  occurrence   DATE         NULL COMMENT 'the day that it had there',
  starts_us    BIGINT       NOT NULL COMMENT 'us since 1970 UTC: the first time; of whole days at midnight UTC',
  ends_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC: when that ends',
  recurs_until BIGINT       NOT NULL COMMENT 'us since 1970 UTC: no occurrence ends later',
  uid          VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'UID of the calendar file that it was read from',
  bytes        BIGINT       GENERATED ALWAYS AS (LENGTH(title) + COALESCE(LENGTH(description), 0) + COALESCE(LENGTH(location), 0) + COALESCE(LENGTH(skipped), 0)) STORED COMMENT 'of its texts',
  PRIMARY KEY (id),
  KEY event_own (tenant_id, user_id, kind, created_us, id),
  KEY event_own_starts (tenant_id, user_id, kind, starts_us, id),
  KEY event_own_updated (tenant_id, user_id, kind, updated_us, id),
  KEY event_own_until (tenant_id, user_id, kind, recurs_until),
  KEY event_list (tenant_id, parent_id, kind, created_us, id),
  KEY event_starts (tenant_id, parent_id, kind, starts_us, id),
  KEY event_updated (tenant_id, parent_id, kind, updated_us, id),
  KEY event_until (tenant_id, parent_id, kind, recurs_until),
  KEY event_series (series_id),
  KEY event_parent (parent_id),
  KEY event_top (top_id),
  KEY event_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='events of users and of projects';

CREATE TABLE IF NOT EXISTS project_calendar (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)   NOT NULL COMMENT 'project.id',
  name       VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: that of the project',
  colour     VARCHAR(7)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT '#rrggbb',
  zone       VARCHAR(63)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'time zone of events that name none',
  visibility VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'viewer, editor or owner: from which role on events are seen',
  PRIMARY KEY (id),
  UNIQUE KEY project_calendar_parent (parent_id),
  UNIQUE KEY project_calendar_top (top_id),
  KEY project_calendar_list (tenant_id, parent_id, created_us, id),
  KEY project_calendar_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='calendars of projects: one each';

-- ---- Files ---------------------------------------------------------------------------------

-- A content is stored once for each holder, in pieces, however many attachments have it. One
-- process at a time reads the images of a file (scan_until_us), because a service is paid per
-- page.
CREATE TABLE IF NOT EXISTS stored_file (
  id            BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id     VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id       BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  created_us    BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  size          BIGINT       NOT NULL DEFAULT 0 COMMENT 'bytes that are stored',
  hash          BINARY(32)   NULL COMMENT 'BLAKE2b-256 of the content; NULL: it is not complete, or is being deleted',
  media_type    VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'by its content; NULL: it is not complete',
  place         VARCHAR(120) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'file below the directory of file_dir; NULL: it is in file_piece',
  pages         BIGINT       NULL COMMENT 'pages, slides or sheets; NULL: it has none',
  problem       VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why there is no text, a sentence; NULL: there is, or none is expected',
  text          MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its text as Markdown with page marks; NULL: none',
  text_chars    BIGINT       NULL COMMENT 'characters of text; NULL: none',
  unread_page   BIGINT       NULL COMMENT 'first page, from 1, that is an image whose text was not recognised; NULL: none',
  scan_until_us BIGINT       NULL COMMENT 'us since 1970 UTC: until when only the process that set it reads its images; NULL: none does',
  uses          BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by each attachment that takes it, so that it cannot be deleted meanwhile',
  dropped_us    BIGINT       NULL COMMENT 'us since 1970 UTC: no attachment has it, and it is being deleted; NULL: it is not',
  bytes         BIGINT       GENERATED ALWAYS AS (IF(dropped_us IS NULL, size + COALESCE(LENGTH(text), 0), 0)) STORED COMMENT 'that count for its owner: of the content and its text; 0: it is being deleted',
  PRIMARY KEY (id),
  UNIQUE KEY stored_file_hash (tenant_id, user_id, hash),
  KEY stored_file_size (tenant_id, user_id, size),
  KEY stored_file_dropped (dropped_us),
  KEY stored_file_bytes (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of attachments; file/sweep.c deletes them';

CREATE TABLE IF NOT EXISTS file_piece (
  file_id BINARY(16) NOT NULL COMMENT 'stored_file.id',
  start   BIGINT     NOT NULL COMMENT 'bytes of the file before this piece',
  data    MEDIUMBLOB NOT NULL COMMENT 'the piece, at most 256 KiB',
  PRIMARY KEY (file_id, start)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of attachments, in pieces';

CREATE TABLE IF NOT EXISTS attachment (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  version     BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  name        VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what the user calls it, for show only',
  size        BIGINT       NOT NULL COMMENT 'bytes that have arrived',
  state       VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'uploading or ready',
  media_type  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'as stored_file has it',
  pages       BIGINT       NULL COMMENT 'as stored_file has it',
  text_chars  BIGINT       NULL COMMENT 'as stored_file has it',
  unread_page BIGINT       NULL COMMENT 'as stored_file has it',
  problem     VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as stored_file has it',
  file_id     BINARY(16)   NOT NULL COMMENT 'stored_file.id',
  expires_us  BIGINT       NULL COMMENT 'us since 1970 UTC: deleted then; NULL: it was sent with a message',
  PRIMARY KEY (id),
  KEY attachment_list (tenant_id, user_id, created_us, id),
  KEY attachment_file (file_id),
  KEY attachment_expires (expires_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='files that users have uploaded; file/sweep.c deletes them';

CREATE TABLE IF NOT EXISTS attachment_use (
  id              BINARY(16) NOT NULL COMMENT 'UUID',
  attachment_id   BINARY(16) NOT NULL COMMENT 'attachment.id',
  conversation_id BINARY(16) NULL COMMENT 'conversation.id whose messages have it; NULL: that is deleted',
  PRIMARY KEY (id),
  UNIQUE KEY attachment_use_conversation (conversation_id, attachment_id),
  KEY attachment_use_attachment (attachment_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='the conversations that attachments belong to';

-- ---- Knowledge bases -----------------------------------------------------------------------

-- Sharing a base changes its row, as for prompts.
CREATE TABLE IF NOT EXISTS knowledge_base (
  id                   BINARY(16)   NOT NULL COMMENT 'UUID; of its search_base too',
  tenant_id            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id              BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version              BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us           BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us           BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id            BINARY(16)   NOT NULL COMMENT 'whose it is: user.id, or the id of a group or of the tenant',
  sort_key             VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name                 VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description          VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what is in it; NULL: not said',
  language             VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of its documents: en, de, …, or none',
  workspace_id         VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the workspace that it is for; NULL: all',
  tier                 VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant',
  team                 VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'group that holds a base of a team; else NULL',
  paused               TINYINT      NULL COMMENT '1: new documents wait; else they are indexed',
  shared               BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved when a share is made or taken back',
  embedding_service_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'LLM service that makes vectors; NULL: that of the configuration, if any',
  folded               MEDIUMBLOB   NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: it was written before its resource was searched, until migrate has run',
  PRIMARY KEY (id),
  KEY knowledge_base_holder (tenant_id, holder_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='collections of documents: of users, groups and the tenant';

CREATE TABLE IF NOT EXISTS knowledge_base_reader (
  tenant_id VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)       NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as knowledge_base.sort_key',
  row_id    BINARY(16)       NOT NULL COMMENT 'knowledge_base.id',
  role      TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY knowledge_base_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which knowledge bases, in the order of their names';

CREATE TABLE IF NOT EXISTS knowledge_base_share (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who shared it: user.id',
  version    BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'knowledge_base.id',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'whose members see it',
  PRIMARY KEY (id),
  KEY knowledge_base_share_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY knowledge_base_share_group_name (parent_id, group_name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='groups that knowledge bases are shared with';

-- A document that is a file has an attachment whose user_id is the id of its base, so a base
-- stores each content once, and only the routes of its documents reach it. The job knowledge-
-- index extracts its text.
CREATE TABLE IF NOT EXISTS document (
  id            BINARY(16)    NOT NULL COMMENT 'UUID',
  tenant_id     VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  base_id       BINARY(16)    NOT NULL COMMENT 'knowledge_base.id',
  user_id       BINARY(16)    NOT NULL COMMENT 'who wrote it last: user.id',
  version       BIGINT        NOT NULL COMMENT 'moved by every change of what it says',
  created_us    BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  updated_us    BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  external_id   VARCHAR(190)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the id that its writer knows it by; NULL: none',
  title         VARCHAR(200)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  url           VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'where it is from; NULL: not said',
  groups        TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: groups that see it, sorted; none: all who see the base' CHECK (JSON_VALID(groups)),
  audience      SMALLINT      NOT NULL COMMENT 'search_audience.no of these groups',
  status        TINYINT       NOT NULL COMMENT '0 queued, 1 ready, 2 failed',
  error         VARCHAR(300)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it failed; else NULL',
  bytes         INT UNSIGNED  NOT NULL COMMENT 'of its text',
  chunks        INT UNSIGNED  NOT NULL COMMENT 'passages that it has in the index',
  embed_error   VARCHAR(300)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it has no vectors; else NULL',
  attachment_id BINARY(16)    NULL COMMENT 'its file: attachment.id; NULL: it was written as text',
  unread        TINYINT       NOT NULL DEFAULT 0 COMMENT '1: the text must still be taken from the file',
  file_name     VARCHAR(200)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of the file, for show only; NULL: none',
  file_size     BIGINT        NULL COMMENT 'bytes of the file; NULL: none',
  media_type    VARCHAR(100)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of the file, by its content; NULL: none, or not read yet',
  pages         BIGINT        NULL COMMENT 'of the file; NULL: it has none, or is not read yet',
  tries         INT           NOT NULL DEFAULT 0 COMMENT 'runs in a row that began to index it and did not get to its result; 0: none',
  index_bytes   BIGINT        NOT NULL DEFAULT 0 COMMENT 'of its rows in the index, without vectors; 0: it is not there',
  PRIMARY KEY (id),
  UNIQUE KEY document_external_id (base_id, external_id),
  KEY document_list (base_id, created_us, id),
  KEY document_status (base_id, status, id),
  KEY document_audience (base_id, audience),
  KEY document_writer (tenant_id, user_id, base_id, bytes, file_size, index_bytes, chunks)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='documents of knowledge bases';

CREATE TABLE IF NOT EXISTS document_text (
  document_id BINARY(16) NOT NULL COMMENT 'document.id',
  base_id     BINARY(16) NOT NULL COMMENT 'knowledge_base.id',
  text        MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'Markdown; a form feed begins a page',
  PRIMARY KEY (document_id),
  KEY document_text_base (base_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what documents say';

-- Where documents come from: directories, tables and sites that the configuration names
-- (knowledge.sources), and what was read of them.
CREATE TABLE IF NOT EXISTS knowledge_source (
  tenant_id      VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  name           VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'key in knowledge.sources',
  base_id        BINARY(16)  NOT NULL COMMENT 'knowledge_base.id that its documents are in',
  run            BIGINT      NOT NULL COMMENT 'number of the last run, from 1',
  going          TINYINT     NOT NULL COMMENT 'how far the run is: 0 ended, 1 looking, 2 looking where something could not be read, 3 deleting',
  place          BLOB        NOT NULL COMMENT 'how far it is: a path or a key',
  begun_us       BIGINT      NULL COMMENT 'us since 1970 UTC',
  ended_us       BIGINT      NULL COMMENT 'us since 1970 UTC; NULL: the last run did not end',
  created        BIGINT      NOT NULL COMMENT 'documents that the run made',
  changed        BIGINT      NOT NULL COMMENT 'that it wrote again',
  same           BIGINT      NOT NULL COMMENT 'that were as before',
  gone           BIGINT      NOT NULL COMMENT 'that it deleted',
  failed         BIGINT      NOT NULL COMMENT 'files or rows that could not be read',
  faults         TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a sentence a line, cut at LIM_INTAKE_FAULTS',
  next_us        BIGINT      NULL COMMENT 'us since 1970 UTC: no request to the site before it',
  left_us        BIGINT      NULL COMMENT 'us since 1970 UTC: since when the configuration does not name it; NULL: it does',
  lease_by       BINARY(16)  NULL COMMENT 'the run that reads it',
  lease_until_us BIGINT      NULL COMMENT 'us since 1970 UTC: until when no other may; NULL: none reads it',
  origin         BINARY(32)  NULL COMMENT 'BLAKE2b of the directory, select or addresses that the run reads',
  PRIMARY KEY (tenant_id, name),
  KEY knowledge_source_base (base_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sources of knowledge bases';

CREATE TABLE IF NOT EXISTS knowledge_source_item (
  base_id     BINARY(16)  NOT NULL COMMENT 'knowledge_base.id',
  source      VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'knowledge_source.name',
  item        BINARY(32)  NOT NULL COMMENT 'BLAKE2b of the path or the key',
  run         BIGINT      NOT NULL COMMENT 'the last one that saw it',
  stamp       BINARY(32)  NOT NULL COMMENT 'BLAKE2b of what tells without reading that it is the same: size and time, or changed and groups',
  content     BINARY(32)  NOT NULL COMMENT 'BLAKE2b of what was written',
  document_id BINARY(16)  NOT NULL COMMENT 'document.id',
  PRIMARY KEY (base_id, source, item)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='files and rows that documents of knowledge bases were made of';

CREATE TABLE IF NOT EXISTS knowledge_source_page (
  base_id   BINARY(16)     NOT NULL COMMENT 'knowledge_base.id',
  source    VARCHAR(64)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'knowledge_source.name',
  item      BINARY(32)     NOT NULL COMMENT 'SHA-256 of the address',
  url       VARCHAR(2000)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its address',
  depth     TINYINT        NOT NULL COMMENT '0 page; from 1: sitemap, and how deep it stands; -1: the rules of a site',
  run       BIGINT         NOT NULL COMMENT 'the last one that listed it',
  todo      TINYINT        NOT NULL COMMENT 'for that run: 2 a sitemap to read, 1 a page to read, 0 it is done',
  lastmod   VARCHAR(40)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what the sitemap says of it',
  read_mod  VARCHAR(40)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the same when it was read last',
  etag      VARBINARY(256) NOT NULL COMMENT 'ETag when it was read last',
  modified  VARBINARY(64)  NOT NULL COMMENT 'Last-Modified when it was read last',
  bytes     BIGINT         NOT NULL COMMENT 'what that run read of it',
  rules     MEDIUMBLOB     NULL COMMENT 'robots.txt',
  same_as   BINARY(32)     NULL COMMENT 'item of the page that it named instead of itself in that run; NULL: none',
  listed    BIGINT         NULL COMMENT 'how many entries of this sitemap are listed, while only a part of it is; NULL: none',
  listed_of BINARY(32)     NULL COMMENT 'BLAKE2b of all entries, when listed was set',
  PRIMARY KEY (base_id, source, item),
  KEY knowledge_source_page_todo (base_id, source, todo)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='addresses of sites that documents of knowledge bases are made of';

-- ---- The search index ----------------------------------------------------------------------

-- All rows of the index are clustered by base. Numbers of chunks rise and are never used
-- again; the chunks of a document have consecutive numbers. How much a base holds is kept with
-- every document that is written or deleted, under the lock of the base.
CREATE TABLE IF NOT EXISTS search_base (
  id             BINARY(16)   NOT NULL COMMENT 'knowledge_base.id',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  language       VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of its stems; none: words as they are',
  next_chunk     BIGINT       NOT NULL COMMENT 'number of the next chunk',
  version        BIGINT       NOT NULL COMMENT 'moved by every change of what can be found',
  parts          BIGINT       NOT NULL COMMENT 'batches that were written since blocks were merged',
  merge_term     BIGINT       NULL COMMENT 'merging has come up to this term; NULL: it is not under way',
  model          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'that made the vectors; NULL: there are none',
  dimension      SMALLINT     NULL COMMENT 'of the vectors',
  vectors        BIGINT       NOT NULL COMMENT 'how many there are',
  dead           TINYINT      NOT NULL COMMENT '1: its rows are being deleted',
  documents      BIGINT       NOT NULL DEFAULT 0 COMMENT 'that the base has',
  document_bytes BIGINT       NOT NULL DEFAULT 0 COMMENT 'of their texts',
  stale          TINYINT      NOT NULL DEFAULT 0 COMMENT '1: vectors of another model are being deleted',
  embed_error    VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why vectors could not be made last time; else NULL',
  index_bytes    BIGINT       NOT NULL DEFAULT 0 COMMENT 'search_document.bytes of all, until their rows are deleted',
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one row for each index; writers of the index lock it';

CREATE TABLE IF NOT EXISTS search_audience (
  base_id BINARY(16) NOT NULL COMMENT 'search_base.id',
  no      SMALLINT   NOT NULL COMMENT '0: everybody who sees the base',
  groups  TEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: names of groups, sorted' CHECK (JSON_VALID(groups)),
  chunks  BIGINT     NOT NULL COMMENT 'of documents that can be found',
  words   BIGINT     NOT NULL COMMENT 'in these chunks',
  PRIMARY KEY (base_id, no)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sets of groups that documents are for';

CREATE TABLE IF NOT EXISTS search_document (
  base_id     BINARY(16)   NOT NULL COMMENT 'search_base.id',
  first       INT UNSIGNED NOT NULL COMMENT 'its first chunk',
  n           INT UNSIGNED NOT NULL COMMENT 'how many chunks',
  state       TINYINT      NOT NULL COMMENT '0 being written, 1 can be found, 2 being deleted',
  audience    SMALLINT     NOT NULL COMMENT 'search_audience.no',
  document_id BINARY(16)   NOT NULL COMMENT 'of whoever owns it',
  words       BIGINT       NOT NULL COMMENT 'in all its chunks',
  terms       MEDIUMBLOB   NOT NULL COMMENT 'its terms, 8 bytes each, little-endian, rising',
  embed       TINYINT      NOT NULL DEFAULT 0 COMMENT '0 vectors are missing, 1 all are there, 2 the service refused a text',
  embedded    INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'of its chunks, from the first on, have vectors',
  bytes       BIGINT       NOT NULL DEFAULT 0 COMMENT 'of its rows in the index, without vectors',
  PRIMARY KEY (base_id, first),
  KEY search_document_id (base_id, document_id),
  KEY search_document_state (base_id, state, first, n),
  KEY search_document_embed (base_id, embed, state, first),
  KEY search_document_of (document_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='documents in the index; what it takes to get one out again';

-- The headings of passages are stored once, at the first of consecutive passages that have
-- them.
CREATE TABLE IF NOT EXISTS search_heading (
  base_id BINARY(16)    NOT NULL COMMENT 'search_base.id',
  chunk   INT UNSIGNED  NOT NULL COMMENT 'first search_chunk.chunk that has them',
  text    VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'headings above it',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='headings of passages';

CREATE TABLE IF NOT EXISTS search_chunk (
  base_id    BINARY(16)   NOT NULL COMMENT 'search_base.id',
  chunk      INT UNSIGNED NOT NULL COMMENT 'number in the base',
  first      INT UNSIGNED NOT NULL COMMENT 'search_document.first',
  page       INT          NOT NULL COMMENT 'where it begins; 0: the document has no pages',
  at         INT UNSIGNED NOT NULL COMMENT 'byte of the text of the document where it begins',
  heading_of INT UNSIGNED NULL COMMENT 'search_heading.chunk of its headings; NULL: it has none',
  text       MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it says',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='passages';

CREATE TABLE IF NOT EXISTS search_post (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  term     BIGINT       NOT NULL COMMENT 'hash of a word, 63 bits',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no of all its chunks',
  first    INT UNSIGNED NOT NULL COMMENT 'first chunk of the block',
  last     INT UNSIGNED NOT NULL COMMENT 'last chunk of the block',
  n        INT          NOT NULL COMMENT 'postings in it',
  data     BLOB         NOT NULL COMMENT 'the postings, see lib/search/post.h',
  PRIMARY KEY (base_id, term, audience, first)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='blocks of postings';

CREATE TABLE IF NOT EXISTS search_vector (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  chunk    INT UNSIGNED NOT NULL COMMENT 'search_chunk.chunk',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no',
  data     BLOB         NOT NULL COMMENT 'float32, little-endian, of length 1',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='vectors of chunks';

CREATE TABLE IF NOT EXISTS search_bits (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no of all its chunks',
  first    INT UNSIGNED NOT NULL COMMENT 'first chunk of the block',
  last     INT UNSIGNED NOT NULL COMMENT 'last chunk of the block',
  n        INT          NOT NULL COMMENT 'vectors in it',
  data     MEDIUMBLOB   NOT NULL COMMENT 'n chunks of 4 bytes, padded to 8, then the signs of each',
  PRIMARY KEY (base_id, audience, first)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sign bits of vectors, in blocks that are read as a whole';
