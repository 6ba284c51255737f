-- SPDX-License-Identifier: MIT
-- Conversations that others may read. upto_seq NULL: also what is said later.
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
  PRIMARY KEY (id),
  UNIQUE KEY conversation_share_reader_id (conversation_id, reader_id),
  KEY conversation_share_list (tenant_id, user_id, created_us, id),
  KEY conversation_share_conversation (tenant_id, user_id, conversation_id, id),
  KEY conversation_share_readers (tenant_id, reader_id, id),
  KEY conversation_share_person (tenant_id, member_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who may read whose conversations';
