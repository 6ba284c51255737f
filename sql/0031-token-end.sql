-- Tokens that ended are deleted after a time (the tidy job finds them by their
-- end), and a user's list reads no revoked ones, however many there are.

ALTER TABLE api_token
  ADD COLUMN IF NOT EXISTS ended_us BIGINT AS (LEAST(COALESCE(revoked_us, 9223372036854775807), COALESCE(expires_us, 9223372036854775807))) PERSISTENT COMMENT 'us since 1970 UTC: revoked or expired, whichever is first; 2^63-1: neither';

CREATE INDEX IF NOT EXISTS api_token_ended ON api_token (ended_us);

CREATE INDEX IF NOT EXISTS api_token_live ON api_token (tenant_id, user_id, revoked_us, created_us, id);

DROP INDEX IF EXISTS api_token_user ON api_token;
