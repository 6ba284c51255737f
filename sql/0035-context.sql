-- SPDX-License-Identifier: MIT
-- Where the user of a conversation is: what its next message takes that does not say it.
ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS context_type VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'a context type of tool/core/pool.def; NULL: by project_id',
  ADD COLUMN IF NOT EXISTS project_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'project.id as text; there may be none any more; NULL: none',
  ADD COLUMN IF NOT EXISTS focus_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'entity.id as text, which the user looks at; NULL: none';
