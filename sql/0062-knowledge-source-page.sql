-- Sites as sources of knowledge bases: the addresses of one, what was read of them,
-- and sources that the configuration does not name any more.

ALTER TABLE knowledge_source
  ADD COLUMN IF NOT EXISTS next_us BIGINT NULL COMMENT 'us since 1970 UTC: no request to the site before it',
  ADD COLUMN IF NOT EXISTS left_us BIGINT NULL COMMENT 'us since 1970 UTC: since when the configuration does not name it; NULL: it does',
  ADD COLUMN IF NOT EXISTS lease_by BINARY(16) NULL COMMENT 'the run that reads it',
  ADD COLUMN IF NOT EXISTS lease_until_us BIGINT NULL COMMENT 'us since 1970 UTC: until when no other may; NULL: none reads it',
  ADD COLUMN IF NOT EXISTS origin BINARY(32) NULL COMMENT 'BLAKE2b of the directory, select or addresses that the run reads';

CREATE TABLE IF NOT EXISTS knowledge_source_page (
  base_id   BINARY(16)    NOT NULL COMMENT 'knowledge_base.id',
  source    VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'knowledge_source.name',
  item      BINARY(32)    NOT NULL COMMENT 'SHA-256 of the address',
  url       VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its address',
  depth     TINYINT       NOT NULL COMMENT '0 page; from 1: sitemap, and how deep it stands; -1: the rules of a site',
  run       BIGINT        NOT NULL COMMENT 'the last one that listed it',
  todo      TINYINT       NOT NULL COMMENT 'for that run: 2 a sitemap to read, 1 a page to read, 0 it is done',
  lastmod   VARCHAR(40)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what the sitemap says of it',
  read_mod  VARCHAR(40)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the same when it was read last',
  etag      VARBINARY(256) NOT NULL COMMENT 'ETag when it was read last',
  modified  VARBINARY(64) NOT NULL COMMENT 'Last-Modified when it was read last',
  bytes     BIGINT        NOT NULL COMMENT 'what that run read of it',
  rules     MEDIUMBLOB    NULL COMMENT 'robots.txt',
  PRIMARY KEY (base_id, source, item),
  KEY knowledge_source_page_todo (base_id, source, todo)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='addresses of sites that documents of knowledge bases are made of';
