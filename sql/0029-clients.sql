-- SPDX-License-Identifier: MIT
-- Conversations of programs that send the whole thread with each request (store/prefix.h).
ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS client VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'program that it belongs to, as it is called; NULL: it is the user''s own';
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
