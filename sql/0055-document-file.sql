-- Documents that are files. The file is an attachment whose user_id is the id of the
-- knowledge base, so a base has each content once, and only the routes of its
-- documents reach it. The job knowledge-index takes the text out of it.

ALTER TABLE document
  ADD COLUMN IF NOT EXISTS attachment_id BINARY(16)   NULL COMMENT 'its file: attachment.id; NULL: it was written as text',
  ADD COLUMN IF NOT EXISTS unread        TINYINT      NOT NULL DEFAULT 0 COMMENT '1: the text must still be taken from the file',
  ADD COLUMN IF NOT EXISTS file_name     VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of the file, for show only; NULL: none',
  ADD COLUMN IF NOT EXISTS file_size     BIGINT       NULL COMMENT 'bytes of the file; NULL: none',
  ADD COLUMN IF NOT EXISTS media_type    VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of the file, by its content; NULL: none, or not read yet',
  ADD COLUMN IF NOT EXISTS pages         BIGINT       NULL COMMENT 'of the file; NULL: it has none, or is not read yet';
