-- Conversations and their messages.

CREATE TABLE IF NOT EXISTS conversation (
  id              BINARY(16)   NOT NULL COMMENT 'UUIDv7, or the id that the client chose',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug; empty: being deleted',
  user_id         BINARY(16)   NOT NULL COMMENT 'owner: user.id; zero: being deleted',
  workspace_id    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'workspace slug',
  agent_id        VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'agent slug within the workspace',
  title           VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'NULL: none yet',
  title_by        TINYINT      NOT NULL DEFAULT 0 COMMENT '0 none, 1 first message, 2 model, 3 person',
  last_seq        INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'newest message.seq = number of messages',
  turns           INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'turns begun',
  running_turn_id BINARY(16)   NULL     COMMENT 'turn.id that holds the conversation; NULL: free',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC; moved by turns and by renaming, orders the list',
  PRIMARY KEY (id),
  KEY conversation_list (tenant_id, user_id, updated_us, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='a thread of one user with one agent';

-- Clustered by thread: a page is one range read at any depth. The public id is
-- (conversation, seq), so there is no index of its own for it. `meta` has no
-- JSON_VALID check: the server's parser stops at 32 levels, and a model may
-- nest the arguments of a call deeper than that.
CREATE TABLE IF NOT EXISTS message (
  conversation_id BINARY(16)       NOT NULL COMMENT 'conversation.id',
  seq             INT UNSIGNED     NOT NULL COMMENT '1, 2, ... in the thread',
  role            TINYINT UNSIGNED NOT NULL COMMENT '1 user, 2 assistant, 3 system, 4 tool',
  turn_id         BINARY(16)       NULL     COMMENT 'turn.id that it belongs to; NULL: none',
  created_us      BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  content         MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'text; may be empty for an assistant row with tool calls',
  meta            MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON object as on the wire; NULL: {}',
  PRIMARY KEY (conversation_id, seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what was said, clustered by thread';
