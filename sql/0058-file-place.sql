ALTER TABLE stored_file
  ADD COLUMN IF NOT EXISTS place VARCHAR(120) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL
  COMMENT 'file below the directory of file_dir; NULL: it is in file_piece' AFTER media_type;
