-- Which prompt of the catalogue a message was made from.
ALTER TABLE message
  ADD COLUMN IF NOT EXISTS prompt_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL
  COMMENT 'prompt.id as text, or that of a shipped one, as in meta; NULL: none';
