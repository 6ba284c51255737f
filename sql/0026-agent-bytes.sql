-- SPDX-License-Identifier: MIT
-- What agents count for the user who made them (lib/hold/stored.h).
ALTER TABLE agent
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(name) + COALESCE(LENGTH(description), 0) + COALESCE(LENGTH(system_prompt), 0) + COALESCE(LENGTH(user_prompt), 0) + COALESCE(LENGTH(tools), 0) + COALESCE(LENGTH(knowledge_base_ids), 0)) STORED COMMENT 'of its texts',
  ADD KEY IF NOT EXISTS agent_bytes (tenant_id, user_id, bytes);
