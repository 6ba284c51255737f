-- Whose text the model had read when it asked for a call. Text of others counts
-- as long as it is sent, which the rows that are sent say themselves.

ALTER TABLE turn_wait
  ADD COLUMN IF NOT EXISTS origins TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'JSON [{kind, name}]: whose text the model had read; NULL: not an approval, or of an older version' AFTER reason;

ALTER TABLE tool_output
  ADD COLUMN IF NOT EXISTS origins TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'JSON [{kind, name}]: whose text it is; NULL: the tool says it' AFTER content;

ALTER TABLE conversation
  MODIFY COLUMN tainted TINYINT UNSIGNED NOT NULL DEFAULT 0
  COMMENT 'of older versions, which set and read it; rows of results say it now';
