-- Workspaces and agents that people make. Those of the configuration are in files
-- and have no rows, but a workspace of a file may have agents here.

CREATE TABLE IF NOT EXISTS workspace (
  id                  BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id           VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id             BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version             BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id           BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  sort_key            VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  workspace_id        VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug, in addresses and conversations',
  name                VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  prompt              MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'prompt layer; NULL: none',
  llm_service_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: that of the installation',
  tools               TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: names of tools and group:NAME; NULL: all' CHECK (JSON_VALID(tools)),
  max_tool_iterations BIGINT       NULL COMMENT 'rounds of tool calls in a turn; NULL: the default',
  suggestions         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: first messages to choose from; NULL: none' CHECK (JSON_VALID(suggestions)),
  default_agent_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'agent.agent_id; NULL, or of none: a built-in one',
  manager_users       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: logins of those who change it; NULL: none' CHECK (JSON_VALID(manager_users)),
  manager_groups      TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: groups of those who change it; NULL: none' CHECK (JSON_VALID(manager_groups)),
  visible_to          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: groups that see it, * for everyone; NULL: none' CHECK (JSON_VALID(visible_to)),
  PRIMARY KEY (id),
  UNIQUE KEY workspace_workspace_id (tenant_id, workspace_id),
  KEY workspace_holder (tenant_id, holder_id, id),
  KEY workspace_service (tenant_id, llm_service_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='workspaces that people made';

CREATE TABLE IF NOT EXISTS workspace_reader (
  tenant_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)   NOT NULL COMMENT 'who sees it: user.id, or the id of a group, the tenant or its admins',
  sort_key  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as workspace.sort_key',
  row_id    BINARY(16)   NOT NULL COMMENT 'workspace.id',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY workspace_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which workspaces, in the order of their names';

CREATE TABLE IF NOT EXISTS agent (
  id                  BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id           VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id             BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version             BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us          BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id            BINARY(16)  NOT NULL COMMENT 'its workspace: workspace.id, or an id made of the name of one of a file',
  holder_id            BINARY(16)  NOT NULL COMMENT 'parent_id: of the workspace; else user.id: private',
  workspace_id         VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug of its workspace',
  agent_id             VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'slug, in addresses and conversations',
  visibility           VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private or workspace, as holder_id says',
  name                 VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description          TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  system_prompt        MEDIUMTEXT  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its prompt; NULL: that of the installation',
  user_prompt          MEDIUMTEXT  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a first message to offer; NULL: none',
  llm_service_id       VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: that of the workspace',
  tools               TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: names of tools and group:NAME; NULL: those of the workspace' CHECK (JSON_VALID(tools)),
  max_tool_iterations  BIGINT      NULL COMMENT 'rounds of tool calls in a turn; NULL: as the workspace has it',
  rag_enabled          TINYINT     NULL COMMENT '1: searches knowledge bases; NULL: not said',
  knowledge_base_ids  TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: ids of knowledge bases; NULL: none' CHECK (JSON_VALID(knowledge_base_ids)),
  rag_max_results      BIGINT      NULL COMMENT 'passages at most; NULL: not said',
  rag_min_score       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: number from 0 to 1; NULL: not said' CHECK (JSON_VALID(rag_min_score)),
  rerank_enabled       TINYINT     NULL COMMENT '1: passages are ranked again; NULL: not said',
  reranking_service_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'id of an LLM service; NULL: not said',
  rerank_max_results   BIGINT      NULL COMMENT 'passages behind the ranking; NULL: not said',
  PRIMARY KEY (id),
  UNIQUE KEY agent_agent_id (parent_id, holder_id, agent_id),
  KEY agent_holder (tenant_id, holder_id, id),
  KEY agent_service (tenant_id, llm_service_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='agents that people made';
