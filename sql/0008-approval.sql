-- What a turn waits for: the user's approval, the browser, an answer.

ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS tainted TINYINT UNSIGNED NOT NULL DEFAULT 0
  COMMENT '1: text of others has entered the context since the user last said something';

ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS wakes INT UNSIGNED NOT NULL DEFAULT 0
  COMMENT 'how often an answer to what it waited for came in; written by each, so two at once conflict';

ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS client MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'JSON: the page that the turn may call tools of, as its request said; NULL: none';

-- A row is never deleted before its conversation: it is the record of who
-- decided what, and when.
CREATE TABLE IF NOT EXISTS turn_wait (
  turn_id         BINARY(16)        NOT NULL COMMENT 'turn.id',
  position        SMALLINT UNSIGNED NOT NULL COMMENT '1, 2, ... within the turn',
  id              BINARY(16)        NOT NULL COMMENT 'UUIDv7; the approval id on the wire',
  conversation_id BINARY(16)        NOT NULL COMMENT 'conversation.id',
  tenant_id       VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id         BINARY(16)        NOT NULL COMMENT 'who is asked: the owner of the conversation, user.id',
  kind            TINYINT UNSIGNED  NOT NULL COMMENT '1 approval, 2 tool of the page, 3 question',
  status          TINYINT UNSIGNED  NOT NULL COMMENT '1 open, 2 approved, 3 denied, 4 expired, 5 superseded, 6 answered',
  call_id         TEXT              CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'of the tool call, as the model named it',
  tool            VARCHAR(64)       CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of the tool',
  effect          TINYINT UNSIGNED  NOT NULL COMMENT '0 read, 1 write, 2 destructive',
  flags           TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1 arguments may be edited, 2 may be allowed for the whole conversation',
  reason          VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'why it is asked: policy, tainted; empty: not an approval',
  args            MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'arguments that were shown, canonical JSON',
  digest          BINARY(32)        NOT NULL COMMENT 'BLAKE2b of turn, call, tool and args',
  edited          MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'arguments as the user changed them, canonical JSON; NULL: not changed',
  result          MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the page or the user answered, JSON; NULL: nothing',
  is_error        TINYINT UNSIGNED  NOT NULL DEFAULT 0 COMMENT '1: result is the text of an error',
  created_us      BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  expires_us      BIGINT            NOT NULL COMMENT 'us since 1970 UTC; later it can only be denied',
  decided_us      BIGINT            NULL     COMMENT 'us since 1970 UTC; NULL: open',
  decided_by      BINARY(16)        NULL     COMMENT 'user.id; NULL: open, or nobody did',
  decided_via     VARCHAR(32)       CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'how they were signed in; NULL: nobody did',
  used_us         BIGINT            NULL     COMMENT 'us since 1970 UTC; the decision was taken up, once; NULL: not yet',
  PRIMARY KEY (turn_id, position),
  UNIQUE KEY turn_wait_id (id),
  KEY turn_wait_conversation (conversation_id),
  KEY turn_wait_user (tenant_id, user_id, status, created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='calls that wait for the user or the page, and what became of them';

CREATE TABLE IF NOT EXISTS conversation_allow (
  conversation_id BINARY(16)  NOT NULL COMMENT 'conversation.id',
  tool            VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a tool that the user need not be asked about here',
  wait_id         BINARY(16)  NOT NULL COMMENT 'turn_wait.id at which it was decided',
  created_us      BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (conversation_id, tool)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='always allow in this conversation';
