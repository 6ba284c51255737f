-- Files that users upload. A content is stored once for each user (stored_file,
-- in pieces), however many attachments have it.

CREATE TABLE IF NOT EXISTS stored_file (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  size        BIGINT       NOT NULL DEFAULT 0 COMMENT 'bytes that are stored',
  hash        BINARY(32)   NULL COMMENT 'BLAKE2b-256 of the content; NULL: it is not complete, or is being deleted',
  media_type  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'by its content; NULL: it is not complete',
  pages       BIGINT       NULL COMMENT 'pages, slides or sheets; NULL: it has none',
  problem     VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why there is no text, a sentence; NULL: there is, or none is expected',
  text        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its text as Markdown with page marks; NULL: none',
  text_chars  BIGINT       NULL COMMENT 'characters of text; NULL: none',
  uses        BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by each attachment that takes it, so that it cannot be deleted meanwhile',
  dropped_us  BIGINT       NULL COMMENT 'us since 1970 UTC: no attachment has it, and it is being deleted; NULL: it is not',
  PRIMARY KEY (id),
  UNIQUE KEY stored_file_hash (tenant_id, user_id, hash),
  KEY stored_file_size (tenant_id, user_id, size),
  KEY stored_file_dropped (dropped_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of attachments; file/sweep.c deletes them';

CREATE TABLE IF NOT EXISTS file_piece (
  file_id BINARY(16) NOT NULL COMMENT 'stored_file.id',
  start   BIGINT     NOT NULL COMMENT 'bytes of the file before this piece',
  data    MEDIUMBLOB NOT NULL COMMENT 'the piece, at most 256 KiB',
  PRIMARY KEY (file_id, start)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of attachments, in pieces';

CREATE TABLE IF NOT EXISTS attachment (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  name       VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what the user calls it, for show only',
  size       BIGINT       NOT NULL COMMENT 'bytes that have arrived',
  state      VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'uploading or ready',
  media_type VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'as stored_file has it',
  pages      BIGINT       NULL COMMENT 'as stored_file has it',
  text_chars BIGINT       NULL COMMENT 'as stored_file has it',
  problem    VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as stored_file has it',
  file_id    BINARY(16)   NOT NULL COMMENT 'stored_file.id',
  expires_us BIGINT       NULL COMMENT 'us since 1970 UTC: deleted then; NULL: it was sent with a message',
  PRIMARY KEY (id),
  KEY attachment_list (tenant_id, user_id, created_us, id),
  KEY attachment_file (file_id),
  KEY attachment_expires (expires_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='files that users have uploaded; file/sweep.c deletes them';

CREATE TABLE IF NOT EXISTS attachment_use (
  id              BINARY(16) NOT NULL COMMENT 'UUID',
  attachment_id   BINARY(16) NOT NULL COMMENT 'attachment.id',
  conversation_id BINARY(16) NULL COMMENT 'conversation.id whose messages have it; NULL: that is deleted',
  PRIMARY KEY (id),
  UNIQUE KEY attachment_use_conversation (conversation_id, attachment_id),
  KEY attachment_use_attachment (attachment_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='the conversations that attachments belong to';
