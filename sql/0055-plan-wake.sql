-- SPDX-License-Identifier: MIT
-- Plans that were cut go on without their user: whose rights a job has then, and how often.
ALTER TABLE plan
  ADD COLUMN IF NOT EXISTS rights TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: the identity of the last request that ran it (lib/auth/saved.h); NULL: no job runs it' CHECK (rights IS NULL OR JSON_VALID(rights)),
  ADD COLUMN IF NOT EXISTS asked_us BIGINT NOT NULL DEFAULT 0 COMMENT 'us since 1970 UTC: of that request; 0: none',
  ADD COLUMN IF NOT EXISTS wakes INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often a job has gone on with it since a step or call of it ended, or since that request',
  ADD COLUMN IF NOT EXISTS woken_at INT UNSIGNED NULL COMMENT 'how many steps and calls of it had ended when a job went on with it last; NULL: none has';
