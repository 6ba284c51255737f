-- SPDX-License-Identifier: MIT
-- Programs that use OpenAI's Responses API delete responses one by one.
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS response_gone TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: a program has deleted its response (docs/openai-server.md); the last one of a conversation takes that along';
