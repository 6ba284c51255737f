-- Which LLM service answered, by the id that people know it by.

ALTER TABLE usage_record
  ADD COLUMN IF NOT EXISTS service_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of the LLM service; own: one of the user; NULL: not known' AFTER turn_number;
