-- SPDX-License-Identifier: MIT
-- What a token may do at most, and when it was used.
ALTER TABLE api_token
  ADD COLUMN IF NOT EXISTS read_only TINYINT NOT NULL DEFAULT 0 COMMENT '1: it asks agents and reads, and changes nothing else; no tools that change something',
  ADD COLUMN IF NOT EXISTS approve TINYINT NOT NULL DEFAULT 0 COMMENT '1: it may decide approvals, if its user may',
  ADD COLUMN IF NOT EXISTS agents TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of workspace and workspace/agent: those only; NULL: all' CHECK (agents IS NULL OR JSON_VALID(agents)),
  ADD COLUMN IF NOT EXISTS tools TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names of tools: those only; NULL: all' CHECK (tools IS NULL OR JSON_VALID(tools)),
  ADD COLUMN IF NOT EXISTS used_us BIGINT NULL COMMENT 'us since 1970 UTC, to ten minutes: when it was used last; NULL: never';
