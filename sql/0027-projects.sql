-- SPDX-License-Identifier: MIT
-- Projects, who works on them, and what is in them.
CREATE TABLE IF NOT EXISTS project (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version     BIGINT       NOT NULL COMMENT 'moved by every change of its own fields',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id   BINARY(16)   NOT NULL COMMENT 'whose: user.id, or the id of a group or of the tenant',
  sort_key    VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name, folded',
  name        VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its name',
  description TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for',
  type_key    VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  state_key   VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  start_date  DATE         NULL COMMENT 'when it begins',
  due_date    DATE         NULL COMMENT 'when it shall end',
  tier        VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant: what holder_id is',
  team        VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'group that it belongs to; NULL: not the tier team',
  shared      BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved when its members change',
  tree_version BIGINT      NOT NULL DEFAULT 1 COMMENT 'moved when the tree of its documents changes',
  PRIMARY KEY (id),
  KEY project_holder (tenant_id, holder_id, id),
  KEY project_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='projects';
CREATE TABLE IF NOT EXISTS project_reader (
  tenant_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)   NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as project.sort_key',
  row_id    BINARY(16)   NOT NULL COMMENT 'project.id',
  role      TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '1: sees it; 2: also changes it and what is below it; 3: it is theirs',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY project_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which projects';
CREATE TABLE IF NOT EXISTS project_member (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)   NOT NULL COMMENT 'project.id',
  member_id  BINARY(16)   NULL COMMENT 'user.id; NULL: it is a group',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a group; NULL: it is a person',
  reader_id  BINARY(16)   NOT NULL COMMENT 'project_reader.reader_id',
  role       VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'viewer, editor or owner',
  PRIMARY KEY (id),
  UNIQUE KEY project_member_reader_id (parent_id, reader_id),
  KEY project_member_list (tenant_id, parent_id, created_us, id),
  KEY project_member_parent (parent_id),
  KEY project_member_top (top_id),
  KEY project_member_user (tenant_id, user_id),
  KEY project_member_person (tenant_id, member_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who works on projects besides their owners';
CREATE TABLE IF NOT EXISTS entity (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version        BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id      BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id         BINARY(16)   NOT NULL COMMENT 'project.id',
  kind           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'document, task, goal, plan, milestone, risk or requirement',
  title          VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its title',
  description    TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is',
  type_key       VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  state_key      VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  owner_id       BINARY(16)   NULL COMMENT 'who is responsible: user.id',
  priority       VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of tasks and requirements',
  start_date     DATE         NULL COMMENT 'of tasks and plans: when it begins',
  due_date       DATE         NULL COMMENT 'when it shall be done or reached',
  done_date      DATE         NULL COMMENT 'of tasks and milestones: when it was done or reached',
  likelihood     VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of risks',
  impact         VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'of risks',
  mitigation     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of risks: what is done about it',
  acceptance     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of requirements: when it is met',
  under_id       BINARY(16)   NULL COMMENT 'of documents: entity.id of the one above it in the tree; NULL: at the top',
  place          BIGINT       NULL COMMENT 'of documents: order among those under the same one',
  linked         BIGINT       NOT NULL DEFAULT 0 COMMENT 'moved by links, so that they conflict with a deletion on another node',
  content_length BIGINT       NULL COMMENT 'of documents: characters of the content',
  content_bytes  BIGINT       NULL COMMENT 'of documents: bytes of the content',
  bytes          BIGINT       GENERATED ALWAYS AS (LENGTH(title) + COALESCE(LENGTH(description), 0) + COALESCE(LENGTH(mitigation), 0) + COALESCE(LENGTH(acceptance), 0) + COALESCE(content_bytes, 0)) STORED COMMENT 'of its texts',
  PRIMARY KEY (id),
  KEY entity_list (tenant_id, parent_id, kind, created_us, id),
  KEY entity_updated (tenant_id, parent_id, kind, updated_us, id),
  KEY entity_due (tenant_id, parent_id, kind, due_date, id),
  KEY entity_owner (tenant_id, owner_id, due_date, id),
  KEY entity_parent (parent_id),
  KEY entity_top (top_id),
  KEY entity_under (under_id),
  KEY entity_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what is in projects: seven kinds';
CREATE TABLE IF NOT EXISTS entity_content (
  row_id BINARY(16) NOT NULL COMMENT 'entity.id of a document',
  top_id BINARY(16) NOT NULL COMMENT 'project.id',
  text   MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its content, Markdown',
  PRIMARY KEY (row_id),
  KEY entity_content_top (top_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='contents of documents';
CREATE TABLE IF NOT EXISTS entity_version (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it so: user.id',
  version        BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id      BINARY(16)   NOT NULL COMMENT 'entity.id of a document',
  top_id         BINARY(16)   NOT NULL COMMENT 'project.id',
  number         BIGINT       NOT NULL COMMENT 'version of the document, as shown',
  bytes          BIGINT       NOT NULL COMMENT 'of its texts, in UTF-8',
  title          VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as entity.title',
  description    TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as entity.description',
  entity_content MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as entity_content.text',
  replaced_us    BIGINT       NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY entity_version_list (tenant_id, parent_id, created_us, id),
  KEY entity_version_parent (parent_id),
  KEY entity_version_top (top_id),
  KEY entity_version_replaced (replaced_us),
  KEY entity_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how documents read, version by version';
CREATE TABLE IF NOT EXISTS entity_edge (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)   NOT NULL COMMENT 'project.id',
  from_id    BINARY(16)   NOT NULL COMMENT 'entity.id',
  to_id      BINARY(16)   NOT NULL COMMENT 'entity.id',
  relation   VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'a choice of resource.def',
  PRIMARY KEY (id),
  UNIQUE KEY entity_edge_to_id (from_id, to_id, relation),
  KEY entity_edge_list (tenant_id, parent_id, created_us, id),
  KEY entity_edge_parent (parent_id),
  KEY entity_edge_top (top_id),
  KEY entity_edge_end (to_id),
  KEY entity_edge_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how what is in a project belongs together';
CREATE TABLE IF NOT EXISTS entity_due (
  base_id   BINARY(16)  NOT NULL COMMENT 'project.id, and search_base.id',
  row_id    BINARY(16)  NOT NULL COMMENT 'entity.id or project.id; there may be none any more',
  tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  changes   BIGINT      NOT NULL COMMENT 'moved by every change while it waits',
  PRIMARY KEY (base_id, row_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what of projects the index does not have as it is now';
ALTER TABLE message
  ADD COLUMN IF NOT EXISTS context_type VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'a context type of tool/core/pool.def, as in meta; NULL: global',
  ADD COLUMN IF NOT EXISTS project_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'project.id as text, which the user was in, as in meta; NULL: none',
  ADD COLUMN IF NOT EXISTS focus_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'entity.id as text, which the user looked at, as in meta; NULL: none';
