-- SPDX-License-Identifier: MIT
-- What plans count for their users (lib/hold/stored.h).
ALTER TABLE plan
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(goal) + LENGTH(plan) + LENGTH(progress)) STORED COMMENT 'of its texts',
  ADD KEY IF NOT EXISTS plan_bytes (tenant_id, user_id, bytes);
ALTER TABLE plan_step
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (COALESCE(LENGTH(result), 0)) STORED COMMENT 'of its result',
  ADD KEY IF NOT EXISTS plan_step_bytes (conversation_id, bytes);
ALTER TABLE plan_call
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(args) + COALESCE(LENGTH(said), 0) + COALESCE(LENGTH(result), 0)) STORED COMMENT 'of its texts',
  ADD KEY IF NOT EXISTS plan_call_bytes (conversation_id, bytes);
