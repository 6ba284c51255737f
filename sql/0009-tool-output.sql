-- Results of tools that were too long for the model, to be read page by page.

CREATE TABLE IF NOT EXISTS tool_output (
  id              BINARY(16)   NOT NULL COMMENT 'UUIDv7, which the model is told',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'whose call it was: user.id',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id; deleted with it',
  tool            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the tool',
  content         MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the result, at most 4 MiB of it',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC; kept for a day',
  PRIMARY KEY (id),
  KEY tool_output_conversation (conversation_id, id),
  KEY tool_output_created (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='long results of tools';
