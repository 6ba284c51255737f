-- The index of knowledge bases: chunks of documents, postings of their words, and
-- vectors. All rows are clustered by base. A chunk's number rises and is never used
-- again; the chunks of a document have numbers in a row.

CREATE TABLE IF NOT EXISTS search_base (
  id         BINARY(16)   NOT NULL COMMENT 'knowledge_base.id',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  language   VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of its stems; none: words as they are',
  next_chunk BIGINT       NOT NULL COMMENT 'number of the next chunk',
  version    BIGINT       NOT NULL COMMENT 'moved by every change of what can be found',
  parts      BIGINT       NOT NULL COMMENT 'batches that were written since blocks were merged',
  merge_term BIGINT       NULL COMMENT 'merging has come up to this term; NULL: it is not under way',
  model      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'that made the vectors; NULL: there are none',
  dimension  SMALLINT     NULL COMMENT 'of the vectors',
  vectors    BIGINT       NOT NULL COMMENT 'how many there are',
  dead       TINYINT      NOT NULL COMMENT '1: its rows are being deleted',
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one row for each index; writers of the index lock it';

CREATE TABLE IF NOT EXISTS search_audience (
  base_id BINARY(16) NOT NULL COMMENT 'search_base.id',
  no      SMALLINT   NOT NULL COMMENT '0: everybody who sees the base',
  groups  TEXT       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: names of groups, sorted' CHECK (JSON_VALID(groups)),
  chunks  BIGINT     NOT NULL COMMENT 'of documents that can be found',
  words   BIGINT     NOT NULL COMMENT 'in these chunks',
  PRIMARY KEY (base_id, no)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sets of groups that documents are for';

CREATE TABLE IF NOT EXISTS search_document (
  base_id     BINARY(16)   NOT NULL COMMENT 'search_base.id',
  first       INT UNSIGNED NOT NULL COMMENT 'its first chunk',
  n           INT UNSIGNED NOT NULL COMMENT 'how many chunks',
  state       TINYINT      NOT NULL COMMENT '0 being written, 1 can be found, 2 being deleted',
  audience    SMALLINT     NOT NULL COMMENT 'search_audience.no',
  document_id BINARY(16)   NOT NULL COMMENT 'of whoever owns it',
  words       BIGINT       NOT NULL COMMENT 'in all its chunks',
  terms       MEDIUMBLOB   NOT NULL COMMENT 'its terms, 8 bytes each, little-endian, rising',
  PRIMARY KEY (base_id, first),
  KEY search_document_id (base_id, document_id),
  KEY search_document_state (base_id, state, first, n)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='documents in the index; what it takes to get one out again';

CREATE TABLE IF NOT EXISTS search_chunk (
  base_id BINARY(16)    NOT NULL COMMENT 'search_base.id',
  chunk   INT UNSIGNED  NOT NULL COMMENT 'number in the base',
  first   INT UNSIGNED  NOT NULL COMMENT 'search_document.first',
  page    INT           NOT NULL COMMENT 'where it begins; 0: the document has no pages',
  at      INT UNSIGNED  NOT NULL COMMENT 'byte of the text of the document where it begins',
  heading VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'headings above it',
  text    MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it says',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='passages';

CREATE TABLE IF NOT EXISTS search_post (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  term     BIGINT       NOT NULL COMMENT 'hash of a word, 63 bits',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no of all its chunks',
  first    INT UNSIGNED NOT NULL COMMENT 'first chunk of the block',
  last     INT UNSIGNED NOT NULL COMMENT 'last chunk of the block',
  n        INT          NOT NULL COMMENT 'postings in it',
  data     BLOB         NOT NULL COMMENT 'the postings, see lib/search/post.h',
  PRIMARY KEY (base_id, term, audience, first)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='blocks of postings';

CREATE TABLE IF NOT EXISTS search_vector (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  chunk    INT UNSIGNED NOT NULL COMMENT 'search_chunk.chunk',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no',
  data     BLOB         NOT NULL COMMENT 'float32, little-endian, of length 1',
  PRIMARY KEY (base_id, chunk)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='vectors of chunks';

CREATE TABLE IF NOT EXISTS search_bits (
  base_id  BINARY(16)   NOT NULL COMMENT 'search_base.id',
  audience SMALLINT     NOT NULL COMMENT 'search_audience.no of all its chunks',
  first    INT UNSIGNED NOT NULL COMMENT 'first chunk of the block',
  last     INT UNSIGNED NOT NULL COMMENT 'last chunk of the block',
  n        INT          NOT NULL COMMENT 'vectors in it',
  data     MEDIUMBLOB   NOT NULL COMMENT 'n chunks of 4 bytes, padded to 8, then the signs of each',
  PRIMARY KEY (base_id, audience, first)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='sign bits of vectors, in blocks that are read as a whole';
