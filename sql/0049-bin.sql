-- SPDX-License-Identifier: MIT
-- Deleted projects that can be restored, and which changes can be taken back.
ALTER TABLE project
  ADD COLUMN IF NOT EXISTS deleted_us BIGINT NULL COMMENT 'us since 1970 UTC; NULL: it is not deleted';
CREATE TABLE IF NOT EXISTS project_bin (
  tenant_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)   NOT NULL COMMENT 'as project_reader.reader_id',
  row_id    BINARY(16)   NOT NULL COMMENT 'project.id of a deleted one',
  sort_key  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as project.sort_key',
  role      TINYINT UNSIGNED NOT NULL COMMENT 'as project_reader.role',
  PRIMARY KEY (tenant_id, reader_id, row_id),
  KEY project_bin_row (row_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who saw deleted projects';
ALTER TABLE project_change
  ADD COLUMN IF NOT EXISTS can_undo TINYINT NOT NULL DEFAULT 1 COMMENT '1: what it was before is known, and nobody has taken the change back';
UPDATE project_change SET can_undo = 0 WHERE verb <> 'create' AND before_json IS NULL;
UPDATE project_change c JOIN (SELECT undoes FROM project_change WHERE undoes IS NOT NULL) u
  ON c.id = u.undoes SET c.can_undo = 0;
