-- SPDX-License-Identifier: MIT
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
