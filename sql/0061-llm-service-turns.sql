-- Timeouts, retries, quirks and fallbacks of LLM services that were made over the API.
ALTER TABLE llm_service
  ADD COLUMN IF NOT EXISTS connect_timeout_ms    INT UNSIGNED NULL COMMENT 'ms to connect; NULL: the default',
  ADD COLUMN IF NOT EXISTS first_byte_timeout_ms INT UNSIGNED NULL COMMENT 'ms until the answer begins; NULL: the default',
  ADD COLUMN IF NOT EXISTS idle_timeout_ms       INT UNSIGNED NULL COMMENT 'ms of silence within an answer; NULL: the default',
  ADD COLUMN IF NOT EXISTS total_timeout_ms      INT UNSIGNED NULL COMMENT 'ms of the longest answer; NULL: the default',
  ADD COLUMN IF NOT EXISTS retries               TINYINT UNSIGNED NULL COMMENT 'new attempts; NULL: the default',
  ADD COLUMN IF NOT EXISTS fallbacks             TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of service ids; NULL: none' CHECK (JSON_VALID(fallbacks)),
  ADD COLUMN IF NOT EXISTS quirks                TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object; NULL: those of the provider' CHECK (JSON_VALID(quirks));
