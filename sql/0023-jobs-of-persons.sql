-- SPDX-License-Identifier: MIT
-- Jobs are taken in turns between the persons who asked for them, and counted for them.
ALTER TABLE job
  ADD COLUMN IF NOT EXISTS user_id BINARY(16) NULL COMMENT 'user.id of the person who asked; NULL: the installation itself, or several persons' AFTER tenant_id,
  ADD COLUMN IF NOT EXISTS taken TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: somebody took it and runs it until due_us, then it is due; counted for the person' AFTER attempts,
  ADD KEY IF NOT EXISTS job_person (user_id, due_us),
  ADD KEY IF NOT EXISTS job_running (user_id, taken);
