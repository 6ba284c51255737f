-- SPDX-License-Identifier: MIT
-- The words of titles in projects, for pickers: what begins as somebody types.
CREATE TABLE IF NOT EXISTS entity_word (
  base_id BINARY(16)  NOT NULL COMMENT 'project.id',
  head    VARCHAR(2)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its first two characters',
  word    VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a word in lower case, its first 32 characters',
  row_id  BINARY(16)  NOT NULL COMMENT 'entity.id, or project.id',
  PRIMARY KEY (base_id, head, word, row_id),
  KEY entity_word_row (base_id, row_id, word)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='words of titles in projects';
INSERT INTO entity_due (base_id, row_id, tenant_id, changes)
  SELECT top_id, id, tenant_id, 1 FROM entity
  ON DUPLICATE KEY UPDATE changes = entity_due.changes + 1;
INSERT INTO entity_due (base_id, row_id, tenant_id, changes)
  SELECT id, id, tenant_id, 1 FROM project
  ON DUPLICATE KEY UPDATE changes = entity_due.changes + 1;
