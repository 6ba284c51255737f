-- What model calls cost. Never prompt or answer text.

CREATE TABLE IF NOT EXISTS usage_record (
  id                 BINARY(16)       NOT NULL COMMENT 'UUIDv7',
  tenant_id          VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id            BINARY(16)       NOT NULL COMMENT 'who caused it: user.id',
  kind               TINYINT UNSIGNED NOT NULL COMMENT '1 chat turn, 2 single-shot completion, 3 title',
  workspace_id       VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'workspace slug',
  agent_id           VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'agent slug; NULL: none',
  conversation_id    BINARY(16)       NULL     COMMENT 'conversation.id; NULL: none, or it was deleted',
  turn_id            BINARY(16)       NULL     COMMENT 'turn.id; NULL: none, or it was deleted',
  turn_number        INT UNSIGNED     NOT NULL DEFAULT 0 COMMENT 'of the conversation, from 1; 0: none',
  provider           VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'provider row',
  model              VARCHAR(190)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as the server named it',
  input_tokens       INT UNSIGNED     NULL     COMMENT 'not cached input; NULL: unknown',
  cache_read_tokens  INT UNSIGNED     NULL     COMMENT 'input read from a cache; NULL: unknown',
  cache_write_tokens INT UNSIGNED     NULL     COMMENT 'input written to a cache; NULL: unknown',
  output_tokens      INT UNSIGNED     NULL     COMMENT 'all output; NULL: unknown',
  reasoning_tokens   INT UNSIGNED     NULL     COMMENT 'part of output_tokens; NULL: unknown',
  cost               DOUBLE           NULL     COMMENT 'in the currency of the provider; NULL: unknown',
  estimated          TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: the counters are our estimate',
  iterations         INT UNSIGNED     NOT NULL DEFAULT 0 COMMENT 'model calls',
  ttft_ms            INT UNSIGNED     NULL     COMMENT 'ms to the first token; NULL: there was none',
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
