-- Where documents of knowledge bases come from: directories and tables that the
-- configuration names (knowledge.sources), and what was read of them.

CREATE TABLE IF NOT EXISTS knowledge_source (
  tenant_id VARCHAR(64)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  name      VARCHAR(64)    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'key in knowledge.sources',
  base_id   BINARY(16)     NOT NULL COMMENT 'knowledge_base.id that its documents are in',
  run       BIGINT         NOT NULL COMMENT 'number of the last run, from 1',
  going     TINYINT        NOT NULL COMMENT 'how far the run is: 0 ended, 1 looking, 2 looking where something could not be read, 3 deleting',
  place     BLOB           NOT NULL COMMENT 'how far it is: a path or a key',
  begun_us  BIGINT         NULL     COMMENT 'us since 1970 UTC',
  ended_us  BIGINT         NULL     COMMENT 'us since 1970 UTC; NULL: the last run did not end',
  made      BIGINT         NOT NULL COMMENT 'documents that the run made',
  changed   BIGINT         NOT NULL COMMENT 'that it wrote again',
  same      BIGINT         NOT NULL COMMENT 'that were as before',
  gone      BIGINT         NOT NULL COMMENT 'that it deleted',
  failed    BIGINT         NOT NULL COMMENT 'files or rows that could not be read',
  faults    TEXT           CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a sentence a line, cut at LIM_INTAKE_FAULTS',
  PRIMARY KEY (tenant_id, name),
  KEY knowledge_source_base (base_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sources of knowledge bases';

CREATE TABLE IF NOT EXISTS knowledge_source_item (
  base_id     BINARY(16)  NOT NULL COMMENT 'knowledge_base.id',
  source      VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'knowledge_source.name',
  item        BINARY(32)  NOT NULL COMMENT 'BLAKE2b of the path or the key',
  run         BIGINT      NOT NULL COMMENT 'the last one that saw it',
  stamp       BINARY(32)  NOT NULL COMMENT 'BLAKE2b of what tells without reading that it is the same: size and time, or changed and groups',
  content     BINARY(32)  NOT NULL COMMENT 'BLAKE2b of what was written',
  document_id BINARY(16)  NOT NULL COMMENT 'document.id',
  PRIMARY KEY (base_id, source, item)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='files and rows that documents of knowledge bases were made of';
