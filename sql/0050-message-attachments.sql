ALTER TABLE message
  ADD COLUMN IF NOT EXISTS attachments TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'JSON array of the files that were sent with it, as in meta; NULL: none';
