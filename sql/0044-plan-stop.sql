-- SPDX-License-Identifier: MIT
-- A step of a plan that is stopped while it runs.
ALTER TABLE plan_step
  ADD COLUMN IF NOT EXISTS stop_us BIGINT NULL COMMENT 'us since 1970 UTC: the user stopped it while it ran; NULL: no' AFTER ended_us;
