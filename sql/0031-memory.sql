-- SPDX-License-Identifier: MIT
-- What is remembered of a conversation beyond its newest messages (docs/memory.md).
CREATE TABLE IF NOT EXISTS conversation_memory (
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  number          INT UNSIGNED NOT NULL COMMENT '1, 2, ...: the version; of the rows of a path the greatest is the one of now',
  seen_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq of the last message that it knows; it belongs to the paths that have this message',
  upto_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq of the last message that the summary replaces; 0: none',
  replaces        INT UNSIGNED NULL COMMENT 'number of the version that it was made from; NULL: none',
  why             TINYINT UNSIGNED NOT NULL COMMENT '1 turns, 2 characters, 3 budget: folded for that reason; 4 results of tools; 5 changed by the user; 6 removed by the user',
  summary         MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what was said before; empty: nothing is remembered',
  state           MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: the AgentState without its sessionId; NULL: empty' CHECK (JSON_VALID(state)),
  kept            VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'JSON array: message.seq of those up to upto_seq that are still sent whole; NULL: none' CHECK (JSON_VALID(kept)),
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text it was made from, besides the user; NULL: nobody else' CHECK (JSON_VALID(origins)),
  service         VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of the LLM service that wrote it; NULL: none',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  bytes           INT UNSIGNED GENERATED ALWAYS AS (LENGTH(summary) + COALESCE(LENGTH(state), 0)) STORED COMMENT 'of summary and state',
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
