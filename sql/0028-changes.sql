-- SPDX-License-Identifier: MIT
-- What was changed in projects, when and by whom, and what it was before.
CREATE TABLE IF NOT EXISTS project_change (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'who changed it: user.id',
  version     BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id      BINARY(16)   NOT NULL COMMENT 'project.id',
  kind        VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as entity.kind, or project or edge',
  row_id      BINARY(16)   NOT NULL COMMENT 'id of what was changed; it may be gone',
  title       VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its title then; of an edge: its relation',
  verb        VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'create, update, delete or move',
  number      BIGINT       NOT NULL COMMENT 'its version after the change, as shown; deleted: before it',
  fields      TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array: keys of the fields that have other values now',
  turn_id     BINARY(16)   NULL COMMENT 'of the agent that made it; NULL: a person did, or the conversation is gone',
  conversation_id BINARY(16) NULL COMMENT 'conversation.id of that turn; NULL: as turn_id',
  undoes      BINARY(16)   NULL COMMENT 'project_change.id of what it takes back',
  before_json MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object: the values of these fields before; deleted: all of them',
  bytes       BIGINT       GENERATED ALWAYS AS (COALESCE(LENGTH(before_json), 0)) STORED COMMENT 'of before_json',
  PRIMARY KEY (id),
  KEY project_change_list (tenant_id, parent_id, created_us, id),
  KEY project_change_created (created_us),
  KEY project_change_parent (parent_id),
  KEY project_change_top (top_id),
  KEY project_change_conversation (conversation_id),
  KEY project_change_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='changes of what is in projects';
