-- SPDX-License-Identifier: MIT
-- What else counts for its user (lib/hold/stored.h): many conversations with titles and
-- tags, the tools of a page in each turn, and what turns wait for.
ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (COALESCE(LENGTH(title), 0) + COALESCE(LENGTH(tags), 0) + COALESCE(LENGTH(knowledge_base_ids), 0)) STORED COMMENT 'of its title, tags and ids of knowledge bases',
  ADD KEY IF NOT EXISTS conversation_bytes (tenant_id, user_id, bytes);
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (COALESCE(LENGTH(client), 0)) STORED COMMENT 'of client',
  ADD KEY IF NOT EXISTS turn_bytes (conversation_id, bytes);
ALTER TABLE turn_wait
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(args) + COALESCE(LENGTH(edited), 0) + COALESCE(LENGTH(result), 0)) STORED COMMENT 'of what was asked and answered',
  ADD KEY IF NOT EXISTS turn_wait_bytes (tenant_id, user_id, bytes);
