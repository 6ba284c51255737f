-- SPDX-License-Identifier: MIT
-- Whether all in a project is of its owner alone. What is known of no older one is not.
ALTER TABLE project
  ADD COLUMN IF NOT EXISTS others TINYINT NOT NULL DEFAULT 1 COMMENT '1: text of others may be in it: it came from a file, or an agent wrote after reading such text';
ALTER TABLE project ALTER COLUMN others SET DEFAULT 0;
