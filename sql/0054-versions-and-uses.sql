-- SPDX-License-Identifier: MIT
-- How agents that people made read, version by version; the first one is how they are now.
-- And who has used which prompt, which was not noted before.
CREATE TABLE IF NOT EXISTS agent_version (
  id            BINARY(16)    NOT NULL COMMENT 'UUID',
  tenant_id     VARCHAR(64)   CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id       BINARY(16)    NOT NULL COMMENT 'who made it so: user.id',
  version       BIGINT        NOT NULL COMMENT '0: it never changes',
  created_us    BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  updated_us    BIGINT        NOT NULL COMMENT 'us since 1970 UTC',
  parent_id     BINARY(16)    NOT NULL COMMENT 'agent.id',
  number        BIGINT        NOT NULL COMMENT 'version of the agent, as shown',
  bytes         BIGINT        NOT NULL COMMENT 'of its texts, in UTF-8',
  name          VARCHAR(100)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as agent.name',
  description   TEXT          CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.description',
  system_prompt MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.system_prompt',
  user_prompt   MEDIUMTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.user_prompt',
  replaced_us   BIGINT        NULL     COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  PRIMARY KEY (id),
  KEY agent_version_list (tenant_id, parent_id, created_us, id),
  KEY agent_version_parent (parent_id),
  KEY agent_version_replaced (replaced_us),
  KEY agent_version_user (tenant_id, user_id, bytes)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how agents read, version by version';
INSERT IGNORE INTO agent_version (id, tenant_id, user_id, version, created_us, updated_us,
    parent_id, number, bytes, name, description, system_prompt, user_prompt)
  SELECT a.id, a.tenant_id, a.user_id, 0, a.updated_us, a.updated_us, a.id, a.version + 1,
    LENGTH(a.name) + COALESCE(LENGTH(a.description), 0) + COALESCE(LENGTH(a.system_prompt), 0)
    + COALESCE(LENGTH(a.user_prompt), 0),
    a.name, a.description, a.system_prompt, a.user_prompt
  FROM agent a WHERE NOT EXISTS (SELECT 1 FROM agent_version v WHERE v.parent_id = a.id);
CREATE TABLE IF NOT EXISTS prompt_use (
  tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  prompt_id BINARY(16)  NOT NULL COMMENT 'prompt.id, or that of a shipped one',
  user_id   BINARY(16)  NOT NULL COMMENT 'who sent a message made from it: user.id',
  PRIMARY KEY (tenant_id, prompt_id, user_id),
  KEY prompt_use_prompt (prompt_id),
  KEY prompt_use_user (tenant_id, user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who has used which prompts';
