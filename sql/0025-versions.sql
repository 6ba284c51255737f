-- SPDX-License-Identifier: MIT
-- How long versions are kept, and for whom their bytes count.
ALTER TABLE prompt_version
  ADD COLUMN IF NOT EXISTS replaced_us BIGINT NULL COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  ADD COLUMN IF NOT EXISTS bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'of its texts, in UTF-8',
  ADD KEY IF NOT EXISTS prompt_version_replaced (replaced_us),
  ADD KEY IF NOT EXISTS prompt_version_user (tenant_id, user_id, bytes);
UPDATE prompt_version
  SET bytes = LENGTH(name) + COALESCE(LENGTH(description), 0) + LENGTH(body) WHERE bytes = 0;
UPDATE prompt_version v JOIN (SELECT parent_id, MAX(number) AS newest FROM prompt_version
    GROUP BY parent_id) n ON n.parent_id = v.parent_id
  SET v.replaced_us = UNIX_TIMESTAMP() * 1000000
  WHERE v.number < n.newest AND v.replaced_us IS NULL;
CREATE TABLE IF NOT EXISTS workspace_version (
  id          BINARY(16)    NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)    NOT NULL COMMENT 'who made it so: user.id',
  version     BIGINT        NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)    NOT NULL COMMENT 'workspace.id',
  number      BIGINT        NOT NULL COMMENT 'version of the workspace, as shown',
  bytes       BIGINT        NOT NULL COMMENT 'of its texts, in UTF-8',
  name        VARCHAR(100)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as workspace.name',
  description TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as workspace.description',
  prompt      MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as workspace.prompt',
  replaced_us BIGINT        NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY workspace_version_list (tenant_id, parent_id, created_us, id),
  KEY workspace_version_parent (parent_id),
  KEY workspace_version_replaced (replaced_us),
  KEY workspace_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how workspaces read, version by version';
INSERT IGNORE INTO workspace_version (id, tenant_id, user_id, version, created_us, updated_us,
    parent_id, number, bytes, name, description, prompt)
  SELECT w.id, w.tenant_id, w.user_id, 0, w.updated_us, w.updated_us, w.id, w.version + 1,
    LENGTH(w.name) + COALESCE(LENGTH(w.description), 0) + COALESCE(LENGTH(w.prompt), 0),
    w.name, w.description, w.prompt
  FROM workspace w WHERE NOT EXISTS (SELECT 1 FROM workspace_version v WHERE v.parent_id = w.id);
