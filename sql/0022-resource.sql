-- Tokens have what all resources have: a version, times, and their user's list.

ALTER TABLE api_token
  ADD COLUMN IF NOT EXISTS version    BIGINT NOT NULL DEFAULT 0 COMMENT 'moved by every change' AFTER groups,
  ADD COLUMN IF NOT EXISTS updated_us BIGINT NOT NULL DEFAULT 0 COMMENT 'us since 1970 UTC; 0: made by an older version' AFTER created_us;

UPDATE api_token SET updated_us = created_us WHERE updated_us = 0;

CREATE INDEX IF NOT EXISTS api_token_user ON api_token (tenant_id, user_id, created_us, id);
