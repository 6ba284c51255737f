-- SPDX-License-Identifier: MIT
CREATE TABLE IF NOT EXISTS chore (
  id         BINARY(16)  NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)  NOT NULL COMMENT 'who made it: user.id',
  version    BIGINT      NOT NULL COMMENT 'moved by every change',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)  NOT NULL COMMENT 'project.id',
  top_id     BINARY(16)  NOT NULL COMMENT 'project.id',
  title      VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is to be done',
  state_key  VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'open, waiting or closed',
  due        DATE        NULL     COMMENT 'the day it should be done by; NULL: not said',
  tags       TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: words to find it by; NULL: none' CHECK (JSON_VALID(tags)),
  agent      VARCHAR(130) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'workspace/agent; NULL: none',
  text       MEDIUMTEXT  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'Markdown; NULL: none',
  folded     MEDIUMBLOB  NULL     COMMENT 'UTF-8: what q finds it by',
  PRIMARY KEY (id),
  KEY chore_list (tenant_id, parent_id, created_us, id),
  KEY chore_due (tenant_id, parent_id, due, id),
  KEY chore_parent (parent_id),
  KEY chore_top (top_id),
  KEY chore_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='chores of projects';
CREATE TABLE IF NOT EXISTS chore_version (
  id          BINARY(16)  NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)  NOT NULL COMMENT 'who made it so: user.id',
  version     BIGINT      NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)  NOT NULL COMMENT 'chore.id',
  top_id      BINARY(16)  NOT NULL COMMENT 'project.id',
  number      BIGINT      NOT NULL COMMENT 'version of the chore, as shown',
  bytes       BIGINT      NOT NULL COMMENT 'of its texts, in UTF-8',
  title       VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as chore.title',
  text        MEDIUMTEXT  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as chore.text',
  replaced_us BIGINT      NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY chore_version_list (tenant_id, parent_id, created_us, id),
  KEY chore_version_parent (parent_id),
  KEY chore_version_top (top_id),
  KEY chore_version_replaced (replaced_us),
  KEY chore_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how chores were, version by version';
