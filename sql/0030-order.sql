-- SPDX-License-Identifier: MIT
-- Order in many conversations: what is pinned, archived, tagged, and in which folder. Those
-- that are archived, and those of programs, have lists of their own.
ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS archived TINYINT NOT NULL DEFAULT 0 COMMENT '1: it is in the list of archived ones',
  ADD COLUMN IF NOT EXISTS shelf TINYINT GENERATED ALWAYS AS (IF(archived = 1, 1, IF(client IS NULL, 0, 2))) STORED COMMENT 'its list. 0: the user''s own; 1: archived; 2: of programs',
  ADD COLUMN IF NOT EXISTS pinned_us BIGINT NULL COMMENT 'us since 1970 UTC: since when it is pinned; NULL: it is not',
  ADD COLUMN IF NOT EXISTS folder_id BINARY(16) NULL COMMENT 'conversation_folder.id; NULL: in none',
  ADD COLUMN IF NOT EXISTS tags TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a line each, with a line end also before the first; NULL: none',
  DROP KEY IF EXISTS conversation_list,
  ADD KEY IF NOT EXISTS conversation_shelf (tenant_id, user_id, shelf, updated_us, id),
  ADD KEY IF NOT EXISTS conversation_pinned (tenant_id, user_id, pinned_us),
  ADD KEY IF NOT EXISTS conversation_folder (folder_id);
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
  PRIMARY KEY (id),
  KEY conversation_folder_list (tenant_id, user_id, sort_key, id),
  KEY conversation_folder_under (under_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='folders of conversations';
