-- Knowledge bases and their documents. What can be searched is in the tables of
-- 0047; a document is there when its status says so.

CREATE TABLE IF NOT EXISTS knowledge_base (
  id           BINARY(16)   NOT NULL COMMENT 'UUID; of its search_base too',
  tenant_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id      BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version      BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us   BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id    BINARY(16)   NOT NULL COMMENT 'whose it is: user.id, or the id of a group or of the tenant',
  sort_key     VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name         VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description  VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what is in it; NULL: not said',
  language     VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'of its documents: en, de, …, or none',
  workspace_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the workspace that it is for; NULL: all',
  tier         VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant',
  team         VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'group that holds a base of a team; else NULL',
  paused       TINYINT      NULL COMMENT '1: new documents wait; else they are indexed',
  PRIMARY KEY (id),
  KEY knowledge_base_holder (tenant_id, holder_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='collections of documents: of users, groups and the tenant';

CREATE TABLE IF NOT EXISTS knowledge_base_reader (
  tenant_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)   NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as knowledge_base.sort_key',
  row_id    BINARY(16)   NOT NULL COMMENT 'knowledge_base.id',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY knowledge_base_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which knowledge bases, in the order of their names';

CREATE TABLE IF NOT EXISTS knowledge_base_share (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who shared it: user.id',
  version    BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'knowledge_base.id',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'whose members see it',
  PRIMARY KEY (id),
  KEY knowledge_base_share_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY knowledge_base_share_group_name (parent_id, group_name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='groups that knowledge bases are shared with';

CREATE TABLE IF NOT EXISTS document (
  id          BINARY(16)    NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  base_id     BINARY(16)    NOT NULL COMMENT 'knowledge_base.id',
  user_id     BINARY(16)    NOT NULL COMMENT 'who wrote it last: user.id',
  version     BIGINT        NOT NULL COMMENT 'moved by every change of what it says',
  created_us  BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  external_id VARCHAR(190)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the id that its writer knows it by; NULL: none',
  title       VARCHAR(200)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  url         VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'where it is from; NULL: not said',
  groups      TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: groups that see it, sorted; none: all who see the base' CHECK (JSON_VALID(groups)),
  audience    SMALLINT      NOT NULL COMMENT 'search_audience.no of these groups',
  status      TINYINT       NOT NULL COMMENT '0 queued, 1 ready, 2 failed',
  error       VARCHAR(300)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it failed; else NULL',
  bytes       INT UNSIGNED  NOT NULL COMMENT 'of its text',
  chunks      INT UNSIGNED  NOT NULL COMMENT 'passages that it has in the index',
  PRIMARY KEY (id),
  UNIQUE KEY document_external_id (base_id, external_id),
  KEY document_list (base_id, created_us, id),
  KEY document_status (base_id, status, id),
  KEY document_audience (base_id, audience)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='documents of knowledge bases';

CREATE TABLE IF NOT EXISTS document_text (
  document_id BINARY(16) NOT NULL COMMENT 'document.id',
  base_id     BINARY(16) NOT NULL COMMENT 'knowledge_base.id',
  text        MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'Markdown; a form feed begins a page',
  PRIMARY KEY (document_id),
  KEY document_text_base (base_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what documents say';
