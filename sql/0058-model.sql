-- SPDX-License-Identifier: MIT
-- A model's name may be as long in a row as in a file.
ALTER TABLE llm_service
  MODIFY COLUMN model VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider';
ALTER TABLE workspace_service
  MODIFY COLUMN model VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider';
ALTER TABLE provider_instance
  MODIFY COLUMN model VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider';
