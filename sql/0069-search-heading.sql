-- The headings of passages stand once, at the first passage in a row that has them.

CREATE TABLE IF NOT EXISTS search_heading (
  base_id BINARY(16)    NOT NULL COMMENT 'search_base.id',
  chunk   INT UNSIGNED  NOT NULL COMMENT 'first search_chunk.chunk that has them',
  text    VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'headings above it',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='headings of passages';

ALTER TABLE search_chunk
  ADD COLUMN IF NOT EXISTS heading_of INT UNSIGNED NULL COMMENT 'search_heading.chunk of its headings; NULL: it has none, or was written by an older version' AFTER at,
  MODIFY heading VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'headings above it, in rows of older versions; else empty';
