-- SPDX-License-Identifier: MIT
-- Shares of conversations that are a link, which needs no sign-on. Those before are of
-- people and groups.
ALTER TABLE conversation_share
  ADD COLUMN IF NOT EXISTS kind VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL DEFAULT 'named' COMMENT 'named: of a person or a group; link: of all who have its link',
  ADD KEY IF NOT EXISTS conversation_share_kind (tenant_id, kind, created_us, id);
