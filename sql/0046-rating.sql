-- SPDX-License-Identifier: MIT
-- How users rated the answers that they got.
CREATE TABLE IF NOT EXISTS rating (
  id              BINARY(16)    NOT NULL COMMENT 'UUID',
  tenant_id       VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)    NOT NULL COMMENT 'who rated: user.id',
  version         BIGINT        NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  conversation_id BINARY(16)    NOT NULL COMMENT 'conversation.id',
  message_id      VARCHAR(48)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the answer: conversation and number',
  value           VARCHAR(8)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'good or bad',
  reasons         TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of words; NULL: none' CHECK (JSON_VALID(reasons)),
  comment         TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'in words of the user; NULL: none',
  with_text       TINYINT       NOT NULL COMMENT '1: question and answer are shown to who reads all ratings',
  turn_id         BINARY(16)    NULL COMMENT 'turn.id of the answer; NULL: it was copied',
  workspace_id    VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of the conversation',
  agent_id        VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of the answer, or of the conversation',
  model           VARCHAR(200)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'that wrote it; NULL: not known',
  finish_reason   VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it ended; NULL: not known',
  documents       TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of ids: the documents that it was given' CHECK (JSON_VALID(documents)),
  question        MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was asked, if with_text',
  answer          MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the answer, if with_text',
  PRIMARY KEY (id),
  UNIQUE KEY rating_message_id (tenant_id, user_id, message_id),
  KEY rating_list (tenant_id, user_id, created_us, id),
  KEY rating_all (tenant_id, created_us, id),
  KEY rating_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='ratings of answers';
