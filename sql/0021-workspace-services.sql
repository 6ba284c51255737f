-- SPDX-License-Identifier: MIT
-- LLM services that the managers of a workspace make for it (B4). Keys are sealed, as those
-- of llm_service, whose columns they have, without those that only administrators set.
CREATE TABLE IF NOT EXISTS workspace_service (
  id                     BINARY(16)       NOT NULL COMMENT 'UUID',
  tenant_id              VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id                BINARY(16)       NOT NULL COMMENT 'who made it: user.id',
  version                BIGINT           NOT NULL COMMENT 'moved by every change, and when the workspace or an agent is bound to it',
  created_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  updated_us             BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  parent_id              BINARY(16)       NOT NULL COMMENT 'whose it is: workspace.id',
  sort_key               VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  service_id             VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'the id as text, by which the workspace and its agents name it',
  name                   VARCHAR(100)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  provider               VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'provider row',
  model                  VARCHAR(190)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name at the provider',
  url                    VARCHAR(2048)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'base URL; NULL: the provider''s own',
  api_key                VARBINARY(16448) NULL COMMENT 'sealed key; NULL: none',
  api_version            VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: the provider''s default',
  deployment             VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'Azure; NULL: that of the model',
  capabilities           TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array of names; NULL: chat and tools' CHECK (JSON_VALID(capabilities)),
  context_tokens         INT UNSIGNED     NULL COMMENT 'tokens of the context window; NULL: the default',
  max_output_tokens      INT UNSIGNED     NULL COMMENT 'tokens of the longest answer; NULL: the default',
  temperature            TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON number, 0 to 2; NULL: not sent' CHECK (JSON_VALID(temperature)),
  top_p                  TEXT             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON number, 0 to 1; NULL: not sent' CHECK (JSON_VALID(top_p)),
  reasoning_effort       VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'in the provider''s terms; NULL: not sent',
  thinking_budget_tokens INT UNSIGNED     NULL COMMENT 'tokens for thinking; NULL: off',
  PRIMARY KEY (id),
  KEY workspace_service_list (tenant_id, parent_id, sort_key, id),
  KEY workspace_service_parent (parent_id),
  UNIQUE KEY workspace_service_service_id (tenant_id, service_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='LLM services of workspaces, made by those who manage them';

ALTER TABLE usage_record MODIFY payer TINYINT UNSIGNED NULL COMMENT '1 the installation (a service of the configuration), 2 the tenant (a service made over the API), 3 the user (a key of their own), 4 the workspace (a service that its managers made); NULL: not known';
