-- SPDX-License-Identifier: MIT
-- What a reader may do with a shared row, and with what is below it.
ALTER TABLE workspace_reader
  ADD COLUMN IF NOT EXISTS role TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs';
ALTER TABLE prompt_reader
  ADD COLUMN IF NOT EXISTS role TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs';
ALTER TABLE knowledge_base_reader
  ADD COLUMN IF NOT EXISTS role TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes what is below it; 3: it is theirs';
UPDATE workspace_reader r JOIN workspace w ON w.id = r.row_id AND w.holder_id = r.reader_id
  SET r.role = 3;
UPDATE prompt_reader r JOIN prompt p ON p.id = r.row_id AND p.holder_id = r.reader_id
  SET r.role = 3;
UPDATE knowledge_base_reader r JOIN knowledge_base k ON k.id = r.row_id
  AND k.holder_id = r.reader_id SET r.role = 3;
