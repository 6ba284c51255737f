-- SPDX-License-Identifier: MIT
-- Plans: work of a turn in steps that run in parallel, wait, and go on in any process
-- (docs/plans.md).
CREATE TABLE IF NOT EXISTS plan (
  id              BINARY(16)   NOT NULL COMMENT 'UUID, of the turn and the call',
  tenant_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)   NOT NULL COMMENT 'whose: user.id',
  version         BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  turn_id         BINARY(16)   NOT NULL COMMENT 'turn.id: the turn that it belongs to',
  call_id         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the call of the tool plan in that turn',
  goal            TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it is to reach',
  status          VARCHAR(8)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'proposed, running, waiting, done, partial or stopped',
  plan            MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON: the AgentPlan' CHECK (JSON_VALID(plan)),
  progress        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array: state and cost of each step' CHECK (JSON_VALID(progress)),
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text it was made from, besides the user; NULL: nobody else' CHECK (JSON_VALID(origins)),
  PRIMARY KEY (id),
  KEY plan_turn (turn_id),
  KEY plan_list (tenant_id, user_id, created_us, id),
  KEY plan_conversation (conversation_id),
  KEY plan_of (tenant_id, user_id, conversation_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='plans of turns';
CREATE TABLE IF NOT EXISTS plan_step (
  plan_id         BINARY(16)   NOT NULL COMMENT 'plan.id',
  number          INT UNSIGNED NOT NULL COMMENT '0, 1, ... in the order of the plan',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  status          TINYINT UNSIGNED NOT NULL COMMENT '1 ready, 2 running, 3 waiting, 4 done, 5 failed, 6 skipped',
  result          MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'its answer, or why it failed; NULL: none yet',
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text is in the result; NULL: nobody else''s' CHECK (JSON_VALID(origins)),
  tokens          BIGINT       NOT NULL COMMENT 'tokens: of its model calls',
  cost            DOUBLE       NULL COMMENT 'in the currency of the service; NULL: unknown',
  started_us      BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: not yet',
  ended_us        BIGINT       NULL COMMENT 'us since 1970 UTC; NULL: not yet',
  PRIMARY KEY (plan_id, number),
  KEY plan_step_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='steps of plans';
CREATE TABLE IF NOT EXISTS plan_call (
  plan_id         BINARY(16)   NOT NULL COMMENT 'plan.id',
  number          BIGINT       NOT NULL COMMENT 'step << 20 | round << 8 | call of the round',
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  call_id         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the model''s id of the call',
  tool            VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the tool',
  args            MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the model''s arguments',
  said            MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the model said before the calls; only of the first call of a round',
  tries           INT UNSIGNED NOT NULL COMMENT 'how often it was begun: who begins it moves this, and only the last may write',
  landed          INT UNSIGNED NOT NULL COMMENT 'changes of resources that it has made, counted in their transactions',
  result          MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the model got; NULL: none yet',
  flags           TINYINT UNSIGNED NOT NULL COMMENT '1: the result is JSON; 2: an error; 4: others'' text',
  origins         TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON array: whose text is in the result; NULL: nobody else''s' CHECK (JSON_VALID(origins)),
  PRIMARY KEY (plan_id, number),
  KEY plan_call_conversation (conversation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='calls of tools in steps of plans';
