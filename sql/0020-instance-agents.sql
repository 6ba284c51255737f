-- SPDX-License-Identifier: MIT
-- Provider instances for some agents of their user (E33).
ALTER TABLE provider_instance
  ADD COLUMN IF NOT EXISTS agents TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of "workspace/agent" whose turns it serves before the active one; NULL: none' CHECK (JSON_VALID(agents)) AFTER capabilities;
